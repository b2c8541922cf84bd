// SPDX-License-Identifier: Apache-2.0
// Sub-devices (OpenCL 3.0, 4.3): parts of a device with some of its compute units, which run on as many threads.
import { type MuxDeviceInfo, muxGetSubDeviceInfo } from "@muxkit/mux";

import { OpenCLError, ensure } from "./error.ts";
import { fromMux } from "./from-mux.ts";
import { Device } from "./platform.ts";

/** How a device is partitioned: one of these properties. @public */
export type DevicePartition =
  | { readonly CL_DEVICE_PARTITION_EQUALLY: number }
  | { readonly CL_DEVICE_PARTITION_BY_COUNTS: readonly number[] }
  | { readonly CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN: number };

/** Name of a way to partition. @public */
export type DevicePartitionName =
  | "CL_DEVICE_PARTITION_EQUALLY"
  | "CL_DEVICE_PARTITION_BY_COUNTS"
  | "CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN";

/** A part of a device. It is reference-counted, unlike a device of the platform. @public */
export class SubDevice extends Device {
  /** CL_DEVICE_PARTITION_TYPE. @internal */
  readonly partition: DevicePartition;
  #references = 1;
  /** Contexts that have it. */
  #uses = 0;

  /** Made by clCreateSubDevices. @internal */
  constructor(parent: Device, info: MuxDeviceInfo, partition: DevicePartition) {
    super(parent.platform, info, parent);
    this.partition = partition;
    parent.use();
  }

  /** References that the user holds. */
  override get referenceCount(): number {
    return this.#references;
  }

  /** Throws unless the user holds a reference. @internal */
  override check(call: string): void {
    ensure(this.#references > 0, "CL_INVALID_DEVICE", call, "this sub-device has been released; create a new one");
  }

  /** One reference of the user more. @internal */
  override retain(call: string): void {
    this.check(call);
    this.#references++;
  }

  /** One reference of the user less. @internal */
  override release(call: string): void {
    this.check(call);
    this.#references--;
    this.#closeUnused(call);
  }

  /** A context has it. @internal */
  override use(): void {
    this.#uses++;
  }

  /** A context less has it. @internal */
  override unuse(): void {
    this.#uses--;
    this.#closeUnused("clReleaseContext");
  }

  #closeUnused(call: string): void {
    if (this.#references > 0 || this.#uses > 0) return;
    this.close(call);
    this.parent?.unuse();
  }
}

/** Compute units of each part, by the way to partition. */
const COUNTS: Readonly<
  Record<DevicePartitionName, (call: string, units: number, value: unknown) => readonly number[]>
> = {
  CL_DEVICE_PARTITION_EQUALLY: (call, units, value) => {
    ensure(
      typeof value === "number" && Number.isInteger(value) && value > 0,
      "CL_INVALID_VALUE",
      call,
      () => `${String(value)} is not a number of compute units`,
    );
    ensure(
      value <= units,
      "CL_DEVICE_PARTITION_FAILED",
      call,
      `the device has ${units} compute units, so it has no part of ${value}`,
    );
    return Array.from({ length: Math.floor(units / value) }, () => value);
  },
  CL_DEVICE_PARTITION_BY_COUNTS: (call, units, value) => {
    ensure(Array.isArray(value) && value.length > 0, "CL_INVALID_VALUE", call, "the counts are not a non-empty list");
    const counts = value as readonly number[];
    ensure(
      counts.every((count) => Number.isInteger(count) && count > 0) && counts.length <= units,
      "CL_INVALID_DEVICE_PARTITION_COUNT",
      call,
      () => `(${counts.join(", ")}) are not 1 to ${units} parts of at least one compute unit`,
    );
    const sum = counts.reduce((total, count) => total + count, 0);
    ensure(
      sum <= units,
      "CL_INVALID_DEVICE_PARTITION_COUNT",
      call,
      `${sum} compute units are requested, but the device has ${units}`,
    );
    return counts;
  },
  CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN: (call) => {
    throw new OpenCLError(
      "CL_INVALID_VALUE",
      call,
      "the device cannot be partitioned by affinity: it is unknown which threads share a cache",
    );
  },
};

/** Ways to partition a device. */
export function partitionsOf({ info }: Device): readonly DevicePartitionName[] {
  return info.canPartition === true ? ["CL_DEVICE_PARTITION_EQUALLY", "CL_DEVICE_PARTITION_BY_COUNTS"] : [];
}

/**
 * Makes parts of a device. Commands of all queues of a part run on as many threads together as it has compute units;
 * its memory is its own contexts'. Errors: CL_INVALID_DEVICE, CL_INVALID_VALUE for ways to partition that the device
 * does not have, CL_DEVICE_PARTITION_FAILED for parts greater than it, CL_INVALID_DEVICE_PARTITION_COUNT for counts
 * that it does not have.
 *
 * @public
 */
export function clCreateSubDevices(device: Device, partition: DevicePartition): readonly SubDevice[] {
  const call = "clCreateSubDevices";
  ensure(device instanceof Device, "CL_INVALID_DEVICE", call, "the value is not a device");
  device.check(call);
  const entries = Object.entries(partition);
  const [name = "", value] = entries[0] ?? [];
  ensure(
    entries.length === 1 && Object.hasOwn(COUNTS, name),
    "CL_INVALID_VALUE",
    call,
    () =>
      `one of ${Object.keys(COUNTS).join(", ")} is required, not ` +
      (entries.map(([key]) => key).join(" and ") || "nothing"),
  );
  const counts = COUNTS[name as DevicePartitionName](call, device.info.computeUnits, value);
  ensure(
    partitionsOf(device).includes(name as DevicePartitionName),
    "CL_INVALID_VALUE",
    call,
    `${device.info.deviceName} cannot be partitioned`,
  );
  return counts.map(
    (units) => new SubDevice(device, fromMux(call, muxGetSubDeviceInfo(device.info, units)), { ...partition }),
  );
}
