// SPDX-License-Identifier: Apache-2.0
// Whether a body depends on its work-group: one that does not can run vector rows through many groups
// (docs/decisions/025-lanes-span-groups.md).
import {
  type Instruction,
  type IrFunction,
  Op,
  type Value,
  type WorkItemParameterName,
  uses,
  workItemParameter,
} from "@muxkit/ir";

/**
 * True when a body does not depend on its work-group along x, only on its place in the NDRange: it uses local id and
 * first global id in their sum alone. `isWhole`: all groups have the enqueued size.
 */
export function isIndependentOfGroup(fn: IrFunction, isWhole: boolean): boolean {
  const users = uses(fn);
  const parameter = (name: WorkItemParameterName): Value | undefined => workItemParameter(fn, name);
  const isUsed = (name: WorkItemParameterName): boolean => {
    const value = parameter(name);
    return value !== undefined && (users.get(value) ?? []).length > 0;
  };
  if (isUsed("group") || isUsed("arena") || isUsed("linear") || (isUsed("size") && !isWhole)) return false;
  const [base, local] = [parameter("base"), parameter("local")];
  const isSum = (user: Instruction): boolean =>
    user.op === Op.ADD && user.operands.includes(base as Value) && user.operands.includes(local as Value);
  if (base === undefined || local === undefined) return false;
  return [base, local].every((value) => (users.get(value) ?? []).every(isSum));
}
