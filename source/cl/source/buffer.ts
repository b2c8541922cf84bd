// SPDX-License-Identifier: Apache-2.0
// Buffers and parts of them (OpenCL 3.0, 5.2).
import { copyBytes, bytesOf } from "@muxkit/cargo";
import {
  DEFAULT_ALLOCATOR,
  type MuxBuffer,
  type MuxDevice,
  type MuxMemory,
  muxBindBufferMemory,
  muxCreateBuffer,
  muxDestroyBuffer,
} from "@muxkit/mux";

import { ensure } from "./error.ts";
import { fromMux, orElse } from "./from-mux.ts";
import { MemoryObject, checkedFlags, inheritedFlags, takeMemory } from "./memory-object.ts";
import { live } from "./object.ts";
import { Context } from "./platform.ts";

/** What a buffer is like. @internal */
export interface BufferPart {
  /** CL_MEM_FLAGS. */
  readonly flags: number;
  /** Bytes. */
  readonly size: number;
  /** The array of CL_MEM_USE_HOST_PTR. */
  readonly hostArray: ArrayBufferView | null;
  /** The buffer that it is a part of. */
  readonly parent: Buffer | null;
  /** First byte in the parent. */
  readonly offset: number;
  /** True: host and kernels see the same bytes. */
  readonly isShared?: boolean;
  /** True: numbers name its bytes, so that they cannot be in another place. */
  readonly isPointed?: boolean;
}

/** What a buffer is made of. @internal */
export interface BufferStorage {
  /** Its memory, or its parent's. */
  readonly memory: MuxMemory;
  /** The runtime's buffer, bound to it. */
  readonly buffer: MuxBuffer;
}

/** A buffer, or a part of one. @public */
export class Buffer extends MemoryObject {
  /** Kind, for messages. */
  protected readonly kind = "buffer";
  /** CL_MEM_ASSOCIATED_MEMOBJECT: the buffer that this one is a part of. */
  override readonly parent: Buffer | null;
  /** What the runtime calls it. @internal */
  readonly buffer: MuxBuffer;
  /** True: numbers name its bytes. @internal */
  readonly isPointed: boolean;

  /** Made by clCreateBuffer and clCreateSubBuffer. @internal */
  constructor(context: Context, part: BufferPart, { memory, buffer }: BufferStorage) {
    super(context, { ...part, memory });
    this.parent = part.parent;
    this.buffer = buffer;
    this.isPointed = part.isPointed === true;
    part.parent?.use();
    context.use();
  }

  /** What the runtime calls it on a device of the context. @internal */
  on(device: MuxDevice): MuxBuffer {
    return this.copies === null ? this.buffer : this.copies.formOn(this, device);
  }

  /** What the runtime calls it where it was made. @internal */
  override get form(): MuxBuffer {
    return this.buffer;
  }

  /** What the runtime calls it on another device, without memory. @internal */
  override createForm(call: string, device: MuxDevice): MuxBuffer {
    return fromMux(call, muxCreateBuffer(device, this.size, DEFAULT_ALLOCATOR));
  }

  /** Binds that to memory of the whole buffer. @internal */
  override bindForm(call: string, form: MuxBuffer, memory: MuxMemory): void {
    const { bufferAlignment, deviceName } = form.device.info;
    ensure(
      this.offset % bufferAlignment === 0,
      "CL_MISALIGNED_SUB_BUFFER_OFFSET",
      call,
      () => `on ${deviceName} a sub-buffer starts at a multiple of ${bufferAlignment} bytes, not at ${this.offset}`,
    );
    fromMux(call, muxBindBufferMemory(form.device, memory, form, this.offset));
  }

  /** Destroys it. @internal */
  override destroyForm(call: string, form: MuxBuffer): void {
    fromMux(call, muxDestroyBuffer(form.device, form, DEFAULT_ALLOCATOR));
  }

  /** False for a pipe, which has memory like a buffer and is none. @internal */
  get isBuffer(): boolean {
    return true;
  }
}

/** Takes what a new buffer is made of from the runtime. */
export function takeStorage(call: string, context: Context, part: BufferPart): BufferStorage {
  const { device } = context.device.open(call);
  const buffer = fromMux(call, muxCreateBuffer(device, part.size, DEFAULT_ALLOCATOR));
  const undo = (): void => {
    void muxDestroyBuffer(device, buffer, DEFAULT_ALLOCATOR);
  };
  const { size: needed, alignment } = buffer.memoryRequirements;
  const memory =
    part.parent?.memory ??
    orElse(undo, () => takeMemory(call, device, needed, alignment, part.hostArray, part.isShared));
  fromMux(call, muxBindBufferMemory(device, memory, buffer, part.offset));
  return { memory, buffer };
}

function makeBuffer(call: string, context: Context, part: BufferPart): Buffer {
  return new Buffer(context, part, takeStorage(call, context, part));
}

/**
 * Makes a buffer of `size` bytes. Its contents are those of `hostArray` with CL_MEM_COPY_HOST_PTR or
 * CL_MEM_USE_HOST_PTR, else not defined. An array cannot be in device memory, so with CL_MEM_USE_HOST_PTR its bytes
 * are copied at map and unmap. Errors: CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_BUFFER_SIZE,
 * CL_INVALID_HOST_PTR, CL_MEM_OBJECT_ALLOCATION_FAILURE.
 *
 * @public
 */
export function clCreateBuffer(
  context: Context,
  flags: number,
  size: number,
  hostArray: ArrayBufferView | null = null,
): Buffer {
  return createBuffer("clCreateBuffer", context, flags, size, hostArray);
}

/** Makes a buffer for one of the calls that do. */
export function createBuffer(
  call: string,
  context: Context,
  flags: number,
  size: number,
  hostArray: ArrayBufferView | null,
): Buffer {
  live(context, Context, "CL_INVALID_CONTEXT", call);
  const { flags: access, uses, copies } = checkedFlags(call, flags);
  const most = context.device.info.allocationSize;
  ensure(
    Number.isSafeInteger(size) && size > 0 && size <= most,
    "CL_INVALID_BUFFER_SIZE",
    call,
    `a buffer has 1 to ${most} bytes, not ${size}`,
  );
  const needs = uses || copies;
  ensure(
    needs === (hostArray !== null),
    "CL_INVALID_HOST_PTR",
    call,
    needs
      ? "these flags require an array"
      : "an array is allowed only with CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR",
  );
  ensure(
    hostArray === null || hostArray.byteLength >= size,
    "CL_INVALID_HOST_PTR",
    call,
    () => `the array has ${hostArray?.byteLength ?? 0} bytes, the buffer ${size}`,
  );
  const buffer = makeBuffer(call, context, {
    flags: access,
    size,
    hostArray: uses ? hostArray : null,
    parent: null,
    offset: 0,
  });
  if (hostArray !== null && !uses) {
    buffer.initialize(call, (bytes) => {
      copyBytes(bytes, 0, bytesOf(hostArray).subarray(0, size));
    });
  }
  return buffer;
}

/**
 * Makes a buffer of a part of another one: they share their bytes. Flags that are not set come from the parent.
 * Errors: CL_INVALID_MEM_OBJECT (also for a part of a part), CL_INVALID_VALUE outside of the parent,
 * CL_INVALID_BUFFER_SIZE, CL_MISALIGNED_SUB_BUFFER_OFFSET.
 *
 * @public
 */
export function clCreateSubBuffer(
  parent: Buffer,
  flags: number,
  region: { readonly origin: number; readonly size: number },
): Buffer {
  const call = "clCreateSubBuffer";
  live(parent, Buffer, "CL_INVALID_MEM_OBJECT", call);
  ensure(parent.isBuffer, "CL_INVALID_MEM_OBJECT", call, "a pipe is not a buffer and has no sub-buffers");
  ensure(
    parent.parent === null,
    "CL_INVALID_MEM_OBJECT",
    call,
    "a sub-buffer has no sub-buffers; create one from the whole buffer",
  );
  const { origin, size } = region;
  const inherited = inheritedFlags(call, parent, flags);
  ensure(
    Number.isSafeInteger(size) && size > 0,
    "CL_INVALID_BUFFER_SIZE",
    call,
    `a sub-buffer has at least one byte, not ${size}`,
  );
  ensure(
    Number.isSafeInteger(origin) && origin >= 0 && origin <= parent.size - size,
    "CL_INVALID_VALUE",
    call,
    `bytes ${origin} to ${origin + size} are outside the ${parent.size} bytes of the parent`,
  );
  const alignment = parent.context.device.info.bufferAlignment;
  ensure(
    origin % alignment === 0,
    "CL_MISALIGNED_SUB_BUFFER_OFFSET",
    call,
    `a sub-buffer starts at a multiple of ${alignment} bytes, not at ${origin}`,
  );
  return makeBuffer(call, parent.context, { flags: inherited, size, hostArray: null, parent, offset: origin });
}

/** The whole buffer that contains a buffer, and the offset in it. */
export function placeOf(buffer: Buffer, offset: number): { readonly whole: Buffer; readonly at: number } {
  return buffer.parent === null ? { whole: buffer, at: offset } : { whole: buffer.parent, at: buffer.offset + offset };
}
