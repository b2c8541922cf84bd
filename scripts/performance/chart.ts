// SPDX-License-Identifier: Apache-2.0
// The chart of README.md: bars of geometric means, read from the tables of docs/performance.md, as SVG. Its colours
// follow what the reader prefers, light or dark; its fonts are the reader's own.
import { geometricMean } from "../bench/interleaved-runs.ts";
import { escapeXml } from "./escape-xml.ts";
import { type Table, tableUnder } from "./markdown-table.ts";

/** A bar: what ran the jobs, and PoCL's time over its. */
export interface Bar {
  readonly side: string;
  readonly ratio: number;
}

/** The bars of a group of jobs. */
export interface BarGroup {
  readonly label: string;
  /** How many jobs its table has. */
  readonly jobs: number;
  readonly bars: readonly Bar[];
}

/** Where the groups are on the page: the heading before the table, and what the chart calls them. */
const GROUPS: readonly (readonly [heading: string, label: string])[] = [
  ["# Performance", "Suite"],
  ["### Tuned half", "Wider jobs, tuned for"],
  ["### Untouched half", "Wider jobs, never tuned for"],
];

/** The columns that become bars, and what the chart calls them. */
const COLUMNS: readonly (readonly [column: string, side: string])[] = [
  ["PoCL ÷ Wasm", "WebAssembly"],
  ["PoCL ÷ x64", "machine code"],
];

/** The geometric mean of a column; jobs that a side did not run have no number there and do not count. */
function meanOf(table: Table, column: string, heading: string): number {
  const index = table.header.indexOf(column);
  const values = table.rows.map((row) => Number(row[index] ?? Number.NaN)).filter((value) => value > 0);
  if (values.length === 0)
    throw new Error(`docs/performance.md has no numbers in a column "${column}" under "${heading}"`);
  return geometricMean(values);
}

/** The groups of the chart from the text of docs/performance.md; an error names the table or column that is missing. */
export function readGroups(page: string): readonly BarGroup[] {
  return GROUPS.map(([heading, label]) => {
    const table = tableUnder(page, heading, "table of jobs");
    const bars = COLUMNS.map(([column, side]): Bar => ({ side, ratio: meanOf(table, column, heading) }));
    return { label, jobs: table.rows.length, bars };
  });
}

const WIDTH = 820;
/** Where bars begin, and the longest that they get: what is right of it is for the number. */
const LEFT = 150;
const LONGEST = 580;
const TOP = 62;
const BAR = 26;
const GROUP = 2 * BAR + 50;

const STYLE = `  <style>
    svg { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 17px }
    text { fill: #1f2328 }
    .title { font-size: 20px; font-weight: 600 }
    .group { font-weight: 600 }
    .soft { fill: #59636e }
    .even { stroke: #1f2328; stroke-width: 1.5; stroke-dasharray: 4 4 }
    .bar0 { fill: #5a67d8 }
    .bar1 { fill: #c2570c }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .soft { fill: #9198a1 }
      .even { stroke: #f0f6fc }
      .bar0 { fill: #8c9eff }
      .bar1 { fill: #f0883e }
    }
  </style>`;

/** The length of a bar in units of the picture: linear from 0, the longest bar or PoCL's 1 fills the width. */
export function barLength(ratio: number, groups: readonly BarGroup[]): number {
  const most = Math.max(1, ...groups.flatMap(({ bars }) => bars.map((bar) => bar.ratio)));
  return (ratio / most) * LONGEST;
}

const tenth = (value: number): string => String(Math.round(value * 10) / 10);

/** The chart as a file of SVG. */
export function chartOf(groups: readonly BarGroup[]): string {
  const bottom = TOP + groups.length * GROUP;
  const even = tenth(LEFT + barLength(1, groups));
  const said = groups.map(
    ({ label, bars }) => `${label}: ${bars.map(({ side, ratio }) => `${side} ${ratio.toFixed(2)}`).join(", ")}`,
  );
  const drawn = groups.flatMap(({ label, jobs, bars }, index) => {
    const y = TOP + index * GROUP;
    const rows = bars.flatMap(({ side, ratio }, row) => {
      const top = y + 28 + row * (BAR + 4);
      const length = barLength(ratio, groups);
      return [
        `  <text class="soft" x="${LEFT - 10}" y="${top + 19}" text-anchor="end">${escapeXml(side)}</text>`,
        `  <rect class="bar${row}" x="${LEFT}" y="${top}" width="${tenth(length)}" height="${BAR}" rx="3"/>`,
        `  <text x="${tenth(LEFT + length + 8)}" y="${top + 19}">${ratio.toFixed(2)}×</text>`,
      ];
    });
    return [
      `  <text class="group" x="${LEFT}" y="${y + 18}">${escapeXml(label)} ` +
        `<tspan class="soft" font-weight="400">(${jobs} jobs)</tspan></text>`,
      ...rows,
      `  <line class="even" x1="${even}" y1="${y + 25}" x2="${even}" y2="${y + 28 + bars.length * (BAR + 4)}"/>`,
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 22}" role="img">`,
    `  <title>Speed beside PoCL. ${escapeXml(said.join("; "))}</title>`,
    STYLE,
    `  <text class="title" x="${LEFT}" y="32">How many times as fast as PoCL, geometric means</text>`,
    ...drawn,
    `  <text class="soft" x="${even}" y="${bottom + 6}" text-anchor="middle">PoCL = 1</text>`,
    "</svg>",
    "",
  ].join("\n");
}
