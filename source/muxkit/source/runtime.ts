/**
 * `muxkit/runtime`: devices that run what was compiled before, and nothing that compiles. Modules that are made of `.cl` files stand on it.
 *
 * @packageDocumentation
 */
import { setCompilerModeEdge } from "@muxkit/opencl";

import { Device, type DeviceOptions } from "./device.ts";
import { NODE_COMPILER_MODE_EDGE } from "./library/compiler-mode-edge.ts";

/** Opens the device of this machine, or one of a target that was registered. It builds no sources: CL_COMPILER_NOT_AVAILABLE, unless `muxkit` is loaded too. @public */
export async function openDevice(options: DeviceOptions = {}): Promise<Device> {
  await Promise.resolve();
  return openDeviceSync(options);
}

/** The same without a promise, where threads can be started while the caller blocks: in Node, not in a browser's page. @public */
export function openDeviceSync(options: DeviceOptions = {}): Device {
  setCompilerModeEdge(NODE_COMPILER_MODE_EDGE);
  return new Device(options);
}

export { type CompiledKernel, CompiledProgram } from "./compiled-program.ts";
export { Device, type DeviceOptions, type SamplerOptions } from "./device.ts";
export { DeviceArray, type TypedArray, type TypedArrayType } from "./device-array.ts";
export { DeviceImage, type ImageOptions } from "./device-image.ts";
export { DeviceProgram } from "./device-program.ts";
export type { KernelArgument, KernelFunction, Range } from "./kernel-function.ts";
export type { Value } from "./value.ts";
export { type ArgumentValue, type Event, type LocalMemory, OpenCLError, Pipe, Sampler } from "@muxkit/opencl";
export type { HostOptions } from "@muxkit/host";
