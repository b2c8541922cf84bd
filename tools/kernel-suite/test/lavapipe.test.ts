// SPDX-License-Identifier: Apache-2.0
// Every shader of the tables by lavapipe, another implementation of Vulkan: what all buffers and images hold afterwards
// is the same, byte by byte. Where a function need not be exact, numbers may differ by the test's tolerance. A row that
// lavapipe cannot run, or where it may do otherwise, says why. `npm test` takes one in twelve, KERNEL_SUITE=whole all.
import { hasGlslang, isOneIn, resourcesAfter, runReference, shaderLaunch, shaderRunner } from "@muxkit/kernel-suite";
import { describe, expect, test } from "vitest";

import { SHADER_CASES } from "./shaders/all.ts";
import { differences, dispatchOf } from "./shaders/compare.ts";
import type { ShaderCase } from "./shaders/shader-case.ts";

const runner = hasGlslang() ? shaderRunner() : null;

/** The first byte that differs, as a sentence; null: none does. */
function firstDifference(
  ours: ReadonlyMap<string, readonly Uint8Array[]>,
  theirs: ReadonlyMap<string, readonly Uint8Array[]>,
): string | null {
  for (const [key, list] of ours)
    for (const [element, own] of list.entries()) {
      const other = theirs.get(key)?.[element] ?? new Uint8Array(0);
      const at = own.findIndex((byte, n) => byte !== other[n]);
      if (at >= 0) return `${key}, element ${element}, byte ${at}: ${own[at]} here, ${other[at]} by lavapipe`;
    }
  return null;
}

describe.skipIf(runner === null)("lavapipe", () => {
  const compared = SHADER_CASES.filter(({ name, lavapipe }) => typeof lavapipe === "string" || isOneIn(12, name));
  test.for(compared)("$name", (one: ShaderCase, { skip }) => {
    if (typeof one.lavapipe === "string") skip(one.lavapipe);
    const dispatch = dispatchOf(one, "plain");
    const theirs = runner?.dispatch(dispatch) ?? new Map<string, Uint8Array[]>();
    const tolerance = typeof one.lavapipe === "number" ? one.lavapipe : one.tolerance;
    const allowed = tolerance === undefined ? {} : { tolerance };
    expect(differences({ ...one, ...allowed }, "lavapipe", theirs)).toEqual([]);
    if (tolerance !== undefined) return;
    const outcome = runReference({ ...shaderLaunch(dispatch), isInterpreted: false });
    expect(firstDifference(resourcesAfter(dispatch, outcome), theirs)).toBeNull();
  });
});
