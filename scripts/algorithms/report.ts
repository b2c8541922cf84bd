// SPDX-License-Identifier: Apache-2.0
// Tables of measured algorithms, and the page of them.
import { availableParallelism, cpus, loadavg } from "node:os";

import type { Device } from "muxkit";

import { geometricMean } from "../bench/interleaved-runs.ts";

/** Medians, in ms. */
export interface Time {
  /** On the clock. */
  readonly ms: number;
  /** Of processors, by all threads: what others on the machine do does not lengthen it. */
  readonly processor: number;
}

/** What another side needs. */
export interface Other {
  readonly name: string;
  readonly time: Time;
}

/** An algorithm at a size. */
export interface Row {
  readonly size: string;
  readonly name: string;
  readonly what: string;
  readonly ours: Time;
  /** The fastest in JavaScript. */
  readonly javascript: Other;
  /** Other libraries. */
  readonly others: readonly Other[];
}

/** What was measured, on what. */
export function machine(device: Device, libraries: readonly string[]): string {
  const cores = availableParallelism();
  const model = cpus()[0]?.model.replaceAll(/\s+/gu, " ") ?? "unknown processor";
  const load = (loadavg()[0] ?? 0).toFixed(1);
  return (
    `${model}, ${cores} cores, load ${load} at the start (${cores} is full); Node ${process.version}; ${String(device)}` +
    (libraries.length === 0 ? "" : `; ${libraries.join("; ")}`)
  );
}

function ms(value: number): string {
  return value < 10 ? value.toPrecision(3) : value.toFixed(1);
}

/** How many times as long another side takes: on the clock, and of processors. */
function ratios(ours: Time, other: Time): readonly [clock: number, processor: number] {
  return [other.ms / ours.ms, other.processor / ours.processor];
}

const isNumeric = (cell: string): boolean => /^[\d.]*$/u.test(cell);

/** The means of ratios, as a sentence begins. */
function mean(name: string, pairs: readonly (readonly [clock: number, processor: number])[]): string {
  const clock = pairs.map(([ratio]) => ratio);
  const processor = pairs.map(([, ratio]) => ratio);
  return (
    `${name} ÷ Muxkit ${geometricMean(clock).toFixed(2)} on the clock (least ${Math.min(...clock).toFixed(2)}), ` +
    `${geometricMean(processor).toFixed(2)} of processor time, ${pairs.length} algorithms`
  );
}

/** A table, and the means below it. */
export function tableOf(rows: readonly Row[]): string {
  const libraries = [...new Set(rows.flatMap(({ others }) => others.map(({ name }) => name)))].toSorted();
  const columns = ["Muxkit", "JavaScript", "what", "÷ Muxkit", "processor ÷ Muxkit"];
  const head = ["algorithm", "size", ...columns, ...libraries.flatMap((name) => [name, "÷ Muxkit", "processor"])];
  const lines = rows.map(({ name, what, ours, javascript, others }) => [
    name,
    what,
    ms(ours.ms),
    ms(javascript.time.ms),
    javascript.name,
    ...ratios(ours, javascript.time).map((ratio) => ratio.toFixed(2)),
    ...libraries.flatMap((library) => {
      const other = others.find((one) => one.name === library);
      return other === undefined
        ? ["", "", ""]
        : [ms(other.time.ms), ...ratios(ours, other.time).map((ratio) => ratio.toFixed(2))];
    }),
  ]);
  const marks = head.map((_, i) => (lines.every((cells) => isNumeric(cells[i] ?? "")) ? "--:" : "---"));
  const means = [
    mean(
      "JavaScript",
      rows.map(({ ours, javascript }) => ratios(ours, javascript.time)),
    ),
    ...libraries.map((library) =>
      mean(
        library,
        rows.flatMap(({ ours, others }) =>
          others.filter(({ name }) => name === library).map(({ time }) => ratios(ours, time)),
        ),
      ),
    ),
  ];
  return [
    ...[head, marks, ...lines].map((cells) => `| ${cells.join(" | ")} |`),
    "",
    ...means.map((text) => `- ${text}.`),
    "",
  ].join("\n");
}

/** The page of all rows. */
export function pageOf(subject: string, rows: readonly Row[]): string {
  const sizes = [...new Set(rows.map(({ size }) => size))];
  const chapter = (size: string): string =>
    `## ${size[0]?.toUpperCase() ?? ""}${size.slice(1)} arrays\n\n${tableOf(rows.filter((row) => row.size === size))}`;
  return `# Speed of algorithms

Written by \`npm run bench:algorithms -- --pocl --markdown docs/algorithms.md\`.
${subject}.

Each function of [@muxkit/algorithms](../source/algorithms/README.md) beside the fastest that we know in JavaScript, and
beside other libraries where they have it. All sides run in turns in one run; times in ms are medians of up to 15
rounds, after rounds that do not count, in which all sides optimise their code. Arrays are in the memory of each side
already. Times of ours are from the call to the end of waiting for the device. "÷ Muxkit" is another side's time over
ours. "processor" is the same for the time that processors worked, on all threads together: on a machine with other
work it is the steadier figure, and it does not count that two threads share the work.

- **JavaScript** is the fastest of what "what" names and of others that were measured beside it: loops over typed arrays
  with and without branches, with one variable or four, a radix sort, \`TypedArray.sort\`, \`ml-matrix\`, \`fft.js\`.
  They are in \`scripts/algorithms\`. Doubles are computed where JavaScript computes doubles. Tried once and not in the
  tables: \`hpc-algorithms\` sorts by radix in twice the time of the loop; \`timsort\` took 0.88 of the time of the
  sort by a comparator that is built in. Packages with WebAssembly inside were not tried.
- **PyOpenCL** (element-wise, reduction, scan, radix sort, compaction, Philox), **CLBlast** (sum, transposition,
  product, convolution) and **clFFT** run on PoCL; **NumPy** uses one thread. NumPy's transform computes doubles. Their
  arrays are of the same sizes and kinds, and do not have the same numbers.
- PyOpenCL's compaction leaves an array of full length and does not copy what is kept; ours does. Its sorts are of
  sorted numbers after the first round, which radix sorts notice only by better use of caches.
- Small arrays are for JavaScript: a launch and waiting for it cost more than the whole loop, and more still on a
  machine with other work, where threads wait for their turn.

${sizes.map(chapter).join("\n")}`;
}
