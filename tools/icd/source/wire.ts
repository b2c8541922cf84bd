// SPDX-License-Identifier: Apache-2.0
// Frames between library and server: little-endian fields after a header of 16 bytes (native/wire.h).

/** Version that both sides must have. */
export const WIRE_VERSION = 5;
/** The first bytes of the first frame: "MXIC". */
export const WIRE_MAGIC = 0x4349_584d;
/** Most bytes of a frame's body. */
export const MOST_BYTES: number = 2 ** 26;
/** Bytes of a header: length, kind, flags, request, error. */
export const HEADER_BYTES = 16;
/** The application calls from several threads. */
export const THREADED = 1;

/** In the reply to the greeting: all other frames travel in the channel. */
export const CHANNEL = 2;

/** Kinds of frames that the server sends. */
export const FrameKind = { reply: 1, callback: 2, print: 3, transfer: 4, log: 5, place: 6, move: 7 } as const;
/** One of {@link FrameKind}. */
export type FrameKind = (typeof FrameKind)[keyof typeof FrameKind];

const NO_NUMBERS: readonly number[] = [];

/** A frame that breaks the protocol: the server ends. @internal */
export class ProtocolError extends Error {}

/** Reads the fields of a frame. Reading beyond its end throws a `ProtocolError`. @internal */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  /** Reads `bytes` from their begin. */
  constructor(bytes: Uint8Array) {
    // A Buffer's slice is no copy.
    this.#bytes = bytes instanceof Buffer ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #take(bytes: number): number {
    const at = this.#at;
    if (bytes > this.#bytes.length - at)
      throw new ProtocolError(`a frame ends at byte ${this.#bytes.length}, within a field`);
    this.#at += bytes;
    return at;
  }

  /** A number of 32 bits. */
  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** The number of 32 bits that begins so many bytes further on, which stays to be read. */
  peek(offset: number): number {
    if (this.#at + offset + 4 > this.#bytes.length) throw new ProtocolError("a frame ends within a field");
    return this.#view.getUint32(this.#at + offset, true);
  }

  /** A number of 32 bits with a sign. */
  i32(): number {
    return this.#view.getInt32(this.#take(4), true);
  }

  /** A number of 64 bits; one that a double cannot hold becomes the greatest that it can. */
  u64(): number {
    const low = this.u32();
    return Math.min(this.u32() * 2 ** 32 + low, Number.MAX_SAFE_INTEGER);
  }

  /** Three numbers of 64 bits. */
  three(): readonly [number, number, number] {
    return [this.u64(), this.u64(), this.u64()];
  }

  /** Bytes with their length before them; they are a part of the frame. */
  bytes(): Uint8Array {
    const length = this.u32();
    const at = this.#take(Math.ceil(length / 4) * 4);
    return this.#bytes.subarray(at, at + length);
  }

  /** Text in UTF-8. */
  text(): string {
    return new TextDecoder().decode(this.bytes());
  }

  /** A count, followed by that many numbers of 32 bits. */
  list(): readonly number[] {
    const count = this.u32();
    if (count * 4 > this.#bytes.length - this.#at)
      throw new ProtocolError(`a list of ${count} numbers does not fit in its frame`);
    if (count === 0) return NO_NUMBERS;
    const numbers: number[] = [];
    for (let i = 0; i < count; i++) numbers.push(this.u32());
    return numbers;
  }
}

/** Writes the fields of a frame's body. @internal */
export class WireWriter {
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  #room(more: number): number {
    const at = this.#length;
    if (at + more > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#bytes.length * 2, at + more));
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    this.#length = at + more;
    return at;
  }

  /** The bytes written so far. */
  get body(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A number of 32 bits, with or without a sign. */
  u32(value: number): this {
    const at = this.#room(4);
    this.#view.setUint32(at, value >>> 0, true);
    return this;
  }

  /** A number of 64 bits. */
  u64(value: number | bigint): this {
    const at = this.#room(8);
    this.#view.setBigUint64(at, BigInt.asUintN(64, BigInt(value)), true);
    return this;
  }

  /** Bytes after their length, filled up to four. */
  bytes(value: Uint8Array): this {
    this.u32(value.length);
    const at = this.#room(Math.ceil(value.length / 4) * 4);
    this.#bytes.set(value, at);
    this.#bytes.fill(0, at + value.length, this.#length);
    return this;
  }

  /** Text in UTF-8. */
  text(value: string): this {
    return this.bytes(new TextEncoder().encode(value));
  }
}
