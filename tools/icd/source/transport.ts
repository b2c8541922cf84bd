// SPDX-License-Identifier: Apache-2.0
// The server's ends of socket and ring. Reading is asynchronous; writing is not: what a handler sends is sent when it
// returns.
import { readSync, writeSync } from "node:fs";
import { type OnReadOpts, Socket, type SocketConstructorOpts } from "node:net";

import type { Addon } from "./addon.ts";
import { type Signal, SignalKind, signalsOf } from "./signals.ts";
import { CHANNEL, FrameKind, HEADER_BYTES, MOST_BYTES, ProtocolError } from "./wire.ts";

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

/** Bytes of the stage: native/stage.h. */
export const STAGE_BYTES: number = 32 * 2 ** 20;
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

/** Errors of writing to a library that has ended. */
const GONE: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET"]);

/** Bytes that are taken out of the channel at once: all that it can hold. */
const INCOMING = 2 ** 18;
/** Time after which a wait for the library's part of a transfer looks whether there will be one, in ms. */
const LOOK_AFTER_MS = 500;
/** Signals that are read at once. */
const SIGNALS = 4096;
/** Times that the channel is read in a turn of the event loop. */
const MOST_ROUNDS = 16;

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
  sendWithNext(kind: FrameKind, request: number, error: number, body?: Uint8Array): void;
  /** Takes bytes that the library puts into the ring at the same time. */
  receive(target: Uint8Array): void;
  /** Sends bytes while the library reads them from the ring. */
  give(source: Uint8Array): void;
  /** The library has been told to move bytes itself: returns what tells whether it has done so. */
  beginMove(): (wake: () => void) => boolean;
  /** Copies bytes from a place of the stage (native/stage.h). */
  readStage(place: number, target: Uint8Array): void;
  /** Copies bytes to a place of the stage. */
  writeStage(place: number, source: Uint8Array): void;
}

/** The channel between a library and its server. @internal */
export class Transport implements Link {
  readonly #socket: number;
  readonly #memory: number;
  readonly #ringBytes: number;
  readonly #counter = Buffer.alloc(8);
  #kept: Buffer = Buffer.alloc(0);
  /** Bytes of all transfers that are over. */
  #moved = 0;
  /** Transfers that the library was told to move, and how many of them it has moved. */
  #movesBegun = 0;
  #movesOver = 0;
  #wake: () => void = () => undefined;
  readonly #frames = Buffer.alloc(TOGETHER);
  /** Bytes of frames that wait to be written. */
  #waiting = 0;
  readonly #ended: () => never;
  #addon: Addon | null = null;
  /** Whether frames travel in the channel: `opened` once the next frame has told the library. */
  #channel: "none" | "opened" | "used" = "none";
  readonly #incoming = Buffer.allocUnsafeSlow(INCOMING);
  /** Requests that have not been answered. */
  readonly #open = new Set<number>();
  /** Signals that are answered when all frames have been read. */
  readonly #signals: Signal[] = [];
  readonly #signalBytes = new Uint8Array(SIGNALS);
  #take: (frame: Frame) => void = () => undefined;
  #broken: (error: unknown) => void = () => undefined;
  /** Takes the frames of the channel at the next turn of the event loop. */
  #turn: NodeJS.Immediate | null = null;

  /**
   * Takes descriptors of the socket and of the ring's memory, whose data have `ringBytes`. `ended` is called when the
   * library is gone: who finds it out first may be a command that runs or a callback, which nobody waits for any more.
   */
  constructor(socket: number, memory: number, ringBytes: number, ended: () => never) {
    this.#socket = socket;
    this.#memory = memory;
    this.#ringBytes = ringBytes;
    this.#ended = ended;
  }

  /** Reads frames forever; `broken` is called when a frame breaks the protocol. */
  listen(take: (frame: Frame) => void, broken: (error: unknown) => void): void {
    this.#take = take;
    this.#broken = broken;
    // Types of Node 20 lack `onread` here; its constructor takes it.
    const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = {
      fd: this.#socket,
      readable: true,
      writable: false,
      onread: {
        buffer: Buffer.allocUnsafe(2 ** 18),
        callback: (length: number, buffer: Uint8Array): boolean => {
          try {
            if (this.#channel === "used") {
              this.#signals.push(...signalsOf(buffer.subarray(0, length)));
              if (this.#turn === null) this.#takeTurn(0);
            } else this.#split(buffer.subarray(0, length) as Buffer);
          } catch (error) {
            broken(error);
          }
          return true;
        },
      },
    };
    const socket = new Socket(options);
    socket.on("end", this.#ended);
    socket.on("close", this.#ended);
    socket.on("error", this.#ended);
    socket.resume();
  }

  /** From the next frame on, frames travel in the channel, where that is possible. */
  openChannel(addon: Addon | null): void {
    this.#addon = addon;
    if (addon?.openChannel(this.#memory, RING_HEAD + this.#ringBytes, this.#socket) === 1) this.#channel = "opened";
  }

  /**
   * Takes what is in the channel; with 1 for `waits` it waits for that a moment. As long as frames come, it is called
   * again in the next turn of the event loop, which has then done everything else that is due.
   */
  #takeTurn(waits: 0 | 1): void {
    this.#turn = null;
    const addon = this.#addon;
    if (addon === null) return;
    try {
      let bytes = addon.readChannel(this.#incoming, waits);
      const before = this.#movesOver;
      const hasMoved = before < this.#movesBegun && this.#lookAtMoves(addon) > before;
      if (hasMoved) this.#wake();
      // What the library has a use for only with later frames may give room back, if it looks.
      if (this.#waiting > 0) this.#flush();
      if (bytes === 0 && waits === 1 && !hasMoved) {
        this.#answerSignals(addon);
        return;
      }
      for (let round = 0; bytes > 0 && round < MOST_ROUNDS; round++) {
        this.#split(this.#incoming.subarray(0, bytes));
        bytes = round + 1 < MOST_ROUNDS ? addon.readChannel(this.#incoming, 0) : 0;
      }
    } catch (error) {
      this.#broken(error);
      return;
    }
    this.#nextTurn();
  }

  #nextTurn(): void {
    this.#turn ??= setImmediate(() => {
      this.#takeTurn(1);
    });
  }

  /** All frames have been read: tells the library which of its requests nobody will answer any more. */
  #answerSignals(addon: Addon): void {
    for (const { kind, produced, request } of this.#signals.splice(0))
      addon.answerSignal(kind, produced, request, this.#open.has(request) ? 1 : 0, this.#kept.length > 0 ? 1 : 0);
  }

  #split(bytes: Buffer): void {
    const all = this.#kept.length === 0 ? bytes : Buffer.concat([this.#kept, bytes]);
    this.#kept = NOTHING as Buffer;
    // Frames come by the thousand, so what is made for each of them is little.
    const { buffer, byteOffset, byteLength } = all;
    const view = new DataView(buffer, byteOffset, byteLength);
    let at = 0;
    while (byteLength - at >= HEADER_BYTES) {
      const length = view.getUint32(at, true);
      if (length < HEADER_BYTES || length > MOST_BYTES + HEADER_BYTES)
        throw new ProtocolError(`a frame says that it has ${length} bytes`);
      if (byteLength - at < length) break;
      const request = view.getUint32(at + 8, true);
      if (request !== 0) this.#open.add(request);
      this.#take({
        operation: view.getUint16(at + 4, true),
        flags: view.getUint16(at + 6, true),
        request,
        body: new Uint8Array(buffer, byteOffset + at + HEADER_BYTES, length - HEADER_BYTES),
      });
      at += length;
    }
    // The rest is in the socket's own buffer, which the next bytes overwrite.
    if (at < byteLength) this.#kept = Buffer.from(all.subarray(at));
  }

  #write(bytes: Uint8Array): void {
    if (this.#channel === "used") {
      let isThere = 0;
      try {
        isThere = this.#addon?.writeChannel(bytes) ?? 0;
      } catch (error) {
        this.#broken(error);
      }
      if (isThere === 0) this.#ended();
      return;
    }
    let at = 0;
    while (at < bytes.length) {
      try {
        at += writeSync(this.#socket, bytes, at, bytes.length - at);
      } catch (error) {
        const { code = "" } = error as NodeJS.ErrnoException;
        if (GONE.has(code)) this.#ended();
        if (code !== "EAGAIN") throw error;
        pause(0.05);
      }
    }
  }

  /** Sends a frame. */
  send(kind: FrameKind, request: number, error: number, body: Uint8Array = NOTHING): void {
    if (kind === FrameKind.reply) this.#open.delete(request);
    const isWhole = this.#put(kind, request, error, body);
    this.#flush();
    if (!isWhole) this.#write(body);
    if (this.#channel === "opened") this.#channel = "used";
  }

  /** Sends a frame with the next one: the library has no use for it before. */
  sendWithNext(kind: FrameKind, request: number, error: number, body: Uint8Array = NOTHING): void {
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
    frames.writeUInt16LE(this.#channel === "opened" ? CHANNEL : 0, at + 6);
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

  /**
   * Waits until the library has counted further than `than`, where this side has `counted` in its own counter. Somebody
   * may have written over what the library was told, or over a counter: then it never will.
   */
  #beyond(at: number, than: number, counted: number): number {
    let looked = 0;
    for (let round = 0; ; round++) {
      const now = this.#read(at);
      if (now > than) return now;
      if (this.#addon !== null && this.#channel === "used") this.#addon.awaitCounter(at, than, LOOK_AFTER_MS);
      else if (round <= 20) continue;
      else pause(0.02);
      const time = performance.now();
      if (looked === 0) looked = time;
      if (time - looked > LOOK_AFTER_MS) {
        looked = time;
        this.#lookAfter(at, than, counted);
      }
    }
  }

  #lookAfter(at: number, than: number, counted: number): void {
    if (this.#read(at === PRODUCED ? CONSUMED : PRODUCED) !== counted)
      this.#broken(new ProtocolError("the counters of a transfer have been written over"));
    const addon = this.#addon;
    if (addon === null || this.#channel !== "used") return;
    const length = addon.readSignals(this.#signalBytes);
    if (length < 0) this.#ended();
    const signals = signalsOf(this.#signalBytes.subarray(0, length));
    this.#signals.push(...signals);
    // The rings among them were for the event loop.
    this.#nextTurn();
    const isIdle = signals.some(
      ({ kind, consumed }) =>
        (kind === SignalKind.waiting || kind === SignalKind.reading) && addon.hasReadAll(consumed) === 1,
    );
    if (isIdle && this.#read(at) <= than)
      this.#broken(new ProtocolError("the library waits, and does nothing for a transfer that it was told of"));
  }

  /** The library has been told to move bytes itself: returns what tells whether it has done so. */
  beginMove(): (wake: () => void) => boolean {
    const addon = this.#mapped();
    const number = ++this.#movesBegun;
    return (wake) => {
      this.#wake = wake;
      return this.#lookAtMoves(addon) >= number;
    };
  }

  /** The library moves bytes in the order in which it is told to, and counts. */
  #lookAtMoves(addon: Addon): number {
    const count = addon.countMoves();
    if (count > this.#movesBegun) this.#broken(new ProtocolError("the counter of moves has been written over"));
    this.#movesOver = count;
    return count;
  }

  /** Takes bytes that the library puts into the ring at the same time. */
  receive(target: Uint8Array): void {
    const begin = this.#moved;
    let produced = begin;
    for (let consumed = begin; consumed < begin + target.length;) {
      if (produced === consumed) produced = this.#beyond(PRODUCED, produced, consumed);
      const at = consumed % this.#ringBytes;
      const bytes = Math.min(produced - consumed, begin + target.length - consumed, this.#ringBytes - at, PIECE);
      consumed += readSync(this.#memory, target, consumed - begin, bytes, RING_HEAD + at);
      this.#tell(CONSUMED, consumed);
    }
    this.#moved += target.length;
  }

  /** Sends bytes while the library reads them from the ring. */
  give(source: Uint8Array): void {
    const begin = this.#moved;
    const end = begin + source.length;
    let consumed = begin;
    for (let produced = begin; produced < end;) {
      if (produced - consumed === this.#ringBytes) consumed = this.#beyond(CONSUMED, consumed, produced);
      const at = produced % this.#ringBytes;
      const bytes = Math.min(end - produced, this.#ringBytes - (produced - consumed), this.#ringBytes - at, PIECE);
      produced += writeSync(this.#memory, source, produced - begin, bytes, RING_HEAD + at);
      this.#tell(PRODUCED, produced);
    }
    // The next transfer begins with both counters alike.
    while (consumed < end) consumed = this.#beyond(CONSUMED, consumed, end);
    this.#moved = end;
  }

  /** Copies bytes from a place of the stage. */
  readStage(place: number, target: Uint8Array): void {
    this.#mapped().copyStage(target, place, 0);
  }

  /** Copies bytes to a place of the stage. */
  writeStage(place: number, source: Uint8Array): void {
    this.#mapped().copyStage(source, place, 1);
  }

  #mapped(): Addon {
    if (this.#addon === null || this.#channel !== "used") throw new ProtocolError("there is no stage");
    return this.#addon;
  }
}
