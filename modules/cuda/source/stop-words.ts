// SPDX-License-Identifier: Apache-2.0
/**
 * Words of the GPU's memory that stop kernels: a launch that can be stopped gets one, which is zero until somebody sets
 * it. Setting is a copy in a stream of its own that goes first: kernels that fill the GPU do not hold it.
 */
import { type Result, ok } from "@muxkit/cargo";

import type { CudaGpu, DriverError, Handle } from "./driver.ts";

/** Bytes of a word: those of different launches lie in different lines of the cache. */
const WORD_BYTES = 128;
const WORDS = 32;
/** How long setting waits for its copy, in ms. */
const PATIENCE_MS = 5;

const SET = Uint8Array.of(1, 0, 0, 0);
const CLEAR = new Uint8Array(4);

/** The words of a GPU. */
export class StopWords {
  private readonly gpu: CudaGpu;
  private readonly blocks: number[] = [];
  private readonly free: number[] = [];
  private stream: Handle | null = null;
  private event: Handle | null = null;

  constructor(gpu: CudaGpu) {
    this.gpu = gpu;
  }

  private open(): Result<void, DriverError> {
    if (this.event !== null) return ok();
    const stream = this.gpu.createStream(true);
    if (!stream.ok) return stream;
    const event = this.gpu.createEvent(false);
    if (!event.ok) {
      this.gpu.destroyStream(stream.value);
      return event;
    }
    this.stream = stream.value;
    this.event = event.value;
    return ok();
  }

  /** The address of a word that is zero. */
  take(): Result<number, DriverError> {
    const known = this.free.pop();
    if (known !== undefined) return ok(known);
    const opened = this.open();
    if (!opened.ok) return opened;
    const block = this.gpu.allocate(WORDS * WORD_BYTES);
    if (!block.ok) return block;
    this.blocks.push(block.value);
    const written = this.write(block.value, new Uint8Array(WORDS * WORD_BYTES), Infinity);
    if (!written.ok) return written;
    for (let i = 0; i < WORDS; i++) this.free.push(block.value + i * WORD_BYTES);
    return ok(this.free.pop() as number);
  }

  /** Sets a word; true: kernels see it from now on, false: they will. */
  set(word: number): Result<boolean, DriverError> {
    return this.write(word, SET, PATIENCE_MS);
  }

  /** Gives a word back, when no kernel looks at it any more. */
  release(word: number, wasSet: boolean): Result<void, DriverError> {
    // The copy that sets it is before this one in the stream.
    const cleared = wasSet ? this.write(word, CLEAR, Infinity) : ok();
    if (cleared.ok) this.free.push(word);
    return cleared.ok ? ok() : cleared;
  }

  private write(address: number, bytes: Uint8Array, patience: number): Result<boolean, DriverError> {
    const [stream, event] = [this.stream as Handle, this.event as Handle];
    const written = this.gpu.write(stream, address, bytes);
    const recorded = written.ok ? this.gpu.record(event, stream) : written;
    if (!recorded.ok) return recorded;
    if (patience === Infinity) {
      const done = this.gpu.finish(event);
      return done.ok ? ok(true) : done;
    }
    for (const end = performance.now() + patience; ;) {
      const done = this.gpu.isDone(event);
      if (!done.ok || done.value || performance.now() > end) return done;
    }
  }

  /** Gives all back. */
  close(): void {
    for (const block of this.blocks.splice(0)) this.gpu.free(block);
    this.free.length = 0;
    if (this.event !== null) this.gpu.destroyEvent(this.event);
    if (this.stream !== null) this.gpu.destroyStream(this.stream);
    this.event = null;
    this.stream = null;
  }
}
