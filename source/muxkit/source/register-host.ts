// SPDX-License-Identifier: Apache-2.0
// The host target, registered with the runtime once for each set of options.
import { type HostOptions, hostTarget } from "@muxkit/host";
import { registerTarget } from "@muxkit/mux";

/** Number of the target that was registered for options, by the options as text. */
const targets = new Map<string, number>();

/** Options whose value is data; the others make a target of their own. */
function keyOf({ workerUrl, environment, print, ...data }: HostOptions): string | null {
  return environment === undefined && print === undefined ? JSON.stringify([data, workerUrl?.href ?? null]) : null;
}

/** Registers the host target for options: its number. The same options yield the same target. */
export function registerHost(options: HostOptions): number {
  const key = keyOf(options);
  let number = key === null ? undefined : targets.get(key);
  if (number === undefined) {
    number = registerTarget(hostTarget(options));
    if (key !== null) targets.set(key, number);
  }
  return number;
}
