// SPDX-License-Identifier: Apache-2.0
// Fails when a line has over 120 columns where it need not: only tables, generated files and recorded texts may be
// wider. With --count it prints how many such lines each package has; with --wrap it wraps comments and paragraphs of
// Markdown. Paths that follow are the only ones that it looks at.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

import { LINE_WIDTH, wideLines, wrapComments, wrapMarkdown } from "./line-width/line-width.ts";

const CHECKED = /\.(?:[cm]?[jt]s|[ch]|cl|md|ya?ml)$/u;
/**
 * Tables (those of calls and of test programs are tests too), generated files, texts of others, data, and texts that
 * tools compare or write.
 */
const EXCLUDED =
  /(?:^|\/)(?:generated|external|golden|cases|fixtures|clang)\/|^benchmarks\/(?:suite|src\/sha_k)|^\.changeset\/|\.table\.ts$|\.api\.md$|^source\/cl\/test\/call-errors\.test\.ts$|^modules\/opencl-c\/test\/(?:sources|places\.test|source-locations\.test)\.ts$/u;
/** Pages that programs write. */
const WRITTEN_PAGE = /(?:Written|written|Generated|generated) (?:by|from) `|writes this page/u;

const args = process.argv.slice(2);
const folders = args.filter((arg) => !arg.startsWith("--"));
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...folders], {
  encoding: "utf8",
  maxBuffer: 2 ** 26,
})
  .split("\n")
  .filter((file) => CHECKED.test(file) && !EXCLUDED.test(file) && existsSync(file));
const counts = new Map<string, number>();
let count = 0;
for (const file of files) {
  let text = readFileSync(file, "utf8");
  if (WRITTEN_PAGE.test(text.slice(0, 1500))) continue;
  if (args.includes("--wrap") && /\.(?:[cm]?[jt]s|md)$/u.test(file)) {
    const wrapped = file.endsWith(".md") ? wrapMarkdown(text) : wrapComments(text);
    if (wrapped !== text) writeFileSync(file, wrapped);
    text = wrapped;
  }
  const lines = wideLines(file, text);
  count += lines.length;
  const owner = file
    .split("/")
    .slice(0, /^(?:modules|source|tools)\//u.test(file) ? 2 : 1)
    .join("/");
  counts.set(owner, (counts.get(owner) ?? 0) + lines.length);
  if (!args.includes("--count"))
    for (const line of lines) console.error(`${file}:${String(line)}: over ${String(LINE_WIDTH)} columns`);
}
if (args.includes("--count"))
  for (const [owner, lines] of [...counts].toSorted(([, a], [, b]) => b - a))
    if (lines > 0) console.log(`${String(lines).padStart(5)}  ${owner}`);
process.exitCode = count === 0 ? 0 : 1;
