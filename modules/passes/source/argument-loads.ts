// SPDX-License-Identifier: Apache-2.0
// argument-loads: a struct that a kernel takes by value, as the push constants of a shader are, is an address into the
// arguments of the launch, which are there before the first instruction. Each number that the kernel loads from it at a
// constant offset is loaded once, at the beginning of the entry, wherever it is used: it dominates every use then, is
// invariant in every loop, and can become a parameter (`promote-arguments` of the lowering).
//
// Cost: one walk over the users of such a parameter's address.
import {
  type ArgumentDescription,
  type DataLayout,
  Instruction,
  type IrFunction,
  type KernelDescription,
  Op,
  type Parameter,
  type Type,
  VOLATILE,
  type Value,
  applyReplacements,
  isPointer,
  replaceLater,
  sizeOf,
  uses,
} from "@muxkit/ir";

import type { FunctionFrame } from "./pass.ts";

/** A load of a number in a struct that a kernel takes by value. @internal */
export interface ArgumentLoad {
  /** Which argument of the kernel the struct is. */
  readonly argument: number;
  /** Byte of the struct that the number begins at. */
  readonly offset: number;
  /** The instruction that loads it. */
  readonly load: Instruction;
}

/** True for a struct by value: the kernel gets the address of the packed bytes. @internal */
export function isStructArgument({ kind }: ArgumentDescription, type: Type): boolean {
  return kind === "value" && isPointer(type);
}

/** The loads of whole numbers within a struct; none where its address is used for more than to read. */
function loadsFrom(
  parameter: Parameter,
  argument: number,
  { size }: ArgumentDescription,
  users: ReadonlyMap<Value, readonly Instruction[]>,
  layout: DataLayout,
): readonly ArgumentLoad[] {
  const found: ArgumentLoad[] = [];
  const open: { readonly pointer: Value; readonly offset: number | null }[] = [{ pointer: parameter, offset: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { pointer, offset } = next;
    for (const user of users.get(pointer) ?? []) {
      const { op, operands, type } = user;
      if (op === Op.ADDRESS && operands[0] === pointer) {
        open.push({ pointer: user, offset: operands.length > 1 || offset === null ? null : offset + user.offset });
      } else if (op === Op.LOAD && (user.flags & VOLATILE) === 0) {
        if (offset !== null && offset >= 0 && offset + sizeOf(layout, type) <= size)
          found.push({ argument, offset, load: user });
      } else if (op !== Op.MEMORY_COPY || operands[0] === pointer) return [];
    }
  }
  return found;
}

/**
 * The loads of numbers at constant offsets of structs that a kernel takes by value. `fn`: the kernel, or its body with
 * the parameters of the kernel first.
 *
 * @internal
 */
export function argumentLoadsOf(
  fn: IrFunction,
  { arguments: list }: KernelDescription,
  layout: DataLayout,
): readonly ArgumentLoad[] {
  const structs = list.flatMap((argument, i) => {
    const parameter = fn.parameters[i];
    return parameter !== undefined && isStructArgument(argument, parameter.type) ? [{ argument, parameter, i }] : [];
  });
  if (structs.length === 0) return [];
  const users = uses(fn);
  return structs.flatMap(({ argument, parameter, i }) => loadsFrom(parameter, i, argument, users, layout));
}

/** What names the number that is loaded. @internal */
export function argumentKey({ argument, offset, load: { type } }: ArgumentLoad): string {
  return `${argument} ${offset} ${type.text}`;
}

/** The number of an argument's load, loaded in the entry. */
function loadAtBeginning(fn: IrFunction, { argument, offset, load }: ArgumentLoad): readonly Instruction[] {
  const base = fn.parameters[argument];
  if (base === undefined) return [];
  const emit = (op: number, type: Type, operand: Value): Instruction => {
    const made = new Instruction(op, type, [operand], load.location);
    made.block = fn.entry;
    return made;
  };
  const address = offset === 0 ? null : emit(Op.ADDRESS, base.type, base);
  if (address !== null) address.offset = offset;
  const made = emit(Op.LOAD, load.type, address ?? base);
  made.alignment = load.alignment;
  made.name = load.name;
  return address === null ? [made] : [address, made];
}

/** Loads the numbers of structs by value once, at the beginning of a kernel; true when any load was elsewhere. */
export function argumentLoads(fn: IrFunction, { module }: FunctionFrame): boolean {
  if (fn.kernel === null) return false;
  const loads = argumentLoadsOf(fn, fn.kernel, module.layout);
  const first = new Map<string, Instruction>();
  const made: Instruction[] = [];
  const keys = new Set<string>();
  const replaced = new Set<Instruction>();
  // Loads that are in the entry already are taken as they are when nothing else loads the number.
  const isOnly = new Map<string, boolean>();
  for (const one of loads) {
    const key = argumentKey(one);
    isOnly.set(key, !keys.has(key) && one.load.block === fn.entry);
    keys.add(key);
  }
  for (const one of loads) {
    const key = argumentKey(one);
    if (isOnly.get(key) === true) continue;
    if (!first.has(key)) {
      const list = loadAtBeginning(fn, one);
      made.push(...list);
      const load = list.at(-1);
      if (load !== undefined) first.set(key, load);
    }
    const value = first.get(key);
    if (value === undefined) continue;
    value.alignment = Math.max(value.alignment, one.load.alignment);
    replaceLater(one.load, value);
    replaced.add(one.load);
  }
  if (replaced.size === 0) return false;
  for (const block of fn.blocks)
    block.instructions = block.instructions.filter((instruction) => !replaced.has(instruction));
  const variables = fn.entry.instructions.findIndex(({ op }) => op !== Op.ALLOCA);
  fn.entry.instructions.splice(Math.max(0, variables), 0, ...made);
  applyReplacements(fn);
  return true;
}
