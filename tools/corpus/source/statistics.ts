// SPDX-License-Identifier: Apache-2.0
// Figures of compile time: middles, means of ratios, and how time grows with the size of a program.
//
// Growth is the exponent e of time = c · size^e. Both are logarithms in the fit, which makes it a line, fitted by least
// squares: each program counts the same, large or small. 1 is linear.

/** The middle one of some values, the mean of the middle two of an even number of them; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The geometric mean; NaN of none. Values are above 0. */
export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** How a time grows with a size. */
export interface Growth {
  /** The exponent: 1 is linear. */
  readonly exponent: number;
  /** Time at a size of 1,000, by the fit. */
  readonly per1000: number;
  /** Share of the variation that the fit explains, 0 to 1. */
  readonly fit: number;
}

/** Fits growth to points of size and time, both above 0; null where there are not two sizes. */
export function growthOf(points: readonly (readonly [size: number, time: number])[]): Growth | null {
  const logs = points
    .filter(([size, time]) => size > 0 && time > 0)
    .map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const count = logs.length;
  const meanX = logs.reduce((sum, [x]) => sum + x, 0) / count;
  const meanY = logs.reduce((sum, [, y]) => sum + y, 0) / count;
  let [xx, xy, yy] = [0, 0, 0];
  for (const [x, y] of logs) {
    xx += (x - meanX) ** 2;
    xy += (x - meanX) * (y - meanY);
    yy += (y - meanY) ** 2;
  }
  if (count < 2 || xx === 0) return null;
  const exponent = xy / xx;
  return {
    exponent,
    per1000: Math.exp(meanY + exponent * (Math.log(1000) - meanX)),
    fit: yy === 0 ? 1 : xy ** 2 / (xx * yy),
  };
}
