// SPDX-License-Identifier: Apache-2.0
// A path tracer that gets better with each frame.
import type { Entry } from "../../model/setup.ts";

const RANGE = [640, 400];

/** See the file's head. */
export const PATH_TRACER: Entry = {
  name: "path-tracer",
  title: "Path tracer",
  about: "Light by random ways, one more for each pixel in each frame: the grain goes while you watch.",
  setup: {
    buffers: {
      sum: { shape: RANGE, content: { kind: "zero" } },
      picture: { shape: RANGE, content: { kind: "zero" } },
    },
    parameters: {
      turn: { kind: "slider", value: 0.3, low: -3.14, high: 3.14, step: 0.02, restarts: true },
      sun: { kind: "slider", value: 4, low: 0, high: 12, step: 0.1, restarts: true },
      rough: { kind: "slider", value: 0.02, low: 0, high: 1, step: 0.01, restarts: true },
      bounces: { kind: "slider", value: 5, low: 1, high: 12, step: 1, restarts: true },
    },
    start: [],
    frame: [{ kernel: "trace", range: RANGE }],
    animates: true,
    show: { kind: "picture", buffer: "picture" },
  },
};
