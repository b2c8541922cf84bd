// SPDX-License-Identifier: Apache-2.0
// Built-in variables: loading one is a query of the work-item. A vector is loaded as its three components; those that
// are not used disappear with other dead code.
import { I32, Op, type Type, type Value, constantInt, constantZero, vectorType } from "@muxkit/ir";

import { enumerant } from "../grammar/tables.ts";
import type { EnumerantNames } from "../generated/names.ts";
import { callBuiltin, fittedInt } from "./calls.ts";
import type { FunctionReader } from "./function-reader.ts";
import type { BuiltInAddress, Operand } from "./operand.ts";
import type { SpirvType } from "./types.ts";

/** A query: one for each dimension, one number of the type size_t, one number of 32 bits, a mask of a sub-group. */
type Query =
  | { readonly kind: "dimension" | "size" | "number"; readonly op: number }
  | { readonly kind: "mask"; readonly name: string };

const dimension = (op: number): Query => ({ kind: "dimension", op });
const size = (op: number): Query => ({ kind: "size", op });
const number = (op: number): Query => ({ kind: "number", op });
const mask = (name: string): Query => ({ kind: "mask", name });

const ROWS: Partial<Record<EnumerantNames["BuiltIn"], Query>> = {
  WorkDim: number(Op.WORK_DIM),
  GlobalSize: dimension(Op.GLOBAL_SIZE),
  GlobalInvocationId: dimension(Op.GLOBAL_ID),
  GlobalOffset: dimension(Op.GLOBAL_OFFSET),
  GlobalLinearId: size(Op.GLOBAL_LINEAR_ID),
  NumWorkgroups: dimension(Op.NUM_GROUPS),
  WorkgroupSize: dimension(Op.LOCAL_SIZE),
  EnqueuedWorkgroupSize: dimension(Op.ENQUEUED_LOCAL_SIZE),
  WorkgroupId: dimension(Op.GROUP_ID),
  LocalInvocationId: dimension(Op.LOCAL_ID),
  LocalInvocationIndex: size(Op.LOCAL_LINEAR_ID),
  SubgroupSize: number(Op.SUB_GROUP_SIZE),
  SubgroupMaxSize: number(Op.MAX_SUB_GROUP_SIZE),
  NumSubgroups: number(Op.NUM_SUB_GROUPS),
  NumEnqueuedSubgroups: number(Op.ENQUEUED_NUM_SUB_GROUPS),
  SubgroupId: number(Op.SUB_GROUP_ID),
  SubgroupLocalInvocationId: number(Op.SUB_GROUP_LOCAL_ID),
  SubgroupEqMask: mask("get_sub_group_eq_mask"),
  SubgroupGeMask: mask("get_sub_group_ge_mask"),
  SubgroupGtMask: mask("get_sub_group_gt_mask"),
  SubgroupLeMask: mask("get_sub_group_le_mask"),
  SubgroupLtMask: mask("get_sub_group_lt_mask"),
};

const QUERIES = new Map<number, Query>(
  Object.entries(ROWS).map(([name, query]) => [enumerant("BuiltIn", name as EnumerantNames["BuiltIn"]), query]),
);

const SUBGROUP_SIZE = enumerant("BuiltIn", "SubgroupSize");
const MOST_WORK_ITEMS: Query = number(Op.MAX_SUB_GROUP_SIZE);

/** True for a built-in variable that kernels have. */
export function isBuiltIn(variable: number): boolean {
  return QUERIES.has(variable);
}

/** What is loaded from a built-in variable, or from one component of it. */
export function loadBuiltIn(f: FunctionReader, { variable, component }: BuiltInAddress, type: SpirvType): Operand {
  // In a kernel it is how many work-items the sub-group has, in a shader how many it may have.
  const isSize = f.m.isShader && variable === SUBGROUP_SIZE;
  const { requiredSubGroupSize } = f.m.options;
  if (isSize && requiredSubGroupSize !== undefined && type.ir !== null)
    return fittedInt(f, constantInt(I32, requiredSubGroupSize), type.ir);
  const query = isSize ? MOST_WORK_ITEMS : QUERIES.get(variable);
  if (query === undefined || type.ir === null) return f.refuse("the built-in variable is no number");
  const scalar = type.element?.ir ?? type.ir;
  if (query.kind === "mask") {
    const whole = callBuiltin(f, query.name, [], vectorType(I32, 4), []);
    return component === null ? whole : f.b.extract(whole, component);
  }
  const ask = (from: Type, of: Value | null): Value => fittedInt(f, f.b.workItem(query.op, from, of), scalar);
  if (query.kind === "number") return ask(I32, null);
  if (query.kind === "size") return ask(f.sizeType, null);
  if (component !== null) return ask(f.sizeType, component);
  // A vector of one lane, which LLVM has, is the lane itself.
  if (type.ir.kind !== "vector") return ask(f.sizeType, constantZero(I32));
  return f.b.build(Array.from({ length: type.count }, (_, axis) => ask(f.sizeType, constantInt(I32, axis))));
}
