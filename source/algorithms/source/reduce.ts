// SPDX-License-Identifier: Apache-2.0
// Reduction by an associative operator.
//
// Two phases (Blelloch 1990): each of a few parts is reduced by a work-group, the results by one more. An operator that
// commutes is accumulated by work-items next to each other, which are lanes of vectors, and at the end by a tree in
// local memory; another one in order, by one work-item. The tree depends on the length and the number of threads only,
// so results of one machine are reproducible. Cost: one read of the array.
import type { DeviceArray, TypedArray } from "muxkit";

import { scalarOf } from "./element.ts";
import { type Operator, type OperatorSource, operatorSource } from "./operator.ts";
import { kernelOf, partsOf } from "./programs.ts";

/** Elements of a part at least. */
const LEAST = 8192;
/** Work-items of a part, for operators that commute. */
const ITEMS = 64;

function reduceSource(scalar: string, { source, neutral, isCommutative }: OperatorSource): string {
  const begin = `uint part = get_group_id(0), begin = part * size, end = min(begin + size, n);`;
  const parameters = `global ${scalar}* out, global const ${scalar}* x, uint n, uint size`;
  if (!isCommutative || neutral === null)
    return `${source}kernel void reduce_parts(${parameters}) {
  ${begin}
  ${scalar} sum = x[begin];
  for (uint i = begin + 1; i < end; i++) sum = combine(sum, x[i]);
  out[part] = sum;
}`;
  return `${source}kernel __attribute__((reqd_work_group_size(${ITEMS}, 1, 1))) void reduce_parts(${parameters}) {
  ${begin}
  local ${scalar} sums[${ITEMS}];
  uint item = get_local_id(0);
  ${scalar} sum = ${neutral}, other = ${neutral};
  uint base = begin;
  // Two sums side by side hide how long an addition takes. All work-items leave the loop at once.
  for (; base + ${2 * ITEMS} <= end; base += ${2 * ITEMS}) {
    sum = combine(sum, x[base + item]);
    other = combine(other, x[base + item + ${ITEMS}]);
  }
  if (base + item < end) sum = combine(sum, x[base + item]);
  if (base + item + ${ITEMS} < end) other = combine(other, x[base + item + ${ITEMS}]);
  sums[item] = combine(sum, other);
  for (uint half_ = ${ITEMS / 2}; half_ > 0; half_ /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_) sums[item] = combine(sums[item], sums[item + half_]);
  }
  if (item == 0) out[part] = sums[0];
}`;
}

/**
 * Combines all elements by an associative operator: `reduce(x, "+")`, `reduce(x, (a, b) => Math.max(a, b))`. Sums of
 * floats are not in the order of the array. Error: an expression that does not compile.
 *
 * @public
 */
export async function reduce<T extends TypedArray>(array: DeviceArray<T>, operator: Operator): Promise<T[number]> {
  const operation = "reduce";
  const scalar = scalarOf(operation, array.type);
  const combine = operatorSource(operation, operator, scalar);
  const source = reduceSource(scalar, combine);
  const items = combine.isCommutative ? ITEMS : 1;
  const { device, length } = array;
  const kernel = kernelOf(operation, device, source, "reduce_parts");
  const { parts, size } = partsOf(device, length, LEAST);
  using partial = device.array(array.type, parts);
  kernel({ global: parts * items, local: items }, partial, array, length, size);
  if (parts > 1) kernel({ global: items, local: items }, partial, partial, parts, parts);
  const [result] = await partial.read(0, 1);
  return result as T[number];
}
