// SPDX-License-Identifier: Apache-2.0
// Scans (prefix sums) by an associative operator, plain and by segments.
//
// Three phases (Blelloch 1990): each part is reduced, the results are scanned by one work-item, and each part is
// scanned from the value before it. A segmented scan is the scan of pairs (a segment begins here, value) under (f, v) +
// (g, w) = (f or g, g ? w : v + w), which is associative too. Cost: two reads and one write of the array.
import { DeviceArray, type TypedArray } from "muxkit";

import { AlgorithmError, checkLengths, scalarOf } from "./element.ts";
import { type Operator, operatorSource } from "./operator.ts";
import { kernelOf, partsOf } from "./programs.ts";

/** Elements of a part at least. */
const LEAST = 4096;

/** How a scan counts. @public */
export interface ScanOptions<T extends TypedArray> {
  /** True: an element is not part of its own result; the first one is the neutral element, 0 of a sum. */
  readonly exclusive?: boolean;
  /** The neutral element of a function, for exclusive scans. */
  readonly neutral?: T[number];
  /** Where the results are put, the array itself too. Default: a new array. */
  readonly out?: DeviceArray<T>;
}

function scanSource(
  operation: string,
  operator: Operator,
  scalar: string,
  isExclusive: boolean,
  neutral: string | null,
  isSegmented: boolean,
): string {
  const { source } = operatorSource(operation, operator, scalar);
  const flags = isSegmented ? "global const uchar* heads, " : "";
  const starts = isSegmented ? "heads[i]" : "0";
  const first = neutral ?? "0";
  return `${source}
// What a part has: whether a segment begins in it, and the value of its last segment.
kernel void reduce_parts(global ${scalar}* values, global uchar* begins, global const ${scalar}* x,
    ${flags}uint n, uint size) {
  uint part = get_global_id(0), begin = part * size, end = min(begin + size, n);
  uint i = begin;
  uchar any = ${starts};
  ${scalar} sum = x[begin];
  for (i = begin + 1; i < end; i++) {
    ${isSegmented ? `if (${starts}) { any = 1; sum = x[i]; } else` : ""} sum = combine(sum, x[i]);
  }
  values[part] = sum;
  begins[part] = any;
}
// The value before each part.
kernel void scan_values(global ${scalar}* values, global const uchar* begins, uint parts) {
  ${scalar} sum = values[0];
  for (uint part = 1; part < parts; part++) {
    ${scalar} own = values[part];
    values[part] = sum;
    sum = begins[part] ? own : combine(sum, own);
  }
}
kernel void scan_parts(global ${scalar}* out, global const ${scalar}* values, global const ${scalar}* x,
    ${flags}uint n, uint size) {
  uint part = get_global_id(0), begin = part * size, end = min(begin + size, n);
  uchar has = part > 0;
  ${scalar} sum = has ? values[part] : x[0];
  for (uint i = begin; i < end; i++) {
    ${scalar} own = x[i];
    uchar starts = !has || ${starts};
    ${isExclusive ? `out[i] = starts ? (${scalar})(${first}) : sum;` : ""}
    sum = starts ? own : combine(sum, own);
    ${isExclusive ? "" : "out[i] = sum;"}
    has = 1;
  }
}`;
}

/** The neutral element as OpenCL C writes it. */
function neutralText(
  operation: string,
  operator: Operator,
  scalar: string,
  given: number | bigint | undefined,
): string | null {
  if (given !== undefined) {
    if (typeof given === "number" && Number.isNaN(given))
      throw new AlgorithmError(operation, "NaN is not a neutral element");
    if (given === Infinity || given === -Infinity) return given > 0 ? "INFINITY" : "-INFINITY";
    return `(${scalar})(${given}${typeof given === "bigint" ? "L" : ""})`;
  }
  return operatorSource(operation, operator, scalar).neutral;
}

function runScan<T extends TypedArray>(
  operation: string,
  array: DeviceArray<T>,
  heads: DeviceArray<Uint8Array> | null,
  operator: Operator,
  { exclusive: isExclusive = false, neutral, out }: ScanOptions<T>,
): DeviceArray<T> {
  const scalar = scalarOf(operation, array.type);
  const first = neutralText(operation, operator, scalar, neutral);
  if (isExclusive && first === null)
    throw new AlgorithmError(
      operation,
      "an exclusive scan by a function needs its neutral element: { exclusive: true, neutral: 0 }",
    );
  const source = scanSource(operation, operator, scalar, isExclusive, first, heads !== null);
  const { device, length } = array;
  const target = out ?? DeviceArray.unfilled(device, array.type, array.shape);
  checkLengths(operation, [array, target]);
  const { parts, size } = partsOf(device, length, LEAST);
  using values = DeviceArray.unfilled(device, array.type, parts);
  using begins = DeviceArray.unfilled(device, Uint8Array, parts);
  const range = { global: parts, local: 1 };
  const flags = heads === null ? [] : [heads];
  const kernel = (name: string): ReturnType<typeof kernelOf> => kernelOf(operation, device, source, name);
  if (parts > 1) {
    kernel("reduce_parts")(range, values, begins, array, ...flags, length, size);
    kernel("scan_values")({ global: 1, local: 1 }, values, begins, parts);
  }
  kernel("scan_parts")(range, target, values, array, ...flags, length, size);
  return target;
}

/**
 * Every prefix of an array combined by an associative operator: `scan(x, "+")` is the running sum, with
 * `{ exclusive: true }` of what is before each element. Errors: {@link AlgorithmError} for an exclusive scan by a
 * function whose neutral element is not given, and an expression that does not compile.
 *
 * @public
 */
export function scan<T extends TypedArray>(
  array: DeviceArray<T>,
  operator: Operator,
  options: ScanOptions<T> = {},
): DeviceArray<T> {
  return runScan("scan", array, null, operator, options);
}

/**
 * A scan that begins anew at each element whose head is not 0. Errors: those of {@link scan}, and heads of another
 * length.
 *
 * @public
 */
export function segmentedScan<T extends TypedArray>(
  array: DeviceArray<T>,
  heads: DeviceArray<Uint8Array>,
  operator: Operator,
  options: ScanOptions<T> = {},
): DeviceArray<T> {
  checkLengths("segmentedScan", [array, heads]);
  return runScan("segmentedScan", array, heads, operator, options);
}
