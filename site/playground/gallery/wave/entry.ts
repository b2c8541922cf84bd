// SPDX-License-Identifier: Apache-2.0
// Waves on water.
import type { Entry } from "../../model/setup.ts";

const RANGE = [480, 320];
const ZERO = { shape: RANGE, content: { kind: "zero" } } as const;

/** See the file's head. */
export const WAVE: Entry = {
  name: "wave",
  title: "Rain on a pool",
  about: "The wave equation on a grid, seen through the water. Drag to stir.",
  setup: {
    buffers: { now: ZERO, before: ZERO, picture: ZERO },
    parameters: {
      damping: { kind: "slider", value: 0.992, low: 0.9, high: 1, step: 0.001 },
      rain: { kind: "slider", value: 18, low: 0, high: 120, step: 1 },
      frame: { kind: "driven", by: "frame" },
      pointer: { kind: "driven", by: "pointer" },
    },
    start: [],
    frame: [
      { kernel: "wave", range: RANGE, swap: ["now", "before"] },
      { kernel: "draw", range: RANGE },
    ],
    animates: true,
    show: { kind: "picture", buffer: "picture" },
  },
};
