// SPDX-License-Identifier: Apache-2.0
// `npm run bench:algorithms`: each algorithm beside the best that is known in JavaScript: a plain loop over typed
// arrays, their own sort, ml-matrix, fft.js. Both run in turns; medians. Arrays of ours are on the device already.
import FFT from "fft.js";
import { Matrix } from "ml-matrix";
import { type Device, type DeviceArray, openDevice } from "muxkit";

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

import { floats, ints } from "./arrays.ts";

/** Rounds, after one that is not counted. */
const ROUNDS = 7;

interface Row {
  readonly name: string;
  readonly size: string;
  readonly ours: () => Promise<unknown>;
  readonly theirs: () => unknown;
  /** What the other side is. */
  readonly rival: string;
}

/** The middle of measured times. */
function median(values: readonly number[]): number {
  return values.toSorted((p, q) => p - q)[values.length >> 1] as number;
}

/** Elements of the arrays. */
const N = 1 << 22;
const SIDE = 512;
const FFT_LENGTH = 4096;

function rows(device: Device): readonly Row[] {
  const x = floats(N, 1, -1, 1);
  const whole = ints(N, 2, 0, 1_000_000);
  const few = ints(N, 3, 0, 9);
  const few8 = Uint8Array.from(few, (value) => value * 28);
  const [dx, dwhole, dfew, dfew8] = [device.array(x), device.array(whole), device.array(few), device.array(few8)];
  const out = device.array(Float32Array, N);
  const plainOut = new Float32Array(N);
  const wholeOut = new Int32Array(N);
  const work = device.array(Int32Array, N);
  const order = device.array(Uint32Array, N);
  const matrices = [floats(SIDE * SIDE, 4, -1, 1), floats(SIDE * SIDE, 5, -1, 1)] as const;
  const [a, b] = matrices.map((values) => device.array(values, [SIDE, SIDE])) as [
    DeviceArray<Float32Array>,
    DeviceArray<Float32Array>,
  ];
  const image = device.array(floats(N, 6, 0, 1), [2048, 2048]);
  const pixels = floats(N, 6, 0, 1);
  const [ma, mb] = matrices.map((values) => Matrix.from1DArray(SIDE, SIDE, [...values])) as [Matrix, Matrix];
  const signal = floats(FFT_LENGTH * 2 * 64, 7, -1, 1);
  const dsignal = device.array(signal, [64, FFT_LENGTH * 2]);
  const plan = new FFT(FFT_LENGTH);
  const transformed: number[] = plan.createComplexArray();
  const finish = async (): Promise<void> => {
    await device.finish();
  };
  const weights = [
    [1, 2, 1],
    [2, 4, 2],
    [1, 2, 1],
  ];
  return [
    {
      name: "map",
      size: "4 Mi floats, sqrt(a * a + 1)",
      rival: "loop",
      ours: async () => {
        map(dx, (v: number) => Math.sqrt(v * v + 1), { out });
        await finish();
      },
      theirs: () => {
        for (let i = 0; i < N; i++) plainOut[i] = Math.sqrt((x[i] as number) * (x[i] as number) + 1);
      },
    },
    {
      name: "reduce",
      size: "4 Mi floats, +",
      rival: "loop",
      ours: async () => await reduce(dx, "+"),
      theirs: () => {
        let sum = 0;
        for (let i = 0; i < N; i++) sum += x[i] as number;
        return sum;
      },
    },
    {
      name: "scan",
      size: "4 Mi ints, +",
      rival: "loop",
      ours: async () => {
        scan(dwhole, "+", { out: work });
        await finish();
      },
      theirs: () => {
        let sum = 0;
        for (let i = 0; i < N; i++) {
          sum = (sum + (whole[i] as number)) | 0;
          wholeOut[i] = sum;
        }
      },
    },
    {
      name: "sort",
      size: "4 Mi ints",
      rival: "Int32Array.sort",
      ours: async () => {
        dwhole.copyTo(work);
        sort(work);
        await finish();
      },
      theirs: () => {
        wholeOut.set(whole);
        wholeOut.sort();
      },
    },
    {
      name: "sortByKey",
      size: "4 Mi ints with uints",
      rival: "sort of indices",
      ours: async () => {
        dwhole.copyTo(work);
        sortByKey(work, order);
        await finish();
      },
      theirs: () =>
        Uint32Array.from({ length: N / 16 }, (_, i) => i).toSorted(
          (p, q) => (whole[p] as number) - (whole[q] as number),
        ),
    },
    {
      name: "sortBy",
      size: "4 Mi ints, a % 1000",
      rival: "sort with a comparator, a sixteenth",
      ours: async () => {
        dwhole.copyTo(work);
        sortBy(work, "a % 1000 < b % 1000");
        await finish();
      },
      theirs: () => whole.slice(0, N / 16).toSorted((p, q) => (p % 1000) - (q % 1000)),
    },
    {
      name: "histogram",
      size: "4 Mi bytes, 256 bins",
      rival: "loop",
      ours: async () => {
        using counts = histogram(dfew8, { bins: 256 });
        await finish();
        return counts;
      },
      theirs: () => {
        const counts = new Uint32Array(256);
        for (let i = 0; i < N; i++) counts[few8[i] as number] = (counts[few8[i] as number] as number) + 1;
        return counts;
      },
    },
    {
      name: "compact",
      size: "4 Mi ints, a tenth",
      rival: "loop",
      ours: async () => {
        using kept = await compact(dfew, (v: number) => v === 3);
        await finish();
        return kept;
      },
      theirs: () => {
        let k = 0;
        for (let i = 0; i < N; i++) if (few[i] === 3) wholeOut[k++] = few[i] as number;
        return k;
      },
    },
    {
      name: "unique",
      size: "4 Mi ints",
      rival: "loop",
      ours: async () => {
        using kept = await unique(dfew);
        await finish();
        return kept;
      },
      theirs: () => {
        let k = 0;
        for (let i = 0; i < N; i++) if (i === 0 || few[i] !== few[i - 1]) wholeOut[k++] = few[i] as number;
        return k;
      },
    },
    {
      name: "transpose",
      size: "2048 × 2048 floats",
      rival: "loop in tiles",
      ours: async () => {
        using turned = transpose(image);
        await finish();
        return turned;
      },
      theirs: () => {
        for (let top = 0; top < 2048; top += 32)
          for (let left = 0; left < 2048; left += 32)
            for (let y = top; y < top + 32; y++)
              for (let c = left; c < left + 32; c++) plainOut[c * 2048 + y] = pixels[y * 2048 + c] as number;
      },
    },
    {
      name: "multiply",
      size: "512 × 512 floats",
      rival: "ml-matrix",
      ours: async () => {
        using product = multiply(a, b);
        await finish();
        return product;
      },
      theirs: () => ma.mmul(mb),
    },
    {
      name: "convolve",
      size: "2048 × 2048, 3 × 3",
      rival: "loop",
      ours: async () => {
        using filtered = convolve(image, weights);
        await finish();
        return filtered;
      },
      theirs: () => {
        for (let y = 1; y < 2047; y++)
          for (let c = 1; c < 2047; c++) {
            const at = y * 2048 + c;
            plainOut[at] =
              (pixels[at - 2049] as number) +
              2 * (pixels[at - 2048] as number) +
              (pixels[at - 2047] as number) +
              2 * (pixels[at - 1] as number) +
              4 * (pixels[at] as number) +
              2 * (pixels[at + 1] as number) +
              (pixels[at + 2047] as number) +
              2 * (pixels[at + 2048] as number) +
              (pixels[at + 2049] as number);
          }
      },
    },
    {
      name: "fft",
      size: "64 × 4096 complex floats",
      rival: "fft.js",
      ours: async () => {
        using result = fft(dsignal);
        await finish();
        return result;
      },
      theirs: () => {
        for (let row = 0; row < 64; row++)
          plan.transform(transformed, signal.subarray(row * FFT_LENGTH * 2, (row + 1) * FFT_LENGTH * 2));
      },
    },
    {
      name: "random",
      size: "4 Mi floats",
      rival: "Math.random",
      ours: async () => {
        random(out, { seed: 3 });
        await finish();
      },
      theirs: () => {
        for (let i = 0; i < N; i++) plainOut[i] = Math.random();
      },
    },
  ];
}

/** What the other side was given less of. */
const SHARE: Readonly<Record<string, number>> = { sortByKey: 16, sortBy: 16 };

const device = await openDevice();
console.log(`${String(device)}; ms, medians of ${ROUNDS} rounds in turns\n`);
console.log("| algorithm | size | Muxkit | JavaScript | what | JavaScript ÷ Muxkit |\n|---|---|--:|--:|---|--:|");
const ratios: number[] = [];
for (const { name, size, ours, theirs, rival } of rows(device)) {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    let begin = performance.now();
    // oxlint-disable-next-line no-await-in-loop -- both sides in turns
    await ours();
    const own = performance.now() - begin;
    begin = performance.now();
    theirs();
    const other = (performance.now() - begin) * (SHARE[name] ?? 1);
    if (round === 0) continue;
    times[0].push(own);
    times[1].push(other);
  }
  const [own, other] = times.map(median) as [number, number];
  ratios.push(other / own);
  console.log(
    `| ${name} | ${size} | ${own.toFixed(2)} | ${other.toFixed(2)} | ${rival} | ${(other / own).toFixed(1)} |`,
  );
}
const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
console.log(`\ngeometric mean ${mean.toFixed(2)}, least ${Math.min(...ratios).toFixed(2)}`);
device.close();
