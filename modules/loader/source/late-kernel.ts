// SPDX-License-Identifier: Apache-2.0
// A kernel whose compiler is not needed for most of what is asked of it: of a cached build, whose variants for launches
// may be cached too, or of a program that another thread has.
import { InternalError, type Result, ok } from "@muxkit/cargo";
import {
  type CompilerError,
  type Kernel,
  type LaunchFacts,
  type PendingKernel,
  type QuickKernel,
  type SpecializedKernel,
  argumentFacts,
  knowsArguments,
  launchKey,
} from "@muxkit/compiler";

import { type Pending, madeSomewhere } from "./compile-thread.ts";
import type { KernelTraits } from "./kernel-traits.ts";
import { type DeviceStore, type KeptProgram, findCode, keepCode, keptCode } from "./program-store.ts";

/** Has another thread compile a kernel for launches; null: there is none. */
export type BeginKernel = (name: string, facts: LaunchFacts) => Pending<SpecializedKernel> | null;

/**
 * Estimated ms of making a kernel's code above which first launches run quick code; null: they never do, as long as no
 * other thread can make the full form.
 */
export type QuickBudget = () => number | null;

/** Runs what compiles. */
export type Compiling = <T>(work: () => T) => T;

/** A kernel of the compiler, which works by `compiling`; another thread compiles for its launches, null: none does. */
export function kernelOf(
  kernel: Kernel,
  compiling: Compiling,
  begin: BeginKernel | null,
  budget: QuickBudget = () => null,
): Kernel {
  return {
    name: kernel.name,
    preferredLocalSize: kernel.preferredLocalSize,
    localMemorySize: kernel.localMemorySize,
    takesAnySize: kernel.takesAnySize === true,
    specializationKey: (facts) => kernel.specializationKey(facts),
    precacheLocalSize: (x, y, z) => compiling(() => kernel.precacheLocalSize(x, y, z)),
    getDynamicWorkWidth: (x, y, z) => kernel.getDynamicWorkWidth(x, y, z),
    createSpecializedKernel: (facts) => compiling(() => kernel.createSpecializedKernel(facts)),
    startSpecializedKernel: (facts) =>
      madeSomewhere(begin?.(kernel.name, facts) ?? null, () => compiling(() => kernel.createSpecializedKernel(facts))),
    createQuickKernel: (facts, workItems) => {
      const most = budget();
      return most === null ? null : compiling(() => kernel.createQuickKernel?.(facts, workItems, most) ?? null);
    },
  };
}

/** True for launches of which nothing is known: their code is the generic one. */
function isGeneric(facts: LaunchFacts): boolean {
  return facts.localSize.every((size) => size === 0) && !knowsArguments(facts);
}

/** A cached build, and where its code is kept. */
export interface KeptCode {
  readonly program: KeptProgram;
  readonly store: DeviceStore;
}

/** See the file's head. */
export class LateKernel implements Kernel {
  readonly name: string;
  private readonly traits: KernelTraits;
  private readonly kept: KeptCode | null;
  private readonly find: () => Kernel | null;
  private readonly begin: BeginKernel | null;
  private readonly budget: QuickBudget;

  /**
   * `kept` is where its code is kept, null: nowhere; `find` returns the compiler's own; `begin` has another thread
   * compile, null: there is none. `budget` says when quick code is made; absent: never.
   */
  constructor(
    name: string,
    traits: KernelTraits,
    kept: KeptCode | null,
    find: () => Kernel | null,
    begin: BeginKernel | null,
    budget: QuickBudget = () => null,
  ) {
    this.budget = budget;
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

  /** Where the code for launches is kept: that of any launch is what {@link Module.createKernelBinary} makes. */
  private placeOf(facts: LaunchFacts): { readonly key: string; readonly what: readonly string[] } {
    const key = this.keyOf(facts);
    return { key, what: isGeneric(facts) ? ["kernel", this.name] : ["form", this.name, key] };
  }

  findSpecializedKernel(facts: LaunchFacts): SpecializedKernel | null {
    const {
      kept,
      traits: { forms },
    } = this;
    if (kept === null || forms === "own" || forms === "none") return null;
    const key = this.keyOf(facts);
    const binary = findCode(kept.store, kept.program, ["form", this.name, key]);
    return binary === null ? null : { binary, key, report: null };
  }

  createQuickKernel(facts: LaunchFacts, workItems: number): QuickKernel | null {
    const budget = this.budget();
    const {
      kept,
      traits: { forms },
    } = this;
    if (budget === null || forms === "own") return null;
    const make = (): QuickKernel | null => this.real().createQuickKernel?.(facts, workItems, budget) ?? null;
    if (kept === null) return make();
    const { store, program } = kept;
    const { what, key } = this.placeOf(facts);
    const full = findCode(store, program, what);
    if (full !== null) return { binary: full, paysAfter: Infinity };
    const place = ["quick", this.name, key];
    const known = findCode(store, program, place);
    // It is launched by one process after the other, so the full form pays with the next launch.
    if (known !== null) return { binary: known, paysAfter: 0 };
    const made = make();
    if (made !== null) keepCode(store, program, place, made.binary);
    return made;
  }

  startSpecializedKernel(facts: LaunchFacts): PendingKernel | null {
    const {
      begin,
      kept,
      name,
      traits: { forms },
    } = this;
    const start = (): PendingKernel | null =>
      madeSomewhere(begin?.(name, facts) ?? null, () => this.real().createSpecializedKernel(facts));
    const isKept = forms !== "own" && (forms !== "none" || isGeneric(facts));
    if (begin === null || kept === null || !isKept) return start();
    const { store, program } = kept;
    const { key, what } = this.placeOf(facts);
    const binary = findCode(store, program, what);
    if (binary !== null) {
      const known = ok({ binary, key, report: null });
      return { poll: () => known, wait: () => known, drop: () => undefined };
    }
    const pending = start();
    if (pending === null) return null;
    let isDone = false;
    const keep = (made: Result<SpecializedKernel, CompilerError> | null): void => {
      if (made?.ok === true && !isDone) keepCode(store, program, what, made.value.binary);
      isDone ||= made !== null;
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
