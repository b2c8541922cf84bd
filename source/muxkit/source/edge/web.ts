// SPDX-License-Identifier: Apache-2.0
// The edge in browsers: no files, no variables.
import type { Edge } from "./edge.ts";

/** See the file's head. */
export const EDGE: Edge = {
  programStore: () => null,
  compilerMode: null,
  compileThreads: null,
  collectGarbage: () => undefined,
  useTargets: () => undefined,
  useGpus: () => "",
  chosenDevice: () => undefined,
};
