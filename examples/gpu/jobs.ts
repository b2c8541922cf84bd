// SPDX-License-Identifier: Apache-2.0
// Three jobs that a device does from beginning to end: a set, bodies that attract each other, a product of matrices.
// Each gives numbers to compare, and a picture.
import type { Device } from "muxkit";
import type { ImagePixels } from "muxkit/image-files";

/** What a job leaves. */
export interface Outcome {
  /** ms of the kernels, by the device's clock. */
  readonly duration: number;
  /** Numbers that two devices agree in. */
  readonly numbers: Float32Array;
  readonly picture: ImagePixels;
}

/** A job. */
export interface Job {
  readonly name: string;
  /** Largest difference between two devices' numbers. */
  readonly tolerance: number;
  readonly run: (device: Device) => Promise<Outcome>;
}

const WIDTH = 960;
const HEIGHT = 640;
const BODIES = 8192;
const STEPS = 4;
const ORDER = 512;

function picture(width: number, height: number, grey: (i: number) => number): ImagePixels {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < width * height; i++) {
    const value = grey(i);
    data.set([value, value * 0.9, Math.sqrt(value / 255) * 255, 255], i * 4);
  }
  return { width, height, data };
}

/** Points that stay longest are brightest. */
async function mandelbrot(device: Device): Promise<Outcome> {
  const { escape } = device.build(`
    kernel void escape(global float* steps, int width, float scale) {
      int x = get_global_id(0), y = get_global_id(1);
      float a = x * scale - 2.2f, b = y * scale - 1.0f, u = 0.0f, v = 0.0f;
      int i = 0;
      for (; i < 500 && u * u + v * v < 4.0f; i++) {
        float next = u * u - v * v + a;
        v = 2.0f * u * v + b;
        u = next;
      }
      steps[y * width + x] = i;
    }`);
  const steps = device.array(Float32Array, WIDTH * HEIGHT);
  const run = async (): Promise<number> =>
    (await escape({ global: [WIDTH, HEIGHT], local: [32, 8] }, steps, WIDTH, 2 / HEIGHT)).duration;
  await run();
  const duration = await run();
  const numbers = await steps.read();
  // A point at the edge may leave a step earlier or later, so the mean is compared.
  const mean = numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const shown = picture(WIDTH, HEIGHT, (i) => Math.log2(1 + (numbers[i] ?? 0)) * 28);
  return { duration, numbers: Float32Array.of(mean), picture: shown };
}

/** Bodies begin in a disc that turns. */
function disc(): Float32Array {
  const bodies = new Float32Array(BODIES * 8);
  for (let i = 0; i < BODIES; i++) {
    const radius = Math.sqrt((i + 1) / BODIES);
    const angle = i * 2.399963;
    const [x, y] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    bodies.set([x, y, 0.05 * Math.sin(i), 1 / BODIES], i * 4);
    bodies.set([-y * 0.7, x * 0.7, 0, 0], (BODIES + i) * 4);
  }
  return bodies;
}

/** Each body is pulled by all others; a few steps. */
async function nbody(device: Device): Promise<Outcome> {
  const { attract, move } = device.build(`
    kernel void attract(global const float4* bodies, global float4* speeds, int count, float time) {
      size_t i = get_global_id(0);
      float4 own = bodies[i];
      float3 pull = (float3)(0.0f);
      for (int j = 0; j < count; j++) {
        float4 other = bodies[j];
        float3 way = other.xyz - own.xyz;
        float near = rsqrt(dot(way, way) + 0.001f);
        pull += way * (other.w * near * near * near);
      }
      speeds[i].xyz += pull * time;
    }
    kernel void move(global float4* bodies, global const float4* speeds, float time) {
      size_t i = get_global_id(0);
      bodies[i].xyz += speeds[i].xyz * time;
    }`);
  const start = disc();
  const places = device.array(start.slice(0, BODIES * 4));
  const speeds = device.array(start.slice(BODIES * 4));
  let duration = 0;
  for (let i = 0; i <= STEPS; i++) {
    // One step after the other: the first one compiles.
    // oxlint-disable-next-line no-await-in-loop
    const pulled = await attract({ global: [BODIES], local: [64] }, places, speeds, BODIES, 0.01);
    // oxlint-disable-next-line no-await-in-loop
    const moved = await move({ global: [BODIES], local: [64] }, places, speeds, 0.01);
    if (i > 0) duration += pulled.duration + moved.duration;
  }
  const numbers = await places.read();
  const counts = new Float32Array(512 * 512);
  for (let i = 0; i < BODIES; i++) {
    const x = Math.round(((numbers[i * 4] ?? 0) + 1.2) * 213);
    const y = Math.round(((numbers[i * 4 + 1] ?? 0) + 1.2) * 213);
    const at = y * 512 + x;
    if (x >= 0 && x < 512 && at >= 0 && at < counts.length) counts[at] = (counts[at] ?? 0) + 1;
  }
  return { duration, numbers, picture: picture(512, 512, (i) => Math.min(255, (counts[i] ?? 0) * 120)) };
}

/** One sum for each element. */
async function product(device: Device): Promise<Outcome> {
  const { multiply } = device.build(`
    kernel void multiply(global const float* a, global const float* b, global float* c, int n) {
      int x = get_global_id(0), y = get_global_id(1);
      float sum = 0.0f;
      for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
      c[y * n + x] = sum;
    }`);
  const wave = (step: number): Float32Array =>
    Float32Array.from({ length: ORDER * ORDER }, (_, i) =>
      Math.cos(((i % ORDER) * Math.floor(i / ORDER) * step) / ORDER),
    );
  const [a, b] = [device.array(wave(1)), device.array(wave(3))];
  const c = device.array(Float32Array, ORDER * ORDER);
  const run = async (): Promise<number> =>
    (await multiply({ global: [ORDER, ORDER], local: [32, 8] }, a, b, c, ORDER)).duration;
  await run();
  const duration = await run();
  const numbers = await c.read();
  const shown = picture(ORDER, ORDER, (i) => Math.min(255, 40 + Math.abs(numbers[i] ?? 0) * 4));
  return { duration, numbers, picture: shown };
}

/** The jobs. */
export const JOBS: readonly Job[] = [
  { name: "mandelbrot", tolerance: 0.05, run: mandelbrot },
  { name: "nbody", tolerance: 1e-3, run: nbody },
  { name: "matrix product", tolerance: 1e-2, run: product },
];
