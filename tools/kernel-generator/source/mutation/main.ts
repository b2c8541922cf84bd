// SPDX-License-Identifier: Apache-2.0
// `npm run differential -- --mutants`: how many kernels find each wrong rewrite of the compiler.
// --write writes the page; --recorded tries the seeds that the page names first; --alone runs no other implementation;
// names choose some.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { nativeImplementations } from "../native.ts";
import type { Hunt } from "./hunt.ts";
import { MUTANTS } from "./mutants.table.ts";
import { readPage, writePage } from "./page.ts";
import { superviseHunt } from "./supervise.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");
const PAGE = join(ROOT, "docs/mutants.md");

const words = process.argv.slice(2);
const recorded = words.includes("--recorded") ? readPage(readFileSync(PAGE, "utf8")) : new Map<string, number>();
const only = words.filter((word) => !word.startsWith("--"));
const wanted = only.length === 0 ? MUTANTS : MUTANTS.filter(({ name }) => only.includes(name));
const alone = words.includes("--alone");
for (const reason of alone ? [] : nativeImplementations(join(ROOT, "node_modules/.cache/muxkit")).missing)
  console.log(`SKIPPED: ${reason}`);
const hunts: { readonly name: string; readonly result: Hunt }[] = [];
for (const mutant of wanted) {
  // oxlint-disable-next-line no-await-in-loop -- one after the other is what is wanted
  const result = await superviseHunt({
    program: join(import.meta.dirname, "hunt-job.ts"),
    words: [mutant.name, String(recorded.get(mutant.name) ?? "-"), ...(alone ? ["--alone"] : [])],
  });
  hunts.push({ name: mutant.name, result });
  console.log(JSON.stringify({ name: mutant.name, ...result }));
}
if (words.includes("--write")) writeFileSync(PAGE, writePage(new Map(hunts.map(({ name, result }) => [name, result]))));
process.exitCode = hunts.some(({ result }) => result.seed === null) ? 1 : 0;
