// SPDX-License-Identifier: Apache-2.0
// Which tier of machine code tests run: that of MUXKIT_NATIVE_TIER, else the lowest.
import type { NativeTierName } from "@muxkit/host-compiler/native";

/** The tier of machine code that is tested. */
export const TESTED_TIER: NativeTierName = process.env["MUXKIT_NATIVE_TIER"] === "x64.4" ? "x64.4" : "x64.3";
