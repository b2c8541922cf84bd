// SPDX-License-Identifier: Apache-2.0
// What a shader leaves beside what a test expects, number by number.
import { type GlslVariant, type ShaderDispatch, compileGlsl } from "@muxkit/kernel-suite";

import { type ShaderCase, bytesOf } from "./shader-case.ts";

/** The dispatch of a test, its shader compiled. */
export function dispatchOf(one: ShaderCase, variant: GlslVariant): ShaderDispatch {
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
export function differences(
  { expected, tolerance = 0 }: ShaderCase,
  way: string,
  after: ReadonlyMap<string, readonly Uint8Array[]>,
): string[] {
  return Object.entries(expected).flatMap(([key, wanted]) => {
    const bytes = Uint8Array.from((after.get(key) ?? []).flatMap((part) => [...part]));
    const got = numbersOf(wanted, bytes);
    const all = numbersOf(wanted, bytesOf(wanted)).flatMap((value, n) => {
      const own = got[n] ?? NaN;
      const isClose = Object.is(own, value) || Math.abs(own - value) <= tolerance * Math.max(1, Math.abs(value));
      return isClose ? [] : [`${way}, ${key}, number ${n}: ${own}, not ${value}`];
    });
    return got.length * bytes.length === 0 || got.length < wanted.length ? [`${key} has ${got.length} numbers`] : all;
  });
}
