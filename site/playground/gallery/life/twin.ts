// SPDX-License-Identifier: Apache-2.0
// The game of life in plain TypeScript.
function hash(value: number): number {
  let x = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

interface SeedArguments {
  readonly from: Uint8Array;
  readonly glow: Float32Array;
  readonly density: number;
}

/** Kernel `seed`. */
export function seed({ from, glow, density }: SeedArguments, [width = 1, height = 1]: readonly number[]): void {
  for (let i = 0; i < width * height; i++) {
    from[i] = hash(i) % 100 < density ? 1 : 0;
    glow[i] = 0;
  }
}

interface Arguments {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly glow: Float32Array;
  readonly picture: Uint8Array;
  readonly fade: number;
  readonly pointer: readonly number[];
}

/** Kernel `life`. */
export function life(args: Arguments, [width = 1, height = 1]: readonly number[]): void {
  const { from, to, glow, picture, fade } = args;
  const pointerX = (args.pointer[0] ?? 0) * width;
  const pointerY = (args.pointer[1] ?? 0) * height;
  const cell = (i: number): number => from[i] ?? 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const left = (x + width - 1) % width;
      const right = (x + 1) % width;
      const up = ((y + height - 1) % height) * width;
      const down = ((y + 1) % height) * width;
      const row = y * width;
      const around =
        cell(up + left) +
        cell(up + x) +
        cell(up + right) +
        cell(row + left) +
        cell(row + right) +
        cell(down + left) +
        cell(down + x) +
        cell(down + right);
      const dx = x - pointerX;
      const dy = y - pointerY;
      const lives =
        around === 3 || (around === 2 && cell(row + x) === 1) || (dx * dx + dy * dy < 40 && (x * 7 + y * 3) % 5 < 2);
      to[row + x] = lives ? 1 : 0;
      const old = glow[row + x] ?? 0;
      const now = lives ? Math.min(old + 0.08, 1) : old * fade;
      glow[row + x] = now;
      const s = Math.min(1, now * 2);
      const t = s * s * (3 - 2 * s);
      const at = 4 * (row + x);
      picture[at] = 255 * (lives ? 1 : 0.02 + 0.08 * t);
      picture[at + 1] = 255 * (lives ? 0.95 - 0.5 * now : 0.03 + 0.47 * t);
      picture[at + 2] = 255 * (lives ? 0.7 - 0.5 * now : 0.09 + 0.66 * t);
      picture[at + 3] = 255;
    }
}
