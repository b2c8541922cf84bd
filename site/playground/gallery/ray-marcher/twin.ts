// SPDX-License-Identifier: Apache-2.0
// The ray marcher in plain TypeScript.
interface Arguments {
  readonly picture: Uint8Array;
  readonly c: readonly number[];
  readonly orbit: readonly number[];
  readonly seconds: number;
}

type Vector = readonly [number, number, number];

const add = (a: Vector, b: Vector, t: number): Vector => [a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a: Vector): Vector => add([0, 0, 0], a, 1 / Math.sqrt(dot(a, a)));
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const between = (low: number, value: number, high: number): number => Math.min(high, Math.max(low, value));

function distanceTo(at: Vector, c: readonly number[]): number {
  const [cx = 0, cy = 0, cz = 0, cw = 0] = c;
  let [x, y, z] = at;
  let w = 0;
  let slope = 1;
  let far = x * x + y * y + z * z;
  for (let i = 0; i < 9 && far < 16; i++) {
    slope *= 4 * far;
    const next = x * x - y * y - z * z - w * w + cx;
    y = 2 * x * y + cy;
    z = 2 * x * z + cz;
    w = 2 * x * w + cw;
    x = next;
    far = x * x + y * y + z * z + w * w;
  }
  return 0.25 * Math.log(far) * Math.sqrt(far / slope);
}

/** The kernel as a function. */
export function march({ picture, c, orbit, seconds }: Arguments, [width = 1, height = 1]: readonly number[]): void {
  const [orbitX = 0, lift = 0] = orbit;
  const turn = orbitX + 0.2 * seconds;
  const ahead: Vector = [Math.sin(turn) * Math.cos(lift), -Math.sin(lift), Math.cos(turn) * Math.cos(lift)];
  const right: Vector = [Math.cos(turn), 0, -Math.sin(turn)];
  const above = cross(ahead, right);
  const sun = unit(add(add(right, above, 1.3), ahead, -0.8));
  const from = add([0, 0, 0], ahead, -3);
  const [cx = 0, cy = 0, cz = 0, cw = 0] = c;
  const now = [
    cx + 0.06 * Math.sin(0.7 * seconds),
    cy + 0.06 * Math.cos(0.5 * seconds),
    cz + 0.06 * Math.sin(0.3 * seconds),
    cw,
  ];
  const slopeAlong = (at: Vector, axis: Vector): number =>
    distanceTo(add(at, axis, 0.002), now) - distanceTo(add(at, axis, -0.002), now);
  const shade = (at: Vector, to: Vector, steps: number): Vector => {
    const normal = unit([slopeAlong(at, [1, 0, 0]), slopeAlong(at, [0, 1, 0]), slopeAlong(at, [0, 0, 1])]);
    let open = 1;
    let far = 0.03;
    for (let i = 0; i < 10; i++) {
      const free = distanceTo(add(at, sun, far), now);
      open = Math.min(open, Math.max(0, (10 * free) / far));
      far += between(0.02, free, 0.2);
    }
    const direct = Math.max(0, dot(normal, sun));
    const hollow = 1 - steps / 70;
    const edge = 0.25 * (1 + dot(normal, to)) ** 3;
    const shine = 0.6 * open * Math.max(0, dot(normal, unit(add(sun, to, -1)))) ** 60;
    const channel = (k: 0 | 1 | 2): number => {
      const own = 0.55 + 0.45 * Math.cos(3 * Math.sqrt(dot(at, at)) + 0.9 * k + 0.8 * normal[k]);
      return hollow * (own * (0.34 + 0.9 * direct * open) + edge) + shine;
    };
    return [channel(0), channel(1), channel(2)];
  };
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const across = (2 * x - width) / height;
      const to = unit(add(add(add([0, 0, 0], ahead, 2), right, across), above, (height - 2 * y) / height));
      const sky = 0.5 + 0.5 * to[1];
      let color: Vector = [0.05 + 0.11 * sky, 0.06 + 0.12 * sky, 0.09 + 0.15 * sky];
      const b = dot(from, to);
      const root = b * b - dot(from, from) + 2.56;
      let t = -b - Math.sqrt(Math.max(root, 0));
      const end = root > 0 ? -b + Math.sqrt(root) : 0;
      let steps = 0;
      for (; t < end && steps < 70; steps++) {
        const free = distanceTo(add(from, to, t), now);
        if (free < 0.0015) break;
        t += free;
      }
      if (t < end && steps < 70) color = shade(add(from, to, t), to, steps);
      const at = 4 * (y * width + x);
      for (const [k, value] of color.entries()) picture[at + k] = Math.min(255, 255 * Math.sqrt(Math.max(value, 0)));
      picture[at + 3] = 255;
    }
}
