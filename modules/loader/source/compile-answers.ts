// SPDX-License-Identifier: Apache-2.0
// The thread that compiles: makes programs again, and describes or specialises their kernels, one job after the other.
import { type Result, err, ok } from "@muxkit/cargo";
import { type CompilerError, type Module, type Target, compilerError } from "@muxkit/compiler";

import type { CompileAnswer, CompileJob, ProgramRecipe } from "./compile-thread.ts";
import { traitsOf } from "./kernel-traits.ts";
import type { CompilerLibrary } from "./loader.ts";

/** Programs that the thread keeps; one that was not used for longest is made again. */
const MOST_PROGRAMS = 16;

/** Brings an empty module to the state `executable`. */
function make(module: Module, recipe: ProgramRecipe): Result<void, CompilerError> {
  if (recipe.kind === "module") {
    const read = module.deserialize(recipe.bytes);
    if (!read.ok) return read;
  } else {
    for (const { text, mode } of recipe.texts) {
      const parsed = module.parseOptions(text, mode);
      if (!parsed.ok) return parsed;
    }
    const { frontEnd: kind, source, headers, files } = recipe;
    const readFile = (path: string): string | null => files.find((file) => file.path === path)?.text ?? null;
    const compiled = module.compile({ kind, source, environment: { headers, readFile } });
    if (!compiled.ok) return compiled;
    const linked = module.link([]);
    if (!linked.ok) return linked;
  }
  const finalized = module.state === "intermediate" ? module.finalize() : ok();
  return finalized.ok ? ok() : finalized;
}

/**
 * A function that does jobs, for the thread that compiles: with compilers of its own, the same ones in the same order
 * as on the thread that sends the jobs. It does not throw: defects of a compiler are answers too.
 *
 * @public
 */
export function compileAnswers(library: CompilerLibrary): (job: CompileJob) => CompileAnswer {
  const targets = new Map<string, Target>();
  const programs = new Map<number, Module>();

  function targetOf({ compiler, device }: CompileJob): Result<Target, CompilerError> {
    const key = JSON.stringify([compiler, device]);
    const known = targets.get(key);
    if (known !== undefined) return ok(known);
    const info = library.compilers[compiler];
    if (info === undefined) return err(compilerError("invalid_value", `there is no compiler ${compiler}`));
    const made = info.createContext().createTarget(device, null);
    if (made.ok) targets.set(key, made.value);
    return made;
  }

  function programOf(job: CompileJob): Result<Module, CompilerError> {
    let module = programs.get(job.program);
    if (module === undefined) {
      const target = targetOf(job);
      if (!target.ok) return target;
      module = target.value.createModule();
      const done = make(module, job.recipe);
      if (!done.ok) return done;
    }
    programs.delete(job.program);
    programs.set(job.program, module);
    const [oldest] = programs.keys();
    if (programs.size > MOST_PROGRAMS && oldest !== undefined) programs.delete(oldest);
    return ok(module);
  }

  return (job) => {
    const { id, kernel: name, facts } = job;
    try {
      const module = programOf(job);
      if (!module.ok) return { id, made: module.error.message };
      const kernel = module.value.getKernel(name);
      if (kernel === null) return { id, made: `there is no kernel "${name}"` };
      if (facts === null) return { id, made: traitsOf(kernel) };
      const made = kernel.createSpecializedKernel(facts);
      return { id, made: made.ok ? { binary: made.value.binary, key: made.value.key } : made.error.message };
    } catch (error) {
      return { id, made: error instanceof Error ? error.message : String(error) };
    }
  };
}
