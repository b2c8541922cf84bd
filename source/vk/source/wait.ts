// SPDX-License-Identifier: Apache-2.0
// Waiting on the host: for fences, and for values of timeline semaphores.
import { type Batch, deviceLost } from "./batch.ts";
import type { Device } from "./device.ts";
import { invalid } from "./error.ts";

/** What is waited for. */
export interface Awaited {
  /** True when it is there. */
  isThere(): boolean;
  /** The batch that brings it; null: nobody does, as far as is submitted. */
  batch(): Batch | null;
}

/** Nothing that was submitted brings what is waited for, and no code runs while this thread waits. */
function never(call: string, timeout: number): "VK_TIMEOUT" {
  if (timeout === Infinity || timeout >= 2 ** 63)
    throw invalid(call, "it would wait for ever: nothing that was submitted signals it; submit that first");
  return "VK_TIMEOUT";
}

/** ns of a turn where several things are waited for and one is enough. */
const TURN = 50_000;

const now = (): number => performance.now() * 1e6;

/** Waits for all, or for one of them, for at most so many ns. */
export function waitFor(
  call: string,
  device: Device,
  list: readonly Awaited[],
  isAll: boolean,
  timeout: number,
): "VK_SUCCESS" | "VK_TIMEOUT" {
  if (device.pools.lost !== null) throw deviceLost(call, device.pools.lost);
  device.advance(call);
  const end = timeout === Infinity ? Infinity : now() + timeout;
  const left = (): number => Math.max(0, end - now());
  for (;;) {
    const open = list.filter((one) => !one.isThere());
    if (open.length === 0 || (!isAll && open.length < list.length)) return "VK_SUCCESS";
    const coming = open.flatMap((one) => {
      const batch = one.batch();
      return batch?.state === "submitted" ? [batch] : [];
    });
    const [first, ...others] = coming;
    if (first === undefined) return never(call, timeout);
    const isOver = left() === 0;
    first.wait(call, isAll || others.length === 0 ? left() : Math.min(TURN, left()));
    for (const batch of others) batch.wait(call, 0);
    if (isOver && first.state === "submitted" && (isAll || coming.every(({ state }) => state === "submitted")))
      return "VK_TIMEOUT";
  }
}

/** The same for all, without blocking the thread. */
export async function waitForAllAsync(
  call: string,
  device: Device,
  list: readonly Awaited[],
  timeout: number,
): Promise<"VK_SUCCESS" | "VK_TIMEOUT"> {
  if (device.pools.lost !== null) throw deviceLost(call, device.pools.lost);
  device.advance(call);
  const arrivals = await Promise.all(
    list.map(async (one) => {
      const batch = one.isThere() ? null : one.batch();
      // Somebody else may submit what brings it meanwhile, but nobody tells.
      if (batch?.state === "submitted") await batch.waitAsync(call, timeout);
      return one.isThere() ? "there" : batch?.state === "submitted" ? "late" : "never";
    }),
  );
  if (arrivals.includes("never")) return never(call, timeout);
  return arrivals.includes("late") ? "VK_TIMEOUT" : "VK_SUCCESS";
}
