// SPDX-License-Identifier: Apache-2.0
// A fractal flame.
import type { Entry } from "../../model/setup.ts";

const RANGE = [480, 480];
const POINTS = [4096];

/** See the file's head. */
export const FLAME: Entry = {
  name: "flame",
  title: "Fractal flame",
  about: "A quarter of a million jumps a frame, counted by atomic additions. It gets finer while you watch.",
  setup: {
    buffers: {
      light: { shape: RANGE, content: { kind: "zero" } },
      picture: { shape: RANGE, content: { kind: "zero" } },
    },
    parameters: {
      twist: { kind: "slider", value: 1.4, low: -4, high: 4, step: 0.05, restarts: true },
      bend: { kind: "slider", value: 0.6, low: 0, high: 1, step: 0.02, restarts: true },
      glow: { kind: "slider", value: 0.32, low: 0.05, high: 1, step: 0.01 },
      frame: { kind: "driven", by: "frame" },
    },
    start: [],
    frame: [
      { kernel: "jump", range: POINTS },
      { kernel: "develop", range: RANGE },
    ],
    animates: true,
    show: { kind: "picture", buffer: "picture" },
  },
};
