// SPDX-License-Identifier: Apache-2.0
// How many instructions masks, shuffles and conversions of many lanes take.
import { expect, test } from "vitest";

import { opcodesOf, simd } from "./instructions.ts";
import { INPUT, OUTPUT, compile, moduleOf } from "./run.ts";

/** Instructions that move nothing and compute nothing: locals, constants, addresses, loads and stores. */
const PLAIN: ReadonlySet<number> = new Set([
  0x0b,
  0x0f,
  0x00,
  0x20,
  0x21,
  0x22,
  0x41,
  0x6a,
  simd(0x00),
  simd(0x0b),
  simd(0x0c),
]);

const SHUFFLE = simd(0x0d);
const BITSELECT = simd(0x52);

/** The computing instructions of a function from `%in` to `%out`. */
function computing(body: string): number[] {
  const [list = []] = opcodesOf(moduleOf(`func @f(%in: ptr<global>, %out: ptr<global>) {\n^0:\n${body}\n  ret\n}`));
  return list.filter((op) => !PLAIN.has(op));
}

/** Loads of vectors, 256 bytes apart. */
function loads(...types: readonly string[]): string {
  return types
    .map(
      (type, i) =>
        `  %a${i} = address %in {offset ${256 * i + 16}}: ptr<global>\n  %v${i} = load %a${i} {align 1}: ${type}\n`,
    )
    .join("");
}

test.each([
  ["f32", 16],
  ["i8", 16],
  ["i16", 32],
  ["i64", 8],
  ["f64", 4],
])("a comparison and a selection of %s take one instruction a part each", (type, count) => {
  const vector = `<${count} x ${type}>`;
  const parts = (count * Number(type.slice(1))) / 128;
  const compare = type.startsWith("f") ? "fle" : "sgt";
  const list = computing(
    `${loads(vector, vector)}  %m = ${compare} %v0, %v1: <${count} x i1>
  %r = select %m, %v0, %v1: ${vector}
  store %r, %out {align 1}`,
  );
  expect(list.length).toBe(parts * 2);
});

const chosen = (text: string): readonly number[] =>
  computing(`${loads("<8 x f32>", "<8 x f32>")}${text}  store %r, %out {align 1}`);

test("a select of the lesser or greater of two floats is one instruction per part", () => {
  const [least, most] = [simd(0xea), simd(0xeb)];
  expect(chosen("  %m = flt %v0, %v1: <8 x i1>\n  %r = select %m, %v0, %v1: <8 x f32>\n")).toEqual([least, least]);
  expect(chosen("  %m = flt %v0, %v1: <8 x i1>\n  %r = select %m, %v1, %v0: <8 x f32>\n")).toEqual([most, most]);
  expect(chosen("  %m = fgt %v0, %v1: <8 x i1>\n  %r = select %m, %v1, %v0: <8 x f32>\n")).toEqual([least, least]);
  // Other users of the mask still receive it.
  expect(
    chosen(
      `  %m = fgt %v0, %v1: <8 x i1>
  %s = select %m, %v0, %v1: <8 x f32>
  %r = select %m, %s, splat(1.0): <8 x f32>
`,
    ).length,
  ).toBe(2 * 3);
});

test("logic on masks is one instruction for each part, and not is free after and", () => {
  const list = computing(
    `${loads("<8 x f32>", "<8 x f32>")}  %m = flt %v0, %v1: <8 x i1>
  %n = feq %v0, %v1: <8 x i1>
  %o = xor %n, splat(1): <8 x i1>
  %p = and %m, %o: <8 x i1>
  %r = select %p, %v0, %v1: <8 x f32>
  store %r, %out {align 1}`,
  );
  // The negation itself is written and dropped by the engine.
  expect(list.length).toBe(2 * 5);
  expect(list.filter((op) => op === simd(0x4f)).length).toBe(2);
});

test("a mask of words that selects bytes is narrowed once, one of bytes that selects words is widened", () => {
  const narrowed = computing(
    `${loads("<16 x i32>", "<16 x i32>", "<16 x i8>", "<16 x i8>")}  %m = slt %v0, %v1: <16 x i1>
  %r = select %m, %v2, %v3: <16 x i8>
  store %r, %out {align 1}`,
  );
  expect(narrowed.length).toBe(4 + 3 + 1);
  const widened = computing(
    `${loads("<16 x i8>", "<16 x i8>", "<16 x i32>", "<16 x i32>")}  %m = slt %v0, %v1: <16 x i1>
  %r = select %m, %v2, %v3: <16 x i32>
  store %r, %out {align 1}`,
  );
  expect(widened.filter((op) => op === BITSELECT).length).toBe(4);
  expect(widened.length).toBeLessThanOrEqual(1 + 8 + 4);
});

test("a loop-carried mask has the width of what it selects", () => {
  const [list = []] = opcodesOf(
    moduleOf(`func @f(%in: ptr<global>, %out: ptr<global>, %n: i32) {
^0:
  %s = load %in {align 8}: <4 x f64>
  br ^1(splat(1): <4 x i1>, %s: <4 x f64>, 0: i32)
^1(%m: <4 x i1>, %x: <4 x f64>, %i: i32):
  %y = fmul %x, %x: <4 x f64>
  %z = select %m, %y, %x: <4 x f64>
  %c = flt %z, splat(4.0): <4 x f64>: <4 x i1>
  %k = and %m, %c: <4 x i1>
  %j = add %i, 1: i32
  %any = any %k: i1
  cond_br %any, ^1(%k: <4 x i1>, %z: <4 x f64>, %j: i32), ^2
^2:
  store %z, %out {align 8}
  ret
}`),
  );
  const widths = new Set([0x87, 0x88, 0xa7, 0xa8, 0xc7, 0xc8, 0x65, 0x85, 0x0d].map(simd));
  expect(list.filter((op) => widths.has(op))).toEqual([]);
});

const transpose = (type: string, lanes: number, rows: number): string => {
  const wide = `<${lanes} x ${type}>`;
  const row = lanes / rows;
  const picks = Array.from({ length: rows }, (_, k) => {
    const list = Array.from({ length: row }, (_ignored, i) => i * rows + k);
    return `  %s${k} = shuffle %v0, %v0 {[${list.join(", ")}]}: <${row} x ${type}>
  %q${k} = address %out {offset ${k * 64 + 64}}: ptr<global>
  store %s${k}, %q${k} {align 1}
`;
  });
  return loads(wide) + picks.join("");
};

/** Picking bytes of each of two registers and joining them. */
const PICK_BOTH = [simd(0x0e), simd(0x0e), simd(0x50)];

test.each([
  ["f32", 16, 4, 8, 0],
  ["i32", 8, 2, 2, 0],
  ["i8", 64, 4, 4, 4],
  ["i8", 32, 2, 2, 0],
  ["f32", 12, 3, 6, 0],
  ["f64", 4, 2, 2, 0],
  ["i16", 16, 2, 2, 0],
])(
  "lanes of %s, %d of them, every %dth: %d shuffles, and bytes of two registers picked %d times",
  (type, lanes, rows, shuffles, picks) => {
    const list = computing(transpose(type, lanes, rows));
    expect(list.toSorted((a, b) => a - b)).toEqual(
      [
        ...Array.from({ length: shuffles }, () => SHUFFLE),
        ...Array.from({ length: picks }, () => PICK_BOTH).flat(),
      ].toSorted((a, b) => a - b),
    );
  },
);

test("bytes of one register that are neither whole words nor consecutive are picked by one instruction", () => {
  expect(
    computing(
      `${loads("<16 x i8>")}  %r = shuffle %v0, %v0 {[0, 3, 6, 9, 12, 15, 2, 5, 8, 11, 14, 1, 4, 7, 10, 13]}: <16 x i8>
  store %r, %out {align 1}`,
    ),
  ).toEqual([simd(0x0e)]);
});

test("bytes are floats by one conversion, as they are not negative", () => {
  const converted = computing(`${loads("<4 x i8>")}  %r = uitofp %v0: <4 x f32>\n  store %r, %out {align 1}`);
  expect(converted.slice(-1)).toEqual([simd(0xfa)]);
  expect(computing(`${loads("<4 x i32>")}  %r = uitofp %v0: <4 x f32>\n  store %r, %out {align 1}`)).toEqual([
    simd(0xfb),
  ]);
});

test("interleaving four vectors takes eight shuffles, joining and cutting them takes none", () => {
  const fours = loads("<4 x f32>", "<4 x f32>", "<4 x f32>", "<4 x f32>");
  const body = `${fours}  %x = shuffle %v0, %v1 {[0, 1, 2, 3, 4, 5, 6, 7]}: <8 x f32>
  %y = shuffle %v2, %v3 {[0, 1, 2, 3, 4, 5, 6, 7]}: <8 x f32>
  %z = shuffle %x, %y {[0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]}: <16 x f32>
  store %z, %out {align 1}`;
  expect(computing(body)).toEqual(Array.from({ length: 8 }, () => SHUFFLE));
  expect(
    computing(`${loads("<16 x f32>")}  %x = shuffle %v0, %v0 {[4, 5, 6, 7]}: <4 x f32>\n  store %x, %out {align 1}`),
  ).toEqual([]);
});

test("reversal and broadcast of a lane: one shuffle a part", () => {
  const reverse = Array.from({ length: 16 }, (_, i) => 15 - i).join(", ");
  expect(
    computing(`${loads("<16 x i32>")}  %r = shuffle %v0, %v0 {[${reverse}]}: <16 x i32>\n  store %r, %out {align 1}`),
  ).toEqual([SHUFFLE, SHUFFLE, SHUFFLE, SHUFFLE]);
  expect(
    computing(`${loads("<4 x i32>")}  %r = shuffle %v0, %v0 {[2, 2, 2, 2]}: <4 x i32>\n  store %r, %out {align 1}`),
  ).toEqual([SHUFFLE]);
});

test("shuffles that share intermediate registers produce the right lanes", () => {
  const { call, words } = compile(
    moduleOf(`func @f(%in: ptr<global>, %out: ptr<global>) {\n^0:\n${transpose("f32", 16, 4)}  ret\n}`),
  );
  for (let i = 0; i < 16; i++) words[(INPUT + 16) / 4 + i] = i;
  call("f", INPUT, OUTPUT);
  for (let k = 0; k < 4; k++)
    expect([...words.subarray((OUTPUT + 64 + 64 * k) / 4, (OUTPUT + 64 + 64 * k) / 4 + 4)]).toEqual([
      k,
      k + 4,
      k + 8,
      k + 12,
    ]);
});

/** A function of two vectors of floats that stores `%r`. */
function ofFloats(op: string): string {
  return `func @f(%in: ptr<global>, %out: ptr<global>) {
^0:
${loads("<8 x f32>", "<8 x f32>")}${op}
  store %r, %out {align 1}
  ret
}`;
}

/** The computing instructions of such a function with relaxed SIMD. */
function relaxed(op: string): number[] {
  const [list = []] = opcodesOf(moduleOf(ofFloats(op)), ["relaxed-simd", "fused-madd"]);
  return list.filter((one) => !PLAIN.has(one));
}

test("with relaxed SIMD a sum of products is one instruction for each part, like its negation and selects", () => {
  expect(relaxed("  %r = fma %v0, %v1, %v0: <8 x f32>")).toEqual([simd(0x105), simd(0x105)]);
  expect(
    relaxed("  %n = fneg %v1: <8 x f32>\n  %r = fma %v0, %n, %v0: <8 x f32>").filter((op) => op !== simd(0xe1)),
  ).toEqual([simd(0x106), simd(0x106)]);
  expect(relaxed("  %m = fle %v0, %v1: <8 x i1>\n  %r = select %m, %v0, %v1: <8 x f32>").slice(2)).toEqual([
    simd(0x10b),
    simd(0x10b),
  ]);
  expect(() => opcodesOf(moduleOf(ofFloats("  %r = fma %v0, %v1, %v0: <8 x f32>")))).toThrow(/must lower/u);
});

const count = (op: string, types: readonly string[], result: string): number =>
  computing(`${loads(...types)}  %r = ${op}: ${result}\n  store %r, %out {align 1}`).length;

test("what has no instruction of its own takes a few for all lanes, not some for each", () => {
  const f32 = ["<4 x f32>", "<4 x f32>"];
  const i32 = ["<4 x i32>", "<4 x i32>"];
  expect(count("fmin %v0, %v1", f32, "<4 x f32>")).toBe(6);
  expect(count("fcopysign %v0, %v1", f32, "<4 x f32>")).toBe(1);
  expect(count("rotl %v0, splat(7): <4 x i32>", i32, "<4 x i32>")).toBe(3);
  expect(count("rotl %v0, splat(16): <4 x i32>", i32, "<4 x i32>")).toBe(1);
  expect(count("mul %v0, %v1", ["<16 x i8>", "<16 x i8>"], "<16 x i8>")).toBe(6);
  expect(count("umulh %v0, %v1", i32, "<4 x i32>")).toBe(3);
  expect(count("udiv %v0, %v1", i32, "<4 x i32>")).toBeLessThanOrEqual(13);
  expect(count("smax %v0, %v1", ["<2 x i64>", "<2 x i64>"], "<2 x i64>")).toBe(2);
  expect(count("popcount %v0", i32, "<4 x i32>")).toBe(3);
  expect(count("uitofp %v0", ["<16 x i8>"], "<16 x f32>")).toBe(4 + 8);
});

test("memory that goes into all lanes is read by one instruction", () => {
  const list = computing(
    `  %a = address %in {offset 16}: ptr<global>
  %x = load %a {align 4}: f32
  %r = splat %x: <16 x f32>
  store %r, %out {align 1}`,
  );
  expect(list).toEqual([simd(0x09)]);
  const { call, words } = compile(
    moduleOf(`func @f(%in: ptr<global>, %out: ptr<global>) {
^0:
  %x = load %in {align 4}: i32
  %n = splat %x: <4 x i32>
  %r = shl splat(3): <4 x i32>, %n: <4 x i32>
  store %r, %out {align 4}
  ret
}`),
  );
  words[INPUT / 4] = 5;
  call("f", INPUT, OUTPUT);
  expect([...words.subarray(OUTPUT / 4, OUTPUT / 4 + 4)]).toEqual([96, 96, 96, 96]);
});

test.each([
  ["what a shift leaves", "  %x = lshr %v0, splat(24): <16 x i32>", 1],
  ["what a mask leaves", "  %x = and %v0, splat(255): <16 x i32>", 1],
  ["bounded numbers", "  %y = smax %v0, splat(0): <16 x i32>\n  %x = smin %y, splat(255): <16 x i32>", 2],
  ["signed numbers", "  %x = ashr %v0, splat(25): <16 x i32>", 1],
])("ints become bytes by saturating instructions where they fit: %s", (_idea, body, perPart) => {
  const list = computing(
    `${loads("<16 x i32>")}${body}
  %r = trunc %x: <16 x i8>
  store %r, %out {align 1}`,
  );
  expect(list.length).toBe(perPart * 4 + 3);
});

test("numbers that may not fit are cut by shuffles", () => {
  const list = computing(`${loads("<16 x i32>")}  %x = lshr %v0, splat(23): <16 x i32>
  %r = trunc %x: <16 x i8>
  store %r, %out {align 1}`);
  expect(list.filter((op) => op === SHUFFLE).length).toBe(3);
});

const putTogether = (op: string): string => `${loads("<8 x i16>", "<8 x i16>")}  %h = zext %v0: <8 x i32>
  %l = zext %v1: <8 x i32>
  %s = shl %h, splat(16): <8 x i32>
  %r = ${op} %l, %s: <8 x i32>
  store %r, %out {align 1}`;

test.each(["or", "add"])("upper and lower halves of lanes are put together by one shuffle a part: %s", (op) => {
  expect(computing(putTogether(op))).toEqual([SHUFFLE, SHUFFLE]);
});
