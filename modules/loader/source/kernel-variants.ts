// SPDX-License-Identifier: Apache-2.0
// The code that launches of kernels run, for the queues of any API: the generic code, or variants that know more. Code
// that knows the samplers and image formats of its arguments needs no tests of the format of each pixel; code that
// knows the local size needs none for partial work-groups.
//
// What is made when (docs/decisions/062-late-code.md):
// 1. Where a launch has samplers or images and its kernel has no code yet, the variant for them is made in place of the
//    generic code, which takes longer to make. The launch waits for it.
// 2. A kernel whose generic code is there gets it when a launch with the same samplers and images comes again.
// 3. A variant for a local size is made when launches with the same facts come again, and are large enough.
// Variants of the second and third kind are made by another thread, where the compiler has one; launches run what there
// is until then. A kernel has a fixed number of variants at most; launches of more kinds run the generic code. Facts
// are looked up by the key that the compiler makes of them; where the program was loaded from a binary, and the kernel
// has not been looked for yet, by all of them.
import { type Result, ok } from "@muxkit/cargo";
import {
  type ArgumentFact,
  type CompilerError,
  type Kernel,
  type LaunchFacts,
  type Module,
  type PendingKernel,
  type SpecializedKernel,
  argumentFacts,
  launchKey,
} from "@muxkit/compiler";
import {
  DEFAULT_ALLOCATOR,
  type MuxDevice,
  type MuxError,
  type MuxExecutable,
  type MuxKernel,
  type MuxNDRangeOptions,
  muxCreateExecutable,
  muxCreateKernel,
  muxDestroyExecutable,
  muxDestroyKernel,
} from "@muxkit/mux";

import type { KernelSource } from "./binary-program.ts";

/** Variants of one kernel at most; what else comes runs the generic code. */
const MOST_VARIANTS = 8;
/**
 * Launches with the same facts before a variant is compiled where there is generic code: compiling takes longer than
 * most single launches.
 */
const LAUNCHES_BEFORE = 1;
/**
 * Work-items that have been launched before a variant for a local size alone is compiled: fewer are done sooner than
 * that.
 */
const WORK_ITEMS_BEFORE = 2 ** 18;
/**
 * Launches that are counted, whatever their size. Of launches too small to bring {@link WORK_ITEMS_BEFORE} by then,
 * each later one gains less by a variant than it costs to look for one.
 */
const MOST_LOOKED_AT = 64;

/** The statistics of the launches with one key, and their code. */
interface Variant {
  launches: number;
  /** Work-items of all of them. */
  workItems: number;
  /** True when nothing is compiled any more: there is a variant, or it could not be made. */
  isFinal: boolean;
  /** What another thread compiles; null: nothing. */
  pending: PendingKernel | null;
  /** Null: there is none, or none yet. */
  code: { readonly executable: MuxExecutable; readonly kernel: MuxKernel } | null;
}

/** The code of a launch. @public */
export interface LaunchCode {
  /** The variant; null: the generic kernel. */
  readonly code: MuxKernel | null;
  /** True when the next launch like it has the same code, so that an API may keep what it found. */
  readonly isFinal: boolean;
}

const GENERIC: LaunchCode = { code: null, isFinal: true };

/** True where the format of an image or a sampler is known. */
function knowsArguments({ arguments: known }: LaunchFacts): boolean {
  return known?.some((fact) => fact !== null) === true;
}

/**
 * The facts of a launch for the compiler; `known` are the facts of its arguments, in their order, null where there is
 * none.
 *
 * @public
 */
export function launchFacts(
  { localSize, globalSize, globalOffset }: Pick<MuxNDRangeOptions, "localSize" | "globalSize" | "globalOffset">,
  known: readonly (ArgumentFact | null)[],
): LaunchFacts {
  return {
    localSize,
    uniformGroups: globalSize.every((size, axis) => size % (localSize[axis] ?? 1) === 0),
    zeroOffset: globalOffset.every((offset) => offset === 0),
    arguments: known,
  };
}

/** True for launches that come again, and are known to differ or large enough by now. */
function isWorthwhile({ launches, workItems }: Variant, isKnown: boolean): boolean {
  return launches >= LAUNCHES_BEFORE && (workItems >= WORK_ITEMS_BEFORE || isKnown);
}

/** Counts a launch of so many work-items: its code. */
function counted(variant: Variant, workItems: number): LaunchCode {
  variant.launches++;
  variant.workItems += workItems;
  const isSmall = variant.launches > MOST_LOOKED_AT && workItems * MOST_LOOKED_AT < WORK_ITEMS_BEFORE;
  return {
    code: variant.code?.kernel ?? null,
    isFinal: variant.isFinal || (isSmall && variant.pending === null),
  };
}

/** The variants of a program's kernels on one device. @public */
export class KernelVariants {
  private readonly source: Module | KernelSource;
  private readonly device: MuxDevice;
  private readonly kernels = new Map<string, Kernel | null>();
  private readonly byKernel = new Map<string, Map<string, Variant>>();

  /** For a program that a compiler has made, or kernels that are looked for when the first variant is to be made. */
  constructor(source: Module | KernelSource, device: MuxDevice) {
    this.source = source;
    this.device = device;
  }

  /**
   * The variant of a kernel for a launch of so many work-items. `hasGeneric`: the generic code is there, and need not
   * be made for the launch.
   */
  find(name: string, facts: LaunchFacts, workItems: number, hasGeneric: boolean): LaunchCode {
    const isKnown = knowsArguments(facts);
    let seen: Variant | null = null;
    if (!("getKernel" in this.source) && !this.kernels.has(name)) {
      // Until the kernel is found, each fact may matter.
      seen = this.variantOf(name, launchKey(facts), null);
      if (seen === null) return GENERIC;
      if (!isWorthwhile(seen, isKnown)) return counted(seen, workItems);
      if (this.kernelOf(name) === "later") return { code: counted(seen, workItems).code, isFinal: false };
      // The compiler has keys of its own.
      this.byKernel.delete(name);
    }
    const kernel = this.kernelOf(name);
    if (kernel === null || kernel === "later") return GENERIC;
    const takesAnySize = isKnown && kernel.takesAnySize === true;
    const base = takesAnySize ? this.forArguments(kernel, argumentFacts(facts), hasGeneric, seen) : null;
    const key = kernel.specializationKey(facts);
    const variant = key === null || key === base?.key ? null : this.variantOf(name, key, seen);
    if (variant === null) return { code: base?.variant.code?.kernel ?? null, isFinal: base?.variant.isFinal ?? true };
    if (isWorthwhile(variant, isKnown && !takesAnySize)) this.advance(kernel, facts, variant);
    const { code, isFinal } = counted(variant, workItems);
    return {
      code: code ?? base?.variant.code?.kernel ?? null,
      isFinal: isFinal && base?.variant.isFinal !== false,
    };
  }

  /** The variant for the arguments of a launch; null: there are too many. */
  private forArguments(
    kernel: Kernel,
    facts: LaunchFacts,
    hasGeneric: boolean,
    seen: Variant | null,
  ): { readonly key: string; readonly variant: Variant } | null {
    const key = kernel.specializationKey(facts);
    const variant = key === null ? null : this.variantOf(kernel.name, key, seen);
    if (key === null || variant === null) return null;
    if (!hasGeneric && variant.code === null && !variant.isFinal) this.finish(kernel, facts, variant);
    else if (variant.launches >= LAUNCHES_BEFORE) this.advance(kernel, facts, variant);
    variant.launches++;
    return { key, variant };
  }

  /** Takes what another thread has made by now, or has it begin; without such threads, compiles at once. */
  private advance(kernel: Kernel, facts: LaunchFacts, variant: Variant): void {
    if (variant.isFinal) return;
    if (variant.pending === null) {
      variant.pending = kernel.startSpecializedKernel?.(facts) ?? null;
      if (variant.pending === null) this.finish(kernel, facts, variant);
      return;
    }
    const made = variant.pending.poll();
    if (made !== null) this.take(kernel.name, made, variant);
  }

  /** Compiles a variant, or waits for the thread that does. */
  private finish(kernel: Kernel, facts: LaunchFacts, variant: Variant): void {
    this.take(kernel.name, variant.pending?.wait() ?? kernel.createSpecializedKernel(facts), variant);
  }

  /** Waits until other threads have made all that they were asked for: launches from here on run it. For tests. */
  settle(): void {
    for (const [name, variants] of this.byKernel)
      for (const variant of variants.values())
        if (variant.pending !== null) this.take(name, variant.pending.wait(), variant);
  }

  private kernelOf(name: string): Kernel | null | "later" {
    let kernel: Kernel | null | "later" | undefined = this.kernels.get(name);
    if (kernel === undefined) {
      const { source } = this;
      kernel = "getKernel" in source ? source.getKernel(name) : source.find(name);
      if (kernel !== "later") this.kernels.set(name, kernel);
    }
    return kernel;
  }

  /** The variant with a key, which is new with the launches that were `seen` by now; null: there are too many. */
  private variantOf(name: string, key: string, seen: Variant | null): Variant | null {
    let variants = this.byKernel.get(name);
    if (variants === undefined) {
      variants = new Map();
      this.byKernel.set(name, variants);
    }
    let variant = variants.get(key) ?? null;
    if (variant === null && variants.size < MOST_VARIANTS) {
      const { launches = 0, workItems = 0 } = seen ?? {};
      variant = { launches, workItems, isFinal: false, pending: null, code: null };
      variants.set(key, variant);
    }
    return variant;
  }

  /** Loads a variant. One that cannot be made is not missed: the generic code does the same. */
  private take(name: string, made: Result<SpecializedKernel, CompilerError>, variant: Variant): void {
    variant.isFinal = true;
    variant.pending = null;
    if (!made.ok) return;
    const executable = muxCreateExecutable(this.device, made.value.binary, DEFAULT_ALLOCATOR);
    if (!executable.ok) return;
    const code = muxCreateKernel(this.device, executable.value, name, DEFAULT_ALLOCATOR);
    if (code.ok) variant.code = { executable: executable.value, kernel: code.value };
    else void muxDestroyExecutable(this.device, executable.value, DEFAULT_ALLOCATOR);
  }

  /**
   * Destroys all variants, and gives up what is not there yet. Errors: the first one of the runtime; the others are
   * destroyed all the same.
   */
  free(): Result<void, MuxError> {
    let failed: Result<void, MuxError> = ok();
    for (const variants of this.byKernel.values()) {
      for (const { code, pending } of variants.values()) {
        pending?.drop();
        if (code === null) continue;
        for (const done of [
          muxDestroyKernel(this.device, code.kernel, DEFAULT_ALLOCATOR),
          muxDestroyExecutable(this.device, code.executable, DEFAULT_ALLOCATOR),
        ])
          if (failed.ok && !done.ok) failed = done;
      }
    }
    this.byKernel.clear();
    if (!("getKernel" in this.source)) this.source.free();
    return failed;
  }
}
