// SPDX-License-Identifier: Apache-2.0
// Features of a device that only starting something makes certain (`MuxDeviceInfo.lacksFeature`), as the store and the
// thread that compiles take them.
import { readExecutable } from "@muxkit/metadata";
import type { MuxDeviceInfo } from "@muxkit/mux";

/** The features that a device has for certain. */
export function certainFeatures({ codeFeatures, lacksFeature }: MuxDeviceInfo): readonly string[] {
  return lacksFeature === undefined ? codeFeatures : codeFeatures.filter((feature) => !lacksFeature(feature));
}

/**
 * Whether kept code runs on a device. It was made for a device that promised the same, which may have had more of it.
 */
export function runsOn({ lacksFeature }: MuxDeviceInfo, binary: Uint8Array): boolean {
  if (lacksFeature === undefined || binary.length === 0) return true;
  const read = readExecutable(binary);
  // Whoever loads it says what is wrong with it.
  if (!read.ok || read.value.code.length === 0) return true;
  const all = (features: readonly string[]): boolean => !features.some((feature) => lacksFeature(feature));
  return all(read.value.features) && read.value.code.some(({ features }) => all(features));
}
