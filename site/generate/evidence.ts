// SPDX-License-Identifier: Apache-2.0
// What the pages with measurements have in addition to their documents: charts of their tables, and a first page with
// the figures that matter.
import { type Table, numbersOf, tableUnder } from "../../scripts/performance/markdown-table.ts";
import { ratioChart } from "./chart.ts";

const barsOf = (table: Table, column: string): readonly { readonly name: string; readonly value: number }[] =>
  [...numbersOf(table, column)].map(([name, value]) => ({ name, value }));

/** A chart under a heading: which table, which column, and what the chart shows. */
interface ChartRow {
  readonly heading: string;
  readonly column: string;
  readonly title: string;
}

/** Where the jobs of the measuring suite are. */
const SUITE = "# Performance";

const SPEED_CHARTS: readonly ChartRow[] = [
  {
    heading: SUITE,
    column: "PoCL ÷ Wasm",
    title: "PoCL's time over that of Muxkit's WebAssembly, by job: above 1, Muxkit is faster",
  },
  { heading: SUITE, column: "PoCL ÷ x64", title: "PoCL's time over that of Muxkit's machine code, by job" },
  {
    heading: "## Time to the first result",
    column: "PoCL ÷ Muxkit, cold",
    title: "PoCL's time to a first result over Muxkit's, nothing kept",
  },
  { heading: "## Vulkan beside lavapipe", column: "lavapipe ÷ Muxkit", title: "lavapipe's time over Muxkit's, by job" },
  {
    heading: "## GPU beside NVIDIA's OpenCL",
    column: "NVIDIA ÷ Muxkit",
    title: "NVIDIA's time over Muxkit's on an H100, by job",
  },
];

/** The chart of first pages: some of the jobs, evenly taken from the best to the worst. */
export function speedChart(document: string, jobs?: number): string {
  const bars = barsOf(tableUnder(document, SUITE), "PoCL ÷ Wasm").toSorted((a, b) => b.value - a.value);
  const step = jobs === undefined ? 1 : bars.length / jobs;
  const shown =
    jobs === undefined ? bars : Array.from({ length: jobs }, (_item, index) => bars[Math.floor(index * step)]);
  return ratioChart(
    "PoCL's time over Muxkit's",
    shown.flatMap((bar) => bar ?? []),
  );
}

/** The document of speed with a chart above each of its tables. */
export function withSpeedCharts(document: string): string {
  const lines = document.split("\n");
  const inserts = new Map<number, string>();
  for (const { heading, column, title } of SPEED_CHARTS) {
    const start = lines.indexOf(heading);
    const at = lines.findIndex((line, index) => index > start && line.startsWith("|"));
    const chart = ratioChart(title, barsOf(tableUnder(document, heading), column));
    inserts.set(at, `${inserts.get(at) ?? ""}*${title}; the axis is logarithmic.*\n\n${chart}\n\n`);
  }
  return lines.map((line, index) => `${inserts.get(index) ?? ""}${line}`).join("\n");
}

/** Error over limit of each function, where the limit is a number. */
export function withUlpChart(document: string): string {
  const table = tableUnder(document, "## float");
  const limits = numbersOf(table, "limit");
  const errors = numbersOf(table, "error");
  const bars = [...limits].flatMap(([name, limit]) => {
    const error = errors.get(name) ?? 0;
    return error > 0 && limit > 0 ? [{ name, value: limit / error }] : [];
  });
  const title = "How many times the greatest error of a float function fits into what the specification allows";
  const chart = ratioChart(title, bars);
  return document.replace("\n## float\n", `\n## float\n\n*${title}; the axis is logarithmic.*\n\n${chart}\n`);
}

/** The section's first page. */
export function evidenceIndex(performance: string): string {
  const means = /^Geometric means: (.*)$/mu.exec(performance)?.[1] ?? "";
  const meanOver = (whose: string): string => {
    const mean = new RegExp(`over ${whose} ([\\d.]+)`, "u").exec(means)?.[1];
    if (mean === undefined) throw new Error(`the page of speed does not say the mean over ${whose}`);
    return mean;
  };
  const [pocl, machine] = [meanOver("WebAssembly's"), meanOver("machine code's")];
  return `---
title: Evidence
description: What Muxkit claims, and what was measured to support it.
---

# Evidence

What was measured, and how to measure it again: each page names the command that wrote it.

On the measuring suite PoCL takes **${pocl} times** as long as Muxkit's WebAssembly and **${machine} times** as long as
its machine code, in geometric mean, on the machine that the page names.

${speedChart(performance, 12)}

*PoCL's time over that of Muxkit's WebAssembly; some of the jobs, from the best to
the worst. [All of them](/evidence/speed), those where Muxkit is
behind too.*

| question | page |
|---|---|
| How fast is it, and where is it slow? | [Speed](/evidence/speed) |
| How exact are the math functions? | [Errors of math functions](/evidence/ulp) |
| How much of OpenCL is there? | [Conformance](/evidence/conformance) |
| Do programs that others wrote run? | [Programs](/evidence/programs) |
| Does the front end agree with clang? | [Beside clang](/evidence/clang) |
| How large is it on a page? | [Sizes](/evidence/sizes) |
| Do the tests notice a broken compiler? | [What the tests notice](/evidence/mutants) |
`;
}
