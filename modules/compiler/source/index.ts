// SPDX-License-Identifier: Apache-2.0
/**
 * The compiler interfaces: Info, Context, Target, Module, Kernel, options and results. No compiler is in here.
 *
 * @packageDocumentation
 */
export { compilerError, type CompilerError, type CompilerErrorCode } from "./error.ts";
export {
  LANGUAGE_VERSIONS,
  OPENCL_VERSION,
  languageExtensions,
  languageFeatures,
  languageMacros,
  type LanguageOption,
} from "./language.table.ts";
export { readIncludeFile } from "./include-file.ts";
export { argumentFacts, knowsArguments, launchKey } from "./launch-key.ts";
export { splitOptionString } from "./option-words.ts";
export {
  DEFAULT_OPTIONS,
  optionError,
  parseOptions,
  wordsOfMode,
  type CompilerOptions,
  type OpenCLCStandard,
  type OptionMode,
  type VectorizationMode,
} from "./options.ts";
export { findKernel, type ArgumentInfo, type KernelInfo, type ProgramInfo } from "./program-info.ts";
export {
  costText,
  remarksOf,
  type AccessReport,
  type AccessWay,
  type CostReport,
  type KernelRemark,
  type KernelReport,
  type RefusalReport,
  type RegionReport,
  type SourceLocation,
} from "./kernel-report.ts";
export { NO_ENVIRONMENT, openclC, type Header, type ProgramInput, type SourceEnvironment } from "./program-input.ts";
export { buildProgram, linkProgram } from "./build-program.ts";
export type {
  ArgumentFact,
  BindingReflection,
  DescriptorKind,
  EntryPointReflection,
  ShaderArgumentReflection,
  ShaderReflection,
  SpecializationReflection,
} from "@muxkit/kernel-abi";
export type {
  CompilerFacts,
  TakeoverPolicy,
  Context,
  DeviceOption,
  Info,
  Kernel,
  LaunchFacts,
  Module,
  ModuleState,
  NotifyCallback,
  PendingKernel,
  QuickKernel,
  SpecializedKernel,
  Target,
} from "./interfaces.ts";
