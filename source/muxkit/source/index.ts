// SPDX-License-Identifier: Apache-2.0
/**
 * Fast data-parallel code in OpenCL C, with nothing to install: open a device, build a program, call a kernel like a
 * function.
 *
 * @packageDocumentation
 */
export { type BuildOptions, Device, type DeviceOptions, type SamplerOptions } from "./device.ts";
export { DeviceProgram } from "./device-program.ts";
export { openDevice, openDeviceSync } from "./open-device.ts";
export { type CompiledKernel, CompiledProgram } from "./compiled-program.ts";
export { DeviceArray, type TypedArray, type TypedArrayType } from "./device-array.ts";
export { DeviceImage, type ImageOptions } from "./device-image.ts";
export type { KernelArgument, KernelFunction, Range } from "./kernel-function.ts";
export type { KernelsOf } from "./kernel-types.ts";
export type { Value } from "@muxkit/loader";
export {
  type AddressingMode,
  type ArgumentValue,
  type Event,
  type FilterMode,
  type ImageFormat,
  type ImageObjectType,
  type LocalMemory,
  OpenCLError,
  Sampler,
} from "@muxkit/opencl";
export type { HostOptions } from "@muxkit/host";
