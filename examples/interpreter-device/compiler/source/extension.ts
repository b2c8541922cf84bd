// SPDX-License-Identifier: Apache-2.0
// An extension of OpenCL C that is the target's own: the macro, the built-in functions, and the definitions of those
// that the machine does not have itself. The device lists the macro (runtime/source/device-info.ts).
import type { LanguageExtension } from "@muxkit/compiler-base";

/** Sums of bytes, as video codecs and checksums need them. */
export const BYTE_SUMS: LanguageExtension = {
  name: "cl_example_byte_sums",
  builtins: [
    // The machine has it: its name is in kept-builtins.ts, what it does in the runtime's machine-functions.ts.
    ["sum_of_bytes", "uint(uint)", "", "library"],
    // Linked from the library below.
    ["sum_of_differences", "uint(uchar4, uchar4)", "", "library-whole"],
  ],
  library: `
    uint __attribute__((overloadable)) sum_of_differences(uchar4 a, uchar4 b) {
      return sum_of_bytes(as_uint(abs_diff(a, b)));
    }`,
};
