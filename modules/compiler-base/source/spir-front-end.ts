// SPDX-License-Identifier: Apache-2.0
// SPIR 1.2 as a registered front end: kernels in LLVM bitcode.
import { DiagnosticList } from "@muxkit/report";
import { readSpir } from "@muxkit/spirv";

import type { FrontEnd } from "./front-end.ts";
import { readerOptions } from "./spirv-front-end.ts";

/** Code of every error of this front end. */
const CODE = "SPIR1001";

/** Reads kernels in LLVM bitcode. @public */
export const SPIR_FRONT_END: FrontEnd = {
  kind: "spir",
  compile: (request) => {
    const diagnostics = new DiagnosticList();
    const { source } = request;
    if (typeof source === "string") {
      diagnostics.error(CODE, "SPIR is bitcode, which is bytes; assemble its text by llvm-as first", null);
      return { module: null, diagnostics };
    }
    const read = readSpir(source, readerOptions(request));
    if (read.ok) return { module: read.value, diagnostics };
    diagnostics.error(CODE, `bit ${read.error.bit}: ${read.error.message}`, null);
    return { module: null, diagnostics };
  },
};
