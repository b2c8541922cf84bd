// SPDX-License-Identifier: Apache-2.0
// Versions, extensions and features of platform and devices.
import { type LanguageOption, OPENCL_VERSION, languageExtensions, languageFeatures } from "@muxkit/compiler";
import type { MuxDeviceInfo } from "@muxkit/mux";

import { compilerModeEdge } from "../compiler-mode.ts";
import { CALL_EXTENSIONS, OUTSIDE_EXTENSIONS } from "../extensions.table.ts";
import { ilVersions } from "../il.ts";
import type { Device } from "../platform.ts";
import type { NameVersion } from "./name-version.ts";

/** A version as OpenCL packs it: ten bits major, ten minor, twelve patch (cl_version). */
export function packVersion([major, minor, patch]: readonly [number, number, number]): number {
  return ((major << 22) | (minor << 12) | patch) >>> 0;
}

/** The version of OpenCL, packed. */
export const NUMERIC_VERSION: number = packVersion([
  Math.floor(OPENCL_VERSION / 100),
  Math.floor(OPENCL_VERSION / 10) % 10,
  0,
]);

function named(options: readonly Pick<LanguageOption, "name" | "version">[]): readonly NameVersion[] {
  return options.map(({ name, version }) => ({ name, version: packVersion(version) }));
}

/** Extensions of the calls that a device has; null: all, which the platform has. */
function callExtensions(device: MuxDeviceInfo | null): readonly NameVersion[] {
  return named(CALL_EXTENSIONS.filter(({ isOn }) => device === null || isOn(device)));
}

/** What the platform has, some of them where there is an outside. */
export function platformExtensions(): readonly NameVersion[] {
  return [...callExtensions(null), ...(compilerModeEdge() === null ? [] : named(OUTSIDE_EXTENSIONS))];
}

/** Extensions of a device: those of the language and those of the calls. */
export function extensionsOf({ info }: Device): readonly NameVersion[] {
  return [...named(languageExtensions(info)), ...callExtensions(info)];
}

/** Features of OpenCL C 3.0 that a device has. */
export function featuresOf({ info }: Device): readonly NameVersion[] {
  return named(languageFeatures(info));
}

/** True when programs of OpenCL C 3.0 see the feature's macro. */
export function hasFeature({ info }: Device, name: string): boolean {
  return languageFeatures(info).some((feature) => feature.name === `__opencl_c_${name}`);
}

/** The versions of SPIR-V that a device takes. */
export function ilsOf(device: Device): readonly NameVersion[] {
  return ilVersions(device).map((version) => ({ name: "SPIR-V", version: packVersion(version) }));
}
