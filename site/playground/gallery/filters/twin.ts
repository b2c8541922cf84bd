// SPDX-License-Identifier: Apache-2.0
// The filters in plain TypeScript.
interface Arguments {
  readonly photo: Uint8Array;
  readonly picture: Uint8Array;
  readonly effect: number;
  readonly size: number;
}

type Color = readonly [number, number, number];

interface Photo {
  readonly photo: Uint8Array;
  readonly width: number;
  readonly height: number;
}

type Effect = (from: Photo, x: number, y: number, size: number) => Color;

function colorAt({ photo, width, height }: Photo, x: number, y: number): Color {
  const at = 4 * (Math.min(height - 1, Math.max(0, y)) * width + Math.min(width - 1, Math.max(0, x)));
  return [(photo[at] ?? 0) / 255, (photo[at + 1] ?? 0) / 255, (photo[at + 2] ?? 0) / 255];
}

function smooth(low: number, high: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return t * t * (3 - 2 * t);
}

const paint: Effect = ({ photo, width, height }, x, y, size) => {
  const count = 255 * (size + 1) ** 2;
  let least = 1e9;
  let best: Color = [0, 0, 0];
  for (let corner = 0; corner < 4; corner++) {
    const left = corner % 2 === 1 ? x : x - size;
    const top = corner > 1 ? y : y - size;
    let red = 0;
    let green = 0;
    let blue = 0;
    let squares = 0;
    for (let j = top; j <= top + size; j++) {
      const row = Math.min(height - 1, Math.max(0, j)) * width;
      for (let i = left; i <= left + size; i++) {
        const at = 4 * (row + Math.min(width - 1, Math.max(0, i)));
        const r = photo[at] ?? 0;
        const g = photo[at + 1] ?? 0;
        const b = photo[at + 2] ?? 0;
        red += r;
        green += g;
        blue += b;
        squares += r * r + g * g + b * b;
      }
    }
    red /= count;
    green /= count;
    blue /= count;
    const spread = squares / (255 * count) - red * red - green * green - blue * blue;
    if (spread >= least) continue;
    least = spread;
    best = [red, green, blue];
  }
  return best;
};

const halftone: Effect = (from, x, y, size) => {
  const step = 2 * size + 2;
  const [u, v] = [(x + y) / step, (x - y) / step];
  const across = (Math.floor(u) + 0.5) * step;
  const down = (Math.floor(v) + 0.5) * step;
  const [red, green, blue] = colorAt(from, Math.trunc((across + down) / 2), Math.trunc((across - down) / 2));
  const far = Math.hypot(u - Math.floor(u) - 0.5, v - Math.floor(v) - 0.5);
  const ink = 1 - smooth(-0.06, 0.06, far - 0.7 * Math.sqrt(1 - (0.3 * red + 0.59 * green + 0.11 * blue)));
  return [0.98 - 0.9 * ink, 0.95 - 0.85 * ink, 0.88 - 0.66 * ink];
};

const whirl: Effect = (from, x, y, size) => {
  const [middleX, middleY] = [from.width / 2, from.height / 2];
  const [dx, dy] = [x - middleX, y - middleY];
  const angle = 0.35 * size * Math.exp(-(dx * dx + dy * dy) / (0.12 * middleX * middleX));
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return colorAt(from, Math.trunc(middleX + c * dx - s * dy), Math.trunc(middleY + s * dx + c * dy));
};

const blocks: Effect = (from, x, y, size) => {
  const middle = (at: number): number => Math.floor(at / (2 * size)) * 2 * size + size;
  return colorAt(from, middle(x), middle(y));
};

const relief: Effect = (from, x, y, size) => {
  const far = size >> 1;
  const [after, before] = [colorAt(from, x + far, y + far), colorAt(from, x - far, y - far)];
  const channel = (k: 0 | 1 | 2): number => 0.5 + 1.5 * (after[k] - before[k]);
  return [channel(0), channel(1), channel(2)];
};

const EFFECTS: readonly Effect[] = [paint, halftone, whirl, blocks, relief];

/** The kernel as a function. */
export function filter({ photo, picture, effect, size }: Arguments, [width = 1, height = 1]: readonly number[]): void {
  const run = EFFECTS[effect] ?? relief;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const color = run({ photo, width, height }, x, y, size);
      const at = 4 * (y * width + x);
      for (const [k, value] of color.entries()) picture[at + k] = Math.min(255, Math.max(0, 255 * value));
      picture[at + 3] = 255;
    }
}
