// SPDX-License-Identifier: Apache-2.0
// Jobs of the suite with more data: `writeLargerJobs` writes job files of their own, which every runner takes. A table
// says of each job what grows: with the data, or with a side of it, which grows with the square root.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * `all`: as many times as there is more data. `side`: its square root. `fence`: one more than what grows with the data,
 * as the beginnings of rows and the end are. `step`: becomes smaller as a side grows. `same`: stays.
 */
type Growth = "all" | "side" | "fence" | "step" | "same";

/**
 * How the sizes of a job grow, and its arguments: scalars, and counts of elements. What is behind the last one stays.
 */
interface Rule {
  readonly global: readonly Growth[];
  readonly args: readonly Growth[];
}

const SQUARE: readonly Growth[] = ["side", "side"];
/** Three sides, and three matrices. */
const PRODUCT: Rule = { global: SQUARE, args: ["side", "side", "side", "all", "all", "all"] };
/** Every body meets every other one. */
const BODIES: Rule = { global: ["side"], args: ["side", "same", "side", "side"] };
/** A count, a factor, and two vectors. */
const VECTORS: Rule = { global: ["all"], args: ["all", "same", "all", "all"] };

/** What there is no row for stays as it is, and is not written. */
const RULES: Readonly<Record<string, Rule>> = {
  blackscholes: { global: ["all"], args: ["same", "same", "all", "all", "all", "all", "all"] },
  conv5x5: { global: SQUARE, args: ["side", "side", "all", "same", "all"] },
  copy: { global: ["all"], args: ["all", "all"] },
  daxpy: VECTORS,
  dgemm_naive: PRODUCT,
  fft2_stage: { global: ["all"], args: ["same", "all", "all"] },
  hist_global: { global: ["all"], args: ["all"] },
  hist_local: { global: ["all"], args: ["all", "all"] },
  img_blur5: { global: SQUARE, args: ["side", "side"] },
  mandelbrot: { global: SQUARE, args: ["side", "side", "same", "same", "step", "same", "all"] },
  nbody: BODIES,
  nbody_local: BODIES,
  null_manygroups: { global: ["all"], args: [] },
  reduce_sum: { global: ["all"], args: ["all", "all", "all"] },
  saxpy: VECTORS,
  saxpy_half: VECTORS,
  saxpy_small: VECTORS,
  sgemm_naive: PRODUCT,
  sgemm_reg: PRODUCT,
  sgemm_tiled: PRODUCT,
  sha256: { global: ["all"], args: ["all", "all"] },
  spmv_csr: { global: ["all"], args: ["all", "fence", "all", "all", "all", "all"] },
  stencil7: { global: ["side", "side", "same"], args: ["side", "side", "same", "same", "same", "all", "all"] },
  transpose: { global: SQUARE, args: ["side", "side", "all", "all"] },
  triad: { global: ["all"], args: ["same", "all", "all", "all"] },
  vecadd4: { global: ["all"], args: ["all", "all", "all"] },
};

/** An argument of a job file. */
type Argument = Readonly<Record<string, unknown>>;

/** What is read of a job file; the rest is kept. */
interface JobFile {
  readonly name: string;
  readonly source: string;
  readonly global: readonly number[];
  readonly args: readonly Argument[];
}

function grown(value: number, growth: Growth, times: number): number {
  const side = Math.sqrt(times);
  const results: Readonly<Record<Growth, number>> = {
    all: value * times,
    side: value * side,
    fence: (value - 1) * times + 1,
    step: value / side,
    same: value,
  };
  return results[growth];
}

/** Initial values that are places in what grows: the bound behind the last one grows, too. */
function grownInit(init: unknown, growth: Growth, times: number): unknown {
  const [, head, bound] = /^(randint:\d+:\d+:)(\d+)$/u.exec(String(init)) ?? [];
  return head === undefined ? init : `${head}${grown(Number(bound), growth, times)}`;
}

function grownArgument(argument: Argument, growth: Growth, times: number): Argument {
  const { buffer, count, init, image2d: image } = argument;
  if (buffer !== undefined)
    return { ...argument, count: grown(Number(count), growth, times), init: grownInit(init, growth, times) };
  if (typeof image === "object" && image !== null && "width" in image && "height" in image)
    return {
      image2d: {
        ...image,
        width: grown(Number(image.width), growth, times),
        height: grown(Number(image.height), growth, times),
      },
    };
  return Object.fromEntries(
    Object.entries(argument).map(([type, value]) => [
      type,
      typeof value === "number" ? grown(value, growth, times) : value,
    ]),
  );
}

/** A job with more data; null: there is no rule for it. */
export function largerJob<Given extends JobFile>(job: Given, times: number): Given | null {
  const rule = RULES[job.name];
  if (rule === undefined) return null;
  return {
    ...job,
    global: job.global.map((size, i) => grown(size, rule.global[i] ?? "same", times)),
    args: job.args.map((argument, i) => grownArgument(argument, rule.args[i] ?? "same", times)),
  };
}

/**
 * Writes the job files of a folder with `times` the data into another one, and returns that. Throws unless `times` is
 * the square of a whole number.
 */
export function writeLargerJobs(suite: string, into: string, times: number): string {
  if (!(times >= 1 && Number.isInteger(Math.sqrt(times))))
    throw new Error(`--data must be the square of a whole number, as 4 or 16, not ${times}`);
  mkdirSync(into, { recursive: true });
  for (const file of readdirSync(suite)) {
    if (!file.endsWith(".json")) continue;
    const job = largerJob(JSON.parse(readFileSync(join(suite, file), "utf8")) as JobFile, times);
    // Sources stay where they are.
    if (job !== null)
      writeFileSync(join(into, file), JSON.stringify({ ...job, source: resolve(suite, job.source) }, null, 1));
  }
  return into;
}
