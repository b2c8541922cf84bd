// SPDX-License-Identifier: Apache-2.0
// Bodies that attract each other.
import type { Entry } from "../../model/setup.ts";

const BODIES = [1536];
const RANGE = [640, 400];
const ZERO = { shape: BODIES, content: { kind: "zero" } } as const;

/** See the file's head. */
export const N_BODY: Entry = {
  name: "n-body",
  title: "Galaxies",
  about: "1,536 bodies, each of which pulls at all others: 2.4 million pairs a frame. Drag to look from elsewhere.",
  setup: {
    buffers: {
      from: ZERO,
      to: ZERO,
      speed: ZERO,
      glow: { shape: [512_000], content: { kind: "zero" } },
      picture: { shape: RANGE, content: { kind: "zero" } },
    },
    parameters: {
      pace: { kind: "slider", value: 0.012, low: 0.002, high: 0.03, step: 0.001 },
      trail: { kind: "slider", value: 0.9, low: 0, high: 0.99, step: 0.01 },
      spin: { kind: "slider", value: 1, low: -1.4, high: 1.4, step: 0.05, restarts: true },
      orbit: { kind: "driven", by: "orbit" },
    },
    start: [{ kernel: "place", range: BODIES }],
    frame: [
      { kernel: "attract", range: BODIES, swap: ["from", "to"] },
      { kernel: "fade", range: [512_000] },
      { kernel: "shine", range: BODIES },
      { kernel: "picture_of", range: RANGE },
    ],
    animates: true,
    show: { kind: "picture", buffer: "picture" },
    orbit: [0.3, -0.35],
  },
};
