// SPDX-License-Identifier: Apache-2.0
// Attributes of the language, and those of C compilers that are accepted and ignored.
import { type DiagnosticList, type Span, nearest, replace } from "@muxkit/report";

import { report } from "../diagnostics.table.ts";

const KNOWN: ReadonlySet<string> = new Set([
  // OpenCL C 6.11, 6.13
  "reqd_work_group_size",
  "work_group_size_hint",
  "vec_type_hint",
  "aligned",
  "packed",
  "endian",
  "opencl_unroll_hint",
  "nosvm",
  "intel_reqd_sub_group_size",
  // of compilers
  "fallthrough",
  "overloadable",
  "always_inline",
  "noinline",
  "unused",
  "used",
  "convergent",
  "pure",
  "const",
  "nothrow",
  "noreturn",
  "deprecated",
  "may_alias",
  "visibility",
  "format",
  "warn_unused_result",
  "cold",
  "hot",
  "flatten",
  "noduplicate",
  "opencl_global",
  "opencl_local",
  "opencl_constant",
  "opencl_private",
  "opencl_generic",
  "vector_size",
  "ext_vector_type",
  "kernel",
  "num_vgpr",
  "num_sgpr",
  "amdgpu_flat_work_group_size",
  "max_work_group_size",
  "annotate",
  "nodebug",
  "optnone",
  "weak",
]);

/** True for an attribute that has a meaning, or is accepted without one. */
export function isKnownAttribute(name: string): boolean {
  return KNOWN.has(name);
}

/** Reports an unknown attribute with the one that was probably meant. */
export function checkAttribute(diagnostics: DiagnosticList, name: string, span: Span): void {
  if (KNOWN.has(name)) return;
  const best = nearest(name, KNOWN);
  report(diagnostics, "unknownAttribute", span, [name], best === null ? {} : { fix: replace(span, best) });
}
