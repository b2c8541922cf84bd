// SPDX-License-Identifier: Apache-2.0
/**
 * The CPU target's compiler half: OpenCL C to executables of WebAssembly.
 *
 * @packageDocumentation
 */
export { HOST_COMPILER, compilers } from "./host-compiler.ts";
export { hostModule, type HostModuleOptions } from "./host-module.ts";
export { buildExecutable, type BuildRequest } from "./pipeline.ts";
export type { VectorizationChoice } from "@muxkit/work-item-lowering";
export type { Specialization, Tier } from "@muxkit/work-item-lowering";
export { type HostLowering, type HostLoweringOptions, hostLowering } from "./host-lowering.ts";
