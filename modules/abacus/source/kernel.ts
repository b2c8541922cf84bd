// SPDX-License-Identifier: Apache-2.0
// / <reference lib="dom" /> A baked kernel in a memory: where its blocks lie, how it is loaded and run over a number of
// elements (docs/kernel-abi.md).
import { BATCHED_GROUP } from "./batched.table.ts";

/** Most operands. */
export const OPERANDS = 2;
export const PAGE = 65_536;
/**
 * Bytes of an operand or of results that one call of a kernel goes through: with two operands, three times as much lies
 * in a second-level cache.
 */
export const PART_BYTES = 65_536;
/**
 * Where the packed arguments, the dispatch block, the worker block, constants and the private stack lie in the page of
 * a thread.
 */
const PLACES = { args: 1024, dispatch: 2048, worker: 3072, data: 4096, arena: 16_384 } as const;
/** What the flags byte of a memory import says. */
const MEMORY_FLAGS = { unshared: 1, shared: 3 } as const;

/** What a thread needs to run a kernel: cloned from thread to thread. */
export interface KernelCode {
  readonly module: WebAssembly.Module;
  readonly constants: Uint8Array;
}

/** Runs a kernel over `count` elements, a multiple of the group, at the places of results and operands. */
export type RunAt = (count: number, places: readonly number[]) => void;

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
  bytes[flagsAt] = MEMORY_FLAGS[isShared ? "shared" : "unshared"];
  return { module: new WebAssembly.Module(bytes), constants: bytesOf(data) };
}

/** Writes the blocks of a thread that every call shares into its page. */
export function layOutPage(buffer: ArrayBufferLike, page: number): void {
  const words = new Uint32Array(buffer, page, PAGE / 4);
  words.set([128, 1, 1, 1, 1, 0, 0, 0, BATCHED_GROUP, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1], PLACES.dispatch / 4);
  words[(PLACES.dispatch + 96) / 4] = page + PLACES.data;
  words.set([128, 0, page + PLACES.arena, PAGE - PLACES.arena, 0, 1], PLACES.worker / 4);
}

/** A kernel that runs with the blocks of a page. Its constants are put there each time: kernels share the place. */
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
  const place = new Uint8Array(memory.buffer, page + PLACES.data, constants.length);
  return (count, places) => {
    const groups = Math.ceil(count / BATCHED_GROUP);
    place.set(constants);
    for (let i = 0; i < places.length; i++) words[PLACES.args / 4 + i] = places[i] ?? 0;
    const at = PLACES.dispatch / 4;
    words[at + 2] = groups * BATCHED_GROUP;
    words[at + 11] = words[at + 17] = words[at + 20] = groups;
    run?.(page + PLACES.args, page + PLACES.dispatch, page + PLACES.worker, 0, groups);
  };
}
