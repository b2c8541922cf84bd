// SPDX-License-Identifier: Apache-2.0
// Copies and fills of memory that is named by numbers: shared virtual memory and unified shared memory do the same, and
// differ in what a number may name.
import { bytesOf } from "@muxkit/cargo";
import { muxCommandCopyBuffer, muxCommandFillBuffer, muxCommandReadBuffer, muxCommandWriteBuffer } from "@muxkit/mux";

import { NO_ACCESSES } from "./access.ts";
import type { MemoryRange } from "./allocation-list.ts";
import { PATTERN_SIZES } from "./enqueue.ts";
import { ensure } from "./error.ts";
import type { CommandType } from "./event.ts";

import {
  type CheckedCommand,
  type CommandOwner,
  type RecordCommand,
  checkArray,
  ensureReaches,
  hostCommand,
  ownArray,
} from "./enqueue-checks.ts";

/** Resolves an address: the location of the `size` bytes that begin there, or the call's error. */
export type Resolve = (call: string, owner: CommandOwner, pointer: number, size: number) => MemoryRange;

/** What a kind of memory calls its commands, and how it finds them. */
export interface PointerMemory {
  readonly resolve: Resolve;
  readonly copy: CommandType;
  readonly fill: CommandType;
}

/** One side of a copy: an address, or an array of the host's. */
export type PointerOrArray = number | ArrayBufferView;

type Side = MemoryRange | Uint8Array;

function copyOf(target: Side, source: Side, size: number): RecordCommand {
  if (target instanceof Uint8Array) {
    if (source instanceof Uint8Array)
      return hostCommand(() => {
        target.set(source);
      });
    return (commands, waits = []) => muxCommandReadBuffer(commands, source.buffer.buffer, source.offset, target, waits);
  }
  if (source instanceof Uint8Array)
    return (commands, waits = []) =>
      muxCommandWriteBuffer(commands, target.buffer.buffer, target.offset, source, waits);
  return (commands, waits = []) =>
    muxCommandCopyBuffer(
      commands,
      source.buffer.buffer,
      source.offset,
      target.buffer.buffer,
      target.offset,
      size,
      waits,
    );
}

/** True when two sides share bytes. */
function meets(target: Side, source: Side, size: number): boolean {
  if (target instanceof Uint8Array)
    return (
      source instanceof Uint8Array &&
      target.buffer === source.buffer &&
      Math.abs(target.byteOffset - source.byteOffset) < size
    );
  return (
    !(source instanceof Uint8Array) && target.buffer === source.buffer && Math.abs(target.offset - source.offset) < size
  );
}

/** Checks a copy. Of a source in an array of the host's up to 64 KiB are copied at once unless the call blocks. */
export function copyPointers(
  call: string,
  owner: CommandOwner,
  memory: PointerMemory,
  target: PointerOrArray,
  source: PointerOrArray,
  size: number,
  blocking: boolean,
): CheckedCommand {
  ensure(Number.isSafeInteger(size) && size >= 0, "CL_INVALID_VALUE", call, `${size} is not a number of bytes`);
  ensureReaches(call, owner);
  const sideOf = (side: PointerOrArray): Side =>
    typeof side === "number" ? memory.resolve(call, owner, side, size) : checkArray(call, side, size);
  const to = sideOf(target);
  const given = sideOf(source);
  ensure(
    !meets(to, given, size),
    "CL_MEM_COPY_OVERLAP",
    call,
    "source and target overlap; copy through another allocation",
  );
  const from = given instanceof Uint8Array ? ownArray(given, blocking) : given;
  const objects = [to, from].flatMap((side) => (side instanceof Uint8Array ? [] : [side.buffer]));
  return { type: memory.copy, objects, record: size === 0 ? null : copyOf(to, from, size), accesses: NO_ACCESSES };
}

/** Checks a fill with a pattern of 1 to 128 bytes. */
export function fillPointer(
  call: string,
  owner: CommandOwner,
  memory: PointerMemory,
  pointer: number,
  pattern: ArrayBufferView,
  size: number,
): CheckedCommand {
  ensure(
    ArrayBuffer.isView(pattern) && PATTERN_SIZES.includes(pattern.byteLength),
    "CL_INVALID_VALUE",
    call,
    () => `a pattern has ${PATTERN_SIZES.join(", ")} bytes, not ${pattern?.byteLength}`,
  );
  ensureReaches(call, owner);
  const bytes = bytesOf(pattern).slice();
  ensure(
    Number.isSafeInteger(size) && size >= 0 && size % bytes.length === 0 && pointer % bytes.length === 0,
    "CL_INVALID_VALUE",
    call,
    () => `pointer ${pointer} and size ${size} are not both multiples of the pattern's ${bytes.length} bytes`,
  );
  const { buffer, offset } = memory.resolve(call, owner, pointer, size);
  return {
    type: memory.fill,
    objects: [buffer],
    record:
      size === 0
        ? null
        : (commands, waits = []) => muxCommandFillBuffer(commands, buffer.buffer, offset, size, bytes, waits),
    accesses: NO_ACCESSES,
  };
}
