// SPDX-License-Identifier: Apache-2.0
/**
 * The conformance suite of the runtime API: each entry point's success and each error, for any target.
 *
 * @packageDocumentation
 */
export { type UnitMuxCase, UnitMuxFailure, type UnitMuxRefusals, type UnitMuxSetup } from "./case.ts";
export { unitMuxCases } from "./suite.ts";
export { REFERENCE_TARGET, type ReferenceKernel, referenceExecutable, referenceTarget } from "./reference-target.ts";
