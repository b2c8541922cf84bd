// SPDX-License-Identifier: Apache-2.0
// Warns of private scalars that are read before anything is stored in them: reaching definitions on the IR of the
// function, for one variable at a time. The front end stores zero at the declaration; a load is reported when that
// store reaches it on every path from the entry and no other store does. A variable whose address is used for anything
// but loads and stores is left alone. Cost: one walk over the blocks for each load that is the first of its block.
import { type Span, note } from "@muxkit/report";
import { type Block, type Instruction, type IrFunction, Op, reversePostorder } from "@muxkit/ir";

import type { Unit } from "./unit.ts";

/** A private scalar that was declared without a value. */
export interface UninitializedVariable {
  readonly name: string;
  /** Where it is declared. */
  readonly span: Span;
  /** The store that makes it zero each time its declaration is passed. */
  readonly zeroing: Instruction;
  /** Where the source names it, in the order of the text. */
  readonly mentions: Span[];
}

/**
 * Loads and stores of one variable, block by block; null: its address is used for more than that, so anyone may store
 * in it.
 */
function accessesOf(variable: Instruction, users: readonly Instruction[]): Map<Block, Instruction[]> | null {
  const accesses = new Map<Block, Instruction[]>();
  for (const user of users) {
    const isAccess =
      user.op === Op.LOAD || (user.op === Op.STORE && user.operands[1] === variable && user.operands[0] !== variable);
    if (!isAccess || user.block === null) return null;
    const list = accesses.get(user.block);
    if (list === undefined) accesses.set(user.block, [user]);
    else list.push(user);
  }
  return accesses;
}

/** A variable's accesses with what it takes to judge one of them. */
interface Accesses {
  readonly byBlock: ReadonlyMap<Block, readonly Instruction[]>;
  readonly zeroing: Instruction;
}

/**
 * Walks from the entry to every block, ending each way at the first access that `stopsAt`; returns the states in which
 * it was met: not set, set.
 */
function statesAt({ byBlock, zeroing }: Accesses, entry: Block, stopsAt: Instruction): readonly [boolean, boolean] {
  const met: [boolean, boolean] = [false, false];
  const seen: [Set<Block>, Set<Block>] = [new Set([entry]), new Set()];
  const work: { readonly block: Block; readonly isSet: boolean }[] = [{ block: entry, isSet: false }];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    let { isSet } = at;
    let goesOn = true;
    for (const access of byBlock.get(at.block) ?? []) {
      if (access === stopsAt) {
        met[isSet ? 1 : 0] = true;
        goesOn = false;
        break;
      }
      if (access.op === Op.STORE) isSet = access !== zeroing;
    }
    if (!goesOn) continue;
    for (const successor of at.block.successors) {
      const states = seen[isSet ? 1 : 0];
      if (states.has(successor)) continue;
      states.add(successor);
      work.push({ block: successor, isSet });
    }
  }
  return met;
}

/** True where the declaration's own block stores next: so it is in most programs, and no way needs to be walked. */
function storesRightAway({ byBlock, zeroing }: Accesses): boolean {
  const list = zeroing.block === null ? [] : (byBlock.get(zeroing.block) ?? []);
  return list[list.indexOf(zeroing) + 1]?.op === Op.STORE;
}

/**
 * The first load, in the order of the blocks, that is made before any store the first time it is reached, whatever the
 * way; null: there is none.
 */
function firstUnsetLoad(accesses: Accesses, entry: Block): Instruction | null {
  if (storesRightAway(accesses)) return null;
  for (const list of accesses.byBlock.values()) {
    for (const access of list) {
      if (access.op === Op.STORE) {
        if (access !== accesses.zeroing) break;
        continue;
      }
      const [unset, set] = statesAt(accesses, entry, access);
      if (unset && !set) return access;
      // Later loads of the block see what this one saw.
      break;
    }
  }
  return null;
}

/** The mention that a load was written for: the last one that is not after it. */
function mentionOf(unit: Unit, load: Instruction, { mentions, span }: UninitializedVariable): Span {
  const before = mentions.findLast((mention) => {
    const location = unit.locationOf(mention);
    return (
      load.location === null ||
      location.line < load.location.line ||
      (location.line === load.location.line && location.column <= load.location.column)
    );
  });
  return before ?? span;
}

/**
 * Warns once of each variable of a written function that is read where no way through the function has stored anything
 * in it.
 */
export function reportUninitialized(
  unit: Unit,
  fn: IrFunction,
  variables: ReadonlyMap<Instruction, UninitializedVariable>,
): void {
  if (variables.size === 0) return;
  const users = new Map<Instruction, Instruction[]>([...variables.keys()].map((variable) => [variable, []]));
  for (const block of reversePostorder(fn)) {
    for (const instruction of block.instructions) {
      for (const operand of instruction.operands)
        if (operand.kind === "instruction") users.get(operand)?.push(instruction);
      for (const list of instruction.successorArguments)
        for (const value of list) if (value.kind === "instruction") users.get(value)?.push(instruction);
    }
  }
  for (const [address, variable] of variables) {
    const accesses = accessesOf(address, users.get(address) ?? []);
    const load = accesses === null ? null : firstUnsetLoad({ byBlock: accesses, zeroing: variable.zeroing }, fn.entry);
    if (load !== null)
      unit.warn("uninitialized", mentionOf(unit, load, variable), [variable.name], {
        notes: [note("declared here without a value", variable.span)],
      });
  }
}
