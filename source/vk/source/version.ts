// SPDX-License-Identifier: Apache-2.0
// Versions as Vulkan packs them: variant, major, minor, patch in one word.

/** Packs a version. @public */
export function VK_MAKE_API_VERSION(variant: number, major: number, minor: number, patch: number): number {
  return ((variant << 29) | (major << 22) | (minor << 12) | patch) >>> 0;
}

/** The major number of a version. @public */
export function VK_API_VERSION_MAJOR(version: number): number {
  return (version >>> 22) & 0x7f;
}

/** The minor number of a version. @public */
export function VK_API_VERSION_MINOR(version: number): number {
  return (version >>> 12) & 0x3ff;
}

/** The patch number of a version. @public */
export function VK_API_VERSION_PATCH(version: number): number {
  return version & 0xfff;
}

/** Vulkan 1.0. @public */
export const VK_API_VERSION_1_0: number = VK_MAKE_API_VERSION(0, 1, 0, 0);
/** Vulkan 1.1. @public */
export const VK_API_VERSION_1_1: number = VK_MAKE_API_VERSION(0, 1, 1, 0);
/** Vulkan 1.2. @public */
export const VK_API_VERSION_1_2: number = VK_MAKE_API_VERSION(0, 1, 2, 0);
/** Vulkan 1.3. @public */
export const VK_API_VERSION_1_3: number = VK_MAKE_API_VERSION(0, 1, 3, 0);

/** The version of this package's instances and devices. */
export const API_VERSION: number = VK_API_VERSION_1_3;

/** A size that reaches to the end. @public */
export const VK_WHOLE_SIZE: number = 2 ** 64;
/** No family of queues: ownership does not change. @public */
export const VK_QUEUE_FAMILY_IGNORED: number = 0xffff_ffff;
/** All layers from the first one on. @public */
export const VK_REMAINING_ARRAY_LAYERS: number = 0xffff_ffff;
/** All levels from the first one on. @public */
export const VK_REMAINING_MIP_LEVELS: number = 0xffff_ffff;
/** A level of detail that is no limit. @public */
export const VK_LOD_CLAMP_NONE: number = 1000;
