// SPDX-License-Identifier: Apache-2.0
// What the code generator of x86-64 supplies to the build of CPU-like targets.
import { assert } from "@muxkit/cargo";
import type { ExecutableImage } from "@muxkit/metadata";
import { generateX64, passedBytes, x64Tier } from "@muxkit/x64";
import { readCodeObject, verifyObject, writeCodeObject } from "@muxkit/x64-assembler";

import type { NativeBackend } from "./native-fallback.ts";
import { NATIVE_TIERS, type NativeTierName, nativeSection } from "./native-features.ts";

/** The clock says that it is not time to leave: threads in native code are stopped from outside. */
export const RUNTIME_RESULTS: ReadonlyMap<string, number> = new Map([["env.clock", 0]]);

/** Whatever its instructions need: a section says what processors must have, and others do not load it. */
const ANY_FEATURES = -1;

function verify({ code }: ExecutableImage): void {
  for (const { name, bytes } of code) {
    const object = readCodeObject(bytes);
    const verified = object.ok ? verifyObject(object.value, ANY_FEATURES) : null;
    assert(verified?.ok === true, () => {
      const reason = object.ok ? (verified?.ok === false ? verified.error.reason : "") : object.error;
      return `the code of ${name} is refused: ${reason}`;
    });
  }
}

function backendOf(tier: NativeTierName): NativeBackend {
  return {
    target: "host",
    machine: x64Tier(tier).machine,
    passedBytes: (callee) => passedBytes(callee, tier),
    generate: (module, entries) => ({
      name: nativeSection(tier),
      bytes: writeCodeObject(generateX64(module, { exports: entries, results: RUNTIME_RESULTS, tier })),
      // Whoever runs a tier runs those below: of two sections the one that needs more is preferred.
      features: NATIVE_TIERS.slice(0, NATIVE_TIERS.indexOf(tier) + 1),
      patches: [],
    }),
    verify,
  };
}

/** Machine code of x86-64 by tiers: with AVX2, FMA, F16C and BMI, and with AVX-512 besides. @public */
export const NATIVE_BACKENDS: Readonly<Record<NativeTierName, NativeBackend>> = {
  "x64.3": backendOf("x64.3"),
  "x64.4": backendOf("x64.4"),
};
