// SPDX-License-Identifier: Apache-2.0
// The algorithms that are measured: ours, and the best that we know in JavaScript. Where it is not plain which is best,
// there are several, and the fastest of the run counts. Arrays of ours are on the device already, as those of the
// others are in memory; both sides write into arrays that are there, or both make them.
import FFT from "fft.js";
import { Matrix } from "ml-matrix";
import type { Device, DeviceArray } from "muxkit";

import {
  compact,
  convolve,
  fft,
  histogram,
  map,
  multiply,
  random,
  reduce,
  scan,
  sort,
  sortBy,
  sortByKey,
  transpose,
  unique,
} from "@muxkit/algorithms";

import { seeded } from "@muxkit/vitest/kernels";

import * as loops from "./loops.ts";

const floats = (length: number, seed: number, least: number, greatest: number): Float32Array =>
  seeded(seed).floats(length, least, greatest);
const ints = (length: number, seed: number, least: number, greatest: number): Int32Array =>
  seeded(seed).ints(length, least, greatest);

/** How large arrays are. */
export interface Size {
  readonly name: "small" | "medium" | "large";
  /** Elements. */
  readonly length: number;
  /** Rows and columns of pictures. */
  readonly side: number;
  /** Rows and columns of matrices that are multiplied. */
  readonly matrix: number;
  /** Rows of transforms, and complex numbers of each. */
  readonly transforms: readonly [rows: number, length: number];
}

export const SIZES: readonly Size[] = [
  { name: "small", length: 1 << 12, side: 64, matrix: 64, transforms: [4, 1024] },
  { name: "medium", length: 1 << 18, side: 512, matrix: 256, transforms: [64, 4096] },
  { name: "large", length: 1 << 22, side: 2048, matrix: 512, transforms: [1, 1 << 20] },
];

/** One algorithm at one size. */
export interface Case {
  readonly name: string;
  /** What is computed. */
  readonly what: string;
  readonly ours: () => Promise<unknown>;
  /** The others, by what they are. */
  readonly rivals: Readonly<Record<string, () => unknown>>;
}

const WEIGHTS = [
  [1, 2, 1],
  [2, 4, 2],
  [1, 2, 1],
];

/** Frees the result of a call once it is there. */
async function dropped(device: Device, made: { destroy: () => void } | null): Promise<void> {
  await device.finish();
  made?.destroy();
}

function streams(device: Device, { length: n }: Size): readonly Case[] {
  const x = floats(n, 1, -1, 1);
  const whole = ints(n, 2, 0, 1_000_000);
  const few = ints(n, 3, 0, 9);
  const bytes = Uint8Array.from(few, (value) => value * 28);
  const [dx, dwhole, dfew, dbytes] = [x, whole, few, bytes].map((values) => device.array(values)) as [
    DeviceArray<Float32Array>,
    DeviceArray<Int32Array>,
    DeviceArray<Int32Array>,
    DeviceArray<Uint8Array>,
  ];
  const [out, work] = [device.array(Float32Array, n), device.array(Int32Array, n)];
  const [plain, plainWhole] = [new Float32Array(n), new Int32Array(n)];
  const [counts, tables] = [new Uint32Array(256), new Uint32Array(1024)];
  return [
    {
      name: "map",
      what: `${n} floats, sqrt(a * a + 1)`,
      ours: async () => {
        map(dx, (v: number) => Math.sqrt(v * v + 1), { out });
        await device.finish();
      },
      rivals: {
        loop: () => {
          for (let i = 0; i < n; i++) plain[i] = Math.sqrt((x[i] as number) * (x[i] as number) + 1);
        },
      },
    },
    {
      name: "reduce",
      what: `${n} floats, +`,
      ours: async () => await reduce(dx, "+"),
      rivals: { loop: () => loops.sumInOrder(x), "loop, four sums": () => loops.sumApart(x) },
    },
    {
      name: "scan",
      what: `${n} ints, +`,
      ours: async () => {
        scan(dwhole, "+", { out: work });
        await device.finish();
      },
      rivals: {
        loop: () => {
          loops.runningSums(plainWhole, whole);
        },
      },
    },
    {
      name: "histogram",
      what: `${n} bytes, 256 bins`,
      ours: async () => {
        await dropped(device, histogram(dbytes, { bins: 256 }));
      },
      rivals: {
        loop: () => {
          loops.countBytes(counts, bytes);
        },
        "loop, four tables": () => {
          loops.countBytesApart(counts, tables, bytes);
        },
      },
    },
    {
      name: "compact",
      what: `${n} ints, a tenth`,
      ours: async () => {
        await dropped(device, await compact(dfew, (v: number) => v === 3));
      },
      rivals: {
        loop: () => loops.threesByBranch(plainWhole, few),
        "loop, no branch": () => loops.threesByStores(plainWhole, few),
      },
    },
    {
      name: "unique",
      what: `${n} ints, nine tenths`,
      ours: async () => {
        await dropped(device, await unique(dfew));
      },
      rivals: {
        loop: () => loops.firstsByBranch(plainWhole, few),
        "loop, no branch": () => loops.firstsByStores(plainWhole, few),
      },
    },
    {
      name: "random",
      what: `${n} floats`,
      ours: async () => {
        random(out, { seed: 3 });
        await device.finish();
      },
      rivals: {
        "Math.random": () => {
          for (let i = 0; i < n; i++) plain[i] = Math.random();
        },
      },
    },
  ];
}

function sorts(device: Device, { length: n }: Size): readonly Case[] {
  const whole = ints(n, 2, -(2 ** 31), 2 ** 31 - 1);
  const dwhole = device.array(whole);
  const [work, order] = [device.array(Int32Array, n), device.array(Uint32Array, n)];
  const [keys, otherKeys] = [new Int32Array(n), new Int32Array(n)];
  const [values, otherValues] = [new Uint32Array(n), new Uint32Array(n)];
  return [
    {
      name: "sort",
      what: `${n} ints`,
      ours: async () => {
        dwhole.copyTo(work);
        sort(work);
        await device.finish();
      },
      rivals: {
        "Int32Array.sort": () => {
          keys.set(whole);
          keys.sort();
        },
        "loop, radix": () => {
          keys.set(whole);
          loops.radixSort(keys, otherKeys);
        },
      },
    },
    {
      name: "sortByKey",
      what: `${n} ints with uints`,
      ours: async () => {
        dwhole.copyTo(work);
        sortByKey(work, order);
        await device.finish();
      },
      rivals: {
        "loop, radix": () => {
          keys.set(whole);
          loops.radixSort(keys, otherKeys, values, otherValues);
        },
      },
    },
    {
      name: "sortBy",
      what: `${n} ints, a % 1000`,
      ours: async () => {
        dwhole.copyTo(work);
        sortBy(work, "a % 1000 < b % 1000");
        await device.finish();
      },
      rivals: {
        "Int32Array.sort(f)": () => {
          keys.set(whole);
          keys.sort((p, q) => (p % 1000) - (q % 1000));
        },
      },
    },
  ];
}

function matrices(device: Device, { side, matrix, transforms }: Size): readonly Case[] {
  const pixels = floats(side * side, 6, 0, 1);
  const image = device.array(pixels, [side, side]);
  const [left, right] = [floats(matrix * matrix, 4, -1, 1), floats(matrix * matrix, 5, -1, 1)];
  const [a, b] = [device.array(left, [matrix, matrix]), device.array(right, [matrix, matrix])];
  const [ma, mb] = [Matrix.from1DArray(matrix, matrix, left), Matrix.from1DArray(matrix, matrix, right)];
  const [rows, length] = transforms;
  const signal = floats(length * 2 * rows, 7, -1, 1);
  const dsignal = device.array(signal, [rows, length * 2]);
  const plan = new FFT(length);
  const transformed: number[] = plan.createComplexArray();
  const out = new Float32Array(Math.max(side * side, matrix * matrix));
  return [
    {
      name: "transpose",
      what: `${side} × ${side} floats`,
      ours: async () => {
        await dropped(device, transpose(image));
      },
      rivals: {
        "loop in tiles": () => {
          loops.transposeTiles(out, pixels, side, side);
        },
      },
    },
    {
      name: "multiply",
      what: `${matrix} × ${matrix} floats`,
      ours: async () => {
        await dropped(device, multiply(a, b));
      },
      rivals: {
        "ml-matrix": () => ma.mmul(mb),
        "loop by rows": () => {
          loops.multiplyRows(out, left, right, matrix);
        },
      },
    },
    {
      name: "convolve",
      what: `${side} × ${side}, 3 × 3`,
      ours: async () => {
        await dropped(device, convolve(image, WEIGHTS));
      },
      rivals: {
        loop: () => {
          loops.blur(out, pixels, side, side);
        },
      },
    },
    {
      name: "fft",
      what: `${rows} × ${length} complex floats`,
      ours: async () => {
        await dropped(device, fft(dsignal));
      },
      rivals: {
        "fft.js": () => {
          for (let row = 0; row < rows; row++)
            plan.transform(transformed, signal.subarray(row * length * 2, (row + 1) * length * 2));
        },
      },
    },
  ];
}

/** All algorithms at a size. */
export function casesOf(device: Device, size: Size): readonly Case[] {
  return [...streams(device, size), ...sorts(device, size), ...matrices(device, size)];
}
