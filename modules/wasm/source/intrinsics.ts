// SPDX-License-Identifier: Apache-2.0
// Intrinsic functions: a target declares and calls them, the generator replaces the calls by instructions.

/** `() -> pointer`: reads the private stack's pointer. */
export const GET_STACK = "wasm.get_stack";
/** `(pointer) -> void`: sets it. Called in the entry block of what a thread calls first. */
export const SET_STACK = "wasm.set_stack";
