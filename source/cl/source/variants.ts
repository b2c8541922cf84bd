// SPDX-License-Identifier: Apache-2.0
// Forms of kernels for the local sizes, samplers and image formats of their launches (decision 26): code that knows them walks work-groups without tests for what is left over, and reads pixels without asking for each one what it reads.
import { type Kernel, type LaunchFacts, type Module, launchKey } from "@muxkit/compiler";
import {
  DEFAULT_ALLOCATOR,
  type MuxDevice,
  type MuxExecutable,
  type MuxKernel,
  muxCreateExecutable,
  muxCreateKernel,
  muxDestroyExecutable,
  muxDestroyKernel,
} from "@muxkit/mux";

import { fromMux } from "./from-mux.ts";

/** Forms of one kernel at most; what else comes runs the generic one. */
const MOST_VARIANTS = 8;
/** Launches with the same facts before a form is made of them: compiling takes longer than most single launches. */
const LAUNCHES_BEFORE = 1;
/** Work-items that have been launched before a form is made for a local size alone: fewer are done sooner than it is compiled. */
const WORK_ITEMS_BEFORE = 2 ** 18;
/** Launches that are looked at, whatever their size: of smaller ones than bring that many by then, each later one gains less by a form than it costs not to know it again. */
const MOST_LOOKED_AT = 64;

/** What is known of the launches with one key. */
interface Variant {
  launches: number;
  /** Work-items of all of them. */
  workItems: number;
  /** True when no form is made any more: there is one, or it could not be made. */
  isSettled: boolean;
  /** Null: there is none, or none yet. */
  code: { readonly executable: MuxExecutable; readonly kernel: MuxKernel } | null;
}

const GENERIC = { code: null, isSettled: true } as const;

/** The forms of a program's kernels on one device. @internal */
export class KernelVariants {
  /** The program; null: not asked for yet, or there is none. */
  private module: Module | null;
  /** Gives the program of a binary when a form is to be made; null: it is at hand, or was asked for. */
  private late: (() => Module | null) | null;
  private readonly device: MuxDevice;
  private readonly kernels = new Map<string, Kernel | null>();
  private readonly byKernel = new Map<string, Map<string, Variant>>();

  /** For a program that a compiler has made, or that it reads when the first form is to be made. */
  constructor(module: Module | (() => Module | null), device: MuxDevice) {
    this.module = typeof module === "function" ? null : module;
    this.late = typeof module === "function" ? module : null;
    this.device = device;
  }

  /** The form of a kernel for a launch of so many work-items; null: the generic one. The first launches of their kind are generic too, and then it is not settled what the next one is. */
  find(
    name: string,
    facts: LaunchFacts,
    workItems: number,
  ): { readonly code: MuxKernel | null; readonly isSettled: boolean } {
    // Until a compiler is there, each fact may matter.
    const key = this.late === null ? (this.kernelOf(name)?.specializationKey(facts) ?? null) : launchKey(facts);
    if (key === null) return GENERIC;
    const variants = this.variantsOf(name);
    let variant = variants.get(key);
    if (variant === undefined) {
      if (variants.size >= MOST_VARIANTS) return GENERIC;
      variant = { launches: 0, workItems: 0, isSettled: false, code: null };
      variants.set(key, variant);
    }
    const isWorthwhile =
      variant.launches >= LAUNCHES_BEFORE &&
      (variant.workItems >= WORK_ITEMS_BEFORE || facts.arguments?.some((fact) => fact !== null) === true);
    if (isWorthwhile && !variant.isSettled) {
      variant.code = this.make(name, facts);
      variant.isSettled = true;
    }
    variant.launches++;
    variant.workItems += workItems;
    const isSmall = variant.launches > MOST_LOOKED_AT && workItems * MOST_LOOKED_AT < WORK_ITEMS_BEFORE;
    return { code: variant.code?.kernel ?? null, isSettled: variant.isSettled || isSmall };
  }

  private kernelOf(name: string): Kernel | null {
    let kernel = this.kernels.get(name);
    if (kernel === undefined) {
      if (this.late !== null) this.module = this.late();
      this.late = null;
      kernel = this.module?.getKernel(name) ?? null;
      this.kernels.set(name, kernel);
    }
    return kernel;
  }

  private variantsOf(name: string): Map<string, Variant> {
    let variants = this.byKernel.get(name);
    if (variants === undefined) {
      variants = new Map();
      this.byKernel.set(name, variants);
    }
    return variants;
  }

  /** What cannot be made is not missed: the generic form does the same. */
  private make(name: string, facts: LaunchFacts): Variant["code"] {
    const kernel = this.kernelOf(name);
    // A compiler that was not asked before may know of no better form.
    const made = kernel?.specializationKey(facts) === null ? null : kernel?.createSpecializedKernel(facts);
    if (made?.ok !== true) return null;
    const executable = muxCreateExecutable(this.device, made.value.binary, DEFAULT_ALLOCATOR);
    if (!executable.ok) return null;
    const code = muxCreateKernel(this.device, executable.value, name, DEFAULT_ALLOCATOR);
    if (code.ok) return { executable: executable.value, kernel: code.value };
    void muxDestroyExecutable(this.device, executable.value, DEFAULT_ALLOCATOR);
    return null;
  }

  /** Gives back all forms. */
  free(call: string): void {
    for (const variants of this.byKernel.values()) {
      for (const { code } of variants.values()) {
        if (code === null) continue;
        fromMux(call, muxDestroyKernel(this.device, code.kernel, DEFAULT_ALLOCATOR));
        fromMux(call, muxDestroyExecutable(this.device, code.executable, DEFAULT_ALLOCATOR));
      }
    }
    this.byKernel.clear();
  }
}
