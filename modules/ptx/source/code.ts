// SPDX-License-Identifier: Apache-2.0
// The text of one function while it is written: instructions, registers, and where values are.
import { InternalError, assert } from "@muxkit/cargo";
import { type Constant, type Type, type Value, constantLane, laneCount, scalarOf } from "@muxkit/ir";

import { literal } from "./literals.ts";
import { type RegisterClass, Registers, classOf } from "./registers.ts";

/** How constants get into registers that take no immediates, by class. */
const CONSTANT_MOVES: Readonly<Partial<Record<RegisterClass, (low: number) => string>>> = {
  pred: (low) => (low === 0 ? "0" : "-1"),
  b16: (low) => `0x${low.toString(16).padStart(4, "0")}`,
};

/** A function's code. */
export class Code {
  readonly lines: string[] = [];
  readonly registers: Registers = new Registers();
  private readonly places = new Map<Value, readonly string[]>();
  /** Pointers that are a register and a constant offset: most are only parts of accesses. */
  private readonly offsets = new Map<Value, number>();
  private labels = 0;

  /** Writes an instruction: its name, then its operands. */
  emit(name: string, ...operands: readonly string[]): void {
    this.lines.push(operands.length === 0 ? `  ${name};` : `  ${name} ${operands.join(", ")};`);
  }

  /** Writes an instruction whose result is in a new register, which is returned. */
  into(registerClass: RegisterClass, name: string, ...operands: readonly string[]): string {
    const target = this.registers.take(registerClass);
    this.emit(name, target, ...operands);
    return target;
  }

  /** A label that nothing else in the function has. */
  newLabel(name: string): string {
    return `$${name}_${this.labels++}`;
  }

  /** Writes a label. */
  label(name: string): void {
    this.lines.push(`${name}:`);
  }

  /** Says where a value is. */
  place(value: Value, lanes: readonly string[]): void {
    this.places.set(value, lanes);
  }

  /** Says that a pointer is so many bytes behind what a register holds. */
  placeBehind(value: Value, register: string, offset: number): void {
    this.places.set(value, [register]);
    if (offset !== 0) this.offsets.set(value, offset);
  }

  /** Where a pointer is, without its constant offset being added. */
  based(value: Value): { readonly base: string; readonly offset: number } {
    const offset = this.offsets.get(value) ?? 0;
    return { base: offset === 0 ? this.scalar(value) : (this.places.get(value)?.[0] as string), offset };
  }

  /** New registers for a value. */
  define(value: Value): readonly string[] {
    const lanes = this.registers.takeLanes(value.type);
    this.places.set(value, lanes);
    return lanes;
  }

  /** The operands of all lanes of a value. Throws InternalError for one that was not defined. */
  lanes(value: Value): readonly string[] {
    if (value.kind === "constant")
      return Array.from({ length: laneCount(value.type) }, (_, lane) => this.constant(constantLane(value, lane)));
    const found = this.places.get(value);
    if (found === undefined) throw new InternalError("a value is used before it is defined");
    const offset = this.offsets.get(value);
    // Not kept: this place need not dominate the next use.
    return offset === undefined ? found : [this.into("b64", "add.s64", found[0] as string, String(offset))];
  }

  /** The operand of a scalar. */
  scalar(value: Value): string {
    const [lane, more] = this.lanes(value);
    assert(lane !== undefined && more === undefined, "a scalar has one lane");
    return lane;
  }

  /** A scalar constant as an operand. */
  constant(constant: Constant): string {
    return literal(constant) ?? this.constantRegister(constant.type, constant.low);
  }

  /** A register with the bits of a constant that has no immediate. */
  private constantRegister(type: Type, low: number): string {
    const registerClass = classOf(scalarOf(type));
    const text = CONSTANT_MOVES[registerClass]?.(low);
    assert(text !== undefined, "the class takes immediates");
    return this.into(registerClass, `mov.${registerClass}`, text);
  }
}
