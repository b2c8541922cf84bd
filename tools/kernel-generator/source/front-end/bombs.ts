// SPDX-License-Identifier: Apache-2.0
// Short inputs that need much time or memory: doubling macros, deep nesting, giant literals, endless inclusion.
import type { Random } from "../generate/random.ts";

type Bomb = (random: Random, size: number) => string;

const repeat = (text: string, count: number): string => text.repeat(count);
const numbered = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join("\n");
const inKernel = (text: string): string => `kernel void k(global int* x, int a) { ${text} }`;

/** Kinds of bombs; `size` scales them. */
const BOMBS: readonly Bomb[] = [
  (_, size) => `#define A0 x x x\n${numbered(size, (i) => `#define A${i + 1} A${i} A${i}`)}\nA${size}`,
  (_, size) => `#define F0(x) x x\n${numbered(size, (i) => `#define F${i + 1}(x) F${i}(F${i}(x))`)}\nF${size}(1)`,
  (_, size) => `#define G(x) (x + x)\n${inKernel(`*x = ${repeat("G(", size)}1${repeat(")", size)};`)}`,
  (_, size) => `#define S(x) #x\n#define T(x) S(x) S(x)\n${repeat("T(", size)}1${repeat(")", size)}`,
  (_, size) => `#define P(x) x ## x\n${repeat("P(", size)}a${repeat(")", size)}`,
  (random, size) => {
    const [open, close] = random.pick([
      ["(", ")"],
      ["[", "]"],
      ["{", "}"],
      ["a[", "]"],
      ["f(", ")"],
      ["(int)(", ")"],
      ["-", ""],
      ["!", ""],
      ["*", ""],
      ["&", ""],
      ["a ? ", " : 1"],
      ["a = ", ""],
      ["sizeof ", ""],
      ["(int4)(", ")"],
      ["++", ""],
      ["a.", ""],
      ["1 + ", "1"],
      ["1, ", "1"],
    ] as const);
    return inKernel(`*x = ${repeat(open, size * 200)}1${repeat(close, size * 200)};`);
  },
  (random, size) => {
    const [open, close] = random.pick([
      ["{", "}"],
      ["if (a) ", ";"],
      ["for (;;) ", ";"],
      ["do ", " while (a);"],
      ["switch (a) { case 1: ", "}"],
      ["else ", ""],
      ["while (a) {", "}"],
      ["l: ", ""],
      ["case 1: ", ""],
    ] as const);
    return inKernel(repeat(open, size * 200) + repeat(close, size * 200));
  },
  (random, size) => {
    const [open, close] = random.pick([
      ["struct { ", "int a; } a;"],
      ["struct S { ", "};"],
      ["int (*", ")(int)"],
      ["int a[", "]"],
      ["void f(", ")"],
      ["typedef ", ""],
      ["__attribute__((", "))"],
      ["const ", ""],
      ["unsigned ", ""],
      ["* ", ""],
      ["enum { A = ", "}"],
    ] as const);
    return repeat(open, size * 200) + repeat(close, size * 200);
  },
  (_, size) => `${repeat("#if 1\n", size * 200)}int a;${repeat("\n#endif", size * 200)}`,
  (_, size) =>
    `#if ${repeat("(", size * 200)}1${repeat(")", size * 200)}\n#endif\n#if ` +
    `${repeat("-", size * 200)}1\n#endif\n#if ` +
    `${repeat("1 ? ", size * 200)}1${repeat(": 1", size * 200)}\n#endif`,
  () => `#include "self.h"\n#include "twice.h"\nint a;`,
  (random, size) =>
    inKernel(
      "*x = " +
        random.pick(["1", "0x1", "0.1", "1e1", "0b1", "07", "'a", '"a']) +
        repeat(random.pick(["0", "9", "f", "1", "\\x41"]), size * 1000) +
        `${random.pick(["", "u", "f", "'", '"'])};`,
    ),
  (random, size) =>
    inKernel(
      `int a${repeat("_long_name", size * 200)} = ${repeat("1 + ", size * 100)}1; ` +
        `${random.pick(["float4 v = (float4)(1).", "*x = a."])}${repeat("xyzw", size)};`,
    ),
  (_, size) =>
    inKernel(
      `int a[${repeat("1000000000", Math.min(3, size))}]; int b${repeat("[1000]", size)}; ` +
        `*x = b${repeat("[0]", size)};`,
    ),
  (_, size) =>
    `struct S0 { char a[4096]; };\n` +
    `${numbered(size, (i) => `struct S${i + 1} { struct S${i} a[64]; struct S${i} b; };`)}\n` +
    `kernel void k(global struct S${size}* s) { struct S${size} t = *s; *s = t; }`,
  (_, size) =>
    `constant int t[] = {${repeat("1,", size * 500)}};\nconstant int ` +
    `u[2][${size * 1000}] = {{1}};\nconstant int w[] = { [${size}00000] = 1 };`,
  (_, size) =>
    `enum { ${Array.from({ length: size * 100 }, (_unused, i) => `E${i}`).join(", ")} ` +
    `};\n` +
    inKernel(`switch (a) { ${Array.from({ length: size * 100 }, (_unused, i) => `case E${i}: a++;`).join(" ")} }`),
  (_, size) =>
    numbered(size * 20, (i) => `int f${i}(int a) { return ${i === 0 ? "a" : `f${i - 1}(a) + f${i - 1}(a)`}; }`),
  (_, size) => repeat("/*", size * 1000) + repeat("\\\n", size * 1000) + repeat('"', size * 100),
  (_, size) =>
    inKernel(
      repeat("float16 v; ", size) +
        Array.from(
          { length: size * 20 },
          (_unused, i) => `int16 v${i} = (int16)(${i}); v${i} = v${i}.s0123456789abcdef + v${i};`,
        ).join(" "),
    ),
  (_, size) => inKernel(repeat("undeclared = missing + 1; ", size * 100)),
  (_, size) => inKernel(`*x = ${repeat("a + ", size * 300)}a;`),
];

/** A bomb of some kind and size. */
export function bomb(random: Random): string {
  return random.pick(BOMBS)(random, 1 + random.below(random.chance(20) ? 40 : 8));
}

/** Headers that inputs may include: one of them itself, and another twice. */
export const HEADERS: ReadonlyMap<string, string> = new Map([
  ["self.h", '#include "self.h"\nint from_self;\n'],
  ["twice.h", '#include "twice.h"\n#include "twice.h"\n'],
  ["other.h", "#define FROM_OTHER(x) x\n#if 1\nint from_other;\n"],
]);
