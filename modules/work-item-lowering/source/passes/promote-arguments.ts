// SPDX-License-Identifier: Apache-2.0
// `promote-arguments`: argument promotion (LLVM's term) for kernels. A struct that a kernel takes by value, as the push
// constants of a shader are, is an address into the packed arguments of the launch. Where the body only reads it, each
// number that it loads at a constant offset becomes a parameter of its own, which the entry loads once:
//
//   func @k.body(%p: ptr<private>, …)         func @k.body(%p: ptr<private>, %p.4: i32, …)
//     %q = address %p {offset 4}                (no load: %n is %p.4)
//     %n = load %q
//
// Bounds and sizes are then known before the body runs, as arguments that are numbers are: tests of vectors, trip
// counts and index sets may depend on them. Cost: one walk over the users of such a parameter's address.
import {
  type DataLayout,
  type IrFunction,
  type KernelDescription,
  type Module,
  Parameter,
  type Type,
  type Value,
  replaceUses,
  workItemConvention,
} from "@muxkit/ir";
import { argumentKey, argumentLoadsOf } from "@muxkit/passes";

import type { KernelLowering, LoweringState } from "../lowering-state.ts";

/** A number in a struct that a kernel takes by value. @internal */
export interface PromotedMember {
  /** Which argument of the kernel the struct is. */
  readonly argument: number;
  /** Byte of the struct that the number begins at. */
  readonly offset: number;
  readonly type: Type;
  /** What the address of the number is a multiple of. */
  readonly alignment: number;
}

/** Most numbers that become parameters: as many words as push constants have at most. */
const MOST_MEMBERS = 32;

/** Gives a body parameters for members, behind its own, and replaces the loads of those. */
function promoteIn(
  body: IrFunction,
  description: KernelDescription,
  members: ReadonlyMap<string, PromotedMember>,
  layout: DataLayout,
): void {
  const first = description.arguments.length;
  const made = new Map(
    [...members].map(([key, { argument, offset, type }]) => {
      const name = body.parameters[argument]?.name ?? "";
      return [key, new Parameter(type, `${name === "" ? "member" : name}.${offset}`, null, body)] as const;
    }),
  );
  const replaced = new Map<Value, Value>();
  for (const one of argumentLoadsOf(body, description, layout)) {
    const parameter = made.get(argumentKey(one));
    if (parameter !== undefined) replaced.set(one.load, parameter);
  }
  body.parameters.splice(first, 0, ...made.values());
  body.convention = workItemConvention(first + made.size);
  replaceUses(body, replaced);
  for (const block of body.blocks)
    block.instructions = block.instructions.filter((instruction) => !replaced.has(instruction));
}

function promote(kernel: KernelLowering, layout: DataLayout): boolean {
  const { body, subGroupBody, description } = kernel;
  const members = new Map<string, PromotedMember>();
  for (const one of argumentLoadsOf(body, description, layout)) {
    const key = argumentKey(one);
    const { argument, offset, load } = one;
    const alignment = Math.max(load.alignment, members.get(key)?.alignment ?? 1);
    if (members.has(key) || members.size < MOST_MEMBERS)
      members.set(key, { argument, offset, type: load.type, alignment });
  }
  if (members.size === 0) return false;
  for (const fn of [body, subGroupBody]) if (fn !== null) promoteIn(fn, description, members, layout);
  kernel.members = [...members.values()];
  kernel.parameterTypes = [...kernel.parameterTypes, ...kernel.members.map(({ type }) => type)];
  return true;
}

/** Promotes what kernels read of structs by value, where code is optimised; true when there is any. */
export function promoteArguments(module: Module, state: LoweringState): boolean {
  let changed = false;
  if (!state.request.optimize) return changed;
  for (const kernel of state.separate(module))
    if (kernel.cut === null && kernel.vectors === null && kernel.members.length === 0)
      changed = promote(kernel, module.layout) || changed;
  return changed;
}
