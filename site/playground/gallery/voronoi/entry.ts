// SPDX-License-Identifier: Apache-2.0
// Voronoi cells that move.
import type { Entry, Step } from "../../model/setup.ts";

const RANGE = [512, 512];
const POINTS = 200;

/** See the file's head. */
export const VORONOI: Entry = {
  name: "voronoi",
  title: "Voronoi cells",
  about: "Jump flooding: nine passes find the nearest of all points for each pixel, however many points there are.",
  setup: {
    buffers: {
      from: { shape: RANGE, content: { kind: "zero" } },
      to: { shape: RANGE, content: { kind: "zero" } },
      points: { shape: [POINTS], content: { kind: "zero" } },
      picture: { shape: RANGE, content: { kind: "zero" } },
    },
    parameters: { seconds: { kind: "driven", by: "seconds" } },
    start: [],
    frame: [
      { kernel: "clear", range: RANGE },
      { kernel: "plant", range: [POINTS] },
      ...Array.from({ length: 9 }, (_, i): Step => ({
        kernel: "flood",
        range: RANGE,
        arguments: { reach: 256 >> i },
        swap: ["from", "to"],
      })),
      { kernel: "draw", range: RANGE },
    ],
    animates: true,
    show: { kind: "picture", buffer: "picture" },
  },
};
