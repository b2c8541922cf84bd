// SPDX-License-Identifier: Apache-2.0
// Sums of dice as a histogram.
import type { Entry } from "../../model/setup.ts";

const COUNT = 1 << 20;

/** See the file's head. */
export const DICE: Entry = {
  name: "dice",
  title: "A million rolls",
  about: "Each work-item rolls some dice and adds them up. Show the sums as a table or a plot, too.",
  setup: {
    buffers: { sums: { shape: [COUNT], content: { kind: "zero" } } },
    parameters: {
      dice: { kind: "slider", value: 10, low: 1, high: 60, step: 1 },
      sides: { kind: "slider", value: 6, low: 2, high: 20, step: 1 },
    },
    start: [],
    frame: [{ kernel: "roll", range: [COUNT] }],
    animates: false,
    show: { kind: "histogram", buffer: "sums" },
  },
};
