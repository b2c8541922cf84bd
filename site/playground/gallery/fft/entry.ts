// SPDX-License-Identifier: Apache-2.0
// A picture's waves.
import type { Entry, Step } from "../../model/setup.ts";

const PLANE = [256, 256];

/** Eight passes along an axis. */
function passes(axis: number, sign: number): readonly Step[] {
  return Array.from({ length: 8 }, (_, i) => ({
    kernel: "pass",
    range: [128, 256],
    arguments: { step: 1 << i, axis, sign },
    swap: ["from", "to"],
  }));
}

/** See the file's head. */
export const FFT: Entry = {
  name: "fft",
  title: "Fourier transform",
  about:
    "A picture as a sum of waves: left their strengths, right what the kept ones add up to. Take your own picture.",
  setup: {
    buffers: {
      photo: { shape: PLANE, content: { kind: "picture" } },
      from: { shape: PLANE, content: { kind: "zero" } },
      to: { shape: PLANE, content: { kind: "zero" } },
      spectrum: { shape: PLANE, content: { kind: "zero" } },
      picture: { shape: [512, 256], content: { kind: "zero" } },
    },
    parameters: {
      low: { kind: "slider", value: 3, low: 0, high: 128, step: 0.5 },
      high: { kind: "slider", value: 60, low: 1, high: 182, step: 0.5 },
    },
    start: [],
    frame: [
      { kernel: "load", range: PLANE },
      ...passes(0, -1),
      ...passes(1, -1),
      { kernel: "keep", range: PLANE },
      ...passes(0, 1),
      ...passes(1, 1),
      { kernel: "draw", range: [512, 256] },
    ],
    animates: false,
    show: { kind: "picture", buffer: "picture" },
  },
};
