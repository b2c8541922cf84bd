// SPDX-License-Identifier: Apache-2.0
// Launches whose parameter is an array of their own, for drivers that read it as bytes.
import type { GpuLaunch, Grid, Handle } from "./driver.ts";

/** A launch with so many bytes of parameter. */
export function ownLaunch(entry: Handle, grid: Grid, bytes: number): GpuLaunch {
  const { groups, localSize, dynamicLocal } = grid;
  const parameter = { view: new DataView(new ArrayBuffer(bytes)), at: 0, bytes };
  return { kind: "launch", entry, groups, localSize, dynamicLocal, parameter };
}

/** The parameter of a launch as it is now. */
export function parameterBytes({ parameter: { view, at, bytes } }: GpuLaunch): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + at, bytes);
}

/** The same launch with a parameter that does not change when that of the other one does. */
export function copyOfLaunch(launch: GpuLaunch): GpuLaunch {
  const copy = ownLaunch(launch.entry, launch, launch.parameter.bytes);
  parameterBytes(copy).set(parameterBytes(launch));
  return copy;
}
