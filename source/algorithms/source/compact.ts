// SPDX-License-Identifier: Apache-2.0
// Compaction: elements that are kept come together, in their order.
//
// On a processor each part writes what it keeps from its own beginning on, into a scratch array, and counts it; once
// the counts are scanned, the parts are copied to their places. Each condition is computed once. On a GPU each part
// counts what it keeps by a work-group, and writes it once the counts are scanned. Cost: a read of the array and two
// writes of what is kept, or two reads and one write.
import { DeviceArray, type TypedArray } from "muxkit";

import { scalarOf } from "./element.ts";
import { type Expression, functionSource } from "./expression.ts";
import { isProcessor, partsOf, programOf } from "./programs.ts";

/** Work-items that count a part on a GPU. */
const ITEMS = 64;
/** Elements of a part at least. */
const LEAST = 8192;
/** Elements of a step that writes without looking back. */
const STEP = 8;

/** Which elements are kept: expressions of `own`, its index `i`, and `previous`, the element before it. */
interface Condition {
  /** Definitions that the expressions need. */
  readonly source: string;
  readonly keeps: string;
  /** The same for the first element, which has none before it. */
  readonly keepsFirst: string;
}

const SCAN = `kernel void scan_counts(global uint* counts, uint parts) {
  uint sum = 0;
  for (uint part = 0; part < parts; part++) { uint own = counts[part]; counts[part] = sum; sum += own; }
  counts[parts] = sum;
}`;

/** Writes all elements of a part where the next kept one belongs, so that no branch depends on the condition. */
function keepLoop(scalar: string, { keeps, keepsFirst }: Condition): string {
  const step = (condition: string): string =>
    `{ ${scalar} own = x[i]; out[place] = own; place += (${condition}) ? 1 : 0; previous = own; i++; }`;
  return `${scalar} previous = x[begin > 0 ? begin - 1 : 0];
  uint i = begin;
  if (i == 0 && i < end) ${step(keepsFirst)}
  while (i + ${STEP} <= end) {
    ${`${step(keeps)}\n    `.repeat(STEP)}
  }
  while (i < end) ${step(keeps)}`;
}

function itemSource(scalar: string, condition: Condition): string {
  return `${condition.source}
kernel void keep_parts(global ${scalar}* restrict out, global uint* restrict counts, global const ${scalar}* restrict x,
    uint n, uint size) {
  uint part = get_global_id(0), begin = part * size, end = min(begin + size, n), place = begin;
  ${keepLoop(scalar, condition)}
  counts[part] = place - begin;
}
${SCAN}
kernel void join_parts(global ${scalar}* restrict out, global const uint* restrict counts,
    global const ${scalar}* restrict kept, uint size) {
  uint part = get_global_id(0), place = counts[part], count = counts[part + 1] - place;
  kept += part * size;
  out += place;
  uint i = 0;
  for (; i + 16 <= count; i += 16) vstore16(vload16(0, kept + i), 0, out + i);
  for (; i < count; i++) out[i] = kept[i];
}`;
}

function groupSource(scalar: string, { source, keeps, keepsFirst }: Condition): string {
  return `${source}
inline bool keeps(global const ${scalar}* x, uint i) {
  ${scalar} own = x[i];
  if (i == 0) return ${keepsFirst};
  ${scalar} previous = x[i - 1];
  return ${keeps};
}
kernel __attribute__((reqd_work_group_size(${ITEMS}, 1, 1)))
void count_kept(global uint* counts, global const ${scalar}* x, uint n, uint size) {
  uint part = get_group_id(0), begin = part * size, end = min(begin + size, n), count = 0;
  uint base = begin, item = get_local_id(0);
  // All work-items leave the loop at once; what is left is less than one element for each.
  for (; base + ${ITEMS} <= end; base += ${ITEMS}) count += keeps(x, base + item) ? 1 : 0;
  if (base + item < end) count += keeps(x, base + item) ? 1 : 0;
  count = work_group_reduce_add(count);
  if (get_local_id(0) == 0) counts[part] = count;
}
${SCAN}
kernel void put_kept(global ${scalar}* out, global const uint* counts, global const ${scalar}* x, uint n, uint size) {
  uint part = get_global_id(0), begin = part * size, end = min(begin + size, n);
  uint place = counts[part], stop = counts[part + 1];
  // Every element is written where the next kept one belongs, so no branch depends on the condition.
  for (uint i = begin; i < end && place < stop; i++) {
    out[place] = x[i];
    place += keeps(x, i) ? 1 : 0;
  }
}`;
}

async function compactBy<T extends TypedArray>(
  operation: string,
  array: DeviceArray<T>,
  condition: Condition,
): Promise<DeviceArray<T> | null> {
  const scalar = scalarOf(operation, array.type);
  const { device, length, type } = array;
  const onProcessor = isProcessor(device);
  const source = onProcessor ? itemSource : groupSource;
  const kernel = programOf(operation, device, `${scalar} ${condition.source}`, () => source(scalar, condition));
  const { parts, size } = partsOf(device, length, LEAST);
  const range = { global: parts, local: 1 };
  using counts = DeviceArray.unfilled(device, Uint32Array, parts + 1);
  using kept = onProcessor ? DeviceArray.unfilled(device, type, length) : null;
  if (kept === null) kernel("count_kept")({ global: parts * ITEMS, local: ITEMS }, counts, array, length, size);
  else kernel("keep_parts")(range, kept, counts, array, length, size);
  kernel("scan_counts")({ global: 1, local: 1 }, counts, parts);
  const [total = 0] = await counts.read(parts, 1);
  if (total === 0) return null;
  const out = DeviceArray.unfilled(device, type, total);
  if (kept === null) kernel("put_kept")(range, out, counts, array, length, size);
  else kernel("join_parts")(range, out, counts, kept, size);
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
  return await compactBy(operation, array, { source, keeps: "keep(own, i)", keepsFirst: "keep(own, i)" });
}

/**
 * The first element of each run of equal ones; of a sorted array, each value once.
 *
 * @public
 */
export async function unique<T extends TypedArray>(array: DeviceArray<T>): Promise<DeviceArray<T>> {
  const kept = await compactBy("unique", array, { source: "", keeps: "own != previous", keepsFirst: "true" });
  // The first element is kept always.
  return kept as DeviceArray<T>;
}
