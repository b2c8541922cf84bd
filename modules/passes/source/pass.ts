// SPDX-License-Identifier: Apache-2.0
// Interfaces of passes: what a pass is, and what it receives.
import type { PrintfDescription } from "@muxkit/printf";
import { type BuiltinReference, type IrFunction, LAYOUT_32, type Module } from "@muxkit/ir";

import { type MachineTarget, genericMachine } from "@muxkit/machine-target";

import type { AnalysisName } from "./analysis.table.ts";
import type { Analyses } from "./analyses.ts";

/** What passes get from outside. @public */
export interface PassContext {
  /**
   * Finds the library's definition of a built-in, in a module of its own; null when the library has none. `isFused`:
   * the one whose products and sums are fused.
   */
  readonly resolveBuiltin: (reference: BuiltinReference, isFused: boolean) => IrFunction | null;
  /**
   * True when calls of this built-in stay calls because the target lowers them itself
   * (docs/decisions/038-target-hooks.md).
   */
  readonly keepsBuiltin: (reference: BuiltinReference) => boolean;
  /** Receives the description of each call of printf; the n-th is call n of the printf records. */
  readonly printfCall: (description: PrintfDescription) => void;
  /** The machine that the code is made for, as far as it is known: `genericMachine` where it is not. */
  readonly machine: MachineTarget;
  /** Receives remarks: what a pass did not do, and why. */
  readonly remark: (text: string) => void;
  /** Passes of other packages, which can be named like those of the table; absent: there are none. */
  readonly passes?: readonly Pass[];
}

/** A context without a library, for a plain machine, that drops remarks. @public */
export const EMPTY_CONTEXT: PassContext = {
  resolveBuiltin: () => null,
  keepsBuiltin: () => false,
  printfCall: () => undefined,
  machine: genericMachine(LAYOUT_32),
  remark: () => undefined,
};

/** What a pass over a function receives in addition to the function. @public */
export interface FunctionFrame {
  /**
   * The module of the function. The pass may read its layout and add globals and declarations, nothing else.
   */
  readonly module: Module;
  /** See {@link PassContext}. */
  readonly context: PassContext;
  /** Analyses of the function. The pass requests them at its beginning, before it changes anything. */
  readonly analyses: Analyses;
}

/** A pass over one function at a time; it reads no other function. @public */
export interface FunctionPass {
  /** Discriminant of {@link Pass}. */
  readonly kind: "function";
  /** Registry name, also the name of its file and of its tests' folder. */
  readonly name: string;
  /** One sentence: what it does. */
  readonly doc: string;
  /** Analyses that it preserves: they are still valid after it changed a function. */
  readonly keeps: readonly AnalysisName[];
  /** True when a second run in succession changes nothing. Absent: false. */
  readonly isIdempotent?: boolean;
  /** Changes the function in place; true when it changed anything. */
  readonly run: (fn: IrFunction, frame: FunctionFrame) => boolean;
}

/** A pass over a whole module. It preserves no analysis when it changed anything. @public */
export interface ModulePass {
  /** Discriminant of {@link Pass}. */
  readonly kind: "module";
  /** Registry name, also the name of its file and of its tests' folder. */
  readonly name: string;
  /** One sentence: what it does. */
  readonly doc: string;
  /** Changes the module in place; true when it changed anything. */
  readonly run: (module: Module, context: PassContext) => boolean;
}

/** One named pass. @public */
export type Pass = FunctionPass | ModulePass;
