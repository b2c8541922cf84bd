// SPDX-License-Identifier: Apache-2.0
// The suite's jobs by OpenCL C, by the translated kernels, and in plain JavaScript.
import type { Device, DeviceProgram } from "muxkit";

import * as kernels from "./kernels.ts";
import type { SuiteJob } from "./jobs.ts";

type Numbers = Float32Array | Uint32Array;

/** A job that is ready to run on a device. */
export interface PreparedJob {
  /** Runs it to its end. */
  readonly run: () => void;
  /** What its buffers hold. */
  readonly results: () => readonly Numbers[];
  readonly release: () => void;
}

const isArray = (value: unknown): value is Numbers => value instanceof Float32Array || value instanceof Uint32Array;

/** A job with buffers of its own. */
export function prepare(device: Device, program: DeviceProgram, job: SuiteJob): PreparedJob {
  const buffers = job.arguments.map((value) => (isArray(value) ? device.array(value) : null));
  const values = job.arguments.map((value, i) => buffers[i] ?? value) as never[];
  const kernel = program.kernel(job.name);
  return {
    run: () => {
      kernel({ global: job.global, local: job.local }, ...values);
      device.finishSync();
    },
    results: () => buffers.flatMap((buffer) => (buffer === null ? [] : [buffer.readSync()])),
    release: () => {
      for (const buffer of buffers) buffer?.destroy();
    },
  };
}

/** An item of a loop: what a kernel asks of it is a field. */
class PlainItem {
  readonly id: [number, number, number] = [0, 0, 0];

  getId(dimension: number = 0): number {
    return this.id[dimension as 0];
  }
}

/** Vectors of four floats over an array, as objects with components. */
function vectors(data: Float32Array): object {
  return Array.from({ length: data.length / 4 }, (_, i) => ({
    x: data[i * 4],
    y: data[i * 4 + 1],
    z: data[i * 4 + 2],
    w: data[i * 4 + 3],
  }));
}

/** Runs a job's function as it is written, item by item in a loop. */
export function plainRun(job: SuiteJob): () => void {
  const { function: body } = (
    kernels as unknown as Readonly<Record<string, { readonly function: (...values: unknown[]) => void }>>
  )[job.name] ?? { function: null };
  if (body === null) throw new Error(`there is no kernel ${job.name}`);
  const values = job.arguments.map((value) =>
    job.name === "nbody" && isArray(value) ? vectors(value as Float32Array) : isArray(value) ? value.slice() : value,
  );
  const item = new PlainItem();
  const [x = 1, y = 1, z = 1] = job.global;
  const dimensions = job.global.length;
  return () => {
    for (let c = 0; c < z; c++)
      for (let b = 0; b < y; b++)
        for (let a = 0; a < x; a++) {
          // The last dimension counts neighbours.
          item.id[(dimensions - 1) as 0] = a;
          if (dimensions > 1) item.id[(dimensions - 2) as 0] = b;
          if (dimensions > 2) item.id[0] = c;
          body(item, ...values);
        }
  };
}
