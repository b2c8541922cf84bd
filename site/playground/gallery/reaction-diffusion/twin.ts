// SPDX-License-Identifier: Apache-2.0
// Gray and Scott's model in plain TypeScript.
function smoothstep(low: number, high: number, x: number): number {
  const t = Math.min(1, Math.max(0, (x - low) / (high - low)));
  return t * t * (3 - 2 * t);
}

/** Kernel `seed`. */
export function seed({ from }: { readonly from: Float32Array }, [width = 1, height = 1]: readonly number[]): void {
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const h = ((Math.imul(Math.floor(x / 40), 73856093) ^ Math.imul(Math.floor(y / 40), 19349663)) >>> 0) % 97;
      const inX = (x % 40) - 10 - (h % 20);
      const inY = (y % 40) - 10 - (h % 20);
      from[2 * (y * width + x)] = 1;
      from[2 * (y * width + x) + 1] = h % 3 === 0 && Math.abs(inX) < 5 && Math.abs(inY) < 5 ? 1 : 0;
    }
}

interface Arguments {
  readonly from: Float32Array;
  readonly to: Float32Array;
  readonly feed: number;
  readonly kill: number;
  readonly pointer: readonly number[];
}

/** Kernel `react`. */
export function react({ from, to, feed, kill, pointer }: Arguments, [width = 1, height = 1]: readonly number[]): void {
  const [px = 0, py = 0, moved = 0] = pointer;
  const at = (i: number): number => from[i] ?? 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const left = 2 * (x === 0 ? width - 1 : x - 1);
      const right = 2 * (x === width - 1 ? 0 : x + 1);
      const up = 2 * (y === 0 ? height - 1 : y - 1) * width;
      const down = 2 * (y === height - 1 ? 0 : y + 1) * width;
      const row = 2 * y * width;
      const own = row + 2 * x;
      const spread = (k: number): number =>
        0.2 * (at(row + left + k) + at(row + right + k) + at(up + 2 * x + k) + at(down + 2 * x + k)) +
        0.05 * (at(up + left + k) + at(up + right + k) + at(down + left + k) + at(down + right + k)) -
        at(own + k);
      const u = at(own);
      const v = at(own + 1);
      const eaten = u * v * v;
      const nextU = u + spread(0) + feed * (1 - u) - eaten;
      let nextV = v + 0.5 * spread(1) + eaten - (kill + feed) * v;
      const dx = x - px * width;
      const dy = y - py * height;
      if (dx * dx + dy * dy < 30 && moved !== 0) nextV = 0.9;
      to[own] = Math.min(1, Math.max(0, nextU));
      to[own + 1] = Math.min(1, Math.max(0, nextV));
    }
}

interface DrawArguments {
  readonly from: Float32Array;
  readonly picture: Uint8Array;
}

/** Kernel `draw`. */
export function draw({ from, picture }: DrawArguments, [width = 1, height = 1]: readonly number[]): void {
  const v = (x: number, y: number): number => from[2 * (y * width + x) + 1] ?? 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const slope =
        4 *
        (v(Math.max(x - 1, 0), y) -
          v(Math.min(x + 1, width - 1), y) +
          (v(x, Math.max(y - 1, 0)) - v(x, Math.min(y + 1, height - 1))));
      const t = Math.min(1, v(x, y) * 2.8);
      const a = smoothstep(0, 0.45, t);
      const b = smoothstep(0.4, 0.95, t);
      const light = 0.35 * slope * t;
      const put = (k: number, dark: number, middle: number, bright: number): void => {
        const base = dark + (middle - dark) * a;
        picture[4 * (y * width + x) + k] = Math.min(255, Math.max(0, 255 * (base + (bright - base) * b + light)));
      };
      put(0, 0.06, 0.09, 0.98);
      put(1, 0.07, 0.45, 0.85);
      put(2, 0.16, 0.55, 0.55);
      picture[4 * (y * width + x) + 3] = 255;
    }
}
