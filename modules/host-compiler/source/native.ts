// SPDX-License-Identifier: Apache-2.0
/**
 * Kernels as machine code of x86-64, for devices that run it beside WebAssembly: what `@muxkit/x64` supplies to
 * `buildCpuImage`, and compilers that use it.
 *
 * An entry of its own, so that nobody loads the code generator who makes no code with it.
 *
 * @packageDocumentation
 */
import type { CpuBackend } from "@muxkit/compiler-base";
import type { Info } from "@muxkit/compiler";
import { X64_MACHINE, generateX64, passedBytes } from "@muxkit/x64";
import { writeCodeObject } from "@muxkit/x64-assembler";

import { hostCompiler } from "./host-compiler.ts";
import { NATIVE_FEATURE, NATIVE_SECTION } from "./native-features.ts";

/** The clock says that it is not time to leave: threads in native code are stopped from outside. */
const RESULTS: ReadonlyMap<string, number> = new Map([["env.clock", 0]]);

/** Machine code of x86-64 with AVX2, FMA, F16C and BMI. @public */
export const NATIVE_BACKEND: CpuBackend = {
  target: "host",
  machine: X64_MACHINE,
  passedBytes,
  generate: (module, entries) => ({
    name: NATIVE_SECTION,
    bytes: writeCodeObject(generateX64(module, { exports: entries, results: RESULTS })),
    features: [NATIVE_FEATURE],
    patches: [],
  }),
};

/** The compiler of the host target, which makes machine code where a device runs it. @public */
export const NATIVE_HOST_COMPILER: Info = hostCompiler(() => NATIVE_BACKEND);

/** The compilers of this package, for the loader. @public */
export const compilers: readonly Info[] = [NATIVE_HOST_COMPILER];
