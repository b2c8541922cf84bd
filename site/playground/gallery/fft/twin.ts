// SPDX-License-Identifier: Apache-2.0
// The fast Fourier transform in plain TypeScript.
interface Arguments {
  readonly photo: Uint8Array;
  readonly from: Float32Array;
  readonly to: Float32Array;
  readonly spectrum: Float32Array;
  readonly picture: Uint8Array;
  readonly step: number;
  readonly axis: number;
  readonly sign: number;
  readonly low: number;
  readonly high: number;
}

function smooth(low: number, high: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return t * t * (3 - 2 * t);
}

/** Kernel `load`. */
export function load({ photo, from }: Arguments): void {
  for (let i = 0; i < 65_536; i++) {
    const [red = 0, green = 0, blue = 0] = photo.subarray(4 * i, 4 * i + 3);
    from[2 * i] = (0.3 * red + 0.59 * green + 0.11 * blue) / 255;
    from[2 * i + 1] = 0;
  }
}

/** Kernel `pass`. */
export function pass({ from, to, step, axis, sign }: Arguments): void {
  const next = axis === 1 ? 512 : 2;
  for (let line = 0; line < 256; line++) {
    const base = axis === 1 ? 2 * line : 512 * line;
    for (let j = 0; j < 128; j++) {
      const k = j & (step - 1);
      const out = 2 * (j - k) + k;
      const angle = (sign * Math.PI * k) / step;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const [a, b] = [base + j * next, base + (j + 128) * next];
      const x = (from[b] ?? 0) * c - (from[b + 1] ?? 0) * s;
      const y = (from[b] ?? 0) * s + (from[b + 1] ?? 0) * c;
      to[base + out * next] = (from[a] ?? 0) + x;
      to[base + out * next + 1] = (from[a + 1] ?? 0) + y;
      to[base + (out + step) * next] = (from[a] ?? 0) - x;
      to[base + (out + step) * next + 1] = (from[a + 1] ?? 0) - y;
    }
  }
}

/** Kernel `keep`. */
export function keep({ from, spectrum, low, high }: Arguments): void {
  for (let i = 0; i < 65_536; i++) {
    const [x, y] = [i % 256, i >> 8];
    const quick = Math.hypot(Math.min(x, 256 - x), Math.min(y, 256 - y));
    const kept = smooth(low - 1.5, low + 0.5, quick) * (1 - smooth(high - 0.5, high + 1.5, quick));
    const [re = 0, im = 0] = from.subarray(2 * i, 2 * i + 2);
    spectrum[i] = Math.log(1 + Math.hypot(re, im)) * (0.25 + 0.75 * kept);
    from[2 * i] = (re * kept) / 65_536;
    from[2 * i + 1] = (im * kept) / 65_536;
  }
}

const byte = (value: number): number => Math.min(255, Math.max(0, 255 * value));

/** Kernel `draw`. */
export function draw({ from, spectrum, picture, low }: Arguments): void {
  for (let y = 0; y < 256; y++)
    for (let x = 0; x < 512; x++) {
      const at = 4 * (y * 512 + x);
      const light = (spectrum[((y + 128) % 256) * 256 + ((x + 128) % 256)] ?? 0) / 8;
      const gray = (from[2 * (y * 256 + x - 256)] ?? 0) + (low > 0.5 ? 0.35 : 0);
      picture[at] = byte(x < 256 ? light * light * 1.2 : gray);
      picture[at + 1] = byte(x < 256 ? light ** 3 : gray);
      picture[at + 2] = byte(x < 256 ? 0.15 + 0.5 * light : gray);
      picture[at + 3] = 255;
    }
}
