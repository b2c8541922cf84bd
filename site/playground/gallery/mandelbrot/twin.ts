// SPDX-License-Identifier: Apache-2.0
// The Mandelbrot set in plain TypeScript.
interface Arguments {
  readonly picture: Uint8Array;
  readonly centre: readonly number[];
  readonly scale: number;
  readonly steps: number;
  readonly hue: number;
}

/** The kernel as a function. */
export function mandelbrot(
  { picture, centre, scale, steps, hue }: Arguments,
  [width = 1, height = 1]: readonly number[],
): void {
  const pixel = (2 * scale) / height;
  const [centreX = 0, centreY = 0] = centre;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const cx = centreX + pixel * (x - 0.5 * width);
      const cy = centreY + pixel * (y - 0.5 * height);
      let zx = 0;
      let zy = 0;
      let i = 0;
      for (; i < steps && zx * zx + zy * zy < 64; i++) {
        const next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
      }
      const smooth = i - Math.log2((0.5 * Math.log2(zx * zx + zy * zy)) / 3);
      const at = 4 * (y * width + x);
      for (let k = 0; k < 3; k++) {
        const wave = (k === 0 ? 0 : k === 1 ? 0.13 : 0.27) + hue + 0.38 * Math.log2(1 + smooth);
        const color = i === steps ? 0 : 0.5 - 0.5 * Math.cos(6.2831853 * wave);
        picture[at + k] = Math.min(255, 255 * color * color * (3 - 2 * color));
      }
      picture[at + 3] = 255;
    }
}
