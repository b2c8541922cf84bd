// SPDX-License-Identifier: Apache-2.0
// The clocks of device and host (OpenCL 3.0, 4.3).
import { ensure } from "./error.ts";
import { Device } from "./platform.ts";
import { resourcesOf } from "./device-resources.ts";

function hostTime(): number {
  return performance.now() * 1e6;
}

function ensureDevice(call: string, device: Device): void {
  ensure(device instanceof Device, "CL_INVALID_DEVICE", call, "the value is not a device");
  device.check(call);
}

/**
 * One moment on both clocks in ns; the device's is the one of clGetEventProfilingInfo. Errors: CL_INVALID_DEVICE.
 *
 * @public
 */
export function clGetDeviceAndHostTimer(device: Device): {
  readonly deviceTimestamp: number;
  readonly hostTimestamp: number;
} {
  const call = "clGetDeviceAndHostTimer";
  ensureDevice(call, device);
  const offset = resourcesOf(device, call).clockOffset(call);
  const hostTimestamp = hostTime();
  return { deviceTimestamp: hostTimestamp + offset, hostTimestamp };
}

/** Now on the host's clock in ns. Errors: CL_INVALID_DEVICE. @public */
export function clGetHostTimer(device: Device): number {
  ensureDevice("clGetHostTimer", device);
  return hostTime();
}
