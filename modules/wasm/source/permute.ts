// SPDX-License-Identifier: Apache-2.0
// Permutations by computed lane indices: indices become byte numbers for `i8x16.swizzle` of each register of the
// source.
import { type Instruction, laneCount, scalarOf } from "@muxkit/ir";

import type { FunctionEmitter } from "./function-emitter.ts";
import * as Wasm from "./opcodes.ts";
import { laneBytes, partCount } from "./representation.ts";
import * as Simd from "./simd.table.ts";

const BYTES = 16;
/** By bytes of a lane: the factors that turn a lane number into the numbers of its bytes. */
const SPREAD: Readonly<Record<number, readonly [multiply: number, factor: number]>> = {
  2: [0x95, 0x02],
  4: [0xb5, 0x04],
};
const I64X2_SHL = 0xcb;
const I8X16_ADD = 0x6e;

/** A v128 of 16 byte numbers. */
function constant(emitter: FunctionEmitter, byteAt: (i: number) => number): void {
  emitter.code.v128(Uint8Array.from({ length: BYTES }, (_, i) => byteAt(i) & 0xff));
}

/** Turns the indices on the stack into the number of each lane's first byte, in all bytes of the lane. */
function scaleIndices(emitter: FunctionEmitter, size: number): void {
  const { code } = emitter;
  const row = SPREAD[size];
  if (row !== undefined) {
    const [multiply, factor] = row;
    constant(emitter, () => factor);
    code.simd(multiply);
  } else if (size === 8) {
    code.i32(3);
    code.simd(I64X2_SHL);
    constant(emitter, (i) => i & 8);
    code.simd(Simd.SWIZZLE);
  }
}

/** Leaves the parts of a permutation on the stack. */
export function emitPermute(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  const { type, scale } = instruction;
  const vector = emitter.operand(instruction, 0);
  const indices = emitter.operand(instruction, 1);
  const size = laneBytes(scalarOf(type));
  const count = laneCount(vector.type);
  const registers = Math.max(1, (scale * size) / BYTES);
  const bytes = code.local(Wasm.TYPE_V128);
  /** The byte of the operand at which the block begins that a byte of the result is picked from. */
  const blockAt = (byte: number): number => ((Math.floor(byte / size / scale) * scale) % count) * size;
  for (let part = 0; part < partCount(type); part++) {
    const first = Math.floor(blockAt(part * BYTES) / BYTES);
    const within = (i: number): number => (i % size) + blockAt(part * BYTES + i) - first * BYTES;
    emitter.push(indices, part);
    constant(emitter, (i) => (i % size === 0 ? scale - 1 : 0));
    code.simd(Simd.V128_AND);
    scaleIndices(emitter, size);
    if (Array.from({ length: BYTES }, (_, i) => within(i)).some((byte) => byte !== 0)) {
      constant(emitter, within);
      code.simd(I8X16_ADD);
    }
    code.set(bytes);
    for (let register = 0; register < registers; register++) {
      emitter.push(vector, first + register);
      code.get(bytes);
      if (register > 0) {
        // Bytes of other registers have numbers above 15, for which swizzle yields zero.
        constant(emitter, () => -BYTES * register);
        code.simd(I8X16_ADD);
      }
      code.simd(Simd.SWIZZLE);
      if (register > 0) code.simd(Simd.V128_OR);
    }
  }
}
