// SPDX-License-Identifier: Apache-2.0
// Copies and fills: the same bytes as with plain arrays, for all sizes, offsets and kinds of memory.
import { copyBytes, fillBytes } from "@muxkit/cargo";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const SIZE = 20_000;

function bytesOf(shared: boolean): Uint8Array {
  return new Uint8Array(shared ? new SharedArrayBuffer(SIZE) : new ArrayBuffer(SIZE)).fill(0xee);
}

const range = fc.record({
  start: fc.nat(9000),
  length: fc.oneof(fc.nat(20), fc.nat(9000)),
  isShared: fc.boolean(),
  seed: fc.nat(250),
});

test("copyBytes: the bytes, and no others", () => {
  fc.assert(
    fc.property(range, fc.nat(2000), ({ start, length, isShared, seed }, from) => {
      const source = bytesOf(!isShared)
        .map((_, i) => i + seed)
        .subarray(from, from + length);
      const target = bytesOf(isShared);
      const wanted = new Uint8Array(SIZE).fill(0xee);
      wanted.set(source, start);
      copyBytes(target, start, source);
      expect(Buffer.compare(target, wanted)).toBe(0);
    }),
  );
});

test("copyBytes: a short target is a RangeError, and nothing is written", () => {
  for (const length of [10, 5000]) {
    const target = bytesOf(true);
    expect(() => {
      copyBytes(target.subarray(0, 8000), 8001 - length, new Uint8Array(length));
    }).toThrow(RangeError);
    expect(target.every((byte) => byte === 0xee)).toBe(true);
  }
});

test("fillBytes: the pattern again and again, cut off at the end", () => {
  fc.assert(
    fc.property(range, fc.uint8Array({ minLength: 1, maxLength: 128 }), ({ start, length, isShared }, pattern) => {
      const target = bytesOf(isShared);
      const wanted = new Uint8Array(SIZE).fill(0xee);
      for (let i = 0; i < length; i++) wanted[start + i] = pattern[i % pattern.length] ?? 0;
      fillBytes(target.subarray(start, start + length), pattern);
      expect(Buffer.compare(target, wanted)).toBe(0);
    }),
  );
});
