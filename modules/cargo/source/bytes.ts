// SPDX-License-Identifier: Apache-2.0
// Little-endian bytes: a writer that grows, and a reader that checks every read and keeps the first error.
import { assert } from "./assert.ts";

const encoder = new TextEncoder();
// ignoreBOM: a text that begins with U+FEFF must come back as it was.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Appends little-endian values to bytes that grow. @public */
export class ByteWriter {
  private bytes: Uint8Array<ArrayBuffer>;
  private view: DataView;
  private end = 0;

  /** Starts empty, with room for `capacity` bytes. */
  constructor(capacity: number = 256) {
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Bytes written so far. */
  get length(): number {
    return this.end;
  }

  private reserve(count: number): number {
    const start = this.end;
    this.end += count;
    if (this.end > this.bytes.length) {
      const grown = new Uint8Array(Math.max(this.end, this.bytes.length * 2));
      grown.set(this.bytes);
      this.bytes = grown;
      this.view = new DataView(grown.buffer);
    }
    return start;
  }

  /** One byte. */
  u8(value: number): void {
    const at = this.reserve(1);
    this.bytes[at] = value;
  }

  /** Two bytes. */
  u16(value: number): void {
    const at = this.reserve(2);
    this.view.setUint16(at, value, true);
  }

  /** Four bytes. */
  u32(value: number): void {
    const at = this.reserve(4);
    this.view.setUint32(at, value, true);
  }

  /** Eight bytes. */
  u64(value: bigint): void {
    const at = this.reserve(8);
    this.view.setBigUint64(at, BigInt.asUintN(64, value), true);
  }

  /** A binary32. */
  f32(value: number): void {
    const at = this.reserve(4);
    this.view.setFloat32(at, value, true);
  }

  /** A binary64. */
  f64(value: number): void {
    const at = this.reserve(8);
    this.view.setFloat64(at, value, true);
  }

  /** An unsigned 64-bit number as LEB128. */
  varU64(value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    while (rest >= 128n) {
      this.u8(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    this.u8(Number(rest));
  }

  /** An unsigned number below 2^32 as LEB128. */
  varU32(value: number): void {
    let rest = value >>> 0;
    while (rest >= 128) {
      this.u8((rest & 127) | 128);
      rest >>>= 7;
    }
    this.u8(rest);
  }

  /** A signed 32-bit number as signed LEB128. */
  varS32(value: number): void {
    let rest = value | 0;
    while (rest < -64 || rest > 63) {
      this.u8((rest & 127) | 128);
      rest >>= 7;
    }
    this.u8(rest & 127);
  }

  /** A signed 64-bit number as signed LEB128. */
  varS64(value: bigint): void {
    let rest = BigInt.asIntN(64, value);
    while (rest < -64n || rest > 63n) {
      this.u8(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    this.u8(Number(rest & 127n));
  }

  /** Bytes as they are. */
  raw(bytes: Uint8Array): void {
    const at = this.reserve(bytes.length);
    this.bytes.set(bytes, at);
  }

  /** Part of some bytes, which may be short. */
  copy(bytes: Uint8Array, from: number, to: number): void {
    let at = this.reserve(to - from);
    const own = this.bytes;
    // A loop: for a few bytes a view would cost more.
    for (let i = from; i < to; i++) own[at++] = bytes[i] as number;
  }

  /** The length as LEB128, then the bytes. */
  block(bytes: Uint8Array): void {
    this.varU32(bytes.length);
    this.raw(bytes);
  }

  /** The length in bytes as LEB128, then UTF-8. A lone surrogate becomes U+FFFD. */
  text(value: string): void {
    this.block(encoder.encode(value));
  }

  /** Zeros up to a multiple of `alignment`. */
  align(alignment: number): void {
    while (this.end % alignment !== 0) this.u8(0);
  }

  /** Overwrites four bytes at `at`, which must have been written. */
  patchU32(at: number, value: number): void {
    assert(at >= 0 && at + 4 <= this.end, "a patch of bytes that are not written");
    this.view.setUint32(at, value, true);
  }

  /** What has been written, until the next write. */
  written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.end);
  }

  /** A copy of what has been written. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.end);
  }
}

/** What went wrong first while reading, and where. @public */
export interface ReadError {
  /** Byte offset of the read that failed. */
  readonly offset: number;
  /** What was wrong there. */
  readonly message: string;
}

/**
 * Reads little-endian values. The first read past the end (or of wrong bytes) sets {@link ByteReader.error}; from then
 * on every read gives zero or nothing, so that a reader of a format checks once for each record.
 *
 * @public
 */
export class ByteReader {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private at: number;
  /** The first failure; null while all is well. */
  error: ReadError | null = null;

  /** Reads from the start of `bytes`. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }

  /** Offset of the next read. */
  get offset(): number {
    return this.at;
  }

  /** Bytes that are left. */
  get remaining(): number {
    return this.bytes.length - this.at;
  }

  /** Moves to an offset. */
  seek(offset: number): void {
    if (!Number.isInteger(offset) || offset < 0 || offset > this.bytes.length)
      this.fail(`offset ${offset} is outside of ${this.bytes.length} bytes`);
    else this.at = offset;
  }

  /** Sets the error, unless there is one. */
  fail(message: string): void {
    this.error ??= { offset: this.at, message };
  }

  private take(count: number): number {
    const start = this.at;
    if (this.error !== null) return -1;
    if (!(count >= 0 && count <= this.bytes.length - start)) {
      this.fail(`${count} bytes needed, ${this.bytes.length - start} left`);
      return -1;
    }
    this.at = start + count;
    return start;
  }

  /** One byte. */
  u8(): number {
    const start = this.take(1);
    return start < 0 ? 0 : this.view.getUint8(start);
  }

  /** Two bytes. */
  u16(): number {
    const start = this.take(2);
    return start < 0 ? 0 : this.view.getUint16(start, true);
  }

  /** Four bytes. */
  u32(): number {
    const start = this.take(4);
    return start < 0 ? 0 : this.view.getUint32(start, true);
  }

  /** Eight bytes. */
  u64(): bigint {
    const start = this.take(8);
    return start < 0 ? 0n : this.view.getBigUint64(start, true);
  }

  /** A binary32. */
  f32(): number {
    const start = this.take(4);
    return start < 0 ? 0 : this.view.getFloat32(start, true);
  }

  /** A binary64. */
  f64(): number {
    const start = this.take(8);
    return start < 0 ? 0 : this.view.getFloat64(start, true);
  }

  /** Eight bytes that must be a safe integer. */
  count64(): number {
    const value = this.u64();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
      this.fail(`${value} is not a size`);
      return 0;
    }
    return Number(value);
  }

  /** An unsigned LEB128 below 2^32. */
  varU32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      if (shift === 28 && byte > 15) break;
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
    this.fail("a number is too long");
    return 0;
  }

  /** A signed LEB128 of 32 bits. */
  varS32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      // The fifth byte has four bits of the number; the rest repeat the sign.
      if (shift === 28 && byte > 7 && (byte < 0x78 || byte > 0x7f)) break;
      value |= (byte & 127) << shift;
      if (byte < 128) return shift < 25 && (byte & 64) !== 0 ? value | (-1 << (shift + 7)) : value;
    }
    this.fail("a number is too long");
    return 0;
  }

  /** An unsigned LEB128 below 2^64. */
  varU64(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.u8();
      if (shift === 63n && byte > 1) break;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    this.fail("a number is too long");
    return 0n;
  }

  /** A signed LEB128 of 64 bits. */
  varS64(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.u8();
      if (shift === 63n && byte !== 0 && byte !== 0x7f) break;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, (byte & 64) === 0 ? value : value | (-1n << (shift + 7n)));
    }
    this.fail("a number is too long");
    return 0n;
  }

  /** `count` bytes, not copied. */
  raw(count: number): Uint8Array {
    const start = this.take(count);
    return start < 0 ? new Uint8Array(0) : this.bytes.subarray(start, start + count);
  }

  /** A length as LEB128, then bytes, not copied. */
  block(): Uint8Array {
    return this.raw(this.varU32());
  }

  /** A length in bytes as LEB128, then UTF-8. */
  text(): string {
    const bytes = this.block();
    try {
      return decoder.decode(bytes);
    } catch {
      this.fail("the text is not UTF-8");
      return "";
    }
  }

  /** A count of records of at least `minimum` bytes each that the rest of the bytes can hold. */
  recordCount(minimum: number): number {
    const count = this.varU32();
    if (count * minimum > this.remaining) {
      this.fail(`${count} records do not fit into ${this.remaining} bytes`);
      return 0;
    }
    return count;
  }
}
