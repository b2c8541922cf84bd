// SPDX-License-Identifier: Apache-2.0
// The host as a mux target: entry points in terms of the host's own objects. The front has checked what the
// reference requires.
import { ok } from "@muxkit/cargo";
import { type MuxDevice, type MuxQueue, MuxResult, type MuxTarget } from "@muxkit/mux";

import { HostPlatform } from "./device.ts";
import { COMMANDS } from "./mux-commands.ts";
import { IMAGES } from "./mux-images.ts";
import { MEMORY } from "./mux-memory.ts";
import { HostMuxDevice, HostMuxQueue } from "./mux-objects.ts";
import { PROGRAMS } from "./mux-programs.ts";
import { deviceOf, failed, failedWith, own } from "./mux-recording.ts";
import { SYNCHRONISATION } from "./mux-synchronisation.ts";
import type { HostOptions } from "./options.ts";
import { checkSettings } from "./settings.table.ts";

/**
 * Makes the host target: register it with `registerTarget`. Options hold for every device that it opens. Throws a
 * SettingError for a value that an option, or its environment variable, cannot have.
 *
 * @public
 */
export function hostTarget(options: HostOptions = {}): MuxTarget {
  // Before anything is registered: a target that cannot list its devices would block the others.
  checkSettings(options);
  const platforms = new Map<number, HostPlatform>();
  const target: MuxTarget = {
    name: "host",
    getDeviceInfos: (number) => {
      let platform = platforms.get(number);
      if (platform === undefined) {
        platform = new HostPlatform(options, number);
        platforms.set(number, platform);
      }
      return [platform.deviceInfo];
    },
    createDevice: (info) => {
      const platform = platforms.get(info.id & 0xff);
      if (platform === undefined)
        return failed(MuxResult.error_invalid_value, "the device info is not one of the host target's");
      const device = platform.openDevice(info);
      return device.ok ? ok(new HostMuxDevice(info, target, device.value)) : failedWith(device.error);
    },
    // Who opens the whole device twice wants two; parts are parts of one.
    sharesObjects: (left, right) =>
      left.info !== right.info && deviceOf(left).host.sharesMemoryWith(deviceOf(right).host),
    ...MEMORY,
    ...PROGRAMS,
    ...SYNCHRONISATION,
    ...COMMANDS,
    ...IMAGES,
  };
  return target;
}

/** The host's side of a mux queue: its deadline. @public */
export function hostQueue(queue: MuxQueue): HostMuxQueue {
  return own(queue, HostMuxQueue);
}

/** The host's side of a mux device: waits as promises, statistics, arrays in device memory. @public */
export function hostDevice(device: MuxDevice): HostMuxDevice {
  return deviceOf(device);
}
