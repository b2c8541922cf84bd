// SPDX-License-Identifier: Apache-2.0
// Edges of a picture.
import type { Entry } from "../../model/setup.ts";

const RANGE = [720, 480];

/** See the file's head. */
export const EDGES: Entry = {
  name: "edges",
  title: "Edges",
  about: "Sobel's operator on each colour. Take a picture of your own: it stays in this page.",
  setup: {
    buffers: {
      from: { shape: RANGE, content: { kind: "picture" } },
      to: { shape: RANGE, content: { kind: "zero" } },
    },
    parameters: {
      strength: { kind: "slider", value: 1.2, low: 0, high: 5, step: 0.05 },
      keep: { kind: "slider", value: 0.25, low: 0, high: 1, step: 0.01 },
    },
    start: [],
    frame: [{ kernel: "edges", range: RANGE }],
    animates: false,
    show: { kind: "picture", buffer: "to" },
  },
};
