// SPDX-License-Identifier: Apache-2.0
// Arrays on a device: typed, with reads and writes that keep the device's order.
import {
  type Buffer,
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  OpenCLError,
  clCreateBuffer,
  clCreateSubBuffer,
  clEnqueueCopyBuffer,
  clEnqueueFillBuffer,
  clEnqueueReadBuffer,
  clEnqueueWriteBuffer,
  clRetainMemObject,
  clGetDeviceInfo,
} from "@muxkit/opencl";

import { ownedSource, ensureBlocking } from "./blocking.ts";
import type { Command } from "./command.ts";
import { Described } from "./described.ts";
import type { Device } from "./device.ts";
import type { Launches } from "./launches.ts";
import { operate } from "./operation.ts";
import type { StructArray, StructValue } from "./struct.ts";

/** Any typed array. @public */
export type TypedArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** What an array on a device holds copies of: a typed array, or an array of structs. @public */
export type HostArray = TypedArray | StructArray;

/** An element of an array, as it is set. @public */
export type ElementOf<T extends HostArray> = T extends TypedArray
  ? T[number]
  : T extends StructArray<infer Members>
    ? StructValue<Members>
    : never;

/** A class of arrays: a typed array's, or what `struct` returns. @public */
export interface ArrayType<T extends HostArray> {
  /** An array of zeros. */
  new (length: number): T;
  /** Its name. */
  readonly name: string;
  /** Bytes of an element. */
  readonly BYTES_PER_ELEMENT: number;
}

/** Elements, or the sizes of up to three dimensions, the last of which is contiguous. @public */
export type Shape = number | readonly number[];

/** Elements that a loop over an array reads at a time, unless it says otherwise. */
const CHUNK = 65_536;

function bytesOf(source: HostArray): TypedArray {
  return ArrayBuffer.isView(source) ? source : source.bytes;
}

/** The class of a typed array or of an array of structs. */
export function typeOf<T extends HostArray>(source: T): ArrayType<T> {
  return source.constructor as ArrayType<T>;
}

/** The number of elements of a shape, and its sizes. Throws for what is none. */
export function elementsOf(
  operation: string,
  shape: Shape,
): { readonly sizes: readonly number[]; readonly length: number } {
  const sizes = typeof shape === "number" ? [shape] : [...shape];
  const isFit = sizes.length >= 1 && sizes.length <= 3 && sizes.every((size) => Number.isSafeInteger(size) && size > 0);
  if (!isFit)
    throw new OpenCLError(
      "CL_INVALID_VALUE",
      operation,
      `${typeof shape === "number" ? `a length of ${shape}` : `the shape [${sizes.join(", ")}]`} is not possible; ` +
        "one to three sizes of at least 1 are needed",
    );
  return { sizes, length: sizes.reduce((product, size) => product * size, 1) };
}

/**
 * A buffer with the contents of `source`. What nobody refers to any more is freed before it fails:
 * CL_MEM_OBJECT_ALLOCATION_FAILURE.
 */
function bufferFor(launches: Launches, operation: string, size: number, bytes: TypedArray | null): Buffer {
  const flags = bytes === null ? CL_MEM_READ_WRITE : CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
  const create = (): Buffer => clCreateBuffer(launches.queue.context, flags, size, bytes);
  return operate(operation, () => {
    try {
      return create();
    } catch (error) {
      const isFull = error instanceof OpenCLError && error.name === "CL_MEM_OBJECT_ALLOCATION_FAILURE";
      if (!isFull) throw error;
      if (launches.memory.reclaim()) return create();
      const { count, bytes: held } = launches.memory;
      throw new OpenCLError(
        error.name,
        operation,
        `the device has no room for ${size} bytes: ${count} arrays and images hold ${held} bytes. ` +
          "destroy() those that are not needed; what nobody refers to is freed once the event loop has had a turn",
        error,
      );
    }
  });
}

/** An array in device memory. Kernels take it where they have a pointer. @public */
export class DeviceArray<T extends HostArray = TypedArray> extends Described implements AsyncIterable<T> {
  /** Elements. */
  readonly length: number;
  /** Sizes of its dimensions; the last one is contiguous. */
  readonly shape: readonly number[];
  /** The underlying OpenCL buffer. */
  readonly buffer: Buffer;
  /** Of the package itself. @internal */
  readonly launches: Launches;
  /** The class of the arrays that it is read into. */
  readonly type: ArrayType<T>;
  /** The array that it is a part of, and where it begins there, in bytes; null: it has memory of its own. */
  readonly #whole: { readonly array: DeviceArray<HostArray>; readonly at: number } | null;
  readonly #token: object;

  /** Made by `Device.array`. @internal */
  constructor(
    launches: Launches,
    type: ArrayType<T>,
    shape: readonly number[],
    buffer: Buffer,
    whole: { readonly array: DeviceArray<HostArray>; readonly at: number } | null = null,
  ) {
    super();
    this.launches = launches;
    this.type = type;
    this.shape = shape;
    this.length = shape.reduce((product, size) => product * size, 1);
    this.buffer = buffer;
    this.#whole = whole;
    this.#token = launches.memory.own(this, buffer);
  }

  /** A copy of `source` on a device. @internal */
  static of<T extends HostArray>(launches: Launches, source: T, shape: readonly number[]): DeviceArray<T> {
    const bytes = bytesOf(source);
    const buffer = bufferFor(launches, "device.array", bytes.byteLength, bytes);
    return new DeviceArray(launches, typeOf(source), shape, buffer);
  }

  /** One that has anything: whoever makes it writes all elements before they are read. @internal */
  static unfilled<T extends HostArray>(device: Device, type: ArrayType<T>, shape: Shape): DeviceArray<T> {
    const { sizes, length } = elementsOf("device.array", shape);
    const buffer = bufferFor(device.launches, "device.array", length * type.BYTES_PER_ELEMENT, null);
    return new DeviceArray(device.launches, type, sizes, buffer);
  }

  /** The device whose memory it is in. */
  get device(): Device {
    return this.launches.device;
  }

  /** Bytes. */
  get byteLength(): number {
    return this.length * this.type.BYTES_PER_ELEMENT;
  }

  /** The sizes as a range of work-items: the contiguous dimension first, one work-item for each element. */
  get range(): readonly number[] {
    return this.shape.toReversed();
  }

  /**
   * The contents, or `length` elements from `offset` on, once everything before is done. Rejects with what failed since
   * the last such call.
   */
  async read(offset: number = 0, length: number = this.length - offset): Promise<T> {
    this.#check("read", offset, length);
    const array = new this.type(length);
    if (length > 0) await operate("read", () => this.#read(array, offset, false)).done;
    this.launches.throwFailure();
    return array;
  }

  /** The same; blocks and helps with the work. Error: CL_INVALID_OPERATION in the main thread of a page. */
  readSync(offset: number = 0, length: number = this.length - offset): T {
    ensureBlocking("readSync", "await read()");
    this.#check("readSync", offset, length);
    const array = new this.type(length);
    if (length > 0) operate("readSync", () => this.#read(array, offset, true));
    this.launches.throwFailure();
    return array;
  }

  /** Its elements in arrays of `size`, one after the other; the last may be shorter. */
  async *chunks(size: number = CHUNK): AsyncGenerator<T, void, undefined> {
    this.#check("chunks", 0, Math.min(size, this.length));
    if (!(size >= 1))
      throw new OpenCLError("CL_INVALID_VALUE", "chunks", `a chunk has at least 1 element, not ${size}`);
    for (let at = 0; at < this.length; at += size)
      // oxlint-disable-next-line no-await-in-loop -- one chunk in memory at a time
      yield await this.read(at, Math.min(size, this.length - at));
  }

  /** Chunks of 65,536 elements. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    return this.chunks();
  }

  /** Writes the contents, from `offset` elements on. The source can be changed as soon as this returns. */
  write(source: T, offset: number = 0): void {
    this.#checkType("write", typeOf(source), source);
    this.#check("write", offset, source.length);
    if (source.length === 0) return;
    const owned = ownedSource(bytesOf(source));
    const { queue } = this.launches;
    const at = offset * this.type.BYTES_PER_ELEMENT;
    this.launches.track(
      "write",
      operate("write", () =>
        clEnqueueWriteBuffer(queue, this.buffer, owned.blocking, at, owned.source.byteLength, owned.source),
      ),
    );
  }

  /** Sets every element. */
  fill(value: ElementOf<T>): Command {
    // OpenCL's patterns have a power of two of bytes, at most 128; other elements are repeated here.
    const size = this.type.BYTES_PER_ELEMENT;
    const isPattern = size <= 128 && Number.isInteger(Math.log2(size));
    const source = new this.type(isPattern ? 1 : this.length);
    source.fill(value as never);
    const bytes = bytesOf(source);
    const { queue } = this.launches;
    return this.launches.track(
      "fill",
      operate("fill", () =>
        isPattern
          ? clEnqueueFillBuffer(queue, this.buffer, bytes, 0, this.byteLength)
          : clEnqueueWriteBuffer(queue, this.buffer, false, 0, this.byteLength, bytes),
      ),
    );
  }

  /** Copies its elements into another array of the same device, from `offset` elements of that one on. */
  copyTo(target: DeviceArray<T>, offset: number = 0): Command {
    this.#checkType("copyTo", target.type, target);
    target.#check("copyTo", offset, this.length);
    const at = offset * this.type.BYTES_PER_ELEMENT;
    return this.launches.track(
      "copyTo",
      operate("copyTo", () =>
        clEnqueueCopyBuffer(this.launches.queue, this.buffer, target.buffer, 0, at, this.byteLength),
      ),
    );
  }

  /**
   * The elements from `begin` to before `end`, as an array of their own on the same memory. Error:
   * CL_MISALIGNED_SUB_BUFFER_OFFSET for a begin that is not at a multiple of the device's alignment, 128 bytes on
   * processors.
   */
  subarray(begin: number, end: number = this.length): DeviceArray<T> {
    const length = end - begin;
    this.#check("subarray", begin, Math.max(length, 0));
    if (length < 1)
      throw new OpenCLError(
        "CL_INVALID_VALUE",
        "subarray",
        `elements ${begin} to ${end} are none; at least 1 is needed`,
      );
    const at = begin * this.type.BYTES_PER_ELEMENT;
    // The whole array begins at such a multiple, and so does a part of it.
    const alignment = clGetDeviceInfo(this.launches.queue.device, "CL_DEVICE_MEM_BASE_ADDR_ALIGN") / 8;
    if (at % alignment !== 0)
      throw new OpenCLError(
        "CL_MISALIGNED_SUB_BUFFER_OFFSET",
        "subarray",
        `a part begins at a multiple of ${alignment} bytes, not at ${at}; read and copyTo take any elements`,
      );
    return this.#part("subarray", this.type, [length], at);
  }

  /** The same bytes as elements of another type. Error: CL_INVALID_VALUE where they are not a whole number of them. */
  view<U extends HostArray>(type: ArrayType<U>): DeviceArray<U> {
    const length = this.byteLength / type.BYTES_PER_ELEMENT;
    if (!Number.isInteger(length))
      throw new OpenCLError(
        "CL_INVALID_VALUE",
        "view",
        `${this.byteLength} bytes are no whole number of elements of ${type.name}, which have ${type.BYTES_PER_ELEMENT}`,
      );
    return this.#part("view", type, [length], 0);
  }

  /** True once `destroy` was called. */
  get isDestroyed(): boolean {
    return !this.launches.memory.has(this.#token);
  }

  /** Frees the memory, once everything that uses it is done. Parts of it keep theirs. */
  destroy(): void {
    this.launches.memory.release(this.#token);
  }

  /** The same, for `using`. */
  [Symbol.dispose](): void {
    this.destroy();
  }

  /** One line: type and size. */
  toString(): string {
    return `DeviceArray ${this.type.name}(${this.shape.join(" × ")})${this.isDestroyed ? ", destroyed" : ""}`;
  }

  #read(array: T, offset: number, blocking: boolean): ReturnType<typeof clEnqueueReadBuffer> {
    const bytes = bytesOf(array);
    const at = offset * this.type.BYTES_PER_ELEMENT;
    return clEnqueueReadBuffer(this.launches.queue, this.buffer, blocking, at, bytes.byteLength, bytes);
  }

  #part<U extends HostArray>(
    operation: string,
    type: ArrayType<U>,
    shape: readonly number[],
    at: number,
  ): DeviceArray<U> {
    this.#check(operation, 0, 0);
    const whole = this.#whole ?? { array: this as unknown as DeviceArray<HostArray>, at: 0 };
    const origin = whole.at + at;
    const size = type.BYTES_PER_ELEMENT * shape.reduce((product, one) => product * one, 1);
    const { buffer } = whole.array;
    // A part that is the whole has no memory object of its own: it holds the same one.
    const isWhole = origin === 0 && size === whole.array.byteLength;
    const part = operate(operation, () => {
      if (!isWhole) return clCreateSubBuffer(buffer, 0, { origin, size });
      clRetainMemObject(buffer);
      return buffer;
    });
    return new DeviceArray(this.launches, type, shape, part, { array: whole.array, at: origin });
  }

  #check(operation: string, offset: number, length: number): void {
    if (this.isDestroyed)
      throw new OpenCLError("CL_INVALID_MEM_OBJECT", operation, "the array has been destroyed; make a new one");
    if (!(Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0))
      throw new OpenCLError(
        "CL_INVALID_VALUE",
        operation,
        `${length} elements from ${offset} on cannot be; whole numbers of at least 0 are needed`,
      );
    if (offset + length > this.length)
      throw new OpenCLError(
        "CL_INVALID_VALUE",
        operation,
        `elements ${offset} to ${offset + length} do not fit in the array, which has ${this.length}`,
      );
  }

  #checkType(operation: string, type: { readonly name: string } | undefined, source: unknown): void {
    if (type === (this.type as unknown)) return;
    const given = typeof source === "object" && source !== null ? (type?.name ?? "object") : typeof source;
    throw new OpenCLError(
      "CL_INVALID_VALUE",
      operation,
      `the array holds elements of ${this.type.name}, not of ${given}` +
        (ArrayBuffer.isView(source) ? `; use ${this.type.name}.from(…), or view(${given}) for the same bytes` : ""),
    );
  }
}
