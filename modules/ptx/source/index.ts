// SPDX-License-Identifier: Apache-2.0
/**
 * PTX, NVIDIA's virtual instruction set, from lowered IR.
 *
 * @packageDocumentation
 */
export { OLDEST_PTX, type PtxCode, type PtxTarget, generatePtx } from "./module.ts";
export { PTX_MACHINE } from "./machine.ts";
export { keepsBuiltin } from "./kept-builtins.table.ts";
export { WARP } from "./work-item-queries.ts";
