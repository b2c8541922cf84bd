// SPDX-License-Identifier: Apache-2.0
// Host targets by their options: the same ones are registered once.
import type { HostOptions } from "@muxkit/host";
import { type MuxTarget, registerTarget } from "@muxkit/mux";

/** A target and its number. */
export interface Registered {
  readonly target: MuxTarget;
  readonly number: number;
}

/** Those that were registered, by the options as text. */
const targets = new Map<string, Registered>();

/** Numbers of all that were registered. */
const numbers = new Set<number>();

/** True for the number of a target of the host. */
export function isHostNumber(number: number): boolean {
  return numbers.has(number);
}

/** Options whose value is data; the others make a target of their own. */
function keyOf({ workerUrl, environment, print, ...data }: HostOptions): string | null {
  return environment === undefined && print === undefined ? JSON.stringify([data, workerUrl?.href ?? null]) : null;
}

/** The target for options, which is made and registered where there is none. */
export function registerOnce(options: HostOptions, make: () => MuxTarget): Registered {
  const key = keyOf(options);
  let found = key === null ? undefined : targets.get(key);
  if (found === undefined) {
    const target = make();
    found = { target, number: registerTarget(target) };
    numbers.add(found.number);
    if (key !== null) targets.set(key, found);
  }
  return found;
}
