// SPDX-License-Identifier: Apache-2.0
// Devices of the OpenCL package: the host's for options, and others by their names.
import type { HostOptions } from "@muxkit/host";
import { CL_DEVICE_TYPE_ALL, type Device, OpenCLError, clGetDeviceIDs, clGetPlatformIDs } from "@muxkit/opencl";

import { registerHost } from "./register-host.ts";

/** The device of a name, of any target that was registered. Error: CL_DEVICE_NOT_FOUND. */
export function deviceNamed(name: string): Device {
  const [platform] = clGetPlatformIDs();
  const all = platform === undefined ? [] : clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL);
  const found = all.find(({ info }) => info.deviceName === name);
  if (found === undefined)
    throw new OpenCLError(
      "CL_DEVICE_NOT_FOUND",
      "openDevice",
      `no device is named "${name}"; the devices are ` +
        `${all.map(({ info }) => `"${info.deviceName}"`).join(", ")}. Register its target ` +
        "first",
    );
  return found;
}

/**
 * The first device with this in its name, small or capital: the host's for options, or one of a target that was
 * registered. Error: CL_DEVICE_NOT_FOUND.
 */
export function deviceWith(part: string, options: HostOptions): Device {
  const host = hostDeviceFor(options);
  const own = (device: Device): boolean => device.info.deviceName.toLowerCase().includes(part.toLowerCase());
  if (own(host)) return host;
  const all = clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_ALL);
  const found = all.find(own);
  if (found === undefined)
    throw new OpenCLError(
      "CL_DEVICE_NOT_FOUND",
      "openDevice",
      `no device name contains "${part}"; the devices are ` +
        `${all.map(({ info }) => `"${info.deviceName}"`).join(", ")}. MUXKIT_TARGETS lists ` +
        "modules of further targets",
    );
  return found;
}

/** The host's OpenCL device for options. The same options yield the same device. */
export function hostDeviceFor(options: HostOptions): Device {
  const number = registerHost(options);
  const [platform] = clGetPlatformIDs();
  const device =
    platform === undefined
      ? undefined
      : clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL).find(({ info }) => (info.id & 0xff) === number);
  if (device === undefined) throw new Error("the host target lists no device");
  return device;
}
