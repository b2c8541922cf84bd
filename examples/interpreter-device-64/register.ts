// SPDX-License-Identifier: Apache-2.0
// Makes the 64-bit twin of interpreter-device known: its device to the runtime, its compiler to OpenCL.
import { type MuxTarget, registerTarget } from "@muxkit/mux";
import { addCompilers } from "@muxkit/opencl";

import { compilers } from "../interpreter-device/compiler/source/index.ts";
import { interpreterDeviceTarget } from "../interpreter-device/runtime/source/index.ts";

/** The device; its memory begins above 4 GiB. */
export const INTERPRETER_DEVICE_64_TARGET: MuxTarget = interpreterDeviceTarget({ addressBits: 64 });

/** What programs find that load the target by its name (MUXKIT_TARGETS). */
export const targets: readonly MuxTarget[] = [INTERPRETER_DEVICE_64_TARGET];
export { compilers };

/** Makes it known; from then on the platform lists the device. More calls change nothing. */
export function registerInterpreterDevice64(): void {
  registerTarget(INTERPRETER_DEVICE_64_TARGET);
  addCompilers({ compilers });
}
