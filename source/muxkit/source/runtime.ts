// SPDX-License-Identifier: Apache-2.0
/**
 * `muxkit/runtime`: devices that run what was compiled before, and nothing that compiles. Modules that are made of
 * `.cl` files are based on it.
 *
 * @packageDocumentation
 */
import { EDGE } from "#edge";
import { setCompilerModeEdge } from "@muxkit/opencl";

import type { Device, DeviceOptions } from "./device.ts";
import { openAtOnce, openWithThreads } from "./opening.ts";

/**
 * Opens the device of this machine, or one of a target that was registered; in browsers the promise is fulfilled when
 * its threads are up. It builds no sources: CL_COMPILER_NOT_AVAILABLE, unless `muxkit` is loaded too.
 *
 * @public
 */
export async function openDevice(options: DeviceOptions = {}): Promise<Device> {
  setCompilerModeEdge(EDGE.compilerMode);
  return await openWithThreads(options);
}

/**
 * The same without a promise, in Node alone: browsers start threads only while the event loop is free. Error:
 * CL_INVALID_OPERATION.
 *
 * @public
 */
export function openDeviceSync(options: DeviceOptions = {}): Device {
  setCompilerModeEdge(EDGE.compilerMode);
  return openAtOnce(options);
}

export { type CompiledKernel, CompiledProgram } from "./compiled-program.ts";
export { Device, type DeviceOptions, type SamplerOptions } from "./device.ts";
export {
  type ArrayType,
  DeviceArray,
  type ElementOf,
  type HostArray,
  type Shape,
  type TypedArray,
} from "./device-array.ts";
export { type CanvasLike, DeviceImage, type ImageOptions } from "./device-image.ts";
export type { ImagePixels } from "./image-data.ts";
export { Command, type CommandReport } from "./command.ts";
export type { Described } from "./described.ts";
export { Profile, type ProfileRow } from "./profile.ts";
export {
  type StructArray,
  type StructMember,
  type StructMemberValue,
  type StructMemberView,
  type StructMembers,
  type StructType,
  type StructValue,
  type StructView,
  struct,
} from "./struct.ts";
export type { StructPlain, StructScalar } from "./struct-layout.ts";
export { DeviceProgram } from "./device-program.ts";
export type { KernelArgument, KernelFunction, Range } from "./kernel-function.ts";
export type { Value } from "@muxkit/loader";
export { type ArgumentValue, type Event, type LocalMemory, OpenCLError, Pipe, Sampler } from "@muxkit/opencl";
export type { HostOptions } from "@muxkit/host";
