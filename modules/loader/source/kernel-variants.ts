// SPDX-License-Identifier: Apache-2.0
// The code that launches of kernels run, for the queues of any API: the generic code, or variants that know more. Code
// that knows the samplers and image formats of its arguments needs no tests of the format of each pixel; code that
// knows the local size needs none for partial work-groups.
//
// What is made when (docs/decisions/062-late-code.md, 067-compile-budget.md):
// 0. Where the full form of the first launch's code would take longer than the budget, and another thread can make it
//    meanwhile, quick code is made in its place. The full form is begun when the kernel is launched again and has been
//    launched for so many work-items that it pays, or so often; launches run it as soon as it is there.
// 1. Where a launch has samplers or images and its kernel has no code yet, the variant for them is made in place of the
//    generic code, which takes longer to make. The launch waits for it.
// 2. A kernel whose generic code is there gets it when a launch with the same samplers and images comes again.
// 3. A variant for a local size is made when launches with the same facts come again, and are large enough. One that an
//    earlier process has made is taken by the first launch.
// 4. Where such a variant is so much faster that a launch that still takes long is to go on by it, it is begun while
//    that launch runs (docs/decisions/081-takeover.md).
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
  type TakeoverPolicy,
  argumentFacts,
  knowsArguments,
  launchKey,
} from "@muxkit/compiler";
import {
  DEFAULT_ALLOCATOR,
  type MuxDevice,
  type MuxError,
  type MuxExecutable,
  type MuxKernel,
  type MuxNDRangeOptions,
  type MuxSuccessor,
  muxCreateExecutable,
  muxCreateKernel,
  muxDestroyExecutable,
  muxDestroyKernel,
} from "@muxkit/mux";

import type { KernelSource } from "./binary-program.ts";
import { COMPILE_BUDGET } from "./settings.table.ts";

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

/** Launches that run quick code at most before the full form is begun, whatever they would gain by it. */
const MOST_QUICK = 16;

/** What of a launch decides which code is made. */
interface Launch {
  readonly workItems: number;
  /** The generic code is there. */
  readonly hasGeneric: boolean;
  /** Code for its local size is there, or is being made. */
  readonly isComing: boolean;
}

/** Code that is loaded. */
interface LoadedCode {
  readonly executable: MuxExecutable;
  readonly kernel: MuxKernel;
}

/** Quick code. */
interface LoadedQuick extends LoadedCode {
  /** Work-items after which the full form pays. */
  readonly paysAfter: number;
}

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
  code: LoadedCode | null;
  /** What launches run as long as there is no other code; null: there is none. */
  quick: LoadedQuick | null;
}

/** The code of a launch. @public */
export interface LaunchCode {
  /** The variant; null: the generic kernel. */
  readonly code: MuxKernel | null;
  /** True when the next launch like it has the same code, so that an API may keep what it found. */
  readonly isFinal: boolean;
  /** What runs the rest of the launch if it takes long; absent: nothing does. */
  readonly successor?: MuxSuccessor;
}

const GENERIC: LaunchCode = { code: null, isFinal: true };

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

/**
 * True when the full form of launches that come again is to be made; `isComing`: there will be better code for them.
 */
function isHot({ launches, workItems, quick }: Variant, isComing: boolean): boolean {
  if (quick === null) return true;
  return !isComing && launches >= LAUNCHES_BEFORE && (workItems >= quick.paysAfter || launches >= MOST_QUICK);
}

/** A variant without any launch. */
function newVariant(): Variant {
  return { launches: 0, workItems: 0, isFinal: false, pending: null, code: null, quick: null };
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
  /** Generic code that was made quickly, and its full form. */
  private readonly generic = new Map<string, Variant>();

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
    const found = this.look(name, facts, workItems, hasGeneric);
    // It looks at the device's features, so it is read where it counts only.
    const takeover = found.isFinal ? null : (this.source.takeover ?? null);
    return takeover === null ? found : { ...found, successor: this.successorOf(name, facts, takeover) };
  }

  /** What runs the rest of a launch, where that takes long enough by then. */
  private successorOf(name: string, facts: LaunchFacts, { after }: TakeoverPolicy): MuxSuccessor {
    let isBegun = false;
    return {
      after,
      ask: (remaining) => {
        const { takeover = null } = this.source;
        if (takeover === null) return "never";
        isBegun ||= remaining >= takeover.remaining;
        if (!isBegun) return "later";
        const kernel = this.kernelOf(name);
        if (kernel === "later") return "later";
        const key = kernel?.specializationKey(facts) ?? null;
        const variant = kernel === null || key === null ? null : this.variantOf(name, key, null);
        if (kernel === null || variant === null) return "never";
        if (!variant.isFinal) {
          variant.pending ??= kernel.startSpecializedKernel?.(facts) ?? null;
          // Without another thread the launch would wait.
          if (variant.pending === null) return "never";
          const made = takeover.remaining === 0 ? variant.pending.wait() : variant.pending.poll();
          if (made === null) return "later";
          this.take(name, made, variant);
        }
        return variant.code?.kernel ?? "never";
      },
    };
  }

  private look(name: string, facts: LaunchFacts, workItems: number, hasGeneric: boolean): LaunchCode {
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
    return kernel === null || kernel === "later"
      ? GENERIC
      : this.codeOf(kernel, facts, { workItems, hasGeneric, seen });
  }

  /** The code of a kernel for a launch; `seen` are the launches that came before the kernel was found. */
  private codeOf(
    kernel: Kernel,
    facts: LaunchFacts,
    { workItems, hasGeneric, seen }: Omit<Launch, "isComing"> & { readonly seen: Variant | null },
  ): LaunchCode {
    const isKnown = knowsArguments(facts);
    const takesAnySize = isKnown && kernel.takesAnySize === true;
    const key = kernel.specializationKey(facts);
    const known = takesAnySize ? this.forArguments(kernel, argumentFacts(facts), seen) : null;
    const variant = key === null || key === known?.key ? null : this.variantOf(kernel.name, key, seen);
    if (variant !== null && variant.launches === 0) this.takeKept(kernel, facts, variant);
    if (variant !== null && isWorthwhile(variant, isKnown && !takesAnySize)) this.advance(kernel, facts, variant);
    // What comes for this local size is better than the full form for any.
    const isComing = variant !== null && (variant.pending !== null || variant.code !== null);
    if (known !== null)
      this.launchKnown(kernel, argumentFacts(facts), known.variant, { workItems, hasGeneric, isComing });
    const base = known?.variant ?? this.quickGeneric(kernel, { workItems, hasGeneric, isComing });
    const code = base?.code?.kernel ?? (hasGeneric ? null : (base?.quick?.kernel ?? null));
    if (variant === null) return { code, isFinal: base?.isFinal ?? true };
    const own = counted(variant, workItems);
    return { code: own.code ?? code, isFinal: own.isFinal && (own.code !== null || base?.isFinal !== false) };
  }

  /** The variant for the arguments of a launch; null: there are too many. */
  private forArguments(
    kernel: Kernel,
    facts: LaunchFacts,
    seen: Variant | null,
  ): { readonly key: string; readonly variant: Variant } | null {
    const key = kernel.specializationKey(facts);
    const variant = key === null ? null : this.variantOf(kernel.name, key, seen);
    return key === null || variant === null ? null : { key, variant };
  }

  /** Has a launch take or make the variant for its arguments. */
  private launchKnown(kernel: Kernel, facts: LaunchFacts, variant: Variant, launch: Launch): void {
    const { hasGeneric, isComing, workItems } = launch;
    const isFirst = !hasGeneric && variant.code === null && variant.quick === null && !variant.isFinal;
    if (isFirst && !this.makeQuick(kernel, facts, variant, workItems)) this.finish(kernel, facts, variant);
    else if (variant.launches >= LAUNCHES_BEFORE && isHot(variant, isComing)) this.advance(kernel, facts, variant);
    variant.launches++;
    variant.workItems += workItems;
  }

  /** Quick code in place of the generic one, and later its full form; null: launches need none. */
  private quickGeneric(kernel: Kernel, { workItems, hasGeneric, isComing }: Launch): Variant | null {
    if (hasGeneric || kernel.createQuickKernel === undefined || kernel.startSpecializedKernel === undefined)
      return null;
    const facts: LaunchFacts = { localSize: [0, 0, 0], uniformGroups: false, zeroOffset: false };
    let variant = this.generic.get(kernel.name);
    if (variant === undefined) {
      variant = newVariant();
      this.generic.set(kernel.name, variant);
      // Without quick code the generic one is made where it is asked for.
      if (!this.makeQuick(kernel, facts, variant, workItems)) variant.isFinal = true;
    } else if (isHot(variant, isComing)) this.advance(kernel, facts, variant);
    variant.launches++;
    variant.workItems += workItems;
    return variant;
  }

  /** Makes quick code for the first launch, of so many work-items; false: it needs the full form. */
  private makeQuick(kernel: Kernel, facts: LaunchFacts, variant: Variant, workItems: number): boolean {
    // Where no other thread makes the full form, a later launch would have to wait for it.
    if (kernel.startSpecializedKernel === undefined) return false;
    const made = kernel.createQuickKernel?.(facts, workItems, COMPILE_BUDGET) ?? null;
    const code = made === null ? null : this.load(kernel.name, made.binary);
    if (made === null || code === null) return false;
    if (made.paysAfter === Infinity) {
      variant.code = code;
      variant.isFinal = true;
    } else variant.quick = { ...code, paysAfter: made.paysAfter };
    return true;
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
    for (const [name, variant] of this.all())
      if (variant.pending !== null) this.take(name, variant.pending.wait(), variant);
  }

  /** All variants, with the names of their kernels. */
  private all(): readonly (readonly [name: string, variant: Variant])[] {
    const named = [...this.byKernel].flatMap(([name, list]) => [...list.values()].map((one) => [name, one] as const));
    return [...named, ...this.generic];
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
      variant = { ...newVariant(), launches, workItems };
      variants.set(key, variant);
    }
    return variant;
  }

  /** Takes a variant that an earlier process has made: it saves the generic code. */
  private takeKept(kernel: Kernel, facts: LaunchFacts, variant: Variant): void {
    const kept = kernel.findSpecializedKernel?.(facts) ?? null;
    if (kept === null) return;
    variant.code = this.load(kernel.name, kept.binary);
    variant.isFinal = variant.code !== null;
  }

  /** Loads a variant. One that cannot be made is not missed: the generic code does the same. */
  private take(name: string, made: Result<SpecializedKernel, CompilerError>, variant: Variant): void {
    variant.isFinal = true;
    variant.pending = null;
    if (made.ok) variant.code = this.load(name, made.value.binary);
  }

  /** Loads code of a kernel; null: the device has no room for it. */
  private load(name: string, binary: Uint8Array): LoadedCode | null {
    const executable = muxCreateExecutable(this.device, binary, DEFAULT_ALLOCATOR);
    if (!executable.ok) return null;
    const code = muxCreateKernel(this.device, executable.value, name, DEFAULT_ALLOCATOR);
    if (code.ok) return { executable: executable.value, kernel: code.value };
    void muxDestroyExecutable(this.device, executable.value, DEFAULT_ALLOCATOR);
    return null;
  }

  /**
   * Destroys all variants, and gives up what is not there yet. Errors: the first one of the runtime; the others are
   * destroyed all the same.
   */
  free(): Result<void, MuxError> {
    let failed: Result<void, MuxError> = ok();
    for (const [, { code, quick, pending }] of this.all()) {
      pending?.drop();
      for (const loaded of [code, quick]) {
        if (loaded === null) continue;
        for (const done of [
          muxDestroyKernel(this.device, loaded.kernel, DEFAULT_ALLOCATOR),
          muxDestroyExecutable(this.device, loaded.executable, DEFAULT_ALLOCATOR),
        ])
          if (failed.ok && !done.ok) failed = done;
      }
    }
    this.byKernel.clear();
    this.generic.clear();
    if (!("getKernel" in this.source)) this.source.free();
    return failed;
  }
}
