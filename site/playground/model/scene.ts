// SPDX-License-Identifier: Apache-2.0
// A picture for the filters, painted by formulas: a lake in the mountains at dusk, with stars, a sun and trees.

function noise(x: number, seed: number): number {
  let h = Math.imul(x | 0, 0x27d4eb2d) ^ Math.imul(seed, 0x165667b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  return ((h ^ (h >>> 13)) >>> 0) / 2 ** 32;
}

/** A ridge: noise of several octaves along x. */
function ridge(x: number, seed: number, octaves: number): number {
  let sum = 0;
  let amplitude = 0.5;
  let at = x;
  for (let i = 0; i < octaves; i++) {
    const cell = Math.floor(at);
    const t = at - cell;
    const blend = t * t * (3 - 2 * t);
    sum += amplitude * (noise(cell, seed + i) * (1 - blend) + noise(cell + 1, seed + i) * blend);
    amplitude /= 2;
    at *= 2.1;
  }
  return sum;
}

type Color = readonly [number, number, number];

function mix(a: Color, b: Color, t: number): Color {
  const s = Math.min(1, Math.max(0, t));
  return [a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s, a[2] + (b[2] - a[2]) * s];
}

const LAYERS: readonly { readonly at: number; readonly high: number; readonly wide: number; readonly color: Color }[] =
  [
    { at: 0.5, high: 0.3, wide: 3, color: [120, 92, 140] },
    { at: 0.56, high: 0.22, wide: 5, color: [78, 62, 112] },
    { at: 0.6, high: 0.12, wide: 9, color: [36, 40, 70] },
  ];
const WATER = 0.62;

function sky(x: number, y: number): Color {
  const base = mix([28, 34, 92], mix([226, 110, 108], [255, 204, 128], (y - 0.34) * 4), y * 2.1);
  const far = Math.hypot((x - 0.66) * 1.3, y - 0.4);
  const glow = mix(base, [255, 236, 180], 0.75 * Math.exp(-far * far * 30));
  return far < 0.062 ? [255, 246, 214] : glow;
}

function land(x: number, y: number): Color {
  let color = sky(x, y);
  for (const [i, { at, high, wide, color: own }] of LAYERS.entries()) {
    const top = at + high / 2 - high * ridge(x * wide + i * 17, 11 * i + 3, 6) * 1.25;
    if (y > top) color = mix(own, [236, 150, 120], (1 - i / 2.4) * 0.5 * Math.exp(-(y - top) * 9));
    if (i === 0 && y > top && y < top + 0.03 + 0.04 * noise(Math.floor(x * 160), 5)) color = [232, 214, 226];
  }
  return color;
}

function tree(x: number, y: number): boolean {
  for (const at of [0.07, 0.13, 0.18, 0.9, 0.955]) {
    const high = 0.34 + 0.1 * noise(at * 1000, 9);
    const down = (y - (0.94 - high)) / high;
    if (down > 0 && down < 1) {
      const jag = (down * 9) % 1;
      if (Math.abs(x - at) < 0.006 + 0.05 * down * (0.45 + 0.55 * jag)) return true;
    }
  }
  return y > 0.94 - 0.05 * ridge(x * 7, 77, 5) * (Math.abs(x - 0.5) + 0.2);
}

/** The scene as RGBA bytes. */
export function paintScene(width: number, height: number): Uint8Array {
  const data = new Uint8Array(width * height * 4);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const [x, y] = [(column + 0.5) / width, (row + 0.5) / height];
      let color: Color;
      if (tree(x, y)) color = [16, 18, 34];
      else if (y > WATER) {
        const depth = (y - WATER) / (1 - WATER);
        const wave = 0.012 * depth * Math.sin(y * 240 + 5 * ridge(x * 12 + y * 30, 4, 3));
        color = mix(land(x + wave, WATER - (y - WATER) * 1.15), [20, 28, 66], 0.25 + 0.5 * depth);
      } else {
        color = land(x, y);
        if (y < 0.3 && noise(column + row * width, 21) > 0.9985) color = [250, 250, 255];
      }
      const grain = 5 * (noise(column * 7919 + row * 104_729, 1) - 0.5);
      const at = (row * width + column) * 4;
      for (let i = 0; i < 3; i++) data[at + i] = Math.min(255, Math.max(0, (color[i] ?? 0) + grain));
      data[at + 3] = 255;
    }
  return data;
}
