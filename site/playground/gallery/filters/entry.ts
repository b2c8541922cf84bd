// SPDX-License-Identifier: Apache-2.0
// Filters for the reader's picture.
import type { Entry } from "../../model/setup.ts";

const RANGE = [480, 320];

/** See the file's head. */
export const FILTERS: Entry = {
  name: "filters",
  title: "Picture filters",
  about: "Oil paint, print, whirl, blocks, relief: choose one, and take or drop a picture of your own.",
  setup: {
    buffers: {
      photo: { shape: RANGE, content: { kind: "picture" } },
      picture: { shape: RANGE, content: { kind: "zero" } },
    },
    parameters: {
      effect: { kind: "choice", value: 0, names: ["oil paint", "print", "whirl", "blocks", "relief"] },
      size: { kind: "slider", value: 4, low: 1, high: 12, step: 1 },
    },
    start: [],
    frame: [{ kernel: "filter", range: RANGE }],
    animates: false,
    show: { kind: "picture", buffer: "picture" },
  },
};
