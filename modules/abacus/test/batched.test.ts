// SPDX-License-Identifier: Apache-2.0
// The batched functions: values, lengths, types, outputs, errors; the bits are those of kernels.
import * as abacus from "@muxkit/abacus";
import {
  BATCHED_BINARY,
  BATCHED_UNARY,
  type BinaryBatch,
  type UnaryBatch,
  atan2,
  exp,
  fmax,
  hypot,
  log,
  nextafter,
  pow,
  rsqrt,
  sin,
  sqrt,
  tgamma,
} from "@muxkit/abacus";
import { openDeviceSync } from "muxkit";
import { afterAll, expect, test } from "vitest";

const device = openDeviceSync({ threads: 1 });
afterAll(() => device.close());

/** Numbers of every size, special ones among them. */
function numbers(length: number, seed: number): Float64Array<ArrayBuffer> {
  const special = [0, -0, 1, -1, Infinity, -Infinity, NaN, 0.5, 2, 1e-320, 1e-40, 3e38, 1e300, 700, -700, 1e22];
  return Float64Array.from({ length }, (_, i) => special[i] ?? Math.sin(i * seed) * 2 ** (((i * 7) % 40) - 20));
}

const unaries = BATCHED_UNARY.map((name) => [name, Reflect.get(abacus, name) as UnaryBatch] as const);
const binaries = BATCHED_BINARY.map((name) => [name, Reflect.get(abacus, name) as BinaryBatch] as const);

/** What a kernel makes of the same operands, without fused products as the batched functions are. */
function byKernel<T extends Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>>(
  name: string,
  operands: readonly T[],
): T {
  const [first] = operands;
  if (first === undefined) throw new Error("there is an operand");
  const type = first instanceof Float32Array ? "float" : "double";
  const list = operands.map((_, i) => `global const ${type}* p${i}`).join(", ");
  const kernel = device
    .program(
      `kernel void k(global ${type}* r, ${list}) { size_t i = get_global_id(0); r[i] = ${name}(${operands.map((_, i) => `p${i}[i]`).join(", ")}); }`,
    )
    .kernel("k");
  const arrays = operands.map((operand) => device.array(operand as Float32Array<ArrayBuffer>));
  const results = device.array(first.slice() as Float32Array<ArrayBuffer>);
  kernel(first.length, results, ...arrays);
  return results.readSync() as T;
}

/** Where results differ by more than fused products of the kernels' engine bring. */
function differences(ours: ArrayLike<number>, theirs: ArrayLike<number>, relative: number): readonly string[] {
  return Array.from(ours).flatMap((value, i) => {
    const other = theirs[i] ?? 0;
    const isSame =
      Object.is(value, other) || Math.abs(value - other) <= relative * Math.abs(other) + Number.MIN_VALUE * 2 ** 30;
    return isSame ? [] : [`${i}: ${value}, not ${other}`];
  });
}

test.each(unaries)("%s is what kernels compute", (name, batched) => {
  const doubles = numbers(300, 1.7);
  const floats = Float32Array.from(doubles);
  expect(differences(batched(floats), byKernel(name, [floats]), 1e-6)).toEqual([]);
  expect(differences(batched(doubles), byKernel(name, [doubles]), 2e-15)).toEqual([]);
});

test.each(binaries)("%s is what kernels compute", (name, batched) => {
  const [left, right] = [numbers(300, 1.7), numbers(300, 2.9).toReversed()];
  const floats = [Float32Array.from(left), Float32Array.from(right)] as const;
  expect(differences(batched(...floats), byKernel(name, floats), 1e-6)).toEqual([]);
  expect(differences(batched(left, right), byKernel(name, [left, right]), 4e-15)).toEqual([]);
});

test.each([0, 1, 7, 255, 256, 257, 16_384, 16_385, 40_000])("arrays of %i elements", (length) => {
  const x = Float32Array.from({ length }, (_, i) => i / 100);
  const y = sin(x);
  expect(y.length).toBe(length);
  expect(y.every((value, i) => Math.abs(value - Math.sin(x[i] ?? 0)) < 1e-6)).toBe(true);
});

test("results go into the output, which may be the input", () => {
  const x = Float64Array.of(1, 4, 9);
  const longer = new Float64Array(5).fill(7);
  expect(sqrt(x, longer)).toBe(longer);
  expect([...longer]).toEqual([1, 2, 3, 7, 7]);
  expect([...rsqrt(x, x)]).toEqual([1, 0.5, 1 / 3]);
  expect(exp(new Float32Array(2).subarray(1)).length).toBe(1);
});

test("a second operand is an array or a number", () => {
  const x = Float32Array.of(1, 2, 3);
  expect([...pow(x, 2)]).toEqual([1, 4, 9]);
  expect([...pow(x, Float32Array.of(3, 2, 1))]).toEqual([1, 4, 3]);
  expect([...hypot(Float64Array.of(3), 4)]).toEqual([5]);
  expect([...fmax(x, 2)]).toEqual([2, 2, 3]);
  expect(atan2(Float64Array.of(-0), -1)[0]).toBeCloseTo(-Math.PI, 15);
  expect(nextafter(Float32Array.of(1), 2)[0]).toBe(1 + 2 ** -23);
});

test("huge angles and special values", () => {
  // sin(1e22) to all digits is a classic of argument reduction.
  expect(sin(Float64Array.of(1e22))[0]).toBe(-0.8522008497671888);
  expect(sin(Float32Array.of(-0, Infinity))).toEqual(Float32Array.of(-0, NaN));
  expect(log(Float32Array.of(0, -1, Infinity))).toEqual(Float32Array.of(-Infinity, NaN, Infinity));
  expect(tgamma(Float64Array.of(5, 0.5))[0]).toBe(24);
});

test("functions of one type do not disturb the constants of another", () => {
  const far = Float32Array.of(1e30);
  const before = sin(far)[0];
  tgamma(Float64Array.of(3));
  expect(sin(far)[0]).toBe(before);
});

test("wrong arrays are reported in one sentence", () => {
  const x = new Float32Array(3);
  expect(() => sin([1] as never)).toThrow(new TypeError("sin: the input is a Float32Array or a Float64Array"));
  expect(() => sin(x, new Float64Array(3) as never)).toThrow(new TypeError("sin: the output is of the operands' type"));
  expect(() => sin(x, new Float32Array(2))).toThrow(new RangeError("sin: the output has 2 elements, the operands 3"));
  expect(() => pow(x, new Float32Array(2))).toThrow(new RangeError("pow: the operands have 3 and 2 elements"));
  expect(() => pow(x, new Float64Array(3) as never)).toThrow(new TypeError("pow: both operands are of one type"));
  expect(() => pow(x, "2" as never)).toThrow(
    new TypeError("pow: the right operand is a Float32Array or a Float64Array"),
  );
});
