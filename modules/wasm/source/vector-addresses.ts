// SPDX-License-Identifier: Apache-2.0
// Vectors of addresses: lanes of 32 bits.
import { I32, type Instruction, type IrFunction, Op, type Value, constantLane, uses } from "@muxkit/ir";

import type { FunctionEmitter } from "./function-emitter.ts";
import * as Wasm from "./opcodes.ts";
import { partCount } from "./representation.ts";
import { isAllOn } from "./across.ts";
import { emitShifted, factorOf } from "./products.ts";
import { pushScaled, scaledConstant } from "./scalars.ts";
import * as Simd from "./simd.table.ts";
import { pushAsWords } from "./vector-conversions.ts";

const LANES = 4;
const ADD = 0xae;
const MULTIPLY = 0xb5;

function wordsOf(value: (lane: number) => number): Uint8Array {
  return new Uint8Array(Int32Array.from({ length: LANES }, (_, i) => value(i)).buffer);
}

/** Pushes the bytes that a part of a vector of indices adds. */
function pushScaledPart(emitter: FunctionEmitter, index: Value, scale: number, part: number): void {
  const { code } = emitter;
  if (index.kind === "constant") {
    code.v128(
      wordsOf((i) =>
        part * LANES + i < index.type.count ? scaledConstant(constantLane(index, part * LANES + i), scale) : 0,
      ),
    );
    return;
  }
  const factor = factorOf(BigInt(scale), I32.bits);
  if (factor !== null && factor.right === undefined) {
    emitShifted(emitter, I32, factor, () => pushAsWords(emitter, index, part));
    return;
  }
  pushAsWords(emitter, index, part);
  if (factor !== null) {
    const words = code.local(Wasm.TYPE_V128);
    code.set(words);
    emitShifted(emitter, I32, factor, () => code.get(words));
  } else {
    code.v128(wordsOf(() => scale));
    code.simd(MULTIPLY);
  }
}

/** The sum of all uniform terms, as one vector in a local; null: there are none. */
function uniformPart(emitter: FunctionEmitter, instruction: Instruction): number | null {
  const { code } = emitter;
  const { offset, scale } = instruction;
  const base = emitter.operand(instruction, 0);
  const index = instruction.operands[1];
  let terms = 0;
  const add = (push: () => void): void => {
    push();
    if (terms++ > 0) code.op(0x6a);
  };
  if (base.type.kind !== "vector") add(() => emitter.push(base));
  if (index !== undefined && index.type.kind !== "vector") add(() => pushScaled(emitter, index, scale));
  if (offset !== 0) add(() => code.i32(offset));
  if (terms === 0) return null;
  code.simd(Simd.I32X4_SPLAT);
  const local = code.local(Wasm.TYPE_V128);
  code.set(local);
  return local;
}

/** base + index * scale + offset for each lane. */
export function emitAddresses(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  const base = emitter.operand(instruction, 0);
  const index = instruction.operands[1];
  const uniform = uniformPart(emitter, instruction);
  for (let part = 0; part < partCount(instruction.type); part++) {
    let terms = 0;
    const add = (push: () => void): void => {
      push();
      if (terms++ > 0) code.simd(ADD);
    };
    if (uniform !== null) add(() => code.get(uniform));
    if (base.type.kind === "vector") add(() => emitter.push(base, part));
    if (index !== undefined && index.type.kind === "vector")
      add(() => pushScaledPart(emitter, index, instruction.scale, part));
  }
}

/** Addresses at constant distances: a common base, and each lane's distance from it in bytes. */
export interface FixedDistances {
  readonly base: Value;
  readonly offsets: readonly number[];
}

/** The greatest distance from a base: programs own no lower address, so offsets of accesses do not wrap around. */
const FURTHEST = 65_536;

/** A vector of addresses as a base and distances; null: its lanes are computed. */
export function fixedDistancesOf(pointers: Value): FixedDistances | null {
  if (pointers.kind !== "instruction" || pointers.op !== Op.ADDRESS) return null;
  const [base, index] = pointers.operands;
  if (base === undefined || base.type.kind === "vector" || index?.kind !== "constant" || index.type.kind !== "vector")
    return null;
  const offsets = Array.from(
    { length: index.type.count },
    (_, lane) => scaledConstant(constantLane(index, lane), pointers.scale) + pointers.offset,
  );
  return offsets.every((offset) => offset >= 0 && offset <= FURTHEST) ? { base, offsets } : null;
}

/** True for accesses that can use a base and distances: loads with lanes that are off need addresses of their own. */
function usesDistances({ op, operands }: Instruction, pointers: Value): boolean {
  return op === Op.SCATTER
    ? operands[1] === pointers && operands[0] !== pointers
    : op === Op.GATHER && operands[1] !== undefined && isAllOn(operands[1]);
}

/** Vectors of addresses that are never computed, since every user takes a base and distances. */
export function usedByDistance(fn: IrFunction): ReadonlySet<Instruction> {
  const found = new Set<Instruction>();
  const candidates = fn.blocks.flatMap(({ instructions }) =>
    instructions.filter((one) => one.op === Op.ADDRESS && one.type.kind === "vector" && fixedDistancesOf(one) !== null),
  );
  if (candidates.length === 0) return found;
  const users = uses(fn);
  for (const one of candidates) if ((users.get(one) ?? []).every((user) => usesDistances(user, one))) found.add(one);
  return found;
}
