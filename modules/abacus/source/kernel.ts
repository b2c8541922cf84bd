// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// A baked kernel in a memory: the layout of its blocks, how it is loaded and run over a number of elements
// (docs/kernel-abi.md).
import { BATCHED_GROUP } from "./batched.table.ts";

/** Most operands. */
export const OPERANDS = 2;
export const PAGE = 65_536;
/**
 * Bytes of an operand or of results that one call of a kernel processes: with two operands, three times as much fits in
 * a second-level cache.
 */
export const PART_BYTES = 65_536;
/**
 * Offsets of fields in the blocks of the kernel ABI. They are those of `@muxkit/kernel-abi`, which a test compares: the
 * package has no dependencies, so that its threads load one file.
 */
export const ABI = {
  dispatch: {
    bytes: 128,
    dimensions: 4,
    globalSize: 8,
    localSize: 32,
    groupCount: 44,
    rangeCount: 68,
    rangeTotal: 80,
    programData: 96,
  },
  worker: { bytes: 128, arenaBase: 8, arenaSize: 12 },
  /** The flags byte of a memory import. */
  memoryFlags: { plain: 1, shared: 3 },
} as const;

/** Offsets of packed arguments, dispatch block, worker block, constants and private stack in the page of a thread. */
const OFFSETS = { args: 1024, dispatch: 2048, worker: 3072, data: 4096, arena: 16_384 } as const;

/** What a thread needs to run a kernel: cloned from thread to thread. */
export interface KernelCode {
  readonly module: WebAssembly.Module;
  readonly constants: Uint8Array;
}

/** Runs a kernel over `count` elements, a multiple of the group, at the offsets of results and operands. */
export type RunAt = (count: number, offsets: readonly number[]) => void;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const characters = atob(base64);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

/** Compiles a baked kernel for a shared memory or for one that is not. */
export function compileKernel(
  { code, flagsAt, data }: { readonly code: string; readonly flagsAt: number; readonly data: string },
  isShared: boolean,
): KernelCode {
  const bytes = bytesOf(code);
  bytes[flagsAt] = ABI.memoryFlags[isShared ? "shared" : "plain"];
  return { module: new WebAssembly.Module(bytes), constants: bytesOf(data) };
}

/** Writes the blocks of a thread that every call shares into its page. */
export function layOutPage(buffer: ArrayBufferLike, page: number): void {
  const words = new Uint32Array(buffer, page, PAGE / 4);
  const { dispatch, worker } = ABI;
  const put = (at: number, ...values: readonly number[]): void => {
    words.set(values, at / 4);
  };
  put(OFFSETS.dispatch, dispatch.bytes);
  put(OFFSETS.dispatch + dispatch.dimensions, 1);
  put(OFFSETS.dispatch + dispatch.globalSize, 1, 1, 1);
  put(OFFSETS.dispatch + dispatch.localSize, BATCHED_GROUP, 1, 1);
  put(OFFSETS.dispatch + dispatch.groupCount, 1, 1, 1);
  put(OFFSETS.dispatch + dispatch.rangeCount, 1, 1, 1);
  put(OFFSETS.dispatch + dispatch.programData, page + OFFSETS.data);
  put(OFFSETS.worker, worker.bytes);
  put(OFFSETS.worker + worker.arenaBase, page + OFFSETS.arena);
  put(OFFSETS.worker + worker.arenaSize, PAGE - OFFSETS.arena);
}

/** A kernel that runs with the blocks of a page. Its constants are written each time: kernels share their memory. */
export function instantiate({ module, constants }: KernelCode, memory: WebAssembly.Memory, page: number): RunAt {
  const instance = new WebAssembly.Instance(module, { env: { memory, clock: () => 0 } });
  const [run] = Object.values(instance.exports) as readonly unknown[] as readonly ((
    args: number,
    dispatch: number,
    worker: number,
    first: number,
    end: number,
  ) => number)[];
  const words = new Uint32Array(memory.buffer, page, PAGE / 4);
  const data = new Uint8Array(memory.buffer, page + OFFSETS.data, constants.length);
  return (count, offsets) => {
    const groups = Math.ceil(count / BATCHED_GROUP);
    data.set(constants);
    for (let i = 0; i < offsets.length; i++) words[OFFSETS.args / 4 + i] = offsets[i] ?? 0;
    words[(OFFSETS.dispatch + ABI.dispatch.globalSize) / 4] = groups * BATCHED_GROUP;
    words[(OFFSETS.dispatch + ABI.dispatch.groupCount) / 4] = groups;
    words[(OFFSETS.dispatch + ABI.dispatch.rangeCount) / 4] = groups;
    words[(OFFSETS.dispatch + ABI.dispatch.rangeTotal) / 4] = groups;
    run?.(page + OFFSETS.args, page + OFFSETS.dispatch, page + OFFSETS.worker, 0, groups);
  };
}
