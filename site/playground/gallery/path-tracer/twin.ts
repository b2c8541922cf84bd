// SPDX-License-Identifier: Apache-2.0
// The path tracer in plain TypeScript.
interface Arguments {
  readonly sum: Float32Array;
  readonly picture: Uint8Array;
  readonly turn: number;
  readonly sun: number;
  readonly rough: number;
  readonly bounces: number;
}

type Vector = readonly [number, number, number];

const add = (a: Vector, b: Vector, t: number): Vector => [a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]];
const times = (a: Vector, b: Vector): Vector => [a[0] * b[0], a[1] * b[1], a[2] * b[2]];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a: Vector): Vector => add([0, 0, 0], a, 1 / Math.sqrt(dot(a, a)));

interface Sphere {
  readonly middle: Vector;
  readonly radius: number;
  readonly color: Vector;
}

const SPHERES = Array.from({ length: 7 }, (_, i): Sphere => {
  const angle = (Math.PI / 3) * i;
  const shade = (k: number): number => 0.55 + 0.4 * Math.cos(i + k);
  if (i === 0) return { middle: [0, 1, 0], radius: 1, color: [0.9, 0.9, 0.9] };
  return {
    middle: [2 * Math.cos(angle), 0.5, 2 * Math.sin(angle)],
    radius: 0.5,
    color: [shade(0), shade(2), shade(4)],
  };
});

function sky(to: Vector, sun: number): Vector {
  const glow = sun * Math.max(0, dot(to, [0.48, 0.6, 0.64])) ** 40;
  const t = Math.max(0, to[1]);
  return [0.9 - 0.7 * t + glow, 0.75 - 0.35 * t + 0.8 * glow, 0.65 + 0.25 * t + 0.5 * glow];
}

/** The kernel as a function. */
export function trace(args: Arguments, [width = 1, height = 1]: readonly number[]): void {
  const { sum, picture, turn, sun, rough, bounces } = args;
  let state = 0;
  const draw = (): number => {
    state = (Math.imul(state, 747796405) + 2891336453) >>> 0;
    const word = Math.imul((state >>> ((state >>> 28) + 4)) ^ state, 277803737) >>> 0;
    return (((word >>> 22) ^ word) >>> 8) / 16777216;
  };
  const onSphere = (): Vector => {
    const z = 2 * draw() - 1;
    const angle = 2 * Math.PI * draw();
    const r = Math.sqrt(Math.max(0, 1 - z * z));
    return [r * Math.cos(angle), r * Math.sin(angle), z];
  };
  const ahead: Vector = [Math.sin(turn), 0, Math.cos(turn)];
  const right: Vector = [Math.cos(turn), 0, -Math.sin(turn)];
  const light = (x: number, y: number): Vector => {
    const across = (2 * (x + draw()) - width) / height;
    const up = (height - 2 * (y + draw())) / height;
    let from = add([0, 2, 0], ahead, -6);
    let to = unit(add(add([0, up - 0.4, 0], ahead, 1.9), right, across));
    let weight: Vector = [1, 1, 1];
    for (let bounce = 0; bounce < bounces; bounce++) {
      let nearest = to[1] < -1e-4 ? -from[1] / to[1] : 1e9;
      let hit: Sphere | undefined;
      for (const sphere of SPHERES) {
        const away = add(from, sphere.middle, -1);
        const b = dot(away, to);
        const root = b * b - dot(away, away) + sphere.radius * sphere.radius;
        const t = -b - Math.sqrt(Math.max(root, 0));
        if (root <= 0 || t <= 1e-3 || t >= nearest) continue;
        nearest = t;
        hit = sphere;
      }
      if (nearest > 1e3) return times(weight, sky(to, sun));
      from = add(from, to, nearest);
      const normal: Vector = hit === undefined ? [0, 1, 0] : unit(add(from, hit.middle, -1));
      const any = onSphere();
      const tile = ((Math.floor(from[0]) + Math.floor(from[2])) & 1) === 1 ? 0.25 : 0.8;
      weight = times(weight, hit?.color ?? [tile, tile, tile]);
      to =
        hit === SPHERES[0]
          ? unit(add(add(to, normal, -2 * dot(to, normal)), any, rough))
          : unit(add(normal, any, 0.999));
      from = add(from, normal, 2e-3);
    }
    return [0, 0, 0];
  };
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = 4 * (y * width + x);
      const count = sum[at + 3] ?? 0;
      state = (Math.imul(y * width + x, 9781) + Math.imul(count, 26699) + 1) >>> 0;
      const found = light(x, y);
      sum[at + 3] = count + 1;
      for (const [k, value] of found.entries()) {
        const now = (sum[at + k] ?? 0) + value;
        sum[at + k] = now;
        picture[at + k] = 255 * Math.sqrt(Math.min(1, now / (count + 1)));
      }
      picture[at + 3] = 255;
    }
}
