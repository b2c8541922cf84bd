// Devices that compile.
import type { HostOptions } from "@muxkit/host";

import { Device } from "./device.ts";
import { useOwnCompiler } from "./own-compiler.ts";

/** Opens the device of this machine. Options: threads, a deadline for launches and more. @public */
export async function openDevice(options: HostOptions = {}): Promise<Device> {
  await Promise.resolve();
  return openDeviceSync(options);
}

/** The same without a promise, where threads can be started while the caller blocks: in Node, not in a browser's page. @public */
export function openDeviceSync(options: HostOptions = {}): Device {
  useOwnCompiler();
  return new Device(options);
}
