// Devices that compile.
import { Device, type DeviceOptions } from "./device.ts";
import { useOwnCompiler } from "./own-compiler.ts";

/** Opens the device of this machine, or one of a target that was registered. Options: threads, a deadline for launches and more. Error: CL_DEVICE_NOT_FOUND for a name that no device has. @public */
export async function openDevice(options: DeviceOptions = {}): Promise<Device> {
  await Promise.resolve();
  return openDeviceSync(options);
}

/** The same without a promise, where threads can be started while the caller blocks: in Node, not in a browser's page. @public */
export function openDeviceSync(options: DeviceOptions = {}): Device {
  useOwnCompiler();
  return new Device(options);
}
