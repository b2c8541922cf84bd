// SPDX-License-Identifier: Apache-2.0
// Images of the runtime API in terms of libimg: any device whose images are in plain memory can use them.
import { type Result, err } from "@muxkit/cargo";
import {
  type Comparison,
  IMAGE_FORMATS,
  type Image,
  type ImageLimits,
  type ImageType,
  type Sampler,
  createImage,
  findFormat,
  formatCode,
  samplerBits,
} from "@muxkit/libimg";
import {
  MuxAddressMode,
  MuxCompareMode,
  type MuxDeviceInfo,
  type MuxFailure,
  MuxFilterMode,
  MuxImageFormat,
  MuxImageType,
  MuxResult,
  type MuxSampler,
} from "@muxkit/mux";

const TYPES: Readonly<Record<MuxImageType, readonly [single: ImageType, array: ImageType]>> = {
  [MuxImageType.image_1d]: ["1d", "1d_array"],
  [MuxImageType.image_2d]: ["2d", "2d_array"],
  [MuxImageType.image_3d]: ["3d", "3d"],
};

const ADDRESSING: Readonly<Record<MuxAddressMode, Sampler["addressing"]>> = {
  [MuxAddressMode.none]: "none",
  [MuxAddressMode.repeat]: "repeat",
  [MuxAddressMode.repeat_mirror]: "mirrored_repeat",
  [MuxAddressMode.clamp]: "clamp",
  [MuxAddressMode.clamp_edge]: "clamp_to_edge",
};

const COMPARISONS: Readonly<Record<MuxCompareMode, Comparison>> = {
  [MuxCompareMode.never]: "never",
  [MuxCompareMode.less]: "less",
  [MuxCompareMode.equal]: "equal",
  [MuxCompareMode.less_or_equal]: "less_or_equal",
  [MuxCompareMode.greater]: "greater",
  [MuxCompareMode.not_equal]: "not_equal",
  [MuxCompareMode.greater_or_equal]: "greater_or_equal",
  [MuxCompareMode.always]: "always",
};

const KNOWN: ReadonlySet<number> = new Set(Object.values(MuxImageFormat));

/** Formats that libimg supports. @public */
export const MUX_IMAGE_FORMATS: readonly MuxImageFormat[] = IMAGE_FORMATS.map(formatCode).filter(
  (code): code is MuxImageFormat => KNOWN.has(code),
);

/** A sampler as the kit's kernels read it. @public */
export function muxSamplerBits({
  addressMode,
  filterMode,
  normalizeCoords,
  compareMode,
  shaderBits = 0,
}: MuxSampler): number {
  const bits = samplerBits({
    normalized: normalizeCoords,
    addressing: ADDRESSING[addressMode],
    filter: filterMode === MuxFilterMode.linear ? "linear" : "nearest",
    ...(compareMode === undefined ? {} : { comparison: COMPARISONS[compareMode] }),
  });
  return (bits ^ shaderBits) >>> 0;
}

/** The parameters of muxCreateImage. @public */
export interface MuxImageRequest {
  /** Dimensions. */
  readonly type: MuxImageType;
  /** Format of a pixel. */
  readonly format: MuxImageFormat;
  /** Pixels. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Slices. */
  readonly depth: number;
  /** Layers; 0: no array. */
  readonly arrayLayers: number;
  /** Bytes of a row; 0: tight. */
  readonly rowSize: number;
  /** Bytes of a slice; 0: tight. */
  readonly sliceSize: number;
}

/** The limits of a device's images. @public */
export function imageLimits(info: Omit<MuxDeviceInfo, "id">): ImageLimits {
  return {
    width1d: info.maxImageDimension1d,
    widthBuffer: info.maxImageDimension1d,
    size2d: info.maxImageDimension2d,
    size3d: info.maxImageDimension3d,
    layers: info.maxImageArrayLayers,
  };
}

/**
 * The layout of an image. Errors: error_feature_unsupported for a format that is not known, error_invalid_value for
 * sizes and pitches that make no image.
 *
 * @public
 */
export function muxImageLayout(request: MuxImageRequest, limits: ImageLimits): Result<Image, MuxFailure> {
  const { type, format, width, height, depth, arrayLayers, rowSize, sliceSize } = request;
  const known = findFormat(format & 0xffff, format >>> 16);
  if (known === null)
    return err({ code: MuxResult.error_feature_unsupported, message: `the device has no images of format ${format}` });
  const image = createImage(
    {
      type: TYPES[type][arrayLayers > 0 ? 1 : 0],
      format: known,
      width,
      height,
      depth,
      layers: Math.max(1, arrayLayers),
      rowPitch: rowSize,
      slicePitch: sliceSize,
    },
    limits,
  );
  return image.ok ? image : err({ code: MuxResult.error_invalid_value, message: image.error.message });
}
