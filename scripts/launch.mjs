// SPDX-License-Identifier: Apache-2.0
// The entry of `npm start`, `npm test`, `npm run bench` and others: installs what is missing, then runs the task under
// the project's own Node. Plain JavaScript without dependencies: on a fresh clone it runs under whatever Node there is.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

import { linkPrograms } from "./clone/link-programs.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = join(root, "node_modules", ".bin");
const stamp = join(root, "node_modules", ".muxkit-install");

/** Runs a command in the root; its exit code ends this process when it fails. */
function run(command, args, { mayFail = false } = {}) {
  const shell = process.platform === "win32";
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    shell,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` },
  });
  if (result.error !== undefined) {
    console.error(`${command} cannot be started: ${result.error.message}`);
    process.exit(1);
  }
  if (!mayFail && result.status !== 0) process.exit(result.status ?? 1);
  return result.status ?? 1;
}

/** Installs the dependencies when the lock file has changed since the last time. */
function install() {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  console.log("muxkit: installing the dependencies (npm ci) …");
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(stamp, lock);
}

/** What each task runs: a program of the project, on its sources. */
const TASKS = {
  start: ["examples/photo/main.ts"],
  pack: ["scripts/pack.ts"],
  test: ["scripts/tests/run.ts"],
  coverage: ["scripts/tests/run.ts", "--coverage"],
  bench: ["scripts/bench.ts"],
  "bench:against": ["scripts/bench-against.ts"],
  "bench:choices": ["scripts/bench-choices.ts"],
  "bench:algorithms": ["scripts/algorithms/main.ts"],
  site: ["site/main.ts"],
  browsers: ["scripts/browsers.ts"],
  fuzz: ["scripts/fuzz.ts"],
  differential: ["tools/kernel-generator/source/main.ts"],
  figures: ["scripts/figures.ts"],
  corpus: ["tools/corpus/source/main.ts"],
  cuda: ["scripts/cuda.ts"],
  soak: ["source/cl/test/soak/main.ts"],
  throughput: ["scripts/throughput.ts"],
  ulp: ["tools/ulp/source/main.ts"],
};

const [task = "", ...rest] = process.argv.slice(2);
const program = TASKS[task];
if (program === undefined) {
  console.error(`there is no task "${task}"; there are ${Object.keys(TASKS).join(", ")}`);
  process.exit(2);
}
install();
linkPrograms(root);
// Tests of one package wait for what they need only: vitest.config.ts makes that.
if (task !== "test" || rest.length === 0)
  run(join(bin, "node"), ["--conditions=source", "tools/build/make-generated.ts"]);
process.exitCode = run(join(bin, "node"), ["--conditions=source", ...program, ...rest], { mayFail: true });
