// SPDX-License-Identifier: Apache-2.0
// The compiler half: what it supplies, and nothing of what all targets share. It knows nothing of the runtime.
import type { Info } from "@muxkit/compiler";
import { type TargetBuild, createCompiler, kernelRecords } from "@muxkit/compiler-base";
import { LAYOUT_32, LAYOUT_64, type Module, encodeModule } from "@muxkit/ir";
import { writeExecutable } from "@muxkit/metadata";
import { MuxAddressCapabilities } from "@muxkit/mux";

import { DROP_DEBUG_VALUES } from "./drop-debug-values.ts";
import { BYTE_SUMS } from "./extension.ts";
import { KEPT_BUILTINS } from "./kept-builtins.ts";

/** Names of the devices that it makes code for. */
const DEVICES: ReadonlySet<string> = new Set(["interpreter-device", "interpreter-device-32", "interpreter-device-64"]);
const SECTION = ".ir";
/** Work-items of a sub-group, where a kernel demands no number. */
const SUB_GROUP_SIZE = 8;

/** The code generator: the machine runs the IR itself, so its binary form is the code. */
function build(module: Module, { device }: TargetBuild): Uint8Array {
  return writeExecutable({
    target: device.deviceName,
    features: [],
    code: [{ name: SECTION, bytes: encodeModule(module), features: [], patches: [] }],
    kernels: kernelRecords(module, { section: SECTION, subGroupSize: SUB_GROUP_SIZE }),
    programData: null,
    printfCalls: [],
    extraBlocks: [],
  });
}

/** OpenCL C to executables of the device. */
export const INTERPRETER_DEVICE_COMPILER: Info = createCompiler({
  name: "interpreter-device compiler",
  supports: ({ deviceName }) => DEVICES.has(deviceName),
  layout: ({ addressCapabilities }) =>
    (addressCapabilities & MuxAddressCapabilities.bits64) === 0 ? LAYOUT_32 : LAYOUT_64,
  fusesMultiplyAdd: ({ codeFeatures }) => codeFeatures.includes("fused-madd"),
  legalTypes: { half: true, double: true, long: true },
  extensions: [BYTE_SUMS],
  keepsBuiltin: ({ name }) => KEPT_BUILTINS.has(name),
  passes: { linked: [], finalized: [], lowered: [DROP_DEBUG_VALUES] },
  build,
});

/** What compiler libraries export. */
export const compilers: readonly Info[] = [INTERPRETER_DEVICE_COMPILER];
