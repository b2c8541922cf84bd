// SPDX-License-Identifier: Apache-2.0
// `npm run ulp`: measures, keeps what it finds in recorded.json and writes docs/ulp.md.
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { nativeImplementations } from "@muxkit/kernel-generator";

import { readGpuRecords, readLog, writeGpuRecords } from "./gpu-records.ts";
import { openMpfr } from "./mpfr.ts";
import { pageOf } from "./page.ts";
import { type UlpRecord, readRecords, writeRecords } from "./records.ts";
import { type Rig, isSwept, measure, remeasure, sweepAll } from "./rig.ts";
import { nativeRunner, openMuxkit } from "./runner.ts";
import { SUBJECTS, type Subject, isListed } from "./subject.ts";
import { ALL_FLOATS } from "./sweep.ts";

const PAGE = join(import.meta.dirname, "../../../docs/ulp.md");
/**
 * Random inputs where sweeps or tables of all numbers do the rest, and where nothing does: doubles, and functions of
 * several numbers.
 */
const FEW = 50_000;
const MILLIONS = 2_000_000;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    kind: { type: "string" },
    count: { type: "string" },
    threads: { type: "string" },
    all: { type: "boolean" },
    seconds: { type: "string" },
    "without-pocl": { type: "boolean" },
    page: { type: "boolean" },
    gpu: { type: "string" },
    help: { type: "boolean" },
  },
});
if (values.help === true) {
  console.log(`npm run ulp -- [--only NAME,NAME] [--kind float|double|half|relaxed] [--count RANDOM_INPUTS]
  [--threads N] [--seconds S] [--without-pocl] [--page] [--gpu LOG] [--all]
--all       every float of functions of one float, minutes each; goes on where it was stopped
--seconds   stops then; what is done is kept
--page      measures nothing, only writes docs/ulp.md
--gpu LOG   takes what \`run.sh ulp\` printed on a machine with a GPU, and writes docs/ulp.md`);
  process.exit(0);
}

const only = values.only?.split(",") ?? null;
const subjects = SUBJECTS.filter(
  ({ name, base, key }) =>
    (only === null || only.includes(name) || only.includes(base)) &&
    (values.kind === undefined || key.endsWith(` ${values.kind}`)),
);
if (subjects.length === 0) {
  console.error("there is no such function");
  process.exit(2);
}
const deadline = performance.now() + Number(values.seconds ?? Infinity) * 1000;
const records: Record<string, UlpRecord> = { ...readRecords() };

function keep(subject: Subject, record: UlpRecord): void {
  records[subject.key] = record;
  writeRecords(records, SUBJECTS);
  const isAbove = subject.limit !== null && record.ours.ulp > (subject.limit === 0 ? 0.5 : subject.limit);
  console.log(
    `${subject.key}: ${record.ours.ulp.toFixed(3)} at ${record.ours.at.join(", ")} of ` +
      `${record.ours.inputs}${isAbove ? `, ABOVE THE LIMIT ${subject.limit ?? 0}` : ""}` +
      (record.pocl ? `; PoCL ${record.pocl.ulp.toFixed(3)}` : ""),
  );
}

/** The record of a subject over every float; null: there is nothing to do, or no time for it. */
async function everyFloat(rig: Rig, subject: Subject, old: UlpRecord | undefined): Promise<UlpRecord | null> {
  if (!isSwept(subject) || subject.options !== "" || old === undefined || old.ours.inputs === ALL_FLOATS) return null;
  const all = await sweepAll(rig, subject, deadline);
  if (all === null) return null;
  // The figure of the worst is MPFR's.
  const exact =
    all.at.length === 0 ? all : { ...(await remeasure(rig, rig.run, subject, [all.at])), inputs: all.inputs };
  return { ...old, ours: exact.ulp >= old.ours.ulp ? exact : { ...old.ours, inputs: all.inputs } };
}

async function run(): Promise<void> {
  const { device, run: ours } = openMuxkit(Number(values.threads ?? 2));
  const [implementation] =
    values["without-pocl"] === true || values.all === true
      ? []
      : nativeImplementations(join(tmpdir(), "muxkit-ulp")).found;
  const rig: Rig = {
    device,
    run: ours,
    pocl: implementation?.name === "PoCL" ? nativeRunner(implementation) : null,
    mpfr: await openMpfr(),
  };
  for (const subject of subjects) {
    if (performance.now() > deadline) break;
    const old = records[subject.key];
    const count = Number(values.count ?? (isSwept(subject) || isListed(subject) ? FEW : MILLIONS));
    const pending = values.all === true ? everyFloat(rig, subject, old) : measure(rig, subject, count, old);
    // One after the other: they share the device.
    // eslint-disable-next-line no-await-in-loop
    const record = await pending;
    if (record !== null) keep(subject, record);
  }
  device.close();
}

if (values.gpu !== undefined) {
  const read = readLog(readFileSync(values.gpu, "utf8"));
  if (read === null) {
    console.error(`${values.gpu} has no figures: it must be what \`run.sh ulp\` printed on a machine with a GPU`);
    process.exit(2);
  }
  writeGpuRecords(read);
} else if (values.page !== true) await run();
writeFileSync(PAGE, pageOf(SUBJECTS, records, readGpuRecords()));
