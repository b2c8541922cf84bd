// SPDX-License-Identifier: Apache-2.0
// `npm run bench`: the benchmark suite on Muxkit, on hand-written WebAssembly and, where they are installed, on PoCL
// and in hand-written C, in interleaved rounds; outputs compared, times side by side.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { type ComparedOutput, compareDirs } from "../benchmarks/src/compare.mjs";
import { firstMeans, firstSection, measureFirst, withFirstSection } from "./bench/first.ts";
import { keptParts, readFirstRows, readRows, textOfFirstRows, textOfRows } from "./bench/kept.ts";
import { type Row, headLine, meansText, page, rowLine, verdict } from "./bench/report.ts";
import { type Rounds, reasonOf, runRounds, widestSpread } from "./bench/interleaved-runs.ts";
import { SIDES, type Side, type SideName, openSides } from "./bench/sides.ts";

const root = resolve(import.meta.dirname, "..");
/** Rounds of a job; the suite of small jobs only compares outputs. */
const ROUNDS = 5;
/** Above this spread a job is measured again. */
const CALM = 1.3;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    tiny: { type: "boolean" },
    rounds: { type: "string" },
    without: { type: "string" },
    runs: { type: "string" },
    warmup: { type: "string" },
    "min-ms": { type: "string" },
    threads: { type: "string" },
    first: { type: "boolean" },
    hasty: { type: "boolean" },
    json: { type: "string" },
    with: { type: "string" },
    markdown: { type: "string" },
    help: { type: "boolean" },
  },
});
if (values.help === true) {
  console.log(
    "npm run bench -- [--only NAME,NAME] [--tiny] [--rounds N] [--without " +
      "node20,hand,pocl,native] [--first] [--hasty] [--runs N] [--warmup N] [--min-ms T] " +
      "[--threads N] [--json FILE] [--with FILE,FILE] [--markdown FILE]",
  );
  process.exit(0);
}

/** Ends the program with a sentence. */
function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

function jobFiles(folder: string): readonly string[] {
  const only = values.only?.split(",") ?? null;
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .toSorted();
  const names = files.map((name) => name.slice(0, -".json".length));
  for (const name of only ?? [])
    if (!names.includes(name)) refuse(`there is no job "${name}"; there are ${names.join(", ")}`);
  return files.filter((_, i) => only?.includes(names[i] ?? "") ?? true).map((name) => join(folder, name));
}

/**
 * Files of `--with`: their jobs are not measured again, so that a suite can be measured in parts, when the machine is
 * calm.
 */
function filesBefore(): readonly string[] {
  return values.with?.split(",") ?? [];
}

function withoutThose(jobs: readonly string[]): readonly string[] {
  return jobFiles(suite).filter((file) => !jobs.includes(basename(file, ".json")));
}

function inOrder<T>(list: readonly T[], nameOf: (item: T) => string): readonly T[] {
  return list.toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
}

function wantedSides(): Set<SideName> {
  const without = values.without?.split(",") ?? [];
  for (const name of without)
    if (!SIDES.some((side) => side === name && side !== "muxkit"))
      refuse(`--without takes ${SIDES.slice(1).join(", ")}, not "${name}"`);
  // Times of the small jobs mean nothing, so the C and the second engine have no part in them.
  return new Set(
    SIDES.filter(
      (side) => !without.includes(side) && ((side !== "native" && side !== "node20") || values.tiny !== true),
    ),
  );
}

function roundCount(): number {
  const count = Number(values.rounds ?? (values.tiny === true ? 1 : ROUNDS));
  return Number.isInteger(count) && count > 0
    ? count
    : refuse(`--rounds takes a whole number of at least 1, not "${values.rounds ?? ""}"`);
}

function measure(suite: string, jobFile: string, sides: readonly Side[], count: number, work: string): Row {
  const { name } = JSON.parse(readFileSync(jobFile, "utf8")) as { readonly name: string };
  const dumpOf = (side: SideName): string => join(work, `${name}.${side}`);
  let rounds: Rounds = runRounds(name, jobFile, sides, count, dumpOf);
  if (count > 1 && values.hasty !== true && widestSpread(rounds) > CALM) {
    const again = runRounds(name, jobFile, sides, count, dumpOf);
    if (widestSpread(again) < widestSpread(rounds)) rounds = again;
  }
  const compare = (side: SideName): readonly ComparedOutput[] => {
    const ran = [side, "pocl" as const].every((one) => rounds.runs.has(one) && reasonOf(rounds, one) === null);
    return ran ? compareDirs(suite, dumpOf(side), dumpOf("pocl"), [name]) : [];
  };
  const row: Row = { rounds, compared: compare("muxkit"), handCompared: compare("hand") };
  for (const side of SIDES) rmSync(dumpOf(side), { recursive: true, force: true });
  return row;
}

const suite = join(root, "benchmarks", "suite", ...(values.tiny === true || values.first === true ? ["tiny"] : []));
const work = mkdtempSync(join(tmpdir(), "muxkit-bench-"));
const count = roundCount();
const passed = (["runs", "warmup", "min-ms"] as const).flatMap((name) =>
  values[name] === undefined ? [] : [`--${name}`, values[name]],
);
const rows: Row[] = [];

/** `--first`: whole processes, and nothing else. */
async function firstOnly(): Promise<void> {
  const { sides, missing: absent } = await openSides(
    new Set(["muxkit", ...(wantedSides().has("pocl") ? ["pocl" as const] : [])]),
    { work, threads: values.threads ?? null, passed: [] },
  );
  for (const [side, reason] of absent) console.log(`${side} is not measured: ${reason}`);
  const before = filesBefore().flatMap(readFirstRows);
  const measured = inOrder(
    [
      ...before,
      ...measureFirst(withoutThose(before.map(({ job }) => job)), sides, (line) => {
        console.log(line);
      }),
    ],
    ({ job }) => job,
  );
  console.log(`\n${firstMeans(measured)}`);
  if (values.json !== undefined) writeFileSync(values.json, textOfFirstRows(measured));
  const { markdown } = values;
  if (markdown !== undefined)
    writeFileSync(
      markdown,
      withFirstSection(
        existsSync(markdown) ? readFileSync(markdown, "utf8") : "",
        firstSection(measured, `npm run bench -- --first --markdown ${markdown}`),
      ),
    );
}

if (values.first === true) {
  try {
    await firstOnly();
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  process.exit();
}
let missing: ReadonlyMap<SideName, string>;
try {
  const before = filesBefore().flatMap(readRows);
  const files = withoutThose(before.map(({ rounds }) => rounds.job));
  const opened = await openSides(wantedSides(), { work, threads: values.threads ?? null, passed });
  missing = opened.missing;
  for (const [side, reason] of missing) console.log(`${side} is not measured: ${reason}`);
  console.log(
    `${count} rounds of ${opened.sides.map(({ name }) => name).join(", ")}, one after the other; ms\n${headLine()}`,
  );
  for (const file of files) {
    const row = measure(suite, file, opened.sides, count, work);
    rows.push(row);
    console.log(rowLine(row));
  }
  rows.push(...before);
} finally {
  rmSync(work, { recursive: true, force: true });
}
const sorted = inOrder(rows, ({ rounds }) => rounds.job);
const ran = rows.filter(({ rounds }) => reasonOf(rounds, "muxkit") === null);
const agreed = rows.filter((row) => verdict(row).startsWith("agrees"));
const differing = rows.filter((row) => /^(?:DIFFERS|HAND)/u.test(verdict(row)));
console.log(
  `\n${rows.length} jobs: ${ran.length} ran, ${rows.length - ran.length} could not; ` +
    `${agreed.length} agree with PoCL, ${differing.length} ` +
    `differ${values.tiny === true ? "" : `; geometric means: ${meansText(rows)}`}`,
);
if (values.json !== undefined) writeFileSync(values.json, textOfRows(sorted));
if (values.markdown !== undefined)
  writeFileSync(
    values.markdown,
    page(
      sorted,
      `npm run bench -- ${values.hasty === true ? "--hasty " : ""}--markdown ${values.markdown}`,
      { count, isHasty: values.hasty === true },
      missing,
      keptParts(values.markdown),
    ),
  );
process.exitCode = differing.length > 0 ? 1 : 0;
