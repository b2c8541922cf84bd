// SPDX-License-Identifier: Apache-2.0
// Shared virtual memory (OpenCL 3.0, 5.6): allocations that host and kernels name by the same number, the device's
// address.
import { AllocationLists, type MemoryRange } from "./allocation-list.ts";
import { Buffer, takeStorage } from "./buffer.ts";
import {
  CL_DEVICE_SVM_ATOMICS,
  CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
  CL_DEVICE_SVM_FINE_GRAIN_BUFFER,
  CL_MEM_READ_WRITE,
  CL_MEM_SVM_ATOMICS,
  CL_MEM_SVM_FINE_GRAIN_BUFFER,
} from "./generated/constants.ts";
import { OpenCLError, ensure } from "./error.ts";
import { KERNEL_ACCESS, atMostOne, hasOneMemory, sharesMemory } from "./memory-object.ts";
import { live } from "./object.ts";
import { Context, type Device } from "./platform.ts";

/** An address in shared virtual memory; 0 is null. @public */
export type SvmPointer = number;

/** Bytes of the largest type: every allocation is aligned to it. */
export const LARGEST_TYPE = 128;

/**
 * CL_DEVICE_SVM_CAPABILITIES: memory that is the host's as well needs no command to be seen by both. Atomic operations
 * of host and kernels work together where they have one memory.
 */
export function svmCapabilities({ info }: Device): number {
  if (!sharesMemory(info)) return 0;
  const capabilities = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
  return hasOneMemory(info) ? capabilities | CL_DEVICE_SVM_ATOMICS : capabilities;
}

/** A device without shared virtual memory refuses its calls. */
export function ensureSvm(call: string, { device }: Context): void {
  ensure(
    svmCapabilities(device) !== 0,
    "CL_INVALID_OPERATION",
    call,
    "the device has no shared virtual memory: CL_DEVICE_SVM_CAPABILITIES is 0",
  );
}

const ALLOCATIONS = new AllocationLists();

/** The location of the `size` bytes that begin at a pointer; null: not within one allocation of the context. */
export function findSvm(context: Context, pointer: SvmPointer, size: number = 1): MemoryRange | null {
  return ALLOCATIONS.find(context, pointer, size);
}

/** The same, or CL_INVALID_VALUE. */
export function svmRange(call: string, context: Context, pointer: SvmPointer, size: number): MemoryRange {
  ensure(Number.isSafeInteger(pointer) && pointer > 0, "CL_INVALID_VALUE", call, `${pointer} is not a pointer`);
  const range = findSvm(context, pointer, size);
  if (range === null)
    throw new OpenCLError(
      "CL_INVALID_VALUE",
      call,
      `${size} bytes at ${pointer} are not within an allocation of clSVMAlloc`,
    );
  return range;
}

/** Why an allocation cannot be made; null: it can. */
function misfit({ device }: Context, flags: number, size: number, alignment: number): string | null {
  const { info } = device;
  if (svmCapabilities(device) === 0) return "the device has no shared virtual memory";
  if (
    (flags & ~(KERNEL_ACCESS | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS)) !== 0 ||
    !atMostOne(flags & KERNEL_ACCESS)
  )
    return `the flags 0x${flags.toString(16)} cannot be combined`;
  if ((flags & CL_MEM_SVM_ATOMICS) !== 0 && (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) === 0)
    return "CL_MEM_SVM_ATOMICS requires CL_MEM_SVM_FINE_GRAIN_BUFFER";
  if ((flags & CL_MEM_SVM_ATOMICS) !== 0 && !hasOneMemory(info))
    return "the device has no CL_DEVICE_SVM_ATOMICS: its atomic operations and those of the host do not work together";
  if (!Number.isSafeInteger(size) || size < 1 || size > info.allocationSize)
    return `an allocation has 1 to ${info.allocationSize} bytes, not ${size}`;
  const isAlignment =
    Number.isInteger(alignment) &&
    alignment >= 0 &&
    alignment <= Math.min(LARGEST_TYPE, info.bufferAlignment) &&
    atMostOne(alignment);
  return isAlignment
    ? null
    : `the alignment must be a power of two up to ${Math.min(LARGEST_TYPE, info.bufferAlignment)}, not ${alignment}`;
}

/**
 * Allocates memory that host and kernels share. Returns its address, aligned to `alignment` bytes (0: to the largest
 * type), or 0 on failure: the context's `notify` then receives the reason. With or without
 * CL_MEM_SVM_FINE_GRAIN_BUFFER both see each other's writes.
 *
 * @public
 */
export function clSVMAlloc(context: Context, flags: number, size: number, alignment: number = 0): SvmPointer {
  const call = "clSVMAlloc";
  if (!(context instanceof Context) || context.referenceCount <= 0) return 0;
  const wrong = misfit(context, flags, size, alignment);
  if (wrong !== null) {
    context.notify(`${call}: ${wrong}`);
    return 0;
  }
  const access = (flags & KERNEL_ACCESS) === 0 ? CL_MEM_READ_WRITE : flags & KERNEL_ACCESS;
  const all = access | (flags & ~KERNEL_ACCESS);
  const part = { flags: all, size, hostArray: null, parent: null, offset: 0, isShared: true, isPointed: true };
  try {
    const buffer = new Buffer(context, part, takeStorage(call, context, part));
    return ALLOCATIONS.add(context, buffer);
  } catch (error) {
    if (!(error instanceof OpenCLError)) throw error;
    context.notify(error.message);
    return 0;
  }
}

/**
 * Frees an allocation; null is nothing. Commands that use it still run. A pointer that clSVMAlloc did not return is
 * ignored, and the context's `notify` receives a message. Errors: CL_INVALID_CONTEXT.
 *
 * @public
 */
export function clSVMFree(context: Context, pointer: SvmPointer): void {
  const call = "clSVMFree";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  if (pointer !== 0) freeSvm(call, context, pointer);
}

/** Takes an allocation off the list and lets it go. */
export function freeSvm(call: string, context: Context, pointer: SvmPointer): void {
  const buffer = ALLOCATIONS.remove(context, pointer);
  if (buffer === null) context.notify(`${call}: ${pointer} is not an allocation of clSVMAlloc, or was already freed`);
  else buffer.release(call);
}

/**
 * The host's view of shared virtual memory: the very bytes that kernels see. Errors: CL_INVALID_CONTEXT,
 * CL_INVALID_VALUE for bytes that are not within one allocation.
 *
 * @public
 */
export function svmView(context: Context, pointer: SvmPointer, size: number): Uint8Array {
  const call = "svmView";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  ensure(Number.isSafeInteger(size) && size > 0, "CL_INVALID_VALUE", call, `at least one byte is needed, not ${size}`);
  const { buffer, offset } = svmRange(call, context, pointer, size);
  return buffer.view(call, offset, size);
}
