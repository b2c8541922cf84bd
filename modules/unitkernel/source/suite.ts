// SPDX-License-Identifier: Apache-2.0
// The cases, and what they compare.
import { type KernelCase, type KernelSetup, type Numbers, type UnitKernelCase, UnitKernelFailure } from "./case.ts";
import { ARITHMETIC } from "./cases/arithmetic.ts";
import { FLOATS } from "./cases/floats.ts";
import { GROUPS } from "./cases/groups.ts";
import { LANGUAGE } from "./cases/language.ts";
import { MEMORY } from "./cases/memory.ts";
import { deviceInfoOf, runCase } from "./run.ts";

const CASES: readonly KernelCase[] = [...ARITHMETIC, ...FLOATS, ...LANGUAGE, ...MEMORY, ...GROUPS];

/** The bytes as numbers like others. */
function like(bytes: Uint8Array, numbers: Numbers): Numbers {
  const kind = numbers.constructor as new (buffer: ArrayBufferLike, offset: number, length: number) => Numbers;
  return new kind(bytes.slice().buffer, 0, numbers.length);
}

/** True when a number is as it should be: all NaNs are one, and floats may differ by a part of their size. */
function isClose(own: number | bigint, expected: number | bigint, tolerance: number): boolean {
  if (own === expected) return Object.is(own, expected) || tolerance > 0;
  if (typeof own === "bigint" || typeof expected === "bigint") return false;
  if (Number.isNaN(own) || Number.isNaN(expected)) return Number.isNaN(own) && Number.isNaN(expected);
  return Math.abs(own - expected) <= tolerance * Math.max(Math.abs(expected), 1e-30);
}

function compare(name: string, argument: number, own: Numbers, expected: Numbers, tolerance: number): void {
  for (let i = 0; i < expected.length; i++) {
    const [value, wanted] = [own[i] ?? Number.NaN, expected[i] ?? Number.NaN];
    if (!isClose(value, wanted, tolerance))
      throw new UnitKernelFailure(`${name}: element ${i} of argument ${argument} is ${value}, not ${wanted}`);
  }
}

function runAndCompare(setup: KernelSetup, one: KernelCase): void {
  if (one.needs?.(deviceInfoOf(setup)) === false) return;
  const left = runCase(setup, one);
  one.arguments.forEach((argument, i) => {
    const bytes = left[i] ?? null;
    if (!("buffer" in argument) || argument.expected === undefined || bytes === null) return;
    compare(one.name, i, like(bytes, argument.expected), argument.expected, argument.tolerance ?? 0);
  });
}

/**
 * All cases for a target. They share one open device and run in any order, each optimised and as it is written.
 *
 * @public
 */
export function unitKernelCases(setup: KernelSetup): readonly UnitKernelCase[] {
  return CASES.flatMap((one) =>
    ["", "-cl-opt-disable"].map((more): UnitKernelCase => ({
      name: more === "" ? one.name : `${one.name}, not optimised`,
      run: () => {
        runAndCompare(setup, { ...one, options: `${one.options ?? ""} ${more}`.trim() });
      },
    })),
  );
}
