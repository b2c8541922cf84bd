// SPDX-License-Identifier: Apache-2.0
// What kernels and references agree on.

/** Radius of the blur in pixels, and its weights from left to right. */
export const BLUR_RADIUS = 6;
/** Columns and rows of a work-group of the blur. */
export const BLUR_WIDTH = 64;
export const BLUR_COLUMNS = 16;
export const BLUR_ROWS = 16;
/** Radius of the bilateral filter, and how fast weights fall with distance and with difference of colour. */
export const BILATERAL_RADIUS = 3;
export const NEAR: number = 1 / (2 * 2 ** 2);
export const ALIKE: number = 1 / (2 * 30 ** 2);

/** Weights of the blur: they add up to 1. */
export function blurWeights(): Float32Array {
  const sigma = BLUR_RADIUS / 2.5;
  const weights = Float32Array.from({ length: 2 * BLUR_RADIUS + 1 }, (_, i) =>
    Math.exp(-((i - BLUR_RADIUS) ** 2) / (2 * sigma ** 2)),
  );
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
