// SPDX-License-Identifier: Apache-2.0
// Images (OpenCL 3.0, 5.3): creation, formats.
import { bytesOf } from "@muxkit/cargo";
import {
  type ChannelOrder,
  type ChannelType,
  type Image as Layout,
  type ImageFormat as Format,
  type ImageType,
  CHANNEL_ORDERS,
  CHANNEL_TYPES,
  IMAGE_FORMATS,
  copyPixels,
  createImage as layOut,
  findFormat,
  formatCode,
  imageExtent,
  imageView,
} from "@muxkit/libimg";
import {
  DEFAULT_ALLOCATOR,
  MuxAllocationType,
  type MuxDevice,
  type MuxImage,
  type MuxImageFormat,
  MuxImageType,
  type MuxMemory,
  muxBindImageMemory,
  muxCreateImage,
  muxDestroyImage,
  muxGetSupportedImageFormats,
} from "@muxkit/mux";

import { Buffer } from "./buffer.ts";
import { CL_MEM_KERNEL_READ_AND_WRITE } from "./generated/constants.ts";
import { OpenCLError, ensure } from "./error.ts";
import { fromMux, orElse } from "./from-mux.ts";
import { MemoryObject, checkedFlags, inheritedFlags, takeMemory } from "./memory-object.ts";
import { live } from "./object.ts";
import { Context } from "./platform.ts";

/** Pixels of an image: which channels, and how each is stored. @public */
export interface ImageFormat {
  /** image_channel_order. */
  readonly channelOrder: `CL_${ChannelOrder}`;
  /** image_channel_data_type. */
  readonly channelType: `CL_${ChannelType}`;
}

/** Type of an image. @public */
export type ImageObjectType =
  | "CL_MEM_OBJECT_IMAGE1D"
  | "CL_MEM_OBJECT_IMAGE1D_ARRAY"
  | "CL_MEM_OBJECT_IMAGE1D_BUFFER"
  | "CL_MEM_OBJECT_IMAGE2D"
  | "CL_MEM_OBJECT_IMAGE2D_ARRAY"
  | "CL_MEM_OBJECT_IMAGE3D";

/** What an image shall be. @public */
export interface ImageDescription {
  /** Its type. */
  readonly type: ImageObjectType;
  /** Pixels of a row. */
  readonly width: number;
  /** Rows; only of types that have them. */
  readonly height?: number;
  /** Slices of a 3-D image. */
  readonly depth?: number;
  /** Images of an array. */
  readonly arraySize?: number;
  /** Bytes from row to row of the caller's array, or of the buffer; 0: tight. */
  readonly rowPitch?: number;
  /** Bytes from slice to slice, or layer to layer; 0: tight. */
  readonly slicePitch?: number;
  /** Whose bytes the image shows: for CL_MEM_OBJECT_IMAGE1D_BUFFER always, for CL_MEM_OBJECT_IMAGE2D if wanted. */
  readonly buffer?: Buffer;
  /** The image whose pixels a CL_MEM_OBJECT_IMAGE2D shows with another order of channels. */
  readonly image?: Image;
}

interface TypeRow {
  readonly type: ImageType;
  readonly mux: MuxImageType;
  readonly axes: 1 | 2 | 3;
  readonly isArray: boolean;
}

/** The types by OpenCL's names. */
export const IMAGE_TYPES: Readonly<Record<ImageObjectType, TypeRow>> = {
  CL_MEM_OBJECT_IMAGE1D: { type: "1d", mux: MuxImageType.image_1d, axes: 1, isArray: false },
  CL_MEM_OBJECT_IMAGE1D_ARRAY: { type: "1d_array", mux: MuxImageType.image_1d, axes: 1, isArray: true },
  CL_MEM_OBJECT_IMAGE1D_BUFFER: { type: "1d_buffer", mux: MuxImageType.image_1d, axes: 1, isArray: false },
  CL_MEM_OBJECT_IMAGE2D: { type: "2d", mux: MuxImageType.image_2d, axes: 2, isArray: false },
  CL_MEM_OBJECT_IMAGE2D_ARRAY: { type: "2d_array", mux: MuxImageType.image_2d, axes: 2, isArray: true },
  CL_MEM_OBJECT_IMAGE3D: { type: "3d", mux: MuxImageType.image_3d, axes: 3, isArray: false },
};

/**
 * With which order a 2-D image shows the pixels of one of which order (5.3.1.2). Of the table's sRGB and sRGBx there
 * are no images.
 */
const VIEWS: Readonly<Partial<Record<ChannelOrder, ChannelOrder>>> = {
  sBGRA: "BGRA",
  BGRA: "sBGRA",
  sRGBA: "RGBA",
  RGBA: "sRGBA",
  DEPTH: "R",
};

function outsideFormat({ order, type }: Format): ImageFormat {
  return { channelOrder: `CL_${order}`, channelType: `CL_${type}` };
}

/** Orders of channels that OpenCL has and no device of ours. */
const LACKING_ORDERS: ReadonlySet<string> = new Set(["sRGB", "sRGBx"]);

/** Images with depths have two dimensions (OpenCL C 3.0, 6.3.1). */
function canHaveDepth(type: ImageObjectType): boolean {
  return type === "CL_MEM_OBJECT_IMAGE2D" || type === "CL_MEM_OBJECT_IMAGE2D_ARRAY";
}

function insideFormat(call: string, given: ImageFormat | null): Format {
  ensure(
    typeof given?.channelOrder === "string" && typeof given.channelType === "string",
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    call,
    "a format needs a channel order and a channel type",
  );
  const { channelOrder, channelType } = given;
  const order = channelOrder.replace(/^CL_/u, "");
  const type = channelType.replace(/^CL_/u, "");
  ensure(
    (Object.hasOwn(CHANNEL_ORDERS, order) || LACKING_ORDERS.has(order)) && Object.hasOwn(CHANNEL_TYPES, type),
    "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
    call,
    `${channelOrder} with ${channelType} is not an image format`,
  );
  const format = { order, type } as Format;
  const known = IMAGE_FORMATS.some((one) => one.order === format.order && one.type === format.type);
  ensure(
    known,
    "CL_IMAGE_FORMAT_NOT_SUPPORTED",
    call,
    `images of ${channelOrder} with ${channelType} are not supported; ` +
      "clGetSupportedImageFormats lists the supported formats",
  );
  return format;
}

/** An image. @public */
export class Image extends MemoryObject {
  /** Kind, for messages. */
  protected readonly kind = "image";
  /** CL_MEM_ASSOCIATED_MEMOBJECT: the buffer or the image whose bytes the image shows. */
  override readonly parent: Buffer | Image | null;
  /** CL_MEM_TYPE. */
  readonly type: ImageObjectType;
  /** CL_IMAGE_FORMAT. */
  readonly format: ImageFormat;
  /** Sizes and pitches. @internal */
  readonly layout: Layout;
  /** What the runtime calls it. @internal */
  readonly image: MuxImage;

  /** Made by clCreateImage. @internal */
  constructor(
    context: Context,
    part: {
      readonly flags: number;
      readonly hostArray: ArrayBufferView | null;
      readonly parent: Buffer | Image | null;
      readonly type: ImageObjectType;
      readonly layout: Layout;
      readonly memory: MuxMemory;
    },
    image: MuxImage,
  ) {
    super(context, {
      flags: part.flags,
      size: part.layout.bytes,
      hostArray: part.hostArray,
      offset: 0,
      memory: part.memory,
      parent: part.parent,
    });
    this.parent = part.parent;
    this.type = part.type;
    this.format = outsideFormat(part.layout.format);
    this.layout = part.layout;
    this.image = image;
    part.parent?.use();
    context.use();
  }

  /**
   * The image whose pixels it shows, through others maybe; itself, where the pixels are its own or a buffer's.
   *
   * @internal
   */
  get shown(): Image {
    return this.parent instanceof Image ? this.parent.shown : this;
  }

  /** CL_IMAGE_SLICE_PITCH: 0 where the type has no slices. @internal */
  get slicePitch(): number {
    const { isArray, axes } = IMAGE_TYPES[this.type];
    return isArray || axes === 3 ? this.layout.slicePitch : 0;
  }

  /** What the runtime calls it on a device of the context. @internal */
  on(device: MuxDevice): MuxImage {
    return this.copies === null ? this.image : (this.copies.formOn(this, device) as MuxImage);
  }

  /** What the runtime calls it where it was made. @internal */
  override get form(): MuxImage {
    return this.image;
  }

  /** What the runtime calls it on another device, without memory. @internal */
  override createForm(call: string, device: MuxDevice): MuxImage {
    return createOn(call, device, this.type, this.layout);
  }

  /** Binds that to memory of the whole object. @internal */
  override bindForm(call: string, form: MuxImage, memory: MuxMemory): void {
    fromMux(call, muxBindImageMemory(form.device, memory, form, this.rootOffset));
  }

  /** Destroys it. @internal */
  override destroyForm(call: string, form: MuxImage): void {
    fromMux(call, muxDestroyImage(form.device, form, DEFAULT_ALLOCATOR));
  }
}

/** Sizes by axis, 1 where the type has none. */
function sizesOf(
  { axes, isArray }: TypeRow,
  { width, height, depth, arraySize }: ImageDescription,
): Pick<Layout, "width" | "height" | "depth" | "layers"> {
  return {
    width,
    height: axes >= 2 ? (height ?? 0) : 1,
    depth: axes >= 3 ? (depth ?? 0) : 1,
    layers: isArray ? (arraySize ?? 0) : 1,
  };
}

function layoutOf(
  call: string,
  context: Context,
  format: Format,
  description: ImageDescription,
  rowPitch: number,
  slicePitch: number,
): Layout {
  const row = IMAGE_TYPES[description.type];
  const { info } = context.device;
  const limits = {
    width1d: info.maxImageDimension2d,
    widthBuffer: info.maxImageDimension1d,
    size2d: info.maxImageDimension2d,
    size3d: info.maxImageDimension3d,
    layers: info.maxImageArrayLayers,
  };
  const sizes = sizesOf(row, description);
  ensure(
    Object.values(sizes).every((size) => Number.isSafeInteger(size) && size >= 1),
    "CL_INVALID_IMAGE_DESCRIPTOR",
    call,
    () => `an image of type ${description.type} with the sizes ${Object.values(sizes).join(", ")} has no pixels`,
  );
  const made = layOut({ type: row.type, format, ...sizes, rowPitch, slicePitch }, limits);
  if (made.ok) return made.value;
  // The pitch of an image of a buffer's bytes is an error of its own (5.3.1).
  const pitchError =
    description.buffer === undefined ? "CL_INVALID_IMAGE_DESCRIPTOR" : "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR";
  throw new OpenCLError(made.error.code === "size" ? "CL_INVALID_IMAGE_SIZE" : pitchError, call, made.error.message);
}

/** What an image shows, checked; null when it has bytes of its own. */
function parentFor(call: string, context: Context, description: ImageDescription): Buffer | Image | null {
  const { buffer, image } = description;
  ensure(
    buffer === undefined || image === undefined,
    "CL_INVALID_IMAGE_DESCRIPTOR",
    call,
    "an image uses the bytes of a buffer or of another image, not both",
  );
  return image === undefined ? bufferFor(call, context, description) : imageFor(call, context, description.type, image);
}

/** What was released is no object either, and both are errors of the description here. */
function liveParent<T extends Buffer | Image>(
  call: string,
  value: T,
  kind: abstract new (...parts: never[]) => T,
): void {
  ensure(
    value instanceof kind && value.referenceCount > 0,
    "CL_INVALID_IMAGE_DESCRIPTOR",
    call,
    () => `the ${kind.name.toLowerCase()} that provides the bytes is not valid, or has been released`,
  );
}

function imageFor(call: string, context: Context, type: ImageObjectType, image: Image): Image {
  ensure(
    type === "CL_MEM_OBJECT_IMAGE2D",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    call,
    `an image of type ${type} cannot use the pixels of another image`,
  );
  liveParent(call, image, Image);
  ensure(
    image.type === type,
    "CL_INVALID_IMAGE_DESCRIPTOR",
    call,
    `a 2-D image uses the pixels of another 2-D image, not of an image of type ${image.type}`,
  );
  ensure(
    image.context === context,
    "CL_INVALID_CONTEXT",
    call,
    "the image that provides the pixels belongs to another context",
  );
  return image;
}

/**
 * The layout of an image that shows another one's pixels: that one's, with another order of channels. Sizes and pitches
 * are those that clGetImageInfo returns for it (5.3.1.2); a pitch of 0 is whatever it has, as everywhere. Each broken
 * rule is CL_INVALID_IMAGE_FORMAT_DESCRIPTOR (5.3.1), those of sizes as well.
 */
function viewOf(
  call: string,
  format: Format,
  { width, height, rowPitch = 0, slicePitch = 0 }: ImageDescription,
  { layout }: Image,
): Layout {
  const wrong = "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR";
  ensure(
    width === layout.width && height === layout.height,
    wrong,
    call,
    () =>
      `the image that provides the pixels has ${layout.width} by ${layout.height} pixels, ` +
      `not ${width} by ${height ?? 0}`,
  );
  ensure(
    (rowPitch === 0 || rowPitch === layout.rowPitch) && slicePitch === 0,
    wrong,
    call,
    () =>
      `the image that provides the pixels has the row pitch ${layout.rowPitch} and no ` +
      `slices, not the pitches ${rowPitch} and ${slicePitch}`,
  );
  ensure(
    format.type === layout.format.type,
    wrong,
    call,
    () => `pixels of CL_${layout.format.type} cannot be read as CL_${format.type}`,
  );
  const { [format.order]: from } = VIEWS;
  ensure(
    from === layout.format.order,
    wrong,
    call,
    () =>
      `CL_${format.order} can use ` +
      `${from === undefined ? "the pixels of no other channel order" : `the pixels of an image of CL_${from}`}, ` +
      `not CL_${layout.format.order}`,
  );
  return { ...layout, format };
}

/** The buffer that an image shows, checked; null when it has bytes of its own. */
function bufferFor(call: string, context: Context, { type, buffer }: ImageDescription): Buffer | null {
  const isBufferType = type === "CL_MEM_OBJECT_IMAGE1D_BUFFER";
  ensure(
    !isBufferType || buffer !== undefined,
    "CL_INVALID_IMAGE_DESCRIPTOR",
    call,
    "an image of this type uses the bytes of a buffer, but the description has no buffer",
  );
  if (buffer === undefined) return null;
  ensure(
    isBufferType || type === "CL_MEM_OBJECT_IMAGE2D",
    "CL_INVALID_IMAGE_DESCRIPTOR",
    call,
    `an image of type ${type} cannot use the bytes of a buffer`,
  );
  liveParent(call, buffer, Buffer);
  ensure(buffer.isBuffer, "CL_INVALID_IMAGE_DESCRIPTOR", call, "an image cannot use the bytes of a pipe");
  ensure(buffer.context === context, "CL_INVALID_CONTEXT", call, "the buffer belongs to another context");
  return buffer;
}

/**
 * Makes an image. Its contents are those of `hostArray` with CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR, else not
 * defined; with a buffer or an image, its bytes are the new image's, and flags that are not set come from it. A 2-D
 * image of an image has its sizes and type of channels, and one of these orders: CL_RGBA and CL_sRGBA show each other,
 * CL_BGRA and CL_sBGRA as well, and CL_DEPTH shows CL_R. Errors: CL_INVALID_CONTEXT, CL_INVALID_VALUE,
 * CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_IMAGE_DESCRIPTOR,
 * CL_INVALID_IMAGE_SIZE, CL_INVALID_HOST_PTR, CL_INVALID_OPERATION on a device without images,
 * CL_MEM_OBJECT_ALLOCATION_FAILURE.
 *
 * @public
 */
export function clCreateImage(
  context: Context,
  flags: number,
  format: ImageFormat,
  description: ImageDescription,
  hostArray: ArrayBufferView | null = null,
): Image {
  return createImage("clCreateImage", context, flags, format, description, hostArray);
}

/** Makes an image for one of the calls that do. */
export function createImage(
  call: string,
  context: Context,
  flags: number,
  format: ImageFormat,
  description: ImageDescription,
  hostArray: ArrayBufferView | null,
): Image {
  live(context, Context, "CL_INVALID_CONTEXT", call);
  ensure(context.device.info.imageSupport, "CL_INVALID_OPERATION", call, "the device has no images");
  const pixels = insideFormat(call, format);
  ensure(
    typeof description === "object" && description !== null,
    "CL_INVALID_IMAGE_DESCRIPTOR",
    call,
    "the description is not an object with the type and sizes of the image",
  );
  ensure(
    Object.hasOwn(IMAGE_TYPES, description.type),
    "CL_INVALID_IMAGE_DESCRIPTOR",
    call,
    `${description.type} is not an image type`,
  );
  ensure(
    pixels.order !== "DEPTH" || canHaveDepth(description.type),
    "CL_IMAGE_FORMAT_NOT_SUPPORTED",
    call,
    `CL_DEPTH is an order of 2-D images and arrays of them, not of ${description.type}`,
  );
  const parent = parentFor(call, context, description);
  const {
    flags: access,
    uses,
    copies,
  } = parent === null
    ? checkedFlags(call, flags)
    : { flags: inheritedFlags(call, parent, flags), uses: false, copies: false };
  const needs = uses || copies;
  ensure(
    needs === (hostArray !== null),
    "CL_INVALID_HOST_PTR",
    call,
    needs
      ? "these flags require an array"
      : "an array is allowed only with CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR",
  );
  const { rowPitch = 0, slicePitch = 0 } = description;
  ensure(
    hostArray !== null || parent !== null || (rowPitch === 0 && slicePitch === 0),
    "CL_INVALID_IMAGE_DESCRIPTOR",
    call,
    "pitches require an array or a buffer, and neither was passed",
  );
  // An array that is copied has pitches of its own; the image is then laid out tightly.
  const outside =
    parent instanceof Image
      ? viewOf(call, pixels, description, parent)
      : layoutOf(call, context, pixels, description, rowPitch, slicePitch);
  const layout = copies ? layoutOf(call, context, pixels, description, 0, 0) : outside;
  // Every row counts with its whole pitch (5.3.1.2).
  const least = outside.bytes;
  ensure(
    hostArray === null || hostArray.byteLength >= least,
    "CL_INVALID_HOST_PTR",
    call,
    () => `the array has ${hostArray?.byteLength ?? 0} bytes, the image needs ${least}`,
  );
  ensure(
    parent === null || parent.size >= least,
    "CL_INVALID_IMAGE_SIZE",
    call,
    () => `the buffer has ${parent?.size ?? 0} bytes, the image needs ${least}`,
  );
  const image = makeImage(call, context, {
    flags: access,
    hostArray: uses ? hostArray : null,
    parent,
    type: description.type,
    layout,
  });
  if (copies && hostArray !== null) copyHostArray(call, image, outside, bytesOf(hostArray));
  return image;
}

/** The runtime's image on a device, without memory. */
function createOn(call: string, device: MuxDevice, type: ImageObjectType, layout: Layout): MuxImage {
  const { mux, isArray } = IMAGE_TYPES[type];
  return fromMux(
    call,
    muxCreateImage(
      device,
      mux,
      formatCode(layout.format) as MuxImageFormat,
      layout.width,
      layout.height,
      layout.depth,
      isArray ? layout.layers : 0,
      layout.rowPitch,
      layout.slicePitch,
      DEFAULT_ALLOCATOR,
    ),
  );
}

function makeImage(
  call: string,
  context: Context,
  part: {
    readonly flags: number;
    readonly hostArray: ArrayBufferView | null;
    readonly parent: Buffer | Image | null;
    readonly type: ImageObjectType;
    readonly layout: Layout;
  },
): Image {
  const { device } = context.device.open(call);
  const { layout, parent } = part;
  const image = createOn(call, device, part.type, layout);
  const { size, alignment } = image.memoryRequirements;
  const undo = (): void => {
    void muxDestroyImage(device, image, DEFAULT_ALLOCATOR);
  };
  const memory = parent?.memory ?? orElse(undo, () => takeMemory(call, device, size, alignment, part.hostArray));
  fromMux(call, muxBindImageMemory(device, memory, image, parent?.rootOffset ?? 0));
  return new Image(context, { ...part, memory }, image);
}

/** The first contents of an image with bytes of its own. */
function copyHostArray(call: string, image: Image, outside: Layout, from: Uint8Array): void {
  const { layout } = image;
  const region = imageExtent(layout);
  const source = imageView(outside, from, 0, [0, 0, 0]);
  image.initialize(call, (bytes) => {
    copyPixels(source, imageView(layout, bytes, 0, [0, 0, 0]), layout.width * layout.pixelBytes, region);
  });
}

/**
 * The formats that images of a type can have. Errors: CL_INVALID_CONTEXT, CL_INVALID_VALUE for flags and types that
 * there are not.
 *
 * @public
 */
export function clGetSupportedImageFormats(
  context: Context,
  flags: number,
  type: ImageObjectType,
): readonly ImageFormat[] {
  const call = "clGetSupportedImageFormats";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  checkedFlags(call, flags & ~CL_MEM_KERNEL_READ_AND_WRITE);
  ensure(Object.hasOwn(IMAGE_TYPES, type), "CL_INVALID_VALUE", call, `${type} is not an image type`);
  if (!context.device.info.imageSupport) return [];
  const codes = fromMux(
    call,
    muxGetSupportedImageFormats(
      context.device.open(call).device,
      IMAGE_TYPES[type].mux,
      MuxAllocationType.alloc_device,
    ),
  );
  return codes.flatMap((code) => {
    const format = findFormat(code & 0xffff, code >>> 16);
    return format === null || (format.order === "DEPTH" && !canHaveDepth(type)) ? [] : [outsideFormat(format)];
  });
}
