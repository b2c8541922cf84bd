// SPDX-License-Identifier: Apache-2.0
// clGetMemAllocInfoINTEL (cl_intel_unified_shared_memory).
import { addressOf } from "../address-list.ts";
import type { Place } from "../address-list.ts";
import type { MemAllocInfo } from "../generated/info.ts";
import { live } from "../object.ts";
import { Context } from "../platform.ts";
import { type UsmPointer, findUsm, usmFacts } from "../usm.ts";
import { type InfoTable, query } from "./query.ts";

const ALLOCATION: InfoTable<Place | null, MemAllocInfo> = {
  CL_MEM_ALLOC_TYPE_INTEL: (place) => (place === null ? "CL_MEM_TYPE_UNKNOWN_INTEL" : usmFacts(place).type),
  CL_MEM_ALLOC_BASE_PTR_INTEL: (place) => (place === null ? 0 : addressOf(place.buffer)),
  CL_MEM_ALLOC_SIZE_INTEL: (place) => place?.buffer.size ?? 0,
  CL_MEM_ALLOC_DEVICE_INTEL: (place) => (place === null ? null : usmFacts(place).device),
  CL_MEM_ALLOC_FLAGS_INTEL: (place) => (place === null ? 0 : usmFacts(place).flags),
};

/** A fact of the allocation that a pointer lies in; of one that lies in none, the type is unknown and the rest 0 or null. Errors: CL_INVALID_CONTEXT, CL_INVALID_VALUE. @public */
export function clGetMemAllocInfoINTEL<Token extends keyof MemAllocInfo>(
  context: Context,
  pointer: UsmPointer,
  token: Token,
): MemAllocInfo[Token] {
  const call = "clGetMemAllocInfoINTEL";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  return query(call, ALLOCATION, findUsm(context, pointer), token);
}
