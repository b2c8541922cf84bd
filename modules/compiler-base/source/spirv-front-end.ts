// SPDX-License-Identifier: Apache-2.0
// SPIR-V as a registered front end: a module's bytes, with the values of its specialization constants.
import { err } from "@muxkit/cargo";
import { compilerError } from "@muxkit/compiler";
import { floatFlags } from "@muxkit/opencl-c";
import { DiagnosticList } from "@muxkit/report";
import { describeSpirvError, readSpirv, reflectShader } from "@muxkit/spirv";

import type { FrontEnd, FrontEndRequest } from "./front-end.ts";

/** Code of every error of this front end. */
const CODE = "SPIRV1001";

const NO_VALUES: ReadonlyMap<number, Uint8Array> = new Map();

/** What the reader must know of a request. */
export function readerOptions({
  name,
  layout,
  options,
  specialization,
  descriptorCounts,
  requiredSubGroupSize,
}: FrontEndRequest): Parameters<typeof readSpirv>[1] {
  return {
    name,
    layout,
    specialization: specialization ?? NO_VALUES,
    floatFlags: floatFlags({
      fastRelaxedMath: options.fastRelaxedMath,
      unsafeMath: options.unsafeMathOptimizations,
      finiteMathOnly: options.finiteMathOnly,
      noSignedZeros: options.noSignedZeros,
    }),
    uniformWorkGroups: options.uniformWorkGroupSize,
    ...(options.robustBufferAccess === null ? {} : { robustBufferAccess: options.robustBufferAccess }),
    ...(descriptorCounts === undefined ? {} : { descriptorCounts }),
    ...(requiredSubGroupSize === undefined ? {} : { requiredSubGroupSize }),
  };
}

/** Reads kernels and compute shaders in SPIR-V. @public */
export const SPIRV_FRONT_END: FrontEnd = {
  kind: "spirv",
  compile: (request) => {
    const diagnostics = new DiagnosticList();
    const { source } = request;
    if (typeof source === "string") {
      diagnostics.error(CODE, "a SPIR-V module is bytes; assemble its text first", null);
      return { module: null, diagnostics };
    }
    const read = readSpirv(source, readerOptions(request));
    if (read.ok) return { module: read.value, diagnostics };
    diagnostics.error(CODE, describeSpirvError(read.error), null);
    return { module: null, diagnostics };
  },
  reflect: ({ source, specialization, descriptorCounts }, layout) => {
    if (typeof source === "string")
      return err(compilerError("compile_program_failure", "a SPIR-V module is bytes; assemble its text first"));
    const read = reflectShader(source, {
      layout,
      specialization: specialization ?? NO_VALUES,
      ...(descriptorCounts === undefined ? {} : { descriptorCounts }),
    });
    return read.ok ? read : err(compilerError("compile_program_failure", describeSpirvError(read.error)));
  },
};
