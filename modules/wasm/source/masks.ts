// SPDX-License-Identifier: Apache-2.0
// Conversion of lane masks between widths. A vector of i1 has lanes of 1, 2, 4 or 8 bytes, all ones or all zeros;
// mask-widths.ts chooses which, and a use may need another width.
import { type Constant, type Instruction, Op, type Value, constantLane } from "@muxkit/ir";

import type { Code } from "./code.ts";
import type { FunctionEmitter } from "./function-emitter.ts";
import * as Wasm from "./opcodes.ts";
import { maskParts } from "./representation.ts";
import * as Simd from "./simd.table.ts";

const ZERO = new Uint8Array(16);
/** Masks of half the width to the low and the high half of their lanes, by bytes of the result. */
const WIDEN: Readonly<Record<number, readonly [low: number, high: number]>> = {
  2: [0x87, 0x88],
  4: [0xa7, 0xa8],
  8: [0xc7, 0xc8],
};
/** Two parts to one of half the width, by bytes of the result; lanes of 8 bytes are picked. */
const NARROW: Readonly<Record<number, number>> = { 1: 0x65, 2: 0x85 };
const LOW_WORDS = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];

/** A mask that a function pushes part by part. */
export interface MaskParts {
  /** Bytes of its lanes. */
  readonly bytes: number;
  /** Number of its parts. */
  readonly count: number;
  readonly push: (part: number) => void;
}

/** Puts the part `part` of a mask on the stack, as lanes of `bytes` bytes. Zeros follow its end. */
export function pushConverted(code: Code, mask: MaskParts, bytes: number, part: number): void {
  if (bytes === mask.bytes) {
    if (part < mask.count) mask.push(part);
    else code.v128(ZERO);
  } else if (bytes > mask.bytes) {
    pushConverted(code, mask, bytes / 2, part >> 1);
    code.simd(WIDEN[bytes]?.[part & 1] ?? 0);
  } else {
    pushConverted(code, mask, bytes * 2, part * 2);
    pushConverted(code, mask, bytes * 2, part * 2 + 1);
    const narrow = NARROW[bytes];
    if (narrow === undefined) code.shuffle(LOW_WORDS);
    else code.simd(narrow);
  }
}

function constantPart(mask: Constant, bytes: number, part: number): Uint8Array {
  const first = (part * 16) / bytes;
  return Uint8Array.from({ length: 16 }, (_, i) => {
    const lane = first + Math.floor(i / bytes);
    return lane < mask.type.count && constantLane(mask, lane).low !== 0 ? 0xff : 0;
  });
}

/** Puts the part `part` of a mask on the stack, as lanes of `bytes` bytes. */
export function pushMask(emitter: FunctionEmitter, mask: Value, bytes: number, part: number): void {
  const { code } = emitter;
  if (mask.kind === "constant") code.v128(constantPart(mask, bytes, part));
  else
    pushConverted(
      code,
      {
        bytes: emitter.maskBytes(mask),
        count: maskParts(mask.type, emitter.maskBytes(mask)),
        push: (index) => emitter.push(mask, index),
      },
      bytes,
      part,
    );
}

/**
 * Pushes the mask for one part of a vector, with `bytes` bytes (a power of two) for each lane of the mask: a work-item
 * of several components fills more than one lane.
 */
export function pushMaskOfGroups(emitter: FunctionEmitter, mask: Value, bytes: number, part: number): void {
  if (bytes < 16) {
    pushMask(emitter, mask, bytes, part);
    return;
  }
  const own = emitter.maskBytes(mask);
  const lane = Math.floor((part * 16) / bytes);
  const first = (lane * own) % 16;
  pushMask(emitter, mask, own, Math.floor((lane * own) / 16));
  pushMask(emitter, mask, own, Math.floor((lane * own) / 16));
  emitter.code.shuffle(Array.from({ length: 16 }, (_, i) => first + (i % own)));
}

/** Pushes the mask that an instruction computes. `write` pushes one part of it, as lanes of `bytes` bytes. */
export function leaveMask(
  emitter: FunctionEmitter,
  instruction: Instruction,
  bytes: number,
  write: (part: number) => void,
): void {
  const { code } = emitter;
  const own = emitter.maskBytes(instruction);
  const written = emitter.partsNow(instruction, bytes);
  if (own === bytes) {
    for (let part = written.first; part < written.end; part++) write(part);
    return;
  }
  const locals: number[] = [];
  for (let part = written.first; part < written.end; part++) {
    write(part);
    const local = code.local(Wasm.TYPE_V128);
    code.set(local);
    locals.push(local);
  }
  const made = { bytes, count: written.end, push: (part: number) => code.get(locals[part - written.first] ?? 0) };
  const { first, end } = emitter.partsNow(instruction);
  for (let part = first; part < end; part++) pushConverted(code, made, own, part);
}

/** Turns the lowest bit of each lane on the stack into a mask of the lane. */
export function spreadLowest(code: Code, bytes: number): void {
  code.v128(Uint8Array.from({ length: 16 }, (_, i) => (i % bytes === 0 ? 1 : 0)));
  code.simd(Simd.V128_AND);
  code.simd(Simd.NEGATE[bytes] ?? 0);
}

/** Ops on single bits as ops on whole masks. */
const BITWISE: Readonly<Record<number, number>> = {
  [Op.AND]: Simd.V128_AND,
  [Op.OR]: Simd.V128_OR,
  [Op.XOR]: Simd.V128_XOR,
  [Op.ADD]: Simd.V128_XOR,
  [Op.SUB]: Simd.V128_XOR,
  [Op.MUL]: Simd.V128_AND,
  // As a signed number of one bit, 1 is the least; unsigned, it is the greatest.
  [Op.SMIN]: Simd.V128_OR,
  [Op.SMAX]: Simd.V128_AND,
  [Op.UMIN]: Simd.V128_AND,
  [Op.UMAX]: Simd.V128_OR,
  [Op.NE]: Simd.V128_XOR,
};
/**
 * Comparisons that hold where exactly one bit is set: whether it is the left one, and whether the result is inverted.
 */
const ONE_OF_TWO: Readonly<Record<number, readonly [isLeft: boolean, isNot: boolean]>> = {
  [Op.UGT]: [true, false],
  [Op.SLT]: [true, false],
  [Op.ULT]: [false, false],
  [Op.SGT]: [false, false],
  [Op.ULE]: [true, true],
  [Op.SGE]: [true, true],
  [Op.UGE]: [false, true],
  [Op.SLE]: [false, true],
};

/** True for ops on masks that are the same for every bit: their operands and result can have lanes of any width. */
export function isBitwise(op: number): boolean {
  return op in BITWISE || op in ONE_OF_TWO || op === Op.EQ;
}

function isAllOnes(value: Value | undefined): boolean {
  return value?.kind === "constant" && value.lanes.every(({ low }) => low === 1);
}

/** Writes such an op. */
export function emitBitwise(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  const { op, operands } = instruction;
  const bytes = emitter.maskBytes(instruction);
  const [left, right] = [emitter.operand(instruction, 0), emitter.operand(instruction, 1)];
  const { first, end } = emitter.partsNow(instruction);
  for (let part = first; part < end; part++) {
    const push = (value: Value): void => pushMask(emitter, value, bytes, part);
    const different = ONE_OF_TWO[op];
    const negated =
      op === Op.AND
        ? operands.findIndex(
            (value) => value.kind === "instruction" && value.op === Op.XOR && isAllOnes(value.operands[1]),
          )
        : -1;
    const inverted = operands[negated];
    if (different !== undefined) {
      const [isLeft, isNot] = different;
      push(isLeft ? left : right);
      push(isLeft ? right : left);
      code.simd(Simd.V128_ANDNOT);
      if (isNot) code.simd(Simd.V128_NOT);
    } else if (inverted?.kind === "instruction" && inverted.operands[0] !== undefined) {
      push(negated === 0 ? right : left);
      push(inverted.operands[0]);
      code.simd(Simd.V128_ANDNOT);
    } else if (isAllOnes(right) && (op === Op.XOR || op === Op.NE)) {
      push(left);
      code.simd(Simd.V128_NOT);
    } else {
      push(left);
      push(right);
      code.simd(BITWISE[op] ?? Simd.V128_XOR);
      if (op === Op.EQ) code.simd(Simd.V128_NOT);
    }
  }
}
