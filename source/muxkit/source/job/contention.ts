// SPDX-License-Identifier: Apache-2.0
// How busy the machine was while times were taken: cores used by this process, by others, and by the hypervisor.
import { readFileSync } from "node:fs";

/** Cores in use between start and end of a window. */
export interface ContentionReport {
  readonly window_ms: number;
  readonly own_cpu: number;
  /** Absent where there is no /proc/stat. */
  readonly other_cpu?: number;
  readonly steal?: number;
}

const TICK_MS = 10;

function processorTimes(): { readonly busy: number; readonly steal: number } | null {
  try {
    const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n", 1);
    const [, user = 0, nice = 0, system = 0, , , interrupt = 0, softInterrupt = 0, steal = 0] = line
      .trim()
      .split(/\s+/u)
      .map(Number);
    return { busy: TICK_MS * (user + nice + system + interrupt + softInterrupt), steal: TICK_MS * steal };
  } catch {
    // Only Linux has the file; the report then leaves the two figures out.
    return null;
  }
}

/** Begins a window; the function that it gives ends it. */
export function beginContention(): () => ContentionReport {
  const before = processorTimes();
  const start = performance.now();
  const usage = process.cpuUsage();
  return () => {
    const after = processorTimes();
    const time = performance.now() - start;
    const { user, system } = process.cpuUsage(usage);
    const own = (user + system) / 1000;
    const report = { window_ms: time, own_cpu: own / time };
    if (before === null || after === null) return report;
    return {
      ...report,
      other_cpu: Math.max(0, (after.busy - before.busy - own) / time),
      steal: (after.steal - before.steal) / time,
    };
  };
}
