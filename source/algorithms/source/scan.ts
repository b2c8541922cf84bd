// SPDX-License-Identifier: Apache-2.0
// Scans (prefix sums) by an associative operator, plain and by segments.
//
// Three phases (Blelloch 1990): each part is reduced, the results are scanned by one work-item, and each part is
// scanned from the value before it; on processors by vectors, where the operator has a form for them. A segmented scan
// is the scan of pairs (a segment begins here, value) under (f, v) + (g, w) = (f or g, g ? w : v + w), which is
// associative too. Cost: two reads and one write of the array.
import { DeviceArray, type TypedArray } from "muxkit";

import { AlgorithmError, checkLengths, scalarOf, unsignedOf } from "./element.ts";
import { type Operator, type OperatorSource, type VectorForm, operatorSource } from "./operator.ts";
import { isProcessor, partsOf, programOf } from "./programs.ts";
import { reducePart } from "./reduce.ts";

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

/** What a kind of scan needs to become a program. */
interface ScanKind {
  readonly scalar: string;
  readonly operator: OperatorSource;
  readonly isExclusive: boolean;
  /** What the first element of an exclusive scan is; null: it has none. */
  readonly neutral: string | null;
  readonly isSegmented: boolean;
}

/** A part that is scanned element by element. */
function itemsSource({ scalar, isExclusive, neutral, isSegmented }: ScanKind): string {
  return `for (uint i = begin; i < end; i++) {
    ${scalar} own = x[i];
    bool starts = !has${isSegmented ? " || heads[i]" : ""};
    ${isExclusive ? `out[i] = starts ? (${scalar})(${neutral ?? "0"}) : sum;` : ""}
    sum = starts ? own : combine(sum, own);
    ${isExclusive ? "" : "out[i] = sum;"}
    has = true;
  }`;
}

/**
 * A part that is scanned by vectors: each is scanned in log2(width) steps (Hillis and Steele 1986), and combined with
 * what is before it. Only the last lanes depend on one another.
 */
function vectorsSource(
  { scalar, isExclusive, neutral: first }: ScanKind,
  { width, type }: VectorForm,
  neutral: string,
): string {
  const lanes = Array.from({ length: width }, (_, lane) => lane);
  // Lane k of the values moved up by `by`; below that come neutral elements.
  const moved = (name: string, by: number): string =>
    `shuffle2(${name}, none, (${unsignedOf(scalar)}${width})(${lanes.map((lane) => (lane < by ? width : lane - by)).join(", ")}))`;
  const steps = lanes.filter((lane) => lane > 0 && (lane & (lane - 1)) === 0);
  const last = `own.s${(width - 1).toString(16)}`;
  return `const ${type} none = ${neutral};
  if (!has) sum = ${neutral};
  uint i = begin;
  for (; i + ${width} <= end; i += ${width}) {
    ${type} own = vload${width}(0, x + i);
    ${steps.map((by) => `own = combine_all(${moved("own", by)}, own);`).join(" ")}
    vstore${width}(combine_all((${type})(sum), ${isExclusive ? moved("own", 1) : "own"}), 0, out + i);
    sum = combine(sum, ${last});
  }
  for (; i < end; i++) {
    ${scalar} own = x[i];
    ${isExclusive ? "out[i] = sum;" : ""}
    sum = combine(sum, own);
    ${isExclusive ? "" : "out[i] = sum;"}
  }
  ${isExclusive && first !== neutral ? `if (part == 0) out[begin] = ${first ?? neutral};` : ""}`;
}

function scanSource(kind: ScanKind, onProcessor: boolean): string {
  const { scalar, operator, isSegmented } = kind;
  const flags = isSegmented ? "global const uchar* heads, " : "";
  const starts = isSegmented ? "global uchar* begins, " : "";
  const { neutral, vector } = operator;
  const hasVectors = onProcessor && !isSegmented && vector !== null && neutral !== null;
  const reduced = isSegmented
    ? `uchar any = heads[begin];
  ${scalar} sum = x[begin];
  for (uint i = begin + 1; i < end; i++) {
    if (heads[i]) { any = 1; sum = x[i]; } else sum = combine(sum, x[i]);
  }
  begins[part] = any;`
    : reducePart(scalar, operator);
  return `${operator.source}
// What a part has: the value of its last segment, and whether a segment begins in it.
kernel void reduce_parts(global ${scalar}* values, ${starts}global const ${scalar}* x,
    ${flags}uint n, uint size) {
  uint part = get_global_id(0), begin = part * size, end = min(begin + size, n);
  ${reduced}
  values[part] = sum;
}
// The value before each part.
kernel void scan_values(global ${scalar}* values, ${starts}uint parts) {
  ${scalar} sum = values[0];
  for (uint part = 1; part < parts; part++) {
    ${scalar} own = values[part];
    values[part] = sum;
    sum = ${isSegmented ? "begins[part] ? own : " : ""}combine(sum, own);
  }
}
kernel void scan_parts(global ${scalar}* out, global const ${scalar}* values, global const ${scalar}* x,
    ${flags}uint n, uint size) {
  uint part = get_global_id(0), begin = part * size, end = min(begin + size, n);
  bool has = part > 0;
  ${scalar} sum = has ? values[part] : x[0];
  ${hasVectors ? vectorsSource(kind, vector, neutral) : itemsSource(kind)}
}`;
}

/** A number as OpenCL C writes it. */
function neutralText(operation: string, scalar: string, given: number | bigint): string {
  if (typeof given === "number" && Number.isNaN(given))
    throw new AlgorithmError(operation, "NaN is not a neutral element");
  if (given === Infinity || given === -Infinity) return given > 0 ? "INFINITY" : "-INFINITY";
  return `(${scalar})(${given}${typeof given === "bigint" ? "L" : ""})`;
}

function runScan<T extends TypedArray>(
  operation: string,
  array: DeviceArray<T>,
  heads: DeviceArray<Uint8Array> | null,
  operator: Operator,
  { exclusive: isExclusive = false, neutral, out }: ScanOptions<T>,
): DeviceArray<T> {
  const scalar = scalarOf(operation, array.type);
  const combine = operatorSource(operation, operator, scalar);
  const first = neutral === undefined ? combine.neutral : neutralText(operation, scalar, neutral);
  if (isExclusive && first === null)
    throw new AlgorithmError(
      operation,
      "an exclusive scan by a function needs its neutral element: { exclusive: true, neutral: 0 }",
    );
  const { device, length } = array;
  const isSegmented = heads !== null;
  const kind: ScanKind = { scalar, operator: combine, isExclusive, neutral: first, isSegmented };
  const key = `${isExclusive ? first : "inclusive"} ${combine.source}`;
  const kernel = programOf(operation, device, key, () => scanSource(kind, isProcessor(device)));
  const target = out ?? DeviceArray.unfilled(device, array.type, array.shape);
  checkLengths(operation, [array, target]);
  const { parts, size } = partsOf(device, length, LEAST);
  using values = DeviceArray.unfilled(device, array.type, parts);
  using begins = isSegmented ? DeviceArray.unfilled(device, Uint8Array, parts) : null;
  const range = { global: parts, local: 1 };
  const flags = heads === null ? [] : [heads];
  const starts = begins === null ? [] : [begins];
  if (parts > 1) {
    kernel("reduce_parts")(range, values, ...starts, array, ...flags, length, size);
    kernel("scan_values")({ global: 1, local: 1 }, values, ...starts, parts);
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
