// SPDX-License-Identifier: Apache-2.0
// Limits of work-groups.

/** Most work-items of a work-group. */
export const MAX_GROUP_ITEMS = 1024;
/** Bytes of local memory of a work-group. */
export const LOCAL_MEMORY = 32768;
