// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime API in a trace: each method of a target is a span.
import type { Tracer } from "@muxkit/cargo";

import type { MuxTarget } from "./generated/target.ts";

function nameOf(method: string): string {
  return `mux${method.slice(0, 1).toUpperCase()}${method.slice(1)}`;
}

/** Makes every method of a target note its calls. The target itself is changed: its devices refer to it. */
export function traceTarget(tracer: Tracer, target: MuxTarget): void {
  const methods = target as unknown as Record<string, unknown>;
  for (const [key, method] of Object.entries(methods)) {
    if (typeof method !== "function" || key === "getDeviceInfos") continue;
    methods[key] = (...args: readonly unknown[]): unknown => {
      const begin = tracer.now();
      try {
        return (method as (...given: readonly unknown[]) => unknown).apply(target, [...args]);
      } finally {
        tracer.span("mux", nameOf(key), begin);
      }
    };
  }
}
