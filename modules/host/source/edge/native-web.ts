// SPDX-License-Identifier: Apache-2.0
// Native code in bundles for browsers: there is none.
import type { NativePart } from "../native-part.ts";

/** The part of devices. */
export const NATIVE: NativePart | null = null;
