// SPDX-License-Identifier: Apache-2.0
// Inputs of jobs: counter-based pseudo-random numbers and simple series, as benchmarks/README.md defines them.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import { SCALAR_ARRAYS, type Scalar, type ScalarArray, floatToHalf } from "@muxkit/cargo";

import { fileReason } from "../command/file-reason.ts";
import { JobError } from "./job.ts";

/** Word `i` of a stream. */
export function randomWord(seed: number, i: number): number {
  const a = (seed + Math.imul(i + 1, 0x6d2b_79f5)) | 0;
  let t = Math.imul(a ^ (a >>> 15), a | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return (t ^ (t >>> 14)) >>> 0;
}

/** Element `i` of a series as a number. */
type Series = (i: number) => number;

interface Context {
  readonly type: Scalar;
  readonly count: number;
  readonly parameters: readonly number[];
}

const isReal = (type: Scalar): boolean => type === "half" || type === "float" || type === "double";

/** Makers of series by the first word of `init`; null: the parameters do not make sense. */
const SERIES: Readonly<Record<string, (context: Context) => Series | null>> = {
  zero: () => () => 0,
  const: ({ parameters: [value] }) => (value === undefined ? null : () => value),
  iota:
    ({ parameters: [start = 0, step = 1] }) =>
    (i) =>
      start + step * i,
  rand: ({ type, parameters: [seed, low = 0, high = 1] }) => {
    if (seed === undefined) return null;
    if (type === "double") return (i) => low + (high - low) * (randomWord(seed, i) * 2 ** -32);
    if (isReal(type)) return (i) => low + (high - low) * ((randomWord(seed, i) >>> 8) * 2 ** -24);
    const shift = 32 - 8 * SCALAR_ARRAYS[type].BYTES_PER_ELEMENT;
    return (i) => randomWord(seed, i) >>> shift;
  },
  randint: ({ parameters: [seed, low, high] }) => {
    if (seed === undefined || low === undefined || high === undefined || high <= low) return null;
    const span = (high - low) >>> 0;
    return (i) => low + (randomWord(seed, i) % span);
  },
  rowptr: ({ parameters: [seed, least, most] }) => {
    if (seed === undefined || least === undefined || most === undefined || most < least) return null;
    const span = ((most - least) >>> 0) + 1;
    let at = 0;
    return (i) => {
      const row = at;
      at += least + (randomWord(seed, i) % span);
      return row;
    };
  },
};

function fill(elements: ScalarArray, type: Scalar, series: Series): void {
  if (elements instanceof BigInt64Array || elements instanceof BigUint64Array)
    for (let i = 0; i < elements.length; i++) elements[i] = BigInt(Math.trunc(series(i)));
  else if (type === "half") for (let i = 0; i < elements.length; i++) elements[i] = floatToHalf(series(i));
  else for (let i = 0; i < elements.length; i++) elements[i] = series(i);
}

/** 64-bit random integers take two words each. */
function fillRandomLong(elements: BigInt64Array | BigUint64Array, seed: number): void {
  for (let i = 0; i < elements.length; i++)
    elements[i] = (BigInt(randomWord(seed, 2 * i)) << 32n) | BigInt(randomWord(seed, 2 * i + 1));
}

/** Makes the elements that `init` describes. Throws a {@link JobError}. */
export function makeElements(type: Scalar, count: number, init: string, folder: string): ScalarArray {
  const elements = new SCALAR_ARRAYS[type](count);
  const [kind = "", ...rest] = init.split(":");
  if (kind === "file") {
    const path = resolve(folder, rest.join(":"));
    try {
      const bytes = readFileSync(path);
      new Uint8Array(elements.buffer).set(bytes.subarray(0, elements.byteLength));
    } catch (cause) {
      throw new JobError(`the input file ${path} cannot be read: ${fileReason(cause)}`, { cause });
    }
    return elements;
  }
  const parameters = rest.map(Number);
  const seeded = ["rand", "randint", "rowptr"].includes(kind)
    ? parameters.map((value, i) => (i === 0 ? value >>> 0 : value))
    : parameters;
  if (
    kind === "rand" &&
    (elements instanceof BigInt64Array || elements instanceof BigUint64Array) &&
    seeded[0] !== undefined
  ) {
    fillRandomLong(elements, seeded[0]);
    return elements;
  }
  const make = Object.hasOwn(SERIES, kind) ? SERIES[kind] : undefined;
  const series = parameters.some(Number.isNaN) ? null : make?.({ type, count, parameters: seeded });
  if (series === undefined || series === null)
    throw new JobError(
      `the input "${init}" is not known to the generator: use ` +
        `${Object.keys(SERIES).join(", ")} or file, with their numbers`,
    );
  fill(elements, type, series);
  return elements;
}
