// SPDX-License-Identifier: Apache-2.0
// #pragma OPENCL EXTENSION (OpenCL C 9.1): it enables cl_khr_fp16; the others are always enabled, so
// only malformed pragmas are reported.
import { type Span, nearest, replace } from "@muxkit/report";

import { switchHalf } from "./half.ts";
import type { Unit } from "./unit.ts";

const BEHAVIOURS: readonly string[] = ["enable", "disable", "require", "warn"];

/** Extensions that the language has taken in, and those of other devices that programs name all the time. */
const OTHERS: readonly string[] = [
  "all",
  "cl_khr_fp16",
  "cl_khr_fp64",
  "cl_khr_byte_addressable_store",
  "cl_khr_global_int32_base_atomics",
  "cl_khr_global_int32_extended_atomics",
  "cl_khr_local_int32_base_atomics",
  "cl_khr_local_int32_extended_atomics",
  "cl_khr_int64_base_atomics",
  "cl_khr_int64_extended_atomics",
  "cl_khr_3d_image_writes",
  "cl_khr_select_fprounding_mode",
  "cl_khr_gl_sharing",
  "cl_khr_subgroups",
  "cl_amd_printf",
  "cl_intel_printf",
  "cl_amd_fp64",
  "cl_intel_subgroups",
  "cl_nv_pragma_unroll",
  "cl_ext_atomic_counters_32",
];

/** Warns of a directive that nothing will heed. */
export function checkExtensionPragma(unit: Unit, text: string, span: Span): void {
  const match = /^OPENCL\s+EXTENSION\s+(\w+)\s*(?::\s*(\w+))?/u.exec(text);
  if (match === null) return;
  const [, name = "", behaviour = ""] = match;
  switchHalf(unit, name, behaviour);
  const line = span.file.text.indexOf("\n", span.start);
  const mend = (from: string, to: string | null): { readonly fix: ReturnType<typeof replace> | null } => {
    const at = to === null ? -1 : span.file.text.slice(span.start, line < 0 ? undefined : line).lastIndexOf(from);
    return {
      fix:
        to === null || at < 0
          ? null
          : replace({ file: span.file, start: span.start + at, end: span.start + at + from.length }, to),
    };
  };
  if (!BEHAVIOURS.includes(behaviour)) {
    unit.warn(
      "unknownPragma",
      span,
      [`the name of the extension must be followed by ": enable" or ": disable"`],
      behaviour === "" ? {} : mend(behaviour, nearest(behaviour, BEHAVIOURS)),
    );
    return;
  }
  const known = [...unit.options.extensions, ...OTHERS];
  const best = known.includes(name) ? null : nearest(name, known);
  if (best !== null) unit.warn("unknownPragma", span, [`there is no extension "${name}"`], mend(name, best));
}
