// SPDX-License-Identifier: Apache-2.0
/**
 * Runs IR slowly and obviously: the reference semantics, the judge of every pass and back end.
 *
 * @packageDocumentation
 */
export { describeInterpreterError, type InterpreterError, type InterpreterErrorKind } from "./error.ts";
export { Memory, type Region, type RegionOptions } from "./memory.ts";
export type { Register } from "./register.ts";
export type { BuiltinCall, ExecutingItem, InterpreterOptions, NativeBuiltin, ResolveBuiltin } from "./machine.ts";
export {
  interpretCopies,
  interpretKernel,
  type CopiedOutcome,
  type KernelArgument,
  type KernelLaunch,
  type KernelOutcome,
} from "./kernel.ts";
export { interpretFunction, type FunctionOptions } from "./function.ts";
export { checkRunLines, readRunLines, sameValue, type RunFunction, type RunLine } from "./run-lines.ts";
export { type PrintfOutput, printfBuiltin } from "./printf.ts";
