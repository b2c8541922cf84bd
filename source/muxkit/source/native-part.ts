// SPDX-License-Identifier: Apache-2.0
// What only calls of `clc` need that write machine code: loaded when it comes to that.
import { NATIVE_OUTPUTS, type NativePart } from "./compile/native-outputs.ts";

export type { NativePart };

/** The part itself. */
export const NATIVE_PART: NativePart = NATIVE_OUTPUTS;
