// SPDX-License-Identifier: Apache-2.0
// Devices that compile.
import type { Device, DeviceOptions } from "./device.ts";
import { openAtOnce, openWithThreads } from "./opening.ts";
import { useOwnCompiler } from "./own-compiler.ts";

/**
 * Opens the device of this machine, or one of a target that was registered. Options: threads, a deadline for launches
 * and more. In browsers the promise is fulfilled when the threads are up. Error: CL_DEVICE_NOT_FOUND for a name that no
 * device has.
 *
 * @public
 */
export async function openDevice(options: DeviceOptions = {}): Promise<Device> {
  useOwnCompiler();
  return await openWithThreads(options);
}

/**
 * The same without a promise, in Node alone: browsers start threads only while the event loop is free. Error:
 * CL_INVALID_OPERATION.
 *
 * @public
 */
export function openDeviceSync(options: DeviceOptions = {}): Device {
  useOwnCompiler();
  return openAtOnce(options);
}
