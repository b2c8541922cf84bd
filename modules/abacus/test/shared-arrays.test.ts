// SPDX-License-Identifier: Apache-2.0
// Arrays in the library's own memory: the same bits as through copies, on one thread and on several; addresses, growth,
// errors.
import * as abacus from "@muxkit/abacus";
import {
  BATCHED_UNARY,
  type UnaryBatch,
  allocateFloat32,
  allocateFloat64,
  hypot,
  pow,
  release,
  sin,
  sqrt,
  startThreads,
} from "@muxkit/abacus";
import { afterAll, expect, test } from "vitest";

afterAll(async () => {
  await startThreads(1);
});

function filled<T extends Float32Array | Float64Array>(array: T, seed: number): T {
  for (let i = 0; i < array.length; i++) array[i] = Math.sin(i * seed) * 2 ** (((i * 7) % 40) - 20);
  return array;
}
const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array | Float64Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
const plain = <T extends Float32Array | Float64Array>(array: T): T => array.slice() as T;

test.each([1, 2, 3])("results are those of copied arrays, %i threads", async (count) => {
  expect(await startThreads(count)).toBe(count);
  // Not a multiple of a group, and enough parts for every thread.
  const length = 200_003;
  const [x, y, r] = [
    filled(allocateFloat32(length), 1.7),
    filled(allocateFloat32(length), 2.9),
    allocateFloat32(length),
  ];
  expect(plain(sin(x, r))).toEqual(sin(plain(x)));
  expect(plain(hypot(x, y, r))).toEqual(hypot(plain(x), plain(y)));
  expect(plain(pow(x, 3, r))).toEqual(pow(plain(x), 3));
  const [d, e] = [filled(allocateFloat64(70_001), 1.1), allocateFloat64(70_001)];
  expect(plain(sqrt(d, e))).toEqual(sqrt(plain(d)));
  for (const array of [x, y, r, d, e]) release(array);
});

test.each([2, 4])("ordinary arrays go part by part to %i threads, with the same bits", async (count) => {
  // More parts than there are slots, and a last one that is no whole group.
  const length = 1_500_003;
  const [x, y] = [filled(new Float32Array(length), 1.7), filled(new Float32Array(length), 2.9)];
  const d = filled(new Float64Array(400_001), 1.1);
  const run = (): readonly (Float32Array | Float64Array)[] => [
    sin(x),
    hypot(x, y),
    pow(x, 3),
    sqrt(d),
    sin(x.subarray(5, 1_300_000)),
    pow(x, y, x.slice()),
  ];
  await startThreads(1);
  const expected = run();
  const sines = sin(x);
  // Millions of numbers one by one would take seconds.
  const isSame = (array: Float32Array | Float64Array, i: number): boolean =>
    bytesOf(array).equals(bytesOf(expected[i] ?? array.subarray(1)));
  await startThreads(count);
  // Again and again: a thread may come late to one call and meet the next.
  for (let i = 0; i < 3; i++) expect(run().map(isSame)).toEqual(expected.map(() => true));
  const inPlace = x.slice();
  expect(isSame(sin(inPlace, inPlace), 0)).toBe(true);
  const shifted = x.slice();
  expect(
    bytesOf(sin(shifted.subarray(0, length - 9), shifted.subarray(9))).equals(bytesOf(sines.subarray(0, length - 9))),
  ).toBe(true);
});

test.each(BATCHED_UNARY)("%s reads its constants in the shared memory", (name) => {
  const batched = Reflect.get(abacus, name) as UnaryBatch;
  const [x, r] = [filled(allocateFloat32(512), 1.3), allocateFloat32(512)];
  x.set([1e30, -1e30, 0, -0, Infinity, NaN]);
  expect(plain(batched(x, r))).toEqual(batched(plain(x)));
  release(x);
  release(r);
});

test("views are computed in place, and no memory outside of them is written", () => {
  const x = filled(allocateFloat32(2000), 1.9);
  const before = plain(x);
  const part = x.subarray(3, 900);
  sqrt(part, part);
  expect(plain(x.subarray(0, 3))).toEqual(before.subarray(0, 3));
  expect(plain(part)).toEqual(sqrt(before.slice(3, 900)));
  expect(plain(x.subarray(900))).toEqual(before.subarray(900));
  release(x);
});

test.each(["shared", "ordinary"])("an output stored after its input in the same array: %s", (kind) => {
  const x = filled(kind === "shared" ? allocateFloat32(40_000) : new Float32Array(40_000), 1.1);
  const expected = sin(x.slice(0, 39_990));
  sin(x.subarray(0, 39_990), x.subarray(7, 39_997));
  expect(x.slice(7, 39_997)).toEqual(expected);
  if (kind === "shared") release(x);
});

test("an ordinary output of an allocated input, and the reverse", () => {
  const x = filled(allocateFloat32(1000), 1.1);
  const r = new Float32Array(1000);
  expect(sin(x, r)).toEqual(sin(plain(x)));
  expect(sin(x)).toEqual(r);
  expect(plain(sin(plain(x), x))).toEqual(r);
  release(x);
});

test("released memory is reused, and larger arrays grow the memory", () => {
  const first = allocateFloat32(1 << 20);
  const place = first.byteOffset;
  first.fill(7);
  release(first);
  const second = allocateFloat32(1 << 20);
  expect(second.byteOffset).toBe(place);
  expect(second.every((value) => value === 0)).toBe(true);
  const large = allocateFloat64(1 << 20);
  expect(large.byteOffset).toBeGreaterThan(place);
  // An array from before the growth is still one of the memory's.
  expect(plain(sin(filled(second, 1.3), second))).toEqual(sin(filled(new Float32Array(1 << 20), 1.3)));
  release(second);
  release(large);
});

test("mistakes are reported in one sentence", async () => {
  const x = allocateFloat32(8);
  release(x);
  expect(() => release(x)).toThrow(new RangeError("release takes an array that was allocated and not yet released"));
  expect(() => release(new Float32Array(8))).toThrow(RangeError);
  expect(() => allocateFloat32(1.5)).toThrow(new RangeError("an array has a whole number of elements, not 1.5"));
  expect(() => allocateFloat64(2 ** 40)).toThrow(RangeError);
  await expect(startThreads(0)).rejects.toThrow(new RangeError("there can be 1 to 64 threads, not 0"));
});
