// SPDX-License-Identifier: Apache-2.0
// What expressions give: values, places, lanes of places. There is one for each expression, so each form holds only what it has; all can be asked for everything.
import type { Value } from "@muxkit/ir";

import type { CType, Qualified } from "./ctype.ts";

/** What an expression gives. A place has the address of what it is; a swizzle names lanes of a vector in a place. */
export interface Operand {
  readonly kind: "value" | "place" | "swizzle";
  readonly type: CType;
  /** The value; the address of a place. For a record's value: the address of a copy that nobody else writes. */
  readonly value: Value;
  /** Places: how they may be used. */
  readonly qualified: Qualified | null;
  /** Alignment in bytes of a place. */
  readonly alignment: number;
  /** Swizzles: lanes, and the type of the whole vector. */
  readonly lanes: readonly number[];
  readonly whole: CType | null;
}

const NO_LANES: readonly number[] = [];

class ValueOperand implements Operand {
  declare readonly kind: "value";
  readonly type: CType;
  readonly value: Value;
  declare readonly qualified: null;
  declare readonly alignment: number;
  declare readonly lanes: readonly number[];
  declare readonly whole: null;

  constructor(type: CType, value: Value) {
    this.type = type;
    this.value = value;
  }
}

class PlaceOperand implements Operand {
  declare readonly kind: "place";
  readonly type: CType;
  readonly value: Value;
  readonly qualified: Qualified;
  readonly alignment: number;
  declare readonly lanes: readonly number[];
  declare readonly whole: null;

  constructor(qualified: Qualified, address: Value, alignment: number) {
    this.type = qualified.type;
    this.value = address;
    this.qualified = qualified;
    this.alignment = alignment;
  }
}

Object.assign(ValueOperand.prototype, { kind: "value", qualified: null, alignment: 0, lanes: NO_LANES, whole: null });
Object.assign(PlaceOperand.prototype, { kind: "place", lanes: NO_LANES, whole: null });

/** A value. */
export function valueOf(type: CType, value: Value): Operand {
  return new ValueOperand(type, value);
}

/** A place. */
export function placeOf(qualified: Qualified, address: Value, alignment: number): Operand {
  return new PlaceOperand(qualified, address, alignment);
}

/** Lanes of the vector that a place or swizzle is. */
export function swizzleOf(base: Operand, type: CType, lanes: readonly number[], whole: CType | null): Operand {
  return {
    kind: "swizzle",
    type,
    value: base.value,
    qualified: base.qualified,
    alignment: base.alignment,
    lanes,
    whole,
  };
}
