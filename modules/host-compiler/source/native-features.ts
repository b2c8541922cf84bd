// SPDX-License-Identifier: Apache-2.0
// What devices and executables say of native code.

/** Tiers of native code, lowest first. A device with the feature of that name runs its sections. */
export const NATIVE_TIERS = ["x64.3", "x64.4"] as const;

/** One of {@link NATIVE_TIERS}. @public */
export type NativeTierName = (typeof NATIVE_TIERS)[number];

/** A device with this feature wants all code native, also what is made for a first launch. */
export const NATIVE_ALWAYS = "x64.3-always";

/** The section of a tier's native code: a code object of `@muxkit/x64-assembler`. */
export function nativeSection(tier: NativeTierName): string {
  return `.${tier}`;
}
