// SPDX-License-Identifier: Apache-2.0
// Histograms: each part counts by itself, then the counts of all parts are added.
//
// An element that has the bin of the one before it waits until that one is counted. Where bins are few, each part has
// four tables in turns, so that runs of equal elements wait less. Cost: a read of the array.
import { DeviceArray, type TypedArray } from "muxkit";

import { AlgorithmError, isReal, scalarOf } from "./element.ts";
import { isProcessor, partsOf, programOf } from "./programs.ts";

/** Elements of a part at least. */
const LEAST = 16_384;
/** Bins at most: each part has all of them. */
const MOST_BINS = 65_536;

/** The bins of a histogram. @public */
export interface HistogramOptions {
  /** How many. */
  readonly bins: number;
  /** The least number that is counted. Default: 0. */
  readonly from?: number;
  /** The first number that is not counted any more. Default: the number of bins, so that bin k counts the number k. */
  readonly to?: number;
}

/** Bins of a part that has several tables at most. */
const FEW_BINS = 1024;
/** Tables of such a part. */
const TABLES = 4;

/** What counts are made of. */
interface Bins {
  readonly scalar: string;
  /** True: a whole number has a bin of its own. */
  readonly isWhole: boolean;
  /** True: bytes with all of their 256 bins, so nothing is checked. */
  readonly isByte: boolean;
  /** Entries of a table; null: counts are in the result's memory. */
  readonly entries: number | null;
}

/** The type in which bins of a scalar are computed: floats are too short for whole numbers. */
function numberOf(scalar: string): string {
  return scalar === "float" ? "float" : "double";
}

/** Counts an element in the table of this number. */
function countSource({ scalar, isWhole, isByte, entries }: Bins, element: string, table: number): string {
  const own = (bin: string): string => (entries === null ? `own[${bin}]` : `own[${bin} + ${table * entries}]`);
  if (isByte) return `${own(element)}++;`;
  if (isWhole)
    return `{ long bin = (long)${element} - (long)from; if (bin >= 0 && bin < bins) ${own("(uint)bin")}++; }`;
  const number = numberOf(scalar);
  // The division is last: of whole numbers all before it is exact, so none is in a bin beside its own.
  return `{ ${number} bin = floor(((${number})${element} - from) * bins / span);
      if (bin >= 0 && bin < bins) ${own("(uint)bin")}++; }`;
}

function histogramSource(bins: Bins): string {
  const { scalar, isByte, entries } = bins;
  const tables = Array.from({ length: TABLES }, (_, table) => table);
  // Eight bytes are read at once.
  const bytes = Array.from({ length: 8 }, (_, k) => countSource(bins, `(uchar)(all >> ${8 * k})`, k % TABLES));
  const steps = isByte
    ? `for (; i + 8 <= end; i += 8) {
    ulong all = as_ulong(vload8(0, x + i));
    ${bytes.join("\n    ")}
  }`
    : `for (; i + ${TABLES} <= end; i += ${TABLES}) {
    ${tables.map((table) => countSource(bins, `x[i + ${table}]`, table)).join("\n    ")}
  }`;
  const sum = tables.map((table) => `own[bin + ${table * (entries ?? 0)}]`).join(" + ");
  return `kernel void count_bins(global uint* restrict counts, global const ${scalar}* restrict x, uint n, uint size,
    uint bins, ${numberOf(scalar)} from, ${numberOf(scalar)} span) {
  uint part = get_global_id(0), begin = part * size, end = min(begin + size, n), i = begin;
  ${
    entries === null
      ? `global uint* own = counts + part * bins;
  for (uint bin = 0; bin < bins; bin++) own[bin] = 0;`
      : `uint own[${TABLES * entries}];
  for (uint bin = 0; bin < ${TABLES * entries}; bin++) own[bin] = 0;
  ${steps}`
  }
  for (; i < end; i++) ${countSource(bins, "x[i]", 0)}
  ${entries === null ? "" : `for (uint bin = 0; bin < bins; bin++) counts[part * bins + bin] = ${sum};`}
}
kernel void add_bins(global uint* out, global const uint* counts, uint bins, uint parts) {
  uint bin = get_global_id(0), sum = 0;
  for (uint part = 0; part < parts; part++) sum += counts[part * bins + bin];
  out[bin] = sum;
}`;
}

/**
 * How many elements are in each of `bins` equal parts of the numbers `from` to before `to`; others, and NaNs, are not
 * counted. Error: AlgorithmError for bins that cannot be.
 *
 * @public
 */
export function histogram<T extends TypedArray>(
  array: DeviceArray<T>,
  { bins, from = 0, to = bins }: HistogramOptions,
): DeviceArray<Uint32Array> {
  const operation = "histogram";
  if (!(Number.isInteger(bins) && bins >= 1 && bins <= MOST_BINS && from < to))
    throw new AlgorithmError(
      operation,
      `1 to ${MOST_BINS} bins of an interval are needed, not ${bins} of ${from} to ${to}`,
    );
  const scalar = scalarOf(operation, array.type);
  const { device, length } = array;
  const isWhole = !isReal(scalar) && Number.isInteger(from) && to - from === bins;
  const isByte = isWhole && scalar === "uchar" && bins === 256 && from === 0;
  const entries = isProcessor(device) && bins <= FEW_BINS ? 2 ** Math.ceil(Math.log2(bins)) : null;
  const key = `${scalar} ${isWhole} ${isByte} ${entries}`;
  const kernel = programOf(operation, device, key, () => histogramSource({ scalar, isWhole, isByte, entries }));
  const { parts, size } = partsOf(device, length, Math.max(LEAST, bins * 4));
  const out = DeviceArray.unfilled(device, Uint32Array, bins);
  using counts = DeviceArray.unfilled(device, Uint32Array, bins * parts);
  kernel("count_bins")({ global: parts, local: 1 }, counts, array, length, size, bins, from, to - from);
  kernel("add_bins")(bins, out, counts, bins, parts);
  return out;
}
