// SPDX-License-Identifier: Apache-2.0
// The Mandelbrot set, to zoom into.
import type { Entry } from "../../model/setup.ts";

/** See the file's head. */
export const MANDELBROT: Entry = {
  name: "mandelbrot",
  title: "Mandelbrot set",
  about: "Zoom with the wheel or two fingers, drag to move. It computes in doubles, so you can go deep.",
  setup: {
    buffers: { picture: { shape: [720, 480], content: { kind: "zero" } } },
    parameters: {
      centre: { kind: "driven", by: "centre" },
      scale: { kind: "driven", by: "scale" },
      steps: { kind: "slider", value: 600, low: 20, high: 3000, step: 10 },
      hue: { kind: "slider", value: 0.1, low: 0, high: 1, step: 0.01 },
    },
    start: [],
    frame: [{ kernel: "mandelbrot", range: [720, 480] }],
    animates: false,
    show: { kind: "picture", buffer: "picture" },
    view: { x: -0.7453, y: 0.1127, scale: 0.0016 },
  },
};
