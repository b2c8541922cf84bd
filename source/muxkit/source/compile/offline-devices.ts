// The devices that programs can be compiled for, with their compilers.
import type { Info } from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { HOST_COMPILER } from "@muxkit/host-compiler";
import type { MuxDeviceInfo } from "@muxkit/mux";

import { UsageError } from "../command/command.ts";

/** One device and its compiler. */
export interface OfflineDevice {
  readonly device: MuxDeviceInfo;
  readonly compiler: Info;
}

let host: OfflineDevice | null = null;

/** All of them, the host's first. */
export function offlineDevices(): readonly OfflineDevice[] {
  host ??= { device: hostDeviceInfo({}, 1), compiler: HOST_COMPILER };
  return [host];
}

/** The first device whose name has a part in it, small or capital; null: the first of all. Throws UsageError. */
export function deviceNamed(part: string | null): OfflineDevice {
  const devices = offlineDevices();
  const found = devices.find(({ device }) => part === null || device.deviceName.toLowerCase().includes(part.toLowerCase()));
  if (found === undefined) throw new UsageError(`there is no device "${part ?? ""}"; there are ${devices.map(({ device }) => device.deviceName).join(", ")}`);
  return found;
}
