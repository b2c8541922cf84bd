// SPDX-License-Identifier: Apache-2.0
// Queries of images and samplers (OpenCL 3.0, 5.3.8, 5.7.2).
import { Buffer } from "../buffer.ts";
import type { ImageInfo, SamplerInfo } from "../generated/info.ts";
import { IMAGE_TYPES, Image } from "../image.ts";
import { live } from "../object.ts";
import { Sampler } from "../sampler.ts";
import { type InfoTable, query } from "./query.ts";

const IMAGE: InfoTable<Image, ImageInfo> = {
  CL_IMAGE_FORMAT: ({ format }) => format,
  CL_IMAGE_ELEMENT_SIZE: ({ layout }) => layout.pixelBytes,
  CL_IMAGE_ROW_PITCH: ({ layout }) => layout.rowPitch,
  CL_IMAGE_SLICE_PITCH: ({ slicePitch }) => slicePitch,
  CL_IMAGE_WIDTH: ({ layout }) => layout.width,
  CL_IMAGE_HEIGHT: ({ type, layout }) => (IMAGE_TYPES[type].axes >= 2 ? layout.height : 0),
  CL_IMAGE_DEPTH: ({ type, layout }) => (IMAGE_TYPES[type].axes === 3 ? layout.depth : 0),
  CL_IMAGE_ARRAY_SIZE: ({ type, layout }) => (IMAGE_TYPES[type].isArray ? layout.layers : 0),
  CL_IMAGE_BUFFER: ({ parent }) => (parent instanceof Buffer ? parent : null),
  CL_IMAGE_NUM_MIP_LEVELS: () => 0,
  CL_IMAGE_NUM_SAMPLES: () => 0,
};

/** A fact of an image. Errors: CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE. @public */
export function clGetImageInfo<Token extends keyof ImageInfo>(image: Image, token: Token): ImageInfo[Token] {
  return query("clGetImageInfo", IMAGE, live(image, Image, "CL_INVALID_MEM_OBJECT", "clGetImageInfo"), token);
}

const SAMPLER: InfoTable<Sampler, SamplerInfo> = {
  CL_SAMPLER_REFERENCE_COUNT: ({ referenceCount }) => referenceCount,
  CL_SAMPLER_CONTEXT: ({ context }) => context,
  CL_SAMPLER_NORMALIZED_COORDS: ({ normalized }) => normalized,
  CL_SAMPLER_ADDRESSING_MODE: ({ addressing }) => addressing,
  CL_SAMPLER_FILTER_MODE: ({ filter }) => filter,
  CL_SAMPLER_PROPERTIES: ({ properties }) => properties,
};

/** A fact of a sampler. Errors: CL_INVALID_SAMPLER, CL_INVALID_VALUE. @public */
export function clGetSamplerInfo<Token extends keyof SamplerInfo>(sampler: Sampler, token: Token): SamplerInfo[Token] {
  return query("clGetSamplerInfo", SAMPLER, live(sampler, Sampler, "CL_INVALID_SAMPLER", "clGetSamplerInfo"), token);
}
