// SPDX-License-Identifier: Apache-2.0
// The chart of README.md.
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { expect, test } from "vitest";

import { barLength, chartOf, readGroups } from "../performance/chart.ts";
import { escapeXml } from "../performance/escape-xml.ts";

const table = (...rows: readonly string[]): string =>
  ["| job | PoCL ÷ Wasm | PoCL ÷ x64 |", "|---|--:|--:|", ...rows].join("\n");
const PAGE = [
  `# Performance\n\nText.\n\n${table("| a | 2.00 | 4.00 |", "| b | 8.00 | 4.00 |")}`,
  `## Else\n\n${table("| a | 90 | 90 |")}`,
  `### Tuned half\n\n${table("| a | 0.50 | 1.00 |", "| b | - | 1.00 |")}`,
  `### Untouched half\n\n${table("| a | 1.00 | 3.00 |")}`,
].join("\n\n");

test("means are those of the tables; a cell without a number does not count", () => {
  const groups = readGroups(PAGE);
  expect(groups.map(({ jobs }) => jobs)).toEqual([2, 2, 1]);
  const ratios = groups.flatMap(({ bars }) => bars.map(({ ratio }) => Number(ratio.toFixed(9))));
  expect(ratios).toEqual([4, 4, 0.5, 1, 1, 3]);
});

test("bars are in proportion, and PoCL's 1 fits when all are slower", () => {
  const groups = readGroups(PAGE);
  expect(barLength(4, groups)).toBeCloseTo(4 * barLength(1, groups), 9);
  expect(barLength(0, groups)).toBe(0);
  const slow = [{ label: "a", jobs: 1, bars: [{ side: "b", ratio: 0.5 }] }];
  expect(barLength(1, slow)).toBeCloseTo(2 * barLength(0.5, slow), 9);
  expect(barLength(1, slow)).toBeCloseTo(barLength(4, groups), 9);
});

test("the chart is well-formed, has a bar for each mean, and escapes its words", () => {
  const svg = chartOf([...readGroups(PAGE), { label: '<&">', jobs: 1, bars: [{ side: "a<b", ratio: 2 }] }]);
  expect(XMLValidator.validate(svg)).toBe(true);
  const { svg: root } = new XMLParser().parse(svg) as { svg: { rect: readonly unknown[]; title: string } };
  expect(root.rect).toHaveLength(7);
  expect(root.title).toContain('<&">: a<b 2.00');
  expect(svg).toContain("prefers-color-scheme: dark");
  expect(escapeXml('<a b="&">')).toBe("&lt;a b=&quot;&amp;&quot;&gt;");
});

test("a page without a table or a column is refused with its name", () => {
  expect(() => readGroups("# Performance\n")).toThrow('no table of jobs under "# Performance"');
  expect(() => readGroups(PAGE.replace("### Untouched half", "### Other half"))).toThrow(
    'no table of jobs under "### Untouched half"',
  );
  expect(() => readGroups(PAGE.replace("PoCL ÷ x64", "other"))).toThrow(
    'no numbers in a column "PoCL ÷ x64" under "# Performance"',
  );
});
