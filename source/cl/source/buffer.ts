// Buffers and parts of them (OpenCL 3.0, 5.2): device memory, and its view for the host.
import {
  DEFAULT_ALLOCATOR, MuxAllocationType, type MuxBuffer, type MuxMemory, MuxMemoryProperty, muxAllocateMemory, muxBindBufferMemory, muxCreateBuffer, muxCreateMemoryFromHost, muxDestroyBuffer,
  muxFlushMappedMemoryFromDevice, muxFlushMappedMemoryToDevice, muxFreeMemory, muxMapMemory, muxUnmapMemory,
} from "@muxkit/mux";

import {
  CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR, CL_MEM_WRITE_ONLY,
} from "./constants.ts";
import { require } from "./error.ts";
import { fromMux } from "./from-mux.ts";
import { ClObject, live } from "./object.ts";
import { Context } from "./platform.ts";

const HOST_ACCESS = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
const KERNEL_ACCESS = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
const HOST_POINTER = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/** The bytes of a view. */
export function bytesOf(view: ArrayBufferView): Uint8Array {
  return view instanceof Uint8Array ? view : new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** A region that the user has mapped. @internal */
export interface Mapping {
  /** First byte. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
  /** The user may write. */
  readonly writes: boolean;
}

/** A buffer, or a part of one. @public */
export class Buffer extends ClObject {
  /** The error for a released one. */
  protected readonly invalid = "CL_INVALID_MEM_OBJECT";
  /** Kind, for messages. */
  protected readonly kind = "buffer";
  /** CL_MEM_CONTEXT. */
  readonly context: Context;
  /** CL_MEM_FLAGS. */
  readonly flags: number;
  /** CL_MEM_SIZE in bytes. */
  readonly size: number;
  /** CL_MEM_HOST_PTR: the array of CL_MEM_USE_HOST_PTR. */
  readonly hostArray: ArrayBufferView | null;
  /** CL_MEM_ASSOCIATED_MEMOBJECT: the buffer that this one is a part of. */
  readonly parent: Buffer | null;
  /** CL_MEM_OFFSET: first byte in the parent. */
  readonly offset: number;
  /** What the runtime calls it. @internal */
  readonly buffer: MuxBuffer;
  /** Regions that are mapped, by the array that the user got. @internal */
  readonly mappings: Map<Uint8Array, Mapping> = new Map();
  readonly #memory: MuxMemory;
  #view: Uint8Array | null = null;

  /** Made by clCreateBuffer and clCreateSubBuffer. @internal */
  constructor(context: Context, flags: number, size: number, hostArray: ArrayBufferView | null, parent: Buffer | null, offset: number, call: string) {
    super();
    const { device } = context.device.open(call);
    this.context = context;
    this.flags = flags;
    this.size = size;
    this.hostArray = hostArray;
    this.parent = parent;
    this.offset = offset;
    this.buffer = fromMux(call, muxCreateBuffer(device, size, DEFAULT_ALLOCATOR));
    if (parent === null) {
      const { size: needed, alignment } = this.buffer.memoryRequirements;
      const properties = MuxMemoryProperty.host_visible | MuxMemoryProperty.host_coherent;
      this.#memory = fromMux(call, hostArray === null
        ? muxAllocateMemory(device, needed, 1, properties, MuxAllocationType.alloc_device, alignment, DEFAULT_ALLOCATOR)
        : muxCreateMemoryFromHost(device, bytesOf(hostArray).subarray(0, size), DEFAULT_ALLOCATOR));
    } else {
      this.#memory = parent.#memory;
      parent.use();
    }
    fromMux(call, muxBindBufferMemory(device, this.#memory, this.buffer, offset));
    context.use();
  }

  /** True when the device's bytes are not those that the host sees: maps and unmaps copy. @internal */
  get copiesOnMap(): boolean {
    return (this.#memory.properties & MuxMemoryProperty.host_coherent) === 0;
  }

  /** The host's view of a region: device memory itself, or the caller's array. @internal */
  view(call: string, offset: number, size: number): Uint8Array {
    if (this.parent !== null) return this.parent.view(call, this.offset + offset, size);
    this.#view ??= fromMux(call, muxMapMemory(this.buffer.device, this.#memory, 0, this.size), "CL_MAP_FAILURE");
    return this.#view.subarray(offset, offset + size);
  }

  /** Copies a region between device memory and the caller's array, where they are not the same. @internal */
  synchronize(call: string, direction: "to_device" | "from_device", offset: number, size: number): void {
    if (!this.copiesOnMap) return;
    const flush = direction === "to_device" ? muxFlushMappedMemoryToDevice : muxFlushMappedMemoryFromDevice;
    fromMux(call, flush(this.buffer.device, this.#memory, this.offset + offset, size), "CL_MAP_FAILURE");
  }

  /** Gives back what it holds. */
  protected free(): void {
    const call = "clReleaseMemObject";
    const { device } = this.buffer;
    if (this.#view !== null) fromMux(call, muxUnmapMemory(device, this.#memory));
    fromMux(call, muxDestroyBuffer(device, this.buffer, DEFAULT_ALLOCATOR));
    if (this.parent === null) fromMux(call, muxFreeMemory(device, this.#memory, DEFAULT_ALLOCATOR));
    else this.parent.unuse();
    this.context.unuse();
  }
}

function atMostOne(bits: number): boolean {
  return (bits & (bits - 1)) === 0;
}

/**
 * Makes a buffer of `size` bytes. Its contents are those of `hostArray` with CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR, else not defined.
 * An array cannot lie in device memory, so with CL_MEM_USE_HOST_PTR its bytes are copied at map and unmap.
 * Errors: CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_BUFFER_SIZE, CL_INVALID_HOST_PTR, CL_MEM_OBJECT_ALLOCATION_FAILURE.
 *
 * @public
 */
export function clCreateBuffer(context: Context, flags: number, size: number, hostArray: ArrayBufferView | null = null): Buffer {
  const call = "clCreateBuffer";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  const known = (flags & ~(KERNEL_ACCESS | HOST_POINTER | HOST_ACCESS)) === 0;
  require(known && atMostOne(flags & KERNEL_ACCESS) && atMostOne(flags & HOST_ACCESS), "CL_INVALID_VALUE", call, `the flags 0x${flags.toString(16)} do not go together`);
  const uses = (flags & CL_MEM_USE_HOST_PTR) !== 0;
  require(!uses || (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) === 0, "CL_INVALID_VALUE", call, "CL_MEM_USE_HOST_PTR goes with neither CL_MEM_ALLOC_HOST_PTR nor CL_MEM_COPY_HOST_PTR");
  const most = context.device.info.allocationSize;
  require(Number.isSafeInteger(size) && size > 0 && size <= most, "CL_INVALID_BUFFER_SIZE", call, `a buffer has 1 to ${most} bytes, not ${size}`);
  const needs = uses || (flags & CL_MEM_COPY_HOST_PTR) !== 0;
  require(needs === (hostArray !== null), "CL_INVALID_HOST_PTR", call, needs ? "these flags need an array" : "an array goes only with CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR");
  require(hostArray === null || hostArray.byteLength >= size, "CL_INVALID_HOST_PTR", call, () => `the array has ${hostArray?.byteLength ?? 0} bytes, the buffer ${size}`);
  const access = (flags & KERNEL_ACCESS) === 0 ? flags | CL_MEM_READ_WRITE : flags;
  const buffer = new Buffer(context, access, size, uses ? hostArray : null, null, 0, call);
  if (hostArray !== null && !uses) buffer.view(call, 0, size).set(bytesOf(hostArray).subarray(0, size));
  return buffer;
}

/**
 * Makes a buffer of a part of another one: they share their bytes. Flags that are not given come from the parent.
 * Errors: CL_INVALID_MEM_OBJECT (also for a part of a part), CL_INVALID_VALUE outside of the parent, CL_INVALID_BUFFER_SIZE, CL_MISALIGNED_SUB_BUFFER_OFFSET.
 *
 * @public
 */
export function clCreateSubBuffer(parent: Buffer, flags: number, region: { readonly origin: number; readonly size: number }): Buffer {
  const call = "clCreateSubBuffer";
  live(parent, Buffer, "CL_INVALID_MEM_OBJECT", call);
  require(parent.parent === null, "CL_INVALID_MEM_OBJECT", call, "a part of a part cannot be made; take a part of the whole buffer");
  const { origin, size } = region;
  require((flags & ~(KERNEL_ACCESS | HOST_ACCESS)) === 0 && atMostOne(flags & KERNEL_ACCESS) && atMostOne(flags & HOST_ACCESS), "CL_INVALID_VALUE", call, `the flags 0x${flags.toString(16)} do not go together`);
  const access = (flags & KERNEL_ACCESS) === 0 ? parent.flags & KERNEL_ACCESS : flags & KERNEL_ACCESS;
  const widens = (parent.flags & KERNEL_ACCESS) !== CL_MEM_READ_WRITE && access !== (parent.flags & KERNEL_ACCESS);
  require(!widens, "CL_INVALID_VALUE", call, "a part cannot allow kernels more than its parent does");
  require(Number.isSafeInteger(size) && size > 0, "CL_INVALID_BUFFER_SIZE", call, `a part has at least one byte, not ${size}`);
  require(Number.isSafeInteger(origin) && origin >= 0 && origin <= parent.size - size, "CL_INVALID_VALUE", call, `bytes ${origin} to ${origin + size} are not inside of the parent's ${parent.size}`);
  const alignment = parent.context.device.info.bufferAlignment;
  require(origin % alignment === 0, "CL_MISALIGNED_SUB_BUFFER_OFFSET", call, `a part begins at a multiple of ${alignment} bytes, not at ${origin}`);
  const host = (flags & HOST_ACCESS) === 0 ? parent.flags & HOST_ACCESS : flags & HOST_ACCESS;
  return new Buffer(parent.context, access | host | (parent.flags & HOST_POINTER), size, null, parent, origin, call);
}
