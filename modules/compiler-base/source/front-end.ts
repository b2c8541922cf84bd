// SPDX-License-Identifier: Apache-2.0
// The interface of a front end: a source of one kind in, a module of the IR and diagnostics out.
import type { Result } from "@muxkit/cargo";
import type {
  CompilerError,
  CompilerOptions,
  ProgramInput,
  ShaderReflection,
  SourceEnvironment,
} from "@muxkit/compiler";
import type { DataLayout, Module } from "@muxkit/ir";
import type { foldBuiltin } from "@muxkit/passes";
import type { DiagnosticList } from "@muxkit/report";

/** The device and the options that a source is compiled for, with the source itself. @public */
export interface FrontEndRequest extends Required<
  Omit<ProgramInput, "specialization" | "descriptorCounts" | "requiredSubGroupSize">
> {
  /** Values of specialization constants; absent: they have their defaults. */
  readonly specialization?: ProgramInput["specialization"];
  /** How many descriptors arrays of shaders have; absent: what the module says. */
  readonly descriptorCounts?: ProgramInput["descriptorCounts"];
  /** Work-items of the sub-groups of shaders; absent: what the module says. */
  readonly requiredSubGroupSize?: ProgramInput["requiredSubGroupSize"];
  /** Name of the source in diagnostics and locations. */
  readonly name: string;
  /** Headers and files. Reading a file twice yields the same text. */
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

/** What a front end returns. @public */
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
  /** Compiles a source. Pure: the same request yields an equal module. */
  readonly compile: (request: FrontEndRequest) => FrontEndResult;
  /** What shaders of a source want bound; absent: sources of this kind have no shaders. */
  readonly reflect?: (input: ProgramInput, layout: DataLayout) => Result<ShaderReflection, CompilerError>;
}
