// SPDX-License-Identifier: Apache-2.0
// Sorting by a comparator: insertion sort of short runs, then merges of pairs of runs.
//
// A work-item writes one piece of the output of a merge. Where the piece begins in the two runs is found by a binary
// search along the merge path (Odeh, Green and others, 2012), so pieces are equally long whatever the data is. The sort
// is stable. Cost: n log2(n / 32) moves, in log2(n / 32) launches.
import { type Command, DeviceArray, type TypedArray } from "muxkit";

import { scalarOf } from "./element.ts";
import { type Expression, functionSource } from "./expression.ts";
import { kernelOf } from "./programs.ts";

/** Elements that are sorted by insertion. */
const RUN = 32;
/** Elements that a work-item merges. */
const PIECE = 1024;

function mergeSource(scalar: string, less: string): string {
  return `${less}
kernel void sort_runs(global ${scalar}* x, uint n) {
  uint begin = get_global_id(0) * ${RUN}, end = min(begin + ${RUN}, n);
  for (uint i = begin + 1; i < end; i++) {
    ${scalar} own = x[i];
    uint k = i;
    for (; k > begin && before(own, x[k - 1]); k--) x[k] = x[k - 1];
    x[k] = own;
  }
}
// Pairs of runs that are shorter than a piece: a work-item merges all pairs of its piece.
kernel void merge_short(global ${scalar}* out, global const ${scalar}* x, uint n, uint run) {
  uint stop = min((uint)(get_global_id(0) + 1) * ${PIECE}, n);
  for (uint left = get_global_id(0) * ${PIECE}; left < stop; left += 2 * run) {
    uint a = left, middle = min(left + run, n), b = middle, end = min(left + 2 * run, n);
    for (uint place = left; place < end; place++) {
      bool takesRight = b < end && (a >= middle || before(x[b], x[a]));
      out[place] = takesRight ? x[b] : x[a];
      if (takesRight) b++; else a++;
    }
  }
}
kernel void merge_runs(global ${scalar}* out, global const ${scalar}* x, uint n, uint run) {
  uint place = get_global_id(0) * ${PIECE};
  uint left = place / (2 * run) * (2 * run);
  uint middle = min(left + run, n), end = min(left + 2 * run, n);
  uint leftCount = middle - left, rightCount = end - middle, skip = place - left;
  // How many elements before the piece come from the left run.
  uint low = skip > rightCount ? skip - rightCount : 0, high = min(skip, leftCount);
  while (low < high) {
    uint half_ = (low + high) / 2;
    if (before(x[middle + skip - half_ - 1], x[left + half_])) high = half_; else low = half_ + 1;
  }
  uint a = left + low, b = middle + skip - low, last = min(place + ${PIECE}, end);
  for (; place < last; place++) {
    bool takesRight = b < end && (a >= middle || before(x[b], x[a]));
    out[place] = takesRight ? x[b] : x[a];
    if (takesRight) b++; else a++;
  }
}`;
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
  const kernel = (name: string): ReturnType<typeof kernelOf> =>
    kernelOf(operation, device, mergeSource(scalar, source), name);
  let last = kernel("sort_runs")(Math.ceil(length / RUN), array, length);
  using other = DeviceArray.unfilled(device, array.type, length);
  let [from, to] = [array, other];
  for (let run = RUN; run < length; run *= 2) {
    // Runs shorter than a piece are merged by pieces that hold whole pairs of them.
    const pieces = Math.ceil(length / PIECE);
    last = kernel(run * 2 <= PIECE ? "merge_short" : "merge_runs")(pieces, to, from, length, run);
    [from, to] = [to, from];
  }
  return from === array ? last : from.copyTo(array);
}
