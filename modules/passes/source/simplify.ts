// simplify: folds constants and applies the algebra of the ops, each instruction after what it is made from.
import { type Block, type Instruction, type IrFunction, Op, type Value, applyReplacements, evaluate, hasEffect, replaceLater, resolved } from "@muxkit/ir";

import type { FunctionFrame } from "./pass.ts";
import { RULES, type Rule, canonical, indexRule, isConstant } from "./simplify-rules.ts";

/** How often rules are applied to one instruction before it is left as it is. */
const MOST_STEPS = 8;
const NO_RULES: readonly Rule[] = [];

function fold(instruction: Instruction): Value | null {
  const { op, operands } = instruction;
  if (operands.length === 0 || op === Op.SPEC_CONSTANT || !operands.every(isConstant) || !hasEffect(op, "s")) return null;
  return evaluate(op, instruction.type, operands, { lanes: instruction.lanes, kind: instruction.atomicKind });
}

function simplifyOne(instruction: Instruction, indexed: Rule): Value | null {
  const folded = fold(instruction);
  if (folded !== null) return folded;
  const moved = canonical(instruction);
  const rules = RULES[instruction.op] ?? NO_RULES;
  for (let i = 0; i < rules.length; i++) {
    const made = (rules[i] as Rule)(instruction);
    if (made !== null) return made;
  }
  if (instruction.op === Op.ADDRESS) return indexed(instruction);
  return moved ? instruction : null;
}

function simplifyBlock({ instructions }: Block, indexed: Rule): boolean {
  let changed = false;
  for (let at = 0; at < instructions.length; at++) {
    const instruction = instructions[at] as Instruction;
    const { operands } = instruction;
    for (let i = 0; i < operands.length; i++) {
      const value = operands[i] as Value;
      if (value.kind !== "constant" && value.forward !== null) operands[i] = resolved(value);
    }
    for (let step = 0; step < MOST_STEPS; step++) {
      const made = simplifyOne(instruction, indexed);
      if (made === null) break;
      changed = true;
      if (made === instruction) continue;
      replaceLater(instruction, made);
      break;
    }
  }
  return changed;
}

/** Folds constants and simplifies by algebra. What a rule makes is never dearer than what it takes. */
export function simplify(fn: IrFunction, { module, analyses }: FunctionFrame): boolean {
  const indexed = indexRule((module.layout.pointerBytes[0] ?? 4) * 8);
  let changed = false;
  // Dominators first: a rule sees operands that are simple already.
  for (const block of analyses.get("dominators").order) changed = simplifyBlock(block, indexed) || changed;
  if (changed) applyReplacements(fn);
  return changed;
}
