// SPDX-License-Identifier: Apache-2.0
// The registry of front ends: what reads sources of each kind and gives a module of the IR. Everything after that
// (lowering of built-ins, linking, passes, code) is the same for all kinds.
import { type Result, err, ok } from "@muxkit/cargo";
import type { CompilerError, CompilerOptions, ProgramInput, SourceEnvironment } from "@muxkit/compiler";
import { compilerError } from "@muxkit/compiler";
import type { DataLayout, Module } from "@muxkit/ir";
import type { foldBuiltin } from "@muxkit/passes";
import type { DiagnosticList } from "@muxkit/report";

import { IR_FRONT_END } from "./ir-front-end.ts";
import { OPENCL_C_FRONT_END } from "./opencl-c-front-end.ts";

/** The device and the options that a source is compiled for, with the source itself. @public */
export interface FrontEndRequest extends Required<ProgramInput> {
  /** Name of the source in diagnostics and locations. */
  readonly name: string;
  /** Headers and files. Files read twice give the same text twice. */
  readonly environment: SourceEnvironment;
  /** Sizes of the target; the module must have this layout. */
  readonly layout: DataLayout;
  /** OpenCL version of the device, for example 300. */
  readonly deviceVersion: number;
  /** Extensions of the device. */
  readonly extensions: readonly string[];
  /** Features of OpenCL C 3.0 that the device has, by their macros. */
  readonly features: readonly string[];
  /** Options in force. */
  readonly options: CompilerOptions;
  /** Evaluates a call of a built-in with constant arguments; null: it is no constant. */
  readonly foldBuiltin: typeof foldBuiltin;
}

/** What a front end gives. @public */
export interface FrontEndResult {
  /**
   * The program; calls of built-ins are `call_builtin`s, which the pass lower-builtins makes operations of. Null when
   * there are errors.
   */
  readonly module: Module | null;
  /** Everything that was reported, in order. */
  readonly diagnostics: DiagnosticList;
}

/** Reads sources of one kind. @public */
export interface FrontEnd {
  /** The kind, as `ProgramInput.kind` names it. */
  readonly kind: string;
  /** Compiles a source. Pure: the same request gives an equal module again. */
  readonly compile: (request: FrontEndRequest) => FrontEndResult;
}

const FRONT_ENDS = new Map<string, FrontEnd>();

/**
 * Registers a front end for its kind, for every compiler of this process; a front end registered before for that kind
 * is replaced.
 *
 * @public
 */
export function registerFrontEnd(frontEnd: FrontEnd): void {
  FRONT_ENDS.set(frontEnd.kind, frontEnd);
}

for (const frontEnd of [OPENCL_C_FRONT_END, IR_FRONT_END]) registerFrontEnd(frontEnd);

/** The front end of a kind. Errors: `feature_unsupported` when none is registered. */
export function findFrontEnd(kind: string): Result<FrontEnd, CompilerError> {
  const found = FRONT_ENDS.get(kind);
  if (found !== undefined) return ok(found);
  const known = [...FRONT_ENDS.keys()].join(", ");
  return err(
    compilerError(
      "feature_unsupported",
      `no front end is registered for programs of kind "${kind}"; there are ${known}`,
    ),
  );
}
