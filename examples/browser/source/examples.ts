// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />
// The examples: a kernel to begin with, its arguments, and what is shown of its result.
import type { Device, KernelFunction } from "muxkit";

import mandelbrotSource from "./mandelbrot.cl?raw";
import saxpySource from "./saxpy.cl?raw";

/** What a run has made. */
export interface Result {
  readonly text: string;
  /** Absent: there is nothing to draw. */
  readonly image?: ImageData;
  /** ms from the launch to its end. */
  readonly time: number;
  readonly workItems: number;
}

/** An example. */
export interface Example {
  readonly source: string;
  readonly about: string;
  /**
   * Launches a kernel that takes the arguments of this example. Errors: what the kernel's arguments or its launch
   * refuse.
   */
  readonly run: (device: Device, kernel: KernelFunction) => Promise<Result>;
  /** What a click on the picture does, from -1 to 1 in units of half its height; the example is then run again. */
  readonly click?: (x: number, y: number) => void;
}

/** ms until a launch is done. */
async function timed(launch: () => { readonly done: Promise<unknown> }): Promise<number> {
  const begin = performance.now();
  await launch().done;
  return performance.now() - begin;
}

const COUNT = 1 << 20;
const SHOWN = 8;

async function saxpy(device: Device, kernel: KernelFunction): Promise<Result> {
  const x = device.array(Float32Array.from({ length: COUNT }, (_, i) => i));
  const y = device.array(new Float32Array(COUNT).fill(1));
  try {
    const time = await timed(() => kernel(COUNT, y, x, 2.5));
    const result = await y.read();
    return { text: `y = ${result.subarray(0, SHOWN).join(", ")}, … ${result[COUNT - 1]}`, time, workItems: COUNT };
  } finally {
    x.destroy();
    y.destroy();
  }
}

const WIDTH = 720;
const HEIGHT = 480;
const STEPS = 500;
const view = { x: -0.6, y: 0, scale: 1.2 };

async function mandelbrot(device: Device, kernel: KernelFunction): Promise<Result> {
  const pixels = device.array(Uint8ClampedArray, WIDTH * HEIGHT * 4);
  try {
    const time = await timed(() => kernel([WIDTH, HEIGHT], pixels, [view.x, view.y], view.scale, STEPS));
    const image = new ImageData(await pixels.read(), WIDTH, HEIGHT);
    return {
      text: `centre ${view.x.toFixed(6)}, ${view.y.toFixed(6)}; height ${(2 * view.scale).toPrecision(3)}`,
      image,
      time,
      workItems: WIDTH * HEIGHT,
    };
  } finally {
    pixels.destroy();
  }
}

/** All examples, by what they are called. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  saxpy: { source: saxpySource, about: "Takes two arrays of a million floats and the number 2.5.", run: saxpy },
  mandelbrot: {
    source: mandelbrotSource,
    about:
      "Takes the pixels of the picture, a place, half its height, and the most steps. " +
      "Click into the picture to go there.",
    run: mandelbrot,
    click: (x, y) => {
      view.x += x * view.scale;
      view.y += y * view.scale;
      view.scale /= 2;
    },
  },
};
