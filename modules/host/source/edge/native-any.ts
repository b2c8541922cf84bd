// SPDX-License-Identifier: Apache-2.0
// Native code, where the environment turns out to be Node.
import { NODE } from "#system";

import { nodeNative } from "../node-native.ts";
import type { NativePart } from "../native-part.ts";

/** The part of devices; null: this is not Node. */
export const NATIVE: NativePart | null = NODE === null ? null : nodeNative(NODE);
