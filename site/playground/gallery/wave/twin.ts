// SPDX-License-Identifier: Apache-2.0
// Waves on water in plain TypeScript.
interface Arguments {
  readonly now: Float32Array;
  readonly before: Float32Array;
  readonly damping: number;
  readonly rain: number;
  readonly frame: number;
  readonly pointer: readonly number[];
}

/** Kernel `wave`. */
export function wave(args: Arguments, [width = 1, height = 1]: readonly number[]): void {
  const { now, before, damping, rain, frame } = args;
  const [pointerX = 0, pointerY = 0] = args.pointer;
  const drop = Math.imul(Math.trunc(frame / Math.max(rain, 1)), 2654435761) >>> 0;
  const dropX = ((drop % 997) / 997) * width;
  const dropY = ((Math.floor(drop / 997) % 991) / 991) * height;
  const at = (i: number): number => now[i] ?? 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const around =
        at(Math.max(x - 1, 0) + y * width) +
        at(Math.min(x + 1, width - 1) + y * width) +
        at(Math.max(y - 1, 0) * width + x) +
        at(Math.min(y + 1, height - 1) * width + x);
      let next = (0.5 * around - (before[i] ?? 0)) * damping;
      if (rain > 0 && frame % rain === 0 && (x - dropX) ** 2 + (y - dropY) ** 2 < 60) next -= 1.2;
      if ((x - pointerX * width) ** 2 + (y - pointerY * height) ** 2 < 80) next -= 0.25;
      before[i] = next;
    }
}

interface DrawArguments {
  readonly now: Float32Array;
  readonly picture: Uint8Array;
}

/** Kernel `draw`. */
export function draw({ now, picture }: DrawArguments, [width = 1, height = 1]: readonly number[]): void {
  const at = (i: number): number => now[i] ?? 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const dx = at(y * width + Math.min(x + 1, width - 1)) - at(y * width + Math.max(x - 1, 0));
      const dy = at(Math.min(y + 1, height - 1) * width + x) - at(Math.max(y - 1, 0) * width + x);
      const column = Math.trunc(Math.trunc(x + 22 * dx + 4000) / 32);
      const row = Math.trunc(Math.trunc(y + 22 * dy + 4000) / 32);
      const tile = ((column + row) % 2 === 0 ? 0.55 : 0.42) * (0.9 - 1.1 * dx - 0.8 * dy);
      const shine = Math.min(1, Math.max(0, -1.6 * (dx + dy) - 0.5)) ** 2;
      const to = 4 * (y * width + x);
      picture[to] = Math.min(255, Math.max(0, 255 * (0.25 * tile + shine)));
      picture[to + 1] = Math.min(255, Math.max(0, 255 * (0.75 * tile + shine)));
      picture[to + 2] = Math.min(255, Math.max(0, 255 * (1.05 * tile + shine)));
      picture[to + 3] = 255;
    }
}
