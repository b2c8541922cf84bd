// SPDX-License-Identifier: Apache-2.0
// `npm run fuzz`: the property tests with random programs, many times over. `npm run fuzz -- 20000` sets how often.
// `npm run fuzz -- --front-end=1000000 --jobs=2`: so many inputs through preprocessor, parser and sema instead;
// `--binaries --runs=1000000`: so many changed binaries through the runtime; `--spirv=1000000`: so many changed SPIR-V
// modules through decoder, validator, disassembler and assembler.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Fuzzers with a program of their own, by the word that selects them. */
const PROGRAMS = { "--front-end": "front-end", "--binaries": "binaries" };

for (const [word, folder] of Object.entries(PROGRAMS)) {
  if (!process.argv.some((given) => given === word || given.startsWith(`${word}=`))) continue;
  const { status: ended } = spawnSync(
    process.execPath,
    [
      "--conditions=source",
      join(import.meta.dirname, `../tools/kernel-generator/source/${folder}/main.ts`),
      ...process.argv.slice(2),
    ],
    { stdio: "inherit" },
  );
  process.exit(ended ?? 1);
}

if (process.argv.some((given) => given.startsWith("--spirv="))) {
  const { status: ended } = spawnSync(
    process.execPath,
    ["--conditions=source", join(import.meta.dirname, "../modules/spirv/test/fuzz.ts"), ...process.argv.slice(2)],
    { stdio: "inherit" },
  );
  process.exit(ended ?? 1);
}

const runs = process.argv[2] ?? "5000";
if (!/^[1-9]\d*$/u.test(runs)) {
  console.error(`npm run fuzz takes a number of programs, not "${runs}"`);
  process.exit(2);
}
console.log(
  `muxkit: ${runs} random programs, each by interpreter, unoptimised, generic and ` +
    "specialised code; as many random modules through the passes and the code generator",
);
const { status } = spawnSync(
  "vitest",
  [
    "run",
    "--project",
    "kernel-suite",
    "--project",
    "passes",
    "--project",
    "wasm",
    "differential",
    "random",
    "-t",
    "random (?:expressions|modules)",
    "--testTimeout",
    "0",
  ],
  { stdio: "inherit", env: { ...process.env, MUXKIT_FUZZ_RUNS: runs } },
);
process.exitCode = status ?? 1;
