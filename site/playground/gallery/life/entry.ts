// SPDX-License-Identifier: Apache-2.0
// Conway's game of life.
import type { Entry } from "../../model/setup.ts";

const RANGE = [480, 320];

/** See the file's head. */
export const LIFE: Entry = {
  name: "life",
  title: "Game of life",
  about: "A cell lives on with two or three neighbours and is born with three. Draw with the pointer to add life.",
  setup: {
    buffers: {
      from: { shape: RANGE, content: { kind: "zero" } },
      to: { shape: RANGE, content: { kind: "zero" } },
      glow: { shape: RANGE, content: { kind: "zero" } },
      picture: { shape: RANGE, content: { kind: "zero" } },
    },
    parameters: {
      density: { kind: "slider", value: 22, low: 1, high: 60, step: 1, restarts: true },
      fade: { kind: "slider", value: 0.96, low: 0.5, high: 0.999, step: 0.001 },
      pointer: { kind: "driven", by: "pointer" },
    },
    start: [{ kernel: "seed", range: RANGE }],
    frame: [{ kernel: "life", range: RANGE, swap: ["from", "to"] }],
    animates: true,
    show: { kind: "picture", buffer: "picture" },
  },
};
