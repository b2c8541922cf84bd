// SPDX-License-Identifier: Apache-2.0
// Functions for what the selection does specially, and neither cases of ops nor random functions reach: what a target
// may lower before, flags of floats, addresses in lanes, signatures that fill all registers, atomics in loops.

const list = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(", ");

/** A function of operands of types, whose body yields `%r` of the result's type. */
function fn(name: string, types: readonly string[], result: string, body: string): string {
  const parameters = types.map((type, i) => `%${"abcdefgh"[i]}: ${type}`).join(", ");
  return `func @${name}(${parameters}) -> ${result} {\n^0:\n${body}\n  ret %r\n}\n`;
}

const op = (name: string, types: readonly string[], result: string, operation: string): string =>
  fn(name, types, result, `  %r = ${operation}: ${result}`);

const HALF_OPS = ["fadd", "fsub", "fmul", "fdiv", "fmin", "fmax", "fcopysign"];
const HALF_UNARY = ["fneg", "fabs", "fsqrt", "ffloor", "fceil", "ftrunc", "frint"];
const HALF_TYPES = ["f16", "<3 x f16>", "<8 x f16>", "<16 x f16>"];
const plain = (type: string): string => type.replaceAll(/\W/gu, "");

const HALVES = HALF_TYPES.flatMap((type) => [
  ...HALF_OPS.map((name) => op(`${name}.${plain(type)}`, [type, type], type, `${name} %a, %b`)),
  ...HALF_UNARY.map((name) => op(`${name}.${plain(type)}`, [type], type, `${name} %a`)),
]);

const COMPARISONS = ["feq", "fne", "flt", "fge"].flatMap((name) =>
  ["", "<4 x ", "<16 x "].map((head) => {
    const of = (scalar: string): string => (head === "" ? scalar : `${head}${scalar}>`);
    return fn(
      `${name}.${plain(of("f16"))}`,
      [of("f16"), of("f16"), of("i32")],
      of("i32"),
      `  %m = ${name} %a, %b: ${of("i1")}\n  %r = select %m, %c, ${head === "" ? "7" : "splat(7)"}: ${of("i32")}: ${of("i32")}`,
    );
  }),
);

/** Comparisons of floats that a branch, a selection and nobody makes. */
const BRANCHES = ["f32", "f64"].flatMap((type) =>
  ["feq", "fne", "flt", "fle", "fgt", "fge"].map(
    (name) => `func @${name}.${type}(%a: ${type}, %b: ${type}, %c: i32, %d: i32) -> i32 {
^0:
  %m = ${name} %a, %b: i1
  cond_br %m, ^x(%c: i32), ^y
^y:
  %n = ${name} %b, %a: i1
  %s = select %n, %c, %d: i32
  br ^x(%s: i32)
^x(%t: i32):
  %o = ${name} %a, 1.0: ${type}: i1
  %z = zext %o: i32
  %r = add %t, %z: i32
  ret %r
}
`,
  ),
);

/** Votes of masks whose last register has 16 bytes. */
const VOTES = ["any", "all"].flatMap((name) =>
  ["eq", "ne", "slt"].map((compare) =>
    fn(
      `${name}.${compare}`,
      ["<12 x i32>", "<12 x i32>"],
      "i1",
      `  %m = ${compare} %a, %b: <12 x i1>\n  %r = ${name} %m: i1`,
    ),
  ),
);

const CONVERSIONS = (
  [
    ["fptrunc", "f32", "f16"],
    ["fptrunc", "f64", "f16"],
    ["fpext", "f16", "f32"],
    ["fpext", "f16", "f64"],
    ["sitofp", "i32", "f16"],
    ["uitofp", "i64", "f16"],
    ["fptosi", "f16", "i32"],
    ["fptoui", "f16", "i8"],
    ["fptosi", "f16", "i64"],
    ["fptosi", "f32", "i1"],
    ["fptoui", "f64", "i1"],
    ["sitofp", "i1", "f16"],
  ] as const
).flatMap(([name, from, to]) => [
  op(`${name}.${from}.${to}`, [from], to, `${name} %a`),
  ...[2, 3, 4, 8, 16].map((lanes) =>
    op(`${name}.${from}.${to}.${lanes}`, [`<${lanes} x ${from}>`], `<${lanes} x ${to}>`, `${name} %a`),
  ),
]);

const POINTERS = [1, 2, 4, 8, 16].flatMap((lanes) =>
  ["i16", "i32", "i64"].map((type) => {
    const of = (scalar: string): string => (lanes === 1 ? scalar : `<${lanes} x ${scalar}>`);
    return fn(
      `pointers.${type}.${lanes}`,
      [of(type)],
      of(type),
      `  %p = inttoptr %a: ${of("ptr<global>")}\n  %q = addrspacecast %p: ${of("ptr<private>")}\n  %r = ptrtoint %q: ${of(type)}`,
    );
  }),
);

/** Addresses in lanes: a pointer and indices of each width, pointers and one index, by factors and offsets. */
const ADDRESSES = [4, 8, 16].flatMap((lanes) =>
  (
    [
      ["i32", lanes, 4, 0],
      ["i32", lanes, 12, 100_000],
      ["i32", 1, 8, -4],
      ["i32", lanes, 1, 0],
      ["i8", lanes, 3, 5],
      ["i64", lanes, 16, 0],
      ["i16", 1, 2, 1],
    ] as const
  ).flatMap(([type, indices, scale, offset]) =>
    [1, lanes].map((bases) => {
      const index = indices === 1 ? type : `<${lanes} x ${type}>`;
      const base = bases === 1 ? "i32" : `<${lanes} x i32>`;
      const pointer = bases === 1 ? "ptr<global>" : `<${lanes} x ptr<global>>`;
      return indices === 1 && bases === 1
        ? ""
        : fn(
            `address.${type}.${lanes}.${indices}.${bases}.${scale}`,
            [base, index],
            `<${lanes} x i32>`,
            `  %p = inttoptr %a: ${pointer}
  %q = address %p, %b {scale ${scale}, offset ${offset}}: <${lanes} x ptr<global>>
  %r = ptrtoint %q: <${lanes} x i32>`,
          );
    }),
  ),
);

/** Least and greatest of numbers that are there, with the flags that say so. */
const FLAGGED = ["fmin", "fmax"].flatMap((name) =>
  ["nnan", "nsz", "nnan, nsz"].flatMap((flags) =>
    ["f32", "<4 x f32>", "<8 x f32>", "<4 x f64>"].map((type) => {
      const ints = type.replace(/f\d+/u, "i32");
      return fn(
        `${name}.${plain(flags)}.${plain(type)}`,
        [ints, ints],
        type,
        `  %x = sitofp %a: ${type}\n  %y = sitofp %b: ${type}\n  %r = ${name} %x, %y {${flags}}: ${type}`,
      );
    }),
  ),
);

const ATOMIC_KINDS = {
  i32: ["exchange", "add", "sub", "and", "or", "xor", "smin", "smax", "umin", "umax"],
  i64: ["exchange", "add", "sub", "and", "or", "xor", "smin", "smax", "umin", "umax"],
  f32: ["exchange", "fadd", "fmin", "fmax"],
  f64: ["exchange", "fadd", "fmin", "fmax"],
};

/** The old value, or after a fence the new one. */
const ATOMICS = Object.entries(ATOMIC_KINDS).flatMap(([type, kinds]) =>
  kinds.flatMap((kind) => [
    fn(
      `unread.${kind}.${type}`,
      [type, type],
      type,
      `  %p = alloca {${type}, align 8}: ptr<private>
  store %a, %p {align 8}
  %old = atomic_rmw %p, %b {${kind}, relaxed, work_group}: ${type}
  %r = load %p {align 8}: ${type}`,
    ),
    fn(
      `${kind}.${type}`,
      [type, type, "i1"],
      type,
      `  %p = alloca {${type}, align 8}: ptr<private>
  store %a, %p {align 8}
  %old = atomic_rmw %p, %b {${kind}, relaxed, work_group}: ${type}
  fence {acq_rel, device}
  %new = load %p {align 8}: ${type}
  %r = select %c, %old, %new: ${type}`,
    ),
  ]),
);

/** Gathers of each width and number of elements a lane, from places that indices with a common base name. */
const GATHERS = [3, 4, 8].flatMap((lanes) =>
  ["i8", "i16", "i32", "i64", "f32", "f64"].flatMap((type) =>
    [1, 2, 4, -1, -2, -4].map((signed) => {
      const each = Math.abs(signed);
      const bytes = Number(type.slice(1)) / 8;
      return fn(
        `gather.${type}.${lanes}.${each}.${signed < 0 ? "all" : "some"}`,
        [`<16 x ${type}>`, `<${lanes} x i32>`, `<${lanes} x i1>`],
        `<${lanes * each} x ${type}>`,
        `  %p = alloca {[16 x ${type}], align 32}: ptr<private>
  store %a, %p {align 32}
  %i = and %b, splat(${16 - each}): <${lanes} x i32>: <${lanes} x i32>
  %q = address %p, %i {scale ${bytes}}: <${lanes} x ptr<private>>
  %r = gather %q, ${signed < 0 ? `splat(1): <${lanes} x i1>` : "%c"} {align ${bytes}}: <${lanes * each} x ${type}>`,
      );
    }),
  ),
);

/** Scatters of each width and number of elements a lane: the last one that stores to a place stays. */
const SCATTERS = ["i8", "i16", "i32", "i64"].flatMap((type) =>
  [1, 2, 4, 8, -1, -2, -4, -8].map((signed) => {
    const each = Math.abs(signed);
    const bytes = Number(type.slice(1)) / 8;
    const all = 4 * each;
    return fn(
      `scatter.${type}.${each}.${signed < 0 ? "all" : "some"}`,
      [`<${all} x ${type}>`, "<4 x i32>", "<4 x i1>"],
      `<${all} x ${type}>`,
      `  %p = alloca {[${all} x ${type}], align 32}: ptr<private>
  store splat(7): <${all} x ${type}>, %p {align 32}
  %i = and %b, splat(3): <4 x i32>: <4 x i32>
  %q = address %p, %i {scale ${bytes * each}}: <4 x ptr<private>>
  scatter %a, %q, ${signed < 0 ? "splat(1): <4 x i1>" : "%c"} {align ${bytes}}
  %r = load %p {align 32}: <${all} x ${type}>`,
    );
  }),
);

/** Vectors of many small lanes: masks in memory, loads under masks; addresses from an address with an index. */
const MEMORY = [
  ...[32, 64].flatMap((lanes) => [
    fn(
      `mask_in_memory.${lanes}`,
      [`<${lanes} x i1>`],
      `<${lanes} x i1>`,
      `  %p = alloca {[${lanes} x i8], align 32}: ptr<private>
  store %a, %p {align 32}
  %r = load %p {align 32}: <${lanes} x i1>`,
    ),
    ...["i8", "i16"].map((type) =>
      fn(
        `masked_load.${type}.${lanes}`,
        [`<${lanes} x ${type}>`, `<${lanes} x i1>`],
        `<${lanes} x ${type}>`,
        `  %p = alloca {[${lanes} x ${type}], align 32}: ptr<private>
  store %a, %p {align 32}
  %r = masked_load %p, %b {align 2}: <${lanes} x ${type}>`,
      ),
    ),
  ]),
  fn(
    "gather_from_row",
    ["<16 x i32>", "i32", "<4 x i32>"],
    "<4 x i32>",
    `  %p = alloca {[16 x i32], align 32}: ptr<private>
  store %a, %p {align 32}
  %i = and %b, 1: i32
  %j = and %c, splat(1): <4 x i32>: <4 x i32>
  %q = address %p, %i {scale 8, offset 4}: ptr<private>
  %s = address %q, %j {scale 8, offset 8}: <4 x ptr<private>>
  %r = gather %s, splat(1): <4 x i1> {align 4}: <4 x i32>`,
  ),
  fn(
    "gather_of_either",
    ["<16 x i32>", "<4 x i32>", "<4 x i1>"],
    "<4 x i32>",
    `  %p = alloca {[16 x i32], align 32}: ptr<private>
  store %a, %p {align 32}
  %i = and %b, splat(15): <4 x i32>: <4 x i32>
  %q = address %p, %i {scale 4}: <4 x ptr<private>>
  %s = address %p, splat(3): <4 x i32> {scale 4}: <4 x ptr<private>>
  %t = select %c, %q, %s: <4 x ptr<private>>
  %r = gather %t, splat(1): <4 x i1> {align 4}: <4 x i32>`,
  ),
  fn(
    "rows_of_rows",
    ["<16 x i32>", "i32", "i32"],
    "i32",
    `  %p = alloca {[16 x i32], align 32}: ptr<private>
  store %a, %p {align 32}
  %i = and %b, 1: i32
  %j = and %c, 3: i32
  %q = address %p, %i {scale 8, offset 4}: ptr<private>
  %n = address %q, 1: i32 {scale 4}: ptr<private>
  %s = address %n, %j {scale 4, offset 4}: ptr<private>
  %t = atomic_rmw %s, %c {smax, relaxed, work_group}: i32
  %u = load %s {align 4}: i32
  %r = sub %u, %t: i32`,
  ),
];

/** More parameters, and results in more parts, than registers. */
const SIGNATURES = [
  `func @callee(${list(18, (i) => `%i${i}: i64`)}, ${list(14, (i) => `%v${i}: <8 x i32>`)}, %m: <32 x i1>) -> <64 x i64> {
^0:
  %s = sub %i17, %i16: i64
  %x = splat %s: <64 x i64>
  %f = sub %v13, %v12: <8 x i32>
  %w = zext %f: <8 x i64>
  %l = shuffle %w, %w {[${list(64, (i) => String(i % 8))}]}: <64 x i64>
  %k = shuffle %m, %m {[${list(64, (i) => String(i % 32))}]}: <64 x i1>
  %r = select %k, %x, %l: <64 x i64>
  ret %r
}
func @caller(%a: i64, %b: <8 x i32>, %m: <32 x i1>) -> <64 x i64> {
^0:
${Array.from({ length: 18 }, (_, i) => `  %i${i} = add %a, ${i * i}: i64`).join("\n")}
${Array.from({ length: 14 }, (_, i) => `  %v${i} = xor %b, splat(${i * i}): <8 x i32>`).join("\n")}
  %r = call @callee ${list(18, (i) => `%i${i}`)}, ${list(14, (i) => `%v${i}`)}, %m: <64 x i64>
  ret %r
}
`,
];

const CONTROL = [
  `func @small_switch(%a: i8) -> i32 {
^0:
  %b = ashr %a, 6: i8
  switch %b, default: ^d, 0: ^x(5: i32), -1: ^x(6: i32), -2: ^d
^d:
  br ^x(7: i32)
^x(%r: i32):
  ret %r
}
func @no_case(%a: i32) -> i32 {
^0:
  switch %a, default: ^d
^d:
  ret %a
}
func @never(%a: i32) -> i32 {
^0:
  %b = or %a, 1: i32
  %c = eq %b, 0: i32: i1
  cond_br %c, ^stop, ^go
^stop:
  unreachable
^go:
  ret %b
}
`,
];

/** Shuffles by each kind of instruction: whole halves, interleaved, one lane, two vectors blended, any. */
const SHUFFLES = ["i8", "i16", "i32", "i64"].flatMap((type) =>
  [16, 32, 64].flatMap((bytes) => {
    const lanes = bytes / (Number(type.slice(1)) / 8);
    const patterns: Readonly<Record<string, (i: number) => number>> = {
      low: (i) => (i >> 1) + (i & 1) * lanes,
      high: (i) => (i >> 1) + lanes / 2 + (i & 1) * lanes,
      swapped: (i) => (i + lanes / 2) % lanes,
      reversed: (i) => lanes - 1 - i,
      blended: (i) => i + (i % 3 === 0 ? lanes : 0),
      first: () => 0,
      even: (i) => 2 * i,
      odd: (i) => 2 * i + 1,
      zeros: (i) => (i % 2 === 0 ? -1 : i),
      none: () => -1,
      rotated: (i) => i + 1,
      pairs: (i) => (i % 4 === 3 ? -1 : i ^ 1),
      late: (i) => (2 * i < lanes ? -1 : lanes - 1 - i),
      exchanged: (i) => (i ^ (lanes / 2)) + (i % 2 === 0 ? 0 : lanes),
    };
    return Object.entries(patterns).map(([name, pick]) =>
      op(
        `shuffle.${name}.${type}.${lanes}`,
        [`<${lanes} x ${type}>`, `<${lanes} x ${type}>`],
        `<${lanes} x ${type}>`,
        `shuffle %a, %b {[${list(lanes, (i) => String(pick(i)))}]}`,
      ),
    );
  }),
);

/** Shuffles whose result has more or fewer lanes than what they take: parts of registers, and registers joined. */
const PARTS = ["i16", "i32"].flatMap((type) =>
  (
    [
      [16, 8, (i) => 8 + i],
      [16, 4, (i) => 4 + i],
      [32, 8, (i) => 24 + i],
      [4, 8, (i) => i],
      [8, 16, (i) => i],
      [16, 32, (i) => i],
      [8, 16, (i) => (i + 8) % 16],
      [12, 12, (i) => 11 - i],
      [16, 16, (i) => 31 - i],
    ] as readonly (readonly [from: number, to: number, pick: (i: number) => number])[]
  ).map(([from, to, pick], n) =>
    op(
      `parts.${n}.${type}`,
      [`<${from} x ${type}>`, `<${from} x ${type}>`],
      `<${to} x ${type}>`,
      `shuffle %a, %b {[${list(to, (i) => String(pick(i)))}]}`,
    ),
  ),
);

/** Lanes of masks of several registers, and beyond the first 32; vectors of three quarters of a register. */
const WIDE = [
  ...(
    [
      [16, "i64", 3],
      [16, "i64", 11],
      [64, "i8", 40],
    ] as const
  ).map(([lanes, type, lane]) =>
    fn(
      `lane.${lanes}.${lane}`,
      [`<${lanes} x ${type}>`, `<${lanes} x ${type}>`, "i1"],
      `<${lanes} x ${type}>`,
      `  %m = slt %a, %b: <${lanes} x i1>
  %n = insert %m, %c, ${lane}: i32: <${lanes} x i1>
  %r = select %n, %a, %b: <${lanes} x ${type}>`,
    ),
  ),
  fn(
    "three.quarters",
    Array.from({ length: 4 }, () => "i32"),
    "<12 x i32>",
    `  %v = build %a, %b, %c, %d, %b, %a, %d, %c, %a, %c, %b, %d: <12 x i32>
  %p = alloca {[16 x i32], align 64}: ptr<private>
  store %v, %p {align 4}
  %r = load %p {align 4}: <12 x i32>`,
  ),
];

/** Types of vectors in one register and in several, and of their lanes. */
const FLOATS = ["f32", "f64", "<3 x f32>", "<8 x f32>", "<16 x f32>", "<32 x f32>", "<8 x f64>"] as const;

const constantOf = (type: string, value: string): string => (type.startsWith("<") ? `splat(${value})` : value);

/** Where a multiply-add has constants and loads, and which operands are used afterwards. */
const PRODUCTS = FLOATS.flatMap((type) => {
  const one = (name: string, head: string, operation: string, after: string): string =>
    fn(
      `fma.${plain(type)}.${name}`,
      [type, type, type, "ptr<global>"],
      type,
      `${head}  %q = fma ${operation}: ${type}\n  %r = ${after}: ${type}`,
    );
  const load = `  %p = alloca {${type}, align 64}: ptr<private>\n  store %c, %p {align 4}\n  %m = load %p {align 4}: ${type}\n`;
  const [two, three] = [constantOf(type, "2.5"), constantOf(type, "3.0")];
  return [
    ...["%a", "%b", "%c"].map((kept) => one(`keeps${kept.slice(1)}`, "", "%a, %b, %c", `fadd %q, ${kept}`)),
    one("keepsall", "  %s = fadd %a, %b: TYPE\n".replace("TYPE", type), "%a, %b, %c", "fadd %q, %c"),
    one("constant.c", "", `%a, %b, ${two}`, "fadd %q, %a"),
    one("constant.b", "", `%a, ${two}, %c`, "fadd %q, %c"),
    one("constant.a", "", `${two}, %b, %c`, "fadd %q, %a"),
    one("constants", "", `%a, ${two}, ${three}`, "fadd %q, %b"),
    one("load.a", load, "%m, %b, %c", "fadd %q, %c"),
    one("load.b", load, "%a, %m, %c", "fadd %q, %b"),
    one("load.c", `${load}  %k = fmul %a, %b: ${type}\n`, "%k, %b, %m", "fadd %q, %a"),
    one("load.kept", load, "%a, %b, %m", "fadd %a, %b"),
  ];
});

/** One lane in memory for all, as each operand. */
const LANES_FOR_ALL = ["f32", "f64", "i32", "i64", "i16"].flatMap((lane) =>
  [4, 8, 16].flatMap((lanes) => {
    const type = `<${lanes} x ${lane}>`;
    const isFloat = lane.startsWith("f");
    const ops = isFloat ? ["fadd", "fsub", "fdiv"] : ["add", "sub", "mul", "and", "xor"];
    const head = `  %p = alloca {[2 x ${lane}], align 64}: ptr<private>
  %x = extract %a, 1: i32: ${lane}
  store %x, %p {align 2}
  %l = load %p {align 2}: ${lane}
  %s = splat %l: ${type}
`;
    const body = (name: string, operation: string): string =>
      fn(`all.${plain(type)}.${name}`, [type, type], type, `${head}  %r = ${operation}: ${type}`);
    return [
      ...ops.flatMap((name) => [body(`${name}.1`, `${name} %b, %s`), body(`${name}.0`, `${name} %s, %b`)]),
      ...(isFloat ? ["%s, %a, %b", "%a, %s, %b", "%a, %b, %s"].map((all, i) => body(`fma.${i}`, `fma ${all}`)) : []),
    ];
  }),
);

/** Functions of the bits of vectors: trees with shared leaves, negations, and more leaves than one instruction has. */
const LOGIC = ["i32", "i8", "i64"].flatMap((lane) =>
  [4, 16, 32].flatMap((lanes) => {
    const type = `<${lanes} x ${lane}>`;
    const body = (name: string, text: string): string =>
      fn(
        `logic.${plain(type)}.${name}`,
        [type, type, type, type],
        type,
        text.replaceAll(/ = ((?:and|or|xor) .*?)(?:;|$)/gu, ` = $1: ${type}\n`),
      );
    const ones = "splat(-1)";
    return [
      body("sum", "%x = xor %a, %b; %r = xor %x, %c"),
      body("sum.of.five", "%x = xor %a, %b; %y = xor %x, %c; %z = xor %d, %y; %r = xor %z, %a"),
      body("choice", `%x = and %a, %b; %n = xor %a, ${ones}; %y = and %n, %c; %r = or %x, %y`),
      body("majority", "%x = and %a, %b; %o = or %a, %b; %y = and %c, %o; %r = or %x, %y"),
      body("of.two", `%n = xor %a, ${ones}; %m = xor %b, ${ones}; %r = or %n, %m`),
      body("of.one", `%n = xor %a, ${ones}; %r = and %n, ${ones}`),
      body("four.leaves", "%x = and %a, %b; %y = or %c, %d; %r = xor %x, %y"),
      body("shared", "%x = and %a, %b; %y = or %x, %c; %r = xor %y, %x"),
      body("with.constant", "%x = and %a, splat(6); %r = or %x, %b"),
      body("kept", "%x = xor %a, %b; %y = xor %x, %c; %z = and %y, %a; %r = or %z, %b"),
    ];
  }),
);

/** Negations of operands of multiply-adds, alone, together, shared, with constants, and those that others use too. */
const NEGATIONS = ["f32", "f64", "<4 x f32>", "<8 x f64>", "<16 x f32>"].flatMap((type) => {
  const body = (name: string, text: string): string =>
    fn(
      `negated.${name}.${plain(type)}`,
      [type, type, type],
      type,
      text.replaceAll(/ = ((?:fneg|fma|fadd) .*?)(?:;|$)/gu, ` = $1: ${type}\n`),
    );
  const half = type.startsWith("<") ? "splat(0.5)" : "0.5";
  return [
    body("factor", "%n = fneg %a; %r = fma %n, %b, %c"),
    body("second", "%n = fneg %b; %r = fma %a, %n, %c"),
    body("both.factors", "%n = fneg %a; %m = fneg %b; %r = fma %n, %m, %c"),
    body("addend", "%n = fneg %c; %r = fma %a, %b, %n"),
    body("factor.and.addend", "%n = fneg %a; %m = fneg %c; %r = fma %n, %b, %m"),
    body("shared", "%n = fneg %a; %x = fma %n, %b, %c; %y = fma %b, %c, %n; %r = fma %x, %y, %n"),
    body("square", "%n = fneg %a; %r = fma %n, %n, %n"),
    body("with.constant", `%n = fneg %a; %r = fma %n, ${half}, %c`),
    body("constant.added", `%n = fneg %a; %x = fma %n, %b, ${half}; %r = fma %x, %n, %c`),
    body("kept", "%n = fneg %a; %x = fma %n, %b, %c; %r = fadd %x, %n"),
  ];
});

/** Masks of comparisons, complements of them, under other masks; complements of bits in general registers. */
const COMPLEMENTS = [
  ...["<4 x i32>", "<16 x i32>", "<16 x f32>", "<8 x f64>", "<16 x i8>", "<32 x i16>"].flatMap((type) => {
    const lanes = /\d+/u.exec(type)?.[0] ?? "";
    const mask = `<${lanes} x i1>`;
    const isFloat = type.includes("f");
    const [less, same] = isFloat ? ["flt", "fne"] : ["slt", "eq"];
    const body = (name: string, text: string): string =>
      fn(
        `complement.${name}.${plain(type)}`,
        [type, type, type],
        type,
        `${text.replaceAll(/ = (.*?)(?:;|$)/gu, ` = $1: ${mask}\n`)}  %r = select %s, %a, %c: ${type}`,
      );
    const ones = "splat(1)";
    return [
      body("alone", `%m = ${less} %a, %b; %s = xor %m, ${ones}`),
      body("under", `%m = ${less} %a, %b; %k = ${same} %b, %c; %s = and %m, %k`),
      body("opposite.under", `%m = ${less} %a, %b; %n = xor %m, ${ones}; %k = ${same} %b, %c; %s = and %k, %n`),
      body("kept", `%m = ${less} %a, %b; %n = xor %m, ${ones}; %k = ${same} %b, %c; %x = and %k, %n; %s = or %x, %m`),
      body(
        "of.and",
        `%m = ${less} %a, %b; %k = ${same} %b, %c; %x = and %m, %k; %y = xor %x, ${ones}; %s = and %y, %k`,
      ),
    ];
  }),
  ...["i32", "i64"].flatMap((type) => [
    fn(`complement.bits.${type}`, [type, type], type, `  %n = xor %a, -1: ${type}\n  %r = and %n, %b: ${type}`),
    fn(`complement.second.${type}`, [type, type], type, `  %n = xor %a, -1: ${type}\n  %r = and %b, %n: ${type}`),
    fn(
      `complement.both.${type}`,
      [type, type],
      type,
      `  %n = xor %a, -1: ${type}\n  %m = xor %b, -1: ${type}\n  %r = and %m, %n: ${type}`,
    ),
  ]),
];

/** Numbers that are changed where they lie, and stores that only look like that; addresses with odd factors. */
const MODIFIED = ["i8", "i16", "i32", "i64"].flatMap((type) => {
  const body = (name: string, text: string): string =>
    fn(
      `modified.${name}.${type}`,
      [type, type, "i32"],
      type,
      `  %p = alloca {[64 x i8], align 8}: ptr<private>
  %i = and %c, 3: i32
  %q = address %p, %i {scale ${type === "i32" ? 4 : 12}}: ptr<private>
  store %a, %q {align 1}
${text
  .replaceAll(/ = (load %.)(?:;|$)/gu, ` = $1 {align 1}: ${type}\n`)
  .replaceAll(/ = ((?:add|sub|and|or|xor) .*?)(?:;|$)/gu, ` = $1: ${type}\n`)
  .replaceAll(/store (%.), (%.)(?:;|$)/gu, "store $1, $2 {align 1}\n")}`,
    );
  return [
    ...["add", "sub", "and", "or", "xor"].map((name) =>
      body(name, `  %x = load %q;  %y = ${name} %x, %b;  store %y, %q;  %r = load %q`),
    ),
    body("second", "  %x = load %q;  %y = add %b, %x;  store %y, %q;  %r = load %q"),
    body("subtrahend", "  %x = load %q;  %y = sub %b, %x;  store %y, %q;  %r = load %q"),
    body("small", "  %x = load %q;  %y = add %x, 1;  store %y, %q;  %r = load %q"),
    body("large", `  %x = load %q;  %y = xor %x, ${type === "i8" ? 100 : 1000};  store %y, %q;  %r = load %q`),
    body("elsewhere", "  %x = load %q;  %y = add %x, %b;  store %y, %p;  %r = load %q"),
    body("written", "  %x = load %q;  store %b, %q;  %y = add %x, %b;  store %y, %q;  %r = load %q"),
    body("kept", "  %x = load %q;  %y = add %x, %b;  store %y, %q;  %z = load %q;  %r = xor %z, %x"),
  ];
});

/** The functions, by what they are about. */
export const PATTERNS: Readonly<Record<string, readonly string[]>> = {
  halves: HALVES,
  comparisons: [...COMPARISONS, ...BRANCHES],
  votes: VOTES,
  conversions: CONVERSIONS,
  pointers: POINTERS,
  addresses: ADDRESSES,
  "flags of floats": FLAGGED,
  atomics: ATOMICS,
  gathers: GATHERS,
  scatters: SCATTERS,
  memory: MEMORY,
  signatures: SIGNATURES,
  control: CONTROL,
  shuffles: [...SHUFFLES, ...PARTS],
  "wide vectors": WIDE,
  products: PRODUCTS,
  "one lane for all": LANES_FOR_ALL,
  "functions of bits": LOGIC,
  "numbers in place": MODIFIED,
  negations: NEGATIONS,
  complements: COMPLEMENTS,
};

/** Where the functions of {@link OF_THE_MACHINE} store, beside address 0. */
export const PLACE = 3072;

/** What no interpreter runs: the private stack's pointer, functions of the runtime, memory at constant addresses. */
export const OF_THE_MACHINE = `func @x64.get_stack() -> ptr<private>
func @x64.set_stack(%p: ptr<private>)
func @env.clock(%w: i32) -> i32
func @stack(%p: i32) -> i32 {
^0:
  %v = alloca {[4 x i32], align 16}: ptr<private>
  %q = inttoptr %p: ptr<private>
  call @x64.set_stack %q
  store 5: i32, %v {align 4}
  %s = call @x64.get_stack: ptr<private>
  %t = ptrtoint %s: i32
  %u = load %v {align 4}: i32
  %r = add %t, %u: i32
  ret %r
}
func @clock(%w: i32) -> i32 {
^0:
  %c = call @env.clock %w: i32
  %r = add %c, %w: i32
  ret %r
}
func @constants(%v: i32, %i: i32) -> i32 {
^0:
  store %v, null: ptr<global> {align 4}
  %q = address null: ptr<global>, 1: i32 {scale 4, offset ${PLACE}}: ptr<global>
  store 77: i32, %q {align 4}
  %o = atomic_rmw null: ptr<global>, %i {smin, relaxed, work_group}: i32
  %p = address null: ptr<global>, %i {scale 4, offset ${PLACE}}: ptr<global>
  %n = ptrtoint %q: i32
  %r = load %p {align 4}: i32
  %s = add %r, %o: i32
  %t = add %s, %n: i32
  ret %t
}
`;
