// SPDX-License-Identifier: Apache-2.0
// The bilateral filter in plain TypeScript.
interface Arguments {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly radius: number;
  readonly likeness: number;
}

/** The kernel as a function. */
export function smooth({ from, to, radius, likeness }: Arguments, [width = 1, height = 1]: readonly number[]): void {
  const spread = 2 / (radius * radius + 1);
  const narrow = 0.5 / (likeness * likeness);
  const value = (i: number): number => (from[i] ?? 0) / 255;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const own = 4 * (y * width + x);
      let red = 0;
      let green = 0;
      let blue = 0;
      let weights = 0;
      for (let dy = -radius; dy <= radius; dy++) {
        const row = Math.min(height - 1, Math.max(0, y + dy)) * width;
        for (let dx = -radius; dx <= radius; dx++) {
          const at = 4 * (row + Math.min(width - 1, Math.max(0, x + dx)));
          const r = value(at) - value(own);
          const g = value(at + 1) - value(own + 1);
          const b = value(at + 2) - value(own + 2);
          const weight = Math.exp(-spread * (dx * dx + dy * dy) - narrow * (r * r + g * g + b * b));
          red += weight * value(at);
          green += weight * value(at + 1);
          blue += weight * value(at + 2);
          weights += weight;
        }
      }
      to[own] = (255 * red) / weights;
      to[own + 1] = (255 * green) / weights;
      to[own + 2] = (255 * blue) / weights;
      to[own + 3] = 255;
    }
}
