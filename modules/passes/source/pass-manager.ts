// SPDX-License-Identifier: Apache-2.0
// Runs passes over a module, by name or as objects. Function passes in a row run function by function, so that a
// function stays in the cache; analyses are cached per function and dropped as the passes declare. A pass that changed
// nothing is not run again on the function until another pass changes it. With `verifyEach`, `checkAnalyses` or
// `after`, each pass runs over the whole module before the next starts.
import { TRACER } from "@muxkit/cargo";
import type { IrFunction, Module } from "@muxkit/ir";

import { Analyses } from "./analyses.ts";
import { checkModule } from "./check-module.ts";
import { countInstructions } from "./instruction-count.ts";
import type { FunctionPass, Pass, PassContext } from "./pass.ts";
import { findPass } from "./pass.table.ts";

/** One run of one pass over the module. @public */
export interface PassRun {
  /** Its name. */
  readonly pass: string;
  /** True when it changed anything. */
  readonly changed: boolean;
  /** Time it took, in ms. */
  readonly milliseconds: number;
  /** Instructions of the module before. */
  readonly opsBefore: number;
  /** Instructions of the module after. */
  readonly opsAfter: number;
}

/** What {@link runPasses} does in addition to running passes. @public */
export interface RunOptions {
  /**
   * True: what a pass says that it changed is verified after it, and the whole module after the last one; a broken rule
   * is an InternalError with the pass and the module.
   */
  readonly verifyEach?: boolean;
  /**
   * True: after each pass every analysis that it keeps is computed anew and compared; a difference is an InternalError.
   */
  readonly checkAnalyses?: boolean;
  /** Called before each pass. */
  readonly before?: (pass: string) => void;
  /** Called after each pass. */
  readonly after?: (run: PassRun) => void;
  /** Counts runs of passes and the instructions that they visited. */
  readonly work?: WorkCount;
}

/** Work of the passes, independent of the machine: tests of growth compare it. @public */
export interface WorkCount {
  /** Runs of a pass over a function (or over the module). */
  runs: number;
  /** Instructions of what they were run over. */
  instructions: number;
}

function countAll(module: Module): number {
  let count = 0;
  for (const fn of module.functions.values()) count += countInstructions(fn);
  return count;
}

/** State of a function while passes run. */
class FunctionState {
  readonly analyses: Analyses;
  /** Passes that have nothing to do until the function changes. */
  readonly idle = new Set<FunctionPass>();

  constructor(fn: IrFunction) {
    this.analyses = new Analyses(fn);
  }
}

class PassManager {
  private readonly module: Module;
  private readonly context: PassContext;
  private readonly options: RunOptions;
  private states = new Map<IrFunction, FunctionState>();

  constructor(module: Module, context: PassContext, options: RunOptions) {
    this.module = module;
    this.context = context;
    this.options = options;
  }

  run(passes: readonly Pass[]): void {
    const { verifyEach = false, checkAnalyses = false, before, after } = this.options;
    if (verifyEach || checkAnalyses || before !== undefined || after !== undefined)
      for (const pass of passes) this.observed(pass);
    else this.inGroups(passes);
    // A pass may have changed what it did not say.
    if (verifyEach) checkModule(this.module, passes.at(-1)?.name ?? "verify");
  }

  /** Runs consecutive function passes function by function: what one pass has touched is in the cache for the next. */
  private inGroups(passes: readonly Pass[]): void {
    for (let i = 0; i < passes.length;) {
      const pass = passes[i];
      if (pass === undefined) return;
      if (pass.kind === "module") {
        this.onModule(pass);
        i++;
        continue;
      }
      const group: FunctionPass[] = [];
      for (let next: Pass | undefined = pass; next?.kind === "function"; next = passes[i]) {
        group.push(next);
        i++;
      }
      for (const fn of this.module.functions.values()) {
        if (fn.blocks.length === 0) continue;
        for (const member of group) this.onFunction(member, fn);
        // Without this the garbage collector would keep the state of every function alive.
        this.states.delete(fn);
      }
    }
  }

  private observed(pass: Pass): void {
    const { verifyEach = false, checkAnalyses = false, before, after } = this.options;
    before?.(pass.name);
    const opsBefore = after === undefined ? 0 : countAll(this.module);
    if (checkAnalyses)
      for (const fn of this.module.functions.values()) if (fn.blocks.length > 0) this.state(fn).analyses.computeAll();
    const begin = performance.now();
    let changed = false;
    const touched = new Set<IrFunction>();
    if (pass.kind === "module") changed = this.onModule(pass);
    else {
      for (const fn of this.module.functions.values())
        if (fn.blocks.length > 0 && this.onFunction(pass, fn)) touched.add(fn);
      changed = touched.size > 0;
    }
    const milliseconds = performance.now() - begin;
    if (verifyEach && changed) checkModule(this.module, pass.name, pass.kind === "module" ? undefined : touched);
    if (checkAnalyses)
      for (const [fn, { analyses }] of this.states)
        if (this.module.functions.get(fn.name) === fn && fn.blocks.length > 0) analyses.check(pass.name);
    after?.({ pass: pass.name, changed, milliseconds, opsBefore, opsAfter: countAll(this.module) });
  }

  private onModule(pass: Pass & { readonly kind: "module" }): boolean {
    const { work } = this.options;
    if (work !== undefined) {
      work.runs++;
      work.instructions += countAll(this.module);
    }
    const begin = TRACER === null ? 0 : TRACER.now();
    const changed = pass.run(this.module, this.context);
    TRACER?.span("pass", pass.name, begin, { changed });
    if (changed) this.states = new Map();
    return changed;
  }

  private onFunction(pass: FunctionPass, fn: IrFunction): boolean {
    const {
      module,
      context,
      options: { work },
    } = this;
    const { analyses, idle } = this.state(fn);
    if (idle.has(pass)) return false;
    if (work !== undefined) {
      work.runs++;
      work.instructions += countInstructions(fn);
    }
    const begin = TRACER === null ? 0 : TRACER.now();
    const changed = pass.run(fn, { module, context, analyses });
    TRACER?.span("pass", pass.name, begin, { function: fn.name, changed });
    if (changed) {
      analyses.keepOnly(pass.keeps);
      idle.clear();
    }
    if (!changed || pass.isIdempotent === true) idle.add(pass);
    return changed;
  }

  private state(fn: IrFunction): FunctionState {
    let state = this.states.get(fn);
    if (state === undefined) {
      state = new FunctionState(fn);
      this.states.set(fn, state);
    }
    return state;
  }
}

/** Runs passes in order, by name or as objects. Throws InternalError for an unknown name. @public */
export function runPasses(
  module: Module,
  passes: readonly (string | Pass)[],
  context: PassContext,
  options: RunOptions = {},
): void {
  new PassManager(module, context, options).run(
    passes.map((pass) => (typeof pass === "string" ? findPass(pass, context.passes) : pass)),
  );
}
