// SPDX-License-Identifier: Apache-2.0
// Memory accesses lane by lane: masked loads and stores, gathers and scatters, which WebAssembly does not have. A
// masked load reads whole vectors and clears lanes; a masked store is one store when all lanes are on, a test and a
// lane store each otherwise; gathers insert lanes with `v128.load_lane`.
import { type Instruction, Op, type Type, type Value, scalarOf } from "@muxkit/ir";

import { isAllOn, pushAll, pushAny } from "./across.ts";
import type { FunctionEmitter } from "./function-emitter.ts";
import { pushMask, pushMaskOfGroups } from "./masks.ts";
import { loadPart, partBytes, pieces, storePart, storePieces, withPointer } from "./memory.ts";
import * as Wasm from "./opcodes.ts";
import { laneBytes, lanesPerPart, partCount } from "./representation.ts";
import * as Simd from "./simd.table.ts";
import { fixedDistancesOf } from "./vector-addresses.ts";

/** Offset in bytes of the access of a part. */
const PART = 16;

/**
 * Loads whole vectors, then clears the lanes that are off. Bytes next to a lane that is on can be read: memory ends
 * with unused bytes, as many as the largest vector has, and begins with an unused page. With no lane on, the pointer
 * may be anything: address 0 is read then.
 */
export function emitMaskedLoad(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  const { type, alignment } = instruction;
  const mask = emitter.operand(instruction, 1);
  withPointer(emitter, emitter.operand(instruction, 0), (push, offset) => {
    const isFull = isAllOn(mask);
    const base = code.local(Wasm.TYPE_I32);
    push();
    if (!isFull) {
      code.i32(0);
      pushAny(emitter, mask);
      code.op(Wasm.SELECT);
    }
    code.set(base);
    for (let part = 0; part < partCount(type); part++) {
      // Lanes that do not fill a part are read alone: the memory after them may not exist.
      loadPart(emitter, type, part, () => code.get(base), offset, alignment);
      if (isFull) continue;
      pushMask(emitter, mask, laneBytes(scalarOf(type)), part);
      code.simd(Simd.V128_AND);
    }
  });
}

/** Runs `store` for each lane from `first` to `first + lanes - 1` that is on. */
function forLanes(
  emitter: FunctionEmitter,
  mask: Value,
  first: number,
  lanes: number,
  store: (lane: number) => void,
): void {
  const { code } = emitter;
  if (isAllOn(mask)) {
    for (let lane = first; lane < first + lanes; lane++) store(lane);
    return;
  }
  const bytes = emitter.maskBytes(mask);
  const perPart = PART / bytes;
  const bits = code.local(Wasm.TYPE_I32);
  for (let part = Math.floor(first / perPart); part * perPart < first + lanes; part++) {
    pushMask(emitter, mask, bytes, part);
    code.simd(Simd.BITMASK[bytes] ?? 0);
    code.set(bits);
    for (let lane = Math.max(first, part * perPart); lane < Math.min(first + lanes, (part + 1) * perPart); lane++) {
      code.get(bits);
      code.i32(2 ** (lane - part * perPart));
      code.op(0x71);
      code.open(Wasm.IF);
      store(lane);
      code.end();
    }
  }
}

/** Runs `whole` when all lanes are on, `some` otherwise. */
function byMask(emitter: FunctionEmitter, mask: Value, whole: () => void, some: () => void): void {
  if (isAllOn(mask)) {
    whole();
    return;
  }
  const { code } = emitter;
  pushAll(emitter, mask);
  code.open(Wasm.IF);
  whole();
  code.op(Wasm.ELSE);
  some();
  code.end();
}

/** Stores whole vectors when all lanes are on, else lane by lane. */
export function emitMaskedStore(emitter: FunctionEmitter, instruction: Instruction): void {
  const { alignment } = instruction;
  const value = emitter.operand(instruction, 0);
  const mask = emitter.operand(instruction, 2);
  const { type } = value;
  const bytes = laneBytes(scalarOf(type));
  const perPart = lanesPerPart(type);
  withPointer(emitter, emitter.operand(instruction, 1), (push, offset) => {
    const whole = (): void => {
      for (let part = 0; part < partCount(type); part++)
        storePart(emitter, type, part, push, offset, alignment, () => emitter.push(value, part));
    };
    byMask(emitter, mask, whole, () => {
      forLanes(emitter, mask, 0, type.count, (lane) => {
        storePieces(
          emitter,
          push,
          offset + lane * bytes,
          (lane % perPart) * bytes,
          bytes,
          Math.min(bytes, alignment),
          () => emitter.push(value, Math.floor(lane / perPart)),
        );
      });
    });
  });
}

/** The addresses of the lanes' elements. */
interface LaneAddresses {
  /** Puts the address of a lane on the stack, without the offset that the access itself adds. */
  readonly push: (lane: number) => void;
  /** Bytes that the access adds. */
  readonly offset: (lane: number) => number;
}

/**
 * Keeps addresses in locals while `use` runs: one where the others are constant distances from it, else all of them.
 * With a `mask`, those of lanes that are off become 0.
 */
function withAddresses(
  emitter: FunctionEmitter,
  pointers: Value,
  mask: Value | null,
  use: (addresses: LaneAddresses) => void,
): void {
  const { code } = emitter;
  const addresses = mask === null ? fixedDistancesOf(pointers) : null;
  if (addresses !== null) {
    const base = code.local(Wasm.TYPE_I32);
    emitter.push(addresses.base);
    code.set(base);
    use({ push: () => code.get(base), offset: (lane) => addresses.offsets[lane] ?? 0 });
    return;
  }
  const parts = Array.from({ length: partCount(pointers.type) }, (_, part) => {
    emitter.push(pointers, part);
    if (mask !== null) {
      pushMask(emitter, mask, 4, part);
      code.simd(Simd.V128_AND);
    }
    const local = code.local(Wasm.TYPE_V128);
    code.set(local);
    return local;
  });
  const push = (lane: number): void => {
    code.get(parts[lane >> 2] ?? 0);
    code.lane(Simd.EXTRACT_I32, lane & 3);
  };
  use({ push, offset: () => 0 });
}

/** Puts one part of a gather on the stack: pieces of it at the addresses of their lanes. */
function gatherPart(
  emitter: FunctionEmitter,
  addresses: LaneAddresses,
  type: Type,
  part: number,
  groupBytes: number,
  alignment: number,
): void {
  const { code } = emitter;
  const bytes = partBytes(type, part);
  const start = part * PART;
  if (groupBytes >= PART) {
    const lane = Math.floor(start / groupBytes);
    addresses.push(lane);
    code.simd(Simd.V128_LOAD);
    code.memory(Math.min(PART, alignment), addresses.offset(lane) + (start % groupBytes));
    return;
  }
  // All addresses first, the last deepest: each load takes one and the vector so far.
  const list = Array.from({ length: bytes / groupBytes }, (_, i) => start / groupBytes + i).flatMap((lane) =>
    pieces(groupBytes).map(({ at, size }) => ({ lane, at, size })),
  );
  for (const { lane } of list.toReversed()) addresses.push(lane);
  list.forEach(({ lane, at, size }, i) => {
    const isFirst = i === 0;
    if (isFirst && size >= 4) {
      code.simd(size === 8 ? Simd.LOAD64_ZERO : Simd.LOAD32_ZERO);
      code.memory(Math.min(size, alignment), addresses.offset(lane) + at);
      return;
    }
    if (isFirst) code.v128(new Uint8Array(PART));
    code.simd(Simd.LOAD_LANE[size] ?? 0);
    code.memory(Math.min(size, alignment), addresses.offset(lane) + at);
    code.bytes.u8((lane * groupBytes + at - start) / size);
  });
}

/** Loads from each pointer; lanes that are off read address 0. */
export function emitGather(emitter: FunctionEmitter, instruction: Instruction): void {
  const { type, alignment } = instruction;
  const pointers = emitter.operand(instruction, 0);
  const mask = emitter.operand(instruction, 1);
  const isFull = isAllOn(mask);
  const groupBytes = (type.count / pointers.type.count) * laneBytes(scalarOf(type));
  withAddresses(emitter, pointers, isFull ? null : mask, (addresses) => {
    for (let part = 0; part < partCount(type); part++) {
      gatherPart(emitter, addresses, type, part, groupBytes, alignment);
      if (isFull) continue;
      pushMaskOfGroups(emitter, mask, groupBytes, part);
      emitter.code.simd(Simd.V128_AND);
    }
  });
}

/** Stores to each pointer, in the order of lanes. */
export function emitScatter(emitter: FunctionEmitter, instruction: Instruction): void {
  const { alignment } = instruction;
  const value = emitter.operand(instruction, 0);
  const pointers = emitter.operand(instruction, 1);
  const mask = emitter.operand(instruction, 2);
  const { type } = value;
  const groupBytes = (type.count / pointers.type.count) * laneBytes(scalarOf(type));
  withAddresses(emitter, pointers, null, (addresses) => {
    const storeLane = (lane: number): void => {
      for (let at = 0; at < groupBytes; at += PART) {
        const from = lane * groupBytes + at;
        const part = Math.floor(from / PART);
        const push = (): void => addresses.push(lane);
        const pushValue = (): void => emitter.push(value, part);
        if (groupBytes >= PART)
          storePart(emitter, type, part, push, addresses.offset(lane) + at - part * PART, alignment, pushValue);
        else storePieces(emitter, push, addresses.offset(lane), from % PART, groupBytes, alignment, pushValue);
      }
    };
    const whole = (): void => {
      for (let lane = 0; lane < pointers.type.count; lane++) storeLane(lane);
    };
    byMask(emitter, mask, whole, () => forLanes(emitter, mask, 0, pointers.type.count, storeLane));
  });
}

/** Writes an access by lanes. */
export function emitLaneAccess(emitter: FunctionEmitter, instruction: Instruction): void {
  const writers: Readonly<Record<number, (emitter: FunctionEmitter, instruction: Instruction) => void>> = {
    [Op.MASKED_LOAD]: emitMaskedLoad,
    [Op.MASKED_STORE]: emitMaskedStore,
    [Op.GATHER]: emitGather,
    [Op.SCATTER]: emitScatter,
  };
  writers[instruction.op]?.(emitter, instruction);
}
