// SPDX-License-Identifier: Apache-2.0
// Julia sets in plain TypeScript.
interface Arguments {
  readonly picture: Uint8Array;
  readonly c: readonly number[];
  readonly swing: number;
  readonly seconds: number;
  readonly centre: readonly number[];
  readonly scale: number;
  readonly steps: number;
}

/** The kernel as a function. */
export function julia(args: Arguments, [width = 1, height = 1]: readonly number[]): void {
  const { picture, swing, seconds, scale, steps } = args;
  const cx = (args.c[0] ?? 0) + swing * Math.cos(0.7 * seconds);
  const cy = (args.c[1] ?? 0) + swing * Math.sin(0.53 * seconds);
  const [centreX = 0, centreY = 0] = args.centre;
  const pixel = (2 * scale) / height;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let s = 0; s < 4; s++) {
        let zx = centreX + pixel * (x + 0.5 * (s & 1) - 0.5 * width);
        let zy = centreY + pixel * (y + 0.5 * (s >> 1) - 0.5 * height);
        let nearest = 1e9;
        let i = 0;
        for (; i < steps && zx * zx + zy * zy < 40; i++) {
          const next = zx * zx - zy * zy + cx;
          zy = 2 * zx * zy + cy;
          zx = next;
          nearest = Math.min(nearest, Math.abs(zx * zy));
        }
        const t = i === steps ? 0 : Math.log2(1 + i - Math.log2(Math.log2(zx * zx + zy * zy))) / 7;
        const glow = Math.exp(-60 * nearest);
        red += 0.1 + 1.1 * t * t + glow;
        green += 0.05 + 0.8 * t * t * t + 0.6 * glow;
        blue += 0.15 + 0.7 * Math.sqrt(t) * (1 - t) + 0.3 * glow;
      }
      const at = 4 * (y * width + x);
      picture[at] = Math.min(255, (255 * red) / 4);
      picture[at + 1] = Math.min(255, (255 * green) / 4);
      picture[at + 2] = Math.min(255, (255 * blue) / 4);
      picture[at + 3] = 255;
    }
}
