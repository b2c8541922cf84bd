// SPDX-License-Identifier: Apache-2.0
// The error paths of containers, allocators, readers and writers that containers.test.ts does not reach.
import {
  Arena,
  ArrayView,
  ByteReader,
  ByteWriter,
  type CargoError,
  DynamicArray,
  FixedVector,
  RingBuffer,
  type Result,
  SmallVector,
  elements,
  failingAllocator,
  heapAllocator,
  nullAllocator,
  references,
} from "@muxkit/cargo";
import { expect, test } from "vitest";

function errorOf(result: Result<unknown, CargoError>): string {
  return result.ok ? "ok" : `${result.error.code}: ${result.error.message}`;
}

test("indices outside of a vector are errors that name index and length", () => {
  const vector = new SmallVector(elements.int8, 4);
  expect(errorOf(vector.push(1))).toBe("ok");
  for (const index of [1, -1, 0.5, Number.NaN]) {
    const message = `out_of_bounds: there is no element ${index} of 1`;
    expect([errorOf(vector.get(index)), errorOf(vector.set(index, 2))]).toEqual([message, message]);
  }
  expect(errorOf(vector.insert(2, 5))).toBe("out_of_bounds: there is no position 2 among 1 elements");
  expect(errorOf(vector.erase(0, 2))).toBe("out_of_bounds: there are no 2 elements at 0 of 1");
  expect(errorOf(vector.erase(0, -1))).toBe("out_of_bounds: there are no -1 elements at 0 of 1");
  expect([...vector]).toEqual([1]);
});

test("a fixed vector reports its capacity, and keeps its elements", () => {
  const vector = new FixedVector(references<string>(), 2);
  const overflow = "overflow: a vector of at most 2 elements cannot hold 3";
  expect(errorOf(vector.assign(["a", "b"]))).toBe("ok");
  expect([errorOf(vector.reserve(3)), errorOf(vector.assign(["c", "d", "e"]))]).toEqual([overflow, overflow]);
  expect(errorOf(vector.resize(-1, ""))).toBe("bad_argument: a vector cannot hold -1 elements");
  expect([...vector]).toEqual(["a", "b"]);
});

test("a dynamic array keeps its elements when an allocation fails", () => {
  const array = new DynamicArray(elements.uint16, failingAllocator(1));
  expect(errorOf(array.allocate(2, 7))).toBe("ok");
  expect(errorOf(array.allocate(3, 0))).toBe("bad_alloc: this allocator has no more memory");
  expect(errorOf(array.clone())).toBe("bad_alloc: this allocator has no more memory");
  expect(errorOf(array.allocate(0.5, 0))).toBe("bad_argument: an array cannot have 0.5 elements");
  expect([...array]).toEqual([7, 7]);
});

test("sizes in bytes that overflow are errors of the element type", () => {
  expect(errorOf(elements.float64.allocate(2 ** 52, heapAllocator))).toMatch(/^bad_alloc: .*float64/u);
  expect(errorOf(elements.int64.allocate(-1, heapAllocator))).toMatch(/^bad_alloc: .*int64/u);
  expect(errorOf(references().allocate(-1, heapAllocator))).toBe("bad_alloc: -1 slots cannot be allocated");
});

test("allocators refuse both kinds of memory", () => {
  for (const allocator of [nullAllocator, failingAllocator(0)]) {
    expect(errorOf(allocator.allocateBytes(1))).toMatch(/^bad_alloc/u);
    expect(errorOf(allocator.allocateSlots(1))).toMatch(/^bad_alloc/u);
  }
  const once = failingAllocator(1);
  expect([errorOf(once.allocateSlots(3)), errorOf(once.allocateBytes(3))]).toEqual([
    "ok",
    "bad_alloc: this allocator has no more memory",
  ]);
  expect(errorOf(heapAllocator.allocateBytes(2 ** 52))).toBe(
    `bad_alloc: ${2 ** 52} bytes cannot be allocated: the engine refused`,
  );
});

test("a full ring buffer and a full arena say how full they are", () => {
  const ring = RingBuffer.create(elements.int32, 1);
  const arena = Arena.create(8);
  if (!ring.ok || !arena.ok) throw new Error("no memory");
  expect([errorOf(ring.value.enqueue(1)), errorOf(ring.value.enqueue(2))]).toEqual([
    "ok",
    "overflow: the ring buffer holds 1 elements and is full",
  ]);
  expect(errorOf(arena.value.allocate(9))).toBe(
    "bad_alloc: an arena of 8 bytes with 0 in use has no room for 9 at an alignment of 1",
  );
  expect(errorOf(arena.value.allocate(0.5))).toBe("bad_argument: 0.5 bytes at an alignment of 1");
});

test("a view of elements that do not exist is a defect of the caller", () => {
  for (const [start, length] of [
    [-1, 1],
    [0, 3],
    [0.5, 1],
  ] as const)
    expect(() => new ArrayView([1, 2], start, length)).toThrow(`a view of ${length} elements at ${start} of 2`);
});

test("a reader refuses offsets and sizes that cannot be, and keeps the first error", () => {
  const reader = new ByteReader(new Uint8Array(8).fill(255));
  expect(reader.count64()).toBe(0);
  expect(reader.error).toEqual({ offset: 8, message: "18446744073709551615 is not a size" });
  reader.seek(9);
  expect(reader.error?.offset).toBe(8);
  for (const offset of [-1, 9, 0.5]) {
    const other = new ByteReader(new Uint8Array(8));
    other.seek(offset);
    expect(other.error?.message).toBe(`offset ${offset} is outside of 8 bytes`);
  }
});

test("a patch of bytes that are not written is a defect of the caller", () => {
  const writer = new ByteWriter();
  writer.u16(1);
  for (const at of [-1, 0]) expect(() => writer.patchU32(at, 1)).toThrow("a patch of bytes that are not written");
});
