// SPDX-License-Identifier: Apache-2.0
/**
 * Copies and fills as work of a GPU. A pattern that hardware has no unit for is set word by word, a column each, in the
 * first 4 KiB; then what is filled is copied behind itself, twice as much each time.
 * Cost: 4 KiB of slow sets and log2(size / 4 KiB) copies.
 */
import type { GpuCopy, GpuSet, GpuWork } from "./driver.ts";

/** Bytes that are set column by column. */
const FIRST_BYTES = 4096;

/** A copy of contiguous bytes. */
export function copyWork(from: number, to: number, bytes: number): GpuCopy {
  return {
    kind: "copy",
    from,
    fromRow: bytes,
    fromSlice: bytes,
    to,
    toRow: bytes,
    toSlice: bytes,
    bytes,
    rows: 1,
    slices: 1,
  };
}

function number(pattern: Uint8Array, at: number, unit: number): number {
  let value = 0;
  for (let i = unit - 1; i >= 0; i--) value = value * 256 + (pattern[at + i] ?? 0);
  return value;
}

function setWork(address: number, unit: 1 | 2 | 4, value: number, width: number): GpuSet {
  return { kind: "set", address, unit, value, width, rows: 1, pitch: 0 };
}

/** The unit that a pattern of a length at an address consists of. */
function unitOf(address: number, length: number): 1 | 2 | 4 {
  if (address % 4 === 0 && length % 4 === 0) return 4;
  return address % 2 === 0 && length % 2 === 0 ? 2 : 1;
}

/** The pattern itself where it repeats a shorter one. */
function shortest(pattern: Uint8Array): Uint8Array {
  const { length } = pattern;
  for (let size = 1; size < length; size++)
    if (length % size === 0 && pattern.every((byte, i) => byte === pattern[i % size])) return pattern.subarray(0, size);
  return pattern;
}

/** Fills `size` bytes with a pattern, the last of which may be cut. */
export function fillWork(address: number, size: number, given: Uint8Array): readonly GpuWork[] {
  const pattern = shortest(given);
  const { length } = pattern;
  if (size === 0) return [];
  if (length === 1 && size % 4 === 0 && address % 4 === 0)
    return [setWork(address, 4, (pattern[0] ?? 0) * 0x0101_0101, size / 4)];
  const unit = unitOf(address, length);
  if (unit === length && size % length === 0) return [setWork(address, unit, number(pattern, 0, unit), size / unit)];
  const rows = Math.floor(Math.min(size, Math.max(FIRST_BYTES, length)) / length);
  const work: GpuWork[] = [];
  if (rows > 0)
    for (let at = 0; at < length; at += unit) {
      const value = number(pattern, at, unit);
      work.push({ kind: "set", address: address + at, unit, value, width: 1, rows, pitch: length });
    }
  let done = rows * length;
  // Fewer bytes than the pattern has.
  for (; done === 0 || (done < size && done < length); done++)
    work.push(setWork(address + done, 1, pattern[done % length] ?? 0, 1));
  while (done < size) {
    const more = Math.min(done, size - done);
    work.push(copyWork(address, address + done, more));
    done += more;
  }
  return work;
}
