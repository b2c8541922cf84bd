// SPDX-License-Identifier: Apache-2.0
// A flock of birds.
import type { Entry } from "../../model/setup.ts";

const BIRDS = [1200];
const RANGE = [640, 384];

/** See the file's head. */
export const BOIDS: Entry = {
  name: "boids",
  title: "Flock",
  about: "1,200 birds look at all others and follow three rules; the flock follows from them. The pointer scares them.",
  setup: {
    buffers: {
      from: { shape: BIRDS, content: { kind: "zero" } },
      to: { shape: BIRDS, content: { kind: "zero" } },
      picture: { shape: RANGE, content: { kind: "zero" } },
    },
    parameters: {
      apart: { kind: "slider", value: 1, low: 0, high: 3, step: 0.05 },
      along: { kind: "slider", value: 1, low: 0, high: 3, step: 0.05 },
      together: { kind: "slider", value: 1, low: 0, high: 3, step: 0.05 },
      trail: { kind: "slider", value: 0.55, low: 0, high: 0.97, step: 0.01 },
      pointer: { kind: "driven", by: "pointer" },
    },
    start: [{ kernel: "place", range: BIRDS }],
    frame: [
      { kernel: "steer", range: BIRDS, swap: ["from", "to"] },
      { kernel: "fade", range: RANGE },
      { kernel: "draw", range: BIRDS },
    ],
    animates: true,
    show: { kind: "picture", buffer: "picture" },
  },
};
