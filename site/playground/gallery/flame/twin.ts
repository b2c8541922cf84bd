// SPDX-License-Identifier: Apache-2.0
// The fractal flame in plain TypeScript.
interface Arguments {
  readonly light: Uint32Array;
  readonly picture: Uint8Array;
  readonly frame: number;
  readonly twist: number;
  readonly bend: number;
  readonly glow: number;
}

const MAPS = [
  [0.62, -0.41, 0.1, 0.42, 0.6, -0.32],
  [-0.48, 0.3, 0.55, -0.2, -0.56, 0.4],
  [0.3, 0.52, -0.6, -0.5, 0.32, 0.1],
  [0.44, 0, 0.2, 0, 0.44, 0.6],
] as const;

/** Kernel `jump`. */
export function jump({ light, frame, twist, bend }: Arguments, [count = 1]: readonly number[]): void {
  let state = 0;
  const draw = (): number => {
    state = (Math.imul(state, 747796405) + 2891336453) >>> 0;
    const word = Math.imul((state >>> ((state >>> 28) + 4)) ^ state, 277803737) >>> 0;
    return (((word >>> 22) ^ word) >>> 8) / 16777216;
  };
  for (let item = 0; item < count; item++) {
    state = (Math.imul(item, 9781) + Math.imul(frame, 6271) + 1) >>> 0;
    let x = 2 * draw() - 1;
    let y = 2 * draw() - 1;
    let hue = draw();
    for (let i = 0; i < 72; i++) {
      const which = Math.min(3, Math.floor(4 * draw()));
      const [a, b, c, d, e, f] = MAPS[which] ?? MAPS[0];
      const px = a * x + b * y + c;
      const py = d * x + e * y + f;
      const far = px * px + py * py;
      const [cos, sin] = [Math.cos(twist * far), Math.sin(twist * far)];
      const isWave = which % 2 === 1;
      x = (isWave ? Math.sin(px) : px) * (1 - bend) + (px * sin - py * cos) * bend;
      y = (isWave ? Math.sin(py) : py) * (1 - bend) + (px * cos + py * sin) * bend;
      hue = 0.5 * (hue + which / 3);
      const column = 240 + Math.floor(185 * x);
      const row = 240 + Math.floor(185 * y);
      if (i < 12 || column < 0 || column > 479 || row < 0 || row > 479) continue;
      const cell = 4 * (row * 480 + column);
      const put = (k: number, value: number): void => {
        light[cell + k] = (light[cell + k] ?? 0) + value;
      };
      put(0, Math.floor(128 + 127 * Math.cos(2 * Math.PI * (0.9 * hue + 0.95))));
      put(1, Math.floor(128 + 127 * Math.cos(2 * Math.PI * (0.7 * hue + 0.1))));
      put(2, Math.floor(128 + 127 * Math.cos(2 * Math.PI * (0.6 * hue + 0.4))));
      put(3, 1);
    }
  }
}

/** Kernel `develop`. */
export function develop({ light, picture, frame, glow }: Arguments): void {
  for (let at = 0; at < 4 * 480 * 480; at += 4) {
    const hits = light[at + 3] ?? 0;
    const bright = (glow * Math.log(1 + (hits * 12) / (frame + 1))) / Math.max(1, hits) / 255;
    for (let k = 0; k < 3; k++) picture[at + k] = Math.min(255, 255 * (bright * (light[at + k] ?? 0)) ** 0.7 + 6);
    picture[at + 3] = 255;
  }
}
