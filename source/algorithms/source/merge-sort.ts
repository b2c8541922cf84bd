// SPDX-License-Identifier: Apache-2.0
// Sorting by a comparator: merges of pairs of runs, the shorter ones of a block while they are in a cache.
//
// A block's shortest runs are sorted by insertion. Two runs of equal length are merged from both ends at once (a parity
// merge, as in quadsort): each end writes as many elements as a run has, so neither end can run out of elements, no
// bound is checked, and two chains of dependent loads overlap. Runs longer than a block are merged by pieces of the
// output: where a piece begins in its two runs is found by a binary search along the merge path (Odeh, Green and
// others, 2012), so pieces are equally long whatever the data is. Nothing branches on a comparison. The sort is stable.
// Cost: n log2(n) moves; a read and a write of the array for each doubling beyond a block.
import { type Command, DeviceArray, type Range, type TypedArray } from "muxkit";

import { scalarOf } from "./element.ts";
import { type Expression, functionSource } from "./expression.ts";
import { programOf } from "./programs.ts";

/** Elements that are sorted by insertion. */
const RUN = 8;
/** Elements that a work-item sorts: an even number of doublings of a run, so that the last merge writes the array. */
const BLOCK = 2048;
/** Elements that a work-item merges of longer runs. */
const PIECE = 4096;

function mergeSource(scalar: string, less: string): string {
  const parameters = `global ${scalar}* restrict out, global const ${scalar}* restrict x`;
  const front = `{ bool right = before(vb, va); out[place++] = right ? vb : va;
      a += right ? 0 : 1; b += right ? 1 : 0; va = x[a]; vb = x[b]; }`;
  // Of equal elements the right one is the last.
  const back = `{ bool left = before(wb, wa); out[--stop] = left ? wa : wb;
      c -= left ? 1 : 0; d -= left ? 0 : 1; wa = x[c]; wb = x[d]; }`;
  return `${less}
// Merges the runs of n elements at left and after it. The last step of each end loads nothing: it might be beyond.
inline void merge_equal(${parameters}, uint left, uint n) {
  uint a = left, b = left + n, c = b - 1, d = b + n - 1, place = left, stop = left + 2 * n;
  ${scalar} va = x[a], vb = x[b], wa = x[c], wb = x[d];
  for (uint step = 1; step < n; step++) {
    ${front}
    ${back}
  }
  out[place] = before(vb, va) ? vb : va;
  out[stop - 1] = before(wb, wa) ? wa : wb;
}
// Merges a to before aEnd with b to before bEnd.
inline void merge_any(${parameters}, uint a, uint aEnd, uint b, uint bEnd, uint place) {
  uint stop = place + (aEnd - a) + (bEnd - b);
  while (a < aEnd && b < bEnd) {
    // Both ends together take no more than the shorter run has; one element stays for the loads.
    uint steps = (min(aEnd - a, bEnd - b) - 1) / 2;
    if (steps == 0) {
      ${scalar} va = x[a], vb = x[b];
      bool right = before(vb, va);
      out[place++] = right ? vb : va;
      a += right ? 0 : 1;
      b += right ? 1 : 0;
      continue;
    }
    uint c = aEnd - 1, d = bEnd - 1;
    ${scalar} va = x[a], vb = x[b], wa = x[c], wb = x[d];
    for (uint step = 0; step < steps; step++) {
      ${front}
      ${back}
    }
    aEnd = c + 1;
    bEnd = d + 1;
  }
  for (; a < aEnd; a++) out[place++] = x[a];
  for (; b < bEnd; b++) out[place++] = x[b];
}
kernel void sort_blocks(global ${scalar}* x, global ${scalar}* other, uint n) {
  uint first = get_global_id(0) * ${BLOCK}, last = min(first + ${BLOCK}, n);
  for (uint begin = first; begin < last; begin += ${RUN}) {
    uint end = min(begin + ${RUN}, last);
    for (uint i = begin + 1; i < end; i++) {
      ${scalar} own = x[i];
      uint k = i;
      for (; k > begin && before(own, x[k - 1]); k--) x[k] = x[k - 1];
      x[k] = own;
    }
  }
  for (uint run = ${RUN}; run < ${BLOCK}; run *= 4) {
    for (uint left = first; left < last; left += 2 * run)
      if (left + 2 * run <= last) merge_equal(other, x, left, run);
      else merge_any(other, x, left, min(left + run, last), min(left + run, last), last, left);
    for (uint left = first; left < last; left += 4 * run)
      if (left + 4 * run <= last) merge_equal(x, other, left, 2 * run);
      else merge_any(x, other, left, min(left + 2 * run, last), min(left + 2 * run, last), last, left);
  }
}
kernel void merge_runs(global ${scalar}* out, global const ${scalar}* x, uint n, uint run) {
  uint place = get_global_id(0) * ${PIECE};
  uint left = place / (2 * run) * (2 * run);
  uint middle = min(left + run, n), end = min(left + 2 * run, n);
  uint last = min(place + ${PIECE}, end);
  uint from[2];
  // How many elements before the piece, and before the next one, come from the left run.
  for (uint k = 0; k < 2; k++) {
    uint skip = (k == 0 ? place : last) - left;
    uint low = skip > end - middle ? skip - (end - middle) : 0, high = min(skip, middle - left);
    while (low < high) {
      uint half_ = (low + high) / 2;
      if (before(x[middle + skip - half_ - 1], x[left + half_])) high = half_; else low = half_ + 1;
    }
    from[k] = low;
  }
  uint right = middle + (place - left) - from[0], rightEnd = middle + (last - left) - from[1];
  merge_any(out, x, left + from[0], left + from[1], right, rightEnd, place);
}`;
}

/** Work-items that are on their own. */
function alone(items: number): Range {
  return { global: items, local: 1 };
}

/**
 * Sorts in place by a comparator that says whether `a` comes before `b`: `sortBy(x, (a, b) => a % 10 < b % 10)`, a
 * strict weak order. It is stable. Error: an expression that does not compile.
 *
 * @public
 */
export function sortBy<T extends TypedArray>(array: DeviceArray<T>, isBefore: Expression): Command {
  const operation = "sortBy";
  const scalar = scalarOf(operation, array.type);
  const { source } = functionSource(operation, "before", isBefore, {
    names: ["a", "b"],
    types: [scalar, scalar],
    result: "int",
  });
  const { device, length } = array;
  const kernel = programOf(operation, device, source, () => mergeSource(scalar, source));
  using other = DeviceArray.unfilled(device, array.type, length);
  let last = kernel("sort_blocks")(alone(Math.ceil(length / BLOCK)), array, other, length);
  let [from, to] = [array, other];
  for (let run = BLOCK; run < length; run *= 2) {
    last = kernel("merge_runs")(alone(Math.ceil(length / PIECE)), to, from, length, run);
    [from, to] = [to, from];
  }
  return from === array ? last : from.copyTo(array);
}
