// SPDX-License-Identifier: Apache-2.0
// Intrinsic functions, which become instructions: they read and set the private stack's pointer.

/** `() -> pointer`: reads the private stack's pointer. @public */
export const GET_STACK = "x64.get_stack";
/** `(pointer) -> void`: sets it. Called in the entry block of what a thread calls first. @public */
export const SET_STACK = "x64.set_stack";
