// SPDX-License-Identifier: Apache-2.0
/**
 * SYCL in TypeScript: queues, buffers with accessors, unified shared memory, and modules.
 *
 * @packageDocumentation
 */
export {
  CompileProgramError,
  type ErrorCode,
  InvalidKernel,
  InvalidObject,
  KernelNotFound,
  LinkProgramError,
  SyclException,
} from "./exception.ts";
export { type Dimensions, Id, NdRange, Range, type Sizes, id, ndRange, range } from "./range.ts";
export {
  type Aspect,
  Device,
  type DeviceInfo,
  type DeviceSelector,
  Platform,
  acceleratorSelector,
  aspectSelector,
  cpuSelector,
  defaultSelector,
  gpuSelector,
  selectDevice,
} from "./device.ts";
export { setCompilers } from "./compilers.ts";
export { Context } from "./context.ts";
export { type AsyncHandler, type CommandGroup, Queue, type QueueOptions } from "./queue.ts";
export { Handler, type LaunchableKernel, type MemoryAdvice } from "./handler.ts";
export type { KernelArgument } from "./kernel-arguments.ts";
export type { Value } from "@muxkit/loader";
export { type CommandStatus, Event, type ProfilingInfo } from "./event.ts";
export { Buffer } from "./buffer.ts";
export { DeviceImageAccessor, ImageBase, SampledImage, UnsampledImage } from "./image.ts";
export { type AccessMode, type AccessOptions, DeviceAccessor, HostAccessor, LocalAccessor } from "./accessor.ts";
export type { ElementOf, TypedArray, TypedArrayType } from "./typed-array.ts";
export {
  type UsmKind,
  type UsmPlace,
  UsmPointer,
  free,
  getPointerDevice,
  getPointerType,
  mallocDevice,
  mallocHost,
  mallocShared,
} from "./usm.ts";
export {
  type Combiner,
  type OwnCombiner,
  Reduction,
  type ReductionOptions,
  type ReductionScope,
  bitAnd,
  bitOr,
  bitXor,
  maximum,
  minimum,
  multiplies,
  plus,
  reduction,
} from "./reduction.ts";
export type { AccessedImage } from "./accessed-image.ts";
export type { ReductionArgument } from "./reduction-argument.ts";
export { DeviceImage, DeviceImageIterator, type ImageFormat, type ModuleState } from "./device-image.ts";
export {
  type DeviceImageSelector,
  ExecutableModule,
  InputModule,
  Kernel,
  type KernelFacts,
  type Module,
  ModuleBase,
  type ModuleByState,
  ObjectModule,
} from "./module.ts";
export {
  ConstantsAsArguments,
  Debug,
  Log,
  type LogStream,
  type ModuleOption,
  OpenclOptions,
  build,
  compile,
  join,
  link,
  property,
} from "./build.ts";
export {
  SpecConstant,
  type SpecConstantForms,
  SpecConstantId,
  type SpecConstantType,
  type SpecConstantValue,
} from "./spec-constant.ts";
export {
  type BinaryOptions,
  type ProgramOptions,
  createProgramWithBinary,
  createProgramWithBuiltinKernels,
  createProgramWithIL,
  createWithSource,
  setSpecConstant,
} from "./create.ts";
export {
  type PassedFor,
  type PassedTo,
  type ThisModule,
  Unit,
  UnitKernel,
  kernel,
  type KernelOptions,
  specConstant,
  thisModule,
  translationUnit,
} from "./unit.ts";
