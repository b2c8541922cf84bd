/**
 * The named passes and what runs them.
 *
 * @packageDocumentation
 */
export { EMPTY_CONTEXT, functionPass, type Pass, type PassContext } from "./pass.ts";
export { PASSES, runPasses, type RunOptions } from "./pass.table.ts";
export { mem2reg } from "./mem2reg.ts";
export { deadCodeElimination, globalDeadCodeElimination } from "./dce.ts";
export { simplify } from "./simplify.ts";
export { simplifyCfg } from "./simplify-cfg.ts";
export { globalValueNumbering } from "./gvn.ts";
export { inlineCall, inlineFunctions } from "./inline.ts";
export { importFunction, linkBuiltins } from "./link-builtins.ts";
