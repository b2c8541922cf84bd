// SPDX-License-Identifier: Apache-2.0
// Conversions of halves by the engine's instructions, where V8 has them behind its flag: every half, and floats on
// either side of every tie, as scalars and as vectors of one part, of two, and of half a part.
import { setFlagsFromString } from "node:v8";

import { F16, F32, Op, constantBits, evaluate } from "@muxkit/ir";
import { expect, test } from "vitest";

import { generateModule } from "@muxkit/wasm";
import { INPUT, OUTPUT, compile, moduleOf } from "./run.ts";

/** Node 24 and later on x86-64: earlier ones print a message for flags that they do not know. */
const HAS_FLAG = process.arch === "x64" && Number.parseInt(process.versions.v8, 10) >= 13;
const FEATURES = ["fp16"];

function textOf(op: string, from: string, to: string, lanes: number): string {
  const [a, b] = lanes === 1 ? [from, to] : [`<${lanes} x ${from}>`, `<${lanes} x ${to}>`];
  return `func @f(%p: ptr<global>, %q: ptr<global>) {
^0:
  %x = load %p {align 2}: ${a}
  %y = ${op} %x: ${b}
  store %y, %q {align 2}
  ret
}`;
}

/** All halves that are numbers, as bits. */
const HALVES = Array.from({ length: 0x10000 }, (_, bits) => bits).filter((bits) => (bits & 0x7fff) <= 0x7c00);
const FLOAT = new Float32Array(1);
const WORD = new Uint32Array(FLOAT.buffer);

function floatOf(half: number): number {
  const result = evaluate(Op.FPEXT, F32, [constantBits(F16, half)]);
  if (result === null) throw new Error("a half is a float");
  return result.low >>> 0;
}

function halfOf(float: number): number {
  const result = evaluate(Op.FPTRUNC, F16, [constantBits(F32, float)]);
  if (result === null) throw new Error("a float has a nearest half");
  return result.low & 0xffff;
}

/** Floats that are no numbers, quiet and not, of both signs: each becomes the same half. */
const NANS = [0x7fc0_0000, 0x7f80_0001, 0x7fa1_6000, 0xffc0_0000, 0xffa1_6000, 0xffff_ffff];

/** Bits of floats: each half, the tie after it, and the floats next to both. */
function floats(): readonly number[] {
  return HALVES.flatMap((half) => {
    const own = floatOf(half);
    FLOAT[0] = 0;
    WORD[0] = own;
    const value = FLOAT[0] ?? 0;
    WORD[0] = floatOf(Math.min(0x7c00, (half & 0x7fff) + 1) | (half & 0x8000));
    FLOAT[0] = (value + (FLOAT[0] ?? 0)) / 2;
    const tie = WORD[0] ?? 0;
    return [own, own + 1, tie, tie - 1, tie + 1].map((bits) => bits >>> 0);
  }).filter((bits) => (bits & 0x7fff_ffff) <= 0x7f80_0000);
}

test.runIf(HAS_FLAG).each([1, 4, 8, 16])("%i lanes", (lanes) => {
  setFlagsFromString("--experimental-wasm-fp16");
  const widen = compile(moduleOf(textOf("fpext", "f16", "f32", lanes)), FEATURES);
  const narrow = compile(moduleOf(textOf("fptrunc", "f32", "f16", lanes)), FEATURES);
  const check = (values: readonly number[], isWidened: boolean): void => {
    const { bytes, call } = isWidened ? widen : narrow;
    const view = new DataView(bytes.buffer);
    const wrong: (readonly number[])[] = [];
    for (let at = 0; at < values.length; at += lanes) {
      for (let lane = 0; lane < lanes; lane++) {
        const value = values[at + lane] ?? 0;
        if (isWidened) view.setUint16(INPUT + 2 * lane, value, true);
        else view.setUint32(INPUT + 4 * lane, value, true);
      }
      call("f", INPUT, OUTPUT);
      for (let lane = 0; lane < lanes; lane++) {
        const value = values[at + lane] ?? 0;
        const got = isWidened ? view.getUint32(OUTPUT + 4 * lane, true) : view.getUint16(OUTPUT + 2 * lane, true);
        const wanted = isWidened ? floatOf(value) : halfOf(value);
        if (got !== wanted) wrong.push([value, got, wanted]);
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
  };
  check(HALVES, true);
  // Every lane count sees its share of the floats.
  check(
    [...NANS, ...floats()].filter((_, i) => i < 16 || i % 4 === Math.log2(lanes) % 4 || lanes === 1),
    false,
  );
});

test("code says that it needs them, and without them the op is refused", () => {
  const module = moduleOf(textOf("fpext", "f16", "f32", 4));
  const options = { exports: ["f"], sharedMemory: true };
  expect(generateModule(module, { ...options, features: FEATURES }).features).toContain("fp16");
  expect(() => generateModule(module, options)).toThrow(/f16/u);
});
