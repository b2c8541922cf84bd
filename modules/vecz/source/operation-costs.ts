// SPDX-License-Identifier: Apache-2.0
// Which operations a function's estimated cost comes from, for reports: sums by kind of operation and of memory, and
// the places of each. The figures are the cost model's (cost.ts). Cost: one entry for each instruction.
import { groupBy } from "@muxkit/cargo";
import { type AddressSpace, type Instruction, type Location, Op, hasEffect, isPointer, scalarOf } from "@muxkit/ir";

/** What operations of one kind cost. @public */
export interface OperationCost {
  /** The operation; null: spills of vector registers. */
  readonly op: number | null;
  /** Name of the function that a call calls; empty for other operations. */
  readonly callee: string;
  /** Memory that it reads or writes; null: none. */
  readonly space: AddressSpace | null;
  /** Estimated cost in one execution of the function. */
  readonly cost: number;
  /** Where such operations are, the dearest first. */
  readonly places: readonly Location[];
}

/** So many kinds are reported, and of each so many places: several may be of one line. */
const MOST_KINDS = 4;
const MOST_PLACES = 16;
/** Number of "no memory" in the keys of kinds, which have four bits for it. */
const NO_SPACE = 15;

/** One instruction: its kind, cost and place, as they are before later passes change it. */
interface Entry {
  /** Name of what a call calls, or the operation and its memory. */
  readonly kind: string | number;
  readonly cost: number;
  readonly location: Location | null;
}

/** The space that an instruction reads or writes. */
function spaceOf({ op, operands }: Instruction): AddressSpace {
  if (op === Op.CALL || !(hasEffect(op, "r") || hasEffect(op, "w"))) return NO_SPACE;
  for (const { type } of operands) if (isPointer(type)) return scalarOf(type).addressSpace;
  return NO_SPACE;
}

const byCost = (left: { readonly cost: number }, right: { readonly cost: number }): number => right.cost - left.cost;

/** What entries of one kind come to. */
function operationCost(kind: string | number, entries: readonly Entry[]): OperationCost {
  const byPlace = new Map<Location, number>();
  for (const { location, cost } of entries)
    if (location !== null) byPlace.set(location, (byPlace.get(location) ?? 0) + cost);
  const places = [...byPlace].map(([location, cost]) => ({ location, cost })).toSorted(byCost);
  const space = typeof kind === "number" ? kind % 16 : NO_SPACE;
  return {
    op: typeof kind === "number" ? Math.floor(kind / 16) : Op.CALL,
    callee: typeof kind === "string" ? kind : "",
    space: space === NO_SPACE ? null : space,
    cost: entries.reduce((sum, { cost }) => sum + cost, 0),
    places: places.slice(0, MOST_PLACES).map(({ location }) => location),
  };
}

/** Collects the costs of instructions; sums are made when they are asked for. @public */
export class OperationCosts {
  private readonly entries: Entry[] = [];
  private spilled = 0;

  /** Counts an instruction that costs so much in one execution of the function. */
  add(instruction: Instruction, cost: number): void {
    if (cost <= 0) return;
    const { op, symbol, location } = instruction;
    const kind = op === Op.CALL && symbol !== null ? symbol.name : op * 16 + spaceOf(instruction);
    this.entries.push({ kind, cost, location });
  }

  /** Counts what spills cost in one execution of the function. */
  addSpills(cost: number): void {
    this.spilled += cost;
  }

  /** The kinds that cost most, the dearest first. */
  dearest(): readonly OperationCost[] {
    const spills = { op: null, callee: "", space: null, cost: this.spilled, places: [] };
    const kinds = [...groupBy(this.entries, ({ kind }) => kind)].map(([kind, list]) => operationCost(kind, list));
    return [...kinds, ...(this.spilled > 0 ? [spills] : [])].toSorted(byCost).slice(0, MOST_KINDS);
  }
}
