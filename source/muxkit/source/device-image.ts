// SPDX-License-Identifier: Apache-2.0
// Images on a device: what kernels read through samplers and write by coordinates.
import {
  type Event,
  type Image,
  type ImageDescription,
  type ImageFormat,
  type ImagePosition,
  clEnqueueFillImage,
  clEnqueueReadImage,
  clEnqueueWriteImage,
  clReleaseMemObject,
} from "@muxkit/opencl";

import { ownedSource, ensureBlocking } from "./blocking.ts";
import type { TypedArray, TypedArrayType } from "./device-array.ts";
import type { Launches } from "./launches.ts";

/** Description of an image; without a type, the number of sizes decides: one dimension, two, three. @public */
export interface ImageOptions extends Partial<Pick<ImageDescription, "type" | "height" | "depth" | "arraySize">> {
  /** Pixels of a row. */
  readonly width: number;
  /** Its pixels, for example `{ channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" }`. */
  readonly format: ImageFormat;
}

/** The description of an image that options select. */
export function describeImage({ type, width, height, depth, arraySize }: ImageOptions): ImageDescription {
  const isArray = arraySize !== undefined;
  const byDimensions = [
    isArray ? "CL_MEM_OBJECT_IMAGE1D_ARRAY" : "CL_MEM_OBJECT_IMAGE1D",
    isArray ? "CL_MEM_OBJECT_IMAGE2D_ARRAY" : "CL_MEM_OBJECT_IMAGE2D",
    "CL_MEM_OBJECT_IMAGE3D",
  ] as const;
  const guessed = byDimensions[depth !== undefined ? 2 : height !== undefined ? 1 : 0] ?? "CL_MEM_OBJECT_IMAGE1D";
  return {
    type: type ?? guessed,
    width,
    ...(height === undefined ? {} : { height }),
    ...(depth === undefined ? {} : { depth }),
    ...(arraySize === undefined ? {} : { arraySize }),
  };
}

const START: ImagePosition = [0, 0, 0];

/** An image in device memory. Kernels take it where they have an image. @public */
export class DeviceImage<T extends TypedArray = TypedArray> {
  /** The underlying OpenCL image. */
  readonly image: Image;
  /** Pixels of a row, rows (or layers of a 1-D array), slices (or layers of a 2-D array). */
  readonly extent: ImagePosition;
  /** Of the package itself. @internal */
  readonly launches: Launches;
  readonly #type: TypedArrayType<T>;

  /** Made by `Device.image`. @internal */
  constructor(
    launches: Launches,
    type: TypedArrayType<T>,
    image: Image,
    { height = 1, depth = 1, width, arraySize = 1 }: ImageOptions,
  ) {
    this.launches = launches;
    this.#type = type;
    this.image = image;
    this.extent =
      image.type === "CL_MEM_OBJECT_IMAGE1D_ARRAY"
        ? [width, arraySize, 1]
        : [width, height, Math.max(depth, arraySize)];
  }

  /**
   * The pixels, tight, once everything before is done. Rejects with what failed since the last such
   * call.
   */
  async read(): Promise<T> {
    const array = this.#array();
    await clEnqueueReadImage(this.launches.queue, this.image, false, START, this.extent, 0, 0, array).done;
    this.launches.throwFailure();
    return array;
  }

  /** The same; blocks and helps with the work. Error: CL_INVALID_OPERATION in the main thread of a page. */
  readSync(): T {
    ensureBlocking("readSync", "await read()");
    const array = this.#array();
    clEnqueueReadImage(this.launches.queue, this.image, true, START, this.extent, 0, 0, array);
    this.launches.throwFailure();
    return array;
  }

  /** Writes all pixels. The source can be changed as soon as this returns. */
  write(source: T): void {
    const owned = ownedSource(source);
    this.launches.track(
      clEnqueueWriteImage(this.launches.queue, this.image, owned.blocking, START, this.extent, 0, 0, owned.source),
    );
  }

  /** Fills every pixel with a colour: red, green, blue, alpha as a Float32Array, or as ints for a format of ints. */
  fill(color: Float32Array | Int32Array | Uint32Array): Event {
    return this.launches.track(clEnqueueFillImage(this.launches.queue, this.image, color, START, this.extent));
  }

  /** Frees the memory, once everything that uses it is done. */
  destroy(): void {
    clReleaseMemObject(this.image);
  }

  #array(): T {
    return new this.#type(this.image.size / this.#type.BYTES_PER_ELEMENT);
  }
}
