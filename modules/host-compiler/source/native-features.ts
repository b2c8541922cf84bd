// SPDX-License-Identifier: Apache-2.0
// What devices and executables say of native code.

/** A device with this feature of code runs native sections; so sections say what they need. */
export const NATIVE_FEATURE = "x64.3";

/** A device with this feature wants all code native, also what is made for a first launch. */
export const NATIVE_ALWAYS = "x64.3-always";

/** The section of native code: a code object of `@muxkit/x64-assembler`. */
export const NATIVE_SECTION = ".x64.3";
