// SPDX-License-Identifier: Apache-2.0
// Sorting networks beside each other.
import type { Entry } from "../../model/setup.ts";

/** See the file's head. */
export const SORT_RACE: Entry = {
  name: "sort-race",
  title: "Sort race",
  about:
    "The same 256 numbers, a step at a time: neighbours, Shell's sort with Pratt's gaps, odd-even merging, " +
    "and bitonic merging. The first needs 256 steps, the last two 36.",
  setup: {
    buffers: {
      values: { shape: [1024], content: { kind: "zero" } },
      picture: { shape: [768, 440], content: { kind: "zero" } },
    },
    parameters: {
      frame: { kind: "driven", by: "frame" },
      pace: { kind: "slider", value: 4, low: 1, high: 20, step: 1, restarts: true },
    },
    start: [],
    frame: [
      { kernel: "race", range: [256, 4] },
      { kernel: "draw", range: [768, 440] },
    ],
    animates: true,
    show: { kind: "picture", buffer: "picture" },
  },
};
