// SPDX-License-Identifier: Apache-2.0
// The features of the language under the options in force: versions, and features that a device may lack (OpenCL C 3.0,
// 6.2.1).
import type { FrontEndOptions } from "./options.ts";

/** The version and device features that a word, a built-in or a construct requires. */
export interface Requirement {
  /** First version of OpenCL C that has it, for example 200. */
  readonly since?: number;
  /** Macros of features (`__opencl_c_…`) and extensions, all of which must be there. */
  readonly needs?: readonly string[];
}

/** The options that decide. */
export type LanguageOptions = Pick<FrontEndOptions, "standard" | "extensions" | "features">;

const NUMBERS: Readonly<Record<FrontEndOptions["standard"], number>> = {
  "1.0": 100,
  "1.1": 110,
  "1.2": 120,
  "2.0": 200,
  "3.0": 300,
};

/** The version, encoded as in `__OPENCL_C_VERSION__`. */
export function languageVersion({ standard }: LanguageOptions): number {
  return NUMBERS[standard];
}

/**
 * First version in which programs can use a feature; others are of 2.0, where all of them are part of
 * the language.
 */
const FIRST: Readonly<Record<string, number>> = { __opencl_c_fp64: 100, __opencl_c_images: 100, __opencl_c_int64: 100 };

/** True when programs can use the feature that a macro announces. */
export function isAvailable(options: LanguageOptions, macro: string): boolean {
  if (!macro.startsWith("__opencl_c_")) return options.extensions.includes(macro);
  return languageVersion(options) >= (FIRST[macro] ?? 200) && options.features?.includes(macro) === true;
}

function versionName(version: number): string {
  return `${Math.floor(version / 100)}.${Math.floor(version / 10) % 10}`;
}

/** The missing requirement, as a noun phrase to follow "needs"; null: nothing is missing. */
export function whatIsMissing(options: LanguageOptions, { since = 100, needs = [] }: Requirement): string | null {
  const first = needs.reduce(
    (least, macro) => Math.max(least, macro.startsWith("__opencl_c_") ? (FIRST[macro] ?? 200) : 100),
    since,
  );
  const version = languageVersion(options);
  if (version < first)
    return `OpenCL C ${versionName(first)}; this program is built as OpenCL C ${versionName(version)} (-cl-std)`;
  const missing = needs.find((macro) => !isAvailable(options, macro));
  return missing === undefined ? null : `${missing}, which this device does not have`;
}
