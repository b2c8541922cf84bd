// SPDX-License-Identifier: Apache-2.0
// What the cases share: the entry points by name, their right calls, one open device.
import type { Result } from "@muxkit/cargo";
import * as mux from "@muxkit/mux";
import { type MuxError, MuxResult } from "@muxkit/mux";

import { type UnitMuxSetup, verify } from "./case.ts";
import { VALID_CALLS, type ValidCall, featureOf, hasFeature } from "./valid-calls.ts";
import { World } from "./world.ts";

/** An entry point, whatever it takes. */
export type EntryPoint = (...args: readonly unknown[]) => Result<unknown, MuxError>;

/** The entry point with a name. */
export function entryPointOf(name: string): EntryPoint {
  const found: unknown = Object.entries(mux).find(([key]) => key === name)?.[1];
  verify(typeof found === "function", `@muxkit/mux exports ${name}`);
  return found as EntryPoint;
}

/** A right call of it. */
export function validCall(world: World, name: string): ValidCall {
  const make = VALID_CALLS[name];
  verify(make !== undefined, `the suite has a right call of ${name}`);
  return make(world);
}

/** The name of a code, for messages. */
export const codeName = (code: MuxResult): string =>
  Object.entries(MuxResult).find(([, value]) => value === code)?.[0] ?? String(code);

/** Opens the device once for all cases. */
export class Shared {
  readonly #setup: UnitMuxSetup;
  #world: World | null = null;

  constructor(setup: UnitMuxSetup) {
    this.#setup = setup;
  }

  get world(): World {
    this.#world ??= new World(this.#setup);
    return this.#world;
  }
}

/** True on a device that lacks what the entry point needs. */
export function lacksFeature(world: World, name: string): boolean {
  const feature = featureOf(name);
  return feature !== null && !hasFeature(world, feature);
}
