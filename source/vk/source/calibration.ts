// SPDX-License-Identifier: Apache-2.0
// Clocks that are read together (VK_EXT_calibrated_timestamps): the device's, which timestamps of queries have, and the
// monotonic clock of the system where the engine tells it. The device's clock is read by the engine's, whose distance
// from it is measured once, by queries around empty command buffers.
import {
  DEFAULT_ALLOCATOR,
  MuxQueryType,
  muxCommandBeginQuery,
  muxCommandEndQuery,
  muxCreateCommandBuffer,
  muxCreateFence,
  muxCreateQueryPool,
  muxDestroyCommandBuffer,
  muxDestroyFence,
  muxDestroyQueryPool,
  muxDispatch,
  muxFinalizeCommandBuffer,
  muxGetQueryPoolResults,
  muxTryWait,
} from "@muxkit/mux";

import { type Device, deviceOf } from "./device.ts";
import { fromMux, invalid } from "./error.ts";
import {
  VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT,
  VK_TIME_DOMAIN_DEVICE_EXT,
  type VkTimeDomainEXT,
} from "./generated/constants.ts";
import type { Vulkan } from "./generated/vulkan.ts";

const NS_PER_MS = 1e6;
/** Measurements of which the quickest counts: a thread that was descheduled makes one useless. */
const MEASUREMENTS = 8;

/** The system's monotonic clock in ns; null: the engine does not tell it. */
const monotonic: (() => bigint) | null =
  (globalThis as { readonly process?: { readonly hrtime?: { readonly bigint?: () => bigint } } }).process?.hrtime
    ?.bigint ?? null;

const DOMAINS: readonly VkTimeDomainEXT[] =
  monotonic === null ? [VK_TIME_DOMAIN_DEVICE_EXT] : [VK_TIME_DOMAIN_DEVICE_EXT, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT];

/** How far the device's clock is ahead of `performance.now()`, and how exact that is; ns. */
interface Offset {
  readonly ahead: number;
  readonly deviation: number;
}

const OFFSETS = new WeakMap<Device, Offset>();

function measure(call: string, { pools: { device, queue } }: Device): Offset {
  const pool = fromMux(call, muxCreateQueryPool(queue, MuxQueryType.duration, 1, [], DEFAULT_ALLOCATOR));
  const commands = fromMux(call, muxCreateCommandBuffer(device, null, DEFAULT_ALLOCATOR));
  const fence = fromMux(call, muxCreateFence(device, DEFAULT_ALLOCATOR));
  fromMux(call, muxCommandBeginQuery(commands, pool, 0, 1, []));
  fromMux(call, muxCommandEndQuery(commands, pool, 0, 1, []));
  fromMux(call, muxFinalizeCommandBuffer(commands));
  let [shortest, ahead] = [Infinity, 0];
  for (let i = 0; i < MEASUREMENTS; i++) {
    const before = performance.now();
    fromMux(call, muxDispatch(queue, commands, fence, [], [], null));
    fromMux(call, muxTryWait(queue, Infinity, fence));
    const after = performance.now();
    const [result] = fromMux(call, muxGetQueryPoolResults(queue, pool, 0, 1));
    if (result === undefined || !("start" in result) || after - before >= shortest) continue;
    shortest = after - before;
    ahead = Number(result.start) - ((before + after) / 2) * NS_PER_MS;
  }
  fromMux(call, muxDestroyFence(device, fence, DEFAULT_ALLOCATOR));
  fromMux(call, muxDestroyCommandBuffer(device, commands, DEFAULT_ALLOCATOR));
  fromMux(call, muxDestroyQueryPool(queue, pool, DEFAULT_ALLOCATOR));
  return { ahead, deviation: (shortest / 2) * NS_PER_MS };
}

function offsetOf(call: string, device: Device): Offset {
  let offset = OFFSETS.get(device);
  if (offset === undefined) {
    offset = measure(call, device);
    OFFSETS.set(device, offset);
  }
  return offset;
}

/** Entry points for clocks. */
export const CALIBRATION: Pick<
  Vulkan,
  "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT" | "vkGetCalibratedTimestampsEXT"
> = {
  vkGetPhysicalDeviceCalibrateableTimeDomainsEXT: () => DOMAINS,
  vkGetCalibratedTimestampsEXT: (device, pTimestampInfos, pTimestamps) => {
    const call = "vkGetCalibratedTimestampsEXT";
    const foreign = pTimestampInfos.find(({ timeDomain }) => !DOMAINS.includes(timeDomain));
    if (foreign !== undefined)
      throw invalid(
        call,
        `the clock ${foreign.timeDomain} cannot be read; vkGetPhysicalDeviceCalibrateableTimeDomainsEXT tells which can`,
        "VUID-VkCalibratedTimestampInfoEXT-timeDomain-02354",
      );
    if (pTimestamps.byteLength < pTimestampInfos.length * 8)
      throw invalid(
        call,
        `pTimestamps has ${pTimestamps.byteLength} bytes, and ${pTimestampInfos.length} timestamps take 8 each`,
        "VUID-vkGetCalibratedTimestampsEXT-pTimestamps-parameter",
      );
    const { ahead, deviation } = offsetOf(call, deviceOf(device, call));
    const begin = performance.now();
    const system = monotonic?.() ?? 0n;
    const end = performance.now();
    const own = BigInt(Math.round(((begin + end) / 2) * NS_PER_MS + ahead));
    const view = new DataView(pTimestamps.buffer, pTimestamps.byteOffset, pTimestamps.byteLength);
    for (const [i, { timeDomain }] of pTimestampInfos.entries())
      view.setBigUint64(i * 8, timeDomain === VK_TIME_DOMAIN_DEVICE_EXT ? own : system, true);
    return BigInt(Math.ceil(deviation + (end - begin) * NS_PER_MS)) + 1n;
  },
};
