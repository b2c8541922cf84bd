// SPDX-License-Identifier: Apache-2.0
// A call over arrays in the shared memory, cut into parts that threads claim: all of them at once, or one after the
// other as the calling thread brings them there.
import { OPERANDS, PAGE, PART_BYTES, type RunAt } from "./kernel.ts";

/** Threads that the shared memory has pages for: each one for its blocks and one for a number as an operand. */
export const MOST_THREADS = 64;
/** Offset of the first array: after the pages of threads; page 0 is unused. */
export const ARRAYS_FROM: number = (1 + 2 * MOST_THREADS) * PAGE;
/**
 * Words of `claims`: the next part, how many are done, how many are there; then, for each slot, one more than the part
 * that was computed in it last.
 */
const NEXT = 0;
const DONE = 1;
const THERE = 2;
const SLOTS = 3;
/** Longest wait for a part, in ms: the calling thread may have stopped over an error. */
const PATIENCE = 100;

/** One call, as all threads see it. */
export interface Job {
  /** Bytes of an element. */
  readonly size: 4 | 8;
  /** Elements, a multiple of the group; of a job with slots any number. */
  readonly count: number;
  /** Address of the results. */
  readonly results: number;
  /** Addresses of the operands, or the number itself for a scalar operand. */
  readonly operands: readonly ({ readonly offset: number } | { readonly value: number })[];
  /** Parts that fit into the memory, copied in and out; 0: whole arrays are stored there. */
  readonly slots: number;
  /** Counters of this call alone: a thread that comes late finds nothing left. */
  readonly claims: Int32Array;
}

/** The page of a thread's blocks. */
export function pageOf(thread: number): number {
  return (1 + 2 * thread) * PAGE;
}

/** How many parts a job has. */
export function partsOf({ size, count }: Pick<Job, "size" | "count">): number {
  return Math.ceil((count * size) / PART_BYTES);
}

/** Counters for a call of which `there` parts are in the shared memory already. */
export function newClaims(isShared: boolean, there: number, slots: number): Int32Array {
  const bytes = (SLOTS + slots) * 4;
  const claims = new Int32Array(isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  claims[THERE] = there;
  return claims;
}

/** Publishes one more part. */
export function addPart({ claims }: Job): void {
  Atomics.add(claims, THERE, 1);
  Atomics.notify(claims, THERE);
}

/** Claims a part that is there; null: there is none at the moment. */
function claimPart({ claims }: Job): number | null {
  for (let next = Atomics.load(claims, NEXT); next < Atomics.load(claims, THERE); next = Atomics.load(claims, NEXT)) {
    if (Atomics.compareExchange(claims, NEXT, next, next + 1) === next) return next;
  }
  return null;
}

/** What computes parts of a job on a thread: each call claims one; false: none was there. */
export function partComputer(run: RunAt, { buffer }: WebAssembly.Memory, thread: number, job: Job): () => boolean {
  const { size, count, results, operands, slots, claims } = job;
  const each = PART_BYTES / size;
  const constant = pageOf(thread) + PAGE;
  let isFilled = false;
  return () => {
    const part = claimPart(job);
    if (part === null) return false;
    const start = (slots === 0 ? part : part % slots) * PART_BYTES;
    const offsets = [results + start];
    for (let i = 0; i < operands.length && i < OPERANDS; i++) {
      const operand = operands[i];
      if (operand === undefined) continue;
      if ("offset" in operand) offsets.push(operand.offset + start);
      else {
        if (!isFilled)
          (size === 4 ? new Float32Array(buffer, constant, each) : new Float64Array(buffer, constant, each)).fill(
            operand.value,
          );
        isFilled = true;
        offsets.push(constant);
      }
    }
    run(Math.min(each, count - part * each), offsets);
    if (slots > 0) Atomics.store(claims, SLOTS + (part % slots), part + 1);
    Atomics.add(claims, DONE, 1);
    return true;
  };
}

/**
 * Claims parts of a job and computes them until none is left. A thread other than the calling one waits for those that
 * come.
 */
export function work(run: RunAt, memory: WebAssembly.Memory, thread: number, job: Job): void {
  const { claims } = job;
  const parts = partsOf(job);
  const compute = partComputer(run, memory, thread, job);
  for (;;) {
    while (compute());
    const there = Atomics.load(claims, THERE);
    if (
      there >= parts ||
      (Atomics.load(claims, NEXT) === there && Atomics.wait(claims, THERE, there, PATIENCE) === "timed-out")
    )
      return;
  }
}

/** True when every part is computed. */
export function isDone(job: Job): boolean {
  return Atomics.load(job.claims, DONE) >= partsOf(job);
}

/** True when a part is computed in its slot. */
export function isComputed({ claims, slots }: Job, part: number): boolean {
  return Atomics.load(claims, SLOTS + (part % slots)) === part + 1;
}
