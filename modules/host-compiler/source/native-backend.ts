// SPDX-License-Identifier: Apache-2.0
// What the code generator of x86-64 supplies to the build of CPU-like targets.
import type { CpuBackend } from "@muxkit/compiler-base";
import { X64_MACHINE, generateX64, passedBytes } from "@muxkit/x64";
import { writeCodeObject } from "@muxkit/x64-assembler";

import { NATIVE_FEATURE, NATIVE_SECTION } from "./native-features.ts";

/** The clock says that it is not time to leave: threads in native code are stopped from outside. */
export const RUNTIME_RESULTS: ReadonlyMap<string, number> = new Map([["env.clock", 0]]);

/** Machine code of x86-64 with AVX2, FMA, F16C and BMI. @public */
export const NATIVE_BACKEND: CpuBackend = {
  target: "host",
  machine: X64_MACHINE,
  passedBytes,
  generate: (module, entries) => ({
    name: NATIVE_SECTION,
    bytes: writeCodeObject(generateX64(module, { exports: entries, results: RUNTIME_RESULTS })),
    features: [NATIVE_FEATURE],
    patches: [],
  }),
};
