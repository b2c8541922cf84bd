// SPDX-License-Identifier: Apache-2.0
// Unified shared memory (cl_intel_unified_shared_memory): allocations of the host's, of a device and of both, named by
// their addresses.
//
// An allocation is a buffer that the application never sees, and a pointer is its address on the device plus an offset.
// A pointer is resolved by a binary search in the context's allocations, which are sorted by address
// (allocation-list.ts): the last one that begins at or before it, if the whole range is inside. So interior pointers
// work, and a range across two allocations is refused. All buffers have an alignment that satisfies every one that can
// be requested, so `alignment` is only checked.
//
// Host and shared allocations exist only where device and host share coherent memory; then `usmView` is a view of these
// very bytes and nothing is copied. Freeing drops the reference of the list: commands that name the allocation keep it
// alive until they are complete.
//
// Cost: resolving is O(log n) in the context's allocations; allocating and freeing move up to n entries of the list.
import { AllocationLists, type MemoryRange } from "./allocation-list.ts";
import { Buffer, type BufferPart, type BufferStorage, takeStorage } from "./buffer.ts";
import { OpenCLError, ensure } from "./error.ts";
import {
  CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL,
  CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL,
  CL_MEM_ALLOC_WRITE_COMBINED_INTEL,
  CL_MEM_READ_WRITE,
  CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL,
  CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL,
  CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL,
  CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL,
} from "./generated/constants.ts";
import { atMostOne, hasOneMemory, sharesMemory } from "./memory-object.ts";
import { live } from "./object.ts";
import { Context, Device } from "./platform.ts";
import { LARGEST_TYPE } from "./svm.ts";

/** An address in unified shared memory; 0 is null. @public */
export type UsmPointer = number;

/** Properties of an allocation. @public */
export interface UsmProperties {
  /** Bits of CL_MEM_ALLOC_WRITE_COMBINED_INTEL and its like: hints. */
  readonly CL_MEM_ALLOC_FLAGS_INTEL?: number;
}

/** Whose an allocation is; unknown: it is none. @public */
export type UsmType =
  | "CL_MEM_TYPE_UNKNOWN_INTEL"
  | "CL_MEM_TYPE_HOST_INTEL"
  | "CL_MEM_TYPE_DEVICE_INTEL"
  | "CL_MEM_TYPE_SHARED_INTEL";

/** The properties of an allocation. */
export interface UsmFacts {
  readonly type: UsmType;
  readonly device: Device | null;
  readonly flags: number;
}

const ALLOCATIONS = new AllocationLists();
const FACTS = new WeakMap<Buffer, UsmFacts>();

const ACCESS = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
const CONCURRENT =
  CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
const PLACEMENTS = CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;

/** What a device can do with allocations of its own. */
export function usmDeviceCapabilities(device: Device): number {
  return ACCESS | usmSharedCapabilities(device);
}

/**
 * The same of allocations of the host's and of shared ones: memory that is the host's as well needs no command to be
 * seen by both.
 */
export function usmSharedCapabilities({ info }: Device): number {
  if (hasOneMemory(info)) return ACCESS | CONCURRENT;
  return sharesMemory(info) ? ACCESS | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL : 0;
}

/** The location of the `size` bytes that begin at a pointer; null: not within one allocation of the context. */
export function findUsm(context: Context, pointer: UsmPointer, size: number = 1): MemoryRange | null {
  return Number.isSafeInteger(pointer) ? ALLOCATIONS.find(context, pointer, size) : null;
}

/** The same, or CL_INVALID_VALUE. */
export function usmRange(call: string, context: Context, pointer: UsmPointer, size: number): MemoryRange {
  ensure(Number.isSafeInteger(pointer) && pointer > 0, "CL_INVALID_VALUE", call, `${pointer} is not a pointer`);
  const range = findUsm(context, pointer, size);
  if (range === null)
    throw new OpenCLError(
      "CL_INVALID_VALUE",
      call,
      `${size} bytes at ${pointer} are not within an allocation of unified shared memory`,
    );
  return range;
}

/** The queries of an allocation. */
export function usmFacts({ buffer }: MemoryRange): UsmFacts {
  return FACTS.get(buffer) ?? { type: "CL_MEM_TYPE_UNKNOWN_INTEL", device: null, flags: 0 };
}

function checkedFlags(call: string, properties: UsmProperties | null, isShared: boolean): number {
  for (const name of Object.keys(properties ?? {}))
    ensure(
      name === "CL_MEM_ALLOC_FLAGS_INTEL",
      "CL_INVALID_PROPERTY",
      call,
      `${name} is not a property of allocations; the only one is CL_MEM_ALLOC_FLAGS_INTEL`,
    );
  const flags = properties?.CL_MEM_ALLOC_FLAGS_INTEL ?? 0;
  const known = CL_MEM_ALLOC_WRITE_COMBINED_INTEL | (isShared ? PLACEMENTS : 0);
  ensure(
    Number.isInteger(flags) && (flags & ~known) === 0 && atMostOne(flags & PLACEMENTS),
    "CL_INVALID_PROPERTY",
    call,
    `the flags 0x${flags.toString(16)} are not supported for this allocation, or cannot be combined`,
  );
  return flags;
}

/** The bytes of an allocation, which is no memory object: CL_OUT_OF_RESOURCES where memory is short. */
function storageOf(call: string, context: Context, part: BufferPart): BufferStorage {
  try {
    return takeStorage(call, context, part);
  } catch (error) {
    if (error instanceof OpenCLError && error.name === "CL_MEM_OBJECT_ALLOCATION_FAILURE")
      throw new OpenCLError(
        "CL_OUT_OF_RESOURCES",
        call,
        `the device has no memory for another ${part.size} bytes; free some allocations`,
        error,
      );
    throw error;
  }
}

function allocate(
  call: string,
  context: Context,
  type: UsmType,
  device: Device | null,
  properties: UsmProperties | null,
  size: number,
  alignment: number,
): UsmPointer {
  const { info } = context.device;
  const most = Math.min(LARGEST_TYPE, info.bufferAlignment);
  ensure(
    Number.isInteger(alignment) && alignment >= 0 && alignment <= most && atMostOne(alignment),
    "CL_INVALID_VALUE",
    call,
    `the alignment must be a power of two up to ${most}, not ${alignment}`,
  );
  const flags = checkedFlags(call, properties, type === "CL_MEM_TYPE_SHARED_INTEL");
  ensure(
    Number.isSafeInteger(size) && size > 0 && size <= info.allocationSize,
    "CL_INVALID_BUFFER_SIZE",
    call,
    `an allocation has 1 to ${info.allocationSize} bytes, not ${size}`,
  );
  const isShared = type !== "CL_MEM_TYPE_DEVICE_INTEL";
  const part = {
    flags: CL_MEM_READ_WRITE,
    size,
    hostArray: null,
    parent: null,
    offset: 0,
    isShared,
    isPointed: true,
  };
  const buffer = new Buffer(context, part, storageOf(call, context, part));
  FACTS.set(buffer, { type, device, flags });
  return ALLOCATIONS.add(context, buffer);
}

function checkDevice(call: string, context: Context, device: Device): void {
  ensure(
    device instanceof Device && context.devices.includes(device),
    "CL_INVALID_DEVICE",
    call,
    "the device does not belong to this context",
  );
}

/**
 * Allocates memory of the host's that devices reach; returns its address, aligned to `alignment` bytes (0: to the
 * largest type). Errors: CL_INVALID_CONTEXT, CL_INVALID_OPERATION where the device does not reach it, CL_INVALID_VALUE
 * for the alignment, CL_INVALID_PROPERTY, CL_INVALID_BUFFER_SIZE, CL_OUT_OF_RESOURCES where memory is short.
 *
 * @public
 */
export function clHostMemAllocINTEL(
  context: Context,
  properties: UsmProperties | null,
  size: number,
  alignment: number = 0,
): UsmPointer {
  const call = "clHostMemAllocINTEL";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  ensure(
    usmSharedCapabilities(context.device) !== 0,
    "CL_INVALID_OPERATION",
    call,
    "the device cannot access memory of the host: CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL is 0",
  );
  return allocate(call, context, "CL_MEM_TYPE_HOST_INTEL", null, properties, size, alignment);
}

/**
 * Allocates memory of a device's. Errors: those of {@link clHostMemAllocINTEL} except for CL_INVALID_OPERATION;
 * CL_INVALID_DEVICE.
 *
 * @public
 */
export function clDeviceMemAllocINTEL(
  context: Context,
  device: Device,
  properties: UsmProperties | null,
  size: number,
  alignment: number = 0,
): UsmPointer {
  const call = "clDeviceMemAllocINTEL";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  checkDevice(call, context, device);
  return allocate(call, context, "CL_MEM_TYPE_DEVICE_INTEL", device, properties, size, alignment);
}

/**
 * Allocates memory of host and device; without a device it belongs to none. Errors: those of {@link
 * clHostMemAllocINTEL}; CL_INVALID_DEVICE.
 *
 * @public
 */
export function clSharedMemAllocINTEL(
  context: Context,
  device: Device | null,
  properties: UsmProperties | null,
  size: number,
  alignment: number = 0,
): UsmPointer {
  const call = "clSharedMemAllocINTEL";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  if (device !== null) checkDevice(call, context, device);
  ensure(
    usmSharedCapabilities(context.device) !== 0,
    "CL_INVALID_OPERATION",
    call,
    "host and device share no memory: CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL is 0",
  );
  return allocate(call, context, "CL_MEM_TYPE_SHARED_INTEL", device, properties, size, alignment);
}

/**
 * Frees an allocation; null is nothing. Commands that name it still run; kernels that reach it through other memory
 * must be complete. Errors: CL_INVALID_CONTEXT, CL_INVALID_VALUE for what is no allocation.
 *
 * @public
 */
export function clMemFreeINTEL(context: Context, pointer: UsmPointer): void {
  const call = "clMemFreeINTEL";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  free(call, context, pointer);
}

/**
 * The same when everything that was enqueued in the context is complete. Errors: those of {@link clMemFreeINTEL}.
 *
 * @public
 */
export function clMemBlockingFreeINTEL(context: Context, pointer: UsmPointer): void {
  const call = "clMemBlockingFreeINTEL";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  if (findUsm(context, pointer) !== null) for (const queue of context.queues) queue.finish();
  free(call, context, pointer);
}

function free(call: string, context: Context, pointer: UsmPointer): void {
  if (pointer === 0) return;
  const buffer = ALLOCATIONS.remove(context, pointer);
  if (buffer === null)
    throw new OpenCLError(
      "CL_INVALID_VALUE",
      call,
      `${pointer} is not an allocation of unified shared memory, or was already freed`,
    );
  buffer.release(call);
}

/**
 * The host's view of an allocation of the host's or a shared one: the very bytes that kernels see. Errors:
 * CL_INVALID_CONTEXT; CL_INVALID_VALUE for bytes that are not within one allocation; CL_INVALID_OPERATION for one of a
 * device's.
 *
 * @public
 */
export function usmView(context: Context, pointer: UsmPointer, size: number): Uint8Array {
  const call = "usmView";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  ensure(Number.isSafeInteger(size) && size > 0, "CL_INVALID_VALUE", call, `at least one byte is needed, not ${size}`);
  const range = usmRange(call, context, pointer, size);
  ensure(
    usmFacts(range).type !== "CL_MEM_TYPE_DEVICE_INTEL",
    "CL_INVALID_OPERATION",
    call,
    "the host cannot access a device allocation; copy it",
  );
  return range.buffer.view(call, range.offset, size);
}
