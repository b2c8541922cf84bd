// SPDX-License-Identifier: Apache-2.0
// Reduction by an associative operator.
//
// Two phases (Blelloch 1990): each of a few parts is reduced, the results by one more launch. On a processor a part is
// a work-item's: an operator with a vector form has four vectors of sums, another one four sums of quarters of the
// part, which are combined in their order; both hide how long an operation takes. On a GPU a part is a work-group's: an
// operator that commutes is accumulated by work-items next to each other, and at the end by a tree in local memory;
// another one in order, by one work-item. Results depend on the length and the number of threads only, so those of one
// machine are reproducible. Cost: one read of the array.
import { DeviceArray, type TypedArray } from "muxkit";

import { scalarOf } from "./element.ts";
import { type Operator, type OperatorSource, operatorSource } from "./operator.ts";
import { isProcessor, partsOf, programOf } from "./programs.ts";

/** Elements of a part at least. */
const LEAST = 8192;
/** Work-items of a part on a GPU, for operators that commute. */
const ITEMS = 64;

const ALL = [0, 1, 2, 3];

/**
 * Statements that leave the elements `begin` to before `end` of `x` combined in the variable `sum`; there is at least
 * one. The operator's source must be part of the program.
 */
export function reducePart(scalar: string, { vector, neutral }: OperatorSource): string {
  if (vector === null || neutral === null)
    return `${scalar} sum = x[begin];
  uint quarter = (end - begin) / 4, next = begin + 1;
  if (quarter > 1) {
    ${scalar} ${ALL.map((k) => `s${k} = x[begin + ${k} * quarter]`).join(", ")};
    for (uint i = 1; i < quarter; i++) {
      ${ALL.map((k) => `s${k} = combine(s${k}, x[begin + ${k} * quarter + i]);`).join(" ")}
    }
    sum = combine(combine(s0, s1), combine(s2, s3));
    next = begin + 4 * quarter;
  }
  for (; next < end; next++) sum = combine(sum, x[next]);`;
  const { width, type } = vector;
  const lanes = Array.from({ length: width }, (_, lane) => `sum = combine(sum, all.s${lane.toString(16)});`);
  return `${type} ${ALL.map((k) => `s${k} = ${neutral}`).join(", ")};
  uint next = begin;
  for (; next + ${4 * width} <= end; next += ${4 * width}) {
    ${ALL.map((k) => `s${k} = combine_all(s${k}, vload${width}(0, x + next + ${k * width}));`).join("\n    ")}
  }
  ${type} all = combine_all(combine_all(s0, s1), combine_all(s2, s3));
  ${scalar} sum = ${neutral};
  ${lanes.join(" ")}
  for (; next < end; next++) sum = combine(sum, x[next]);`;
}

function groupSource(scalar: string, { source, neutral, isCommutative }: OperatorSource): string {
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

function itemSource(scalar: string, operator: OperatorSource): string {
  return `${operator.source}kernel void reduce_parts(global ${scalar}* out, global const ${scalar}* x, uint n, uint size) {
  uint part = get_global_id(0), begin = part * size, end = min(begin + size, n);
  ${reducePart(scalar, operator)}
  out[part] = sum;
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
  const { device, length } = array;
  const onProcessor = isProcessor(device);
  const items = !onProcessor && combine.isCommutative ? ITEMS : 1;
  const source = onProcessor ? itemSource : groupSource;
  const kernel = programOf(operation, device, combine.source, () => source(scalar, combine))("reduce_parts");
  const { parts, size } = partsOf(device, length, LEAST);
  using partial = DeviceArray.unfilled(device, array.type, parts);
  kernel({ global: parts * items, local: items }, partial, array, length, size);
  if (parts > 1) kernel({ global: items, local: items }, partial, partial, parts, parts);
  const [result] = await partial.read(0, 1);
  return result as T[number];
}
