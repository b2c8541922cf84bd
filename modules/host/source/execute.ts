// SPDX-License-Identifier: Apache-2.0
// Runs command nodes: every thread that has joined a node claims units of it until none is left.
//
// An NDRange is shared out by guided self-scheduling (Polychronopoulos & Kuck 1987): a claim takes a share of the
// groups that are left, so calls of generated code are long at first and short at the end, where they balance uneven
// groups. A claim is one atomic add. A sequence is run by one thread, launch after launch, which reads the clock at
// exponentially growing intervals; when launches turn out long, the rest of the sequence is shared out.
//
// WebAssembly cannot be interrupted, so a thread inside a call is marked THREAD_IN_CALL: only then may the host thread
// terminate it (scheduler.ts, doom). Native code can: a thread inside it is marked THREAD_IN_NATIVE, with what a signal
// to it has to name, and never terminated.
import { CANCEL_LEAVE, KERNEL_DONE, MAX_GROUPS_PER_CALL, WORKER } from "@muxkit/kernel-abi";

import { type Board, claim, double, unclaimed } from "./board.ts";
import { type CodeCache, DONE, type KernelEntry, LEFT } from "./code-cache.ts";
import * as L from "./control-layout.ts";
import { lock, unlock } from "./lock.ts";
import { faultKindOf } from "./faults.ts";
import { noteRange } from "./range-log.ts";
import { cancel, shareLaunch } from "./scheduler.ts";
import { copyUnits, fillUnits, runRectangle, transferUnits } from "./transfers.ts";

/** What a thread needs to run nodes. */
export interface Executor {
  readonly board: Board;
  readonly code: CodeCache;
  /** Threads of the device. */
  readonly threads: number;
  /** Shared arrays by id, for transfers. */
  readonly arrays: (id: number) => Uint8Array | null;
  /** Called between claims: true lets the thread leave early. Only the host thread has other work. */
  readonly shouldLeave: ((node: number) => boolean) | null;
  /** True while claims are as small as is worth one: the host thread, while a program polls. Null: never. */
  readonly claimsLeast: (() => boolean) | null;
  /** Runs an NDRange that other code may take over; null: that code is not taken. */
  readonly succession: ((executor: Executor, node: number, base: number) => void) | null;
}

/** Works on a node that the thread has joined until nothing is left of it, it is cancelled, or the thread has to go. */
export function execute(executor: Executor, node: number): void {
  const { words } = executor.board;
  const base = L.nodeBase(node);
  const kind = words[base + L.NODE_KIND] as number;
  if (words[base + L.NODE_SUCCESSOR] !== 0 && kind === L.KIND_NDRANGE && executor.succession !== null) {
    executor.succession(executor, node, base);
    return;
  }
  if (kind === L.KIND_NDRANGE || (kind === L.KIND_SEQUENCE && words[base + L.SEQUENCE_SHARED] !== 0)) {
    executeRange(executor, node, base);
    return;
  }
  if (kind === L.KIND_SEQUENCE) {
    executeSequence(executor, node, base);
    return;
  }
  if (kind === L.KIND_PARALLEL) {
    executeParallel(executor, node, base);
    return;
  }
  const run = TRANSFERS[kind];
  if (run === undefined) {
    fail(executor.board, node, L.ERROR_WORKER);
    return;
  }
  for (;;) {
    if (Atomics.load(words, base + L.NODE_CANCELLED) !== 0) return;
    const unit = claim(executor.board, node, 1);
    if (unit >= double(executor.board, base + L.NODE_TOTAL)) return;
    if (!run(executor.board, base, unit, executor.arrays)) {
      fail(executor.board, node, L.ERROR_WORKER);
      return;
    }
    if (executor.shouldLeave?.(node) === true) return;
  }
}

type RunTransfer = (board: Board, base: number, unit: number, arrays: (id: number) => Uint8Array | null) => boolean;

const TRANSFERS: Readonly<Record<number, RunTransfer>> = {
  [L.KIND_COPY]: (board, base, unit, arrays) =>
    board.words[base + L.TRANSFER_ARRAY] === 0
      ? copyUnits(board, base, unit)
      : transferUnits(board, base, unit, arrays),
  [L.KIND_FILL]: fillUnits,
  [L.KIND_RECT]: runRectangle,
};

/** A node cannot go on. */
export function fail(board: Board, node: number, error: number, index: number = -1): void {
  lock(board.words);
  if (index >= 0) board.words[L.nodeBase(node) + L.SEQUENCE_NEXT] = index;
  cancel(board, node, error);
  unlock(board.words);
}

function executeRange(executor: Executor, node: number, base: number): void {
  const { board } = executor;
  const { words } = board;
  const run = codeOf(executor, base);
  if (run === null) {
    fail(board, node, L.ERROR_CODE);
    return;
  }
  const block = (words[L.threadBase(board.thread) + L.THREAD_BLOCK] as number) >>> 0;
  prepareWorkerBlock(board, base, block);
  const begin = words[base + L.NDRANGE_SPENT] === 0 ? 0 : board.clock();
  const total = double(board, base + L.NODE_TOTAL);
  const least = words[base + L.NODE_MIN_CLAIM] as number;
  // Guided sizes: a share of what is left, so that calls are long at first and uneven groups balance at the end. More
  // than one call for each thread also lets the engine replace baseline code between calls.
  const shares = executor.claimsLeast?.() === true ? Infinity : executor.threads * 3;
  for (;;) {
    if (Atomics.load(words, base + L.NODE_CANCELLED) !== 0) break;
    const left = unclaimed(board, node);
    if (left <= 0) break;
    const size = Math.min(left, Math.max(least, Math.ceil(left / shares)), MAX_GROUPS_PER_CALL);
    const first = claim(board, node, size);
    if (first >= total) break;
    if (!runGroups(board, node, base, block, run, first, Math.min(total, first + size))) break;
    // After the last groups there is nothing to leave.
    if (first + size >= total || executor.shouldLeave?.(node) === true) break;
  }
  if (begin > 0) Atomics.add(words, base + L.NDRANGE_SPENT, (board.clock() - begin) / L.SPENT_NS);
}

/** A launch of a sequence that runs longer than this, in ns, is worth sharing out, and so are the launches after it. */
const LARGE_NS = 200_000;
/** Most launches between two readings of the clock, and the intended time between them. */
const MOST_UNSEEN = 32;
const LOOK_NS = 20_000;

/** Runs the launches of a sequence, one after the other; they were small when they ran last. */
function executeSequence(executor: Executor, node: number, base: number): void {
  const { board } = executor;
  const { words } = board;
  const block = (words[L.threadBase(board.thread) + L.THREAD_BLOCK] as number) >>> 0;
  const launches = L.EDGES + (words[base + L.SEQUENCE_LAUNCHES] as number);
  const count = words[base + L.SEQUENCE_COUNT] as number;
  const limit = words[base + L.NODE_LIMIT] as number;
  let index = words[base + L.SEQUENCE_NEXT] as number;
  let loaded = 0;
  let launch = 0;
  let total = 0;
  let run: KernelEntry | null = null;
  let looked = board.clock();
  let unseen = 1;
  let next = index + 1;
  prepareWorkerBlock(board, base, block);
  for (; index < count; index++) {
    if (Atomics.load(words, base + L.NODE_CANCELLED) !== 0) return;
    const slot = words[launches + index] as number;
    words[base + L.SEQUENCE_NEXT] = index;
    if (slot !== loaded) {
      loaded = slot;
      launch = L.launchAsNode(slot);
      total = double(board, L.launchBase(slot) + L.LAUNCH_TOTAL);
      run = codeOf(executor, launch);
    }
    if (run === null) {
      fail(board, node, L.ERROR_CODE);
      return;
    }
    // The limit is one launch's, not the sequence's.
    if (limit > 0 && index > 0) startDeadline(board, base, limit);
    if (!runGroups(board, node, launch, block, run, 0, total)) return;
    if (index + 1 < next || index + 1 === count) continue;
    const now = board.clock();
    if (now - looked > LARGE_NS * unseen && executor.threads > 1) {
      shareLaunch(board, base, index + 1);
      return;
    }
    unseen = now - looked > LOOK_NS ? 1 : Math.min(MOST_UNSEEN, unseen * 2);
    looked = now;
    next = index + 1 + unseen;
    if (executor.shouldLeave?.(node) === true) {
      words[base + L.SEQUENCE_NEXT] = index + 1;
      return;
    }
  }
  // Its one unit is used up: the last thread that leaves it completes it.
  words[base + L.NODE_CLAIM] = 1;
}

/**
 * Runs launches that nothing orders: threads claim some at a time, a share of what is left, so that launches that cost
 * more than others balance at the end.
 */
function executeParallel(executor: Executor, node: number, base: number): void {
  const { board } = executor;
  const { words } = board;
  const block = (words[L.threadBase(board.thread) + L.THREAD_BLOCK] as number) >>> 0;
  const launches = L.EDGES + (words[base + L.SEQUENCE_LAUNCHES] as number);
  const count = words[base + L.SEQUENCE_COUNT] as number;
  const limit = words[base + L.NODE_LIMIT] as number;
  const shares = executor.threads * 3;
  let loaded = 0;
  let launch = 0;
  let total = 0;
  let run: KernelEntry | null = null;
  prepareWorkerBlock(board, base, block);
  for (;;) {
    const left = unclaimed(board, node);
    if (left <= 0) return;
    const size = executor.claimsLeast?.() === true ? 1 : Math.ceil(left / shares);
    const first = claim(board, node, size);
    const end = Math.min(count, first + size);
    for (let index = first; index < end; index++) {
      if (Atomics.load(words, base + L.NODE_CANCELLED) !== 0) return;
      const slot = words[launches + index] as number;
      if (slot !== loaded) {
        loaded = slot;
        launch = L.launchAsNode(slot);
        total = double(board, L.launchBase(slot) + L.LAUNCH_TOTAL);
        run = codeOf(executor, launch);
      }
      if (run === null) {
        fail(board, node, L.ERROR_CODE, index);
        return;
      }
      // The limit is one launch's: it counts from the beginning of the last one.
      if (limit > 0) startDeadline(board, base, limit);
      if (!runGroups(board, node, launch, block, run, 0, total, index)) return;
    }
    if (end >= count || executor.shouldLeave?.(node) === true) return;
  }
}

/** A limit of so many ms begins to count for a node. */
function startDeadline(board: Board, base: number, limit: number): void {
  Atomics.store(board.words, base + L.NODE_DEADLINE, Math.min(L.NEVER - 1, Math.floor(board.clock() / 1e6) + limit));
}

/** The function of an NDRange, or of a prepared launch as one. */
export function codeOf({ board, code }: Executor, base: number): KernelEntry | null {
  const { words } = board;
  return code.find(
    board,
    words[base + L.NDRANGE_CODE] as number,
    words[base + L.NDRANGE_CODE_ID] as number,
    words[base + L.NDRANGE_FUNCTION] as number,
  );
}

/**
 * Runs groups `first` to `end` of the part; false when the thread has to leave the node. `launch` is the base of the
 * words of the NDRange: the node's, or a prepared launch's as a node. `index` is that of a launch of a parallel node.
 */
export function runGroups(
  board: Board,
  node: number,
  launch: number,
  block: number,
  run: KernelEntry,
  first: number,
  end: number,
  index: number = -1,
): boolean {
  const { words } = board;
  const row = L.threadBase(board.thread);
  const args = words[launch + L.NDRANGE_ARGS] as number;
  const dispatch = words[launch + L.NDRANGE_DISPATCH] as number;
  words[row + L.THREAD_UNITS] = ((words[row + L.THREAD_UNITS] as number) + (end - first)) | 0;
  const begin = board.ranges === null ? 0 : board.clock();
  let from = first;
  while (from < end) {
    const call = planCall(words, launch, from, end);
    const group = (block + WORKER.groupBase) >>> 2;
    board.memory.words[group] = call.x;
    board.memory.words[group + 1] = call.y;
    board.memory.words[group + 2] = call.z;
    const outcome = run.isNative
      ? run.run(args, dispatch, block, call.first, call.end)
      : callKernel(board, row, run, args, dispatch, block, call.first, call.end);
    if (outcome !== DONE) {
      noteFailure(board, node, launch, block, outcome, from, end, index);
      return false;
    }
    from += call.end - call.first;
  }
  if (board.ranges !== null)
    noteRange(
      board.ranges,
      board.thread,
      begin,
      board.clock(),
      node,
      first,
      end,
      words[launch + L.NDRANGE_CODE_ID] as number,
      words[launch + L.NDRANGE_FUNCTION] as number,
    );
  return true;
}

/** Calls WebAssembly: how it ended. */
function callKernel(
  board: Board,
  row: number,
  { run }: KernelEntry,
  args: number,
  dispatch: number,
  block: number,
  first: number,
  end: number,
): number {
  const { words } = board;
  // Between these two exchanges the reaper may abandon this thread; a thread that finds itself doomed never touches
  // anything again.
  if (board.thread !== L.HOST_THREAD) Atomics.store(words, row + L.THREAD_STATE, L.THREAD_IN_CALL);
  let outcome = DONE;
  try {
    if (run(args, dispatch, block, first, end) !== KERNEL_DONE) outcome = LEFT;
  } catch (error) {
    outcome = faultKindOf(error instanceof Error ? error.message : String(error));
  }
  if (
    board.thread !== L.HOST_THREAD &&
    Atomics.compareExchange(words, row + L.THREAD_STATE, L.THREAD_IN_CALL, L.THREAD_BUSY) !== L.THREAD_IN_CALL
  ) {
    for (;;) Atomics.wait(words, L.DOOM, 0);
  }
  return outcome;
}

function noteFailure(
  board: Board,
  node: number,
  launch: number,
  block: number,
  outcome: number,
  first: number,
  end: number,
  index: number,
): void {
  const { words } = board;
  const base = L.nodeBase(node);
  lock(words);
  if (words[base + L.NODE_CANCELLED] === 0) {
    if (index >= 0) words[base + L.SEQUENCE_NEXT] = index;
    // A loop whose deadline has passed sets the word to "leave" and traps: deep calls have no other way out.
    if (outcome === LEFT || board.memory.words[(block + WORKER.cancelWord) >>> 2] === CANCEL_LEAVE) {
      const limit = words[base + L.NODE_LIMIT] as number;
      const expired = limit > 0 && board.clock() >= (words[base + L.NODE_DEADLINE] as number) * 1e6;
      cancel(board, node, expired ? L.ERROR_DEADLINE : L.ERROR_LEFT);
    } else {
      words[base + L.NODE_FAULT] = outcome;
      words[base + L.NODE_FAULT_FIRST] = first | 0;
      words[base + L.NODE_FAULT_END] = end | 0;
      readFaultRecord(board, base, launch, block);
      cancel(board, node, L.ERROR_TRAP);
    }
  }
  unlock(words);
}

/**
 * A kernel can write its own fault record, so it is trusted only as far as it is consistent
 * (docs/decisions/007-control-memory.md).
 */
function readFaultRecord(board: Board, base: number, launch: number, block: number): void {
  const { words } = board;
  const group = (block + WORKER.faultGroup) >>> 2;
  words[base + L.NODE_FAULT_HAS_GROUP] = 0;
  if (board.memory.words[(block + WORKER.faultKind) >>> 2] === 0) return;
  for (let i = 0; i < 3; i++) {
    const index = (board.memory.words[group + i] as number) >>> 0;
    const first = (words[launch + L.NDRANGE_FIRST + i] as number) >>> 0;
    const count = (words[launch + L.NDRANGE_COUNT + i] as number) >>> 0;
    if (index < first || index - first >= count) return;
    words[base + L.NODE_FAULT_GROUP + i] = index | 0;
  }
  words[base + L.NODE_FAULT_HAS_GROUP] = 1;
}

/** Tells generated code where the thread's arena for a launch is. */
export function prepareWorkerBlock(board: Board, base: number, block: number): void {
  const { words } = board;
  const memory = board.memory.words;
  const stride = (words[base + L.NDRANGE_ARENA_STRIDE] as number) >>> 0;
  memory[(block + WORKER.arenaBase) >>> 2] =
    (((words[base + L.NDRANGE_ARENA] as number) >>> 0) + stride * board.thread) | 0;
  memory[(block + WORKER.arenaSize) >>> 2] = stride | 0;
}

interface Call {
  x: number;
  y: number;
  z: number;
  first: number;
  end: number;
}

const call: Call = { x: 0, y: 0, z: 0, first: 0, end: 0 };

/**
 * Finds the base group and the relative range for the groups from `from` on, as far as one call can go. Generated code
 * adds base and remainder without a carry, so a base may be inside a row or a plane only when the call stays inside it.
 */
export function planCall(words: Int32Array, base: number, from: number, end: number): Call {
  const nx = (words[base + L.NDRANGE_COUNT] as number) >>> 0;
  const ny = (words[base + L.NDRANGE_COUNT + 1] as number) >>> 0;
  const plane = nx * ny;
  let start = 0;
  let limit = MAX_GROUPS_PER_CALL;
  call.x = 0;
  call.y = 0;
  call.z = 0;
  if (end > MAX_GROUPS_PER_CALL) {
    if (plane <= MAX_GROUPS_PER_CALL) {
      const planes = Math.floor(MAX_GROUPS_PER_CALL / plane);
      call.z = Math.floor(from / plane / planes) * planes;
      start = call.z * plane;
      limit = planes * plane;
    } else if (nx <= MAX_GROUPS_PER_CALL) {
      const rows = Math.floor(MAX_GROUPS_PER_CALL / nx);
      call.z = Math.floor(from / plane);
      call.y = Math.floor((from - call.z * plane) / nx / rows) * rows;
      start = call.z * plane + call.y * nx;
      limit = Math.min(rows, ny - call.y) * nx;
    } else {
      call.z = Math.floor(from / plane);
      call.y = Math.floor((from - call.z * plane) / nx);
      const rowStart = call.z * plane + call.y * nx;
      call.x = Math.floor((from - rowStart) / MAX_GROUPS_PER_CALL) * MAX_GROUPS_PER_CALL;
      start = rowStart + call.x;
      limit = Math.min(MAX_GROUPS_PER_CALL, nx - call.x);
    }
  }
  call.first = from - start;
  call.end = Math.min(end - start, limit);
  call.x = (call.x + (words[base + L.NDRANGE_FIRST] as number)) | 0;
  call.y = (call.y + (words[base + L.NDRANGE_FIRST + 1] as number)) | 0;
  call.z = (call.z + (words[base + L.NDRANGE_FIRST + 2] as number)) | 0;
  return call;
}
