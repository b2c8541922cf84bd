// SPDX-License-Identifier: Apache-2.0
// Memory accesses lane by lane: masked loads and stores, gathers and scatters, which WebAssembly does not have. A
// masked load reads whole vectors and clears lanes; gathers insert lanes with `v128.load_lane`, and lanes that are off
// read address 0. No lane of a store needs a branch either, since each is mispredicted where lanes agree by chance:
// lanes that are off store to a dump in the function's frame, or what is there already in memory of one thread.
import { type Instruction, LOCAL, Op, PRIVATE, type Type, type Value, scalarOf } from "@muxkit/ir";

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
const I32X4_ADD = 0xae;
const I32_ADD = 0x6a;

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

/** Memory that no other thread sees: a store may write again what is there. */
const OWN_SPACES: ReadonlySet<number> = new Set([PRIVATE, LOCAL]);

/**
 * Bytes before and after a thread's arena that nobody uses (docs/kernel-abi.md): lanes that are off may be there, and
 * are written again as they are.
 */
const ARENA_MARGIN = 128;

/**
 * Loads the old values, chooses by the mask and stores whole vectors. With no lane on, the pointer may be anything: the
 * dump is written then.
 */
function emitBlendedStore(emitter: FunctionEmitter, value: Value, mask: Value, { push, offset }: FirstAddress): void {
  const { code } = emitter;
  const { type } = value;
  const base = code.local(Wasm.TYPE_I32);
  push();
  if (offset !== 0) {
    code.i32(offset);
    code.op(I32_ADD);
  }
  emitter.pushDump();
  pushAny(emitter, mask);
  code.op(Wasm.SELECT);
  code.set(base);
  const pushBase = (): void => code.get(base);
  for (let part = 0; part < partCount(type); part++) {
    const blended = code.local(Wasm.TYPE_V128);
    emitter.push(value, part);
    loadPart(emitter, type, part, pushBase, 0, 1);
    pushMask(emitter, mask, laneBytes(scalarOf(type)), part);
    code.simd(Simd.BITSELECT);
    code.set(blended);
    storePart(emitter, type, part, pushBase, 0, 1, () => code.get(blended));
  }
}

/** The address of the first lane. */
interface FirstAddress {
  readonly push: () => void;
  readonly offset: number;
}

/**
 * Stores whole vectors when all lanes are on. Else memory that no other thread sees gets its old values in the lanes
 * that are off, and elsewhere lanes are stored one by one, those that are off to the dump: no lane needs a branch.
 */
export function emitMaskedStore(emitter: FunctionEmitter, instruction: Instruction): void {
  const { alignment } = instruction;
  const value = emitter.operand(instruction, 0);
  const pointer = emitter.operand(instruction, 1);
  const mask = emitter.operand(instruction, 2);
  const { type } = value;
  const bytes = laneBytes(scalarOf(type));
  const perPart = lanesPerPart(type);
  withPointer(emitter, pointer, (push, offset) => {
    if (OWN_SPACES.has(pointer.type.addressSpace) && type.count * bytes <= ARENA_MARGIN && !isAllOn(mask)) {
      emitBlendedStore(emitter, value, mask, { push, offset });
      return;
    }
    const whole = (): void => {
      for (let part = 0; part < partCount(type); part++)
        storePart(emitter, type, part, push, offset, alignment, () => emitter.push(value, part));
    };
    byMask(emitter, mask, whole, () => {
      const offsets = Array.from({ length: type.count }, (_, lane) => offset + lane * bytes);
      withDumped(emitter, type.count, pushDistances(emitter, push, offsets), mask, (pushLane) => {
        for (let lane = 0; lane < type.count; lane++)
          storePieces(
            emitter,
            () => pushLane(lane),
            0,
            (lane % perPart) * bytes,
            bytes,
            Math.min(bytes, alignment),
            () => emitter.push(value, Math.floor(lane / perPart)),
          );
      });
    });
  });
}

/** Lanes of a part of addresses. */
const ADDRESSES = 4;

/** Pushes a part of addresses that are a base and the offsets of lanes. */
function pushDistances(
  { code }: FunctionEmitter,
  pushBase: () => void,
  offsets: readonly number[],
): (part: number) => void {
  return (part) => {
    pushBase();
    code.simd(Simd.I32X4_SPLAT);
    const own = Int32Array.from({ length: ADDRESSES }, (_, i) => offsets[part * ADDRESSES + i] ?? 0);
    code.v128(new Uint8Array(own.buffer));
    code.simd(I32X4_ADD);
  };
}

/** Replaces the addresses of lanes that are off by that of the dump while `use` runs. */
function withDumped(
  emitter: FunctionEmitter,
  lanes: number,
  pushPart: (part: number) => void,
  mask: Value,
  use: (pushLane: (lane: number) => void) => void,
): void {
  const { code } = emitter;
  const dump = code.local(Wasm.TYPE_V128);
  emitter.pushDump();
  code.simd(Simd.I32X4_SPLAT);
  code.set(dump);
  const parts = Array.from({ length: Math.ceil(lanes / ADDRESSES) }, (_, part) => {
    pushPart(part);
    code.get(dump);
    pushMask(emitter, mask, 4, part);
    code.simd(Simd.BITSELECT);
    const local = code.local(Wasm.TYPE_V128);
    code.set(local);
    return local;
  });
  use((lane) => {
    code.get(parts[Math.floor(lane / ADDRESSES)] ?? 0);
    code.lane(Simd.EXTRACT_I32, lane % ADDRESSES);
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

/**
 * Stores to each pointer, in the order of lanes; lanes that are off store to the dump. Where addresses are constant
 * distances apart, a test whether all lanes are on saves computing them.
 */
export function emitScatter(emitter: FunctionEmitter, instruction: Instruction): void {
  const { alignment } = instruction;
  const value = emitter.operand(instruction, 0);
  const pointers = emitter.operand(instruction, 1);
  const mask = emitter.operand(instruction, 2);
  const { type } = value;
  const { count } = pointers.type;
  const groupBytes = (type.count / count) * laneBytes(scalarOf(type));
  const storeAll = ({ push: pushLane, offset }: LaneAddresses): void => {
    for (let lane = 0; lane < count; lane++) {
      for (let at = 0; at < groupBytes; at += PART) {
        const from = lane * groupBytes + at;
        const part = Math.floor(from / PART);
        const push = (): void => pushLane(lane);
        const pushValue = (): void => emitter.push(value, part);
        if (groupBytes >= PART)
          storePart(emitter, type, part, push, offset(lane) + at - part * PART, alignment, pushValue);
        else storePieces(emitter, push, offset(lane), from % PART, groupBytes, alignment, pushValue);
      }
    }
  };
  const storeDumped = (pushPart: (part: number) => void): void =>
    withDumped(emitter, count, pushPart, mask, (push) => storeAll({ push, offset: () => 0 }));
  const distances = fixedDistancesOf(pointers);
  if (isAllOn(mask)) withAddresses(emitter, pointers, null, storeAll);
  else if (distances === null) storeDumped((part) => emitter.push(pointers, part));
  else
    withAddresses(emitter, pointers, null, (addresses) => {
      byMask(
        emitter,
        mask,
        () => storeAll(addresses),
        () => storeDumped(pushDistances(emitter, () => addresses.push(0), distances.offsets)),
      );
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
