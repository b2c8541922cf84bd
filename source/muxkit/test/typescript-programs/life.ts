// SPDX-License-Identifier: Apache-2.0
// Conway's game of life on a torus, in two dimensions.
// oxlint-disable typescript/no-non-null-assertion -- elements are there, and this project checks indices
// oxlint-disable typescript/no-unnecessary-type-arguments, typescript/no-unsafe-unary-minus -- as users write it
import { type Accessor, Buffer, type Item, type Queue, int, kernel, range, type uchar } from "muxkit/sycl";

/** The neighbour of a coordinate on a circle. */
function around(at: int, by: int, size: int): int {
  return (at + by + size) % size;
}

const step = kernel((item: Item<2>, from: Accessor<uchar, "read", 2>, to: Accessor<uchar, "write", 2>) => {
  const [rows, columns] = [item.getRange(0), item.getRange(1)];
  const [row, column] = [item.getId(0), item.getId(1)];
  let living = 0;
  for (let y = -1; y <= 1; y++)
    for (let x = -1; x <= 1; x++)
      if (x !== 0 || y !== 0) living += int(from[around(row, y, rows)]![around(column, x, columns)]!);
  const cell = from[row]![column]!;
  const lives = cell === 1;
  to[row]![column] = living === 3 || (lives && living === 2) ? 1 : 0;
});

const SIZE = 16;

/** A glider after so many generations, as text. */
export function run(queue: Queue): unknown {
  const cells = new Uint8Array(SIZE * SIZE);
  for (const [x, y] of [
    [1, 0],
    [2, 1],
    [0, 2],
    [1, 2],
    [2, 2],
  ] as const)
    cells[y * SIZE + x] = 1;
  {
    using even = new Buffer(cells, range(SIZE, SIZE));
    using odd = new Buffer(new Uint8Array(SIZE * SIZE), range(SIZE, SIZE));
    for (let i = 0; i < 8; i++)
      queue.submit((handler) => {
        const [from, to] = i % 2 === 0 ? [even, odd] : [odd, even];
        handler.parallelFor(range(SIZE, SIZE), step, from.getAccess(handler, "read"), to.getAccess(handler, "write"));
      });
  }
  return [...cells.keys()].filter((i) => cells[i] === 1);
}
