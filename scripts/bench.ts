// SPDX-License-Identifier: Apache-2.0
// `npm run bench`: the benchmark suite on Muxkit, on hand-written WebAssembly and, where they are installed, on PoCL
// and in hand-written C, in interleaved rounds; outputs compared, times side by side.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

import { type ComparedOutput, compareDirs } from "../benchmarks/src/compare.mjs";
import { firstMeans, firstSection, FIRST_TITLE, measureFirst } from "./bench/first.ts";
import { keptParts, readFirstRows, readRows, textOfFirstRows, textOfRows } from "./bench/kept.ts";
import { GROUPS, type JobFile, jobsOf, jobsOrExit } from "./bench/groups.ts";
import { type GroupRows, groupText, WIDER_TITLE, widerSection } from "./bench/group-report.ts";
import { type Row, headLine, page, rowLine, verdict } from "./bench/report.ts";
import { type Rounds, reasonOf, runRounds, widestSpread } from "./bench/interleaved-runs.ts";
import { withSection } from "./bench/section.ts";
import { SIDES, type Side, type SideName, openSides } from "./bench/sides.ts";

/** Rounds of a job; small jobs only compare outputs. */
const ROUNDS = 3;
/** Sides of jobs that exist in OpenCL C only. */
const BOTH: ReadonlySet<SideName> = new Set(["muxkit", "x64", "pocl"]);
/** So many small jobs are not worth a second process. */
const FEW = 8;
/** Above this spread a job is measured again. */
const CALM = 1.3;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    group: { type: "string" },
    tiny: { type: "boolean" },
    alone: { type: "boolean" },
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
    `npm run bench -- [--group ${GROUPS.map(({ name }) => name).join(",")}] [--only NAME,NAME] [--tiny] [--alone] [--rounds N] ` +
      "[--without " +
      "x64,node20,hand,pocl,native] [--first] [--hasty] [--runs N] [--warmup N] [--min-ms T] " +
      "[--threads N] [--json FILE] [--with FILE,FILE] [--markdown FILE]",
  );
  process.exit(0);
}

/** Ends the program with a sentence. */
function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

/**
 * Files of `--with`: their jobs are not measured again, so that a suite can be measured in parts, when the machine is
 * calm.
 */
function filesBefore(): readonly string[] {
  return values.with?.split(",") ?? [];
}

function withoutThose(jobs: readonly string[]): readonly JobFile[] {
  return asked.filter(({ name }) => !jobs.includes(name));
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
  const isWhole = asked.some(({ group }) => group.isHandWritten);
  return new Set(
    SIDES.filter(
      (side) =>
        !without.includes(side) &&
        ((side !== "native" && side !== "node20") || values.tiny !== true) &&
        (isWhole || BOTH.has(side)),
    ),
  );
}

function roundCount(): number {
  const count = Number(values.rounds ?? (values.tiny === true ? 1 : ROUNDS));
  return Number.isInteger(count) && count > 0
    ? count
    : refuse(`--rounds takes a whole number of at least 1, not "${values.rounds ?? ""}"`);
}

function measure({ name, path, group }: JobFile, all: readonly Side[]): Row {
  const sides = all.filter((side) => group.isHandWritten || BOTH.has(side.name));
  const dumpOf = (side: SideName): string => join(work, `${name}.${side}`);
  let rounds: Rounds = runRounds(name, path, sides, count, dumpOf);
  if (count > 1 && values.hasty !== true && widestSpread(rounds) > CALM) {
    const again = runRounds(name, path, sides, count, dumpOf);
    if (widestSpread(again) < widestSpread(rounds)) rounds = again;
  }
  const compare = (side: SideName): readonly ComparedOutput[] => {
    const ran = [side, "pocl" as const].every((one) => rounds.runs.has(one) && reasonOf(rounds, one) === null);
    return ran ? compareDirs(dirname(path), dumpOf(side), dumpOf("pocl"), [name]) : [];
  };
  const row: Row = {
    rounds,
    compared: compare("muxkit"),
    x64Compared: compare("x64"),
    handCompared: compare("hand"),
  };
  for (const side of SIDES) rmSync(dumpOf(side), { recursive: true, force: true });
  return row;
}

const isFirst = values.first === true;
// Whole processes are those of the suite's small jobs.
const asked = jobsOrExit({
  groups: isFirst ? "suite" : values.group,
  only: values.only,
  isTiny: isFirst || values.tiny === true,
});
const work = mkdtempSync(join(tmpdir(), "muxkit-bench-"));
const count = roundCount();
const passed = (["runs", "warmup", "min-ms"] as const).flatMap((name) =>
  values[name] === undefined ? [] : [`--${name}`, values[name]],
);
const rows: Row[] = [];

/** Runs jobs in a process of their own, by this program; its exit code says no more than its rows do. */
async function runElsewhere(jobs: readonly JobFile[], json: string): Promise<readonly Row[]> {
  const without = values.without === undefined ? [] : ["--without", values.without];
  const args = ["--tiny", "--alone", "--only", jobs.map(({ name }) => name).join(","), "--json", json, ...without];
  const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  await once(child, "exit");
  return readRows(json);
}

/** `--first`: whole processes, and nothing else. */
async function firstOnly(): Promise<void> {
  const { sides, missing: absent } = await openSides(new Set([...wantedSides()].filter((side) => BOTH.has(side))), {
    work,
    threads: values.threads ?? null,
    passed: [],
  });
  for (const [side, reason] of absent) console.log(`${side} is not measured: ${reason}`);
  const before = filesBefore().flatMap(readFirstRows);
  const measured = inOrder(
    [
      ...before,
      ...measureFirst(
        withoutThose(before.map(({ job }) => job)).map(({ path }) => path),
        sides,
        (line) => {
          console.log(line);
        },
      ),
    ],
    ({ job }) => job,
  );
  console.log(`\n${firstMeans(measured)}`);
  if (values.json !== undefined) writeFileSync(values.json, textOfFirstRows(measured));
  const { markdown } = values;
  if (markdown !== undefined)
    writeFileSync(
      markdown,
      withSection(
        existsSync(markdown) ? readFileSync(markdown, "utf8") : "",
        FIRST_TITLE,
        firstSection(measured, `npm run bench -- --first --markdown ${markdown}`),
      ),
    );
}

if (isFirst) {
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
  const jobs = withoutThose(before.map(({ rounds }) => rounds.job));
  const opened = await openSides(wantedSides(), { work, threads: values.threads ?? null, passed });
  missing = opened.missing;
  for (const [side, reason] of missing) console.log(`${side} is not measured: ${reason}`);
  console.log(
    `${count} rounds of ${opened.sides.map(({ name }) => name).join(", ")}, one after the other; ms\n${headLine()}`,
  );
  // Of small jobs only outputs count: another process runs half of them.
  const own =
    values.tiny === true && values.alone !== true && jobs.length > FEW
      ? jobs.slice(0, Math.ceil(jobs.length / 2))
      : jobs;
  const others = jobs.slice(own.length);
  const otherRows = others.length === 0 ? null : runElsewhere(others, join(work, "others.json"));
  for (const job of own) {
    const row = measure(job, opened.sides);
    rows.push(row);
    console.log(rowLine(row));
  }
  for (const row of (await otherRows) ?? []) {
    rows.push(row);
    console.log(rowLine(row));
  }
  rows.push(...before);
} finally {
  rmSync(work, { recursive: true, force: true });
}
const sorted = inOrder(rows, ({ rounds }) => rounds.job);
const grouped: readonly GroupRows[] = GROUPS.flatMap((group) => {
  const names = new Set(jobsOf(group, values.tiny === true).map(({ name }) => name));
  const own = sorted.filter(({ rounds }) => names.has(rounds.job));
  return own.length === 0 ? [] : [{ group, rows: own }];
});
const differing = rows.filter((row) => /^(?:DIFFERS|MACHINE|HAND)/u.test(verdict(row)));
console.log(`\n${grouped.map((one) => groupText(one, values.tiny === true)).join("\n")}`);
if (values.json !== undefined) writeFileSync(values.json, textOfRows(sorted));
const { markdown } = values;
if (markdown !== undefined) {
  const rigour = { count, isHasty: values.hasty === true };
  const command = `npm run bench -- ${rigour.isHasty ? "--hasty " : ""}${values.rounds === undefined ? "" : `--rounds ${values.rounds} `}`;
  const [own, wider] = [true, false].map((isSuite) =>
    grouped.filter(({ group }) => isSuite === (group.name === "suite")),
  );
  if (own?.[0] !== undefined)
    writeFileSync(
      markdown,
      page(own[0].rows, `${command}--group suite --markdown ${markdown}`, rigour, missing, keptParts(markdown)),
    );
  if (wider !== undefined && wider.length > 0)
    writeFileSync(
      markdown,
      withSection(
        existsSync(markdown) ? readFileSync(markdown, "utf8") : "",
        WIDER_TITLE,
        widerSection(
          wider,
          `${command}--group ${wider.map(({ group }) => group.name).join(",")} --markdown ${markdown}`,
          rigour,
        ),
      ),
    );
}
process.exitCode = differing.length > 0 ? 1 : 0;
