// SPDX-License-Identifier: Apache-2.0
// The hidden parameters: what generated functions know of their work-item, its group and the launch.
import { assert } from "@muxkit/cargo";
import {
  Builder,
  I32,
  type Instruction,
  type IrFunction,
  type Module,
  Op,
  Parameter,
  type Value,
  constantInt,
  replaceUses,
} from "@muxkit/ir";
import { isPrintfQuery } from "@muxkit/passes";

/** Names of the hidden parameters, in order; all are i32. Those with three are x, y, z. */
const LAYOUT = [
  ["dispatch", 1],
  ["worker", 1],
  ["arena", 1],
  ["data", 1],
  ["group", 3],
  ["base", 3],
  ["local", 3],
  ["size", 3],
  ["enqueued", 3],
  ["global", 3],
  ["groups", 3],
  ["offset", 3],
  ["subGroup", 1],
  ["linear", 1],
] as const;

/** One of the hidden parameters. `base`: the group's first global id; `size`: the group's actual size; `groups`: the number of groups; `subGroup`: the size of sub-groups; `linear`: the local ids in one. */
export type HiddenName = (typeof LAYOUT)[number][0];

const POSITIONS = new Map<string, number>();
let count = 0;
for (const [name, width] of LAYOUT) {
  POSITIONS.set(name, count);
  count += width;
}

/** How many there are. */
export const HIDDEN_COUNT: number = count;

/** Position of a hidden parameter among them. */
export function hiddenPosition(name: HiddenName, axis: number = 0): number {
  return (POSITIONS.get(name) ?? 0) + axis;
}

/** Values for the hidden parameters, in their order. */
export class HiddenValues {
  private readonly values: (Value | null)[] = Array.from({ length: HIDDEN_COUNT }, () => null);

  set(name: HiddenName, axis: number, value: Value): void {
    this.values[hiddenPosition(name, axis)] = value;
  }

  get(name: HiddenName, axis: number = 0): Value {
    const value = this.values[hiddenPosition(name, axis)];
    assert(value !== null && value !== undefined, () => `the hidden value ${name} ${axis} is not set`);
    return value;
  }

  /** All of them, as a call hands them over. */
  get list(): readonly Value[] {
    return LAYOUT.flatMap(([name, width]) => Array.from({ length: width }, (_, axis) => this.get(name, axis)));
  }
}

/** Functions that must be told about their work-item: they ask for ids, touch program or local data, or loop; and whoever calls them. */
function needing(module: Module, needsLoop: (fn: IrFunction) => boolean): Set<IrFunction> {
  const found = new Set<IrFunction>();
  for (let changed = true; changed;) {
    changed = false;
    for (const fn of module.functions.values()) {
      if (found.has(fn) || fn.blocks.length === 0) continue;
      const needs =
        fn.kernel !== null ||
        needsLoop(fn) ||
        fn.blocks.some((block) =>
          block.instructions.some(
            (one) =>
              isQuery(one.op) ||
              one.op === Op.GLOBAL_ADDRESS ||
              isPrintfPlace(one) ||
              (one.symbol?.kind === "function" && found.has(one.symbol)),
          ),
        );
      if (!needs) continue;
      found.add(fn);
      changed = true;
    }
  }
  return found;
}

/** True for the ops that ask for an id, a size, or where a pointer points. */
export function isQuery(op: number): boolean {
  return (op >= Op.WORK_DIM && op <= Op.SUB_GROUP_LOCAL_ID) || op === Op.ADDRESS_SPACE;
}

/** True for what the host itself knows of printf: the thread's area and the launch. */
export function isPrintfPlace({ op, symbol }: Instruction): boolean {
  return op === Op.CALL_BUILTIN && symbol?.kind === "builtin" && isPrintfQuery(symbol);
}

/** Appends the hidden parameters to every function that needs them, and hands them on at calls. */
export function addHiddenParameters(
  module: Module,
  needsLoop: (fn: IrFunction) => boolean,
): Map<IrFunction, HiddenValues> {
  const result = new Map<IrFunction, HiddenValues>();
  for (const fn of needing(module, needsLoop)) {
    const values = new HiddenValues();
    for (const [name, width] of LAYOUT) {
      for (let axis = 0; axis < width; axis++) {
        const parameter = new Parameter(I32, width === 1 ? name : `${name}.${"xyz"[axis] ?? ""}`, null, fn);
        fn.parameters.push(parameter);
        values.set(name, axis, parameter);
      }
    }
    result.set(fn, values);
  }
  for (const [fn, values] of result) {
    for (const block of fn.blocks) {
      for (const instruction of block.instructions) {
        const { symbol } = instruction;
        if (instruction.op === Op.CALL && symbol?.kind === "function" && result.has(symbol))
          instruction.operands = [...instruction.operands, ...values.list];
      }
    }
  }
  return result;
}

/** Puts constants in the place of what is known of every launch, so that all that follows sees them. `known` gives the value of a hidden parameter; null: it is not known. */
export function fixHiddenValues(
  fn: IrFunction,
  hidden: HiddenValues,
  known: (name: HiddenName, axis: number) => number | null,
): void {
  const replaced = new Map<Value, Value>();
  for (const [name, width] of LAYOUT) {
    for (let axis = 0; axis < width; axis++) {
      const value = known(name, axis);
      if (value !== null) replaced.set(hidden.get(name, axis), constantInt(I32, value));
    }
  }
  if (replaced.size > 0) replaceUses(fn, replaced);
}

/** A builder that writes in front of an instruction: what is written is moved there by {@link Insertion.done}. */
export class Insertion {
  readonly builder: Builder;
  private readonly rest;

  constructor(block: Builder["block"], index: number) {
    this.rest = block.instructions.splice(index);
    this.builder = new Builder(block);
    this.builder.location = this.rest[0]?.location ?? null;
  }

  /** Puts back what stood behind; gives the index of its first instruction. */
  done(): number {
    const { block } = this.builder;
    const at = block.instructions.length;
    for (const instruction of this.rest) block.append(instruction);
    return at;
  }
}
