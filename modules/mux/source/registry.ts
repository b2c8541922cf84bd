// SPDX-License-Identifier: Apache-2.0
// The targets that are there: whose devices are listed and opened.
import { type Result, TRACER, err, ok } from "@muxkit/cargo";

import { type Checked, allocator, flags, nonempty, invalid } from "./checks.ts";
import type { MuxDeviceInfo } from "./device-info.ts";
import { refused } from "./dispatches.ts";
import { type MuxError, muxError } from "./error.ts";
import { MuxDeviceType, MuxResult } from "./generated/enums.ts";
import type { MuxAllocatorInfo, MuxDevice } from "./generated/structs.ts";
import type { MuxTarget } from "./generated/target.ts";
import { traceTarget } from "./trace-target.ts";

const targets: { readonly target: MuxTarget; infos: readonly MuxDeviceInfo[] | null }[] = [];

/** Adds a target. Its number, from 1, is the lowest byte of its objects' ids. At most 255. @public */
export function registerTarget(target: MuxTarget): number {
  const known = targets.findIndex((entry) => entry.target === target);
  if (known >= 0) return known + 1;
  if (TRACER !== null) traceTarget(TRACER, target);
  return targets.push({ target, infos: null });
}

function infosOf(index: number): readonly MuxDeviceInfo[] {
  const entry = targets[index];
  if (entry === undefined) return [];
  entry.infos ??= entry.target.getDeviceInfos(index + 1);
  return entry.infos;
}

/** Lists the devices of these kinds, of every registered target, the highest priority first. @public */
export function muxGetDeviceInfos(deviceTypes: number): Result<readonly MuxDeviceInfo[], MuxError> {
  const wrong = flags("muxGetDeviceInfos", "deviceTypes", deviceTypes, MuxDeviceType.all);
  if (wrong !== null) return err(wrong);
  const found = targets.flatMap((_, index) => infosOf(index)).filter((info) => (info.deviceType & deviceTypes) !== 0);
  return ok(found.toSorted((a, b) => b.devicePriority - a.devicePriority));
}

/** Infos of parts of devices, and those of the whole devices. */
const PARTS = new WeakMap<MuxDeviceInfo, MuxDeviceInfo>();

/**
 * The info of a part of a device, which has fewer compute units and is the same otherwise: muxCreateDevices opens it,
 * and commands of its queues run on as many threads together. Errors: invalid_value for an info that muxGetDeviceInfos
 * and this call did not return, and for compute units that it does not have; feature_unsupported when the device has no
 * parts.
 *
 * @public
 */
export function muxGetSubDeviceInfo(deviceInfo: MuxDeviceInfo, computeUnits: number): Result<MuxDeviceInfo, MuxError> {
  const entry = "muxGetSubDeviceInfo";
  const whole = PARTS.get(deviceInfo) ?? deviceInfo;
  if (!targets.some((_, index) => infosOf(index).includes(whole)))
    return err(invalid(entry, "deviceInfo", "is none that muxGetDeviceInfos gave"));
  if (!Number.isInteger(computeUnits) || computeUnits < 1 || computeUnits > deviceInfo.computeUnits)
    return err(invalid(entry, "computeUnits", `must be 1 to ${deviceInfo.computeUnits}, not ${computeUnits}`));
  if (deviceInfo.canPartition !== true)
    return err(
      muxError(
        MuxResult.error_feature_unsupported,
        entry,
        "deviceInfo",
        `${entry}: ${deviceInfo.deviceName} has no parts`,
      ),
    );
  const part: MuxDeviceInfo = { ...deviceInfo, computeUnits };
  const { lacksFeature } = deviceInfo;
  if (lacksFeature !== undefined) Object.defineProperty(part, "lacksFeature", { value: lacksFeature });
  PARTS.set(part, whole);
  return ok(part);
}

function open(info: MuxDeviceInfo): Result<MuxDevice, MuxError> {
  const whole = PARTS.get(info) ?? info;
  const index = targets.findIndex((_, i) => infosOf(i).includes(whole));
  const entry = targets[index];
  if (entry === undefined)
    return err(invalid("muxCreateDevices", "deviceInfos", "holds an info that is not from muxGetDeviceInfos"));
  const made = entry.target.createDevice(info);
  return made.ok
    ? made
    : err(muxError(made.error.code, "muxCreateDevices", "deviceInfos", `muxCreateDevices: ${made.error.message}`));
}

/** Opens a device that the allocator has agreed to. */
function accounted(info: MuxDeviceInfo, allocatorInfo: MuxAllocatorInfo): Result<MuxDevice, MuxError> {
  if (!allocatorInfo.allocate(OBJECT_BYTES, 8)) return err(refused("muxCreateDevices"));
  const made = open(info);
  if (!made.ok) allocatorInfo.free(OBJECT_BYTES);
  return made;
}

/** Opens devices; when one cannot be opened, none is. @public */
export function muxCreateDevices(
  deviceInfos: readonly MuxDeviceInfo[],
  allocatorInfo: MuxAllocatorInfo,
): Result<readonly MuxDevice[], MuxError> {
  const wrong: Checked =
    nonempty("muxCreateDevices", "deviceInfos", deviceInfos) ??
    allocator("muxCreateDevices", "allocatorInfo", allocatorInfo);
  if (wrong !== null) return err(wrong);
  const made: MuxDevice[] = [];
  for (const info of deviceInfos) {
    const one = accounted(info, allocatorInfo);
    if (one.ok) {
      made.push(one.value);
      continue;
    }
    for (const device of made) {
      device.target.destroyDevice(device);
      device.state.isAlive = false;
      allocatorInfo.free(OBJECT_BYTES);
    }
    return one;
  }
  return ok(made);
}

/** Bytes that an object is accounted for. @public */
export const OBJECT_BYTES: number = 64;

/** An allocator that never refuses. @public */
export const DEFAULT_ALLOCATOR: MuxAllocatorInfo = { allocate: () => true, free: () => undefined };
