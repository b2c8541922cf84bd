// SPDX-License-Identifier: Apache-2.0
// The host as a mux target: entry points in terms of the host's own objects. The front has checked what the
// reference requires. A target for pages has no parts but those that it is given, until it gets all of them.
import { ok } from "@muxkit/cargo";
import { type MuxDevice, type MuxQueue, MuxResult, type MuxTarget } from "@muxkit/mux";

import { PlatformOfParts } from "./device.ts";
import { COMMANDS } from "./mux-commands.ts";
import { MEMORY } from "./mux-memory.ts";
import { HostMuxDevice, HostMuxQueue } from "./mux-objects.ts";
import { PROGRAMS } from "./mux-programs.ts";
import { deviceOf, failed, failedWith, own } from "./mux-recording.ts";
import { SYNCHRONISATION } from "./mux-synchronisation.ts";
import type { HostOptions } from "./options.ts";
import { type HostParts, NO_PARTS } from "./parts.ts";
import { checkSettings } from "./settings.table.ts";

/** The parts of each target, to which more may be added. */
const PARTS = new WeakMap<MuxTarget, HostParts>();

const IMAGE_CALLS = [
  "createImage",
  "bindImageMemory",
  "getSupportedImageFormats",
  "commandReadImage",
  "commandWriteImage",
  "commandFillImage",
  "commandCopyImage",
  "commandCopyImageToBuffer",
  "commandCopyBufferToImage",
] as const;

const noImages = (): ReturnType<MuxTarget["createImage"]> =>
  failed(MuxResult.error_feature_unsupported, "this program has no images; import muxkit/sycl/images");

/**
 * Makes the host target for pages: it has memory, launches and transfers, and no parts but those that
 * {@link addHostParts} adds. Options hold for every device that it opens. Throws a SettingError for a value that an
 * option, or its environment variable, cannot have.
 *
 * @public
 */
export function pageTarget(options: HostOptions = {}): MuxTarget {
  // Before anything is registered: a target that cannot list its devices would block the others.
  checkSettings(options);
  const parts = { ...NO_PARTS };
  const platforms = new Map<number, PlatformOfParts>();
  const target: MuxTarget = {
    name: "host",
    getDeviceInfos: (number) => {
      let platform = platforms.get(number);
      if (platform === undefined) {
        platform = new PlatformOfParts(options, number, parts);
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
    ...(Object.fromEntries(IMAGE_CALLS.map((name) => [name, noImages])) as unknown as Pick<
      MuxTarget,
      (typeof IMAGE_CALLS)[number]
    >),
    destroyImage: () => {
      // There is none.
    },
  };
  PARTS.set(target, parts);
  return target;
}

/** Adds parts to a target of this package: to devices that it has opened, too. @internal */
export function addHostParts(target: MuxTarget, parts: Partial<HostParts>, calls: Partial<MuxTarget> = {}): void {
  Object.assign(PARTS.get(target) ?? {}, parts);
  Object.assign(target, calls);
}

/** The host's side of a mux queue: its deadline. @public */
export function hostQueue(queue: MuxQueue): HostMuxQueue {
  return own(queue, HostMuxQueue);
}

/** The host's side of a mux device: waits as promises, statistics, arrays in device memory. @public */
export function hostDevice(device: MuxDevice): HostMuxDevice {
  return deviceOf(device);
}
