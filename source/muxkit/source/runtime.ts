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

export * from "./device-api.ts";
export type { DeviceType } from "./device-choice.ts";
export { Device, type DeviceOptions, type SamplerOptions } from "./device.ts";
export { Pipe } from "@muxkit/opencl";
