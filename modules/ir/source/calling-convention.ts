// SPDX-License-Identifier: Apache-2.0
// Calling conventions: what a function's parameters mean to those who call it without knowing it.
import { InternalError, at } from "@muxkit/cargo";

import type { DataLayout } from "./data-layout.ts";
import type { IrFunction } from "./function.ts";
import { I32, I64, type Type, scalarOf } from "./type.ts";
import type { Parameter } from "./value.ts";

/**
 * How a function is called.
 *
 * - `plain`: its parameters are its own
 * - `work_item`: from parameter `first` on it takes the {@link WORK_ITEM_PARAMETERS} of the work-item that it runs for
 *   (of the first one, in a vectorised variant); before them stand its own parameters, after them what lowering adds
 * - `kernel_entry`: the runtime calls it by the kernel ABI (docs/kernel-abi.md)
 *
 * @public
 */
export type CallingConvention =
  | { readonly kind: "plain" }
  | { readonly kind: "work_item"; readonly first: number }
  | { readonly kind: "kernel_entry" };

/** The convention of ordinary functions. @public */
export const PLAIN: CallingConvention = { kind: "plain" };

/** The convention of what the runtime calls. @public */
export const KERNEL_ENTRY: CallingConvention = { kind: "kernel_entry" };

/** The convention of functions that run for a work-item; their work-item parameters begin at `first`. @public */
export function workItemConvention(first: number): CallingConvention {
  return { kind: "work_item", first };
}

/**
 * The work-item parameters in their order; those of three components are x, y, z. All are integers as wide as `size_t`.
 *
 * `dispatch`, `worker`: addresses of the two blocks of the kernel ABI; `arena`: address of the thread's arena, where
 * local memory begins; `data`: address of the program's data; `group`: id of the work-group; `base`: the group's first
 * global id; `local`: id in the group; `size`: the group's actual size; `enqueued`: the size that was enqueued;
 * `global`: the global size; `groups`: the number of groups; `offset`: the global offset; `subGroup`: the size of
 * sub-groups; `linear`: the local ids in one.
 *
 * @public
 */
export const WORK_ITEM_PARAMETERS = [
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

/** The name of a work-item parameter. @public */
export type WorkItemParameterName = (typeof WORK_ITEM_PARAMETERS)[number][0];

const POSITIONS = new Map<WorkItemParameterName, number>();
let count = 0;
for (const [name, components] of WORK_ITEM_PARAMETERS) {
  POSITIONS.set(name, count);
  count += components;
}

/** How many parameters the work-item convention adds. @public */
export const WORK_ITEM_PARAMETER_COUNT: number = count;

/** The names of all of them, a component each: `local.x`. @public */
export const WORK_ITEM_PARAMETER_NAMES: readonly string[] = WORK_ITEM_PARAMETERS.flatMap(([name, components]) =>
  components === 1 ? [name] : ["x", "y", "z"].map((axis) => `${name}.${axis}`),
);

/** Position of a work-item parameter among them. @public */
export function workItemPosition(name: WorkItemParameterName, axis: number = 0): number {
  return (POSITIONS.get(name) ?? 0) + axis;
}

/**
 * Position of a work-item parameter among all parameters of a function. Throws InternalError for a function of another
 * convention.
 *
 * @public
 */
export function workItemIndex(
  { convention, name: own }: IrFunction,
  name: WorkItemParameterName,
  axis: number = 0,
): number {
  if (convention.kind !== "work_item") throw new InternalError(`@${own} has no work-item parameters`);
  return convention.first + workItemPosition(name, axis);
}

/** A work-item parameter of a function. Throws InternalError for a function of another convention. @public */
export function workItemParameter(fn: IrFunction, name: WorkItemParameterName, axis: number = 0): Parameter {
  return at(fn.parameters, workItemIndex(fn, name, axis));
}

/** The type of work-item parameters, of addresses as numbers, and of sizes: an integer as wide as `size_t`. @public */
export function indexType({ sizeBits }: DataLayout): Type {
  return sizeBits === 64 ? I64 : I32;
}

/** What is wrong with the parameters of a function by its convention; null: nothing. */
export function conventionProblem({ convention, parameters, kernel }: IrFunction, layout: DataLayout): string | null {
  if (convention.kind === "plain") return null;
  if (kernel !== null && convention.kind === "kernel_entry") return "a kernel entry describes no arguments";
  const type = indexType(layout);
  if (convention.kind === "kernel_entry")
    return parameters.length === 5 && parameters.every((parameter) => parameter.type === type)
      ? null
      : `a kernel entry takes five parameters of type ${type.text}`;
  const own = parameters.slice(convention.first, convention.first + WORK_ITEM_PARAMETER_COUNT);
  if (own.length < WORK_ITEM_PARAMETER_COUNT)
    return `its convention has ${WORK_ITEM_PARAMETER_COUNT} work-item parameters from ${convention.first} on`;
  const wrong = own.findIndex((parameter) => scalarOf(parameter.type) !== type);
  return wrong < 0 ? null : `the work-item parameter ${WORK_ITEM_PARAMETER_NAMES[wrong] ?? ""} is no ${type.text}`;
}
