// Queries of images and samplers (OpenCL 3.0, 5.3.8, 5.7.2).
import type { Buffer } from "../buffer.ts";
import { IMAGE_TYPES, Image, type ImageFormat } from "../image.ts";
import { live } from "../object.ts";
import type { Context } from "../platform.ts";
import { type AddressingMode, type FilterMode, Sampler, type SamplerProperties } from "../sampler.ts";
import { type InfoTable, query } from "./query.ts";

/** What clGetImageInfo answers, by token; sizes that the type does not have are 0. @public */
export interface ImageInfo {
  /** Format of its pixels. */
  CL_IMAGE_FORMAT: ImageFormat;
  /** Bytes of a pixel. */
  CL_IMAGE_ELEMENT_SIZE: number;
  /** Bytes from row to row. */
  CL_IMAGE_ROW_PITCH: number;
  /** Bytes from slice to slice or layer to layer. */
  CL_IMAGE_SLICE_PITCH: number;
  /** Pixels of a row. */
  CL_IMAGE_WIDTH: number;
  /** Rows. */
  CL_IMAGE_HEIGHT: number;
  /** Slices. */
  CL_IMAGE_DEPTH: number;
  /** Images of an array. */
  CL_IMAGE_ARRAY_SIZE: number;
  /** Buffer whose bytes it shows. */
  CL_IMAGE_BUFFER: Buffer | null;
  /** Mip levels: none. */
  CL_IMAGE_NUM_MIP_LEVELS: number;
  /** Samples of a pixel: none. */
  CL_IMAGE_NUM_SAMPLES: number;
}

const IMAGE: InfoTable<Image, ImageInfo> = {
  CL_IMAGE_FORMAT: ({ format }) => format,
  CL_IMAGE_ELEMENT_SIZE: ({ layout }) => layout.pixelBytes,
  CL_IMAGE_ROW_PITCH: ({ layout }) => layout.rowPitch,
  CL_IMAGE_SLICE_PITCH: ({ type, layout }) => (IMAGE_TYPES[type].isArray || IMAGE_TYPES[type].axes === 3 ? layout.slicePitch : 0),
  CL_IMAGE_WIDTH: ({ layout }) => layout.width,
  CL_IMAGE_HEIGHT: ({ type, layout }) => (IMAGE_TYPES[type].axes >= 2 ? layout.height : 0),
  CL_IMAGE_DEPTH: ({ type, layout }) => (IMAGE_TYPES[type].axes === 3 ? layout.depth : 0),
  CL_IMAGE_ARRAY_SIZE: ({ type, layout }) => (IMAGE_TYPES[type].isArray ? layout.layers : 0),
  CL_IMAGE_BUFFER: ({ parent }) => parent,
  CL_IMAGE_NUM_MIP_LEVELS: () => 0,
  CL_IMAGE_NUM_SAMPLES: () => 0,
};

/** A fact of an image. Errors: CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE. @public */
export function clGetImageInfo<Token extends keyof ImageInfo>(image: Image, token: Token): ImageInfo[Token] {
  return query("clGetImageInfo", IMAGE, live(image, Image, "CL_INVALID_MEM_OBJECT", "clGetImageInfo"), token);
}

/** What clGetSamplerInfo answers, by token. @public */
export interface SamplerInfo {
  /** References. */
  CL_SAMPLER_REFERENCE_COUNT: number;
  /** Its context. */
  CL_SAMPLER_CONTEXT: Context;
  /** Whether coordinates count from 0 to 1 over the image. */
  CL_SAMPLER_NORMALIZED_COORDS: boolean;
  /** What coordinates beyond the image mean. */
  CL_SAMPLER_ADDRESSING_MODE: AddressingMode;
  /** What it does between pixels. */
  CL_SAMPLER_FILTER_MODE: FilterMode;
  /** The list that it was made with; null: it was made without one. */
  CL_SAMPLER_PROPERTIES: SamplerProperties | null;
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
