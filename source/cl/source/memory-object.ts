// SPDX-License-Identifier: Apache-2.0
// What buffers and images have in common: device memory, its view for the host, maps.
import { bytesOf } from "@muxkit/cargo";
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationCapabilities,
  MuxAllocationType,
  type MuxDevice,
  MuxDeviceType,
  type MuxMemory,
  MuxMemoryProperty,
  muxAllocateMemory,
  muxCreateMemoryFromHost,
  muxFlushMappedMemoryFromDevice,
  muxFlushMappedMemoryToDevice,
  muxFreeMemory,
  muxMapMemory,
  muxUnmapMemory,
} from "@muxkit/mux";

import {
  CL_MEM_ALLOC_HOST_PTR,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_HOST_NO_ACCESS,
  CL_MEM_HOST_READ_ONLY,
  CL_MEM_HOST_WRITE_ONLY,
  CL_MEM_READ_ONLY,
  CL_MEM_READ_WRITE,
  CL_MEM_USE_HOST_PTR,
  CL_MEM_WRITE_ONLY,
} from "./generated/constants.ts";
import { Copies, type Form } from "./copies.ts";
import { ensure } from "./error.ts";
import { fromMux } from "./from-mux.ts";
import { ClObject, callDestroyed } from "./object.ts";
import type { Context } from "./platform.ts";

/** Flags of what the host does. */
export const HOST_ACCESS: number = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
/** Flags of what kernels do. */
export const KERNEL_ACCESS: number = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
/** Flags of where the bytes come from. */
export const HOST_POINTER: number = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/** True for a number with at most one bit. */
export function atMostOne(bits: number): boolean {
  return (bits & (bits - 1)) === 0;
}

/** Properties of a memory object: OpenCL 3.0 defines none. @public */
export type MemoryProperties = Readonly<Record<string, never>>;

/** A box of an image's pixels. @internal */
export interface PixelBox {
  /** First pixel. */
  readonly origin: readonly [number, number, number];
  /** Pixels, rows, slices. */
  readonly region: readonly [number, number, number];
}

/** A region that the user has mapped. @internal */
export interface Mapping {
  /** First byte. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
  /** The user may write. */
  readonly writes: boolean;
  /** Of an image: the pixels. */
  readonly pixels: PixelBox | null;
}

/** True where host and device can see the same bytes. */
export function sharesMemory({ allocationCapabilities }: MuxDevice["info"]): boolean {
  return (allocationCapabilities & MuxAllocationCapabilities.coherent_host) !== 0;
}

/** True where they have one memory; a card reaches that of the host, and has a quicker one of its own. */
export function hasOneMemory(info: MuxDevice["info"]): boolean {
  return sharesMemory(info) && info.deviceType !== MuxDeviceType.gpu_discrete;
}

/** Where an object of its own gets its bytes; `isShared`: host and kernels must see the same ones. */
export function takeMemory(
  call: string,
  device: MuxDevice,
  bytes: number,
  alignment: number,
  hostArray: ArrayBufferView | null,
  isShared: boolean = false,
): MuxMemory {
  // Unsupported kinds of memory are not requested: the host then sees copies, which maps and unmaps make.
  const isCoherent = hasOneMemory(device.info) || (isShared && sharesMemory(device.info));
  const properties =
    MuxMemoryProperty.host_visible | (isCoherent ? MuxMemoryProperty.host_coherent : MuxMemoryProperty.host_cached);
  return fromMux(
    call,
    hostArray === null
      ? muxAllocateMemory(device, bytes, 1, properties, MuxAllocationType.alloc_device, alignment, DEFAULT_ALLOCATOR)
      : muxCreateMemoryFromHost(device, bytesOf(hostArray).subarray(0, bytes), DEFAULT_ALLOCATOR),
  );
}

/**
 * The flags of a new object, checked: access defaults to reading and writing. Whether they need an array, and
 * what else they require of one.
 */
export function checkedFlags(
  call: string,
  flags: number,
  more: number = 0,
): { readonly flags: number; readonly uses: boolean; readonly copies: boolean } {
  const known = (flags & ~(KERNEL_ACCESS | HOST_POINTER | HOST_ACCESS | more)) === 0;
  ensure(
    known && atMostOne(flags & KERNEL_ACCESS) && atMostOne(flags & HOST_ACCESS),
    "CL_INVALID_VALUE",
    call,
    `the flags 0x${flags.toString(16)} cannot be combined`,
  );
  const uses = (flags & CL_MEM_USE_HOST_PTR) !== 0;
  ensure(
    !uses || (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) === 0,
    "CL_INVALID_VALUE",
    call,
    "CL_MEM_USE_HOST_PTR cannot be combined with CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR",
  );
  return {
    flags: (flags & KERNEL_ACCESS) === 0 ? flags | CL_MEM_READ_WRITE : flags,
    uses,
    copies: (flags & CL_MEM_COPY_HOST_PTR) !== 0,
  };
}

/**
 * Flags of an object that shows the bytes of `parent`: those that are not set come from it.
 * Errors: CL_INVALID_VALUE for flags that cannot be combined, that choose where bytes come from, or that allow kernels
 * or the host what the parent does not.
 */
export function inheritedFlags(call: string, parent: MemoryObject, flags: number): number {
  ensure(
    (flags & ~(KERNEL_ACCESS | HOST_ACCESS)) === 0 &&
      atMostOne(flags & KERNEL_ACCESS) &&
      atMostOne(flags & HOST_ACCESS),
    "CL_INVALID_VALUE",
    call,
    `the flags 0x${flags.toString(16)} cannot be combined, or set the contents, which come from the parent`,
  );
  const [kernels, host] = [parent.flags & KERNEL_ACCESS, parent.flags & HOST_ACCESS];
  const access = (flags & KERNEL_ACCESS) === 0 ? kernels : flags & KERNEL_ACCESS;
  ensure(
    kernels === CL_MEM_READ_WRITE || access === kernels,
    "CL_INVALID_VALUE",
    call,
    "the sub-buffer allows kernels more access than its parent",
  );
  const outside = (flags & HOST_ACCESS) === 0 ? host : flags & HOST_ACCESS;
  ensure(
    host === 0 || outside === host || outside === CL_MEM_HOST_NO_ACCESS,
    "CL_INVALID_VALUE",
    call,
    "the sub-buffer allows the host more access than its parent",
  );
  return access | outside | (parent.flags & HOST_POINTER);
}

/** A buffer or an image. @public */
export abstract class MemoryObject extends ClObject {
  /** The error for a released one. */
  protected readonly invalid = "CL_INVALID_MEM_OBJECT";
  /** CL_MEM_CONTEXT. */
  readonly context: Context;
  /** CL_MEM_FLAGS. */
  readonly flags: number;
  /** CL_MEM_SIZE in bytes. */
  readonly size: number;
  /** CL_MEM_HOST_PTR: the array of CL_MEM_USE_HOST_PTR. */
  readonly hostArray: ArrayBufferView | null;
  /** CL_MEM_OFFSET: first byte in the parent. */
  readonly offset: number;
  /** CL_MEM_ASSOCIATED_MEMOBJECT: whose bytes these are. */
  abstract readonly parent: MemoryObject | null;
  /** Regions that are mapped, by the array that the user got. @internal */
  readonly mappings: Map<Uint8Array, Mapping> = new Map();
  /** CL_MEM_PROPERTIES. @internal */
  properties: MemoryProperties | null = null;
  /** The runtime's memory. @internal */
  readonly memory: MuxMemory;
  /** Its copies, which what shows its bytes has too; null in contexts with one memory. @internal */
  readonly copies: Copies | null;
  /** Objects that show its bytes. */
  #parts = 0;
  /** What traces call it. @internal */
  override get label(): string {
    return `${this.kind} of ${this.size} bytes`;
  }

  #view: Uint8Array | null = null;

  /** Made by the calls that create objects. @internal */
  constructor(
    context: Context,
    part: {
      readonly flags: number;
      readonly size: number;
      readonly hostArray: ArrayBufferView | null;
      readonly offset: number;
      readonly memory: MuxMemory;
      readonly parent: MemoryObject | null;
    },
  ) {
    super();
    this.context = context;
    this.flags = part.flags;
    this.size = part.size;
    this.hostArray = part.hostArray;
    this.offset = part.offset;
    this.memory = part.memory;
    const { memories } = context;
    this.copies = memories === null ? null : (part.parent?.copies ?? new Copies(memories, this));
    if (part.parent !== null) part.parent.#parts++;
    if (part.hostArray !== null) this.copies?.unwritten.remove(0, this.size);
  }

  /** What the runtime calls it where it was made. @internal */
  abstract get form(): Form;
  /** What the runtime calls it on another device, without memory. @internal */
  abstract createForm(call: string, device: MuxDevice): Form;
  /** Binds that to memory of the whole object. @internal */
  abstract bindForm(call: string, form: Form, memory: MuxMemory): void;
  /** Destroys it. @internal */
  abstract destroyForm(call: string, form: Form): void;

  /** True when something besides the objects that show its bytes needs it: a command, a recorded one. @internal */
  get isBusy(): boolean {
    return this.uses > this.#parts;
  }

  /** True when the device's bytes are not those that the host sees: maps and unmaps copy. @internal */
  get copiesOnMap(): boolean {
    return (this.memory.properties & MuxMemoryProperty.host_coherent) === 0;
  }

  /** First byte in the runtime's memory: a part of a part adds up. @internal */
  get rootOffset(): number {
    return this.offset + (this.parent?.rootOffset ?? 0);
  }

  /** The host's view of a region: device memory itself, or the caller's array. @internal */
  view(call: string, offset: number, size: number): Uint8Array {
    if (this.parent !== null) return this.parent.view(call, this.offset + offset, size);
    this.#view ??= fromMux(call, muxMapMemory(this.memory.device, this.memory, 0, this.size), "CL_MAP_FAILURE");
    return this.#view.subarray(offset, offset + size);
  }

  /** Changes the first bytes of an object that is not shared yet. @internal */
  initialize(call: string, change: (bytes: Uint8Array) => void): void {
    this.copies?.unwritten.remove(this.rootOffset, this.rootOffset + this.size);
    change(this.view(call, 0, this.size));
    this.synchronize(call, "to_device", 0, this.size);
  }

  /** Copies a region between device memory and the caller's array, where they are not the same. @internal */
  synchronize(call: string, direction: "to_device" | "from_device", offset: number, size: number): void {
    if (!this.copiesOnMap) return;
    const flush = direction === "to_device" ? muxFlushMappedMemoryToDevice : muxFlushMappedMemoryFromDevice;
    fromMux(call, flush(this.memory.device, this.memory, this.rootOffset + offset, size), "CL_MAP_FAILURE");
  }

  /** Releases what it holds. */
  protected free(): void {
    callDestroyed(this);
    const call = "clReleaseMemObject";
    const { device } = this.memory;
    if (this.#view !== null) fromMux(call, muxUnmapMemory(device, this.memory));
    this.copies?.forget(call, this);
    this.destroyForm(call, this.form);
    if (this.parent === null) fromMux(call, muxFreeMemory(device, this.memory, DEFAULT_ALLOCATOR));
    else {
      this.parent.#parts--;
      this.parent.unuse();
    }
    this.context.unuse();
  }
}
