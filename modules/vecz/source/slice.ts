// SPDX-License-Identifier: Apache-2.0
// Backward slices: the instructions that compute a value from parameters, so that it can be computed before the
// function.
import {
  type Builder,
  type Instruction,
  Op,
  type Parameter,
  type Value,
  cloneInstruction,
  hasEffect,
} from "@muxkit/ir";

/** Most instructions of a slice. */
const MOST_WORK = 120;

/**
 * Collects the instructions that compute a value from the parameters that are known beforehand; false: it depends on
 * more than those, or on too many instructions.
 */
export function slice(
  value: Value,
  found: Set<Instruction>,
  isKnown: (parameter: Parameter) => boolean = () => true,
): boolean {
  if (value.kind === "constant") return true;
  if (value.kind === "parameter") return value.owner !== null && isKnown(value);
  if (found.has(value)) return true;
  if (!hasEffect(value.op, "s") || value.op === Op.CALL || found.size > MOST_WORK) return false;
  if (!value.operands.every((operand) => slice(operand, found, isKnown))) return false;
  found.add(value);
  return true;
}

/** Copies of slices, written for given values of the parameters; each instruction once. */
export class SliceCopies {
  private readonly builder: Builder;
  private readonly valueOf: (parameter: Parameter) => Value;
  private readonly copies = new Map<Instruction, Value>();

  constructor(builder: Builder, valueOf: (parameter: Parameter) => Value) {
    this.builder = builder;
    this.valueOf = valueOf;
  }

  /** The copy of a value, which is written when it is first asked for. */
  of(value: Value): Value {
    if (value.kind === "constant") return value;
    if (value.kind === "parameter") return this.valueOf(value);
    const known = this.copies.get(value);
    if (known !== undefined) return known;
    const copy = cloneInstruction(value);
    copy.operands = value.operands.map((operand) => this.of(operand));
    this.builder.insert(copy);
    this.copies.set(value, copy);
    return copy;
  }
}
