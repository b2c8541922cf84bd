// SPDX-License-Identifier: Apache-2.0
// What is known of a kernel where its compiler is not: in a kept build, or on another thread.
import { type Kernel, type LaunchFacts, argumentFacts, launchKey } from "@muxkit/compiler";

/** Properties of a compiler's kernel, as data. @public */
export interface KernelTraits {
  /** `Kernel.localMemorySize`. */
  readonly declaredLocalBytes: number;
  /** `Kernel.preferredLocalSize`. */
  readonly preferredLocalSize: readonly [number, number, number];
  /** `Kernel.takesAnySize`. */
  readonly takesAnySize: boolean;
  /**
   * Which launches share a variant: those with the same `launchKey`, those with the same arguments, none, or as the
   * compiler decides.
   */
  readonly forms: "launch" | "arguments" | "none" | "own";
}

/** Facts of a launch that no program sees: what a compiler makes its key of shows in them. */
const ANY_LAUNCH: LaunchFacts = {
  localSize: [7, 5, 3],
  uniformGroups: true,
  zeroOffset: false,
  arguments: [{ kind: "sampler", bits: 1 }, null, { kind: "image", order: 2, channelType: 3 }],
};

/** Which launches of a kernel share a variant. */
function formsOf(kernel: Kernel | null): KernelTraits["forms"] {
  const form = kernel?.specializationKey(ANY_LAUNCH) ?? null;
  if (form === null) return "none";
  if (form === launchKey(ANY_LAUNCH)) return "launch";
  return form === launchKey(argumentFacts(ANY_LAUNCH)) ? "arguments" : "own";
}

/** What is known of a kernel of the compiler; null: it has none of that name, and there is nothing to know. */
export function traitsOf(kernel: Kernel | null): KernelTraits {
  return {
    declaredLocalBytes: kernel?.localMemorySize ?? 0,
    preferredLocalSize: kernel?.preferredLocalSize ?? [1, 1, 1],
    takesAnySize: kernel?.takesAnySize === true,
    forms: formsOf(kernel),
  };
}
