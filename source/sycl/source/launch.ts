// SPDX-License-Identifier: Apache-2.0
// From a kernel, sizes and arguments to commands.
import type { KernelParameter } from "@muxkit/kernel-library";
import { chooseLocalSize } from "@muxkit/loader";
import { DEFAULT_ALLOCATOR, type MuxNDRangeOptions, idLimit } from "@muxkit/mux";
import { muxCommandFillBuffer, muxCommandUserCallback, muxCreateLaunch } from "@muxkit/mux/unchecked";

import type { Device } from "./device.ts";
import type { Command, Held } from "./event.ts";
import { SyclException, ensure, fromMux } from "./exception.ts";
import {
  type ArgumentPlace,
  type KernelArgument,
  argumentKeys,
  descriptorsOf,
  localBytesOf,
} from "./kernel-arguments.ts";
import type { ImageKernel } from "./module.ts";
import { type ArgumentKeys, PreparedLaunch } from "./prepared-launch.ts";
import type { LaunchSizes } from "./range.ts";
import { Reduction } from "./reduction.ts";

/** Launches that a kernel remembers: loops that swap buffers need two. */
const REMEMBERED = 4;

/** Commands, and what they keep. */
export interface Commands {
  readonly commands: readonly Command[];
  readonly held: readonly Held[];
  /** A launch that nobody remembers; it goes with its command. */
  readonly launch: PreparedLaunch | null;
}

/** A kernel to launch. */
export interface LaunchedKernel {
  readonly kernel: ImageKernel;
  /** Its parameters as a translator knows them; null: those of OpenCL. */
  readonly parameters: readonly KernelParameter[] | null;
}

function checkedLocal(
  call: string,
  device: Device,
  { info }: ImageKernel,
  { global, local }: LaunchSizes,
): readonly [number, number, number] {
  const { maxWorkGroupSizeX, maxWorkGroupSizeY, maxWorkGroupSizeZ, maxConcurrentWorkItems } = device.info;
  const limits = [maxWorkGroupSizeX, maxWorkGroupSizeY, maxWorkGroupSizeZ];
  const required = info.requiredWorkGroupSize;
  const asked = local ?? required;
  if (asked === null) return chooseLocalSize(global, limits, info.workGroupSizeHint);
  const sizes: [number, number, number] = [asked[0] ?? 1, asked[1] ?? 1, asked[2] ?? 1];
  for (const axis of [0, 1, 2] as const) {
    ensure(
      sizes[axis] <= (limits[axis] ?? 1),
      "nd_range",
      call,
      () =>
        `a work-group of ${sizes.toReversed().join(" × ")} is too large: the device has at most ${limits[axis]} in a dimension`,
    );
    ensure(
      required === null || required[axis] === sizes[axis],
      "nd_range",
      call,
      () => `the kernel "${info.name}" requires work-groups of ${required?.toReversed().join(" × ")} work-items`,
    );
    ensure(
      (global[axis] ?? 1) % sizes[axis] === 0,
      "nd_range",
      call,
      () =>
        `the global size ${global[axis]} is not a multiple of ${sizes[axis]}, which the kernel "${info.name}" requires`,
    );
  }
  const items = sizes[0] * sizes[1] * sizes[2];
  ensure(
    items <= maxConcurrentWorkItems,
    "nd_range",
    call,
    () => `a work-group has ${items} work-items; the device has at most ${maxConcurrentWorkItems}`,
  );
  return sizes;
}

function checkSizes(call: string, device: Device, { global, offset }: LaunchSizes): void {
  const most = idLimit(device.info);
  for (let i = 0; i < global.length; i++)
    if ((global[i] ?? 0) + (offset[i] ?? 0) >= most)
      throw new SyclException(
        "nd_range",
        call,
        `there would be ${(global[i] ?? 0) + (offset[i] ?? 0)} ids in a dimension; the device counts to ${most - 1}`,
      );
}

/** Prepares a launch, or finds it prepared. */
function prepare(
  call: string,
  device: Device,
  kernel: ImageKernel,
  sizes: LaunchSizes,
  keys: ArgumentKeys,
): PreparedLaunch {
  const { launches } = kernel;
  for (let i = 0; i < launches.length; i++) {
    const known = launches[i] as PreparedLaunch;
    if (known.matches(sizes, keys)) return known;
  }
  checkSizes(call, device, sizes);
  const localSize = checkedLocal(call, device, kernel, sizes);
  const local = kernel.info.localMemorySize + localBytesOf(keys);
  const limit = device.info.sharedLocalMemorySize;
  ensure(
    local <= limit,
    "accessor",
    call,
    () => `the kernel "${kernel.info.name}" needs ${local} bytes of local memory; a work-group has ${limit}`,
  );
  const options: MuxNDRangeOptions = {
    descriptors: descriptorsOf(call, kernel.info, keys),
    localSize,
    globalSize: sizes.global,
    globalOffset: sizes.offset,
    dimensions: sizes.global.length,
    firstGroup: null,
    groupCount: null,
  };
  const items = sizes.global.reduce((product, size) => product * size, 1);
  const { code, isFinal } = kernel.code.codeFor(call, kernel.info.name, options, items);
  const launch = new PreparedLaunch(
    fromMux(call, muxCreateLaunch(code, options, DEFAULT_ALLOCATOR)),
    kernel.code,
    sizes,
    keys,
  );
  if (isFinal) {
    launches.unshift(launch);
    if (launches.length > REMEMBERED) launches.pop()?.drop();
  }
  return launch;
}

/** The commands of a launch. Errors: nd_range, kernel_argument, accessor, invalid. */
export function launchCommands(
  place: ArgumentPlace,
  device: Device,
  { kernel, parameters }: LaunchedKernel,
  sizes: LaunchSizes,
  given: readonly KernelArgument[],
): Commands {
  const { call, runtime } = place;
  const reductions = given.filter((one) => one instanceof Reduction);
  if (reductions.length > 0) {
    const items = sizes.global.reduce((product, size) => product * size, 1);
    const group = checkedLocal(call, device, kernel, sizes).reduce((product, size) => product * size, 1);
    for (const one of reductions) one.begin(items, Math.ceil(items / group));
  }
  const keys = argumentKeys(kernel, parameters, given, place);
  const prepared = prepare(call, device, kernel, sizes, keys);
  const held: Held[] = [prepared];
  for (const value of keys.values) if (isHeld(value)) held.push(value);
  const launch: Command = { launch: prepared.launch, record: null };
  const forgotten = kernel.launches.includes(prepared) ? null : prepared;
  if (reductions.length === 0) return { commands: [launch], held, launch: forgotten };
  const fills: Command[] = [];
  const finishes: Command[] = [];
  for (const one of reductions) {
    const partials = one.partials(call, runtime);
    const { pattern } = one;
    const finish = one.finisher(call, runtime);
    held.push(partials, one.targetStorage(call, runtime).storage);
    fills.push({
      launch: null,
      record: (to) => muxCommandFillBuffer(to, partials.buffer, 0, partials.size, pattern, []),
    });
    finishes.push({ launch: null, record: (to) => muxCommandUserCallback(to, finish, []) });
  }
  return { commands: [...fills, launch, ...finishes], held, launch: forgotten };
}

/** Storage among the keys of arguments. */
function isHeld(value: unknown): value is Held {
  return typeof value === "object" && value !== null && "unuse" in value;
}

/** Ends the reductions of a launch: their partial results are the commands' now. */
export function endReductions(given: readonly KernelArgument[]): void {
  for (const one of given) if (one instanceof Reduction) one.end();
}
