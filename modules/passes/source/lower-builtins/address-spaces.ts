// SPDX-License-Identifier: Apache-2.0
// Where generic pointers point to: to_global, to_local, to_private and get_fence (OpenCL C 3.0, 6.15.10).
import { GLOBAL, I1, I32, LOCAL, ORDER_GLOBAL, ORDER_LOCAL, Op, PRIVATE, constantInt, constantZero } from "@muxkit/ir";

import { type Lowering, at } from "./call.ts";

const SPACES: Readonly<Record<string, number>> = { to_global: GLOBAL, to_local: LOCAL, to_private: PRIVATE };

/** One of the four functions; the argument is a generic pointer. */
export const addressSpace: Lowering = (call) => {
  const { writer, name, type } = call;
  const generic = at(call, 0);
  const found = writer.builder.addressSpace(generic);
  const wanted = SPACES[name];
  if (wanted === undefined) {
    const isLocal = writer.op(Op.EQ, I1, found, constantInt(I32, LOCAL));
    return writer.op(Op.SELECT, I32, isLocal, constantInt(I32, ORDER_LOCAL), constantInt(I32, ORDER_GLOBAL));
  }
  const isThere = writer.op(Op.EQ, I1, found, constantInt(I32, wanted));
  return writer.op(Op.SELECT, type, isThere, writer.op(Op.ADDRSPACECAST, type, generic), constantZero(type));
};
