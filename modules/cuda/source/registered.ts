// SPDX-License-Identifier: Apache-2.0
/**
 * Memory of JavaScript's that is pinned because it is copied again and again. Only shared memory: it is never detached,
 * and what is pinned is held, so that its addresses stay its own. The least recently used is let go.
 */
import type { CudaGpu } from "./driver.ts";

/** Bytes of the smallest copy that counts: pinning takes some ms. */
const LEAST_BYTES = 1 << 20;
/** Bytes that are pinned at most. */
const MOST_BYTES = 2 ** 32;

/** Pinned memory of a GPU. */
export class RegisteredMemory {
  private readonly gpu: CudaGpu;
  private readonly settle: () => void;
  private readonly seen = new WeakSet<SharedArrayBuffer>();
  private readonly refused = new WeakSet<SharedArrayBuffer>();
  /** By the time of their last use. */
  private readonly pinned = new Set<SharedArrayBuffer>();
  private bytes = 0;

  /** `settle` waits until no copy is on its way: what is let go must not be in use. */
  constructor(gpu: CudaGpu, settle: () => void) {
    this.gpu = gpu;
    this.settle = settle;
  }

  /** True when the bytes of an array are pinned: from the second large copy on. */
  isPinned({ buffer, length }: Uint8Array): boolean {
    if (!(buffer instanceof SharedArrayBuffer) || length < LEAST_BYTES) return false;
    if (this.pinned.delete(buffer)) {
      this.pinned.add(buffer);
      return true;
    }
    if (!this.seen.has(buffer)) {
      this.seen.add(buffer);
      return false;
    }
    if (this.refused.has(buffer) || buffer.byteLength > MOST_BYTES) return false;
    if (this.bytes + buffer.byteLength > MOST_BYTES) this.forgetFor(buffer.byteLength);
    let isDone = this.gpu.register(buffer).ok;
    if (!isDone && this.pinned.size > 0) {
      // A WebAssembly memory that has grown is another buffer at the address of the one before.
      this.forgetFor(MOST_BYTES);
      isDone = this.gpu.register(buffer).ok;
    }
    // Where the system pins no more, copies take the other way.
    (isDone ? this.pinned : this.refused).add(buffer);
    if (isDone) this.bytes += buffer.byteLength;
    return isDone;
  }

  /** Lets the oldest go until there is room for so many bytes. */
  private forgetFor(bytes: number): void {
    this.settle();
    for (const buffer of this.pinned) {
      if (this.bytes + bytes <= MOST_BYTES) return;
      this.pinned.delete(buffer);
      this.bytes -= buffer.byteLength;
      this.gpu.unregister(buffer);
    }
  }

  /** Lets all go, when nothing is on its way any more. */
  close(): void {
    this.forgetFor(MOST_BYTES);
  }
}
