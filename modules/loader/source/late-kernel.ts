// SPDX-License-Identifier: Apache-2.0
// A kernel of a cached build. Its variants for launches may be cached too.
import { InternalError, type Result, ok } from "@muxkit/cargo";
import { type CompilerError, type Kernel, type LaunchFacts, type SpecializedKernel, launchKey } from "@muxkit/compiler";

import { type KeptKernel, type KeptProgram, type ProgramStore, keptCode } from "./program-store.ts";

/** See the file's head. */
export class LateKernel implements Kernel {
  private readonly kept: KeptKernel;
  private readonly program: KeptProgram;
  private readonly store: ProgramStore;
  private readonly find: () => Kernel | null;

  /** `find` returns the compiler's own. */
  constructor(kept: KeptKernel, program: KeptProgram, store: ProgramStore, find: () => Kernel | null) {
    this.kept = kept;
    this.program = program;
    this.store = store;
    this.find = find;
  }

  get name(): string {
    return this.kept.info.name;
  }

  get preferredLocalSize(): readonly [number, number, number] {
    return this.kept.preferredLocalSize;
  }

  get localMemorySize(): number {
    return this.kept.declaredLocalBytes;
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

  specializationKey(facts: LaunchFacts): string | null {
    const { forms } = this.kept;
    if (forms === "none") return null;
    return forms === "launch" ? launchKey(facts) : this.real().specializationKey(facts);
  }

  precacheLocalSize(x: number, y: number, z: number): Result<void, CompilerError> {
    return this.real().precacheLocalSize(x, y, z);
  }

  getDynamicWorkWidth(x: number, y: number, z: number): number {
    return this.real().getDynamicWorkWidth(x, y, z);
  }

  createSpecializedKernel(facts: LaunchFacts): Result<SpecializedKernel, CompilerError> {
    if (this.kept.forms !== "launch") return this.real().createSpecializedKernel(facts);
    const key = launchKey(facts);
    let made: SpecializedKernel | null = null;
    const code = keptCode(this.store, this.program, ["form", this.name, key], () => {
      const done = this.real().createSpecializedKernel(facts);
      if (!done.ok) return done;
      made = done.value;
      return ok(made.binary);
    });
    return code.ok ? ok(made ?? { binary: code.value ?? new Uint8Array(0), key, report: null }) : code;
  }
}
