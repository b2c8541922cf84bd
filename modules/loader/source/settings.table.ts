// SPDX-License-Identifier: Apache-2.0
// Settings of how kernels are compiled for their launches: one row for each.
import { type DescribedSetting, SETTING_KINDS } from "@muxkit/cargo";

/** What making a kernel's code may take before its first launch, by an estimate, in ms of a warm process. */
export const COMPILE_BUDGET = 40;

/** What a launch still has to take, in ms, for its rest to be worth code that a thread that runs makes meanwhile. */
export const TAKEOVER = 250;

/** The rows. @public */
export const COMPILE_SETTINGS: {
  readonly compileBudget: DescribedSetting<number>;
  readonly takeover: DescribedSetting<number>;
} = {
  compileBudget: {
    kind: SETTING_KINDS.milliseconds,
    variable: "MUXKIT_COMPILE_BUDGET",
    option: null,
    doc:
      "Estimated ms of compiling a kernel above which first launches run code that was made quickly, and a thread " +
      "makes the optimised code. 0: all first launches do; 1e9: none.",
    fallback: () => COMPILE_BUDGET,
  },
  takeover: {
    kind: SETTING_KINDS.milliseconds,
    variable: "MUXKIT_TAKEOVER",
    option: null,
    doc:
      "Estimated ms that a launch still takes above which machine code is made for the rest of it, where " +
      "MUXKIT_NATIVE is auto. 0: for all launches, which wait for it; 1e9: for none.",
    fallback: () => TAKEOVER,
  },
};
