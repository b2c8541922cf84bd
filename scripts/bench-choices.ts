// SPDX-License-Identifier: Apache-2.0
// `npm run bench:choices`: does the vectoriser choose well? Each job runs with single work-items, with vectors wherever
// they are possible, and as the compiler chooses; beside the measured gain of vectors stand the estimated ones, region
// by region. The jobs of the set-aside half are not among them: their times are not followed while rules are made.
//
// A time is what a launch takes of one processor, the least of the rounds, so that others on the machine hardly count.
// The program ends with 1 where a choice costs more than WRONG times the better of the two.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { type JobFile, jobsOrExit } from "./bench/groups.ts";
import { cliOf } from "./bench/sides.ts";

const root = resolve(import.meta.dirname, "..");
const MODES = ["never", "always", "auto"] as const;
/** A choice that takes this much longer than the other one is wrong; less is noise, or a kernel of a few instructions. */
const WRONG = 1.25;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    group: { type: "string", default: "suite,wider" },
    rounds: { type: "string", default: "2" },
    runs: { type: "string", default: "15" },
  },
});
if (values.group.split(",").includes("set-aside")) {
  console.error("--group takes suite and wider: the set-aside half is measured at the end only");
  process.exit(2);
}
const jobs = jobsOrExit({ groups: values.group, only: values.only, isTiny: false });
const work = mkdtempSync(join(tmpdir(), "muxkit-choices-"));

/** Runs the bundled program; what it prints. Throws what it says when it fails. */
function output(job: JobFile, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cliOf(root), "run", job.path, "--json", ...args], {
    encoding: "utf8",
    env: { ...process.env, MUXKIT_CACHE: join(work, "cache") },
  });
  if (status !== 0) throw new Error(`${job.name}: ${stderr.trim()}`);
  return stdout;
}

/** What `muxkit run --json` says of the processors that it took. */
interface Taken {
  readonly own_cpu: number;
  readonly window_ms: number;
  readonly runs: number;
  readonly min_ms: number;
}

/** Milliseconds of one processor that a launch takes. */
function launchTime(job: JobFile, options: string, mode: string): number {
  const how = ["--no-check", "--threads", "1", "--warmup", "5", "--runs", values.runs];
  const taken = JSON.parse(output(job, [...how, "--options", `${options} -cl-wfv=${mode}`])) as Taken;
  return Math.min((taken.own_cpu * taken.window_ms) / taken.runs, taken.min_ms);
}

/** Estimated gains of vectors, region by region; those that were not taken in brackets. */
function estimates(job: JobFile): string {
  const { regions } = JSON.parse(output(job, ["--explain"])) as {
    readonly regions: readonly { readonly width: number; readonly reason: string }[];
  };
  return regions
    .map(({ width, reason }) => {
      const [, alone, vector] = /([\d.]+) one by one, ([\d.]+) a work-item/u.exec(reason) ?? [];
      if (alone === undefined || vector === undefined) return "none";
      const gain = (Number(alone) / Number(vector)).toFixed(2);
      return width > 1 ? gain : `(${gain})`;
    })
    .join(" ");
}

let wrong = 0;
try {
  execFileSync("nx", ["run-many", "-t", "bundle"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  console.log("job                  single ms  vectors ms  chosen ms   gain   loss  estimated gains");
  for (const job of jobs) {
    const { options } = JSON.parse(readFileSync(job.path, "utf8")) as { readonly options: string };
    const times = new Map<string, number>();
    for (let round = 0; round < Number(values.rounds); round++)
      for (const mode of MODES) times.set(mode, Math.min(times.get(mode) ?? Infinity, launchTime(job, options, mode)));
    const [single = 0, vectors = 0, chosen = 0] = MODES.map((mode) => times.get(mode) ?? 0);
    const loss = chosen / Math.min(single, vectors);
    if (loss > WRONG) wrong++;
    const columns = [single, vectors, chosen].map((time) => time.toFixed(3).padStart(10)).join("  ");
    console.log(
      `${job.name.padEnd(18)} ${columns}  ${(single / vectors).toFixed(2).padStart(5)}  ` +
        `${loss.toFixed(2).padStart(5)}  ${estimates(job)}${loss > WRONG ? "  wrong" : ""}`,
    );
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`${jobs.length} jobs, ${wrong} wrong choices`);
process.exitCode = wrong > 0 ? 1 : 0;
