// SPDX-License-Identifier: Apache-2.0
// A target of the runtime API over a device of the hardware layer.
import { type Result, ok } from "@muxkit/cargo";
import {
  MuxBuffer,
  type MuxDevice,
  type MuxFailure,
  type MuxKernel,
  MuxMemoryProperty,
  MuxResult,
  MuxWfvStatus,
  type MuxTarget,
  STUB_TARGET,
} from "@muxkit/mux";

import { COMMANDS } from "./commands.ts";
import type { Hal, HalDevice, HalKernel } from "./hal.ts";
import { MUX_IMAGE_FORMATS, imageLimits, muxImageLayout } from "./images.ts";
import { HalMuxDevice, HalMuxExecutable, HalMuxImage, HalMuxKernel, HalMuxMemory } from "./objects.ts";
import { failed, own } from "./own.ts";
import { SYNCHRONISATION } from "./queue.ts";

/** Everything that the host maps is a copy, so nothing is coherent, whatever is requested. */
const COPIED = MuxMemoryProperty.host_visible | MuxMemoryProperty.host_cached;
const COHERENT: number = MuxMemoryProperty.host_coherent;

const halOf = (device: MuxDevice): HalMuxDevice["hal"] => own(device, HalMuxDevice).hal;

/** The host's copy of memory; it is made, not filled. */
function copyOf(memory: HalMuxMemory): Uint8Array {
  return (memory.copy ??= new Uint8Array(memory.size));
}

function toDevice(device: MuxDevice, memory: HalMuxMemory, offset: number, size: number): void {
  halOf(device).write(memory.address + offset, copyOf(memory).subarray(offset, offset + size));
}

function fromDevice(device: MuxDevice, memory: HalMuxMemory, offset: number, size: number): void {
  halOf(device).read(memory.address + offset, copyOf(memory).subarray(offset, offset + size));
}

function takeMemory(
  device: MuxDevice,
  size: number,
  alignment: number,
  properties: number,
  copy: Uint8Array | null,
): Result<HalMuxMemory, MuxFailure> {
  const { hal, info } = own(device, HalMuxDevice);
  const address = size > info.allocationSize ? null : hal.allocate(size, Math.max(alignment, info.bufferAlignment));
  return address === null
    ? failed(MuxResult.error_out_of_memory, `${info.deviceName} has no ${size} bytes left`)
    : ok(new HalMuxMemory(device, size, properties & ~COHERENT, address, copy));
}

const MEMORY: Pick<
  MuxTarget,
  | "destroyDevice"
  | "allocateMemory"
  | "createMemoryFromHost"
  | "freeMemory"
  | "mapMemory"
  | "unmapMemory"
  | "flushMappedMemoryToDevice"
  | "flushMappedMemoryFromDevice"
  | "createBuffer"
  | "bindBufferMemory"
  | "createImage"
  | "bindImageMemory"
  | "getSupportedImageFormats"
> = {
  destroyDevice: (device) => {
    halOf(device).close();
  },
  allocateMemory: (device, size, heap, properties, _allocationType, alignment) =>
    (heap & 1) === 0
      ? failed(MuxResult.error_invalid_value, "the device has only heap 1")
      : takeMemory(device, size, alignment, properties, null),
  createMemoryFromHost: (device, array) => {
    const memory = takeMemory(device, array.length, 1, COPIED, array);
    if (memory.ok) toDevice(device, memory.value, 0, array.length);
    return memory;
  },
  freeMemory: (device, memory) => {
    halOf(device).free(own(memory, HalMuxMemory).address);
  },
  mapMemory: (device, given, offset, size) => {
    const memory = own(given, HalMuxMemory);
    memory.mapping = { offset, size };
    fromDevice(device, memory, offset, size);
    return ok(copyOf(memory).subarray(offset, offset + size));
  },
  unmapMemory: (device, given) => {
    const memory = own(given, HalMuxMemory);
    const { mapping } = memory;
    memory.mapping = null;
    if (mapping !== null) toDevice(device, memory, mapping.offset, mapping.size);
    return ok();
  },
  flushMappedMemoryToDevice: (device, memory, offset, size) => {
    toDevice(device, own(memory, HalMuxMemory), offset, size);
    return ok();
  },
  flushMappedMemoryFromDevice: (device, memory, offset, size) => {
    fromDevice(device, own(memory, HalMuxMemory), offset, size);
    return ok();
  },
  createBuffer: (device, size) =>
    ok(
      new MuxBuffer({
        device,
        memoryRequirements: { size, alignment: device.info.bufferAlignment, supportedHeaps: 1 },
      }),
    ),
  bindBufferMemory: () => ok(),
  createImage: (device, type, format, width, height, depth, arrayLayers, rowSize, sliceSize) => {
    const image = muxImageLayout(
      { type, format, width, height, depth, arrayLayers, rowSize, sliceSize },
      imageLimits(device.info),
    );
    return image.ok ? ok(new HalMuxImage(device, image.value, type, format, arrayLayers)) : image;
  },
  bindImageMemory: () => ok(),
  getSupportedImageFormats: ({ info }) =>
    info.imageSupport ? ok(MUX_IMAGE_FORMATS) : failed(MuxResult.error_feature_unsupported, "the device has no images"),
};

const NO_SUB_GROUPS = (): Result<never, MuxFailure> =>
  failed(MuxResult.error_feature_unsupported, "the device has no sub-groups");

function found(device: MuxDevice, kernel: HalKernel | null, name: string): Result<MuxKernel, MuxFailure> {
  return kernel === null
    ? failed(MuxResult.error_missing_kernel, `there is no kernel "${name}"`)
    : ok(new HalMuxKernel(device, kernel));
}

/** Sub-groups of a work-group of a size. */
function subGroups({ subGroupSize }: HalKernel, [x, y, z]: readonly [number, number, number]): number {
  return Math.ceil((x * y * z) / subGroupSize);
}

const PROGRAMS: Pick<
  MuxTarget,
  | "createExecutable"
  | "destroyExecutable"
  | "createKernel"
  | "createBuiltInKernel"
  | "queryMaxNumSubGroups"
  | "queryLocalSizeForSubGroupCount"
  | "querySubGroupSizeForLocalSize"
  | "queryWFVInfoForLocalSize"
> = {
  createExecutable: (device, binary) => {
    const program = halOf(device).load(binary);
    return program.ok ? ok(new HalMuxExecutable(device, program.value)) : program;
  },
  destroyExecutable: (_device, executable) => {
    own(executable, HalMuxExecutable).hal.free();
  },
  createKernel: (device, executable, name) => found(device, own(executable, HalMuxExecutable).hal.kernel(name), name),
  createBuiltInKernel: (device, name) => found(device, halOf(device).builtInKernel?.(name) ?? null, name),
  queryMaxNumSubGroups: (kernel) => {
    const { hal, maxWorkItems, device } = own(kernel, HalMuxKernel);
    return device.info.maxSubGroupCount === 0 ? NO_SUB_GROUPS() : ok(Math.ceil(maxWorkItems / hal.subGroupSize));
  },
  queryLocalSizeForSubGroupCount: (kernel, count) => {
    const {
      hal,
      maxWorkItems,
      device: { info },
    } = own(kernel, HalMuxKernel);
    if (info.maxSubGroupCount === 0) return NO_SUB_GROUPS();
    if (hal.requiredLocalSize !== null)
      return ok(subGroups(hal, hal.requiredLocalSize) === count ? hal.requiredLocalSize : [0, 0, 0]);
    const items = count * hal.subGroupSize;
    return ok(items <= maxWorkItems ? [items, 1, 1] : [0, 0, 0]);
  },
  querySubGroupSizeForLocalSize: (kernel, x, y, z) =>
    kernel.device.info.maxSubGroupCount === 0
      ? NO_SUB_GROUPS()
      : ok(Math.min(own(kernel, HalMuxKernel).hal.subGroupSize, x * y * z)),
  queryWFVInfoForLocalSize: () => ok({ status: MuxWfvStatus.none, workWidth: [1, 1, 1] }),
};

/** The HAL device of a device that {@link halTarget} opened; null: another target's. @public */
export function halDeviceOf(device: MuxDevice): HalDevice | null {
  return device instanceof HalMuxDevice ? device.hal : null;
}

/**
 * Makes a target of devices of the hardware layer: the whole runtime API, commands one after the other on the calling
 * thread, host memory by copies. Register it with `registerTarget`.
 *
 * @param hal - the devices
 * @param methods - entry points that the target does itself, instead of those that are made here
 * @public
 */
export function halTarget(hal: Hal, methods: Partial<MuxTarget> = {}): MuxTarget {
  const target: MuxTarget = {
    ...STUB_TARGET,
    ...MEMORY,
    ...PROGRAMS,
    ...SYNCHRONISATION,
    ...COMMANDS,
    name: hal.name,
    getDeviceInfos: (number) => hal.devices.map((info, i) => ({ ...info, id: number + i * 256 })),
    createDevice: (info) => {
      const opened = hal.open(info.id >>> 8);
      return opened.ok ? ok(new HalMuxDevice(info, target, opened.value)) : opened;
    },
    ...methods,
  };
  return target;
}
