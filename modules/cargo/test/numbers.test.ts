// SPDX-License-Identifier: Apache-2.0
import {
  ByteReader,
  ByteWriter,
  alignUp,
  bitCast,
  byteSwap16,
  byteSwap32,
  byteSwap64,
  checkedAdd,
  checkedMultiply,
  float32Bits,
  float32FromBits,
  float64Bits,
  float64FromBits,
  floatToHalf,
  fnv1a,
  fnv1a64,
  halfToFloat,
  isCount,
  isLittleEndian,
  isPowerOfTwo,
  join64,
  split64,
} from "@muxkit/cargo";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const u32 = fc.nat(0xffff_ffff);
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const s64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

test("every half survives the way through a number", () => {
  let wrong = 0;
  for (let bits = 0; bits < 65536; bits++) {
    const value = halfToFloat(bits);
    if (Number.isNaN(value) ? floatToHalf(value) !== 0x7e00 : floatToHalf(value) !== bits) wrong++;
  }
  expect(wrong).toBe(0);
});

test("a number becomes the nearest half, ties to even", () => {
  fc.assert(
    fc.property(fc.nat(0x7bfe), fc.double({ min: 0, max: 1, noNaN: true }), (bits, t) => {
      const low = halfToFloat(bits);
      const high = halfToFloat(bits + 1);
      const value = low + (high - low) * t;
      const middle = (low + high) / 2;
      const even = bits % 2 === 0 ? bits : bits + 1;
      let expected = value < middle ? bits : bits + 1;
      if (value === middle) expected = even;
      expect(floatToHalf(value)).toBe(expected);
      expect(floatToHalf(-value)).toBe(expected | 0x8000);
      expect(floatToHalf(middle)).toBe(even);
    }),
    { numRuns: 2000 },
  );
  expect(
    [65519.99, 65520, 1e300, Infinity, -Infinity, 0, -0, 2 ** -25, 2 ** -25 * 1.0001, 5e-324].map(floatToHalf),
  ).toEqual([0x7bff, 0x7c00, 0x7c00, 0x7c00, 0xfc00, 0, 0x8000, 0, 1, 0]);
});

test("bits of floats", () => {
  expect([float32Bits(1), float32Bits(-0), float32FromBits(0x7f800000)]).toEqual([0x3f800000, 0x80000000, Infinity]);
  expect([float64Bits(1), float64FromBits(0xc000000000000000n)]).toEqual([0x3ff0000000000000n, -2]);
  fc.assert(
    fc.property(fc.double({ noNaN: true }), (value) => {
      expect(float64FromBits(float64Bits(value))).toBe(value);
    }),
  );
});

test("bits read as another format", () => {
  expect([
    bitCast(-1, "i32", "u32"),
    bitCast(0x3f800000, "u32", "f32"),
    bitCast(200, "u8", "i8"),
    bitCast(-1, "i16", "u16"),
  ]).toEqual([0xffff_ffff, 1, -56, 65535]);
  expect([bitCast(-1n, "i64", "u64"), bitCast(1, "f64", "u64"), bitCast(0x4000000000000000n, "i64", "f64")]).toEqual([
    2n ** 64n - 1n,
    0x3ff0000000000000n,
    2,
  ]);
});

test("64-bit integers in halves", () => {
  fc.assert(
    fc.property(u64, (value) => {
      const { low, high } = split64(value);
      expect(join64(low, high)).toBe(value);
    }),
  );
  expect(split64(-1n)).toEqual({ low: 0xffff_ffff, high: 0xffff_ffff });
});

/** What checked arithmetic owes for an exact result. */
function due(exact: bigint | null): number | null {
  return exact === null || exact > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(exact);
}

test("sizes are added and multiplied exactly or not at all", () => {
  const size = fc.oneof(
    fc.maxSafeInteger(),
    fc.nat(),
    fc.constantFrom(Number.MAX_SAFE_INTEGER, 0.5, Number.NaN, 2 ** 53),
  );
  fc.assert(
    fc.property(size, size, (a, b) => {
      const counts = isCount(a) && isCount(b);
      expect(checkedAdd(a, b)).toBe(due(counts ? BigInt(a) + BigInt(b) : null));
      expect(checkedMultiply(a, b)).toBe(due(counts ? BigInt(a) * BigInt(b) : null));
    }),
  );
});

test("alignment", () => {
  fc.assert(
    fc.property(fc.nat(2 ** 40), fc.integer({ min: 1, max: 4096 }), (value, alignment) => {
      const up = alignUp(value, alignment);
      expect([up % alignment, up >= value, up - value < alignment]).toEqual([0, true, true]);
    }),
  );
  expect(alignUp(2 ** 53 - 8, 7)).toBe(2 ** 53 - 4);
  expect([0, 1, 2, 3, 2 ** 52, -2, 0.5, Infinity].map(isPowerOfTwo)).toEqual([
    false,
    true,
    true,
    false,
    true,
    false,
    false,
    false,
  ]);
});

test("bytes are swapped", () => {
  expect([byteSwap16(0x1234), byteSwap32(0x12345678), byteSwap32(0xff), byteSwap64(0x0102030405060708n)]).toEqual([
    0x3412,
    0x78563412,
    0xff000000,
    0x0807060504030201n,
  ]);
  expect(isLittleEndian).toBe(new Int8Array(Int32Array.of(1).buffer)[0] === 1);
});

function utf8(string: string): Uint8Array {
  return new TextEncoder().encode(string);
}

test("hashes agree with the published vectors of FNV-1a", () => {
  expect([fnv1a(utf8("")), fnv1a(utf8("a")), fnv1a(utf8("foobar"))]).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
  expect([fnv1a64(utf8("")), fnv1a64(utf8("a")), fnv1a64(utf8("foobar"))]).toEqual([
    0xcbf29ce484222325n,
    0xaf63dc4c8601ec8cn,
    0x85944171f73967e8n,
  ]);
  expect(fnv1a64(utf8("bar"), fnv1a64(utf8("foo")))).toBe(0x85944171f73967e8n);
});

interface Item {
  readonly put: (writer: ByteWriter) => void;
  readonly take: (reader: ByteReader) => unknown;
  readonly value: unknown;
}

const text = fc.string({ unit: "binary", maxLength: 20 }).filter((s) => s.isWellFormed());
const item: fc.Arbitrary<Item> = fc.oneof(
  fc.nat(255).map((value) => ({ value, put: (w: ByteWriter) => w.u8(value), take: (r: ByteReader) => r.u8() })),
  fc.nat(65535).map((value) => ({ value, put: (w: ByteWriter) => w.u16(value), take: (r: ByteReader) => r.u16() })),
  u32.map((value) => ({ value, put: (w: ByteWriter) => w.u32(value), take: (r: ByteReader) => r.u32() })),
  u64.map((value) => ({ value, put: (w: ByteWriter) => w.u64(value), take: (r: ByteReader) => r.u64() })),
  fc
    .maxSafeInteger()
    .map(Math.abs)
    .map((value) => ({ value, put: (w: ByteWriter) => w.u64(BigInt(value)), take: (r: ByteReader) => r.count64() })),
  fc.float().map((value) => ({ value, put: (w: ByteWriter) => w.f32(value), take: (r: ByteReader) => r.f32() })),
  fc.double().map((value) => ({ value, put: (w: ByteWriter) => w.f64(value), take: (r: ByteReader) => r.f64() })),
  u32.map((value) => ({ value, put: (w: ByteWriter) => w.varU32(value), take: (r: ByteReader) => r.varU32() })),
  fc
    .integer()
    .map((value) => ({ value, put: (w: ByteWriter) => w.varS32(value), take: (r: ByteReader) => r.varS32() })),
  u64.map((value) => ({ value, put: (w: ByteWriter) => w.varU64(value), take: (r: ByteReader) => r.varU64() })),
  s64.map((value) => ({ value, put: (w: ByteWriter) => w.varS64(value), take: (r: ByteReader) => r.varS64() })),
  text.map((value) => ({ value, put: (w: ByteWriter) => w.text(value), take: (r: ByteReader) => r.text() })),
  fc
    .uint8Array({ maxLength: 9 })
    .map((value) => ({ value, put: (w: ByteWriter) => w.block(value), take: (r: ByteReader) => r.block() })),
);

test("what a writer wrote a reader reads, and a cut is an error with its offset", () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 12 }), fc.nat(4), fc.nat(200), (list, capacity, cut) => {
      const writer = new ByteWriter(capacity);
      for (const { put } of list) put(writer);
      const bytes = writer.finish();
      const reader = new ByteReader(bytes);
      expect(list.map(({ take }) => take(reader))).toEqual(list.map(({ value }) => value));
      expect([reader.error, reader.remaining]).toEqual([null, 0]);

      const short = new ByteReader(bytes.subarray(0, Math.min(cut, bytes.length)));
      for (const { take } of list) take(short);
      expect(short.error === null).toBe(cut >= bytes.length);
      expect(short.error === null || short.error.offset <= cut).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("a reader over a part of a buffer sees only its part", () => {
  const reader = new ByteReader(Uint8Array.of(1, 2, 3, 4, 5, 6).subarray(1, 5));
  expect([reader.u32(), reader.remaining, reader.error]).toEqual([0x05040302, 0, null]);
  expect(reader.u8()).toBe(0);
  expect(reader.error).toEqual({ offset: 4, message: "1 bytes needed, 0 left" });
});

test("the first error stays, and everything after it reads as nothing", () => {
  const reader = new ByteReader(Uint8Array.of(9, 9, 9));
  reader.u16();
  reader.u32();
  expect([
    reader.u8(),
    reader.u64(),
    reader.f32(),
    reader.f64(),
    reader.raw(1).length,
    reader.text(),
    reader.varU32(),
  ]).toEqual([0, 0n, 0, 0, 0, "", 0]);
  reader.seek(99);
  reader.fail("something else");
  expect(reader.error).toEqual({ offset: 2, message: "4 bytes needed, 1 left" });
});

test.each<[string, readonly number[], (reader: ByteReader) => unknown, RegExp]>([
  ["LEB128 of 33 bits", [0x80, 0x80, 0x80, 0x80, 0x10], (r) => r.varU32(), /too long/u],
  ["LEB128 without an end", [0x80, 0x80, 0x80, 0x80, 0x80, 0], (r) => r.varU32(), /too long/u],
  ["signed LEB128 of 33 bits", [0x80, 0x80, 0x80, 0x80, 0x08], (r) => r.varS32(), /too long/u],
  ["signed LEB128 whose end is no sign", [0x80, 0x80, 0x80, 0x80, 0x70], (r) => r.varS32(), /too long/u],
  ["LEB128 of 65 bits", [...Array.from({ length: 9 }, () => 0x80), 2], (r) => r.varU64(), /too long/u],
  ["signed LEB128 of 65 bits", [...Array.from({ length: 9 }, () => 0x80), 1], (r) => r.varS64(), /too long/u],
  ["a size over 2^53", [0, 0, 0, 0, 0, 0, 0x20, 0], (r) => r.count64(), /is not a size/u],
  ["text that is not UTF-8", [2, 0xc3, 0x28], (r) => r.text(), /not UTF-8/u],
  ["too many records", [200, 1], (r) => r.recordCount(4), /200 records do not fit into 0 bytes/u],
  ["an offset outside", [], (r) => r.seek(1), /outside of 0 bytes/u],
  ["a negative count", [1], (r) => r.raw(-1), /-1 bytes needed/u],
])("%s is an error", (_, bytes, take, message) => {
  const reader = new ByteReader(Uint8Array.from(bytes));
  take(reader);
  expect(reader.error?.message).toMatch(message);
});

test("a writer aligns and patches", () => {
  const writer = new ByteWriter(1);
  writer.u8(1);
  writer.align(4);
  writer.u32(0);
  writer.patchU32(4, 0x01020304);
  expect([...writer.finish()]).toEqual([1, 0, 0, 0, 4, 3, 2, 1]);
  expect(() => writer.patchU32(5, 0)).toThrow("not written");
});
