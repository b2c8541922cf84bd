// SPDX-License-Identifier: Apache-2.0
// `npm run fuzz -- --binaries --runs=N`: changed binaries through the runtime, each with limits on time and memory.
import { parseArgs } from "node:util";

import { JOB, runJob, superviseJobs } from "../supervise.ts";
import { binaryFailure } from "./check.ts";
import { readBinaries } from "./corpus.ts";
import { binaryInput } from "./inputs.ts";

/** Inputs of one process: engines free code at unpredictable times. */
const MOST = 20_000;

async function main(words: readonly string[]): Promise<number> {
  const corpus = readBinaries();
  if (words[0] === JOB) {
    await runJob(words.slice(1), (seed) => binaryFailure(binaryInput(seed, corpus)));
    return 0;
  }
  const { values } = parseArgs({
    args: [...words],
    options: {
      binaries: { type: "boolean" },
      runs: { type: "string", default: "100000" },
      first: { type: "string", default: "1" },
      jobs: { type: "string", default: "1" },
      out: { type: "string", default: "out/binaries" },
    },
  });
  const [count, first, jobs] = [Number(values.runs), Number(values.first), Number(values.jobs)];
  if (![count, first, jobs].every((number) => Number.isInteger(number) && number > 0))
    throw new TypeError("npm run fuzz -- --binaries [--runs=COUNT] [--first=SEED] [--jobs=N] [--out=FOLDER]");
  const failures = await superviseJobs(
    { file: import.meta.filename, silenceMs: 300_000, memory: 512, most: MOST },
    [first, count, jobs],
    values.out,
    ({ seed }) => {
      const { kind, isForged, bytes } = binaryInput(seed, corpus);
      return {
        what: `${kind}${isForged ? ", with checksums made right" : ""}`,
        name: `seed-${seed}.bin`,
        content: bytes,
      };
    },
  );
  console.log(`${count} changed binaries through the runtime: ${failures} failures`);
  return failures === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error);
  process.exitCode = 2;
}
