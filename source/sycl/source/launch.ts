// SPDX-License-Identifier: Apache-2.0
// From a kernel, sizes and arguments to commands.
import { FINISHING_ITEMS, type KernelParameter, type ReducerParameter } from "@muxkit/kernel-library";
import { chooseLocalSize } from "@muxkit/loader";
import { DEFAULT_ALLOCATOR, type MuxNDRangeOptions, idLimit } from "@muxkit/mux";
import { muxCommandFillBuffer, muxCommandUserCallback, muxCreateLaunch } from "@muxkit/mux/unchecked";

import type { Context } from "./context.ts";
import type { Device } from "./device.ts";
import type { Command, Held } from "./event.ts";
import { SyclException, ensure, fromMux } from "./exception.ts";
import {
  type ArgumentPlace,
  type KernelArgument,
  argumentKeys,
  descriptorsOf,
  finishingKeys,
  localBytesOf,
} from "./kernel-arguments.ts";
import type { DeviceImageSelector, ExecutableModule, ImageKernel } from "./module.ts";
import { type ArgumentKeys, type Commands, PreparedLaunch } from "./prepared-launch.ts";
import type { LaunchSizes } from "./range.ts";
import { ReductionArgument } from "./reduction-argument.ts";

/** Launches that a kernel remembers: loops that swap buffers need two. */
const REMEMBERED = 4;

/** A kernel to launch. */
export interface LaunchedKernel {
  readonly kernel: ImageKernel;
  /** Its parameters as a translator knows them; null: those of OpenCL. */
  readonly parameters: readonly KernelParameter[] | null;
  readonly context: Context;
  /** The module that has the kernel. */
  readonly module: ExecutableModule;
  readonly selector: DeviceImageSelector | null;
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
  const { code, isFinal, successor } = kernel.code.codeFor(call, kernel.info.name, options, items);
  const launch = new PreparedLaunch(
    fromMux(
      call,
      muxCreateLaunch(code, successor === undefined ? options : { ...options, successor }, DEFAULT_ALLOCATOR),
    ),
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
  launched: LaunchedKernel,
  sizes: LaunchSizes,
  given: readonly KernelArgument[],
): Commands {
  const { kernel, parameters } = launched;
  const hasReductions = given.some(isReduction);
  if (hasReductions) beginReductions(place.call, device, launched, sizes, given);
  const keys = argumentKeys(kernel, parameters, given, place);
  const prepared = prepare(place.call, device, kernel, sizes, keys);
  if (prepared.alone === null) {
    const launch: Command = { launch: prepared.launch, record: null };
    const launches = kernel.launches.includes(prepared) ? NO_LAUNCHES : [prepared];
    prepared.alone = { commands: [launch], held: heldBy(prepared, keys), launches };
  }
  return hasReductions ? reducedCommands(place, device, launched, given, prepared.alone) : prepared.alone;
}

function isReduction(one: KernelArgument): boolean {
  return one instanceof ReductionArgument;
}

const NO_LAUNCHES: readonly PreparedLaunch[] = [];

function heldBy(prepared: PreparedLaunch, { values }: ArgumentKeys): Held[] {
  const held: Held[] = [prepared];
  for (const value of values) if (isHeld(value)) held.push(value);
  return held;
}

function beginReductions(
  call: string,
  device: Device,
  { kernel, parameters }: LaunchedKernel,
  sizes: LaunchSizes,
  given: readonly KernelArgument[],
): void {
  const items = sizes.global.reduce((product, size) => product * size, 1);
  const groupItems = checkedLocal(call, device, kernel, sizes).reduce((product, size) => product * size, 1);
  const launch = { items, groupItems, groups: Math.ceil(items / groupItems) };
  for (const [i, one] of given.entries())
    if (one instanceof ReductionArgument) one.begin(call, launch, reducerAt(parameters, i));
}

/** The reducer that a parameter is; null: none. */
function reducerAt(parameters: LaunchedKernel["parameters"], index: number): ReducerParameter | null {
  const parameter = parameters?.[index];
  return parameter?.kind === "reducer" ? parameter : null;
}

/** The launch with what stands before and behind it: partial results of the identity, and what combines them. */
function reducedCommands(
  place: ArgumentPlace,
  device: Device,
  launched: LaunchedKernel,
  given: readonly KernelArgument[],
  own: Commands,
): Commands {
  const { call, runtime } = place;
  const fills: Command[] = [];
  const finishes: Command[] = [];
  const held: Held[] = [...own.held];
  const launches: PreparedLaunch[] = [...own.launches];
  for (const [i, one] of given.entries()) {
    if (!(one instanceof ReductionArgument)) continue;
    const reducer = reducerAt(launched.parameters, i);
    const partials = one.partials(call, runtime);
    held.push(partials, one.targetStorage(call, runtime).storage);
    // Groups of a reducer write all of them.
    if (reducer === null) {
      const { pattern } = one;
      fills.push({
        launch: null,
        record: (to) => muxCommandFillBuffer(to, partials.buffer, 0, partials.size, pattern, []),
      });
    }
    const kernel = finishingOf(call, device, launched, one, reducer);
    if (kernel === null) {
      const finish = one.finisher(call, runtime);
      finishes.push({ launch: null, record: (to) => muxCommandUserCallback(to, finish, []) });
      continue;
    }
    const items = Math.min(FINISHING_ITEMS, device.info.maxWorkGroupSizeX, device.info.maxConcurrentWorkItems);
    const keys = finishingKeys(one, items, place);
    const prepared = prepare(call, device, kernel, { global: [items], local: [items], offset: [0] }, keys);
    held.push(...heldBy(prepared, keys));
    finishes.push({ launch: prepared.launch, record: null });
    if (!kernel.launches.includes(prepared)) launches.push(prepared);
  }
  return { commands: [...fills, ...own.commands, ...finishes], held, launches };
}

/** The kernel that combines partial results; null: the host does. */
function finishingOf(
  call: string,
  device: Device,
  { context, module, selector }: LaunchedKernel,
  reduced: ReductionArgument,
  reducer: ReducerParameter | null,
): ImageKernel | null {
  if (reducer !== null) return module.findKernel(call, reducer.finish, device, selector);
  const { operator, element } = reduced;
  if (operator === null || element.kind !== "scalar") return null;
  return device.compiling()?.finishingKernel(call, context, device, element.name, operator) ?? null;
}

/** Storage among the keys of arguments. */
function isHeld(value: unknown): value is Held {
  return typeof value === "object" && value !== null && "unuse" in value;
}

/** Ends the reductions of a launch: their partial results are the commands' now. */
export function endReductions(given: readonly KernelArgument[]): void {
  for (const one of given) if (one instanceof ReductionArgument) one.end();
}
