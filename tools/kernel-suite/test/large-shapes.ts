// SPDX-License-Identifier: Apache-2.0
// Large kernels of many shapes: about as many IR operations as are asked for, with constants that a seed decides.

/** A kernel `k(global T *a, global const T *b, int n)`; those with `scratch` take local memory before `n`. */
export interface LargeShape {
  readonly name: string;
  /** Element of the buffers. */
  readonly element: "half" | "float" | "double" | "int" | "long";
  readonly write: (operations: number, random: (below: number) => number) => string;
  readonly hasScratch?: boolean;
  /** How much more code an operation takes than most; absent: not much. */
  readonly weight?: number;
  /** Buffers beyond two. */
  readonly buffers?: number;
}

function lines(count: number, line: (i: number) => string): string {
  return Array.from({ length: Math.max(1, Math.floor(count)) }, (_, i) => line(i)).join("\n");
}

function kernel(element: string, body: string, parameters: string = ""): string {
  const pragma = element.startsWith("half") ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" : "";
  return (
    `${pragma}kernel void k(global ${element} *a, global const ${element} *b,${parameters} int n) {\n` +
    `size_t g = get_global_id(0), t = get_local_id(0);\n${body}\n}\n`
  );
}

/** Straight code on sixteen accumulators. Numbers stay small: halves and floats by halving, ints wrap around. */
function straight(type: string, element: string, scale: string): LargeShape["write"] {
  return (operations, random) => {
    const access = (name: string, index: string): string =>
      type === element ? `${name}[${index}]` : `vload${type.replace(/\D/gu, "")}(${index}, ${name})`;
    const store =
      type === element
        ? (i: number): string => `a[g] = a[g] ${scale} + r${i};`
        : (i: number): string => `vstore${type.replace(/\D/gu, "")}(r${i}, 0, a + g * 16);`;
    const body =
      lines(16, (i) => `${type} r${i} = ${access("b", `(g + ${i}) & 7`)};`) +
      lines(
        operations / 3,
        (i) => `r${i % 16} = r${i % 16} ${scale} + r${random(16)} * ${access("b", `(g + ${random(8)}) & 7`)};`,
      );
    const stored =
      type === element
        ? lines(16, store)
        : `r0 = ${Array.from({ length: 16 }, (_, i) => `r${i}`).join(" + ")}; ${store(0)}`;
    return kernel(element, `${body}\n${stored}`);
  };
}

function nest(head: (i: number) => string): LargeShape["write"] {
  return (operations, random) => {
    const depth = Math.min(200, Math.max(8, Math.floor(operations / 8)));
    const each = operations / depth / 4;
    return kernel(
      "int",
      `int x = b[g & 7];\n${lines(depth, (i) => `${head(i)}\n${lines(each, () => `x = x * ${random(99)} + b[x & 7];`)}`)}` +
        `${"}".repeat(depth)} a[g] = x;`,
    );
  };
}

/** A vector type of the element `type` and how many values of it `operations` operations may keep live. */
function liveVectors(type: string, element: string): LargeShape["write"] {
  const lanes = type.replace(/\D/gu, "");
  return (operations, random) => {
    const live = Math.max(4, Math.min(5000, Math.floor(operations / 8)));
    return kernel(
      element,
      lines(live, (i) => `${type} r${i} = vload${lanes}(${i} & 3, b) * (${type})(${1 + random(3)});`) +
        lines(operations / 8, (i) => `r${i % live} = r${random(live)} + r${i % live};`) +
        `${type} x = 0;\n${lines(live, (i) => `x = x * (${type})(0.5) + r${live - 1 - i};`)}vstore${lanes}(x, g, a);`,
    );
  };
}

/** Operations that have no instruction for vectors: lane by lane they take much code. */
function byLane(type: string, element: string, line: (i: number, random: (below: number) => number) => string) {
  const lanes = type.replace(/\D/gu, "");
  return (operations: number, random: (below: number) => number): string =>
    kernel(
      element,
      lines(8, (i) => `${type} r${i} = vload${lanes}(${i} & 3, b);`) +
        lines(operations / 3, (i) => line(i, random)) +
        `vstore${lanes}(${Array.from({ length: 8 }, (_, i) => `r${i}`).join(" + ")}, g, a);`,
    );
}

/** See the file's head. */
export const LARGE_SHAPES: readonly LargeShape[] = [
  { name: "straight half", element: "half", write: straight("half", "half", "* 0.25h") },
  { name: "straight float", element: "float", write: straight("float", "float", "* 0.25f") },
  { name: "straight double", element: "double", write: straight("double", "double", "* 0.25") },
  { name: "straight long", element: "long", write: straight("long", "long", "* 3") },
  { name: "straight half16", weight: 4, element: "half", write: straight("half16", "half", "* 0.25h") },
  { name: "straight long16", weight: 4, element: "long", write: straight("long16", "long", "* 3") },
  { name: "double16 values that stay live", weight: 4, element: "double", write: liveVectors("double16", "double") },
  {
    name: "divisions of long16",
    weight: 8,
    element: "long",
    write: byLane("long16", "long", (i, random) => `r${i % 8} = r${i % 8} * 7 + r${random(8)} / (r${random(8)} | 1);`),
  },
  {
    name: "shuffles of long16",
    weight: 8,
    element: "long",
    write: byLane(
      "long16",
      "long",
      (i, random) => `r${i % 8} = shuffle(r${random(8)}, convert_ulong16(r${random(8)})) + ${random(9)};`,
    ),
  },
  {
    name: "conversions of double16",
    weight: 8,
    element: "double",
    write: byLane(
      "double16",
      "double",
      (i, random) =>
        `r${i % 8} = convert_double16_rtz(convert_long16_sat(r${random(8)} * 3.5)) + r${random(8)} * 0.25;`,
    ),
  },
  {
    name: "built-in functions",
    element: "float",
    write: (operations, random) => {
      const names = ["sin", "cos", "exp", "log", "tanh", "cbrt", "atan", "erf"];
      return kernel(
        "float",
        `float x = b[g & 7], y = 0.5f;\n${lines(operations / 50, () => `y = ${names[random(8)] ?? "sin"}(y + x * 0.25f); x = pow(fabs(y) + 0.5f, 0.75f);`)} a[g] = x + y;`,
      );
    },
  },
  {
    name: "a table of constants",
    element: "int",
    write: (operations, random) =>
      `constant int table[${operations * 2}] = {${lines(operations * 2, () => `${random(99_999)},`)}};\n` +
      kernel(
        "int",
        `int x = b[g & 7];\n${lines(64, () => `x = x * 3 + table[(x & 0xffff) % ${operations * 2}];`)} a[g] = x;`,
      ),
  },
  {
    name: "a large private array",
    element: "int",
    write: (operations, random) =>
      kernel(
        "int",
        `int p[${operations}]; int x = b[g & 7];\n${lines(operations / 8, () => `p[(x & 0xffff) % ${operations}] += x * ${random(99)}; x += p[${random(operations)}];`)} a[g] = x;`,
      ),
  },
  {
    name: "loops in a row with barriers",
    weight: 1,
    element: "int",
    hasScratch: true,
    write: (operations, random) =>
      kernel(
        "int",
        `int x = b[g & 7];\n${lines(
          operations / 40,
          () =>
            `for (int i = 0; i < n - 1; i++) { l[t] = x + i; barrier(CLK_LOCAL_MEM_FENCE); ` +
            `x = x * 3 + l[(t + ${random(7)}) % get_local_size(0)]; barrier(CLK_LOCAL_MEM_FENCE); }`,
        )} a[g] = x;`,
        " local int *l,",
      ),
  },
  {
    name: "values that stay live",
    element: "int",
    write: (operations, random) => {
      const live = Math.min(5000, Math.floor(operations / 4));
      return kernel(
        "int",
        lines(live, (i) => `int r${i} = b[(g + ${i}) & 7] + ${random(99)};`) +
          lines(operations / 4, (i) => `r${i % live} = r${random(live)} * r${random(live)} + r${i % live};`) +
          `int x = 0;\n${lines(live, (i) => `x = x * 3 + r${i};`)} a[g] = x;`,
      );
    },
  },
  {
    name: "nested loops",
    element: "int",
    write: nest((i) => `for (int i${i} = 0; i${i} < n - 2; i${i}++) {`),
  },
  { name: "nested branches", element: "int", write: nest((i) => `if (b[(g + ${i}) & 7] > x - ${i} - 9999) {`) },
  {
    name: "branches in a row",
    element: "int",
    write: (operations, random) =>
      kernel(
        "int",
        `int x = b[g & 7];\n${lines(operations / 8, (i) => `if (x > ${random(999)}) { x = x - n * ${i}; a[g] = x; } else { x = x + ${random(99)}; }`)} a[g] = x;`,
      ),
  },
  {
    name: "a switch",
    element: "int",
    write: (operations, random) =>
      kernel(
        "int",
        `int x = b[g & 7]; switch (x * 5 & ${2 ** Math.floor(Math.log2(operations / 6)) - 1}) {\n` +
          `${lines(operations / 6, (i) => `case ${i}: x = x * ${random(99)} + b[${random(8)}]; break;`)}\n` +
          `default: x = 1; } a[g] = x;`,
      ),
  },
  {
    name: "barriers",
    weight: 1,
    element: "int",
    hasScratch: true,
    write: (operations, random) =>
      kernel(
        "int",
        `int x = b[g & 7], y = x * 3, z = 0, w = 1;\n${lines(
          operations / 30,
          () =>
            `l[t] = x; barrier(CLK_LOCAL_MEM_FENCE); y = y * l[(t + ${random(7)}) % get_local_size(0)] + x; z += y; ` +
            `barrier(CLK_LOCAL_MEM_FENCE); w = w * z + y; x += w;`,
        )} a[g] = x + y + z + w;`,
        " local int *l,",
      ),
  },
  {
    name: "calls",
    element: "int",
    write: (operations, random) =>
      `int f(int x, int y) { return (x ^ y) * 5 + 1; }\n${kernel("int", `int x = b[g & 7];\n${lines(operations / 4, () => `x = f(x, ${random(999)});`)} a[g] = x;`)}`,
  },
  {
    name: "functions",
    element: "int",
    write: (operations, random) => {
      const count = Math.max(1, Math.floor(operations / 30));
      return (
        lines(
          count,
          (i) =>
            `int f${i}(int x, int y) { int z = x; ${lines(8, () => `z = z * y + (x ^ ${random(999)});`)} return z; }\n`,
        ) + kernel("int", `int x = b[g & 7];\n${lines(count, (i) => `x = f${i}(x, ${random(999)});`)} a[g] = x;`)
      );
    },
  },
  ...(["", "local "] as const).map((space): LargeShape => ({
    name: `${space}arrays`,
    element: "int",
    write: (operations, random) => {
      const count = Math.min(space === "" ? 1000 : 500, Math.max(1, Math.floor(operations / 20)));
      return kernel(
        "int",
        `${lines(count, (i) => `${space}int p${i}[8];`)}\n${lines(count, (i) => `p${i}[t & 7] = ${random(99)};`)}\n` +
          `${lines(operations / 10, (i) => `p${i % count}[t & 7] = b[${random(8)}] + p${random(count)}[t & 7] * 3;`)}\n` +
          `int x = 0; ${lines(count, (i) => `x = x * 3 + p${i}[t & 7];`)} a[g] = x;`,
      );
    },
  })),
  {
    name: "arguments",
    element: "int",
    buffers: 250,
    write: (operations, random) =>
      kernel(
        "int",
        `int x = 0;\n${lines(operations / 4, (i) => `x = x * 3 + c${i % 250}[(g + ${random(8)}) & 7];`)} a[g] = x;`,
        Array.from({ length: 250 }, (_, i) => ` global const int *c${i},`).join(""),
      ),
  },
  {
    name: "a chain of conditionals",
    element: "int",
    write: (operations, random) =>
      kernel("int", `int x = b[g & 7];\na[g] = ${lines(operations / 4, (i) => `x == ${i} ? b[${random(8)}] :`)} x;`),
  },
  {
    name: "a sum of many terms",
    element: "int",
    write: (operations, random) =>
      kernel("int", `int x = b[g & 7];\na[g] = ${lines(operations / 3, () => `(x ^ ${random(999)}) +`)} x;`),
  },
];
