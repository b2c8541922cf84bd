// SPDX-License-Identifier: Apache-2.0
// Loads and stores. Vectors access exactly the bytes of their lanes: a 3-vector leaves the fourth untouched. A constant
// offset moves from the address into the access where that cannot wrap around.
import { I8, type Instruction, Op, type Type, VOLATILE, type Value, scalarOf, vectorType } from "@muxkit/ir";

import type { FunctionEmitter } from "./function-emitter.ts";
import { leaveMask, pushMask, spreadLowest } from "./masks.ts";
import { emitAddress } from "./scalars.ts";
import * as Wasm from "./opcodes.ts";
import { isMask, laneBytes, lanesPerPart, maskParts, scalarType } from "./representation.ts";
import * as Simd from "./simd.table.ts";

/** An address in a local, without a constant offset. */
export interface KeptPointer {
  readonly local: number;
  readonly offset: number;
}

/** Programs own no byte below this address, so subtracting up to as much from an address does not wrap around. */
const FIRST_BYTE = 65_536;

/**
 * Pushes an address, except for a constant offset that the access can add without wrapping. The result: that offset.
 */
function pushPointer(emitter: FunctionEmitter, pointer: Value): number {
  if (
    pointer.kind === "instruction" &&
    pointer.op === Op.ADDRESS &&
    pointer.offset > 0 &&
    pointer.offset <= FIRST_BYTE &&
    (pointer.operands.length === 1 || emitter.isInlined(pointer))
  ) {
    emitAddress(emitter, pointer, false);
    return pointer.offset;
  }
  emitter.push(pointer);
  return 0;
}

const LOADS: Readonly<Record<string, readonly [code: number, bytes: number]>> = {
  i1: [0x2d, 1],
  i8: [0x2d, 1],
  i16: [0x2f, 2],
  f16: [0x2f, 2],
  i32: [0x28, 4],
  i64: [0x29, 8],
  f32: [0x2a, 4],
  f64: [0x2b, 8],
};

const STORES: Readonly<Record<string, number>> = {
  i1: 0x3a,
  i8: 0x3a,
  i16: 0x3b,
  f16: 0x3b,
  i32: 0x36,
  i64: 0x37,
  f32: 0x38,
  f64: 0x39,
};

function key(type: Type): string {
  return type.kind === "pointer" || type.kind === "opaque" ? "i32" : type.text;
}

/** The pieces, largest first, that the bytes of a part are read or written in. */
export function pieces(bytes: number): readonly { readonly at: number; readonly size: number }[] {
  const list: { at: number; size: number }[] = [];
  for (let at = 0; at < bytes;) {
    let size = 8;
    while (size > bytes - at) size /= 2;
    list.push({ at, size });
    at += size;
  }
  return list;
}

/** Bytes of a part that lanes occupy. */
export function partBytes(type: Type, part: number): number {
  const scalar = scalarOf(type);
  const perPart = lanesPerPart(type);
  return Math.min(perPart, type.count - part * perPart) * laneBytes(scalar);
}

function keepPointer(emitter: FunctionEmitter, pointer: Value): KeptPointer {
  const offset = pushPointer(emitter, pointer);
  const kept = { local: emitter.code.local(Wasm.TYPE_I32), offset };
  emitter.code.set(kept.local);
  emitter.keepPointer(pointer, kept);
  return kept;
}

/** Keeps an address in a local while `use` runs; `use` gets the offset. */
export function withPointer(
  emitter: FunctionEmitter,
  pointer: Value,
  use: (push: () => void, offset: number) => void,
): void {
  const { local, offset } = emitter.keptPointer(pointer) ?? keepPointer(emitter, pointer);
  use(() => emitter.code.get(local), offset);
}

/** True for loads of scalars that can go into all lanes of a vector. */
export function isSpreadable({ type, flags }: Instruction): boolean {
  return (flags & VOLATILE) === 0 && laneBytes(type) in LOAD_SPLAT && type.bits !== 1 && type.kind !== "opaque";
}

/** Loads that fill all lanes, by bytes. */
const LOAD_SPLAT: Readonly<Record<number, number>> = { 1: 0x07, 2: 0x08, 4: 0x09, 8: 0x0a };

/** Pushes a part with a loaded scalar in all lanes. */
export function emitSpreadLoad(emitter: FunctionEmitter, load: Instruction): void {
  const offset = pushPointer(emitter, emitter.operand(load, 0));
  const bytes = laneBytes(load.type);
  emitter.code.simd(LOAD_SPLAT[bytes] ?? 0);
  emitter.code.memory(Math.min(bytes, load.alignment), offset);
}

export function emitLoad(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  const { type } = instruction;
  const pointer = emitter.operand(instruction, 0);
  if (type.kind !== "vector") {
    const [op, size] = LOADS[key(type)] ?? emitter.refuse(instruction, "no value of this type is loaded");
    const offset = pushPointer(emitter, pointer);
    code.op(op);
    code.memory(Math.min(size, instruction.alignment), offset);
    if (type.bits === 1) lowestBit(emitter);
    return;
  }
  if (isMask(type)) {
    withPointer(emitter, pointer, (push, offset) => {
      loadMask(emitter, instruction, push, offset);
    });
    return;
  }
  withPointer(emitter, pointer, (push, offset) => {
    const { first, end } = emitter.partsNow(instruction);
    for (let part = first; part < end; part++) loadPart(emitter, type, part, push, offset, instruction.alignment);
  });
}

/** Puts one part of the vector at an address on the stack. */
export function loadPart(
  emitter: FunctionEmitter,
  type: Type,
  part: number,
  push: () => void,
  offset: number,
  alignment: number,
): void {
  const bytes = partBytes(type, part);
  const at = offset + part * 16;
  if (bytes < 16) {
    loadPieces(emitter, push, at, bytes, alignment);
    return;
  }
  push();
  emitter.code.simd(Simd.V128_LOAD);
  emitter.code.memory(Math.min(16, alignment), at);
}

/** Writes one part of a vector, which `value` puts on the stack, to an address. */
export function storePart(
  emitter: FunctionEmitter,
  type: Type,
  part: number,
  push: () => void,
  offset: number,
  alignment: number,
  value: () => void,
): void {
  const { code } = emitter;
  const bytes = partBytes(type, part);
  const at = offset + part * 16;
  if (bytes === 16) {
    push();
    value();
    code.simd(Simd.V128_STORE);
    code.memory(Math.min(16, alignment), at);
    return;
  }
  storePieces(emitter, push, at, 0, bytes, alignment, value);
}

/** Writes `bytes` bytes of a part, from byte `from` on, to an address. */
export function storePieces(
  emitter: FunctionEmitter,
  push: () => void,
  at: number,
  from: number,
  bytes: number,
  alignment: number,
  value: () => void,
): void {
  const { code } = emitter;
  for (const piece of pieces(bytes)) {
    push();
    value();
    code.simd(Simd.STORE_LANE[piece.size] ?? 0);
    code.memory(Math.min(piece.size, alignment), at + piece.at);
    code.bytes.u8((from + piece.at) / piece.size);
  }
}

/** Puts the first `bytes` bytes at an address on the stack, zeros after them. */
export function loadPieces(
  emitter: FunctionEmitter,
  push: () => void,
  at: number,
  bytes: number,
  alignment: number,
): void {
  const { code } = emitter;
  const [first, ...rest] = pieces(bytes);
  if (first === undefined) return;
  const access = (size: number): number => Math.min(size, alignment);
  push();
  if (first.size === 8 || first.size === 4) {
    code.simd(first.size === 8 ? Simd.LOAD64_ZERO : Simd.LOAD32_ZERO);
    code.memory(access(first.size), at);
  } else {
    code.v128(new Uint8Array(16));
    code.simd(Simd.LOAD_LANE[first.size] ?? 0);
    code.memory(access(first.size), at);
    code.bytes.u8(0);
  }
  for (const piece of rest) {
    // The address comes below the vector that is on the stack already.
    const vector = code.local(Wasm.TYPE_V128);
    code.set(vector);
    push();
    code.get(vector);
    code.simd(Simd.LOAD_LANE[piece.size] ?? 0);
    code.memory(access(piece.size), at + piece.at);
    code.bytes.u8(piece.at / piece.size);
  }
}

/** An i1 is the lowest bit of its byte; the other bits are ignored. */
function lowestBit(emitter: FunctionEmitter): void {
  emitter.code.i32(1);
  emitter.code.op(0x71);
}

/** In memory a mask has a byte for each lane, 0 or 1: a vector of bytes. */
function bytesOfMask(type: Type): Type {
  return vectorType(I8, type.count);
}

function loadMask(emitter: FunctionEmitter, instruction: Instruction, push: () => void, offset: number): void {
  leaveMask(emitter, instruction, 1, (part) => {
    loadPart(emitter, bytesOfMask(instruction.type), part, push, offset, 1);
    spreadLowest(emitter.code, 1);
  });
}

function storeMask(emitter: FunctionEmitter, mask: Value, push: () => void, offset: number): void {
  const { code } = emitter;
  const local = code.local(Wasm.TYPE_V128);
  for (let part = 0; part < maskParts(mask.type, 1); part++) {
    pushMask(emitter, mask, 1, part);
    code.v128(new Uint8Array(16).fill(1));
    code.simd(Simd.V128_AND);
    code.set(local);
    storePart(emitter, bytesOfMask(mask.type), part, push, offset, 1, () => code.get(local));
  }
}

export function emitStore(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  const value = emitter.operand(instruction, 0);
  const pointer = emitter.operand(instruction, 1);
  const { type } = value;
  if (type.kind !== "vector") {
    const op = STORES[key(type)] ?? emitter.refuse(instruction, "no value of this type is stored");
    const offset = pushPointer(emitter, pointer);
    emitter.push(value);
    code.op(op);
    code.memory(Math.min(LOADS[key(type)]?.[1] ?? 4, instruction.alignment), offset);
    return;
  }
  if (isMask(type)) {
    withPointer(emitter, pointer, (push, offset) => {
      storeMask(emitter, value, push, offset);
    });
    return;
  }
  withPointer(emitter, pointer, (push, offset) => {
    const { first, end } = emitter.partsNow(value);
    for (let part = first; part < end; part++)
      storePart(emitter, type, part, push, offset, instruction.alignment, () => emitter.push(value, part));
  });
}

/** Pushes the address of an atomic access. The result: the constant offset. */
export function pushAtomicPointer(emitter: FunctionEmitter, pointer: Value): number {
  return pushPointer(emitter, pointer);
}

/** Value type of what an atomic access moves. */
export function atomicType(type: Type): number {
  return scalarType(type);
}
