// SPDX-License-Identifier: Apache-2.0
// A blur that keeps edges.
import type { Entry } from "../../model/setup.ts";

const RANGE = [720, 480];

/** See the file's head. */
export const BILATERAL: Entry = {
  name: "bilateral",
  title: "Blur that keeps edges",
  about: "A bilateral filter. With much likeness it blurs everything, with little it paints in flat colours.",
  setup: {
    buffers: {
      from: { shape: RANGE, content: { kind: "picture" } },
      to: { shape: RANGE, content: { kind: "zero" } },
    },
    parameters: {
      radius: { kind: "slider", value: 6, low: 0, high: 20, step: 1 },
      likeness: { kind: "slider", value: 0.15, low: 0.01, high: 2, step: 0.01 },
    },
    start: [],
    frame: [{ kernel: "smooth", range: RANGE }],
    animates: false,
    show: { kind: "picture", buffer: "to" },
  },
};
