// SPDX-License-Identifier: Apache-2.0
// Jump flooding in plain TypeScript.
interface Arguments {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly points: Float32Array;
  readonly picture: Uint8Array;
  readonly seconds: number;
  readonly reach: number;
}

const inside = (value: number): number => 512 * Math.min(0.999, Math.max(0, value));

/** Kernel `clear`. */
export function clear({ from }: Arguments): void {
  from.fill(-1);
}

/** Kernel `plant`. */
export function plant({ from, points, seconds }: Arguments, [count = 1]: readonly number[]): void {
  for (let i = 0; i < count; i++) {
    const h = Math.imul(i + 1, 2654435761) >>> 0;
    const angle = seconds * (0.2 + (h >>> 28) / 20) + i;
    const x = inside((h >>> 22) / 1024 + 0.06 * Math.cos(angle));
    const y = inside(((h >>> 12) & 1023) / 1024 + 0.06 * Math.sin(angle));
    points.set([x, y], 2 * i);
    from[Math.floor(y) * 512 + Math.floor(x)] = i;
  }
}

/** Kernel `flood`. */
export function flood({ from, to, points, reach }: Arguments): void {
  for (let y = 0; y < 512; y++)
    for (let x = 0; x < 512; x++) {
      let best = -1;
      let least = 1e9;
      for (let dy = -1; dy <= 1; dy++)
        for (let dx = -1; dx <= 1; dx++) {
          const column = Math.min(511, Math.max(0, x + dx * reach));
          const i = from[Math.min(511, Math.max(0, y + dy * reach)) * 512 + column] ?? -1;
          if (i < 0) continue;
          const far = ((points[2 * i] ?? 0) - x) ** 2 + ((points[2 * i + 1] ?? 0) - y) ** 2;
          if (far >= least) continue;
          least = far;
          best = i;
        }
      to[y * 512 + x] = best;
    }
}

/** Kernel `draw`. */
export function draw({ from, picture, points }: Arguments): void {
  for (let at = 0; at < 512 * 512; at++) {
    const i = Math.max(0, from[at] ?? 0);
    const far = Math.hypot((points[2 * i] ?? 0) - (at % 512), (points[2 * i + 1] ?? 0) - Math.floor(at / 512));
    const light = far < 2 ? 0 : Math.exp(-far / 45);
    for (let k = 0; k < 3; k++) picture[4 * at + k] = 255 * light * (0.6 + 0.4 * Math.cos(2.4 * i + 1.3 * k));
    picture[4 * at + 3] = 255;
  }
}
