// SPDX-License-Identifier: Apache-2.0
// Histograms: each part counts by itself, then the counts of all parts are added.
import type { DeviceArray, TypedArray } from "muxkit";

import { AlgorithmError, isReal, scalarOf } from "./element.ts";
import { kernelOf, partsOf } from "./programs.ts";

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

/** The bin of an element, in OpenCL C; whole numbers with a bin each need no fractions. */
function countSource(scalar: string, isWhole: boolean): string {
  if (isWhole)
    return `{
    long bin = (long)x[i] - (long)from;
    if (bin >= 0 && bin < bins) own[bin]++;
  }`;
  const number = scalar === "double" || scalar === "long" || scalar === "ulong" ? "double" : "float";
  return `{
    ${number} bin = floor(((${number})x[i] - (${number})from) * (${number})scale);
    if (bin >= 0 && bin < bins) own[(uint)bin]++;
  }`;
}

function histogramSource(scalar: string, isWhole: boolean): string {
  const number = scalar === "double" || scalar === "long" || scalar === "ulong" ? "double" : "float";
  // Bytes have a bin each where there are 256, so nothing is checked.
  const count = scalar === "uchar" && isWhole ? "if (bins == 256 && from == 0) own[x[i]]++; else " : "";
  return `kernel void count_bins(global uint* counts, global const ${scalar}* x, uint n, uint size,
    uint bins, ${number} from, ${number} scale) {
  uint part = get_global_id(0), begin = part * size, end = min(begin + size, n);
  global uint* own = counts + part * bins;
  for (uint i = begin; i < end; i++) ${count}${countSource(scalar, isWhole)}
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
  const source = histogramSource(scalar, !isReal(scalar) && Number.isInteger(from) && to - from === bins);
  const { parts, size } = partsOf(device, length, Math.max(LEAST, bins * 4));
  const out = device.array(Uint32Array, bins);
  using counts = device.array(Uint32Array, bins * parts);
  kernelOf(operation, device, source, "count_bins")(
    { global: parts, local: 1 },
    counts,
    array,
    length,
    size,
    bins,
    from,
    bins / (to - from),
  );
  kernelOf(operation, device, source, "add_bins")(bins, out, counts, bins, parts);
  return out;
}
