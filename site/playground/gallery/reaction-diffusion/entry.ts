// SPDX-License-Identifier: Apache-2.0
// Reaction and diffusion: spots and labyrinths.
import type { Entry, Step } from "../../model/setup.ts";

const RANGE = [400, 300];
const STEPS_A_FRAME = 12;

/** See the file's head. */
export const REACTION_DIFFUSION: Entry = {
  name: "reaction-diffusion",
  title: "Reaction and diffusion",
  about: "Two substances react and spread (Gray and Scott). Small changes of feed and kill make spots, worms or coral.",
  setup: {
    buffers: {
      from: { shape: RANGE, content: { kind: "zero" } },
      to: { shape: RANGE, content: { kind: "zero" } },
      picture: { shape: RANGE, content: { kind: "zero" } },
    },
    parameters: {
      feed: { kind: "slider", value: 0.037, low: 0.01, high: 0.09, step: 0.0005 },
      kill: { kind: "slider", value: 0.06, low: 0.04, high: 0.07, step: 0.0005 },
      pointer: { kind: "driven", by: "pointer" },
    },
    start: [{ kernel: "seed", range: RANGE }],
    frame: [
      ...Array.from({ length: STEPS_A_FRAME }, (): Step => ({ kernel: "react", range: RANGE, swap: ["from", "to"] })),
      { kernel: "draw", range: RANGE },
    ],
    animates: true,
    show: { kind: "picture", buffer: "picture" },
  },
};
