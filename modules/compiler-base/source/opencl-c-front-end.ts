// SPDX-License-Identifier: Apache-2.0
// OpenCL C as a registered front end: the options of the compiler interface in the words of the front end.
import { type FrontEndOptions, compileOpenCLC } from "@muxkit/opencl-c";

import type { FrontEnd, FrontEndRequest } from "./front-end.ts";

function frontEndOptions(request: FrontEndRequest): FrontEndOptions {
  const { environment, options } = request;
  return {
    layout: request.layout,
    definitions: options.definitions,
    includeDirectories: options.includeDirectories,
    headers: new Map(environment.headers.map(({ name, source }) => [name, source])),
    readFile: environment.readFile ?? null,
    standard: options.standard,
    uniformWorkGroups: options.uniformWorkGroupSize,
    deviceVersion: request.deviceVersion,
    extensions: request.extensions,
    features: request.features,
    fastRelaxedMath: options.fastRelaxedMath,
    finiteMathOnly: options.finiteMathOnly,
    noSignedZeros: options.noSignedZeros,
    unsafeMath: options.unsafeMathOptimizations,
    singlePrecisionConstant: options.singlePrecisionConstant,
    warnings: options.warnIgnore ? "none" : options.warnError ? "error" : "default",
    extraWarnings: options.extraWarnings,
    allowUndefined: true,
    library: false,
    foldBuiltin: request.foldBuiltin,
  };
}

/** Compiles OpenCL C: a text, or its bytes in UTF-8. @public */
export const OPENCL_C_FRONT_END: FrontEnd = {
  kind: "opencl-c",
  compile: (request) => {
    const { name, source } = request;
    const text = typeof source === "string" ? source : new TextDecoder().decode(source);
    return compileOpenCLC(name, text, frontEndOptions(request));
  },
};
