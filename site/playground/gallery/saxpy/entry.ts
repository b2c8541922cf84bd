// SPDX-License-Identifier: Apache-2.0
// The first kernel of most people.
import type { Entry } from "../../model/setup.ts";

const LENGTH = [1_048_576];

/** See the file's head. */
export const SAXPY: Entry = {
  name: "saxpy",
  title: "a x + y",
  about:
    "The first kernel of most people, with its numbers as a table: memory decides how fast it is. " +
    "Add a parameter to it, and the parameter gets a slider.",
  setup: {
    buffers: {
      x: { shape: LENGTH, content: { kind: "ramp", step: 1 } },
      y: { shape: LENGTH, content: { kind: "random", low: 0, high: 1, seed: 7 } },
      result: { shape: LENGTH, content: { kind: "zero" } },
    },
    parameters: { a: { kind: "slider", value: 2, low: -10, high: 10, step: 0.1 } },
    start: [],
    frame: [{ kernel: "saxpy", range: LENGTH }],
    animates: false,
    show: { kind: "table", buffers: ["result", "x", "y"] },
  },
};
