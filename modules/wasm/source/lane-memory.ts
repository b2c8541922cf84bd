// Memory accesses lane by lane: masked loads and stores, gathers and scatters.
import { type Instruction, Op, type Type, type Value, scalarOf } from "@muxkit/ir";

import { isAllOn, pushAll, pushAny } from "./across.ts";
import type { FunctionEmitter } from "./function-emitter.ts";
import { pushMask, pushMaskOfGroups } from "./masks.ts";
import { loadPart, partBytes, pieces, storePart, storePieces, withPointer } from "./memory.ts";
import * as Wasm from "./opcodes.ts";
import { laneBytes, lanesPerPart, partCount } from "./representation.ts";
import * as Simd from "./simd.table.ts";

/** Bytes behind an address that an access of some part begins at. */
const PART = 16;

/**
 * Loads whole vectors, then clears the lanes that are off. What lies next to a lane that is on can be read: memory ends with nobody's bytes,
 * as many as the largest vector has, and begins with a page of them. With no lane on, the pointer may lead anywhere: address 0 is read then.
 */
export function emitMaskedLoad(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  const { type, alignment } = instruction;
  const mask = emitter.operand(instruction, 1);
  withPointer(emitter, emitter.operand(instruction, 0), (push, offset) => {
    const isFull = isAllOn(mask);
    const base = code.scratch(Wasm.TYPE_I32);
    push();
    if (!isFull) {
      code.i32(0);
      pushAny(emitter, mask);
      code.op(Wasm.SELECT);
    }
    code.set(base);
    for (let part = 0; part < partCount(type); part++) {
      // Lanes that do not fill a part are read alone: what is behind them may not be there.
      loadPart(emitter, type, part, () => code.get(base), offset, alignment);
      if (isFull) continue;
      pushMask(emitter, mask, laneBytes(scalarOf(type)), part);
      code.simd(Simd.V128_AND);
    }
    code.release(Wasm.TYPE_I32, base);
  });
}

/** Runs `store` for each lane from `first` to `first + lanes - 1` that is on. */
function forLanes(emitter: FunctionEmitter, mask: Value, first: number, lanes: number, store: (lane: number) => void): void {
  const { code } = emitter;
  if (isAllOn(mask)) {
    for (let lane = first; lane < first + lanes; lane++) store(lane);
    return;
  }
  const bytes = emitter.maskBytes(mask);
  const perPart = PART / bytes;
  const bits = code.scratch(Wasm.TYPE_I32);
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
  code.release(Wasm.TYPE_I32, bits);
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
      for (let part = 0; part < partCount(type); part++) storePart(emitter, type, part, push, offset, alignment, () => emitter.push(value, part));
    };
    byMask(emitter, mask, whole, () => {
      forLanes(emitter, mask, 0, type.count, (lane) => {
        storePieces(emitter, push, offset + lane * bytes, (lane % perPart) * bytes, bytes, Math.min(bytes, alignment), () => emitter.push(value, Math.floor(lane / perPart)));
      });
    });
  });
}

/** Puts the address for a lane on the stack. */
function pushAddress(emitter: FunctionEmitter, parts: readonly number[], lane: number): void {
  emitter.code.get(parts[lane >> 2] ?? 0);
  emitter.code.lane(Simd.EXTRACT_I32, lane & 3);
}

/** Keeps a vector of addresses in locals while `use` runs; those of lanes that are off become 0 where `mask` is given. */
function withAddresses(emitter: FunctionEmitter, pointers: Value, mask: Value | null, use: (parts: readonly number[]) => void): void {
  const { code } = emitter;
  const parts = Array.from({ length: partCount(pointers.type) }, (_, part) => {
    emitter.push(pointers, part);
    if (mask !== null) {
      pushMask(emitter, mask, 4, part);
      code.simd(Simd.V128_AND);
    }
    const local = code.scratch(Wasm.TYPE_V128);
    code.set(local);
    return local;
  });
  use(parts);
  for (const local of parts) code.release(Wasm.TYPE_V128, local);
}

/** Puts one part of a gather on the stack: pieces of it at the addresses of their lanes. */
function gatherPart(emitter: FunctionEmitter, parts: readonly number[], type: Type, part: number, groupBytes: number, alignment: number): void {
  const { code } = emitter;
  const bytes = partBytes(type, part);
  const start = part * PART;
  if (groupBytes >= PART) {
    pushAddress(emitter, parts, Math.floor(start / groupBytes));
    code.simd(Simd.V128_LOAD);
    code.memory(Math.min(PART, alignment), start % groupBytes);
    return;
  }
  // All addresses first, the last deepest: each load takes one and what has been loaded.
  const list = Array.from({ length: bytes / groupBytes }, (_, i) => start / groupBytes + i).flatMap((lane) => pieces(groupBytes).map(({ at, size }) => ({ lane, at, size })));
  for (const { lane } of list.toReversed()) pushAddress(emitter, parts, lane);
  list.forEach(({ lane, at, size }, i) => {
    const isFirst = i === 0;
    if (isFirst && size >= 4) {
      code.simd(size === 8 ? Simd.LOAD64_ZERO : Simd.LOAD32_ZERO);
      code.memory(Math.min(size, alignment), at);
      return;
    }
    if (isFirst) code.v128(new Uint8Array(PART));
    code.simd(Simd.LOAD_LANE[size] ?? 0);
    code.memory(Math.min(size, alignment), at);
    code.bytes.u8((lane * groupBytes + at - start) / size);
  });
}

/** Loads from a place for each pointer; lanes that are off read address 0. */
export function emitGather(emitter: FunctionEmitter, instruction: Instruction): void {
  const { type, alignment } = instruction;
  const pointers = emitter.operand(instruction, 0);
  const mask = emitter.operand(instruction, 1);
  const isFull = isAllOn(mask);
  const groupBytes = (type.count / pointers.type.count) * laneBytes(scalarOf(type));
  withAddresses(emitter, pointers, isFull ? null : mask, (parts) => {
    for (let part = 0; part < partCount(type); part++) {
      gatherPart(emitter, parts, type, part, groupBytes, alignment);
      if (isFull) continue;
      pushMaskOfGroups(emitter, mask, groupBytes, part);
      emitter.code.simd(Simd.V128_AND);
    }
  });
}

/** Stores to a place for each pointer, in the order of lanes. */
export function emitScatter(emitter: FunctionEmitter, instruction: Instruction): void {
  const { alignment } = instruction;
  const value = emitter.operand(instruction, 0);
  const pointers = emitter.operand(instruction, 1);
  const mask = emitter.operand(instruction, 2);
  const { type } = value;
  const groupBytes = (type.count / pointers.type.count) * laneBytes(scalarOf(type));
  withAddresses(emitter, pointers, null, (parts) => {
    const storeLane = (lane: number): void => {
      for (let at = 0; at < groupBytes; at += PART) {
        const from = lane * groupBytes + at;
        const part = Math.floor(from / PART);
        const push = (): void => pushAddress(emitter, parts, lane);
        const pushValue = (): void => emitter.push(value, part);
        if (groupBytes >= PART) storePart(emitter, type, part, push, at - part * PART, alignment, pushValue);
        else storePieces(emitter, push, 0, from % PART, groupBytes, alignment, pushValue);
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
    [Op.MASKED_LOAD]: emitMaskedLoad, [Op.MASKED_STORE]: emitMaskedStore, [Op.GATHER]: emitGather, [Op.SCATTER]: emitScatter,
  };
  writers[instruction.op]?.(emitter, instruction);
}
