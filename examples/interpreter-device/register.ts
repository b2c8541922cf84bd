// SPDX-License-Identifier: Apache-2.0
// Makes the target known: its device to the runtime, its compiler to OpenCL.
import { registerTarget } from "@muxkit/mux";
import { addCompilers } from "@muxkit/opencl";

import { compilers } from "./compiler/source/index.ts";
import { INTERPRETER_DEVICE_TARGET } from "./runtime/source/index.ts";

/** What programs find that load the target by its name (MUXKIT_TARGETS). */
export const targets = [INTERPRETER_DEVICE_TARGET];
export { compilers };

/** Makes it known; from then on the platform lists the device. More calls change nothing. */
export function registerInterpreterDevice(): void {
  registerTarget(INTERPRETER_DEVICE_TARGET);
  addCompilers({ compilers });
}
