// SPDX-License-Identifier: Apache-2.0
// Whether a work-item can tell which others are in its work-group: by its ids and sizes there, by local memory, by
// waiting for them. Where it cannot, the runtime may choose the groups.
import { type IrFunction, LOCAL, Op, isGroupOperation, scalarOf } from "@muxkit/ir";

/** Queries whose answers do not depend on work-groups. */
const OF_RANGE: ReadonlySet<number> = new Set([
  Op.WORK_DIM,
  Op.GLOBAL_ID,
  Op.GLOBAL_SIZE,
  Op.GLOBAL_OFFSET,
  Op.GLOBAL_LINEAR_ID,
]);

/** True for a kernel, what it asks of its work-item inlined, that depends on its work-groups. */
export function seesGroup({ blocks, parameters, kernel }: IrFunction): boolean {
  const hasLocal = parameters.some(({ type }) => type.kind === "pointer" && type.addressSpace === LOCAL);
  if (kernel === null || hasLocal || kernel.requiredWorkGroupSize !== null) return true;
  return blocks.some(({ instructions }) =>
    instructions.some(
      ({ op, type }) =>
        (op >= Op.WORK_DIM && op <= Op.SUB_GROUP_LOCAL_ID && !OF_RANGE.has(op)) ||
        op === Op.BARRIER ||
        op === Op.CALL ||
        isGroupOperation(op) ||
        (type.kind !== "void" && scalarOf(type).addressSpace === LOCAL),
    ),
  );
}
