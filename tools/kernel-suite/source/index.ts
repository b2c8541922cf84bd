// SPDX-License-Identifier: Apache-2.0
/**
 * Builds and runs kernels for tests, without a runtime around them.
 *
 * @packageDocumentation
 */
export { build, buildBinary, type BuildOptions } from "./build.ts";
export type { LaunchAnswer, LaunchMessage, MessageArgument } from "./binary/launch-message.ts";
export { runWithoutCompiler } from "./binary/without-compiler.ts";
export { HalWay, type HalWayParts } from "./hal-way.ts";
export { GPU_ALONE } from "./gpu-way.ts";
export { generateKernels } from "./generate-kernels.ts";
export { type KernelCase, readCase, writeCase } from "./case-file.ts";
export { Machine, type MachineArgument } from "./machine.ts";
export {
  type AnyLaunch,
  type DifferentialArgument,
  type DifferentialLaunch,
  type ElementKind,
  type Outcome,
  firstDifference,
  runBySpirv,
  runDefaultCode,
  runEveryWay,
  runReference,
  runThreeWays,
} from "./differential.ts";
export { type GlslVariant, compileGlsl, hasGlslang } from "./glsl-producer.ts";
export { runsNative } from "./native.ts";
export { type ShaderDispatch, type ShaderResource, resourcesAfter, shaderLaunch } from "./shader.ts";
export { isMiscompiled, prepareForTranslator } from "./llvm-text.ts";
export { onRefusal, setProducer } from "./program-input.ts";
export {
  PRODUCER_DIFFERENCES,
  PRODUCER_REFUSALS,
  type ProducerDifferenceRow,
  type ProducerRefusalRow,
  refusalReason,
} from "./producer-refusals.table.ts";
export { ProducerRefusal, compileToSpirv, missingTools, producerOf, type Producer } from "./spirv-producer.ts";
export { type ShaderRunner, type ShaderValue, shaderRunner } from "./vulkan/run-shader.ts";
export { type VulkanSampler, vulkanFormat, vulkanSampler, vulkanView } from "./vulkan/job.ts";
export { frontEndIr, writtenSpirv } from "./own-spirv.ts";
export { hasSpirvVal, spirvVerdict } from "./spirv-val.ts";
export { IS_SLICE, hashOf, isOneIn, oneRowIn } from "./share.ts";
