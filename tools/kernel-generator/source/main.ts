// SPDX-License-Identifier: Apache-2.0
// `npm run differential`: random kernels by every way Muxkit has, and on PoCL and Oclgrind where they are installed.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { missingTools, producerOf, runsNative } from "@muxkit/kernel-suite";

import { type Finding, checkSeed } from "./check-seeds.ts";
import type { Ways } from "./compare.ts";
import { generate } from "./generate/program.ts";
import { checkNatively } from "./native-check.ts";
import { nativeImplementations } from "./native.ts";
import { SPIRV_WAYS, checkSpirv } from "./spirv-check.ts";
import { type Settings, readSettings } from "./options.ts";
import { render } from "./tree.ts";
import { LEAST_SHARE, describeShare, vectorShare } from "./vector-share.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** The word before the ways and numbers of a job's process: its first seed, its step and the last seed. */
const JOB = "--job";
const BATCH = 32;
/** After so many programs the command says how far it is. */
const PROGRESS = 50;
const ALL_TOOLS = { isOptimized: true } as const;

/** Runs a job's seeds and reports each to its parent. */
function runJob(ways: Ways, [first = 0, step = 1, last = 0]: readonly number[]): void {
  for (let seed = first; seed <= last; seed += step) process.send?.(checkSeed(seed, ways));
  process.disconnect();
}

async function checkOwnWays({ first, last, jobs, machineCode, out }: Settings): Promise<Finding[]> {
  const ways: Ways = machineCode ? "native" : "all";
  const findings: Finding[] = [];
  let done = 0;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: jobs }, async (_, i) => {
      const child = fork(import.meta.filename, [JOB, ways, `${first + i}`, `${jobs}`, `${last}`], {
        execArgv: ["--conditions=source"],
      });
      child.on("message", (message) => {
        const finding = message as Finding | null;
        if (++done % 1000 === 0)
          console.log(
            `${done} programs, ${findings.length} disagreements, ${((performance.now() - begin) / 1000).toFixed(0)} s`,
          );
        if (finding === null) return;
        findings.push(finding);
        mkdirSync(out, { recursive: true });
        const file = join(out, `seed-${finding.seed}.cl`);
        writeFileSync(file, finding.case);
        console.log(`seed ${finding.seed}: ${finding.difference}\n  reduced: ${file}`);
      });
      const [code] = (await once(child, "exit")) as [number | null];
      if (code !== 0) throw new Error(`a job ended with ${code}`);
    }),
  );
  if (done !== last - first + 1) throw new Error(`${done} programs ran instead of ${last - first + 1}`);
  const by = machineCode ? "interpreter and machine code" : "interpreter, unoptimised, generic and specialised code";
  console.log(`${done} programs by ${by}: ${findings.length} disagreements`);
  return findings;
}

/**
 * Programs on which another implementation disagrees are reported; the exit code counts those that all installed ones
 * dispute.
 */
function checkOthers({ first, native }: Settings): number {
  const { found, missing } = nativeImplementations(join(ROOT, "node_modules/.cache/muxkit"));
  for (const reason of missing) console.log(`SKIPPED: ${reason}`);
  if (found.length === 0) return 0;
  const start = first + (first % 2);
  const seeds = Array.from({ length: native }, (_, i) => start + i * 2);
  const agreed = Object.fromEntries(found.map(({ name }) => [name, 0]));
  let disputed = 0;
  for (let at = 0; at < seeds.length; at += BATCH) {
    const batch = seeds.slice(at, at + BATCH);
    const findings = checkNatively(found, batch);
    for (const { name } of found)
      agreed[name] =
        (agreed[name] ?? 0) + batch.length - findings.filter(({ verdicts }) => verdicts[name] !== "agrees").length;
    for (const { seed, verdicts, failure } of findings) {
      const alone = Object.values(verdicts).every((verdict) => verdict === "differs");
      if (alone) disputed++;
      console.log(
        `seed ${seed}: ${Object.entries(verdicts)
          .map(([name, verdict]) => `${name} ${verdict}`)
          .join(
            ", ",
          )}${alone ? ": nobody agrees with Muxkit" : ""}${failure === "" ? "" : ` (${failure.slice(0, 120)})`}`,
      );
    }
  }
  console.log(
    `${seeds.length} portable programs: ` +
      `${found.map(({ name }) => `${name} agrees on ${agreed[name]}`).join(", ")}; on ` +
      `${disputed} nobody agrees with Muxkit`,
  );
  return disputed;
}

/** Runs portable programs by way of SPIR-V; the number of those that differ. */
function checkSpirvWays({ first, spirv }: Settings): number {
  const missing = [...new Set(SPIRV_WAYS.flatMap((way) => missingTools(producerOf(way) ?? ALL_TOOLS)))];
  if (missing.length > 0) {
    console.log(`SKIPPED: there is no ${missing.join(", ")}`);
    return 0;
  }
  const counts = new Map<string, number>();
  const count = (key: string): unknown => counts.set(key, (counts.get(key) ?? 0) + 1);
  let differing = 0;
  const start = first + (first % 2);
  for (let seed = start, done = 0; done < spirv; seed += 2, done++) {
    if (done > 0 && done % PROGRESS === 0) console.log(`${done} programs, ${differing} disagreements`);
    for (const { way, verdict, text } of checkSpirv(seed)) {
      count(`${way} ${verdict}${verdict === "refused" ? `: ${text}` : ""}`);
      if (verdict !== "differs") continue;
      differing++;
      console.log(`seed ${seed} by ${way}: ${text}`);
    }
  }
  console.log(`${spirv} portable programs by way of SPIR-V`);
  for (const [key, number] of [...counts].toSorted(([a], [b]) => a.localeCompare(b))) console.log(`  ${number} ${key}`);
  return differing;
}

async function main(words: readonly string[]): Promise<number> {
  if (words[0] === JOB) {
    runJob(words[1] === "native" ? "native" : "all", words.slice(2).map(Number));
    return 0;
  }
  if (words[0] === "--mutants")
    return once(
      fork(join(import.meta.dirname, "mutation/main.ts"), words.slice(1), { execArgv: ["--conditions=source"] }),
      "exit",
    ).then(([code]) => Number(code));
  const settings = readSettings(words);
  if (settings.print) {
    const { tree, launch, portable } = generate(settings.first);
    console.log(
      `// seed ${settings.first}, ${portable ? "portable" : "Muxkit's own"}: global ` +
        `${launch.global.join("×")}, local ${launch.local.join("×")}, offset ` +
        `${launch.offset.join(", ")}\n${render(tree)}`,
    );
    return 0;
  }
  if (settings.share) {
    const share = vectorShare(settings.first, settings.last);
    console.log(describeShare(share));
    return share.vectorised >= LEAST_SHARE * share.kernels ? 0 : 1;
  }
  if (settings.spirv > 0) return checkSpirvWays(settings) === 0 ? 0 : 1;
  if (settings.machineCode && !runsNative()) throw new TypeError("--machine-code: this machine runs no machine code");
  const findings = await checkOwnWays(settings);
  const disputed = settings.native === 0 ? 0 : checkOthers(settings);
  return findings.length + disputed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error);
  process.exitCode = 2;
}
