// SPDX-License-Identifier: Apache-2.0
/**
 * Kernels as machine code of x86-64, for devices that run it beside WebAssembly: what `@muxkit/x64` supplies to
 * `buildCpuImage`, and compilers that use it.
 *
 * An entry of its own, so that nobody loads the code generator who makes no code with it.
 *
 * @packageDocumentation
 */
import type { Info } from "@muxkit/compiler";

import { hostCompiler } from "./host-compiler.ts";
import { NATIVE_BACKENDS } from "./native-backend.ts";

export { type AheadOfTimeProgram, aheadOfTimeCompiler } from "./ahead-of-time.ts";
export { type CHeaderRequest, dataName, writeCHeader } from "./c-header.ts";
// What loads code that others made has to verify it, and programs that are bundled find the verifier here.
export { verifyObject } from "@muxkit/x64-assembler";
export { NATIVE_BACKENDS };
// For whoever runs code itself.
export { X64_TIERS } from "@muxkit/x64";
export type { NativeBackend } from "./native-fallback.ts";
export type { NativeTierName } from "./native-features.ts";

/** The compiler of the host target, which makes machine code where a device runs it. @public */
export const NATIVE_HOST_COMPILER: Info = hostCompiler((tier) => NATIVE_BACKENDS[tier]);

/** The compilers of this package, for the loader. @public */
export const compilers: readonly Info[] = [NATIVE_HOST_COMPILER];
