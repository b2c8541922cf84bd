// SPDX-License-Identifier: Apache-2.0
// Kernels of a program that came as a binary, for variants. The thread that compiles reads the program; on this one no
// compiler is loaded, unless there is no such thread.
import type { Kernel, Module, TakeoverPolicy, Target } from "@muxkit/compiler";

import type { CompileJob, Pending, ProgramRecipe } from "./compile-thread.ts";
import type { KernelTraits } from "./kernel-traits.ts";
import { LateKernel } from "./late-kernel.ts";
import { LateModule, type ModuleThread } from "./late-module.ts";

/** Where the kernels of a program come from. @public */
export interface KernelSource {
  /** The kernel of a name; null: there is none; `"later"`: another thread has still to find it. */
  readonly find: (name: string) => Kernel | null | "later";
  /** Gives up what was not found yet. */
  readonly free: () => void;
  /** See `Module.takeover`. */
  readonly takeover?: TakeoverPolicy | null;
}

/** The program that a compiler reads in the IR of a binary, finalized; null: it reads no such programs. @public */
export function finalizedProgram(target: Target | null, ir: Uint8Array): Module | null {
  const module = target?.createModule();
  if (module === undefined || !module.deserialize(ir).ok) return null;
  if (module.state === "intermediate" && !module.finalize().ok) return null;
  return module.state === "executable" ? module : null;
}

/** Kernels that another thread describes and compiles; `here` finds them on this one. */
function kernelsElsewhere(
  { thread, compiler, device }: ModuleThread,
  ir: Uint8Array,
  here: (name: string) => Kernel | null,
): KernelSource {
  const recipe: ProgramRecipe = { kind: "module", bytes: ir };
  let known: Omit<CompileJob, "id" | "kernel" | "facts"> | null = null;
  // What the device has for certain is asked for when it counts.
  const program = (): NonNullable<typeof known> =>
    (known ??= { program: thread.newProgram(), recipe, compiler, device: device() });
  const asked = new Map<string, Pending<KernelTraits>>();
  return {
    find: (name) => {
      const pending = asked.get(name) ?? thread.describe({ ...program(), kernel: name });
      if (pending === null) return here(name);
      asked.set(name, pending);
      const traits = pending.poll();
      if (traits === null) return "later";
      // Without the thread it is found here; else launches run what the binary has.
      if (!traits.ok) return pending.isLost() ? here(name) : null;
      // Keys that only the compiler can make.
      if (traits.value.forms === "own") return here(name);
      return new LateKernel(
        name,
        traits.value,
        null,
        () => here(name),
        (kernel, facts) => thread.begin({ ...program(), kernel, facts }),
      );
    },
    free: () => {
      for (const pending of asked.values()) pending.drop();
      asked.clear();
    },
  };
}

/** Kernels of the program in the IR of a binary, for a target. @public */
export function binaryKernels(target: Target | null, ir: Uint8Array): KernelSource {
  let read: { readonly module: Module | null } | null = null;
  const here = (name: string): Kernel | null => {
    read ??= { module: finalizedProgram(target, ir) };
    return read.module?.getKernel(name) ?? null;
  };
  const empty = target?.createModule();
  const thread = empty instanceof LateModule ? empty.thread : null;
  if (empty === undefined || thread === null) return { find: here, free: () => undefined };
  return {
    ...kernelsElsewhere(thread, ir, here),
    get takeover(): TakeoverPolicy | null {
      return empty.takeover ?? null;
    },
  };
}
