// SPDX-License-Identifier: Apache-2.0
// Which device is meant: by its kind, a part of its name, its number, or the variable MUXKIT_DEVICE.
import type { HostOptions } from "@muxkit/host";
import {
  CL_DEVICE_TYPE_ACCELERATOR,
  CL_DEVICE_TYPE_ALL,
  CL_DEVICE_TYPE_CPU,
  CL_DEVICE_TYPE_CUSTOM,
  CL_DEVICE_TYPE_GPU,
  type Device,
  OpenCLError,
  clGetDeviceIDs,
} from "@muxkit/opencl";

import { EDGE } from "#edge";

import { hostDeviceFor } from "./host-platform.ts";
import { isHostNumber } from "./registered-targets.ts";

/** A kind of device. @public */
export type DeviceType = "cpu" | "gpu" | "accelerator" | "custom";

const TYPES: Readonly<Record<DeviceType, number>> = {
  cpu: CL_DEVICE_TYPE_CPU,
  gpu: CL_DEVICE_TYPE_GPU,
  accelerator: CL_DEVICE_TYPE_ACCELERATOR,
  custom: CL_DEVICE_TYPE_CUSTOM,
};

const isType = (word: string): word is DeviceType => Object.hasOwn(TYPES, word);

/** What a device has to be; what is absent is all the same. */
export interface DeviceChoice {
  /** Its kind. */
  readonly type?: DeviceType;
  /** A part of its name, small or capital. */
  readonly name?: string;
  /** Its number among those that the others leave, from 0 on. */
  readonly index?: number;
}

/**
 * A choice as words write it: a kind (`gpu`), a number among all devices (`1`), both (`gpu:1`), or a part of a name.
 */
export function choiceOf(text: string): DeviceChoice {
  const [, type = text, index] = /^([a-z]*?):?(\d+)?$/u.exec(text.toLowerCase()) ?? [];
  const number = index === undefined ? {} : { index: Number(index) };
  if (type === "" && index !== undefined) return number;
  return isType(type) ? { type, ...number } : { name: text };
}

/** The devices of this process: the processor's for options, then those of other targets. */
export function allDevices(options: HostOptions): readonly Device[] {
  const host = hostDeviceFor(options);
  return [
    host,
    ...clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_ALL).filter(({ info }) => !isHostNumber(info.id & 0xff)),
  ];
}

/** The kind of a device as a word. */
export function typeOf({ type }: Device): DeviceType {
  return (Object.keys(TYPES) as readonly DeviceType[]).find((word) => TYPES[word] === type) ?? "custom";
}

function matching({ type, name, index }: DeviceChoice, devices: readonly Device[]): Device | undefined {
  const left = devices.filter(
    (device) =>
      (type === undefined || typeOf(device) === type) &&
      (name === undefined || device.info.deviceName.toLowerCase().includes(name.toLowerCase())),
  );
  return left[index ?? 0];
}

/** A choice in words, for messages. */
function described({ type, name, index }: DeviceChoice): string {
  const what = [
    type === undefined ? "device" : `${type} device`,
    ...(name === undefined ? [] : [`with "${name}" in its name`]),
    ...(index === undefined ? [] : [`number ${index}`]),
  ];
  return `no ${what.join(" ")}`;
}

/**
 * The first device that a choice allows. GPUs are looked for where no device of before is one. `source` says who
 * chose. Error: CL_DEVICE_NOT_FOUND, which lists what there is.
 */
export function deviceOf(source: string, choice: DeviceChoice, options: HostOptions): Device {
  const { type, index } = choice;
  if (type !== undefined && !isType(type))
    throw new OpenCLError(
      "CL_INVALID_VALUE",
      source,
      `"${String(type)}" is not a kind of device; the kinds are ${Object.keys(TYPES).join(", ")}`,
    );
  let devices = allDevices(options);
  let missing = "";
  // Numbers count all devices, so GPUs are looked for before one is taken.
  let found = index === undefined ? matching(choice, devices) : undefined;
  if (found === undefined) {
    const mayBeGpu = type === undefined || type === "gpu";
    if (mayBeGpu && !devices.some((device) => typeOf(device) === "gpu")) missing = EDGE.useGpus();
    devices = allDevices(options);
    found = matching(choice, devices);
  }
  if (found !== undefined) return found;
  const list = devices.map((device, i) => `${i}: "${device.info.deviceName}" (${typeOf(device)})`).join(", ");
  throw new OpenCLError(
    "CL_DEVICE_NOT_FOUND",
    source,
    `there is ${described(choice)}; the devices are ${list}${missing === "" ? "" : `; ${missing}`}`,
  );
}

/**
 * The devices of a process that serves others: the one that the environment chooses, else the processor's for options
 * and the GPUs of this machine. Error: CL_DEVICE_NOT_FOUND.
 */
export function devicesFor(options: HostOptions): readonly Device[] {
  EDGE.useTargets();
  const chosen = EDGE.chosenDevice() ?? "";
  if (chosen !== "") return [deviceOf("MUXKIT_DEVICE", choiceOf(chosen), options)];
  EDGE.useGpus();
  return allDevices(options);
}
