// SPDX-License-Identifier: Apache-2.0
// Buffers, images and samplers with a list of properties, and the images of OpenCL 1.0 and 1.1 (OpenCL 3.0, 5.2.1,
// 5.3.1, 5.7.1).
import { type Buffer, createBuffer } from "./buffer.ts";
import { OpenCLError, ensure } from "./error.ts";
import { type Image, type ImageDescription, type ImageFormat, createImage } from "./image.ts";
import type { MemoryProperties } from "./memory-object.ts";
import { live } from "./object.ts";
import { Context } from "./platform.ts";
import { type Sampler, type SamplerProperties, createSampler } from "./sampler.ts";

/** OpenCL 3.0 defines no property of memory itself. */
function checkProperties(call: string, context: Context, properties: MemoryProperties | null): void {
  live(context, Context, "CL_INVALID_CONTEXT", call);
  const [name] = Object.keys(properties ?? {});
  ensure(
    name === undefined,
    "CL_INVALID_PROPERTY",
    call,
    () => `${name} is not a property of memory objects; no properties exist`,
  );
}

/**
 * clCreateBuffer with properties, of which there are none yet. Errors: those of {@link clCreateBuffer};
 * CL_INVALID_PROPERTY.
 *
 * @public
 */
export function clCreateBufferWithProperties(
  context: Context,
  properties: MemoryProperties | null,
  flags: number,
  size: number,
  hostArray: ArrayBufferView | null = null,
): Buffer {
  const call = "clCreateBufferWithProperties";
  checkProperties(call, context, properties);
  const buffer = createBuffer(call, context, flags, size, hostArray);
  buffer.properties = properties;
  return buffer;
}

/**
 * clCreateImage with properties, of which there are none yet. Errors: those of {@link clCreateImage};
 * CL_INVALID_PROPERTY.
 *
 * @public
 */
export function clCreateImageWithProperties(
  context: Context,
  properties: MemoryProperties | null,
  flags: number,
  format: ImageFormat,
  description: ImageDescription,
  hostArray: ArrayBufferView | null = null,
): Image {
  const call = "clCreateImageWithProperties";
  checkProperties(call, context, properties);
  const image = createImage(call, context, flags, format, description, hostArray);
  image.properties = properties;
  return image;
}

/** What OpenCL 1.0 calls a description that makes no image. */
function asImageSize(call: string, make: () => Image): Image {
  try {
    return make();
  } catch (error) {
    if (error instanceof OpenCLError && error.name === "CL_INVALID_IMAGE_DESCRIPTOR")
      throw new OpenCLError("CL_INVALID_IMAGE_SIZE", call, "the sizes and pitches do not describe an image", error);
    throw error;
  }
}

/**
 * Of OpenCL 1.0: {@link clCreateImage} of a 2-D image. Errors: those of clCreateImage, CL_INVALID_IMAGE_SIZE for sizes
 * and pitches that make no image.
 *
 * @public
 */
export function clCreateImage2D(
  context: Context,
  flags: number,
  format: ImageFormat,
  width: number,
  height: number,
  rowPitch: number = 0,
  hostArray: ArrayBufferView | null = null,
): Image {
  const call = "clCreateImage2D";
  return asImageSize(call, () =>
    createImage(call, context, flags, format, { type: "CL_MEM_OBJECT_IMAGE2D", width, height, rowPitch }, hostArray),
  );
}

/**
 * Of OpenCL 1.0: {@link clCreateImage} of a 3-D image. Errors: those of clCreateImage, CL_INVALID_IMAGE_SIZE for sizes
 * and pitches that make no image, and for a depth of 1.
 *
 * @public
 */
export function clCreateImage3D(
  context: Context,
  flags: number,
  format: ImageFormat,
  width: number,
  height: number,
  depth: number,
  rowPitch: number = 0,
  slicePitch: number = 0,
  hostArray: ArrayBufferView | null = null,
): Image {
  const call = "clCreateImage3D";
  live(context, Context, "CL_INVALID_CONTEXT", call);
  ensure(context.device.info.imageSupport, "CL_INVALID_OPERATION", call, "the device has no images");
  ensure(
    depth > 1,
    "CL_INVALID_IMAGE_SIZE",
    call,
    `this call requires a 3-D image of at least two slices, not ${depth}`,
  );
  return asImageSize(call, () =>
    createImage(
      call,
      context,
      flags,
      format,
      { type: "CL_MEM_OBJECT_IMAGE3D", width, height, depth, rowPitch, slicePitch },
      hostArray,
    ),
  );
}

/** The default properties of a sampler. */
const SAMPLER_DEFAULTS = {
  CL_SAMPLER_NORMALIZED_COORDS: true,
  CL_SAMPLER_ADDRESSING_MODE: "CL_ADDRESS_CLAMP",
  CL_SAMPLER_FILTER_MODE: "CL_FILTER_NEAREST",
} as const satisfies Required<SamplerProperties>;

/**
 * Makes a sampler; properties default to normalised coordinates, CL_ADDRESS_CLAMP and CL_FILTER_NEAREST.
 * Errors: those of {@link clCreateSampler}.
 *
 * @public
 */
export function clCreateSamplerWithProperties(context: Context, properties: SamplerProperties | null = null): Sampler {
  const call = "clCreateSamplerWithProperties";
  for (const name of Object.keys(properties ?? {}))
    ensure(
      Object.hasOwn(SAMPLER_DEFAULTS, name),
      "CL_INVALID_VALUE",
      call,
      `${name} is not a property of samplers; the properties are ${Object.keys(SAMPLER_DEFAULTS).join(", ")}`,
    );
  const all = { ...SAMPLER_DEFAULTS, ...properties };
  const sampler = createSampler(
    call,
    context,
    all.CL_SAMPLER_NORMALIZED_COORDS,
    all.CL_SAMPLER_ADDRESSING_MODE,
    all.CL_SAMPLER_FILTER_MODE,
  );
  sampler.properties = properties;
  return sampler;
}
