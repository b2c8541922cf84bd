// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
// Images (`sycl::unsampled_image`, `sycl::sampled_image`): pixels in the memory of a buffer, without gaps between rows.
// So commands that use an image are ordered as those that use the buffer, and the host has its very bytes.
import {
  IMAGE_FORMATS_BY_NAME,
  type ImageFormatName,
  type ImageParameter,
  type ImageSampler,
  colorScalar,
  imageFormatCode,
  imageLayout,
  wholeSampler,
} from "@muxkit/kernel-library";
import { DEFAULT_ALLOCATOR, MuxAddressMode, MuxFilterMode, type MuxImageFormat, MuxImageType } from "@muxkit/mux";
import { muxBindImageMemory, muxCreateImage } from "@muxkit/mux/unchecked";

import type { AccessMode, DeviceAccessor, HostAccessor } from "./accessor.ts";
import { Buffer } from "./buffer.ts";
import { SyclException, ensure, fromMux } from "./exception.ts";
import type { Handler } from "./handler.ts";
import { BoundImage, BoundSampler, AccessedImage } from "./accessed-image.ts";
import { type Dimensions, Range } from "./range.ts";
import type { RuntimeDevice, Storage } from "./runtime-device.ts";
import { type TypedArray, type TypedArrayType, isTypedArray, typeOf } from "./typed-array.ts";

const TYPES = [MuxImageType.image_1d, MuxImageType.image_2d, MuxImageType.image_3d] as const;

const ADDRESSING = {
  none: MuxAddressMode.none,
  clamp_to_edge: MuxAddressMode.clamp_edge,
  clamp: MuxAddressMode.clamp,
  repeat: MuxAddressMode.repeat,
  mirrored_repeat: MuxAddressMode.repeat_mirror,
} as const;

/** Where the runtime's image of a part is made, at its first use on a device. */
class ImagePlace {
  readonly format: ImageFormatName;
  /** Pixels along x, y, z. */
  readonly sizes: readonly number[];
  readonly sampler: BoundSampler | null;
  #bound: BoundImage | null = null;

  constructor(format: ImageFormatName, sizes: readonly number[], sampler: BoundSampler | null) {
    this.format = format;
    this.sizes = sizes;
    this.sampler = sampler;
  }

  boundTo(call: string, runtime: RuntimeDevice, storage: Storage): BoundImage {
    if (this.#bound?.storage === storage) return this.#bound;
    const { device } = runtime;
    const { width, height, depth, rowPitch, slicePitch } = imageLayout(this.format, this.sizes);
    const type = TYPES[this.sizes.length - 1] ?? MuxImageType.image_2d;
    const code = imageFormatCode(this.format) as MuxImageFormat;
    const slice = this.sizes.length === 3 ? slicePitch : 0;
    const row = this.sizes.length === 1 ? 0 : rowPitch;
    const image = fromMux(
      call,
      muxCreateImage(device, type, code, width, height, depth, 0, row, slice, DEFAULT_ALLOCATOR),
    );
    storage.images.push(image);
    fromMux(call, muxBindImageMemory(device, storage.memory, image, 0));
    this.#bound = new BoundImage(image, storage);
    return this.#bound;
  }
}

/** An accessor of a command group for an image: an argument of its kernel. @public */
export class DeviceImageAccessor extends AccessedImage {
  /** What the command group does. */
  readonly mode: "read" | "write";
  /** Its pixels' format. */
  readonly format: ImageFormatName;
  /** How many coordinates a pixel has. */
  readonly dimensions: number;
  /** The bytes. @internal */
  override readonly bytes: DeviceAccessor;
  readonly #place: ImagePlace;

  /** Made by `image.getAccess`. @internal */
  constructor(mode: "read" | "write", bytes: DeviceAccessor, place: ImagePlace) {
    super();
    this.mode = mode;
    this.format = place.format;
    this.dimensions = place.sizes.length;
    this.bytes = bytes;
    this.#place = place;
  }

  /** True for an image with a sampler. */
  get isSampled(): boolean {
    return this.#place.sampler !== null;
  }

  /** Its sampler. @internal */
  override get sampler(): BoundSampler | null {
    return this.#place.sampler;
  }

  /** The image on a device. @internal */
  override bind(call: string, runtime: RuntimeDevice): BoundImage {
    return this.#place.boundTo(call, runtime, this.bytes.part.memory.storageOn(call, runtime));
  }

  /** Throws where a kernel's image is of another kind. Error: kernel_argument. @internal */
  override check(call: string, { name, element, access, dimensions }: ImageParameter): void {
    const color = colorScalar(IMAGE_FORMATS_BY_NAME[this.format]);
    const own = this.isSampled ? "sample" : this.mode;
    const said = (what: string): string => `the image ${name} ${what}`;
    ensure(own === access, "kernel_argument", call, () =>
      said(`is for "${access}", and the accessor for "${own}"; ${HOW[access]}`),
    );
    ensure(color === element.scalar, "kernel_argument", call, () =>
      said(`has colors of ${element.scalar}4, and ${this.format} has ${color}4`),
    );
    ensure(dimensions === this.dimensions, "kernel_argument", call, () =>
      said(`has ${dimensions} dimensions, and the accessor ${this.dimensions}`),
    );
  }
}

const HOW: Readonly<Record<ImageParameter["access"], string>> = {
  read: 'get it by getAccess(handler, "read") of an UnsampledImage',
  write: 'get it by getAccess(handler, "write") of an UnsampledImage',
  sample: "get it by getAccess(handler) of a SampledImage",
};

/** What both kinds of images have. @public */
export abstract class ImageBase<T extends TypedArray, D extends Dimensions> {
  /** Pixels along x, y, z. */
  readonly range: Range<D>;
  /** Its pixels' format. */
  readonly format: ImageFormatName;
  readonly #buffer: Buffer<T>;
  /** Where the runtime's image is made. @internal */
  protected readonly place: ImagePlace;

  /** See {@link UnsampledImage}. @internal */
  protected constructor(
    source: T | TypedArrayType<T>,
    format: ImageFormatName,
    range: Range<D>,
    sampler: ImageSampler | null,
  ) {
    const call = new.target.name;
    ensure(
      Object.hasOwn(IMAGE_FORMATS_BY_NAME, format),
      "invalid",
      call,
      () => `"${format}" is no format; there are ${Object.keys(IMAGE_FORMATS_BY_NAME).join(", ")}`,
    );
    ensure(range instanceof Range, "invalid", call, "an image has a range: its pixels along x, y and z");
    const { bytes } = imageLayout(format, range.sizes);
    const array = isTypedArray(source) ? source : null;
    const type = array === null ? (source as TypedArrayType<T>) : typeOf(array);
    const count = bytes / type.BYTES_PER_ELEMENT;
    ensure(
      Number.isInteger(count) && (array === null || array.length === count),
      "invalid",
      call,
      () => `the array has ${array?.byteLength ?? 0} bytes, and the image ${bytes}`,
    );
    this.range = range;
    this.format = format;
    this.#buffer = array === null ? new Buffer(type, new Range([count])) : new Buffer(array);
    this.place = new ImagePlace(format, range.sizes, sampler === null ? null : samplerOf(call, sampler));
  }

  /** The bytes for a command group. @internal */
  protected bytesFor(handler: Handler, mode: AccessMode): DeviceAccessor {
    return this.#buffer.getAccess(handler, mode);
  }

  /** The pixels for the host, as numbers of the array. Errors: those of `Buffer.getHostAccess`. */
  getHostAccess(mode: AccessMode = "read_write"): HostAccessor<T, 1> {
    return this.#buffer.getHostAccess(mode);
  }

  /** Waits for the commands that use it, and writes the array back that it is over. */
  [Symbol.dispose](): void {
    this.#buffer[Symbol.dispose]();
  }

  /** The same, without blocking. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#buffer[Symbol.asyncDispose]();
  }
}

function samplerOf(call: string, sampler: ImageSampler): BoundSampler {
  const { addressing, normalized, filter } = wholeSampler(sampler);
  if (!Object.hasOwn(ADDRESSING, addressing))
    throw new SyclException(
      "invalid",
      call,
      `"${addressing}" is no addressing; there are ${Object.keys(ADDRESSING).join(", ")}`,
    );
  ensure(
    normalized || (addressing !== "repeat" && addressing !== "mirrored_repeat"),
    "invalid",
    call,
    `the addressing ${addressing} needs normalized coordinates`,
  );
  return new BoundSampler({
    addressMode: ADDRESSING[addressing],
    filterMode: filter === "linear" ? MuxFilterMode.linear : MuxFilterMode.nearest,
    normalizeCoords: normalized,
  });
}

/** An image that kernels read or write by whole coordinates, over an array or of zeros. @public */
export class UnsampledImage<T extends TypedArray = TypedArray, D extends Dimensions = 2> extends ImageBase<T, D> {
  /**
   * Makes it: of the array's pixels, or of zeros in an array of a class. Errors: invalid for an unknown format, and for
   * an array of another size.
   *
   * @param range - pixels along x, y, z
   */
  constructor(source: T | TypedArrayType<T>, format: ImageFormatName, range: Range<D>) {
    super(source, format, range, null);
  }

  /** The image for a command group. Errors: invalid for a mode that images lack. */
  getAccess(handler: Handler, mode: "read" | "write"): DeviceImageAccessor {
    ensure(
      mode === "read" || mode === "write",
      "invalid",
      "getAccess",
      'a command group reads an image or writes it: use "read" or "write"',
    );
    // What is not written stays as it is.
    return new DeviceImageAccessor(mode, this.bytesFor(handler, mode === "read" ? "read" : "read_write"), this.place);
  }
}

/** An image that kernels sample, over an array. @public */
export class SampledImage<T extends TypedArray = TypedArray, D extends Dimensions = 2> extends ImageBase<T, D> {
  /**
   * Makes it. Errors: invalid for an unknown format or addressing, for an array of another size, and for addressing
   * that needs normalized coordinates without them.
   *
   * @param range - pixels along x, y, z
   */
  constructor(source: T | TypedArrayType<T>, format: ImageFormatName, sampler: ImageSampler, range: Range<D>) {
    super(source, format, range, sampler);
  }

  /** The image for a command group. */
  getAccess(handler: Handler): DeviceImageAccessor {
    return new DeviceImageAccessor("read", this.bytesFor(handler, "read"), this.place);
  }
}
