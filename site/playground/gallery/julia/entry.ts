// SPDX-License-Identifier: Apache-2.0
// Julia sets that move.
import type { Entry } from "../../model/setup.ts";

/** See the file's head. */
export const JULIA: Entry = {
  name: "julia",
  title: "Julia sets",
  about: "The constant c goes round and the set with it. Stop its swing, and look for shapes with the sliders.",
  setup: {
    buffers: { picture: { shape: [640, 480], content: { kind: "zero" } } },
    parameters: {
      c: { kind: "slider", value: [-0.79, 0.15], low: -1.5, high: 1.5, step: 0.005 },
      swing: { kind: "slider", value: 0.03, low: 0, high: 0.3, step: 0.005 },
      seconds: { kind: "driven", by: "seconds" },
      centre: { kind: "driven", by: "centre" },
      scale: { kind: "driven", by: "scale" },
      steps: { kind: "slider", value: 160, low: 10, high: 600, step: 10 },
    },
    start: [],
    frame: [{ kernel: "julia", range: [640, 480] }],
    animates: true,
    show: { kind: "picture", buffer: "picture" },
    view: { x: 0, y: 0, scale: 1.1 },
  },
};
