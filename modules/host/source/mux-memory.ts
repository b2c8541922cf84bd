// SPDX-License-Identifier: Apache-2.0
// Memory, buffers and queues as mux entry points of the host.
import { copyBytes, ok } from "@muxkit/cargo";
import { MuxMemoryProperty, MuxResult, type MuxTarget } from "@muxkit/mux";

import { HostMuxBuffer, HostMuxMemory } from "./mux-objects.ts";
import { deviceOf, failed, failedWith, own } from "./mux-recording.ts";
import { SYSTEM } from "#system";

const HEAP = 1;

/** The entry points for devices, memory and buffers. */
export const MEMORY: Pick<
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
  | "destroyBuffer"
  | "bindBufferMemory"
  | "getQueue"
> = {
  destroyDevice: (device) => {
    deviceOf(device).host.close();
  },
  allocateMemory: (device, size, heap, memoryProperties, _allocationType, alignment) => {
    if ((heap & HEAP) === 0) return failed(MuxResult.error_invalid_value, `the host device has only heap ${HEAP}`);
    const block = deviceOf(device).host.createBuffer(size, Math.max(1, alignment));
    return block.ok
      ? ok(new HostMuxMemory(device, block.value, memoryProperties, null, true))
      : failedWith(block.error);
  },
  createMemoryFromHost: (device, hostPointer) => {
    const { host } = deviceOf(device);
    const properties = MuxMemoryProperty.host_visible | MuxMemoryProperty.host_cached;
    const inside = host.bufferOf(hostPointer);
    if (inside !== null)
      return ok(new HostMuxMemory(device, inside, properties | MuxMemoryProperty.host_coherent, null, false));
    const block = host.createBuffer(hostPointer.length);
    if (!block.ok) return failedWith(block.error);
    // The caller's array cannot be in device memory, so it is copied in here and at unmap, and out at map
    // (docs/decisions/033-host-pointers.md).
    copyBytes(block.value.view(), 0, hostPointer);
    return ok(new HostMuxMemory(device, block.value, properties, hostPointer, true));
  },
  freeMemory: (device, memory) => {
    const { block, owns } = own(memory, HostMuxMemory);
    if (!owns) return;
    deviceOf(device).host.forget(block);
    const freed = block.destroy();
    // A call without a result cannot return an error, and a damaged red zone must not go unnoticed.
    if (!freed.ok) SYSTEM.warn(freed.error.message, "MuxkitRedZone");
  },
  mapMemory: (device, memory, offset, size) => {
    const mapped = own(memory, HostMuxMemory);
    mapped.mapping = { offset, size };
    if (mapped.array === null) {
      deviceOf(device).host.remember(mapped.block);
      return ok(mapped.block.view(offset, size));
    }
    const view = mapped.array.subarray(offset, offset + size);
    copyBytes(view, 0, mapped.block.view(offset, size));
    return ok(view);
  },
  unmapMemory: (_device, memory) => {
    const mapped = own(memory, HostMuxMemory);
    const { mapping } = mapped;
    mapped.mapping = null;
    if (mapping !== null) copyIn(mapped, mapping.offset, mapping.size);
    return ok(undefined);
  },
  flushMappedMemoryToDevice: (_device, memory, offset, size) => {
    copyIn(own(memory, HostMuxMemory), offset, size);
    return ok(undefined);
  },
  flushMappedMemoryFromDevice: (_device, memory, offset, size) => {
    const { array, block } = own(memory, HostMuxMemory);
    if (array !== null) copyBytes(array, offset, block.view(offset, size));
    return ok(undefined);
  },
  createBuffer: (device, size) => ok(new HostMuxBuffer(device, size, device.info.bufferAlignment)),
  destroyBuffer: () => {
    // A buffer has no storage of its own.
  },
  bindBufferMemory: (_device, memory, buffer, offset) => {
    own(buffer, HostMuxBuffer).address = own(memory, HostMuxMemory).block.address + offset;
    return ok(undefined);
  },
  getQueue: (device) => ok(deviceOf(device).queue),
};

function copyIn({ array, block }: HostMuxMemory, offset: number, size: number): void {
  if (array !== null) copyBytes(block.view(offset, size), 0, array.subarray(offset, offset + size));
}
