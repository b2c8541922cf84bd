// SPDX-License-Identifier: Apache-2.0
// Limits of work-groups and of memory.

/** Most work-items of a work-group. */
export const MAX_GROUP_ITEMS = 1024;
/** Bytes of local memory of a work-group. */
export const LOCAL_MEMORY = 32768;
/** Most bytes of memory by default. */
export const SHARED_LIMIT: number = 2 ** 32;
/** Most bytes of memory that is not shared by default: it is reserved as a whole. */
export const UNSHARED_LIMIT: number = 2 ** 30;
