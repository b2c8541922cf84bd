// SPDX-License-Identifier: Apache-2.0
// What all that writes a kernel's entry shares: the function, the builder, and the work-item values at the builder's
// place.
import {
  type Builder,
  type Constant,
  I32,
  type IrFunction,
  type KernelDescription,
  type Module,
  type Type,
  type Value,
  constantInt,
} from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";

import { type RegionPlan } from "../barriers/regions.ts";
import { type SpillFrames, STATE_SLOT, addressInFrame } from "../barriers/spill-frame.ts";
import type { PromotedMember } from "../passes/promote-arguments.ts";
import type { Specialization } from "../specialization.ts";
import type { VectorPlan } from "../vector/vector-plan.ts";
import { type WorkItemValues, linearId } from "../work-item-values.ts";

/** The kernel that an entry is written for. */
export interface EntryKernel {
  readonly name: string;
  readonly description: KernelDescription;
  /** Types of the kernel's own parameters: its arguments, then {@link members}. */
  readonly parameterTypes: readonly Type[];
  /** Numbers of structs by value that are parameters of their own. */
  readonly members: readonly PromotedMember[];
  /** Packed offset of each argument. */
  readonly offsets: readonly number[];
  /** Without barriers: the body to run for each work-item. */
  readonly body: IrFunction | null;
  /** With barriers: its regions. */
  readonly plan: RegionPlan | null;
  readonly specialization: Specialization | null;
  /** Work-items of a sub-group. */
  readonly subGroupSize: number;
  /** Vectorised variants of the body or of regions; functions without one run work-item by work-item. */
  readonly vectors: VectorPlan;
  /**
   * True when the body depends on its place in the NDRange only: then lanes may span work-groups
   * (docs/decisions/025-lanes-span-groups.md).
   */
  readonly isFlat: boolean;
  /** The machine that code is generated for. */
  readonly machine: MachineTarget;
}

/** The dimensions of an NDRange. */
export const AXES = [0, 1, 2] as const;

/** Where code of an entry is written, and for what. */
export interface EntryFrame {
  readonly kernel: EntryKernel;
  readonly module: Module;
  readonly builder: Builder;
  readonly fn: IrFunction;
  /** Work-item values; loops set the ids that they run over. */
  readonly values: WorkItemValues;
  /** The kernel's own arguments. */
  readonly args: readonly Value[];
  /** The spill frames of the group's work-items. */
  readonly frames: SpillFrames;
  /** True at run time where work-items of unsure functions run one by one; null: the kernel has none of them. */
  readonly oneByOne: Value | null;
}

/** A number of the index type. */
export function index({ values }: EntryFrame, value: number): Constant {
  return values.constant(value);
}

/** Sets an id in the group, and the linear id that follows from it. */
export function setLocalId({ builder, values }: EntryFrame, axis: number, id: Value): void {
  values.set("local", axis, id);
  values.set("linear", 0, linearId(builder, values));
}

/** Where the spill frame of a work-item holds the number of its next region. */
export function stateAddress({ builder, frames }: EntryFrame, linear: Value): Value {
  return addressInFrame(builder, frames, linear, STATE_SLOT);
}

/** The type of the numbers of regions. */
export const REGION_NUMBER: Type = I32;

/** The number of a region; 0: the work-item is done, or, as a state, region 0 comes first. */
export function regionNumber(number: number): Constant {
  return constantInt(REGION_NUMBER, number);
}

/** An address so many bytes after another one. */
export function within({ builder }: EntryFrame, base: Value, offset: number): Value {
  return offset === 0 ? base : builder.address(base, null, 0, offset);
}
