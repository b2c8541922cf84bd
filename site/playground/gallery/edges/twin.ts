// SPDX-License-Identifier: Apache-2.0
// Sobel's operator in plain TypeScript.
interface Arguments {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly strength: number;
  readonly keep: number;
}

/** The kernel as a function. */
export function edges({ from, to, strength, keep }: Arguments, [width = 1, height = 1]: readonly number[]): void {
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const up = Math.max(y - 1, 0) * width;
      const row = y * width;
      const down = Math.min(y + 1, height - 1) * width;
      const left = Math.max(x - 1, 0);
      const right = Math.min(x + 1, width - 1);
      for (let k = 0; k < 3; k++) {
        const at = (i: number): number => (from[4 * i + k] ?? 0) / 255;
        const across =
          at(up + right) +
          2 * at(row + right) +
          at(down + right) -
          at(up + left) -
          2 * at(row + left) -
          at(down + left);
        const along =
          at(down + left) + 2 * at(down + x) + at(down + right) - at(up + left) - 2 * at(up + x) - at(up + right);
        const edge = strength * Math.sqrt(across * across + along * along);
        to[4 * (row + x) + k] = Math.min(255, 255 * (keep * at(row + x) + edge));
      }
      to[4 * (row + x) + 3] = 255;
    }
}
