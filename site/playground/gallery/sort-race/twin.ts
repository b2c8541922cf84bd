// SPDX-License-Identifier: Apache-2.0
// The sort race in plain TypeScript.
interface Arguments {
  readonly values: Int32Array;
  readonly picture: Uint8Array;
  readonly frame: number;
  readonly pace: number;
}

const GAPS = [
  243, 216, 192, 162, 144, 128, 108, 96, 81, 72, 64, 54, 48, 36, 32, 27, 24, 18, 16, 12, 9, 8, 6, 4, 3, 2, 1,
] as const;

function shuffled(i: number, seed: number): number {
  const first = (i * 181 + seed * 97) & 255;
  const second = ((first ^ (first >> 3)) * 93 + seed) & 255;
  return ((second ^ (second >> 4)) * 61) & 255;
}

/** The run and the distance of a step of Batcher's networks. */
function phase(step: number): readonly [p: number, k: number] {
  let [p, k] = [1, 1];
  for (let s = 0; s < step; s++) {
    if (k > 1) {
      k /= 2;
      continue;
    }
    p *= 2;
    k = p;
  }
  return [p, k];
}

/** What is compared with i, by way; i: nothing is. */
const PARTNERS: readonly ((i: number, step: number) => number)[] = [
  (i, step) => ((i + step) % 2 === 0 ? i + 1 : i),
  (i, step) => {
    const gap = GAPS[step >> 1] ?? 256;
    return Math.floor(i / gap) % 2 === step % 2 ? i + gap : i;
  },
  (i, step) => {
    const [p, k] = phase(step);
    const first = k === p ? 0 : k;
    const isLow = i >= first && (i - first) % (2 * k) < k;
    return isLow && Math.floor(i / (2 * p)) === Math.floor((i + k) / (2 * p)) ? i + k : i;
  },
  (i, step) => ((i & phase(step)[1]) === 0 ? i + phase(step)[1] : i),
];

/** Kernel `race`. */
export function race({ values, frame, pace }: Arguments): void {
  const period = 290 * pace;
  const step = Math.floor((frame % period) / pace) - 12;
  for (const [way, partnerOf] of PARTNERS.entries())
    for (let i = 0; i < 256; i++) {
      const at = 256 * way + i;
      if (frame % period === 0) values[at] = shuffled(i, Math.floor(frame / period));
      if (step < 0 || frame % pace !== 0 || (way > 1 && step > 35)) continue;
      const other = partnerOf(i, step);
      if (other === i || other > 255) continue;
      const falls = way === 3 && (i & (2 * phase(step)[0])) !== 0;
      const a = values[at] ?? 0;
      const b = values[256 * way + other] ?? 0;
      if (falls ? a >= b : a <= b) continue;
      values[at] = b;
      values[256 * way + other] = a;
    }
}

/** Kernel `draw`. */
export function draw({ values, picture }: Arguments): void {
  const ground = [0.07, 0.08, 0.1];
  for (let y = 0; y < 440; y++)
    for (let x = 0; x < 768; x++) {
      const value = values[256 * Math.floor(y / 110) + Math.floor(x / 3)] ?? 0;
      const isBar = 110 - (y % 110) <= 4 + Math.floor((value * 96) / 255);
      const at = 4 * (y * 768 + x);
      for (let k = 0; k < 3; k++)
        picture[at + k] =
          255 * (isBar ? 0.55 + 0.45 * Math.cos(0.0205 * value + ([0, 4.2, 2.1][k] ?? 0)) : (ground[k] ?? 0));
      picture[at + 3] = 255;
    }
}
