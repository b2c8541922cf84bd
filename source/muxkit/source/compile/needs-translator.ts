// SPDX-License-Identifier: Apache-2.0
// Which TypeScript files need the translator of kernels, before it is loaded: it is an optional package, and those who
// import `.cl` files into TypeScript need not have it.

/** Modules that files with kernels import; `muxkit/runtime` is none, though it begins like one. */
const MODULES = /["'](?:muxkit\/sycl(?:\/runtime)?|muxkit\/run|@muxkit\/sycl|@muxkit\/kernel-library)["']/u;

/** False for a text that has no kernels, right for all that have. */
export function needsTranslator(text: string): boolean {
  return /\b(?:kernel|thisModule)\b/u.test(text) && MODULES.test(text);
}
