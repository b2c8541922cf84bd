// SPDX-License-Identifier: Apache-2.0
// The sizes and arguments of a launch, checked, as the runtime takes them.
import { chooseLocalSize } from "@muxkit/loader";
import { type MuxNDRangeOptions, idLimit } from "@muxkit/mux";

import { ensure } from "./error.ts";
import { type KernelState, argumentsOf, largestGroup } from "./kernel.ts";
import type { LaunchSizes } from "./kernel-launch.ts";
import type { MemoryObject } from "./memory-object.ts";
import type { Device } from "./platform.ts";

/** True for a launch without work-items: a dimension has the size 0. */
export function isEmptyLaunch({ dimensions, globalSize }: LaunchSizes): boolean {
  return globalSize.slice(0, dimensions).includes(0);
}

/** Local and global size of a launch, checked. */
export function launchSizes(
  call: string,
  device: Device,
  kernel: KernelState,
  dimensions: number,
  globalSize: readonly number[],
  globalOffset: readonly number[] | null,
  localSize: readonly number[] | null,
): Pick<MuxNDRangeOptions, "localSize" | "globalOffset"> {
  const limits = [device.info.maxWorkGroupSizeX, device.info.maxWorkGroupSizeY, device.info.maxWorkGroupSizeZ];
  ensure(
    [1, 2, 3].includes(dimensions),
    "CL_INVALID_WORK_DIMENSION",
    call,
    () => `${dimensions} is not a number of dimensions; use 1, 2 or 3`,
  );
  ensure(
    globalSize.length >= dimensions,
    "CL_INVALID_GLOBAL_WORK_SIZE",
    call,
    () => `${globalSize.length} global sizes were passed for ${dimensions} dimensions`,
  );
  ensure(
    globalOffset === null || globalOffset.length >= dimensions,
    "CL_INVALID_GLOBAL_OFFSET",
    call,
    () => `${globalOffset?.length ?? 0} offsets were passed for ${dimensions} dimensions`,
  );
  const info = kernel.infoOn(device);
  const required = info.requiredWorkGroupSize;
  const ids = idLimit(device.info);
  for (let axis = 0; axis < dimensions; axis++) {
    const size = globalSize[axis] ?? 0;
    const offset = globalOffset?.[axis] ?? 0;
    ensure(
      Number.isInteger(size) && size >= 0 && size < ids,
      "CL_INVALID_GLOBAL_WORK_SIZE",
      call,
      () => `the global size in dimension ${axis} is ${size}; it must be 0 to ${ids - 1}`,
    );
    ensure(
      Number.isInteger(offset) && offset >= 0 && offset + size <= ids,
      "CL_INVALID_GLOBAL_OFFSET",
      call,
      () => `the offset in dimension ${axis} is ${offset}: there would be more global ids than the device counts`,
    );
  }
  const offsets = globalOffset?.slice(0, dimensions) ?? globalSize.slice(0, dimensions).map(() => 0);
  const asked = localSize ?? required;
  const most = largestGroup(call, kernel, device);
  if (asked === null) {
    const choose = (hint: typeof required): readonly [number, number, number] =>
      chooseLocalSize(globalSize.slice(0, dimensions), limits, hint);
    const [x, y, z] = choose(info.workGroupSizeHint);
    return { localSize: x * y * z > most ? choose(null) : [x, y, z], globalOffset: offsets };
  }
  ensure(
    asked.length >= dimensions,
    "CL_INVALID_WORK_GROUP_SIZE",
    call,
    () => `${asked.length} local sizes were passed for ${dimensions} dimensions`,
  );
  const sizes: [number, number, number] = [1, 1, 1];
  for (const axis of [0, 1, 2] as const) {
    const size = axis < dimensions || localSize === null ? (asked[axis] ?? 1) : 1;
    ensure(
      Number.isInteger(size) && size > 0,
      "CL_INVALID_WORK_GROUP_SIZE",
      call,
      () => `the local size in dimension ${axis} is ${size}`,
    );
    ensure(
      size <= (limits[axis] ?? 1),
      "CL_INVALID_WORK_ITEM_SIZE",
      call,
      () => `the local size in dimension ${axis} is ${size}; the device has at most ${limits[axis]}`,
    );
    const isWhole = axis >= dimensions || (globalSize[axis] ?? 1) % size === 0;
    ensure(
      isWhole || !info.uniformWorkGroups,
      "CL_INVALID_WORK_GROUP_SIZE",
      call,
      () =>
        `the global size in dimension ${axis} is ${globalSize[axis]}, which is not a multiple of the local size ${size}`,
    );
    ensure(
      required === null || required[axis] === size,
      "CL_INVALID_WORK_GROUP_SIZE",
      call,
      () => `the kernel "${info.name}" requires the local size ${required?.join(" × ")}`,
    );
    sizes[axis] = size;
  }
  const items = sizes[0] * sizes[1] * sizes[2];
  ensure(
    items <= most,
    "CL_INVALID_WORK_GROUP_SIZE",
    call,
    () => `the local size has ${items} work-items; the kernel has at most ${most}`,
  );
  return { localSize: sizes, globalOffset: offsets };
}

/** What the runtime gets for a launch, and the buffers and images among its arguments. */
export interface CheckedLaunch {
  readonly options: MuxNDRangeOptions;
  readonly memory: readonly MemoryObject[];
}

/**
 * A launch with work-items, checked: the runtime has no others. Errors: those of {@link anyLaunch};
 * CL_INVALID_GLOBAL_WORK_SIZE for none.
 */
export function launchOptions(call: string, device: Device, kernel: KernelState, sizes: LaunchSizes): CheckedLaunch {
  const launch = anyLaunch(call, device, kernel, sizes);
  ensure(
    !isEmptyLaunch(sizes),
    "CL_INVALID_GLOBAL_WORK_SIZE",
    call,
    () => `the global size in dimension ${sizes.globalSize.indexOf(0)} is 0: there are no work-items`,
  );
  return launch;
}

/** A launch, checked; a dimension may have the size 0. Errors: those of clEnqueueNDRangeKernel. */
export function anyLaunch(
  call: string,
  device: Device,
  kernel: KernelState,
  { dimensions, globalOffset, globalSize, localSize }: LaunchSizes,
): CheckedLaunch {
  const { descriptors, buffers, localBytes } = argumentsOf(call, kernel, device);
  const sizes = launchSizes(call, device, kernel, dimensions, globalSize, globalOffset, localSize);
  const local = kernel.infoOn(device).localMemorySize + localBytes;
  const limit = device.info.sharedLocalMemorySize;
  ensure(
    local <= limit,
    "CL_OUT_OF_RESOURCES",
    call,
    () => `the kernel "${kernel.info.name}" needs ${local} bytes of local memory; a work-group has ${limit}`,
  );
  return {
    options: {
      ...sizes,
      descriptors,
      globalSize: globalSize.slice(0, dimensions),
      dimensions,
      firstGroup: null,
      groupCount: null,
    },
    memory: buffers,
  };
}
