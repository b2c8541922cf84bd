// SPDX-License-Identifier: Apache-2.0
// Sorting of numbers by radix, from the lowest digit on.
//
// A key becomes an unsigned number of the same order: the sign bit of whole numbers is flipped, and all bits of
// negative floats. For each digit of eight or eleven bits: every part counts its digits, the counts are scanned digit
// by digit over all parts, and every part puts its elements where the counts say, in their order, so the sort is stable
// (Knuth, vol. 3, 5.2.5). NaNs come last, -0 before 0. Cost: two reads and one write of the array for each digit of a
// key.
import { type Command, type Device, DeviceArray, type TypedArray } from "muxkit";

import { checkLengths, isReal, scalarOf, unsignedOf } from "./element.ts";
import { partsOf, programOf } from "./programs.ts";

/** Bits of a digit: those of short arrays, and of long ones, whose fewer passes are worth larger tables of counts. */
const SHORT_DIGIT = 8;
const LONG_DIGIT = 11;
/** Elements of a long array. */
const LONG = 1 << 17;
/** Elements of a part at least. */
const LEAST = 8192;

function sortSource(scalar: string, value: string | null, isDescending: boolean, digits: number): string {
  const bits = unsignedOf(scalar);
  const sign = `((${bits})1 << (sizeof(${bits}) * 8 - 1))`;
  const isSigned = scalar === "char" || scalar === "short" || scalar === "int" || scalar === "long";
  // A NaN with a sign would come first; all of them are last, as comparisons of typed arrays have it.
  const order = isReal(scalar)
    ? `isnan(key) ? (${bits})-1 : (as_${bits}(key) & ${sign} ? ~as_${bits}(key) : as_${bits}(key) | ${sign})`
    : isSigned
      ? `as_${bits}(key) ^ ${sign}`
      : "key";
  const argument = value === null ? "" : `, global ${value}* outValues, global const ${value}* values`;
  return `inline ${bits} order(${scalar} key) { return ${isDescending ? "~" : ""}(${bits})(${order}); }
kernel void count_digits(global uint* counts, global const ${scalar}* keys, uint n, uint size, uint parts, uint shift) {
  uint part = get_global_id(0), begin = part * size, end = min(begin + size, n);
  uint own[${digits}];
  for (int d = 0; d < ${digits}; d++) own[d] = 0;
  for (uint i = begin; i < end; i++) own[(order(keys[i]) >> shift) & ${digits - 1}]++;
  for (uint d = 0; d < ${digits}; d++) counts[d * parts + part] = own[d];
}
kernel void scan_counts(global uint* counts, uint n) {
  uint sum = 0;
  for (uint i = 0; i < n; i++) { uint own = counts[i]; counts[i] = sum; sum += own; }
}
kernel void put_keys(global const uint* counts, global ${scalar}* out, global const ${scalar}* keys${argument},
    uint n, uint size, uint parts, uint shift) {
  uint part = get_global_id(0), begin = part * size, end = min(begin + size, n);
  uint places[${digits}];
  for (uint d = 0; d < ${digits}; d++) places[d] = counts[d * parts + part];
  for (uint i = begin; i < end; i++) {
    ${scalar} key = keys[i];
    uint place = places[(order(key) >> shift) & ${digits - 1}]++;
    out[place] = key;
    ${value === null ? "" : "outValues[place] = values[i];"}
  }
}`;
}

/** How numbers are sorted. @public */
export interface SortOptions {
  /** True: the greatest comes first. */
  readonly descending?: boolean;
}

function sortPairs(
  operation: string,
  device: Device,
  keys: DeviceArray,
  values: DeviceArray | null,
  isDescending: boolean,
): Command {
  const scalar = scalarOf(operation, keys.type);
  const { length } = keys;
  const bits = keys.type.BYTES_PER_ELEMENT * 8;
  const digit = length >= LONG && Math.ceil(bits / LONG_DIGIT) < bits / SHORT_DIGIT ? LONG_DIGIT : SHORT_DIGIT;
  const digits = 2 ** digit;
  const value = values === null ? null : scalarOf(operation, values.type);
  const key = `${scalar} ${value} ${isDescending} ${digits}`;
  const kernel = programOf(operation, device, key, () => sortSource(scalar, value, isDescending, digits));
  const { parts, size } = partsOf(device, length, LEAST);
  using counts = DeviceArray.unfilled(device, Uint32Array, digits * parts);
  using otherKeys = DeviceArray.unfilled(device, keys.type, length);
  using otherValues = values === null ? null : DeviceArray.unfilled(device, values.type, length);
  const range = { global: parts, local: 1 };
  let [from, to] = [keys, otherKeys];
  let [valuesFrom, valuesTo] = [values, otherValues];
  let last: Command | null = null;
  for (let shift = 0; shift < bits; shift += digit) {
    kernel("count_digits")(range, counts, from, length, size, parts, shift);
    kernel("scan_counts")({ global: 1, local: 1 }, counts, digits * parts);
    const further = valuesFrom === null || valuesTo === null ? [] : [valuesTo, valuesFrom];
    last = kernel("put_keys")(range, counts, to, from, ...further, length, size, parts, shift);
    [from, to] = [to, from];
    [valuesFrom, valuesTo] = [valuesTo, valuesFrom];
  }
  // After an odd number of passes the result is not where the keys were.
  if (valuesFrom !== null && values !== null && valuesFrom !== values) last = valuesFrom.copyTo(values);
  return from === keys && last !== null ? last : from.copyTo(keys);
}

/**
 * Sorts numbers in place, stable, in linear time: NaNs come last. The command that it returns need not be waited for.
 *
 * @public
 */
export function sort<T extends TypedArray>(keys: DeviceArray<T>, { descending = false }: SortOptions = {}): Command {
  return sortPairs("sort", keys.device, keys, null, descending);
}

/**
 * Sorts numbers in place, and values with them, stable. Error: AlgorithmError for values of another length.
 *
 * @public
 */
export function sortByKey<T extends TypedArray, U extends TypedArray>(
  keys: DeviceArray<T>,
  values: DeviceArray<U>,
  { descending = false }: SortOptions = {},
): Command {
  checkLengths("sortByKey", [keys, values]);
  return sortPairs("sortByKey", keys.device, keys, values, descending);
}
