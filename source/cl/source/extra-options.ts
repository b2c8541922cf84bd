// SPDX-License-Identifier: Apache-2.0
// cl_muxkit_extra_build_options: options that the environment adds to those of programs.
import type { OptionMode } from "@muxkit/compiler";

import { compilerModeEdge } from "./compiler-mode.ts";

/** Options for clBuildProgram and clCompileProgram. */
export const EXTRA_BUILD_OPTIONS = "MUXKIT_EXTRA_BUILD_OPTIONS";
/** Options for clLinkProgram. */
export const EXTRA_LINK_OPTIONS = "MUXKIT_EXTRA_LINK_OPTIONS";

/** What the environment adds after the options of a step; empty: nothing, or there is no environment. */
export function extraOptions(mode: OptionMode): string {
  return compilerModeEdge()?.variable(mode === "link" ? EXTRA_LINK_OPTIONS : EXTRA_BUILD_OPTIONS) ?? "";
}
