// SPDX-License-Identifier: Apache-2.0
// `npm run corpus`: compiles programs, compares with clang, measures.
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { compileBySpirv, isWrong, missingSpirvTools, spirvText } from "./by-spirv.ts";
import { type BesideRow, besideNames, besideText, compileBeside, openTools } from "./beside.ts";
import { COUNTING, causesOf } from "./compare.ts";
import { openClangs } from "./judge.ts";
import { reasonOf } from "./meant-differences.table.ts";
import { readPrograms } from "./programs.ts";
import { differencesText, reportData, timesText, wrongCauses } from "./report.ts";
import { compareAll, compileAll } from "./run.ts";
import { judgeTables } from "./snippets/judge-snippets.ts";
import { SNIPPET_TABLES } from "./snippets/tables.ts";
import { firstError } from "./verdict.ts";

const USAGE = `npm run corpus -- [FILE or FOLDER …] [options]
Compiles OpenCL C and compares the verdicts with clang's. Without a path: the corpus of this project, and the folders in
MUXKIT_CORPUS. corpus.options in a folder has the build options (tools/corpus/README.md).
  --only TEXT     programs with this in their names
  --no-clang      do not compare with clang
  --times         measure: tables of compile time
  --rounds N      measured rounds, after one that is not (default 5)
  --kernels       measure each kernel alone too
  --against DIR   another checkout with its dependencies installed, in alternating rounds
  --beside A,B    also in new processes: ours (cold), PoCL's (pocl), clang -O2 (clang); with --times
  --limit S       seconds for one program (default 120)
  --json FILE     everything as data
  --spirv         instead: each program by way of SPIR-V of clang-14 and llvm-spirv-14, in several ways
  --snippets A,B  instead: one-line programs made by these tables, or "all"; minutes each
  --every N       one of N snippets, spread over each table (default 1: all)
The status is 1 where a program differs from clang and the difference is not in the list of those that are meant, and
where one is refused here, or has other kernels, by way of SPIR-V.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    only: { type: "string", default: "" },
    clang: { type: "boolean", default: true },
    times: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    kernels: { type: "boolean", default: false },
    against: { type: "string" },
    beside: { type: "string" },
    limit: { type: "string", default: "120" },
    json: { type: "string" },
    spirv: { type: "boolean", default: false },
    snippets: { type: "string" },
    every: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const root = resolve(import.meta.dirname, "../../..");
const other = values.against === undefined ? null : resolve(values.against);
if (other !== null && !existsSync(join(other, "modules/host-compiler")))
  throw new Error(`--against: ${other} is no checkout of this project`);
const given = (process.env["MUXKIT_CORPUS"] ?? "").split(delimiter).filter((path) => path !== "");
const paths = positionals.length > 0 ? positionals : [join(import.meta.dirname, "../kernels"), ...given];
const programs = readPrograms(paths).filter(({ name }) => name.includes(values.only));
const isMeasured = values.times || values.kernels || other !== null;
const beside = values.beside === undefined ? [] : besideNames(values.beside);
if (beside.length > 0 && !isMeasured) throw new Error("--beside measures: add --times");
const limitMs = Number(values.limit) * 1000;

if (values.snippets !== undefined) {
  const names = values.snippets.split(",");
  const clangs = await openClangs(limitMs);
  await judgeTables(
    SNIPPET_TABLES.filter(({ name }) => names.includes("all") || names.includes(name)),
    clangs,
    Number(values.every),
    ({ table: { name, section }, snippets, found }) => {
      const causes = causesOf(found, reasonOf).filter(({ kind }) => COUNTING.has(kind));
      process.stdout.write(`${name} (OpenCL C ${section}): ${snippets} snippets\n${differencesText(causes)}`);
      if (wrongCauses(causes).length > 0) process.exitCode = 1;
    },
  );
  for (const { close } of clangs) close();
  process.exit();
}

if (values.spirv) {
  const missing = missingSpirvTools();
  if (missing.length > 0) {
    process.stdout.write(`SKIPPED: programs by way of SPIR-V, there is no ${missing.join(", ")}\n`);
    process.exit();
  }
  const outcomes = programs.flatMap((program) => compileBySpirv(program));
  process.stdout.write(spirvText(outcomes));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(outcomes, null, 1)}\n`);
  process.exit(outcomes.some(isWrong) ? 1 : 0);
}

const results = await compileAll(programs, {
  sides: [{ name: "now", root }, ...(other === null ? [] : [{ name: "before", root: other }])],
  rounds: isMeasured ? Number(values.rounds) : 0,
  limitMs,
  kernels: values.kernels,
});
const count = (outcome: string): number => results.filter(({ reply }) => reply.verdict.outcome === outcome).length;
const kernels = results.reduce((sum, { reply }) => sum + reply.kernels, 0);
process.stdout.write(
  `${programs.length} programs: ${count("accepted")} accepted (${kernels} kernels), ${count("refused")} refused, ` +
    `${count("failed")} failed\n`,
);

for (const { program, reply } of results)
  if (reply.verdict.outcome === "refused") {
    const { code = "", text = "", line = 0 } = firstError(reply.verdict) ?? {};
    process.stdout.write(`refused: ${program.name}:${line}: ${code} ${text}\n`);
  }

let causes = null;
if (values.clang) {
  const clangs = await openClangs(limitMs);
  const { found, unjudged } = await compareAll(results, clangs);
  for (const { close } of clangs) close();
  causes = causesOf(found, reasonOf);
  process.stdout.write(`compared with ${clangs.map(({ name }) => name).join(" and ")}\n`);
  for (const one of unjudged) process.stdout.write(`not judged: ${one}\n`);
  process.stdout.write(differencesText(causes));
  if (wrongCauses(causes).length > 0) process.exitCode = 1;
} else if (count("failed") > 0) {
  for (const { program, reply } of results)
    if (reply.verdict.outcome === "failed") process.stdout.write(`${program.name}: ${reply.verdict.reason}\n`);
  process.exitCode = 1;
}
if (isMeasured) process.stdout.write(timesText(results));
let rows: readonly BesideRow[] = [];
if (beside.length > 0) {
  const { tools, missing, close } = await openTools(beside);
  for (const reason of missing) process.stderr.write(`${reason}\n`);
  for (const { name, note } of tools) process.stdout.write(`${name}: ${note}\n`);
  rows = await compileBeside(programs, tools, { rounds: Number(values.rounds), limitMs });
  close();
  process.stdout.write(besideText(rows));
}
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify(reportData(results, causes, rows), null, 1)}\n`);
