// SPDX-License-Identifier: Apache-2.0
// Heat in a plate: a stencil over two buffers that change places at each step. Accessors order the steps; nobody waits
// before the end. The kernel is TypeScript: node --conditions=source --import muxkit/sycl/register stencil.ts. The
// picture is out/sycl-stencil.png; plain TypeScript must come to the same.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

import { encode } from "fast-png";
import { type Accessor, Buffer, type Item, Queue, type float, kernel, range } from "muxkit/sycl";

const ROWS = 192;
const COLUMNS = 256;
const STEPS = 1200;
const root = resolve(import.meta.dirname, "..", "..");

/** A cell takes a part of the difference to the mean of its neighbours; the rim keeps its heat. */
const step = kernel((item: Item<2>, from: Accessor<float, "read", 2>, to: Accessor<float, "write", 2>) => {
  const y = item.getId(0);
  const x = item.getId(1);
  const here = from[y]![x]!;
  if (x === 0 || y === 0 || x === item.getRange(1) - 1 || y === item.getRange(0) - 1) {
    to[y]![x] = here;
    return;
  }
  const around = from[y]![x - 1]! + from[y]![x + 1]! + (from[y - 1]![x]! + from[y + 1]![x]!);
  to[y]![x] = here + 0.2 * (around - 4 * here);
});

/** True for a place in a disc around the origin. */
const disc = (x: number, y: number, radius: number): boolean => x * x + y * y < radius * radius;

/** A cold plate with a hot rim on the left, a warm one on top, and two hot discs. */
function start(): Float32Array {
  const plate = new Float32Array(ROWS * COLUMNS);
  for (let y = 0; y < ROWS; y++)
    for (let x = 0; x < COLUMNS; x++) {
      const hot = x === 0 || disc(x - 170, y - 60, 22) || disc(x - 110, y - 130, 34);
      plate[y * COLUMNS + x] = hot ? 1 : y === 0 ? 0.6 : 0;
    }
  return plate;
}

/** The same, step by step, with floats rounded as kernels round them. */
function expected(): Float32Array {
  const f = Math.fround;
  let [from, to]: [Float32Array, Float32Array] = [start(), new Float32Array(ROWS * COLUMNS)];
  const at = (i: number): number => from[i] ?? 0;
  for (let count = 0; count < STEPS; count++) {
    to.set(from);
    for (let y = 1; y < ROWS - 1; y++)
      for (let x = 1; x < COLUMNS - 1; x++) {
        const i = y * COLUMNS + x;
        const around = f(f(at(i - 1) + at(i + 1)) + f(at(i - COLUMNS) + at(i + COLUMNS)));
        to[i] = f(at(i) + f(f(0.2) * f(around - f(4 * at(i)))));
      }
    [from, to] = [to, from];
  }
  return from;
}

/** Colours from black through red and yellow to white. */
function picture(plate: Float32Array): Uint8Array {
  const pixels = new Uint8Array(plate.length * 3);
  for (const [i, heat] of plate.entries())
    for (let channel = 0; channel < 3; channel++)
      pixels[i * 3 + channel] = Math.max(0, Math.min(255, Math.sqrt(heat) * 765 - channel * 255));
  return pixels;
}

const plate = start();
const began = performance.now();
{
  using queue = new Queue();
  using first = new Buffer(plate, range(ROWS, COLUMNS));
  using second = new Buffer(Float32Array, range(ROWS, COLUMNS));
  for (let count = 0; count < STEPS; count++)
    queue.submit((handler) => {
      const [source, target] = count % 2 === 0 ? [first, second] : [second, first];
      const [from, to] = [source.getAccess(handler, "read"), target.getAccess(handler, "write", { noInit: true })];
      handler.parallelFor(range(ROWS, COLUMNS), step, from, to);
    });
}
const taken = performance.now() - began;

let largest = 0;
for (const [i, heat] of expected().entries()) largest = Math.max(largest, Math.abs(heat - (plate[i] ?? 0)));
// Products and sums may be fused, which rounds once instead of twice.
if (largest > 1e-5) throw new Error(`a cell differs by ${largest} from plain TypeScript`);
const file = join(root, "out", "sycl-stencil.png");
mkdirSync(join(root, "out"), { recursive: true });
writeFileSync(file, encode({ width: COLUMNS, height: ROWS, data: picture(plate), channels: 3, depth: 8 }));
console.log(
  `${STEPS} steps of ${ROWS} × ${COLUMNS} cells in ${taken.toFixed(0)} ms; the largest difference is ${largest}`,
);
console.log(relative(process.cwd(), file));
