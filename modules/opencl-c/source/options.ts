// SPDX-License-Identifier: Apache-2.0
// The input of the front end besides the source.
import type { BuiltinReference, Constant, DataLayout, Type, Value } from "@muxkit/ir";

/** Options of one compilation. @public */
export interface FrontEndOptions {
  /** Sizes of the target. */
  readonly layout: DataLayout;
  /** `-D` (and, with `value` null, `-U`), in order. */
  readonly definitions: readonly { readonly name: string; readonly value: string | null }[];
  /** `-I`, in order. */
  readonly includeDirectories: readonly string[];
  /** Headers by their name in `#include`; they come before the directories. */
  readonly headers: ReadonlyMap<string, string>;
  /** Reads a file of an include directory; null: there is none. */
  readonly readFile: ((path: string) => string | null) | null;
  /** `-cl-std`. */
  readonly standard: "1.0" | "1.1" | "1.2" | "2.0" | "3.0";
  /** `-cl-uniform-work-group-size`. Default: false. */
  readonly uniformWorkGroups?: boolean;
  /** Version of the device, encoded as in `__OPENCL_VERSION__`, for example 300. */
  readonly deviceVersion: number;
  /** Extensions of the device, each a predefined macro. */
  readonly extensions: readonly string[];
  /** Features of OpenCL C 3.0 that the device has, each a macro `__opencl_c_…` from that version on; absent: none. */
  readonly features?: readonly string[];
  /** `-cl-fast-relaxed-math`. */
  readonly fastRelaxedMath: boolean;
  /** `-cl-finite-math-only`. */
  readonly finiteMathOnly: boolean;
  /** `-cl-no-signed-zeros`. */
  readonly noSignedZeros: boolean;
  /** `-cl-unsafe-math-optimizations`. */
  readonly unsafeMath: boolean;
  /** `-cl-single-precision-constant`. */
  readonly singlePrecisionConstant: boolean;
  /** Treatment of warnings. */
  readonly warnings: "default" | "none" | "error";
  /**
   * `-Wextra`: also warn about code that is not wrong as such, for example unused parameters. Default: false.
   */
  readonly extraWarnings?: boolean;
  /** True when functions may be called that another source will define: compiled objects to be linked. */
  readonly allowUndefined: boolean;
  /** True for the source of the built-in library: built-ins may be defined, each overload under `name(types)`. */
  readonly library: boolean;
  /**
   * Evaluates a call of a built-in with constant arguments; null: it is no constant. Absent: no such call is one.
   * The pass lower-builtins has it (`foldBuiltin`), so that a call has one meaning, folded or not.
   */
  readonly foldBuiltin?: (
    reference: BuiltinReference,
    type: Type,
    operands: readonly Value[],
    layout: DataLayout,
  ) => Constant | null;
}

/** Options of sources of a library: nothing of a user's command line, and no warnings. @public */
export function libraryOptions(
  given: Pick<FrontEndOptions, "layout" | "standard" | "extensions"> & Partial<FrontEndOptions>,
): FrontEndOptions {
  return {
    definitions: [],
    includeDirectories: [],
    headers: new Map(),
    readFile: null,
    deviceVersion: 300,
    fastRelaxedMath: false,
    finiteMathOnly: false,
    noSignedZeros: false,
    unsafeMath: false,
    singlePrecisionConstant: false,
    warnings: "none",
    allowUndefined: false,
    library: true,
    ...given,
  };
}
