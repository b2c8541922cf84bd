// SPDX-License-Identifier: Apache-2.0
// simplify: peephole simplification (LLVM's InstSimplify and InstCombine). Constants fold by `evaluate`, the IR's own
// arithmetic; other instructions go through the rules of their op (simplify-rules.ts, lane-rules.ts) until none
// applies.
//
// Blocks are visited in reverse postorder, so a rule sees operands that are simplified already; operands are resolved
// through pending replacements, which are applied once at the end. A rule's result is never more expensive than what it
// replaces. At most eight rules apply to one instruction. Cost: linear in instructions.
import {
  type Block,
  I1,
  Instruction,
  type IrFunction,
  Op,
  type Value,
  applyReplacements,
  evaluate,
  hasEffect,
  listOf,
  replaceLater,
  resolved,
  scalarOf,
} from "@muxkit/ir";

import type { FunctionFrame } from "./pass.ts";
import { type Rule, isConstant } from "./rule.ts";
import { RULES, canonical, indexRule, loadRule } from "./simplify-rules.ts";

/** Most rules that are applied to one instruction. */
const MOST_STEPS = 8;
const NO_RULES: readonly Rule[] = [];

function fold(instruction: Instruction): Value | null {
  const { op, operands } = instruction;
  if (operands.length === 0 || op === Op.SPEC_CONSTANT || !operands.every(isConstant) || !hasEffect(op, "s"))
    return null;
  return evaluate(op, instruction.type, operands, {
    lanes: instruction.lanes,
    kind: instruction.atomicKind,
    scale: instruction.scale,
  });
}

/** Rules that depend on the layout of memory, by op. */
type LayoutRules = Readonly<Record<number, Rule>>;

function simplifyOne(instruction: Instruction, byLayout: LayoutRules): Value | null {
  const folded = fold(instruction);
  if (folded !== null) return folded;
  const moved = canonical(instruction);
  const rules = RULES[instruction.op] ?? NO_RULES;
  for (let i = 0; i < rules.length; i++) {
    const made = (rules[i] as Rule)(instruction);
    if (made !== null) return made;
  }
  const made = byLayout[instruction.op]?.(instruction) ?? null;
  if (made !== null) return made;
  return moved ? instruction : null;
}

/** The i1 that a value is the extension of, and the extending op; null: it is none. */
function widenedBoolean(value: Value | undefined): { readonly op: number; readonly bit: Value } | null {
  if (value === undefined || value.kind !== "instruction" || (value.op !== Op.ZEXT && value.op !== Op.SEXT))
    return null;
  const [bit] = value.operands;
  return bit !== undefined && scalarOf(bit.type) === I1 ? { op: value.op, bit } : null;
}

/**
 * `op (ext a), (ext b)` of two i1 becomes `ext (op a, b)`: in vectors the value stays a mask. Returns the new op on i1,
 * or null when the instruction has another form.
 */
function joinBooleans(instruction: Instruction): Instruction | null {
  const { op, operands } = instruction;
  if (op !== Op.AND && op !== Op.OR && op !== Op.XOR) return null;
  const [left, right] = [widenedBoolean(operands[0]), widenedBoolean(operands[1])];
  if (left === null || right === null || left.op !== right.op || left.bit.type !== right.bit.type) return null;
  const joined = new Instruction(op, left.bit.type, listOf(left.bit, right.bit), instruction.location);
  joined.block = instruction.block;
  instruction.op = left.op;
  instruction.operands = listOf<Value>(joined);
  return joined;
}

function simplifyBlock({ instructions }: Block, byLayout: LayoutRules): boolean {
  let changed = false;
  for (let at = 0; at < instructions.length; at++) {
    const instruction = instructions[at] as Instruction;
    const { operands } = instruction;
    for (let i = 0; i < operands.length; i++) {
      const value = operands[i] as Value;
      if (value.kind !== "constant" && value.forward !== null) operands[i] = resolved(value);
    }
    const joined = joinBooleans(instruction);
    if (joined !== null) {
      changed = true;
      instructions.splice(at, 0, joined);
      at--;
      continue;
    }
    for (let step = 0; step < MOST_STEPS; step++) {
      const made = simplifyOne(instruction, byLayout);
      if (made === null) break;
      changed = true;
      if (made === instruction) continue;
      replaceLater(instruction, made);
      break;
    }
  }
  return changed;
}

/** Folds constants and applies peephole rules. */
export function simplify(fn: IrFunction, { module, analyses }: FunctionFrame): boolean {
  const { layout } = module;
  const byLayout: LayoutRules = {
    [Op.ADDRESS]: indexRule((layout.pointerBytes[0] ?? 4) * 8),
    [Op.LOAD]: loadRule(layout),
  };
  let changed = false;
  // Dominators first: operands are simplified before their users.
  for (const block of analyses.get("dominators").order) changed = simplifyBlock(block, byLayout) || changed;
  if (changed) applyReplacements(fn);
  return changed;
}
