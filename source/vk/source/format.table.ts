// SPDX-License-Identifier: Apache-2.0
// Vulkan's formats that images of the runtime have, in libimg's terms. Those of packed 32-bit words that begin with A8
// are bytes in the order RGBA, as devices of the kit are little-endian.
import { type ChannelOrder, type ChannelType, type ImageFormat, findFormat } from "@muxkit/libimg";
import { CHANNEL_ORDERS, CHANNEL_TYPES } from "@muxkit/libimg";

import * as V from "./generated/constants.ts";

type Row = readonly [format: V.VkFormat, order: ChannelOrder, type: ChannelType];

const ROWS: readonly Row[] = [
  [V.VK_FORMAT_R5G6B5_UNORM_PACK16, "RGB", "UNORM_SHORT_565"],
  [V.VK_FORMAT_R8_UNORM, "R", "UNORM_INT8"],
  [V.VK_FORMAT_R8_SNORM, "R", "SNORM_INT8"],
  [V.VK_FORMAT_R8_UINT, "R", "UNSIGNED_INT8"],
  [V.VK_FORMAT_R8_SINT, "R", "SIGNED_INT8"],
  [V.VK_FORMAT_R8G8_UNORM, "RG", "UNORM_INT8"],
  [V.VK_FORMAT_R8G8_SNORM, "RG", "SNORM_INT8"],
  [V.VK_FORMAT_R8G8_UINT, "RG", "UNSIGNED_INT8"],
  [V.VK_FORMAT_R8G8_SINT, "RG", "SIGNED_INT8"],
  [V.VK_FORMAT_R8G8B8A8_UNORM, "RGBA", "UNORM_INT8"],
  [V.VK_FORMAT_R8G8B8A8_SNORM, "RGBA", "SNORM_INT8"],
  [V.VK_FORMAT_R8G8B8A8_UINT, "RGBA", "UNSIGNED_INT8"],
  [V.VK_FORMAT_R8G8B8A8_SINT, "RGBA", "SIGNED_INT8"],
  [V.VK_FORMAT_R8G8B8A8_SRGB, "sRGBA", "UNORM_INT8"],
  [V.VK_FORMAT_B8G8R8A8_UNORM, "BGRA", "UNORM_INT8"],
  [V.VK_FORMAT_B8G8R8A8_SNORM, "BGRA", "SNORM_INT8"],
  [V.VK_FORMAT_B8G8R8A8_UINT, "BGRA", "UNSIGNED_INT8"],
  [V.VK_FORMAT_B8G8R8A8_SINT, "BGRA", "SIGNED_INT8"],
  [V.VK_FORMAT_B8G8R8A8_SRGB, "sBGRA", "UNORM_INT8"],
  [V.VK_FORMAT_A8B8G8R8_UNORM_PACK32, "RGBA", "UNORM_INT8"],
  [V.VK_FORMAT_A8B8G8R8_SNORM_PACK32, "RGBA", "SNORM_INT8"],
  [V.VK_FORMAT_A8B8G8R8_UINT_PACK32, "RGBA", "UNSIGNED_INT8"],
  [V.VK_FORMAT_A8B8G8R8_SINT_PACK32, "RGBA", "SIGNED_INT8"],
  [V.VK_FORMAT_A8B8G8R8_SRGB_PACK32, "sRGBA", "UNORM_INT8"],
  [V.VK_FORMAT_R16_UNORM, "R", "UNORM_INT16"],
  [V.VK_FORMAT_R16_SNORM, "R", "SNORM_INT16"],
  [V.VK_FORMAT_R16_UINT, "R", "UNSIGNED_INT16"],
  [V.VK_FORMAT_R16_SINT, "R", "SIGNED_INT16"],
  [V.VK_FORMAT_R16_SFLOAT, "R", "HALF_FLOAT"],
  [V.VK_FORMAT_R16G16_UNORM, "RG", "UNORM_INT16"],
  [V.VK_FORMAT_R16G16_SNORM, "RG", "SNORM_INT16"],
  [V.VK_FORMAT_R16G16_UINT, "RG", "UNSIGNED_INT16"],
  [V.VK_FORMAT_R16G16_SINT, "RG", "SIGNED_INT16"],
  [V.VK_FORMAT_R16G16_SFLOAT, "RG", "HALF_FLOAT"],
  [V.VK_FORMAT_R16G16B16A16_UNORM, "RGBA", "UNORM_INT16"],
  [V.VK_FORMAT_R16G16B16A16_SNORM, "RGBA", "SNORM_INT16"],
  [V.VK_FORMAT_R16G16B16A16_UINT, "RGBA", "UNSIGNED_INT16"],
  [V.VK_FORMAT_R16G16B16A16_SINT, "RGBA", "SIGNED_INT16"],
  [V.VK_FORMAT_R16G16B16A16_SFLOAT, "RGBA", "HALF_FLOAT"],
  [V.VK_FORMAT_R32_UINT, "R", "UNSIGNED_INT32"],
  [V.VK_FORMAT_R32_SINT, "R", "SIGNED_INT32"],
  [V.VK_FORMAT_R32_SFLOAT, "R", "FLOAT"],
  [V.VK_FORMAT_R32G32_UINT, "RG", "UNSIGNED_INT32"],
  [V.VK_FORMAT_R32G32_SINT, "RG", "SIGNED_INT32"],
  [V.VK_FORMAT_R32G32_SFLOAT, "RG", "FLOAT"],
  [V.VK_FORMAT_R32G32B32A32_UINT, "RGBA", "UNSIGNED_INT32"],
  [V.VK_FORMAT_R32G32B32A32_SINT, "RGBA", "SIGNED_INT32"],
  [V.VK_FORMAT_R32G32B32A32_SFLOAT, "RGBA", "FLOAT"],
  [V.VK_FORMAT_D16_UNORM, "DEPTH", "UNORM_INT16"],
  [V.VK_FORMAT_D32_SFLOAT, "DEPTH", "FLOAT"],
];

const FORMATS: ReadonlyMap<V.VkFormat, ImageFormat> = new Map(
  ROWS.flatMap(([format, order, type]) => {
    const found = findFormat(CHANNEL_ORDERS[order].code, CHANNEL_TYPES[type].code);
    return found === null ? [] : [[format, found] as const];
  }),
);

const NAMES: ReadonlyMap<V.VkFormat, string> = new Map(
  Object.entries(V).flatMap(([name, value]) =>
    /^VK_FORMAT_(?!FEATURE)/u.test(name) ? [[value as V.VkFormat, name] as const] : [],
  ),
);

/** A format in libimg's terms; null: there are no images of it. */
export function pixelFormat(format: V.VkFormat): ImageFormat | null {
  return FORMATS.get(format) ?? null;
}

/** The name of a format. */
export function formatName(format: V.VkFormat): string {
  return NAMES.get(format) ?? `format ${format}`;
}

/** True for formats with depths instead of colours. */
export function isDepth(format: V.VkFormat): boolean {
  return FORMATS.get(format)?.order === "DEPTH";
}
