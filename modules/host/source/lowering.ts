// SPDX-License-Identifier: Apache-2.0
// Lowers each kind of command but launches to command nodes. Where the caller's array is decides how a transfer runs:
// inside device memory, in a shared array that workers can copy, or in an array that only the host thread can access.
import { type Box, copyBox } from "@muxkit/hal";
import { copyBytes } from "@muxkit/cargo";

import { setDouble } from "./board.ts";
import type { CommandBody, HostOutcome } from "./command.ts";
import * as L from "./control-layout.ts";
import type { DeviceCore } from "./device-core.ts";
import type { Block } from "./device-memory.ts";

/**
 * Writes of at most this many bytes are copied at dispatch, so that no host thread is needed later
 * (docs/decisions/002-host-commands.md).
 */
const STAGING_LIMIT = 65536;
/** ns a byte of a copy, to weigh it. */
const COPY_COST = 0.1;

/** What lowering needs of a batch; each call returns 0 or null when there is no room. */
export interface Lowering {
  readonly core: DeviceCore;
  /** The command buffer, which host commands receive. */
  readonly owner: object | null;
  takeNode(kind: number): number;
  takeMemory(bytes: number): Block | null;
  publishArray(array: SharedArrayBuffer): number;
  setHostRun(node: number, run: () => HostOutcome): void;
  stage(array: Uint8Array, address: number): void;
  addWeight(weight: number): void;
}

type Body<Kind extends CommandBody["kind"]> = Extract<CommandBody, { readonly kind: Kind }>;

/** One function for each kind of command but launches: false when there is no room. */
export type Lowerings = {
  readonly [Kind in Exclude<CommandBody["kind"], "ndrange" | "parallel">]: (
    lowering: Lowering,
    body: Body<Kind>,
  ) => boolean;
};

/** See the file's head. */
export const LOWERINGS: Lowerings = {
  // A head completes at once where nothing is left to wait for.
  barrier: (lowering) => lowering.takeNode(L.KIND_HEAD) !== 0,
  copy: (lowering, body) => lowerCopy(lowering, body.source, body.target, body.size),
  fill: lowerFill,
  rectangle: lowerRectangle,
  read: (lowering, body) => lowerTransfer(lowering, true, body.address, body.array, body.size),
  write: (lowering, body) => lowerTransfer(lowering, false, body.address, body.array, body.size),
  "read-box": lowerBox,
  "write-box": lowerBox,
  host: (lowering, body) => lowerHost(lowering, () => body.run(lowering.owner)),
  query: lowerQuery,
};

function lowerCopy(lowering: Lowering, source: number, target: number, size: number): boolean {
  const node = lowering.takeNode(L.KIND_COPY);
  if (node === 0) return false;
  const { board } = lowering.core;
  const base = L.nodeBase(node);
  board.words[base + L.TRANSFER_SOURCE] = source | 0;
  board.words[base + L.TRANSFER_TARGET] = target | 0;
  board.words[base + L.TRANSFER_ARRAY] = 0;
  setDouble(board, base + L.TRANSFER_SIZE, size);
  const overlaps = Math.abs(source - target) < size;
  setDouble(board, base + L.NODE_TOTAL, overlaps ? 1 : Math.ceil(size / L.TRANSFER_UNIT));
  lowering.addWeight(size * COPY_COST);
  return true;
}

function lowerFill(lowering: Lowering, body: Body<"fill">): boolean {
  const node = lowering.takeNode(L.KIND_FILL);
  if (node === 0) return false;
  const { board } = lowering.core;
  const base = L.nodeBase(node);
  const size = body.pattern.length;
  board.words[base + L.TRANSFER_TARGET] = body.target | 0;
  board.words[base + L.TRANSFER_PATTERN_SIZE] = size;
  for (let i = 0; i < size; i++)
    board.words[base + L.TRANSFER_PATTERN + (i >> 2)] =
      (board.words[base + L.TRANSFER_PATTERN + (i >> 2)] as number) | ((body.pattern[i] as number) << ((i & 3) * 8));
  setDouble(board, base + L.TRANSFER_SIZE, body.size);
  setDouble(board, base + L.NODE_TOTAL, L.TRANSFER_UNIT % size === 0 ? Math.ceil(body.size / L.TRANSFER_UNIT) : 1);
  lowering.addWeight(body.size * COPY_COST);
  return true;
}

function lowerRectangle(lowering: Lowering, body: Body<"rectangle">): boolean {
  const node = lowering.takeNode(L.KIND_RECT);
  if (node === 0) return false;
  const { board } = lowering.core;
  const { words } = board;
  const base = L.nodeBase(node);
  words[base + L.TRANSFER_SOURCE] = body.source.start | 0;
  words[base + L.TRANSFER_TARGET] = body.target.start | 0;
  words[base + L.TRANSFER_ROW] = body.row | 0;
  words[base + L.TRANSFER_ROWS] = body.rows | 0;
  words[base + L.TRANSFER_SLICES] = body.slices | 0;
  words[base + L.TRANSFER_SOURCE_ROW] = body.source.rowPitch | 0;
  words[base + L.TRANSFER_SOURCE_SLICE] = body.source.slicePitch | 0;
  words[base + L.TRANSFER_TARGET_ROW] = body.target.rowPitch | 0;
  words[base + L.TRANSFER_TARGET_SLICE] = body.target.slicePitch | 0;
  setDouble(board, base + L.NODE_TOTAL, body.slices);
  lowering.addWeight(body.row * body.rows * body.slices * COPY_COST);
  return true;
}

function lowerTransfer(lowering: Lowering, reads: boolean, address: number, array: Uint8Array, size: number): boolean {
  const { core } = lowering;
  const { views } = core.memory;
  const inside = deviceAddressOf(core, array);
  if (inside !== null)
    return reads ? lowerCopy(lowering, address, inside, size) : lowerCopy(lowering, inside, address, size);
  if (!(array.buffer instanceof ArrayBuffer) && core.board.shared && core.settings.environment.sendsArrays)
    return lowerShared(lowering, reads, address, array, size);
  if (!reads && size <= STAGING_LIMIT) {
    const block = lowering.takeMemory(size);
    if (block === null) return false;
    lowering.stage(array.subarray(0, size), block.address);
    return lowerCopy(lowering, block.address, address, size);
  }
  return lowerHost(
    lowering,
    reads
      ? () => {
          copyBytes(array, 0, views.bytes.subarray(address, address + size));
        }
      : () => {
          copyBytes(views.bytes, address, array.subarray(0, size));
        },
  );
}

/** Address of an array inside the device's memory, made by `allocateArray`; null for every other one. */
export function deviceAddressOf(core: DeviceCore, array: Uint8Array): number | null {
  // Growth makes new buffers for the same memory: `allocateArray` notes the ones that it returns.
  return core.ownsBuffer(array.buffer) ? array.byteOffset : null;
}

/** A shared array: workers identify it by a number and copy without the host thread. */
function lowerShared(lowering: Lowering, reads: boolean, address: number, array: Uint8Array, size: number): boolean {
  const { core } = lowering;
  const node = lowering.takeNode(L.KIND_COPY);
  if (node === 0) return false;
  const { board } = core;
  const base = L.nodeBase(node);
  board.words[base + (reads ? L.TRANSFER_SOURCE : L.TRANSFER_TARGET)] = address | 0;
  board.words[base + L.TRANSFER_ARRAY] = lowering.publishArray(array.buffer as unknown as SharedArrayBuffer);
  board.words[base + L.TRANSFER_DIRECTION] = reads ? 1 : 2;
  board.words[base + L.TRANSFER_ARRAY_OFFSET] = array.byteOffset | 0;
  setDouble(board, base + L.TRANSFER_SIZE, size);
  setDouble(board, base + L.NODE_TOTAL, Math.ceil(size / L.TRANSFER_UNIT));
  lowering.addWeight(size * COPY_COST);
  return true;
}

function lowerBox(lowering: Lowering, body: Body<"read-box" | "write-box">): boolean {
  const { core } = lowering;
  const inside = deviceAddressOf(core, body.array);
  const { row, rows, slices } = body;
  if (inside !== null) {
    const host: Box = { ...body.host, start: body.host.start + inside };
    const [source, target] = body.kind === "read-box" ? [body.device, host] : [host, body.device];
    return lowerRectangle(lowering, { kind: "rectangle", source, target, row, rows, slices });
  }
  const { views } = core.memory;
  return lowerHost(
    lowering,
    body.kind === "read-box"
      ? () => {
          copyBox(views.bytes, body.device, body.array, body.host, body);
        }
      : () => {
          copyBox(body.array, body.host, views.bytes, body.device, body);
        },
  );
}

function lowerHost(lowering: Lowering, run: () => HostOutcome): boolean {
  const node = lowering.takeNode(L.KIND_HOST);
  if (node === 0) return false;
  lowering.setHostRun(node, run);
  return true;
}

const QUERY_KINDS = { begin: L.KIND_QUERY_BEGIN, end: L.KIND_QUERY_END, reset: L.KIND_QUERY_RESET };

function lowerQuery(lowering: Lowering, body: Body<"query">): boolean {
  const node = lowering.takeNode(QUERY_KINDS[body.what]);
  if (node === 0) return false;
  const base = L.nodeBase(node);
  lowering.core.board.words[base + L.QUERY_FIRST] = body.first;
  lowering.core.board.words[base + L.QUERY_COUNT] = body.count;
  return true;
}
