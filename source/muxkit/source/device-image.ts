// SPDX-License-Identifier: Apache-2.0
// Images on a device: what kernels read through samplers and write by coordinates.
import {
  CL_MEM_COPY_HOST_PTR,
  CL_MEM_READ_WRITE,
  type Image,
  type ImageDescription,
  type ImageFormat,
  type ImagePosition,
  OpenCLError,
  clCreateImage,
  clEnqueueFillImage,
  clEnqueueReadImage,
  clEnqueueWriteImage,
} from "@muxkit/opencl";

import { ownedSource, ensureBlocking } from "./blocking.ts";
import type { Command } from "./command.ts";
import { Described } from "./described.ts";
import type { ArrayType, TypedArray } from "./device-array.ts";
import type { ImagePixels } from "./image-data.ts";
import type { Launches } from "./launches.ts";
import { operate } from "./operation.ts";

/** Description of an image; without a type, the number of sizes decides: one dimension, two, three. @public */
export interface ImageOptions extends Partial<Pick<ImageDescription, "type" | "height" | "depth" | "arraySize">> {
  /** Pixels of a row. */
  readonly width: number;
  /** Its pixels, for example `{ channelOrder: "CL_RGBA", channelType: "CL_UNORM_INT8" }`. */
  readonly format: ImageFormat;
}

/** The description of an image that options select. */
function describeImage({ type, width, height, depth, arraySize }: ImageOptions): ImageDescription {
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

/** What is needed of a canvas: an HTMLCanvasElement and an OffscreenCanvas have it. @public */
export interface CanvasLike {
  /** Its context for pictures. */
  getContext(kind: "2d"): {
    createImageData(width: number, height: number): { readonly data: Uint8ClampedArray };
    putImageData(picture: { readonly data: Uint8ClampedArray }, x: number, y: number): void;
  } | null;
}

/** An image in device memory. Kernels take it where they have an image. @public */
export class DeviceImage<T extends TypedArray = TypedArray> extends Described {
  /** The underlying OpenCL image. */
  readonly image: Image;
  /** Pixels of a row, rows (or layers of a 1-D array), slices (or layers of a 2-D array). */
  readonly extent: ImagePosition;
  /** Of the package itself. @internal */
  readonly launches: Launches;
  readonly #type: ArrayType<T>;
  readonly #token: object;

  /** Made by `Device.image`. @internal */
  constructor(
    launches: Launches,
    type: ArrayType<T>,
    image: Image,
    { height = 1, depth = 1, width, arraySize = 1 }: ImageOptions,
  ) {
    super();
    this.launches = launches;
    this.#token = launches.memory.own(this, image);
    this.#type = type;
    this.image = image;
    this.extent =
      image.type === "CL_MEM_OBJECT_IMAGE1D_ARRAY"
        ? [width, arraySize, 1]
        : [width, height, Math.max(depth, arraySize)];
  }

  /** An image with these pixels, or with zeros of a type. @internal */
  static of<T extends TypedArray>(launches: Launches, options: ImageOptions, source: T | ArrayType<T>): DeviceImage<T> {
    const operation = "device.image";
    const { context } = launches.queue;
    const isType = typeof source === "function";
    if (!isType && !ArrayBuffer.isView(source))
      throw new OpenCLError("CL_INVALID_VALUE", operation, "a typed array of pixels, or its class, is required");
    const { width, height = 1, depth = 1, arraySize = 1 } = options;
    const none = Object.entries({ width, height, depth, arraySize }).find(
      ([, size]) => !(Number.isSafeInteger(size) && size >= 1),
    );
    if (none !== undefined)
      throw new OpenCLError(
        "CL_INVALID_IMAGE_DESCRIPTOR",
        operation,
        `${none[0]} is ${none[1]}; a whole number of at least 1 is needed`,
      );
    const description = describeImage(options);
    const made = operate(operation, () =>
      isType
        ? clCreateImage(context, CL_MEM_READ_WRITE, options.format, description)
        : clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, options.format, description, source),
    );
    const image = new DeviceImage(launches, isType ? source : (source.constructor as ArrayType<T>), made, options);
    if (isType) image.write(image.#array());
    return image;
  }

  /**
   * The pixels, tight, once everything before is done. Rejects with what failed since the last such
   * call.
   */
  async read(): Promise<T> {
    const array = this.#array();
    await operate("read", () =>
      clEnqueueReadImage(this.launches.queue, this.image, false, START, this.extent, 0, 0, array),
    ).done;
    this.launches.throwFailure();
    return array;
  }

  /** The same; blocks and helps with the work. Error: CL_INVALID_OPERATION in the main thread of a page. */
  readSync(): T {
    ensureBlocking("readSync", "await read()");
    const array = this.#array();
    operate("readSync", () =>
      clEnqueueReadImage(this.launches.queue, this.image, true, START, this.extent, 0, 0, array),
    );
    this.launches.throwFailure();
    return array;
  }

  /** Writes all pixels. The source can be changed as soon as this returns. */
  write(source: T): void {
    const { name, BYTES_PER_ELEMENT } = this.#type;
    const length = this.image.size / BYTES_PER_ELEMENT;
    if (source.constructor !== this.#type || source.length !== length)
      throw new OpenCLError(
        "CL_INVALID_VALUE",
        "write",
        `the image has ${length} elements of ${name}, not ${source.length} of ${source.constructor.name}`,
      );
    const owned = ownedSource(source);
    const { queue } = this.launches;
    this.launches.track(
      "write",
      operate("write", () =>
        clEnqueueWriteImage(queue, this.image, owned.blocking, START, this.extent, 0, 0, owned.source),
      ),
    );
  }

  /** Fills every pixel with a colour: red, green, blue, alpha as a Float32Array, or as ints for a format of ints. */
  fill(color: Float32Array | Int32Array | Uint32Array): Command {
    return this.launches.track(
      "fill",
      operate("fill", () => clEnqueueFillImage(this.launches.queue, this.image, color, START, this.extent)),
    );
  }

  /**
   * The picture as an ImageData has it, for `new ImageData(data, width)`, a canvas or a file. Error:
   * CL_INVALID_OPERATION for an image that does not have four bytes of colour a pixel, in one layer.
   */
  async toPixels(): Promise<ImagePixels & { readonly data: Uint8ClampedArray }> {
    const [width, height, depth] = this.extent;
    const { channelOrder, channelType } = this.image.format;
    if (channelOrder !== "CL_RGBA" || channelType !== "CL_UNORM_INT8" || depth !== 1)
      throw new OpenCLError(
        "CL_INVALID_OPERATION",
        "toPixels",
        `a picture has the format CL_RGBA of CL_UNORM_INT8 and one layer, not ${channelOrder} of ${channelType} and ${depth}`,
      );
    const { buffer, byteOffset, byteLength } = await this.read();
    return { width, height, data: new Uint8ClampedArray(buffer, byteOffset, byteLength) };
  }

  /** Puts the picture on a canvas of a page, at `x` and `y`. Errors: those of {@link DeviceImage.toPixels}. */
  async drawOn(canvas: CanvasLike, x: number = 0, y: number = 0): Promise<void> {
    const { width, height, data } = await this.toPixels();
    const context = canvas.getContext("2d");
    if (context === null)
      throw new OpenCLError("CL_INVALID_VALUE", "drawOn", "the canvas has a context of another kind than 2d");
    const target = context.createImageData(width, height);
    target.data.set(data);
    context.putImageData(target, x, y);
  }

  /** Frees the memory, once everything that uses it is done. */
  destroy(): void {
    this.launches.memory.release(this.#token);
  }

  /** The same, for `using`. */
  [Symbol.dispose](): void {
    this.destroy();
  }

  /** One line: sizes and format. */
  toString(): string {
    const { channelOrder, channelType } = this.image.format;
    return `DeviceImage ${this.extent.join(" × ")} ${channelOrder} ${channelType}`;
  }

  #array(): T {
    return new this.#type(this.image.size / this.#type.BYTES_PER_ELEMENT);
  }
}
