// SPDX-License-Identifier: Apache-2.0
// The results of expressions: values, lvalues, lanes of vectors that are lvalues. There is one for each expression, so
// each class holds only what it has, and inherits the rest from its prototype.
import type { Value } from "@muxkit/ir";

import type { CType, Qualified, Spelling } from "./ctype.ts";

/**
 * The result of an expression. An lvalue has the address of its object; a swizzle names lanes of a vector in memory.
 */
export interface Operand {
  readonly kind: "value" | "lvalue" | "swizzle";
  readonly type: CType;
  /** How the program wrote the type; null: by its own name, or it is not known. */
  readonly spelling: Spelling | null;
  /** The value; the address of an lvalue. For a record's value: the address of a copy that nothing else writes. */
  readonly value: Value;
  /** Lvalues: how they may be used. */
  readonly qualified: Qualified | null;
  /** Alignment in bytes of an lvalue. */
  readonly alignment: number;
  /** Swizzles: lanes, and the type of the whole vector. */
  readonly lanes: readonly number[];
  readonly whole: CType | null;
}

const NO_LANES: readonly number[] = [];

class ValueOperand implements Operand {
  declare readonly kind: "value";
  readonly type: CType;
  readonly spelling: Spelling | null;
  readonly value: Value;
  declare readonly qualified: null;
  declare readonly alignment: number;
  declare readonly lanes: readonly number[];
  declare readonly whole: null;

  constructor(type: CType, value: Value, spelling: Spelling | null) {
    this.type = type;
    this.spelling = spelling;
    this.value = value;
  }
}

class LvalueOperand implements Operand {
  declare readonly kind: "lvalue";
  readonly type: CType;
  readonly spelling: Spelling | null;
  readonly value: Value;
  readonly qualified: Qualified;
  readonly alignment: number;
  declare readonly lanes: readonly number[];
  declare readonly whole: null;

  constructor(qualified: Qualified, address: Value, alignment: number) {
    this.type = qualified.type;
    this.spelling = qualified.spelling;
    this.value = address;
    this.qualified = qualified;
    this.alignment = alignment;
  }
}

Object.assign(ValueOperand.prototype, { kind: "value", qualified: null, alignment: 0, lanes: NO_LANES, whole: null });
Object.assign(LvalueOperand.prototype, { kind: "lvalue", lanes: NO_LANES, whole: null });

/** A value. */
export function valueOf(type: CType, value: Value, spelling: Spelling | null = null): Operand {
  return new ValueOperand(type, value, spelling);
}

/** An lvalue. */
export function lvalueOf(qualified: Qualified, address: Value, alignment: number): Operand {
  return new LvalueOperand(qualified, address, alignment);
}

/** Lanes of the vector that an lvalue or swizzle is. */
export function swizzleOf(base: Operand, type: CType, lanes: readonly number[], whole: CType | null): Operand {
  return {
    kind: "swizzle",
    type,
    spelling: null,
    value: base.value,
    qualified: base.qualified,
    alignment: base.alignment,
    lanes,
    whole,
  };
}
