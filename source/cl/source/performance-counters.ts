// SPDX-License-Identifier: Apache-2.0
// cl_muxkit_performance_counters: what a device counts while a command runs.
import { MuxQueryCounterUnit, MuxQueueType, muxGetSupportedQueryCounters } from "@muxkit/mux";

import { ensure } from "./error.ts";
import { fromMux } from "./from-mux.ts";
import type { Device } from "./platform.ts";

/** A counter of a device. @public */
export interface PerformanceCounter {
  /** Its number, for CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT. */
  readonly uuid: number;
  /** What its values are. */
  readonly unit: keyof typeof MuxQueryCounterUnit;
  /** Name. */
  readonly name: string;
  /** What kind of counters it belongs to. */
  readonly category: string;
  /** A sentence. */
  readonly description: string;
}

const UNITS = Object.entries(MuxQueryCounterUnit) as readonly (readonly [keyof typeof MuxQueryCounterUnit, number])[];

/** The counters of a device; none where it has none. */
export function countersOf(device: Device, call: string): readonly PerformanceCounter[] {
  if (!device.info.queryCounterSupport) return [];
  return fromMux(call, muxGetSupportedQueryCounters(device.open(call).device, MuxQueueType.compute)).map(
    ({ counter: { uuid, unit }, description: { name, category, description } }) => ({
      uuid,
      unit: UNITS.find(([, number]) => number === unit)?.[0] ?? "generic",
      name,
      category,
      description,
    }),
  );
}

/**
 * Checks the counters of a queue. Errors: CL_INVALID_VALUE for none, for one twice and without
 * CL_QUEUE_PROFILING_ENABLE; CL_INVALID_QUEUE_PROPERTIES for counters that the device does not have.
 */
export function checkCounters(call: string, device: Device, uuids: readonly number[], profiles: boolean): void {
  ensure(
    Array.isArray(uuids) && uuids.length > 0 && new Set(uuids).size === uuids.length,
    "CL_INVALID_VALUE",
    call,
    "CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT must be a list of different counters",
  );
  ensure(profiles, "CL_INVALID_VALUE", call, "CL_QUEUE_PERFORMANCE_COUNTERS_MUXKIT requires CL_QUEUE_PROFILING_ENABLE");
  const known = countersOf(device, call);
  for (const uuid of uuids)
    ensure(
      known.some((counter) => counter.uuid === uuid),
      "CL_INVALID_QUEUE_PROPERTIES",
      call,
      () =>
        `the device has no counter ${uuid}; it has ` +
        (known.map((counter) => `${counter.uuid} (${counter.name})`).join(", ") || "none"),
    );
}
