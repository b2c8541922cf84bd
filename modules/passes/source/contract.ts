// SPDX-License-Identifier: Apache-2.0
// contract: a product that is added becomes one fma where both ops have the flag `contract`
// (docs/decisions/017-contraction.md). The flag passes on to calls of built-ins, whose fused definitions are linked
// then. Only targets with a fused multiply-add run it.
import {
  CONTRACT,
  F32,
  FUSED,
  Instruction,
  type IrFunction,
  Op,
  type Value,
  applyReplacements,
  replaceLater,
  listOf,
} from "@muxkit/ir";

import { isLibcall } from "@muxkit/machine-target";

import type { FunctionFrame } from "./pass.ts";

/** The product that defines a value, when it may be fused and has no other user. */
function productOf(value: Value | undefined, users: (value: Value) => number): Instruction | null {
  if (value?.kind !== "instruction" || value.op !== Op.FMUL || (value.flags & CONTRACT) === 0) return null;
  return users(value) === 1 ? value : null;
}

/** Emits a negation in front of an instruction. */
function negated(value: Value, at: Instruction, before: Instruction[]): Value {
  const made = new Instruction(Op.FNEG, value.type, listOf<Value>(value), at.location);
  made.block = at.block;
  before.push(made);
  return made;
}

/** The fma that replaces a sum or difference, after the instructions that it needs; null: it stays. */
function fuse(sum: Instruction, users: (value: Value) => number): readonly Instruction[] | null {
  const [left, right] = sum.operands;
  if (
    (sum.op !== Op.FADD && sum.op !== Op.FSUB) ||
    (sum.flags & CONTRACT) === 0 ||
    left === undefined ||
    right === undefined
  )
    return null;
  const first = productOf(left, users);
  const second = first === null ? productOf(right, users) : null;
  const product = first ?? second;
  const [a, b] = product?.operands ?? [];
  if (product === null || a === undefined || b === undefined) return null;
  const before: Instruction[] = [];
  // a * b - c and c - a * b: negation is exact, so an operand can take the sign.
  const isDifference = sum.op === Op.FSUB;
  const factor = isDifference && first === null ? negated(a, sum, before) : a;
  const other = first === null ? left : right;
  const addend = isDifference && first !== null ? negated(other, sum, before) : other;
  const made = new Instruction(Op.FMA, sum.type, listOf<Value>(factor, b, addend), sum.location);
  made.flags = sum.flags & product.flags;
  made.block = sum.block;
  return [...before, made];
}

/**
 * Fuses products with sums on machines with a fused multiply-add: a library call for it would cost more than it saves.
 * The products themselves are left to dce.
 */
export function contract(fn: IrFunction, { analyses, context: { machine } }: FunctionFrame): boolean {
  if (isLibcall(machine, Op.FMA, F32)) return false;
  const uses = analyses.get("uses");
  const users = (value: Value): number => uses.get(value)?.length ?? 0;
  let changed = false;
  for (const block of fn.blocks) {
    const placed: Instruction[] = [];
    for (const instruction of block.instructions) {
      if (instruction.op === Op.CALL_BUILTIN && (instruction.flags & (CONTRACT | FUSED)) === CONTRACT) {
        instruction.flags |= FUSED;
        changed = true;
      }
      const made = isLibcall(machine, Op.FMA, instruction.type) ? null : fuse(instruction, users);
      const last = made?.at(-1);
      if (made === null || last === undefined) placed.push(instruction);
      else {
        placed.push(...made);
        replaceLater(instruction, last);
        changed = true;
      }
    }
    block.instructions = placed;
  }
  if (changed) applyReplacements(fn);
  return changed;
}
