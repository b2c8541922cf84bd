// SPDX-License-Identifier: Apache-2.0
// Compaction: elements that are kept come together, in their order. Each part counts what it keeps, the counts are
// scanned, and each part writes from its place on. Cost: two reads of the array, one write of what is kept.
import { DeviceArray, type TypedArray } from "muxkit";

import { scalarOf } from "./element.ts";
import { type Expression, functionSource } from "./expression.ts";
import { kernelOf, partsOf } from "./programs.ts";

/** Work-items that count a part. */
const ITEMS = 64;
/** Elements of a part at least. */
const LEAST = 8192;

function compactSource(scalar: string, keep: string, condition: string): string {
  return `${keep}
kernel __attribute__((reqd_work_group_size(${ITEMS}, 1, 1)))
void count_kept(global uint* counts, global const ${scalar}* x, uint n, uint size) {
  uint part = get_group_id(0), begin = part * size, end = min(begin + size, n), count = 0;
  uint base = begin, item = get_local_id(0);
  // All work-items leave the loop at once; what is left is less than one element for each.
  for (; base + ${ITEMS} <= end; base += ${ITEMS}) { uint i = base + item; count += (${condition}) ? 1 : 0; }
  uint i = base + item;
  if (i < end) count += (${condition}) ? 1 : 0;
  count = work_group_reduce_add(count);
  if (get_local_id(0) == 0) counts[part] = count;
}
kernel void scan_counts(global uint* counts, uint parts) {
  uint sum = 0;
  for (uint part = 0; part < parts; part++) { uint own = counts[part]; counts[part] = sum; sum += own; }
  counts[parts] = sum;
}
kernel void put_kept(global ${scalar}* out, global const uint* counts, global const ${scalar}* x, uint n, uint size) {
  uint part = get_global_id(0), begin = part * size, end = min(begin + size, n);
  uint place = counts[part], stop = counts[part + 1];
  // Every element is written where the next kept one belongs, so no branch depends on the condition.
  for (uint i = begin; i < end && place < stop; i++) {
    out[place] = x[i];
    place += (${condition}) ? 1 : 0;
  }
}`;
}

async function compactBy<T extends TypedArray>(
  operation: string,
  array: DeviceArray<T>,
  keep: string,
  condition: string,
): Promise<DeviceArray<T> | null> {
  const source = compactSource(scalarOf(operation, array.type), keep, condition);
  const { device, length } = array;
  const { parts, size } = partsOf(device, length, LEAST);
  const range = { global: parts, local: 1 };
  using counts = DeviceArray.unfilled(device, Uint32Array, parts + 1);
  kernelOf(operation, device, source, "count_kept")(
    { global: parts * ITEMS, local: ITEMS },
    counts,
    array,
    length,
    size,
  );
  kernelOf(operation, device, source, "scan_counts")({ global: 1, local: 1 }, counts, parts);
  const [total = 0] = await counts.read(parts, 1);
  if (total === 0) return null;
  const out = DeviceArray.unfilled(device, array.type, total);
  kernelOf(operation, device, source, "put_kept")(range, out, counts, array, length, size);
  return out;
}

/**
 * The elements for which a condition holds, in their order: `compact(x, (a) => a > 0)`; in a text `a` is the element
 * and `i` its index. Null where it holds for none: an array has at least one element. Error: an expression that does
 * not compile.
 *
 * @public
 */
export async function compact<T extends TypedArray>(
  array: DeviceArray<T>,
  condition: Expression,
): Promise<DeviceArray<T> | null> {
  const operation = "compact";
  const scalar = scalarOf(operation, array.type);
  const { source } = functionSource(operation, "keep", condition, {
    names: ["a", "i"],
    types: [scalar, "uint"],
    result: "int",
  });
  return await compactBy(operation, array, source, "keep(x[i], i)");
}

/**
 * The first element of each run of equal ones; of a sorted array, each value once.
 *
 * @public
 */
export async function unique<T extends TypedArray>(array: DeviceArray<T>): Promise<DeviceArray<T>> {
  const kept = await compactBy("unique", array, "", "i == 0 || x[i] != x[i - 1]");
  // The first element is kept always.
  return kept as DeviceArray<T>;
}
