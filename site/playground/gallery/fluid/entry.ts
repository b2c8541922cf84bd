// SPDX-License-Identifier: Apache-2.0
// Smoke that is stirred.
import type { Entry, Step } from "../../model/setup.ts";

const RANGE = [400, 250];
const RELAXATIONS = 20;
const ZERO = { shape: RANGE, content: { kind: "zero" } } as const;

/** See the file's head. */
export const FLUID: Entry = {
  name: "fluid",
  title: "Smoke",
  about: "Stable fluids: the flow carries itself and the colours, 20 relaxations keep it from piling up. Drag to stir.",
  setup: {
    buffers: {
      flow: ZERO,
      nextFlow: ZERO,
      ink: ZERO,
      nextInk: ZERO,
      sources: ZERO,
      pressure: ZERO,
      nextPressure: ZERO,
      picture: ZERO,
    },
    parameters: {
      force: { kind: "slider", value: 0.6, low: 0, high: 2, step: 0.05 },
      fade: { kind: "slider", value: 0.996, low: 0.9, high: 1, step: 0.001 },
      pointer: { kind: "driven", by: "pointer" },
      frame: { kind: "driven", by: "frame" },
    },
    start: [],
    frame: [
      { kernel: "stir", range: RANGE },
      { kernel: "carry_flow", range: RANGE, swap: ["flow", "nextFlow"] },
      { kernel: "diverge", range: RANGE },
      ...Array.from({ length: RELAXATIONS }, (): Step => ({
        kernel: "relax",
        range: RANGE,
        swap: ["pressure", "nextPressure"],
      })),
      { kernel: "project", range: RANGE },
      { kernel: "carry_ink", range: RANGE, swap: ["ink", "nextInk"] },
      { kernel: "draw", range: RANGE },
    ],
    animates: true,
    show: { kind: "picture", buffer: "picture" },
  },
};
