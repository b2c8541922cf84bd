// SPDX-License-Identifier: Apache-2.0
// The front end as one function: text to a module and diagnostics. Preprocessor, parser and semantics run declaration
// by declaration, each pulling from the one before it, so that tokens and trees are short-lived.
import { type Diagnostic, DiagnosticList, type Span, createSourceFile, note } from "@muxkit/report";
import { type Block, Builder, IrFunction, type Module, VOID } from "@muxkit/ir";

import type { FrontEndOptions } from "./options.ts";
import { Parser } from "./parse/parser.ts";
import { removeEchoes, report } from "./diagnostics.table.ts";
import { preprocess } from "./preprocess/preprocessor.ts";
import { declareProgramScope } from "./sema/declarations.ts";
import { DivergenceCheck } from "./sema/divergence.ts";
import { expression } from "./sema/expressions.ts";
import { defineDeclaredBuiltins } from "./sema/declared-builtins.ts";
import { defineFunction } from "./sema/functions.ts";
import { initialize, listLength } from "./sema/initializers.ts";
import { checkPrintedTexts } from "./sema/printf.ts";
import { blockItem, pragma, statement } from "./sema/statements.ts";
import { staticAssert, typeOfName } from "./sema/types.ts";
import { type FunctionSymbol, Unit } from "./sema/unit.ts";

/** The result of a compilation. @public */
export interface Compilation {
  /** The program; null when there were errors. */
  readonly module: Module | null;
  /** Everything that was reported, in order. */
  readonly diagnostics: DiagnosticList;
}

/** Compiles OpenCL C to IR. `name` is what diagnostics call the source. @public */
export function compileOpenCLC(name: string, text: string, options: FrontEndOptions): Compilation {
  const diagnostics = new DiagnosticList(undefined, options.warnings !== "none");
  let reached: Span | null = null;
  try {
    return compileAll(name, text, options, diagnostics, (span) => {
      reached = span;
    });
  } catch (error) {
    // A sum of ten thousand terms is a tree as deep: the parser takes it, and walks over it do not.
    if (!(error instanceof RangeError) || !error.message.includes("call stack")) throw error;
    report(diagnostics, "nesting", reached, ["some thousand"]);
    return { module: null, diagnostics };
  }
}

/** `reach` is called with each declaration before it is compiled. */
function compileAll(
  name: string,
  text: string,
  options: FrontEndOptions,
  diagnostics: DiagnosticList,
  reach: (span: Span) => void,
): Compilation {
  const file = createSourceFile(name, text);
  const parser = new Parser(preprocess(file, options, diagnostics), diagnostics, options);
  const scratch = new IrFunction("<constant expressions>", VOID, []);
  const unit = new Unit(
    name,
    options,
    diagnostics,
    { expression, typeName: typeOfName, initialize, statement, blockItem, listLength },
    scratch,
  );
  unit.brokenNames = parser.brokenNames;
  const divergence = options.warnings === "none" || options.library ? null : new DivergenceCheck(unit);
  for (let item = parser.next(); item !== null && !diagnostics.isFull; item = parser.next()) {
    reach(item.span);
    if (item.kind === "function") {
      const state = defineFunction(unit, item);
      if (state !== null && !diagnostics.hasErrors) {
        divergence?.add(item, state);
        removeUnreachableBlocks(state.symbol.ir);
      }
      unit.flushWarnings(true);
    } else if (item.kind === "declaration") declareProgramScope(unit, item);
    else if (item.kind === "static-assert") staticAssert(unit, item);
    else pragma(unit, item.text, item.span);
  }
  // A struct that was declared only when a variable of it was.
  for (const { global, type } of unit.openGlobals) global.type = type.ir;
  if (!diagnostics.hasErrors) checkStatics(unit);
  unit.flushWarnings(true);
  if (!options.library && !diagnostics.hasErrors) defineDeclaredBuiltins(unit);
  checkCalls(unit);
  if (!diagnostics.hasErrors) checkPrintedTexts(unit);
  dropScratch(scratch);
  if (options.warnings === "error" && diagnostics.all.some(({ severity }) => severity === "warning"))
    report(diagnostics, "warningsAreErrors", null);
  removeEchoes(diagnostics);
  diagnostics.sort();
  if (diagnostics.hasErrors) return { module: null, diagnostics };
  return { module: unit.module, diagnostics };
}

/** Recursion, and functions that are called but never defined (6.9 i). */
function checkCalls(unit: Unit): void {
  const done = new Set<FunctionSymbol>();
  const path: FunctionSymbol[] = [];
  const visit = (fn: FunctionSymbol): void => {
    if (done.has(fn)) return;
    path.push(fn);
    for (const [callee, span] of fn.calls) {
      if (path.includes(callee))
        unit.report("recursion", span, [callee.name], { notes: callChain(path.slice(path.indexOf(callee))) });
      else {
        if (!callee.isDefined) reportUndefined(unit, callee, span);
        visit(callee);
      }
    }
    path.pop();
    done.add(fn);
  };
  for (const fn of unit.functions) visit(fn);
}

/** How functions that call one another in a circle come to do so. */
function callChain(path: readonly FunctionSymbol[]): readonly Diagnostic[] {
  return path.slice(0, -1).flatMap((fn, i) => {
    const next = path[i + 1];
    const span = next === undefined ? undefined : fn.calls.get(next);
    return next === undefined || span === undefined ? [] : [note(`"${fn.name}" calls "${next.name}" here`, span)];
  });
}

/** Static functions that are never called; a header brings more than a program needs. */
function checkStatics(unit: Unit): void {
  const called = new Set(unit.functions.flatMap((fn) => [...fn.calls.keys()]));
  for (const fn of unit.functions)
    if (fn.isStatic && fn.isDefined && !called.has(fn) && fn.span.file.includedFrom === null)
      unit.warn("unusedFunction", fn.span, [fn.name]);
}

/** Compiled objects may leave functions to the linker; they stay declarations. */
function reportUndefined(unit: Unit, callee: FunctionSymbol, span: Span): void {
  if (!unit.options.allowUndefined)
    unit.report("undefinedFunction", span, [callee.name], { notes: [note("it is declared here", callee.span)] });
}

/** The scratch function only held what was folded away. */
function dropScratch(scratch: IrFunction): void {
  scratch.blocks = [];
}

function removeUnreachableBlocks(fn: IrFunction): void {
  const [entry] = fn.blocks;
  if (entry === undefined) return;
  for (const block of fn.blocks) block.mark = 0;
  entry.mark = 1;
  const work = [entry];
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    if (block.instructions.at(-1)?.isTerminator !== true) new Builder(block).unreachable();
    const { successors } = block;
    for (let i = 0; i < successors.length; i++) {
      const successor = successors[i] as Block;
      if (successor.mark === 1) continue;
      successor.mark = 1;
      work.push(successor);
    }
  }
  if (fn.blocks.some(({ mark }) => mark === 0)) fn.blocks = fn.blocks.filter(({ mark }) => mark === 1);
}
