// SPDX-License-Identifier: Apache-2.0
// How devices are opened, with a compiler or without.
import { HostMuxDevice } from "@muxkit/host";
import { OpenCLError } from "@muxkit/opencl";

import { Device, type DeviceOptions } from "./device.ts";

/** A device whose threads can be used: in browsers they are up when the promise is fulfilled. */
export async function openWithThreads(options: DeviceOptions): Promise<Device> {
  const device = new Device(options);
  const { device: opened } = device.queue.device.open("openDevice");
  if (opened instanceof HostMuxDevice) await opened.host.ready();
  return device;
}

/** A device at once. Throws CL_INVALID_OPERATION in browsers. */
export function openAtOnce(options: DeviceOptions): Device {
  if (typeof globalThis.process?.getBuiltinModule !== "function")
    throw new OpenCLError(
      "CL_INVALID_OPERATION",
      "openDeviceSync",
      "browsers cannot start threads while the page is blocked: use await openDevice()",
    );
  return new Device(options);
}
