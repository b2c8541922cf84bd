// SPDX-License-Identifier: Apache-2.0
// Placements of N queens: each work-item has two of them placed, and counts the rest by backtracking.
// oxlint-disable typescript/no-non-null-assertion -- elements are there, and this project checks indices
// oxlint-disable typescript/no-unnecessary-type-arguments, typescript/no-unsafe-unary-minus -- as users write it
import {
  type Item,
  type Queue,
  type Reducer,
  kernel,
  mallocShared,
  plus,
  privateArray,
  range,
  reduction,
  uint,
} from "muxkit/sycl";

const N = 8;
const ALL = (1 << N) - 1;

const count = kernel((item: Item<2>, total: Reducer<uint, "plus">) => {
  const [first, second] = [1 << item.getId(0), 1 << item.getId(1)];
  if (((first | (first << 1) | (first >> 1)) & second) !== 0) return;
  const columns = privateArray(uint, N);
  const left = privateArray(uint, N);
  const right = privateArray(uint, N);
  const free = privateArray(uint, N);
  columns[2] = uint(first | second);
  left[2] = uint((first << 2) | (second << 1));
  right[2] = uint((first >> 2) | (second >> 1));
  free[2] = ALL & ~(columns[2] | left[2] | right[2]);
  let found = 0;
  let row = 2;
  while (row >= 2) {
    const open = free[row]!;
    if (open === 0) {
      row--;
      continue;
    }
    const queen = open & -open;
    free[row] = open ^ queen;
    if (row === N - 1) {
      found++;
      continue;
    }
    columns[row + 1] = columns[row]! | queen;
    left[row + 1] = (left[row]! | queen) << 1;
    right[row + 1] = (right[row]! | queen) >> 1;
    row++;
    free[row] = ALL & ~(columns[row]! | left[row]! | right[row]!);
  }
  total.combine(uint(found));
});

/** The number of placements. */
export function run(queue: Queue): unknown {
  const total = mallocShared(Uint32Array, 1, queue);
  queue.parallelFor(range(N, N), count, reduction(total, 0, plus, { initializeToIdentity: true })).wait();
  return total.view(1)[0];
}
