// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// Arrays in a shared memory of the library's own: batched functions compute in them in place, on all threads that were
// started.
//
// The memory grows by pages; free blocks are kept sorted by offset, the first that fits is taken (first fit), and
// neighbours are coalesced on release. A call is cut into parts of 64 kB, which threads claim by an atomic counter
// (job.ts), so the cost is one pass over the arrays and one atomic operation a part. Ordinary arrays go through a ring
// of staged parts: the calling thread copies in and out while the others compute (a pipeline of `slots` parts).
import type { BakedKernel } from "./generated/batched.js";
import {
  ARRAYS_FROM,
  type Job,
  addPart,
  isComputed,
  isDone,
  newClaims,
  pageOf,
  partComputer,
  partsOf,
  work,
} from "./job.ts";
import {
  type KernelCode,
  OPERANDS,
  PAGE,
  PART_BYTES,
  type RunAt,
  compileKernel,
  instantiate,
  layOutPage,
} from "./kernel.ts";
import { threads } from "./threads.ts";

/** An array that batched functions take and return. @public */
export type FloatArray = Float32Array | Float64Array;

/** Granularity of blocks in bytes: a vector that reads past the end of an array reads no other one. */
const GRAIN = 256;
/** Most pages of the memory; where a machine does not reserve so many, fewer are tried. */
const MOST_PAGES: readonly number[] = [65_536, 32_768, 16_384];
/** With fewer parts than this, other threads are not woken. */
const PARTS_FOR_THREADS = 4;
/** The same for ordinary arrays. */
const PARTS_FOR_STAGE = 8;
/** Parts of ordinary arrays that are staged at once. */
const SLOTS_OF_THREAD = 4;
const MOST_SLOTS = 32;

interface Block {
  readonly from: number;
  readonly bytes: number;
}

/** The memory, opened when the first array is allocated. */
interface SharedMemory {
  readonly memory: WebAssembly.Memory;
  /** Each growth makes a new object for the same bytes. */
  readonly buffers: WeakSet<ArrayBufferLike>;
  /** Free blocks by offset; the last one ends where the memory does. */
  free: readonly Block[];
  readonly blocks: WeakMap<FloatArray, Block>;
}

let shared: SharedMemory | null | undefined;

/** The shared memory; null: this environment has none. */
function openShared(): SharedMemory | null {
  if (shared !== undefined) return shared;
  shared = null;
  if (typeof SharedArrayBuffer === "undefined") return shared;
  for (const maximum of MOST_PAGES) {
    try {
      const memory = new WebAssembly.Memory({ initial: ARRAYS_FROM / PAGE, maximum, shared: true });
      layOutPage(memory.buffer, pageOf(0));
      shared = { memory, buffers: new WeakSet([memory.buffer]), free: [], blocks: new WeakMap() };
      return shared;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return shared;
}

/** Neighbours that are free become one block. */
function joined(blocks: readonly Block[]): readonly Block[] {
  const all: Block[] = [];
  for (const block of blocks.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last !== undefined && last.from + last.bytes === block.from)
      all[all.length - 1] = { from: last.from, bytes: last.bytes + block.bytes };
    else all.push(block);
  }
  return all;
}

/**
 * Takes the first free block that is large enough, and grows the memory where there is none. Throws RangeError when it
 * cannot grow.
 */
function take(space: SharedMemory, bytes: number): Block {
  const fits = space.free.find((block) => block.bytes >= bytes);
  if (fits === undefined) {
    const { memory } = space;
    const end = memory.buffer.byteLength;
    const pages = Math.ceil(bytes / PAGE);
    memory.grow(pages);
    space.buffers.add(memory.buffer);
    space.free = joined([...space.free, { from: end, bytes: pages * PAGE }]);
    return take(space, bytes);
  }
  space.free = space.free.flatMap((block) =>
    block !== fits ? [block] : block.bytes === bytes ? [] : [{ from: block.from + bytes, bytes: block.bytes - bytes }],
  );
  return { from: fits.from, bytes };
}

function allocate<T extends FloatArray>(
  size: 4 | 8,
  length: number,
  view: (buffer: ArrayBufferLike, from: number) => T,
  plain: () => T,
): T {
  if (!Number.isInteger(length) || length < 0)
    throw new RangeError(`an array has a whole number of elements, not ${length}`);
  const space = openShared();
  if (space === null) return plain();
  const block = take(space, Math.max(GRAIN, Math.ceil((length * size) / GRAIN) * GRAIN));
  const array = view(space.memory.buffer, block.from);
  array.fill(0);
  space.blocks.set(array, block);
  return array;
}

/**
 * A new array of zeros that batched functions compute in without copies, on all threads that were started. It stays
 * until it is released. Where the environment has no shared memory, it is an ordinary array. Throws RangeError when
 * there is no room.
 * @public
 */
export function allocateFloat32(length: number): Float32Array {
  return allocate(
    4,
    length,
    (buffer, from) => new Float32Array(buffer, from, length),
    () => new Float32Array(length),
  );
}

/**
 * The same for doubles. Throws RangeError when there is no room.
 * @public
 */
export function allocateFloat64(length: number): Float64Array {
  return allocate(
    8,
    length,
    (buffer, from) => new Float64Array(buffer, from, length),
    () => new Float64Array(length),
  );
}

/**
 * Frees the memory of an allocated array: neither it nor its views may be used any more. Throws RangeError for
 * another array or a second time.
 * @public
 */
export function release(array: FloatArray): void {
  const space = openShared();
  if (space === null) return;
  const block = space.blocks.get(array);
  if (block === undefined) throw new RangeError("release takes an array that was allocated and not yet released");
  space.blocks.delete(array);
  space.free = joined([...space.free, block]);
}

/** True for an array in the shared memory. */
function isShared(array: FloatArray): boolean {
  return shared?.buffers.has(array.buffer) ?? false;
}

/** A kernel in the shared memory. */
interface SharedKernel {
  readonly id: number;
  readonly code: KernelCode;
  readonly run: RunAt;
}
const kernels = new Map<BakedKernel, SharedKernel>();

function sharedKernel({ memory }: SharedMemory, baked: BakedKernel): SharedKernel {
  const known = kernels.get(baked);
  if (known !== undefined) return known;
  const code = compileKernel(baked, true);
  const made = { id: kernels.size, code, run: instantiate(code, memory, pageOf(0)) };
  kernels.set(baked, made);
  return made;
}

/**
 * Computes the first `count` elements, a multiple of the group, in place. False: some operand or the output is not in
 * the shared memory, and nothing was done.
 */
export function runInPlace(
  baked: BakedKernel,
  operands: readonly (FloatArray | number)[],
  count: number,
  output: FloatArray,
): boolean {
  if (
    shared === null ||
    shared === undefined ||
    !isShared(output) ||
    operands.some((operand) => typeof operand !== "number" && !isShared(operand))
  )
    return false;
  const { id, code, run } = sharedKernel(shared, baked);
  const others = threads();
  const size = output.BYTES_PER_ELEMENT as 4 | 8;
  const parts = partsOf({ size, count });
  const job: Job = {
    size,
    count,
    results: output.byteOffset,
    slots: 0,
    claims: newClaims(others.length > 0, parts, 0),
    operands: operands.map((operand) =>
      typeof operand === "number" ? { value: operand } : { offset: operand.byteOffset },
    ),
  };
  if (parts >= PARTS_FOR_THREADS) for (const other of others) other.send(id, code, shared.memory, job);
  work(run, shared.memory, 0, job);
  // The last parts of others take as long as one of ours at most.
  while (!isDone(job));
  return true;
}

/** Room for parts of ordinary arrays: results, then operands, `slots` parts each. */
interface Stage {
  readonly slots: number;
  readonly views: Readonly<Record<4 | 8, readonly (readonly FloatArray[])[]>>;
  readonly offsets: readonly number[];
}
let stage: Stage | undefined;

function openStage(space: SharedMemory, slots: number): Stage {
  if (stage !== undefined && stage.slots >= slots) return stage;
  const { from } = take(space, (OPERANDS + 1) * slots * PART_BYTES);
  const { buffer } = space.memory;
  const offsets = Array.from({ length: OPERANDS + 1 }, (_, i) => from + i * slots * PART_BYTES);
  const viewsOf = (view: (at: number) => FloatArray): readonly (readonly FloatArray[])[] =>
    offsets.map((offset) => Array.from({ length: slots }, (_, slot) => view(offset + slot * PART_BYTES)));
  stage = {
    slots,
    offsets,
    views: {
      4: viewsOf((at) => new Float32Array(buffer, at, PART_BYTES / 4)),
      8: viewsOf((at) => new Float64Array(buffer, at, PART_BYTES / 8)),
    },
  };
  return stage;
}

/**
 * Computes over ordinary arrays with the threads that were started: the calling one, which alone sees the arrays,
 * brings parts into the shared memory and takes results out while others compute, and computes when it has nothing to
 * carry. False: there are no threads or not enough to do, and nothing was done.
 */
export function runStaged(
  baked: BakedKernel,
  operands: readonly (FloatArray | number)[],
  count: number,
  output: FloatArray,
): boolean {
  const others = threads();
  const size = output.BYTES_PER_ELEMENT as 4 | 8;
  const parts = partsOf({ size, count });
  const space = others.length === 0 || parts < PARTS_FOR_STAGE ? null : openShared();
  if (space === null) return false;
  const { slots, offsets, views } = openStage(space, Math.min(MOST_SLOTS, SLOTS_OF_THREAD * (others.length + 1)));
  const [resultsAt = 0, ...operandsAt] = offsets;
  const [results = [], ...inputs] = views[size];
  const { id, code, run } = sharedKernel(space, baked);
  const job: Job = {
    size,
    count,
    results: resultsAt,
    slots,
    claims: newClaims(true, 0, slots),
    operands: operands.map((operand, i) =>
      typeof operand === "number" ? { value: operand } : { offset: operandsAt[i] ?? 0 },
    ),
  };
  for (const other of others) other.send(id, code, space.memory, job);
  const compute = partComputer(run, space.memory, 0, job);
  const each = PART_BYTES / size;
  for (let brought = 0, taken = 0; taken < parts;) {
    if (isComputed(job, taken)) {
      const start = taken * each;
      const result = results[taken % slots];
      if (result !== undefined) output.set(count - start < each ? result.subarray(0, count - start) : result, start);
      taken++;
    } else if (brought < parts && brought - taken < slots) {
      const start = brought * each;
      for (let i = 0; i < operands.length; i++) {
        const operand = operands[i];
        if (typeof operand === "object")
          inputs[i]?.[brought % slots]?.set(operand.subarray(start, Math.min(start + each, count)));
      }
      addPart(job);
      brought++;
    } else compute();
  }
  return true;
}
