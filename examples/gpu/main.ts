// SPDX-License-Identifier: Apache-2.0
// `node --conditions=source examples/gpu/main.ts`: three jobs on the processor and on an NVIDIA GPU, a table of their
// times, and pictures in out/examples-gpu. Without a GPU it says what is missing, and the processor does its part.
import { join, relative, resolve } from "node:path";

import { type Device, openDevice } from "muxkit";
import { writeImage } from "muxkit/image-files";

import { JOBS, type Outcome } from "./jobs.ts";

const root = resolve(import.meta.dirname, "..", "..");
const out = join(root, "out", "examples-gpu");

/** The GPU; null, and a sentence: there is none. */
async function gpuOrNone(): Promise<Device | null> {
  try {
    return await openDevice({ type: "gpu" });
  } catch (error) {
    console.log(`${error instanceof Error ? error.message : String(error)}\nThe processor works alone.\n`);
    return null;
  }
}

function farthest(one: Float32Array, other: Float32Array): number {
  return one.reduce((most, value, i) => Math.max(most, Math.abs(value - (other[i] ?? Number.NaN))), 0);
}

const cpu = await openDevice({ type: "cpu" });
const gpu = await gpuOrNone();
console.log(`CPU: ${cpu.name}${gpu === null ? "" : `\nGPU: ${gpu.name}`}\n`);
console.log(`${"job".padEnd(16)}${"CPU, ms".padStart(10)}${"GPU, ms".padStart(10)}${"CPU / GPU".padStart(11)}`);
let failed = 0;
// One job after the other: they are measured.
for (const { name, tolerance, run } of JOBS) {
  // oxlint-disable-next-line no-await-in-loop
  const own = await run(cpu);
  // oxlint-disable-next-line no-await-in-loop
  const other: Outcome | null = gpu === null ? null : await run(gpu);
  const times = [own.duration.toFixed(2), other?.duration.toFixed(2) ?? "-"];
  const ratio = other === null ? "-" : (own.duration / other.duration).toFixed(1);
  console.log(`${name.padEnd(16)}${times.map((one) => one.padStart(10)).join("")}${ratio.padStart(11)}`);
  const difference = other === null ? 0 : farthest(own.numbers, other.numbers);
  if (!(difference <= tolerance)) {
    console.error(`${name}: the devices differ by ${difference}, more than ${tolerance}`);
    failed++;
  }
  const path = join(out, `${name.replace(" ", "-")}.png`);
  // oxlint-disable-next-line no-await-in-loop
  await writeImage(path, (other ?? own).picture);
  console.log(`  ${relative(root, path)}`);
}
process.exitCode = failed === 0 ? 0 : 1;
