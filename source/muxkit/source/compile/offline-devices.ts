// SPDX-License-Identifier: Apache-2.0
// The devices that programs can be compiled for, with their compilers.
import type { Info } from "@muxkit/compiler";
import { hostDeviceInfo } from "@muxkit/host";
import { HOST_COMPILER } from "@muxkit/host-compiler";
import { type MuxDeviceInfo, MuxDeviceType, muxGetDeviceInfos } from "@muxkit/mux";

import { UsageError } from "../command/command.ts";
import { foreignCompilers } from "../foreign-targets.ts";

/** One device and its compiler. */
export interface OfflineDevice {
  readonly device: MuxDeviceInfo;
  readonly compiler: Info;
}

let host: OfflineDevice | null = null;

/** Devices of targets that were loaded, each once. */
const foreign = new Map<MuxDeviceInfo, OfflineDevice>();

function foreignDevices(): readonly OfflineDevice[] {
  const compilers = foreignCompilers();
  if (compilers.length === 0) return [];
  const infos = muxGetDeviceInfos(MuxDeviceType.all);
  for (const device of infos.ok ? infos.value : []) {
    const compiler = compilers.find(({ supports }) => supports(device));
    if (compiler !== undefined && !foreign.has(device)) foreign.set(device, { device, compiler });
  }
  return [...foreign.values()];
}

/** All of them, the host's first, then those of targets that were loaded. */
export function offlineDevices(): readonly OfflineDevice[] {
  host ??= { device: hostDeviceInfo({}, 1), compiler: HOST_COMPILER };
  return [host, ...foreignDevices()];
}

/** True for a device with this in its name, small or capital. */
export function hasInName({ deviceName }: MuxDeviceInfo, part: string): boolean {
  return deviceName.toLowerCase().includes(part.toLowerCase());
}

/** The first device whose name has a part in it, small or capital; null: the first of all. Throws UsageError. */
export function deviceNamed(part: string | null): OfflineDevice {
  const devices = offlineDevices();
  const found = devices.find(({ device }) => part === null || hasInName(device, part));
  if (found === undefined)
    throw new UsageError(
      `there is no device "${part ?? ""}"; there are ${devices.map(({ device }) => device.deviceName).join(", ")}`,
    );
  return found;
}
