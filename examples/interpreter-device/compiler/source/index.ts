// SPDX-License-Identifier: Apache-2.0
// The compiler half: what it supplies, and nothing of what all targets share. It knows nothing of the runtime.
import type { Info } from "@muxkit/compiler";
import { createCompiler, kernelRecords } from "@muxkit/compiler-base";
import { LAYOUT_32, type Module, encodeModule } from "@muxkit/ir";
import { writeExecutable } from "@muxkit/metadata";

import { DROP_DEBUG_VALUES } from "./drop-debug-values.ts";
import { KEPT_BUILTINS } from "./kept-builtins.ts";

const TARGET = "interpreter-device";
const SECTION = ".ir";
/** Work-items of a sub-group, where a kernel demands no number. */
const SUB_GROUP_SIZE = 8;

/** The code generator: the machine runs the IR itself, so its binary form is the code. */
function build(module: Module): Uint8Array {
  return writeExecutable({
    target: TARGET,
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
  supports: ({ deviceName }) => deviceName === TARGET,
  layout: LAYOUT_32,
  legalTypes: { half: true, double: true, long: true },
  keepsBuiltin: ({ name }) => KEPT_BUILTINS.has(name),
  passes: { linked: [], finalized: [], lowered: [DROP_DEBUG_VALUES] },
  build,
});

/** What compiler libraries export. */
export const compilers: readonly Info[] = [INTERPRETER_DEVICE_COMPILER];
