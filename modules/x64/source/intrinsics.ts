// SPDX-License-Identifier: Apache-2.0
// Intrinsic functions, which become instructions, and the private stack that they read and set.
import { LAYOUT_32 } from "@muxkit/ir";
import { type MachineTarget, genericMachine } from "@muxkit/machine-target";

/** `() -> pointer`: reads the private stack's pointer. */
export const GET_STACK = "x64.get_stack";
/** `(pointer) -> void`: sets it. Called in the entry block of what a thread calls first. */
export const SET_STACK = "x64.set_stack";

/** What the layout of private variables asks of the machine. */
export const X64_STACK: MachineTarget = {
  ...genericMachine(LAYOUT_32),
  name: "x64",
  stack: { alignment: 16, intrinsics: { getStack: GET_STACK, setStack: SET_STACK } },
};
