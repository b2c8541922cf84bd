// SPDX-License-Identifier: Apache-2.0
/**
 * Algorithms on arrays of Muxkit's devices: map, reduce, scan, sort, histogram, compaction, matrices, convolution,
 * Fourier transforms, random numbers. Each enqueues its launches and returns at once, unless it returns a promise.
 *
 * @packageDocumentation
 */
export { AlgorithmError } from "./element.ts";
export type { Expression } from "./expression.ts";
export type { Operator } from "./operator.ts";
export { type MapOptions, map } from "./map.ts";
export { reduce } from "./reduce.ts";
export { type ScanOptions, scan, segmentedScan } from "./scan.ts";
export { type SortOptions, sort, sortByKey } from "./sort.ts";
export { sortBy } from "./merge-sort.ts";
export { type HistogramOptions, histogram } from "./histogram.ts";
export { compact, unique } from "./compact.ts";
export { multiply } from "./matrix.ts";
export { transpose } from "./transpose.ts";
export { type EdgeMode, convolve } from "./convolve.ts";
export { type FftOptions, fft } from "./fft.ts";
export { type RandomOptions, random } from "./random.ts";
