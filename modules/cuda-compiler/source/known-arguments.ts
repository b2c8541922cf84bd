// SPDX-License-Identifier: Apache-2.0
// What is done for launches whose samplers and formats of images are known: they become constants, so of the functions
// that read and write pixels only the code for them is left, which is put into the kernel.
import type { LaunchFacts } from "@muxkit/compiler";
import { argumentFacts } from "@muxkit/compiler";
import type { Module } from "@muxkit/ir";
import type { Pass } from "@muxkit/passes";
import { fixLaunchArguments, inlineImageFunctions } from "@muxkit/work-item-lowering";

function only(name: string): Pass {
  return {
    kind: "module",
    name: "one-kernel",
    doc: "Leaves one kernel; the others are functions that nothing calls.",
    run: (module) => {
      const others = module.kernels.filter((kernel) => kernel.name !== name);
      for (const kernel of others) kernel.kernel = null;
      return others.length > 0;
    },
  };
}

const INLINE_IMAGE_FUNCTIONS: Pass = {
  kind: "module",
  name: "inline-image-functions",
  doc: "Marks functions that read image descriptors to be inlined.",
  run: inlineImageFunctions,
};

function fix({ arguments: known = [] }: LaunchFacts): Pass {
  return {
    kind: "module",
    name: "fix-launch-arguments",
    doc: "Makes constants of samplers and image formats that are known of the launch.",
    run: (module) => fixLaunchArguments(module, { knownArguments: known }),
  };
}

const INLINE = ["inline", "global-dce", "simplify-cfg", "sroa", "mem2reg", "simplify"];
const FOLD = ["simplify", "simplify-cfg", "gvn", "loop-rotate", "licm", "simplify-cfg", "dce"];

/** The passes that come before those of every program. */
export function knownArgumentPasses(kernel: string, facts: LaunchFacts): readonly (string | Pass)[] {
  return [only(kernel), INLINE_IMAGE_FUNCTIONS, ...INLINE, fix(facts), ...FOLD];
}

/** The facts of a launch that make a difference to a kernel; null: none does. */
export function usefulFacts(program: Module, name: string, facts: LaunchFacts): LaunchFacts | null {
  const list = program.functions.get(name)?.kernel?.arguments ?? [];
  return list.some(({ kind }) => kind === "image" || kind === "sampler") ? argumentFacts(facts) : null;
}
