// SPDX-License-Identifier: Apache-2.0
// A kernel whose compiler is not needed for most of what is asked of it: of a cached build, whose variants for launches
// may be cached too, or of a program that another thread has.
import { InternalError, type Result, ok } from "@muxkit/cargo";
import {
  type CompilerError,
  type Kernel,
  type LaunchFacts,
  type PendingKernel,
  type SpecializedKernel,
  argumentFacts,
  launchKey,
} from "@muxkit/compiler";

import type { KernelTraits } from "./kernel-traits.ts";
import { type KeptProgram, type ProgramStore, findCode, keepCode, keptCode } from "./program-store.ts";

/** Has another thread compile a kernel for launches; null: there is none. */
export type BeginKernel = (name: string, facts: LaunchFacts) => PendingKernel | null;

/** Runs what compiles. */
export type Compiling = <T>(work: () => T) => T;

/** A kernel of the compiler, which works by `compiling`; another thread compiles for its launches, null: none does. */
export function kernelOf(kernel: Kernel, compiling: Compiling, begin: BeginKernel | null): Kernel {
  return {
    name: kernel.name,
    preferredLocalSize: kernel.preferredLocalSize,
    localMemorySize: kernel.localMemorySize,
    takesAnySize: kernel.takesAnySize === true,
    specializationKey: (facts) => kernel.specializationKey(facts),
    precacheLocalSize: (x, y, z) => compiling(() => kernel.precacheLocalSize(x, y, z)),
    getDynamicWorkWidth: (x, y, z) => kernel.getDynamicWorkWidth(x, y, z),
    createSpecializedKernel: (facts) => compiling(() => kernel.createSpecializedKernel(facts)),
    startSpecializedKernel: (facts) => begin?.(kernel.name, facts) ?? null,
  };
}

/** A cached build, and where its code is kept. */
export interface KeptCode {
  readonly program: KeptProgram;
  readonly store: ProgramStore;
}

/** See the file's head. */
export class LateKernel implements Kernel {
  readonly name: string;
  private readonly traits: KernelTraits;
  private readonly kept: KeptCode | null;
  private readonly find: () => Kernel | null;
  private readonly begin: BeginKernel | null;

  /**
   * `kept` is where its code is kept, null: nowhere; `find` returns the compiler's own; `begin` has another thread
   * compile, null: there is none.
   */
  constructor(
    name: string,
    traits: KernelTraits,
    kept: KeptCode | null,
    find: () => Kernel | null,
    begin: BeginKernel | null,
  ) {
    this.name = name;
    this.traits = traits;
    this.kept = kept;
    this.find = find;
    this.begin = begin;
  }

  get preferredLocalSize(): readonly [number, number, number] {
    return this.traits.preferredLocalSize;
  }

  get localMemorySize(): number {
    return this.traits.declaredLocalBytes;
  }

  get takesAnySize(): boolean {
    return this.traits.takesAnySize;
  }

  private real(): Kernel {
    const kernel = this.find();
    if (kernel === null)
      throw new InternalError(`the program has no kernel ${this.name} when it is compiled again`, [
        "loader",
        this.name,
      ]);
    return kernel;
  }

  private keyOf(facts: LaunchFacts): string {
    return launchKey(this.traits.forms === "arguments" ? argumentFacts(facts) : facts);
  }

  specializationKey(facts: LaunchFacts): string | null {
    const { forms } = this.traits;
    if (forms === "none") return null;
    return forms === "own" ? this.real().specializationKey(facts) : this.keyOf(facts);
  }

  precacheLocalSize(x: number, y: number, z: number): Result<void, CompilerError> {
    return this.real().precacheLocalSize(x, y, z);
  }

  getDynamicWorkWidth(x: number, y: number, z: number): number {
    return this.real().getDynamicWorkWidth(x, y, z);
  }

  createSpecializedKernel(facts: LaunchFacts): Result<SpecializedKernel, CompilerError> {
    const {
      kept,
      traits: { forms },
    } = this;
    if (kept === null || forms === "own" || forms === "none") return this.real().createSpecializedKernel(facts);
    const key = this.keyOf(facts);
    let made: SpecializedKernel | null = null;
    const code = keptCode(kept.store, kept.program, ["form", this.name, key], () => {
      const done = this.real().createSpecializedKernel(facts);
      if (!done.ok) return done;
      made = done.value;
      return ok(made.binary);
    });
    return code.ok ? ok(made ?? { binary: code.value ?? new Uint8Array(0), key, report: null }) : code;
  }

  startSpecializedKernel(facts: LaunchFacts): PendingKernel | null {
    const {
      begin,
      kept,
      name,
      traits: { forms },
    } = this;
    if (begin === null || kept === null || forms === "own" || forms === "none") return begin?.(name, facts) ?? null;
    const { store, program } = kept;
    const key = this.keyOf(facts);
    const what = ["form", name, key];
    const binary = findCode(store, program, what);
    if (binary !== null) {
      const known = ok({ binary, key, report: null });
      return { poll: () => known, wait: () => known, drop: () => undefined };
    }
    const pending = begin(name, facts);
    if (pending === null) return null;
    let isKept = false;
    const keep = (made: Result<SpecializedKernel, CompilerError> | null): void => {
      if (made?.ok === true && !isKept) keepCode(store, program, what, made.value.binary);
      isKept ||= made !== null;
    };
    return {
      poll: () => {
        const made = pending.poll();
        keep(made);
        return made;
      },
      wait: () => {
        const made = pending.wait();
        keep(made);
        return made;
      },
      drop: () => {
        pending.drop();
      },
    };
  }
}
