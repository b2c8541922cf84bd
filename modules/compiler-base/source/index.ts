// SPDX-License-Identifier: Apache-2.0
/**
 * What every compiler target shares: module states, front end, linking, the built-in library.
 *
 * @packageDocumentation
 */
export { BaseModule, FINALIZE_PASSES, type PortableVariants, type TargetTraits } from "./base-module.ts";
export type { FrontEnd, FrontEndRequest, FrontEndResult } from "./front-end.ts";
export { registerFrontEnd } from "./front-ends.ts";
export { IR_FRONT_END } from "./ir-front-end.ts";
export { OPENCL_C_FRONT_END } from "./opencl-c-front-end.ts";
export { writeShaders } from "./shader-program.ts";
export { libraryContext } from "./library-linker.ts";
export { lowerPipeCalls } from "./pipe-calls.ts";
export {
  type CompilerTarget,
  type DeviceTraits,
  type TargetBuild,
  type TargetSpecialization,
  compilerInfo,
  createCompiler,
} from "./create-compiler.ts";
export {
  ALL_TYPES,
  type LegalTypes,
  type TargetLowering,
  type TargetPasses,
  type VariantFacts,
  declaredLocalBytes,
  kernelRecords,
  lowerProgram,
  type LoweredForTarget,
  targetContext,
} from "./target-lowering.ts";
export { type CpuBackend, type CpuBuildRequest, buildCpuImage } from "./cpu-executable.ts";
export { usefulFacts } from "./group-dependence.ts";
export { type KernelSpecializer, type SpecializedBuild, specializableKernel } from "./specialized-kernels.ts";
export { VECTOR_REASONS, reportKernel } from "./vector-report.ts";
export { type ModuleFile, isModuleFile, readModuleFile } from "./module-file.ts";
export { registerLanguageExtension, type LanguageExtension } from "./language-extensions.ts";
