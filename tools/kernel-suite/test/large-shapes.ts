// SPDX-License-Identifier: Apache-2.0
// Large kernels of many shapes: about as many IR operations as are asked for, with constants that a seed decides.

/** A kernel `k(global T *a, global const T *b, int n)`; those with `scratch` take local memory before `n`. */
export interface LargeShape {
  readonly name: string;
  /** Element of the buffers. */
  readonly element: "half" | "float" | "double" | "int" | "long";
  readonly write: (operations: number, random: (below: number) => number) => string;
  readonly hasScratch?: boolean;
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

/** See the file's head. */
export const LARGE_SHAPES: readonly LargeShape[] = [
  { name: "straight half", element: "half", write: straight("half", "half", "* 0.25h") },
  { name: "straight float", element: "float", write: straight("float", "float", "* 0.25f") },
  { name: "straight double", element: "double", write: straight("double", "double", "* 0.25") },
  { name: "straight long", element: "long", write: straight("long", "long", "* 3") },
  { name: "straight half16", element: "half", write: straight("half16", "half", "* 0.25h") },
  { name: "straight long16", element: "long", write: straight("long16", "long", "* 3") },
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
