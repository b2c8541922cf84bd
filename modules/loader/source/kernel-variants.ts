// SPDX-License-Identifier: Apache-2.0
// Variants of kernels for the local sizes, samplers and image formats of their launches, for the queues of any API:
// code that knows them needs no tests for partial work-groups, and reads pixels without testing the format of each
// one. A variant is compiled when launches with the same facts recur and are large enough, or when
// facts of arguments are known; until then, and for launches of too many kinds, the generic code runs. Facts are looked
// up by the key that the compiler makes of them; where the program was loaded from a binary, and its compiler has not
// been needed yet, by all of them.
import { type Result, ok } from "@muxkit/cargo";
import {
  type ArgumentFact,
  type Kernel,
  type LaunchFacts,
  type Module,
  type Target,
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

/** Variants of one kernel at most; what else comes runs the generic code. */
const MOST_VARIANTS = 8;
/** Launches with the same facts before a variant is compiled: compiling takes longer than most single launches. */
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

/** The statistics of the launches with one key. */
interface Variant {
  launches: number;
  /** Work-items of all of them. */
  workItems: number;
  /** True when nothing is compiled any more: there is a variant, or it could not be made. */
  isFinal: boolean;
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

/** The program that a compiler reads in the IR of a binary, finalized; null: it reads no such programs. @public */
export function finalizedProgram(target: Target | null, ir: Uint8Array): Module | null {
  const module = target?.createModule();
  if (module === undefined || !module.deserialize(ir).ok) return null;
  if (module.state === "intermediate" && !module.finalize().ok) return null;
  return module.state === "executable" ? module : null;
}

/** The variants of a program's kernels on one device. @public */
export class KernelVariants {
  /** The program; null: not needed yet, or there is none. */
  private module: Module | null;
  /** Reads the program of a binary when a variant is to be made; null: it is at hand, or was read. */
  private late: (() => Module | null) | null;
  private readonly device: MuxDevice;
  private readonly kernels = new Map<string, Kernel | null>();
  private readonly byKernel = new Map<string, Map<string, Variant>>();

  /** For a program that a compiler has made, or a function that reads it when the first variant is to be made. */
  constructor(module: Module | (() => Module | null), device: MuxDevice) {
    this.module = typeof module === "function" ? null : module;
    this.late = typeof module === "function" ? module : null;
    this.device = device;
  }

  /**
   * The variant of a kernel for a launch of so many work-items. The first launches of their kind are generic, and then
   * it is not final what the next one has.
   */
  find(name: string, facts: LaunchFacts, workItems: number): LaunchCode {
    // Until a compiler is there, each fact may matter.
    const key = this.late === null ? (this.kernelOf(name)?.specializationKey(facts) ?? null) : launchKey(facts);
    if (key === null) return GENERIC;
    const variants = this.variantsOf(name);
    let variant = variants.get(key);
    if (variant === undefined) {
      if (variants.size >= MOST_VARIANTS) return GENERIC;
      variant = { launches: 0, workItems: 0, isFinal: false, code: null };
      variants.set(key, variant);
    }
    const isWorthwhile =
      variant.launches >= LAUNCHES_BEFORE &&
      (variant.workItems >= WORK_ITEMS_BEFORE || facts.arguments?.some((fact) => fact !== null) === true);
    if (isWorthwhile && !variant.isFinal) {
      variant.code = this.make(name, facts);
      variant.isFinal = true;
    }
    variant.launches++;
    variant.workItems += workItems;
    const isSmall = variant.launches > MOST_LOOKED_AT && workItems * MOST_LOOKED_AT < WORK_ITEMS_BEFORE;
    return { code: variant.code?.kernel ?? null, isFinal: variant.isFinal || isSmall };
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

  /** A variant that cannot be made is not missed: the generic code does the same. */
  private make(name: string, facts: LaunchFacts): Variant["code"] {
    const kernel = this.kernelOf(name);
    // A compiler that was not loaded before may have no better variant.
    const made = kernel?.specializationKey(facts) === null ? null : kernel?.createSpecializedKernel(facts);
    if (made?.ok !== true) return null;
    const executable = muxCreateExecutable(this.device, made.value.binary, DEFAULT_ALLOCATOR);
    if (!executable.ok) return null;
    const code = muxCreateKernel(this.device, executable.value, name, DEFAULT_ALLOCATOR);
    if (code.ok) return { executable: executable.value, kernel: code.value };
    void muxDestroyExecutable(this.device, executable.value, DEFAULT_ALLOCATOR);
    return null;
  }

  /** Destroys all variants. Errors: the first one of the runtime; the others are destroyed all the same. */
  free(): Result<void, MuxError> {
    let failed: Result<void, MuxError> = ok();
    for (const variants of this.byKernel.values()) {
      for (const { code } of variants.values()) {
        if (code === null) continue;
        for (const done of [
          muxDestroyKernel(this.device, code.kernel, DEFAULT_ALLOCATOR),
          muxDestroyExecutable(this.device, code.executable, DEFAULT_ALLOCATOR),
        ])
          if (failed.ok && !done.ok) failed = done;
      }
    }
    this.byKernel.clear();
    return failed;
  }
}
