// SPDX-License-Identifier: Apache-2.0
// Colours for numbers: a polynomial close to matplotlib's "inferno".

const COEFFICIENTS: readonly (readonly [number, number, number])[] = [
  [0, 0.002, -0.01],
  [0.106, 0.564, 3.933],
  [11.6, -3.974, -15.94],
  [-41.7, 17.44, 44.35],
  [77.16, -33.4, -81.81],
  [-71.32, 32.63, 73.21],
  [25.13, -12.24, -23.07],
];

/** 256 colours, from dark to light, as RGBA words. */
export const COLOURS: Uint32Array = Uint32Array.from({ length: 256 }, (_, i) => {
  const t = i / 255;
  const channel = (k: 0 | 1 | 2): number => {
    let value = 0;
    for (let power = COEFFICIENTS.length - 1; power >= 0; power--) value = value * t + (COEFFICIENTS[power]?.[k] ?? 0);
    return Math.round(255 * Math.min(1, Math.max(0, value)));
  };
  return (0xff000000 | (channel(2) << 16) | (channel(1) << 8) | channel(0)) >>> 0;
});

/** Least and greatest of finite numbers, every `stride`-th from the first; 0 and 1 where there are none. */
export function extent(numbers: ArrayLike<number>, stride: number): readonly [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < numbers.length; i += stride) {
    const x = numbers[i] as number;
    if (!Number.isFinite(x)) continue;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return low > high ? [0, 1] : [low, high];
}
