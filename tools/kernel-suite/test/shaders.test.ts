// SPDX-License-Identifier: Apache-2.0
// Compute shaders in GLSL by glslang, one idea each, against plain TypeScript: as glslang writes them by the
// interpreter, scalar and vector code, and with debug information, optimised for size or by spirv-opt in generic code.
// `npm test` takes a third of them, and of the other forms one for a third of these (KERNEL_SUITE=whole: all of all).
import {
  type GlslVariant,
  type Outcome,
  type ShaderDispatch,
  compileGlsl,
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

import { BUFFER_CASES } from "./shaders/buffers.table.ts";
import { GROUP_CASES, IMAGE_CASES } from "./shaders/groups.table.ts";
import { LANGUAGE_CASES } from "./shaders/language.table.ts";
import { type ShaderCase, bytesOf } from "./shaders/shader-case.ts";

const hasTools = hasGlslang();
const VARIANTS = ["debug", "size", "optimized"] as const;
/** Of the forms of a shader that are not plain, those that are run. */
const variantsOf = (name: string): readonly GlslVariant[] =>
  isOneIn(3, `${name} changed`) ? oneRowIn(3, VARIANTS, hashOf(name)) : [];

function dispatchOf(one: ShaderCase, variant: GlslVariant): ShaderDispatch {
  const { glsl, groups = [1, 1, 1], target } = one;
  return { ...one, module: compileGlsl(`#version 460\n${glsl}\n`, variant, target), groups };
}

type Expected = ShaderCase["expected"][string];

const TYPES = [Int32Array, Uint32Array, Float32Array, Float64Array, Uint8Array];

/** Numbers of the kind that is expected. */
function numbersOf(like: Expected, bytes: Uint8Array): number[] {
  const type = TYPES.find((own) => like instanceof own) ?? Uint8Array;
  return [...new type(bytes.slice().buffer)];
}

/** Numbers that differ from what is expected by more than the tolerance, as sentences. */
function differences(
  { expected, tolerance = 0, printed }: ShaderCase,
  dispatch: ShaderDispatch,
  outcome: Outcome,
): string[] {
  const after = resourcesAfter(dispatch, outcome);
  const found = Object.entries(expected).flatMap(([key, wanted]) => {
    const bytes = Uint8Array.from((after.get(key) ?? []).flatMap((part) => [...part]));
    const got = numbersOf(wanted, bytes);
    const all = numbersOf(wanted, bytesOf(wanted)).flatMap((value, n) => {
      const own = got[n] ?? NaN;
      const isClose = Object.is(own, value) || Math.abs(own - value) <= tolerance * Math.max(1, Math.abs(value));
      return isClose ? [] : [`${outcome.way}, ${key}, number ${n}: ${own}, not ${value}`];
    });
    return got.length * bytes.length === 0 || got.length < wanted.length ? [`${key} has ${got.length} numbers`] : all;
  });
  return printed === undefined || printed === outcome.printed ? found : [...found, `printed ${outcome.printed}`];
}

describe.skipIf(!hasTools).each([
  ["buffers", BUFFER_CASES],
  ["language", LANGUAGE_CASES],
  ["groups", GROUP_CASES],
  ["images", IMAGE_CASES],
] as const)("%s", (_family, cases) => {
  test.each(oneRowIn(3, cases))("$name", (one) => {
    const dispatch = dispatchOf(one, "plain");
    const [first, ...others] = runThreeWays(shaderLaunch(dispatch));
    if (first === undefined) throw new Error("a launch has an outcome");
    expect(differences(one, dispatch, first)).toEqual([]);
    for (const other of others) expect(firstDifference(first, other, [])).toBeNull();
    for (const variant of variantsOf(one.name)) {
      const changed = dispatchOf(one, variant);
      const outcome = runReference({ ...shaderLaunch(changed), isInterpreted: false });
      expect(differences(one, changed, outcome), variant).toEqual([]);
    }
  });
});
