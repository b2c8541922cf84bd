// SPDX-License-Identifier: Apache-2.0
// What the processor has, as the system tells it: without the bridge, whose opening takes longer than reading a page.
// Linux takes away from what it tells what it does not save the registers for.
import { systemProblem } from "./system.ts";

/** As much as the first processor's entry has, several times. */
const BYTES = 4096;
/** Features that Linux calls otherwise. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["abm", "lzcnt"],
  ["pni", "sse3"],
  ["avx512vbmi", "avx512_vbmi"],
]);

/** The features of the first processor of `/proc/cpuinfo`, by the names of the assembler's table. @internal */
export function listedFeatures(text: string): ReadonlySet<string> {
  const names = /^flags\s*: (.*)$/mu.exec(text)?.[1]?.split(" ") ?? [];
  return new Set(names.map((name) => OTHER_NAMES.get(name) ?? name));
}

/**
 * The features that the processor likely has, by the names of the assembler's table; none where native code cannot run
 * whatever the processor is. Only the bridge is certain.
 *
 * @public
 */
export function likelyFeatures(): ReadonlySet<string> {
  if (systemProblem() !== undefined) return new Set();
  const { closeSync, openSync, readSync } = process.getBuiltinModule("node:fs");
  const bytes = new Uint8Array(BYTES);
  try {
    const file = openSync("/proc/cpuinfo", "r");
    try {
      // One read: a second one would ask for the next processors.
      return listedFeatures(new TextDecoder().decode(bytes.subarray(0, readSync(file, bytes))));
    } finally {
      closeSync(file);
    }
  } catch {
    // A system that does not tell has no native code for first launches.
    return new Set();
  }
}
