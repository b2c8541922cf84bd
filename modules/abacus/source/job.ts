// A call over arrays in the shared memory, cut into parts that threads claim.
import { OPERANDS, PAGE, PART_BYTES, type RunAt } from "./kernel.ts";

/** Threads that the shared memory has pages for: each one for its blocks and one for a number as an operand. */
export const MOST_THREADS = 64;
/** Where arrays begin: behind the pages of threads, page 0 being nobody's. */
export const ARRAYS_FROM: number = (1 + 2 * MOST_THREADS) * PAGE;
/** Words of `claims`: the next part, and how many are done. */
const NEXT = 0;
const DONE = 1;

/** What all threads know of a call. */
export interface Job {
  /** Bytes of an element. */
  readonly size: 4 | 8;
  /** Elements, a multiple of the group. */
  readonly count: number;
  /** Where results lie. */
  readonly results: number;
  /** Where operands lie, or what number an operand is. */
  readonly operands: readonly ({ readonly place: number } | { readonly value: number })[];
  /** Counters of this call alone: a thread that comes late finds nothing left. */
  readonly claims: Int32Array;
}

/** The page of a thread's blocks. */
export function pageOf(thread: number): number {
  return (1 + 2 * thread) * PAGE;
}

/** How many parts a job has. */
export function partsOf({ size, count }: Job): number {
  return Math.ceil((count * size) / PART_BYTES);
}

/** Counters for a call. */
export function newClaims(isShared: boolean): Int32Array {
  return new Int32Array(isShared ? new SharedArrayBuffer(8) : new ArrayBuffer(8));
}

/** Claims parts of a job and computes them until none is left. */
export function work(run: RunAt, { buffer }: WebAssembly.Memory, thread: number, job: Job): void {
  const { size, count, results, operands, claims } = job;
  const each = PART_BYTES / size;
  const constant = pageOf(thread) + PAGE;
  let isFilled = false;
  for (let part = Atomics.add(claims, NEXT, 1); part * each < count; part = Atomics.add(claims, NEXT, 1)) {
    const offset = part * PART_BYTES;
    const places = [results + offset];
    for (let i = 0; i < operands.length && i < OPERANDS; i++) {
      const operand = operands[i];
      if (operand === undefined) continue;
      if ("place" in operand) places.push(operand.place + offset);
      else {
        if (!isFilled) (size === 4 ? new Float32Array(buffer, constant, each) : new Float64Array(buffer, constant, each)).fill(operand.value);
        isFilled = true;
        places.push(constant);
      }
    }
    run(Math.min(each, count - part * each), places);
    Atomics.add(claims, DONE, 1);
  }
}

/** True when every part is computed. */
export function isDone(job: Job): boolean {
  return Atomics.load(job.claims, DONE) >= partsOf(job);
}
