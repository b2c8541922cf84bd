// SPDX-License-Identifier: Apache-2.0
// Two galaxies in plain TypeScript.
interface Arguments {
  readonly from: Float32Array;
  readonly to: Float32Array;
  readonly speed: Float32Array;
  readonly glow: Uint32Array;
  readonly picture: Uint8Array;
  readonly pace: number;
  readonly trail: number;
  readonly spin: number;
  readonly orbit: readonly number[];
}

/** Kernel `place`. */
export function place({ from, speed, spin }: Arguments, [count = 1]: readonly number[]): void {
  for (let i = 0; i < count; i++) {
    const isFirst = i < count / 2;
    let state = (Math.imul(i, 9781) + 1) >>> 0;
    const draw = (): number => {
      state = (Math.imul(state, 747796405) + 2891336453) >>> 0;
      const word = Math.imul((state >>> ((state >>> 28) + 4)) ^ state, 277803737) >>> 0;
      return (((word >>> 22) ^ word) >>> 8) / 16777216;
    };
    const radius = 0.08 + 0.5 * draw();
    const angle = 2 * Math.PI * draw();
    const [x, y] = [Math.cos(angle), Math.sin(angle)];
    const around = spin * Math.sqrt(0.45 / radius);
    const thick = 0.05 * (draw() - 0.5);
    const isHeavy = i === 0 || i === count / 2;
    const at = isFirst ? [radius * x, radius * y, thick] : [radius * x, thick, radius * y];
    const go = isFirst ? [-y, x, 0] : [-y, 0, x];
    const home = isFirst ? [-0.75, 0.1, 0] : [0.75, -0.1, 0.1];
    const drift = isFirst ? [0.22, 0.16, 0] : [-0.22, -0.16, 0];
    for (let k = 0; k < 3; k++) {
      from[4 * i + k] = (home[k] ?? 0) + (isHeavy ? 0 : (at[k] ?? 0));
      speed[4 * i + k] = (drift[k] ?? 0) + (isHeavy ? 0 : around * (go[k] ?? 0));
    }
    from[4 * i + 3] = isHeavy ? 0.45 : 0.4 / count;
  }
}

/** Kernel `attract`. */
export function attract({ from, to, speed, pace }: Arguments, [count = 1]: readonly number[]): void {
  for (let i = 0; i < 4 * count; i += 4) {
    const [x = 0, y = 0, z = 0, mass = 0] = from.subarray(i, i + 4);
    let pullX = 0;
    let pullY = 0;
    let pullZ = 0;
    for (let j = 0; j < 4 * count; j += 4) {
      const dx = (from[j] ?? 0) - x;
      const dy = (from[j + 1] ?? 0) - y;
      const dz = (from[j + 2] ?? 0) - z;
      const far = dx * dx + dy * dy + dz * dz + 0.002;
      const weight = (from[j + 3] ?? 0) / (far * Math.sqrt(far));
      pullX += dx * weight;
      pullY += dy * weight;
      pullZ += dz * weight;
    }
    const nextX = (speed[i] ?? 0) + pace * pullX;
    const nextY = (speed[i + 1] ?? 0) + pace * pullY;
    const nextZ = (speed[i + 2] ?? 0) + pace * pullZ;
    speed.set([nextX, nextY, nextZ, 0], i);
    to.set([x + pace * nextX, y + pace * nextY, z + pace * nextZ, mass], i);
  }
}

/** Kernel `fade`. */
export function fade({ glow, trail }: Arguments, [count = 1]: readonly number[]): void {
  for (let i = 0; i < count; i++) glow[i] = (glow[i] ?? 0) * trail;
}

/** Kernel `shine`. */
export function shine({ from, glow, orbit: [turn = 0, tilted = 0] }: Arguments, [count = 1]: readonly number[]): void {
  const [c, s, up, tilt] = [Math.cos(turn), Math.sin(turn), Math.cos(tilted), Math.sin(tilted)];
  for (let i = 0; i < count; i++) {
    const [atX = 0, atY = 0, atZ = 0] = from.subarray(4 * i, 4 * i + 3);
    const z = c * atZ - s * atX;
    const depth = tilt * atY + up * z + 3;
    const x = 320 + Math.trunc((820 * (c * atX + s * atZ)) / depth);
    const y = 200 - Math.trunc((820 * (up * atY - tilt * z)) / depth);
    if (x < 1 || x > 638 || y < 1 || y > 398 || depth < 0.2) continue;
    const plane = i < count / 2 ? 256_000 : 0;
    for (let dy = -1; dy <= 1; dy++)
      for (let dx = -1; dx <= 1; dx++) {
        const at = plane + (y + dy) * 640 + x + dx;
        glow[at] = (glow[at] ?? 0) + (90 >> (2 * (Math.abs(dx) + Math.abs(dy))));
      }
  }
}

const byte = (value: number): number => Math.min(255, 255 * (value + 0.03));

/** Kernel `picture_of`. */
export function picture_of({ glow, picture }: Arguments): void {
  for (let i = 0; i < 256_000; i++) {
    const warm = 1 - Math.exp(-0.006 * (glow[256_000 + i] ?? 0));
    const cool = 1 - Math.exp(-0.006 * (glow[i] ?? 0));
    picture[4 * i] = byte(1.2 * warm + 0.35 * cool);
    picture[4 * i + 1] = byte(0.75 * warm + 0.7 * cool);
    picture[4 * i + 2] = byte(0.4 * warm + 1.3 * cool);
    picture[4 * i + 3] = 255;
  }
}
