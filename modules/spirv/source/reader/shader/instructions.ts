// SPDX-License-Identifier: Apache-2.0
// Instructions that are otherwise in shaders than in kernels, or that kernels do not have, and those that are refused
// with a reason of their own.
import { I1, I32, Op } from "@muxkit/ir";

import type { OpName } from "../../generated/names.ts";
import { ARITHMETIC, type Handler, type HandlerTable } from "../arithmetic.ts";
import { callByTypes } from "../calls.ts";
import { BufferPointer } from "../operand.ts";
import { SYNCHRONIZATION } from "../synchronization.ts";
import { SHADER_IMAGES } from "./images.ts";
import { MATRICES } from "./matrices.ts";
import { SHADER_MEMORY, castAddress } from "./pointers.ts";
import { guardedAtomic } from "./robust.ts";
import { SHADER_SAMPLING } from "./sampling.ts";
import { SHADER_SUBGROUPS, valueOfFirst, valueOfItem } from "./subgroups.ts";

/** An atomic operation, guarded where the program asks for it. */
function guarded(handler: Handler): Handler {
  return (f) => {
    const id = f.i.word(0);
    const buffer = f.operand(id);
    if (f.m.options.robustBufferAccess === undefined || !(buffer instanceof BufferPointer)) return handler(f);
    const type = f.argType(0);
    const result = f.i.typeId === 0 ? null : f.ir;
    const moved = type.element?.ir ?? I32;
    const made = guardedAtomic(f, buffer, moved, result, (at) => {
      f.define(id, type, new BufferPointer(at, buffer.begin, buffer.bytes));
      return handler(f);
    });
    f.define(id, type, buffer);
    return made;
  };
}

/** Rows of the table of synchronization whose first operand is a pointer. */
function guardedAtomics(): HandlerTable {
  const table: HandlerTable = {};
  for (const [name, handler] of Object.entries(SYNCHRONIZATION))
    if (name.startsWith("OpAtomic")) table[name as OpName] = guarded(handler);
  return table;
}

const bitcast: Handler = (f) => castAddress(f) ?? ARITHMETIC.OpBitcast?.(f);

/** Operations of SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote, which have no scope. */
const vote =
  (op: number): Handler =>
  (f) =>
    f.b.group(op, I1, [f.arg(0)], "sub_group", false);

/** Rows that shaders have before those of kernels. */
export const SHADER_INSTRUCTIONS: HandlerTable = {
  ...guardedAtomics(),
  ...SHADER_MEMORY,
  ...MATRICES,
  ...SHADER_IMAGES,
  ...SHADER_SAMPLING,
  ...SHADER_SUBGROUPS,
  OpBitcast: bitcast,
  OpSubgroupBallotKHR: (f) => callByTypes(f, "sub_group_ballot", f.ir, [f.arg(0)], [true]),
  OpSubgroupAllKHR: vote(Op.GROUP_ALL),
  OpSubgroupAnyKHR: vote(Op.GROUP_ANY),
  OpSubgroupFirstInvocationKHR: (f) => valueOfFirst(f, f.arg(0)),
  OpSubgroupReadInvocationKHR: (f) => valueOfItem(f, f.arg(0), f.arg(1)),
};

const DERIVATIVES = "compute shaders have no neighbours to take derivatives with";
const IMPLICIT = "the level of detail follows from derivatives, which compute shaders have not; say the level";
const ENDS = "only fragment shaders end early";

/** Why instructions are refused that shaders may have by the specification. */
export const SHADER_REFUSALS: Partial<Record<OpName, string>> = {
  OpKill: ENDS,
  OpTerminateInvocation: ENDS,
  OpDemoteToHelperInvocation: ENDS,
  OpIsHelperInvocationEXT: ENDS,
  OpDPdx: DERIVATIVES,
  OpDPdy: DERIVATIVES,
  OpFwidth: DERIVATIVES,
  OpDPdxFine: DERIVATIVES,
  OpDPdyFine: DERIVATIVES,
  OpFwidthFine: DERIVATIVES,
  OpDPdxCoarse: DERIVATIVES,
  OpDPdyCoarse: DERIVATIVES,
  OpFwidthCoarse: DERIVATIVES,
  OpImageQueryLod: DERIVATIVES,
  OpImageSampleImplicitLod: IMPLICIT,
  OpImageSampleProjImplicitLod: IMPLICIT,
  OpImageSampleDrefImplicitLod: IMPLICIT,
  OpImageSampleProjDrefImplicitLod: IMPLICIT,
  OpGroupNonUniformPartitionNV: "work-items are not parted by their values here",
};
