// SPDX-License-Identifier: Apache-2.0
// The server's ends of socket and ring. Reading is asynchronous; writing is not: what a handler sends is sent when it
// returns.
import { readSync, writeSync } from "node:fs";
import { Socket } from "node:net";

import { type FrameKind, HEADER_BYTES, MOST_BYTES, ProtocolError } from "./wire.ts";

/** A frame of the library. @internal */
export interface Frame {
  /** Number of an operation. */
  readonly operation: number;
  /** `THREADED` or 0. */
  readonly flags: number;
  /** The number of the reply; 0: no thread waits. */
  readonly request: number;
  /** After the header. It is valid until the handler returns. */
  readonly body: Uint8Array;
}

/** Bytes of the counters before the ring's data. */
const RING_HEAD = 4096;
/** Where the counters of the library and the server are, by writer and reader. */
const PRODUCED = 0;
const CONSUMED = 64;
/** Most bytes that are moved before the other side is notified. */
const PIECE = 2 ** 20;
const NOTHING = new Uint8Array(0);
/**
 * Bytes of frames that are put together before they are written: the largest transfer within a frame, and what answers
 * it.
 */
const TOGETHER = 72 * 1024;

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Lets the other side work for a moment, in ms. */
function pause(time: number): void {
  Atomics.wait(cell, 0, 0, time);
}

/** The connection of a session to its library. @internal */
export interface Link {
  /** Sends a frame. */
  send(kind: FrameKind, request: number, error: number, body?: Uint8Array): void;
  /** Sends a frame with the next one: the library has no use for it before. */
  sendWithNext(kind: FrameKind, request: number, error: number, body: Uint8Array): void;
  /** Sets both counters back; the library is notified of the transfer after that. */
  resetRing(): void;
  /** Takes bytes that the library puts into the ring at the same time. */
  receive(target: Uint8Array): void;
  /** Sends bytes while the library reads them from the ring. */
  give(source: Uint8Array): void;
}

/** The channel between a library and its server. @internal */
export class Transport implements Link {
  readonly #socket: number;
  readonly #memory: number;
  readonly #ringBytes: number;
  readonly #counter = Buffer.alloc(8);
  #kept: Buffer = Buffer.alloc(0);
  readonly #frames = Buffer.alloc(TOGETHER);
  /** Bytes of frames that wait to be written. */
  #waiting = 0;

  /** Takes descriptors of the socket and of the ring's memory, whose data have `ringBytes`. */
  constructor(socket: number, memory: number, ringBytes: number) {
    this.#socket = socket;
    this.#memory = memory;
    this.#ringBytes = ringBytes;
  }

  /** Reads frames forever; `ended` is called when the library is gone, `broken` when a frame breaks the protocol. */
  listen(take: (frame: Frame) => void, ended: () => void, broken: (error: unknown) => void): void {
    const socket = new Socket({
      fd: this.#socket,
      readable: true,
      writable: false,
      onread: {
        buffer: Buffer.allocUnsafe(2 ** 18),
        callback: (length, buffer) => {
          try {
            this.#split(buffer.subarray(0, length) as Buffer, take);
          } catch (error) {
            broken(error);
          }
          return true;
        },
      },
    });
    socket.on("end", ended);
    socket.on("close", ended);
    socket.on("error", ended);
    socket.resume();
  }

  #split(bytes: Buffer, take: (frame: Frame) => void): void {
    let rest = this.#kept.length === 0 ? bytes : Buffer.concat([this.#kept, bytes]);
    this.#kept = NOTHING as Buffer;
    while (rest.length >= HEADER_BYTES) {
      const length = rest.readUInt32LE(0);
      if (length < HEADER_BYTES || length > MOST_BYTES + HEADER_BYTES)
        throw new ProtocolError(`a frame says that it has ${length} bytes`);
      if (rest.length < length) break;
      take({
        operation: rest.readUInt16LE(4),
        flags: rest.readUInt16LE(6),
        request: rest.readUInt32LE(8),
        body: rest.subarray(HEADER_BYTES, length),
      });
      rest = rest.subarray(length);
    }
    // The rest is in the socket's own buffer, which the next bytes overwrite.
    if (rest.length > 0) this.#kept = Buffer.from(rest);
  }

  #write(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      try {
        at += writeSync(this.#socket, bytes, at, bytes.length - at);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
        pause(0.05);
      }
    }
  }

  /** Sends a frame. */
  send(kind: FrameKind, request: number, error: number, body: Uint8Array = NOTHING): void {
    const isWhole = this.#put(kind, request, error, body);
    this.#flush();
    if (!isWhole) this.#write(body);
  }

  /** Sends a frame with the next one: the library has no use for it before. */
  sendWithNext(kind: FrameKind, request: number, error: number, body: Uint8Array): void {
    if (this.#put(kind, request, error, body)) return;
    this.#flush();
    this.#write(body);
  }

  /** Puts a frame after those that wait, or its header alone where its body is too long for that. */
  #put(kind: FrameKind, request: number, error: number, body: Uint8Array): boolean {
    if (this.#waiting + HEADER_BYTES + body.length > TOGETHER) this.#flush();
    const [frames, at] = [this.#frames, this.#waiting];
    frames.writeUInt32LE(HEADER_BYTES + body.length, at);
    frames.writeUInt16LE(kind, at + 4);
    frames.writeUInt16LE(0, at + 6);
    frames.writeUInt32LE(request, at + 8);
    frames.writeInt32LE(error, at + 12);
    const isWhole = at + HEADER_BYTES + body.length <= TOGETHER;
    if (isWhole) frames.set(body, at + HEADER_BYTES);
    this.#waiting = at + HEADER_BYTES + (isWhole ? body.length : 0);
    return isWhole;
  }

  #flush(): void {
    const bytes = this.#frames.subarray(0, this.#waiting);
    this.#waiting = 0;
    this.#write(bytes);
  }

  #read(at: number): number {
    readSync(this.#memory, this.#counter, 0, 8, at);
    return Number(this.#counter.readBigUInt64LE(0));
  }

  #tell(at: number, value: number): void {
    this.#counter.writeBigUInt64LE(BigInt(value), 0);
    writeSync(this.#memory, this.#counter, 0, 8, at);
  }

  /** Sets both counters back; the library is notified of the transfer after that. */
  resetRing(): void {
    this.#tell(PRODUCED, 0);
    this.#tell(CONSUMED, 0);
  }

  /** Waits until the library has counted further than `than`. */
  #beyond(at: number, than: number): number {
    for (let round = 0; ; round++) {
      const now = this.#read(at);
      if (now > than) return now;
      if (round > 20) pause(0.02);
    }
  }

  /** Takes bytes that the library puts into the ring at the same time. */
  receive(target: Uint8Array): void {
    let produced = 0;
    for (let consumed = 0; consumed < target.length;) {
      if (produced === consumed) produced = this.#beyond(PRODUCED, produced);
      const at = consumed % this.#ringBytes;
      const bytes = Math.min(produced - consumed, target.length - consumed, this.#ringBytes - at, PIECE);
      consumed += readSync(this.#memory, target, consumed, bytes, RING_HEAD + at);
      this.#tell(CONSUMED, consumed);
    }
  }

  /** Sends bytes while the library reads them from the ring. */
  give(source: Uint8Array): void {
    let consumed = 0;
    for (let produced = 0; produced < source.length;) {
      if (produced - consumed === this.#ringBytes) consumed = this.#beyond(CONSUMED, consumed);
      const at = produced % this.#ringBytes;
      const bytes = Math.min(
        source.length - produced,
        this.#ringBytes - (produced - consumed),
        this.#ringBytes - at,
        PIECE,
      );
      produced += writeSync(this.#memory, source, produced, bytes, RING_HEAD + at);
      this.#tell(PRODUCED, produced);
    }
    // The next transfer sets the counters back.
    while (consumed < source.length) consumed = this.#beyond(CONSUMED, consumed);
  }
}
