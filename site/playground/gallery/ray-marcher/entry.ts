// SPDX-License-Identifier: Apache-2.0
// A ray marcher.
import type { Entry } from "../../model/setup.ts";

const RANGE = [400, 300];

/** See the file's head. */
export const RAY_MARCHER: Entry = {
  name: "ray-marcher",
  title: "Ray marcher",
  about:
    "A Julia set in four dimensions, cut to three: rays step as far as nothing can be in the way. Drag to turn it.",
  setup: {
    buffers: { picture: { shape: RANGE, content: { kind: "zero" } } },
    parameters: {
      c: { kind: "slider", value: [-0.2, 0.65, 0.18, 0.06], low: -1, high: 1, step: 0.01 },
      orbit: { kind: "driven", by: "orbit" },
      seconds: { kind: "driven", by: "seconds" },
    },
    start: [],
    frame: [{ kernel: "march", range: RANGE }],
    animates: true,
    show: { kind: "picture", buffer: "picture" },
    orbit: [0.6, 0.35],
  },
};
