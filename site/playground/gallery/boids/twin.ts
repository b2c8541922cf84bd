// SPDX-License-Identifier: Apache-2.0
// The flock in plain TypeScript.
interface Arguments {
  readonly from: Float32Array;
  readonly to: Float32Array;
  readonly picture: Uint8Array;
  readonly apart: number;
  readonly along: number;
  readonly together: number;
  readonly trail: number;
  readonly pointer: readonly number[];
}

/** Kernel `place`. */
export function place({ from }: Arguments, [count = 1]: readonly number[]): void {
  for (let i = 0; i < count; i++) {
    const h = Math.imul(i + 1, 2654435761) >>> 0;
    const angle = (Math.imul(h ^ (h >>> 15), 2246822519) >>> 8) / 2670176;
    from.set([h >>> 22, ((h >>> 12) & 1023) * 0.6, Math.cos(angle), Math.sin(angle)], 4 * i);
  }
}

/** Kernel `steer`. */
export function steer(args: Arguments, [count = 1]: readonly number[]): void {
  const { from, to, apart, along, together } = args;
  const [pointerX = 0, pointerY = 0] = args.pointer;
  for (let i = 0; i < 4 * count; i += 4) {
    const [x = 0, y = 0, fromX = 0, fromY = 0] = from.subarray(i, i + 4);
    let [near, pushX, pushY, sumX, sumY, speedX, speedY] = [0, 0, 0, 0, 0, 0, 0];
    for (let j = 0; j < 4 * count; j += 4) {
      const dx = x - (from[j] ?? 0);
      const dy = y - (from[j + 1] ?? 0);
      const far = dx * dx + dy * dy;
      if (far < 2000) {
        near++;
        sumX += from[j] ?? 0;
        sumY += from[j + 1] ?? 0;
        speedX += from[j + 2] ?? 0;
        speedY += from[j + 3] ?? 0;
      }
      if (far >= 160 || j === i) continue;
      pushX += dx / (far + 1);
      pushY += dy / (far + 1);
    }
    const follow = (go: number, push: number, speed: number, sum: number, at: number): number =>
      go + 0.35 * apart * push + 0.05 * along * (speed / near - go) + 0.0012 * together * (sum / near - at);
    let goX = follow(fromX, pushX, speedX, sumX, x);
    let goY = follow(fromY, pushY, speedY, sumY, y);
    const [scareX, scareY] = [x - pointerX * 1024, y - pointerY * 614];
    const scare = scareX * scareX + scareY * scareY;
    if (scare < 6000) {
      goX += (20 * scareX) / (scare + 20);
      goY += (20 * scareY) / (scare + 20);
    }
    goX += x < 60 ? 0.12 : x > 964 ? -0.12 : 0;
    goY += y < 60 ? 0.12 : y > 554 ? -0.12 : 0;
    const speed = Math.hypot(goX, goY);
    const factor = Math.min(3.6, Math.max(1.6, speed)) / Math.max(speed, 0.01);
    goX *= factor;
    goY *= factor;
    to.set([Math.min(1023, Math.max(0, x + goX)), Math.min(613, Math.max(0, y + goY)), goX, goY], i);
  }
}

/** Kernel `fade`. */
export function fade({ picture, trail }: Arguments, [width = 1, height = 1]: readonly number[]): void {
  const ground = [14, 18, 32];
  const rise = [0.04, 0.03, 0.06];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = 4 * (y * width + x);
      for (let k = 0; k < 3; k++)
        picture[at + k] = ((ground[k] ?? 0) + y * (rise[k] ?? 0)) * (1 - trail) + (picture[at + k] ?? 0) * trail;
      picture[at + 3] = 255;
    }
}

/** Kernel `draw`. */
export function draw({ from, picture }: Arguments, [count = 1]: readonly number[]): void {
  for (let i = 0; i < 4 * count; i += 4) {
    const [x = 0, y = 0, speedX = 0, speedY = 0] = from.subarray(i, i + 4);
    const speed = Math.hypot(speedX, speedY);
    const [goX, goY] = [speedX / speed, speedY / speed];
    const angle = Math.atan2(goY, goX);
    for (let along = -4; along <= 4; along++)
      for (let across = -2; across <= 2; across++) {
        const column = Math.trunc(x * 0.625 + along * goX - 0.7 * across * goY);
        const row = Math.trunc(y * 0.625 + along * goY + 0.7 * across * goX);
        if (Math.abs(across) * 4 > 6 - along || column < 0 || column > 639 || row < 0 || row > 383) continue;
        for (let k = 0; k < 3; k++)
          picture[4 * (row * 640 + column) + k] = 255 * (0.62 + 0.38 * Math.cos(angle + 2.1 * k));
      }
  }
}
