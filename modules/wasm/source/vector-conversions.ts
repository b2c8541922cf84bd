// SPDX-License-Identifier: Apache-2.0
// Conversions of vectors, whole parts at a time: ints to wider and narrower ones, between ints and floats. Widths
// change in steps of two (extend and narrow instructions).
import { I32, type Instruction, Op, type Type, type Value, scalarOf } from "@muxkit/ir";

import type { Code } from "./code.ts";
import type { FunctionEmitter } from "./function-emitter.ts";
import { laneRange } from "./lane-range.ts";
import { laneBytes, partCount } from "./representation.ts";
import * as Wasm from "./opcodes.ts";
import { repeated } from "./part-ops.ts";
import * as Simd from "./simd.table.ts";

const ZERO = new Uint8Array(16);

/** Lanes to twice their width, by bytes of the result: signed low, signed high, unsigned low, unsigned high. */
const EXTEND: Readonly<Record<number, readonly number[]>> = {
  2: [0x87, 0x88, 0x89, 0x8a],
  4: [0xa7, 0xa8, 0xa9, 0xaa],
  8: [0xc7, 0xc8, 0xc9, 0xca],
};
/** Two parts to one of half the width, by bytes of the result: saturating as signed, as unsigned. */
const NARROW: Readonly<Record<number, readonly number[]>> = { 1: [0x65, 0x66], 2: [0x85, 0x86] };

/** Puts a part of a value on the stack; zeros after its end. */
function pushPart(emitter: FunctionEmitter, value: Value, part: number): void {
  if (part < partCount(value.type)) emitter.push(value, part);
  else emitter.code.v128(ZERO);
}

/** Puts the part of a vector of ints on the stack as lanes of `bytes` bytes, which are no narrower than its own. */
function pushWidened(
  emitter: FunctionEmitter,
  value: Value,
  from: Type,
  bytes: number,
  isSigned: boolean,
  part: number,
): void {
  if (bytes === laneBytes(from)) {
    pushPart(emitter, value, part);
    return;
  }
  pushWidened(emitter, value, from, bytes / 2, isSigned, part >> 1);
  emitter.code.simd(EXTEND[bytes]?.[(isSigned ? 0 : 2) + (part & 1)] ?? 0);
}

function shuffle(code: Code, bytes: readonly number[]): void {
  code.simd(Simd.SHUFFLE);
  for (const byte of bytes) code.bytes.u8(byte);
}

/** Of two parts, the low `bytes` bytes of every lane of twice as many. */
function lowBytes(bytes: number): readonly number[] {
  return Array.from({ length: 16 }, (_, i) => Math.floor(i / bytes) * 2 * bytes + (i % bytes));
}

/** The low halves of two parts. */
const LOW_HALVES = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
/** The high half of a part, twice. */
const HIGH_HALF = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15];

/** Puts a part of a vector of ints on the stack with the low bits of its lanes, `bytes` each. */
function pushCut(emitter: FunctionEmitter, value: Value, from: Type, bytes: number, part: number): void {
  const { code } = emitter;
  if (bytes === laneBytes(from)) {
    pushPart(emitter, value, part);
    return;
  }
  pushCut(emitter, value, from, bytes * 2, part * 2);
  pushCut(emitter, value, from, bytes * 2, part * 2 + 1);
  shuffle(code, lowBytes(bytes));
}

/** {@link pushCut} of numbers that the narrow lanes hold: one saturating instruction a step. */
function pushPacked(emitter: FunctionEmitter, value: Value, bytes: number, isSigned: boolean, part: number): void {
  if (bytes === laneBytes(scalarOf(value.type))) {
    pushPart(emitter, value, part);
    return;
  }
  // On the way the numbers fit signed lanes, unsigned ones too.
  for (let i = 0; i < 2; i++) pushPacked(emitter, value, bytes * 2, true, part * 2 + i);
  emitter.code.simd(NARROW[bytes]?.[isSigned ? 0 : 1] ?? 0);
}

/** Writes the truncation of ints. */
function truncate(value: Value, from: Type, bytes: number): PartWriter {
  // 64-bit lanes have no saturating instruction.
  if (from.bits <= 32) {
    const { low, high } = laneRange(value);
    const bits = 8 * bytes;
    if (low >= 0 && high < 2 ** bits) return (emitter, _, part) => pushPacked(emitter, value, bytes, false, part);
    if (low >= -(2 ** (bits - 1)) && high < 2 ** (bits - 1))
      return (emitter, _, part) => pushPacked(emitter, value, bytes, true, part);
  }
  return (emitter, _, part) => pushCut(emitter, value, from, bytes, part);
}

/** Pushes a part of binary32 lanes as ints of `bytes` bytes, saturated. */
function pushSaturated(emitter: FunctionEmitter, value: Value, bytes: number, isSigned: boolean, part: number): void {
  const { code } = emitter;
  if (bytes === 4) {
    // Lanes that are narrowed further go through signed ints, which hold all values of narrower unsigned ones.
    pushPart(emitter, value, part);
    code.simd(0xf8);
    return;
  }
  pushSaturated(emitter, value, bytes * 2, true, part * 2);
  pushSaturated(emitter, value, bytes * 2, true, part * 2 + 1);
  code.simd(NARROW[bytes]?.[isSigned ? 0 : 1] ?? 0);
}

/** Puts part `part` of the low or high half of a 32-bit part into the low half of the stack's top. */
function pushHalfPart(emitter: FunctionEmitter, push: (part: number) => void, part: number): void {
  push(part >> 1);
  if ((part & 1) === 0) return;
  const local = emitter.code.local(Wasm.TYPE_V128);
  emitter.code.tee(local);
  emitter.code.get(local);
  shuffle(emitter.code, HIGH_HALF);
}

/** Writes one part of a result. */
type PartWriter = (emitter: FunctionEmitter, value: Value, part: number) => void;

function intToFloat(isSigned: boolean, from: Type, to: Type): PartWriter | null {
  if (from.bits === 64) return null;
  // A zero-extended number is not negative in 32 bits, and signed ints are converted by one instruction.
  const convertsSigned = isSigned || from.bits < 32;
  if (to.bits === 32) {
    return (emitter, value, part) => {
      pushWidened(emitter, value, from, 4, isSigned, part);
      emitter.code.simd(convertsSigned ? 0xfa : 0xfb);
    };
  }
  return (emitter, value, part) => {
    pushHalfPart(emitter, (half) => pushWidened(emitter, value, from, 4, isSigned, half), part);
    emitter.code.simd(convertsSigned ? 0xfe : 0xff);
  };
}

function floatToInt(isSigned: boolean, from: Type, to: Type): PartWriter | null {
  if (from.bits === 32 && to.bits === 32) {
    return (emitter, value, part) => {
      emitter.push(value, part);
      emitter.code.simd(isSigned ? 0xf8 : 0xf9);
    };
  }
  if (from.bits === 32 && to.bits < 32)
    return (emitter, value, part) => pushSaturated(emitter, value, laneBytes(to), isSigned, part);
  if (from.bits === 64 && to.bits === 32) {
    return (emitter, value, part) => {
      for (let i = 0; i < 2; i++) {
        pushPart(emitter, value, part * 2 + i);
        emitter.code.simd(isSigned ? 0xfc : 0xfd);
      }
      shuffle(emitter.code, LOW_HALVES);
    };
  }
  return null;
}

/** Widens binary32 to binary64. */
const promote: PartWriter = (emitter, value, part) => {
  pushHalfPart(emitter, (half) => emitter.push(value, half), part);
  emitter.code.simd(0x5f);
};

/** Rounds binary64 to binary32. */
const demote: PartWriter = (emitter, value, part) => {
  for (let i = 0; i < 2; i++) {
    pushPart(emitter, value, part * 2 + i);
    emitter.code.simd(0x5e);
  }
  shuffle(emitter.code, LOW_HALVES);
};

/** Widens binary16 to binary32. */
const promoteHalf: PartWriter = (emitter, value, part) => {
  pushHalfPart(emitter, (half) => emitter.push(value, half), part);
  emitter.code.simd(Simd.PROMOTE_LOW_F16);
};

const MAGNITUDE_16 = repeated([0xff, 0x7f]);
const INFINITY_16 = repeated([0, 0x7c]);
const NAN_16 = repeated([0, 0x7e]);

/** Replaces the NaNs among the halves on the stack, whose payloads the engine keeps, by the one that has none. */
export function canonicalNans({ code }: FunctionEmitter): void {
  const halves = code.local(Wasm.TYPE_V128);
  code.set(halves);
  code.v128(NAN_16);
  code.get(halves);
  code.get(halves);
  code.v128(MAGNITUDE_16);
  code.simd(Simd.V128_AND);
  code.v128(INFINITY_16);
  code.simd(Simd.I16X8_GT_S);
  code.simd(Simd.BITSELECT);
}

/** Rounds binary32 to binary16. */
const demoteToHalf: PartWriter = (emitter, value, part) => {
  emitter.push(value, part * 2);
  emitter.code.simd(Simd.DEMOTE_F32_ZERO);
  if (part * 2 + 1 < partCount(value.type)) {
    emitter.push(value, part * 2 + 1);
    emitter.code.simd(Simd.DEMOTE_F32_ZERO);
    shuffle(emitter.code, LOW_HALVES);
  }
  canonicalNans(emitter);
};

function partWriter(op: number, operand: Value, from: Type, to: Type): PartWriter | null {
  switch (op) {
    case Op.ZEXT:
    case Op.SEXT:
      return (emitter, value, part) => pushWidened(emitter, value, from, laneBytes(to), op === Op.SEXT, part);
    case Op.TRUNC:
      return to.bits === 1 ? null : truncate(operand, from, laneBytes(to));
    case Op.SITOFP:
    case Op.UITOFP:
      return from.bits === 1 ? null : intToFloat(op === Op.SITOFP, from, to);
    case Op.FPTOSI:
    case Op.FPTOUI:
      return to.bits === 1 ? null : floatToInt(op === Op.FPTOSI, from, to);
    case Op.FPEXT:
      return from.bits === 16 ? promoteHalf : promote;
    case Op.FPTRUNC:
      return to.bits === 16 ? demoteToHalf : demote;
    default:
      return null;
  }
}

/** Parts of a vector of ints as 32-bit lanes, extended or truncated, so that they can be added to addresses. */
export function pushAsWords(emitter: FunctionEmitter, value: Value, part: number): void {
  const scalar = scalarOf(value.type);
  if (scalar.bits === 64) pushCut(emitter, value, scalar, 4, part);
  else pushWidened(emitter, value, scalar, 4, true, part);
}

/** Addresses are 32-bit ints: they are truncated or zero-extended. */
export function convertAddresses(emitter: FunctionEmitter, type: Type, value: Value, from: Type, to: Type): void {
  const own = from.kind === "pointer" ? I32 : from;
  const wanted = to.kind === "pointer" ? I32 : to;
  for (let part = 0; part < partCount(type); part++) {
    if (laneBytes(wanted) < laneBytes(own)) pushCut(emitter, value, own, laneBytes(wanted), part);
    else pushWidened(emitter, value, own, laneBytes(wanted), false, part);
  }
}

/**
 * True for conversions of binary16 from and to binary32, on engines that have them. No other is computed: `lower-half`
 * replaces them.
 */
export function convertsHalf(emitter: FunctionEmitter, op: number, from: Type, to: Type): boolean {
  const isWidened = op === Op.FPEXT && from.bits === 16 && to.bits === 32;
  const isRounded = op === Op.FPTRUNC && from.bits === 32 && to.bits === 16;
  return (isWidened || isRounded) && emitter.uses("fp16");
}

/** True for conversions of vectors of ints and floats that are written by whole parts. No i1. */
export function convertsByParts(op: number, operand: Value, to: Type): boolean {
  const from = scalarOf(operand.type);
  return from.bits > 1 && partWriter(op, operand, from, to) !== null;
}

/** Writes a conversion of vectors of ints and floats by whole parts; false: no instructions for it. No i1. */
export function convertParts(
  emitter: FunctionEmitter,
  instruction: Instruction,
  value: Value,
  from: Type,
  to: Type,
): boolean {
  const write = from.bits === 1 ? null : partWriter(instruction.op, value, from, to);
  if (write === null) return false;
  const { first, end } = emitter.partsNow(instruction);
  for (let part = first; part < end; part++) write(emitter, value, part);
  return true;
}
