// SPDX-License-Identifier: Apache-2.0
// The host target, registered with the runtime once for each set of options.
import { type HostOptions, completeTarget, hostTarget } from "@muxkit/host";
import type { MuxTarget } from "@muxkit/mux";

import { registerOnce } from "./registered-targets.ts";

/** Registers the host target for options: its number. The same options yield the same target. */
export function registerHost(options: HostOptions): number {
  const { target, number } = registerOnce(options, () => hostTarget(options));
  // It may be one of pages, which has less.
  if (!COMPLETE.has(target)) completeTarget(target);
  COMPLETE.add(target);
  return number;
}

const COMPLETE = new WeakSet<MuxTarget>();
