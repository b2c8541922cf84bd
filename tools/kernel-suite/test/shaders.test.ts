// SPDX-License-Identifier: Apache-2.0
// Compute shaders in GLSL by glslang, one idea each, against plain TypeScript: as glslang writes them by the
// interpreter, scalar and vector code, and with debug information, optimised for size or by spirv-opt in generic code.
// `npm test` takes one in eight of them, and of the other forms one for a third of these (KERNEL_SUITE=whole: all of
// all).
import {
  type GlslVariant,
  type Outcome,
  type ShaderDispatch,
  firstDifference,
  hasGlslang,
  hashOf,
  isOneIn,
  oneRowIn,
  resourcesAfter,
  runReference,
  runThreeWays,
  shaderLaunch,
} from "@muxkit/kernel-suite";
import { describe, expect, test } from "vitest";

import { SHADER_FAMILIES } from "./shaders/all.ts";
import { differences, dispatchOf } from "./shaders/compare.ts";
import type { ShaderCase } from "./shaders/shader-case.ts";

const hasTools = hasGlslang();
const VARIANTS = ["debug", "size", "optimized"] as const;
/** Of the forms of a shader that are not plain, those that are run. */
const variantsOf = (name: string): readonly GlslVariant[] =>
  isOneIn(3, `${name} changed`) ? oneRowIn(3, VARIANTS, hashOf(name)) : [];

/** What differs from what a test expects, in memory and in what is printed. */
function wrong(one: ShaderCase, dispatch: ShaderDispatch, outcome: Outcome): string[] {
  const found = differences(one, outcome.way, resourcesAfter(dispatch, outcome));
  return one.printed === undefined || one.printed === outcome.printed
    ? found
    : [...found, `printed ${outcome.printed}`];
}

describe.skipIf(!hasTools).each(SHADER_FAMILIES)("%s", (_family, cases) => {
  test.each(oneRowIn(8, cases))("$name", (one) => {
    const dispatch = dispatchOf(one, "plain");
    const [first, ...others] = runThreeWays(shaderLaunch(dispatch));
    if (first === undefined) throw new Error("a launch has an outcome");
    expect(wrong(one, dispatch, first)).toEqual([]);
    for (const other of others) expect(firstDifference(first, other, [])).toBeNull();
    for (const variant of variantsOf(one.name)) {
      const changed = dispatchOf(one, variant);
      const outcome = runReference({ ...shaderLaunch(changed), isInterpreted: false });
      expect(wrong(one, changed, outcome), variant).toEqual([]);
    }
  });
});
