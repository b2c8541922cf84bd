// SPDX-License-Identifier: Apache-2.0
// Threads that start early: in browsers, while a device is opened.
import type { DeviceCore } from "./device-core.ts";
import { SYSTEM } from "#system";

/**
 * Resolves when the threads of a device can be used. Those that cannot be started are warned of, and the calling thread
 * does their work.
 */
export async function threadsReady({ host, pool, settings }: DeviceCore): Promise<void> {
  if (!settings.environment.startsEarly || settings.threads === 1) return;
  host.startWorkers();
  await pool.started();
  if (pool.failure !== null)
    SYSTEM.warn(`${pool.size} of ${settings.threads} threads are up: ${pool.failure}`, "MuxkitThreads");
}
