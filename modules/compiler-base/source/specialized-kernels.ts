// SPDX-License-Identifier: Apache-2.0
// Kernels that are compiled again for launches of which more is known.
import { type Result, err, ok } from "@muxkit/cargo";
import {
  type CompilerError,
  type Kernel,
  type KernelReport,
  type LaunchFacts,
  type QuickKernel,
  type SpecializedKernel,
  compilerError,
  knowsArguments,
  launchKey,
} from "@muxkit/compiler";
import { GLOBAL, type Module } from "@muxkit/ir";
import type { PassContext } from "@muxkit/passes";

import { compileEstimate } from "./compile-cost.ts";
import { declaredLocalBytes } from "./target-lowering.ts";

/** Code for a launch, and the report of the kernel. @public */
export interface SpecializedBuild {
  /** The executable, with one kernel of the original name. */
  readonly binary: Uint8Array;
  /** The report of the kernel; null if the target makes none. */
  readonly report: KernelReport | null;
}

/** A target's specialisation of one kernel. @public */
export interface KernelSpecializer {
  /** The facts that make a difference; null: none does. */
  readonly useful: (facts: LaunchFacts) => LaunchFacts | null;
  /**
   * True: `build` takes facts with any local size, all 0, when something is known of the arguments; absent: it does
   * not.
   */
  readonly takesAnySize?: boolean;
  /** Makes the executable, or returns the reason why not. */
  readonly build: (facts: LaunchFacts) => SpecializedBuild | CompilerError;
  /** Makes quick code for known arguments and any local size; absent: the target has one tier. */
  readonly quick?: {
    /** The library, whose definitions are counted. */
    readonly context: PassContext;
    /** Makes the executable; null: launches should take the full form. */
    readonly build: (facts: LaunchFacts) => Uint8Array | null;
    /**
     * Makes the full form for known arguments in the way of generic code, for a first launch, where `build` of the
     * specialiser takes longer for code that is faster; null: it cannot be made. Absent: they are the same.
     */
    readonly first?: (facts: LaunchFacts) => Uint8Array | null;
  };
}

/** Work-items of launches for which code of other ways of making it, that take longer, pays. */
const FIRST_PAYS_AFTER = 2 ** 18;

/** Default local size. */
const PREFERRED_LOCAL_SIZE: readonly [number, number, number] = [64, 1, 1];

/** True where kernels keep something for each other: an executable of one kernel would have variables of its own. */
function sharesVariables(program: Module): boolean {
  return [...program.globals.values()].some(({ addressSpace }) => addressSpace === GLOBAL);
}

/**
 * A kernel of a finalized program; executables are cached by the facts that count. Null: there is none of that name.
 *
 * @public
 */
export function specializableKernel(
  program: Module,
  name: string,
  { useful, build, takesAnySize = false, quick }: KernelSpecializer,
): Kernel | null {
  const fn = program.kernels.find((kernel) => kernel.name === name);
  if (fn === undefined) return null;
  const cache = new Map<string, SpecializedKernel>();
  const isShared = sharesVariables(program);
  const createSpecializedKernel = (facts: LaunchFacts): Result<SpecializedKernel, CompilerError> => {
    const isAnySize = takesAnySize && facts.localSize.every((size) => size === 0);
    if (!isAnySize && facts.localSize.some((size) => !Number.isInteger(size) || size < 1))
      return err(compilerError("invalid_value", `a local size is positive, not ${facts.localSize.join(", ")}`));
    const own = useful(facts) ?? facts;
    const key = launchKey(own);
    const known = cache.get(key);
    if (known !== undefined) return ok(known);
    const built = build(own);
    if (!("binary" in built)) return err(built);
    const made: SpecializedKernel = { key, binary: built.binary, report: built.report };
    cache.set(key, made);
    return ok(made);
  };
  const createQuickKernel = (facts: LaunchFacts, workItems: number, budget: number): QuickKernel | null => {
    if (quick === undefined || isShared) return null;
    const { milliseconds, paysAfter } = compileEstimate(fn, quick.context);
    if (milliseconds < budget || (budget > 0 && workItems >= paysAfter)) {
      const first = knowsArguments(facts) ? (quick.first?.(facts) ?? null) : null;
      return first === null ? null : { binary: first, paysAfter: FIRST_PAYS_AFTER };
    }
    const binary = quick.build(facts);
    return binary === null ? null : { binary, paysAfter };
  };
  return {
    name,
    preferredLocalSize: fn.kernel?.workGroupSizeHint ?? PREFERRED_LOCAL_SIZE,
    localMemorySize: declaredLocalBytes(program, fn),
    takesAnySize,
    specializationKey: (facts) => {
      const own = isShared ? null : useful(facts);
      return own === null ? null : launchKey(own);
    },
    precacheLocalSize: (x, y, z) => {
      const made = createSpecializedKernel({ localSize: [x, y, z], uniformGroups: true, zeroOffset: true });
      return made.ok ? ok() : made;
    },
    getDynamicWorkWidth: () => 1,
    createSpecializedKernel,
    ...(quick === undefined ? {} : { createQuickKernel }),
  };
}
