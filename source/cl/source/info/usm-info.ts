// SPDX-License-Identifier: Apache-2.0
// clGetMemAllocInfoINTEL (cl_intel_unified_shared_memory).
import { addressOf } from "../allocation-list.ts";
import type { MemoryRange } from "../allocation-list.ts";
import type { MemAllocInfo } from "../generated/info.ts";
import { live } from "../object.ts";
import { Context } from "../platform.ts";
import { type UsmPointer, findUsm, usmFacts } from "../usm.ts";
import { type InfoTable, query } from "./query.ts";

const ALLOCATION: InfoTable<MemoryRange | null, MemAllocInfo> = {
  CL_MEM_ALLOC_TYPE_INTEL: (range) => (range === null ? "CL_MEM_TYPE_UNKNOWN_INTEL" : usmFacts(range).type),
  CL_MEM_ALLOC_BASE_PTR_INTEL: (range) => (range === null ? 0 : addressOf(range.buffer)),
  CL_MEM_ALLOC_SIZE_INTEL: (range) => range?.buffer.size ?? 0,
  CL_MEM_ALLOC_DEVICE_INTEL: (range) => (range === null ? null : usmFacts(range).device),
  CL_MEM_ALLOC_FLAGS_INTEL: (range) => (range === null ? 0 : usmFacts(range).flags),
};

/**
 * A fact of the allocation that a pointer lies in; of one that lies in none, the type is unknown and the rest 0 or
 * null. Errors: CL_INVALID_CONTEXT, CL_INVALID_VALUE.
 *
 * @public
 */
export function clGetMemAllocInfoINTEL<Token extends keyof MemAllocInfo>(
  context: Context,
  pointer: UsmPointer,
  token: Token,
): MemAllocInfo[Token] {
  const call = "clGetMemAllocInfoINTEL";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  return query(call, ALLOCATION, findUsm(context, pointer), token);
}
