// SPDX-License-Identifier: Apache-2.0
// The stages once more in plain TypeScript: slow and obvious, to check the kernels with.
import type { ImagePixels } from "muxkit/image-files";
import { ALIKE, BILATERAL_RADIUS, BLUR_RADIUS, NEAR, blurWeights } from "./settings.ts";

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** A channel of a pixel; outside of the image, of the nearest pixel. */
function at({ width, height, data }: ImagePixels, x: number, y: number, channel: number): number {
  return data[(clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)) * 4 + channel] as number;
}

function brightness(image: ImagePixels, x: number, y: number): number {
  return (77 * at(image, x, y, 0) + 150 * at(image, x, y, 1) + 29 * at(image, x, y, 2)) >> 8;
}

/** An image of the same size, channel by channel. */
function each(image: ImagePixels, channelAt: (x: number, y: number, channel: number) => number): ImagePixels {
  const { width, height } = image;
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let channel = 0; channel < 4; channel++) data[(y * width + x) * 4 + channel] = channelAt(x, y, channel);
  return { width, height, data };
}

/** Gaussian blur. */
export function blur(image: ImagePixels): ImagePixels {
  const { width, height } = image;
  const weights = blurWeights();
  const rows = new Float32Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0;
        for (let i = -BLUR_RADIUS; i <= BLUR_RADIUS; i++)
          sum += (weights[i + BLUR_RADIUS] as number) * at(image, x + i, y, channel);
        rows[(y * width + x) * 4 + channel] = sum;
      }
    }
  }
  return each(image, (x, y, channel) => {
    let sum = 0;
    for (let i = -BLUR_RADIUS; i <= BLUR_RADIUS; i++)
      sum +=
        (weights[i + BLUR_RADIUS] as number) *
        (rows[(clamp(y + i, 0, height - 1) * width + x) * 4 + channel] as number);
    return clamp(Math.round(sum), 0, 255);
  });
}

/** Sobel's edges. */
export function sobel(image: ImagePixels): ImagePixels {
  const edge = (x: number, y: number): number => {
    const around = (dx: number, dy: number): number => brightness(image, x + dx, y + dy);
    const across = around(1, -1) + 2 * around(1, 0) + around(1, 1) - around(-1, -1) - 2 * around(-1, 0) - around(-1, 1);
    const down = around(-1, 1) + 2 * around(0, 1) + around(1, 1) - around(-1, -1) - 2 * around(0, -1) - around(1, -1);
    return clamp(Math.trunc(Math.sqrt(across * across + down * down)), 0, 255);
  };
  return each(image, (x, y, channel) => (channel === 3 ? 255 : edge(x, y)));
}

/** Histogram equalisation. */
export function equalise(image: ImagePixels): ImagePixels {
  const { width, height } = image;
  const counts = new Uint32Array(256);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) (counts[brightness(image, x, y)] as number)++;
  let sum = 0;
  const sums = counts.map((count) => (sum += count));
  const darkest = counts.find((count) => count > 0) ?? 0;
  const spread = Math.max(width * height - darkest, 1);
  return each(image, (x, y, channel) => {
    const old = brightness(image, x, y);
    const moved = Math.floor((((sums[old] as number) - darkest) * 255 + Math.floor(spread / 2)) / spread) - old;
    return channel === 3 ? 255 : clamp(at(image, x, y, channel) + moved, 0, 255);
  });
}

/** Bilateral filter. */
export function bilateral(image: ImagePixels): ImagePixels {
  const { width, height } = image;
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const sums = [0, 0, 0, 0];
      let weights = 0;
      for (let dy = -BILATERAL_RADIUS; dy <= BILATERAL_RADIUS; dy++) {
        for (let dx = -BILATERAL_RADIUS; dx <= BILATERAL_RADIUS; dx++) {
          const apart = [0, 1, 2].reduce(
            (sum, channel) => sum + (at(image, x + dx, y + dy, channel) - at(image, x, y, channel)) ** 2,
            0,
          );
          const weight = Math.exp(-NEAR * (dx * dx + dy * dy) - ALIKE * apart);
          weights += weight;
          for (let channel = 0; channel < 4; channel++)
            sums[channel] = (sums[channel] as number) + weight * at(image, x + dx, y + dy, channel);
        }
      }
      data.set(
        sums.map((sum) => clamp(Math.round(sum / weights), 0, 255)),
        (y * width + x) * 4,
      );
    }
  }
  return { width, height, data };
}
