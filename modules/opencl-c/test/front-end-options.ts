// SPDX-License-Identifier: Apache-2.0
// Options of the front end for tests.
import type { FrontEndOptions } from "@muxkit/opencl-c";
import { LAYOUT_32 } from "@muxkit/ir";
import { foldBuiltin } from "@muxkit/passes";

/** Options of an OpenCL C 1.2 program for a 32-bit device with doubles, with the given ones replaced. */
export function frontEndOptions(overrides: Partial<FrontEndOptions> = {}): FrontEndOptions {
  return {
    layout: LAYOUT_32,
    definitions: [],
    includeDirectories: [],
    headers: new Map(),
    readFile: null,
    standard: "1.2",
    deviceVersion: 120,
    extensions: ["cl_khr_fp64"],
    fastRelaxedMath: false,
    finiteMathOnly: false,
    noSignedZeros: false,
    unsafeMath: false,
    singlePrecisionConstant: false,
    warnings: "default",
    allowUndefined: false,
    library: false,
    foldBuiltin,
    ...overrides,
  };
}
