// SPDX-License-Identifier: Apache-2.0
// Arrays on a device: typed, with reads and writes that keep the device's order.
import {
  type Buffer,
  type Event,
  clEnqueueFillBuffer,
  clEnqueueReadBuffer,
  clEnqueueWriteBuffer,
  clReleaseMemObject,
} from "@muxkit/opencl";

import { ownedSource, ensureBlocking } from "./blocking.ts";
import type { Launches } from "./launches.ts";

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

/** A typed array's class. @public */
export interface TypedArrayType<T extends TypedArray> {
  /** An array of zeros. */
  new (length: number): T;
  /** Bytes of an element. */
  readonly BYTES_PER_ELEMENT: number;
}

/** An array in device memory. Kernels take it where they have a pointer. @public */
export class DeviceArray<T extends TypedArray = TypedArray> {
  /** Elements. */
  readonly length: number;
  /** The underlying OpenCL buffer. */
  readonly buffer: Buffer;
  /** Of the package itself. @internal */
  readonly launches: Launches;
  readonly #type: TypedArrayType<T>;

  /** Made by `Device.array`. @internal */
  constructor(launches: Launches, type: TypedArrayType<T>, length: number, buffer: Buffer) {
    this.launches = launches;
    this.#type = type;
    this.length = length;
    this.buffer = buffer;
  }

  /** Bytes. */
  get byteLength(): number {
    return this.length * this.#type.BYTES_PER_ELEMENT;
  }

  /** The contents, once everything before is done. Rejects with what failed since the last such call. */
  async read(): Promise<T> {
    const array = new this.#type(this.length);
    await clEnqueueReadBuffer(this.launches.queue, this.buffer, false, 0, this.byteLength, array).done;
    this.launches.throwFailure();
    return array;
  }

  /** The same; blocks and helps with the work. Error: CL_INVALID_OPERATION in the main thread of a page. */
  readSync(): T {
    ensureBlocking("readSync", "await read()");
    const array = new this.#type(this.length);
    clEnqueueReadBuffer(this.launches.queue, this.buffer, true, 0, this.byteLength, array);
    this.launches.throwFailure();
    return array;
  }

  /** Writes the contents, from `offset` elements on. The source can be changed as soon as this returns. */
  write(source: T, offset: number = 0): void {
    if (source.length === 0) return;
    const owned = ownedSource(source);
    this.launches.track(
      clEnqueueWriteBuffer(
        this.launches.queue,
        this.buffer,
        owned.blocking,
        offset * this.#type.BYTES_PER_ELEMENT,
        source.byteLength,
        owned.source,
      ),
    );
  }

  /** Sets every element. */
  fill(value: T[number]): Event {
    const pattern = new this.#type(1);
    pattern.fill(value as never);
    return this.launches.track(clEnqueueFillBuffer(this.launches.queue, this.buffer, pattern, 0, this.byteLength));
  }

  /** Frees the memory, once everything that uses it is done. */
  destroy(): void {
    clReleaseMemObject(this.buffer);
  }
}
