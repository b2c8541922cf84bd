// Puts the licence's SPDX identifier on top of every source file; with --check it only lists the files that lack it.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const IDENTIFIER = "// SPDX-License-Identifier: Apache-2.0";
const SOURCE_FILE = /\.(?:[cm]?[jt]s|[ch])$/;
/** Generated files say so themselves, programs of others carry their own terms, `benchmarks/suite` is data. */
const EXCLUDED = /(?:^|\/)(?:generated|external)\/|^benchmarks\/suite\//;

/** The text with the identifier in its first line, or in the second after an interpreter line. */
function withIdentifier(text: string): string {
  const start = text.startsWith("#!") ? text.indexOf("\n") + 1 : 0;
  return `${text.slice(0, start)}${IDENTIFIER}\n${text.slice(start)}`;
}

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => SOURCE_FILE.test(file) && !EXCLUDED.test(file));
let count = 0;
for (const file of files) {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    continue; // deleted in the working tree, still in the index
  }
  if (text.slice(0, 300).includes(IDENTIFIER)) continue;
  count += 1;
  if (process.argv.includes("--check")) console.error(`${file} has no SPDX identifier: run npm run license-headers`);
  else writeFileSync(file, withIdentifier(text));
}
if (process.argv.includes("--check")) process.exitCode = count === 0 ? 0 : 1;
else console.log(`${String(count)} files changed`);
