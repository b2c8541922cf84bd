// SPDX-License-Identifier: Apache-2.0
// Functions that are instructions: a target declares and calls them, the generator writes them in place.

/** Gives the private stack's pointer. */
export const GET_STACK = "wasm.get_stack";
/** Sets it: `(pointer) -> void`. Stands in the entry block of what a thread calls first. */
export const SET_STACK = "wasm.set_stack";
