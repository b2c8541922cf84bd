// SPDX-License-Identifier: Apache-2.0
/**
 * The kernel suite: OpenCL C through both halves of any target, and the bytes that must come out.
 *
 * @packageDocumentation
 */
export { type KernelSetup, type Numbers, type UnitKernelCase, UnitKernelFailure } from "./case.ts";
export { buildKernel, deviceInfoOf } from "./run.ts";
export { unitKernelCases } from "./suite.ts";
