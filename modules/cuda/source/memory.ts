// SPDX-License-Identifier: Apache-2.0
// Memory as mux entry points: of the GPU, which the host sees by copies, and pinned memory of the host, which both see.
import { type Result, ok } from "@muxkit/cargo";
import { own } from "@muxkit/hal";
import {
  MuxAllocationCapabilities,
  type MuxDevice,
  type MuxFailure,
  MuxMemoryProperty,
  MuxResult,
  type MuxTarget,
} from "@muxkit/mux";

import type { DriverError } from "./driver.ts";
import { failed } from "./failure.ts";
import { CudaMuxDevice, CudaMuxMemory } from "./objects.ts";

/** Alignment of what the driver allocates, in bytes. */
const DRIVER_ALIGNMENT = 256;
/** Bytes from which on the host's copy is pinned: it is copied at full speed, and takes some time to make. */
const PINNED_BYTES = 1 << 20;

const COHERENT: number = MuxMemoryProperty.host_coherent;
/** What the host maps of the caller's arrays are copies. */
const COPIED = MuxMemoryProperty.host_visible | MuxMemoryProperty.host_cached;

const deviceOf = (device: MuxDevice): CudaMuxDevice => own(device, CudaMuxDevice);
const memoryOf = (memory: Parameters<MuxTarget["freeMemory"]>[1]): CudaMuxMemory => own(memory, CudaMuxMemory);

function answer<T>(device: MuxDevice, what: string, done: Result<T, DriverError>): Result<T, MuxFailure> {
  if (done.ok) return done;
  const { code, message } = deviceOf(device).scheduler.noteFailure(what, done.error);
  return failed(code, message);
}

/** Takes memory of the GPU. */
function takeMemory(
  device: MuxDevice,
  size: number,
  properties: number,
  copy: Uint8Array | null,
): Result<CudaMuxMemory, MuxFailure> {
  const { info, scheduler } = deviceOf(device);
  const taken = scheduler.gpu.allocate(Math.max(1, size));
  if (taken.ok) return ok(new CudaMuxMemory(device, size, properties & ~COHERENT, taken.value, copy, null));
  const { code, message } = scheduler.noteFailure(`${info.deviceName} has no ${size} bytes left`, taken.error);
  return failed(code, message);
}

/** The host's copy; it is made, not filled. */
function copyOf(memory: CudaMuxMemory): Uint8Array {
  if (memory.copy !== null) return memory.copy;
  const { gpu } = deviceOf(memory.device).scheduler;
  const block = memory.size < PINNED_BYTES ? null : gpu.allocateHost(memory.size);
  // Without pinned memory the copy is slower, and nothing else.
  memory.block = block?.ok === true ? block.value : null;
  memory.copy = memory.block?.bytes ?? new Uint8Array(memory.size);
  return memory.copy;
}

function move(
  device: MuxDevice,
  memory: CudaMuxMemory,
  offset: number,
  size: number,
  kind: "read" | "write",
): Result<void, MuxFailure> {
  if (memory.isHost) return ok();
  const { cuda } = deviceOf(device);
  const bytes = copyOf(memory).subarray(offset, offset + size);
  const address = memory.address + offset;
  return answer(
    device,
    kind === "read" ? "what is mapped cannot be read" : "what was mapped cannot be written",
    kind === "read" ? cuda.access.read(address, bytes) : cuda.access.write(address, bytes),
  );
}

/** The entry points for memory. */
export const MEMORY: Pick<
  MuxTarget,
  | "allocateMemory"
  | "createMemoryFromHost"
  | "freeMemory"
  | "mapMemory"
  | "unmapMemory"
  | "flushMappedMemoryToDevice"
  | "flushMappedMemoryFromDevice"
> = {
  allocateMemory: (device, size, heap, properties, _allocationType, alignment) => {
    if ((heap & 1) === 0) return failed(MuxResult.error_invalid_value, "the device has only heap 1");
    if (alignment > DRIVER_ALIGNMENT)
      return failed(MuxResult.error_out_of_memory, `memory is aligned to ${DRIVER_ALIGNMENT} bytes, not ${alignment}`);
    const reachesHost = (device.info.allocationCapabilities & MuxAllocationCapabilities.coherent_host) !== 0;
    if ((properties & COHERENT) === 0 || !reachesHost) return takeMemory(device, size, properties, null);
    const block = answer(device, `no ${size} bytes can be pinned`, deviceOf(device).scheduler.gpu.allocateHost(size));
    return block.ok ? ok(new CudaMuxMemory(device, size, properties, block.value.address, null, block.value)) : block;
  },
  createMemoryFromHost: (device, array) => {
    const memory = takeMemory(device, array.length, COPIED, array);
    if (!memory.ok) return memory;
    const copied = move(device, memory.value, 0, array.length, "write");
    if (copied.ok) return memory;
    deviceOf(device).scheduler.gpu.free(memory.value.address);
    return copied;
  },
  freeMemory: (device, given) => {
    const memory = memoryOf(given);
    const { gpu } = deviceOf(device).scheduler;
    if (memory.block !== null) gpu.freeHost(memory.block);
    if (!memory.isHost) gpu.free(memory.address);
    memory.block = null;
    memory.copy = null;
  },
  mapMemory: (device, given, offset, size) => {
    const memory = memoryOf(given);
    memory.mapping = { offset, size };
    const read = move(device, memory, offset, size, "read");
    return read.ok ? ok(copyOf(memory).subarray(offset, offset + size)) : read;
  },
  unmapMemory: (device, given) => {
    const memory = memoryOf(given);
    const { mapping } = memory;
    memory.mapping = null;
    return mapping === null ? ok() : move(device, memory, mapping.offset, mapping.size, "write");
  },
  flushMappedMemoryToDevice: (device, memory, offset, size) => move(device, memoryOf(memory), offset, size, "write"),
  flushMappedMemoryFromDevice: (device, memory, offset, size) => move(device, memoryOf(memory), offset, size, "read"),
};
