// SPDX-License-Identifier: Apache-2.0
// The host's compiler, for any API: it is loaded when the first program has to be compiled.
import { type Environment, SettingError, settingValue } from "@muxkit/cargo";
import { HOST_COMPILER_FACTS } from "@muxkit/host-compiler/facts";
import {
  COMPILE_SETTINGS,
  type CompilePort,
  type CompilerLibrary,
  type ProgramStore,
  lateLibrary,
} from "@muxkit/loader";

/** A setting of the environment. Throws a SettingError for a value that it cannot be. */
function compileSetting(name: keyof typeof COMPILE_SETTINGS): number {
  const { process: node } = globalThis as { readonly process?: { readonly env?: Environment } };
  const found = settingValue(name, COMPILE_SETTINGS[name], node?.env ?? {});
  if (!found.ok) throw new SettingError(found.error);
  return found.value.value;
}

/** Threads that compile: how one is started, and how many there may be. */
export interface CompileThreads {
  readonly start: () => CompilePort;
  readonly most: () => number;
}

/**
 * The host's compiler, which `load` returns when it is needed; stored programs do without. `threads` have the same one;
 * null: everything is compiled by the calling thread. What that compiles runs by `compiling`. Throws a SettingError for
 * a setting that cannot be.
 */
export function hostLibrary(
  load: () => CompilerLibrary,
  store: ProgramStore | null,
  threads: CompileThreads | null,
  compiling: <T>(work: () => T) => T = (work) => work(),
): CompilerLibrary {
  const [budget, takeover] = threads === null ? [0, 0] : [compileSetting("compileBudget"), compileSetting("takeover")];
  return lateLibrary([HOST_COMPILER_FACTS], load, store, {
    compiling,
    compileBudget: () => budget,
    takeover: () => takeover,
    ...(threads === null ? {} : { startThread: threads.start, mostThreads: threads.most() }),
  });
}
