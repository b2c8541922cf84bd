// SPDX-License-Identifier: Apache-2.0
// Bar charts of ratios as SVG, on a logarithmic axis: as long to the left of 1 as to the right for equal factors.
// Colours are variables of the page, so that a chart is right in light and in dark.
import { escapeXml } from "../../scripts/performance/escape-xml.ts";

/** A bar: a name and a ratio above 0. */
export interface Bar {
  readonly name: string;
  readonly value: number;
}

const ROW = 20;
const NAMES = 150;
const WIDTH = 720;
const RIGHT = 54;
const TOP = 26;

const round = (value: number): string => String(Math.round(value * 10) / 10);

/** The chart; `title` is what a reader hears of it. The longest bar is first. */
export function ratioChart(title: string, bars: readonly Bar[]): string {
  const sorted = bars.toSorted((a, b) => b.value - a.value);
  const logs = sorted.map(({ value }) => Math.log2(value));
  const least = Math.min(0, Math.floor(Math.min(...logs)));
  const most = Math.max(1, Math.ceil(Math.max(...logs)));
  const x = (log: number): number => NAMES + ((log - least) / (most - least)) * (WIDTH - NAMES - RIGHT);
  const height = TOP + sorted.length * ROW + 6;
  const lines: string[] = [];
  for (let tick = least; tick <= most; tick++) {
    const at = round(x(tick));
    const label = tick >= 0 ? String(2 ** tick) : `1/${String(2 ** -tick)}`;
    lines.push(
      `<line x1="${at}" y1="${String(TOP - 4)}" x2="${at}" y2="${String(height)}" stroke="var(--vp-c-divider, #ddd)" stroke-width="${tick === 0 ? "2" : "1"}"/>`,
      `<text x="${at}" y="14" text-anchor="middle">${label}</text>`,
    );
  }
  for (const [index, { name, value }] of sorted.entries()) {
    const y = TOP + index * ROW;
    const log = logs[index] ?? 0;
    const from = x(Math.min(0, log));
    const to = x(Math.max(0, log));
    lines.push(
      `<text x="${String(NAMES - 8)}" y="${String(y + 13)}" text-anchor="end">${escapeXml(name)}</text>`,
      `<rect x="${round(from)}" y="${String(y + 2)}" width="${round(Math.max(1, to - from))}" height="${String(ROW - 5)}" rx="2" fill="var(${value < 1 ? "--chart-other" : "--chart-own"})"/>`,
      `<text x="${round(Math.max(to, x(0)) + 5)}" y="${String(y + 13)}">${value.toFixed(2)}</text>`,
    );
  }
  return `<svg class="chart" viewBox="0 0 ${String(WIDTH)} ${String(height)}" width="${String(WIDTH)}" height="${String(height)}" role="img" aria-label="${escapeXml(title)}" font-size="12" font-family="inherit" fill="var(--chart-text)">${lines.join("")}</svg>`;
}
