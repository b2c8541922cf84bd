// SPDX-License-Identifier: Apache-2.0
// `npm run fuzz -- --front-end=N`: inputs for preprocessor, parser and sema, each with limits on time and memory.
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { JOB, kindOf, runJob, superviseJobs } from "../supervise.ts";
import { frontEndFailure } from "./check.ts";
import { type Corpus, frontEndInput } from "./inputs.ts";
import { reduceText } from "./reduce-text.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");

/** Kernels of the benchmark suite and what the kernel suite keeps. */
export function readCorpus(): Corpus {
  const folders = ["benchmarks/suite", "tools/kernel-suite/test/cases"].map((folder) => join(ROOT, folder));
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".cl"))
      .map((name) => readFileSync(join(folder, name), "utf8")),
  );
}

async function main(words: readonly string[]): Promise<number> {
  const corpus = readCorpus();
  if (words[0] === JOB) {
    await runJob(words.slice(1), (seed) => frontEndFailure(frontEndInput(seed, corpus)));
    return 0;
  }
  const { values } = parseArgs({
    args: [...words],
    options: {
      "front-end": { type: "string", default: "100000" },
      first: { type: "string", default: "1" },
      jobs: { type: "string", default: "1" },
      out: { type: "string", default: "out/front-end" },
    },
  });
  const [count, first, jobs] = [Number(values["front-end"]), Number(values.first), Number(values.jobs)];
  if (![count, first, jobs].every((number) => Number.isInteger(number) && number > 0))
    throw new TypeError("npm run fuzz -- --front-end=COUNT [--first=SEED] [--jobs=N] [--out=FOLDER]");
  const failures = await superviseJobs(
    { file: import.meta.filename, silenceMs: 60_000, memory: 512, most: count },
    [first, count, jobs],
    values.out,
    ({ seed, failure }, kind) => {
      const input = frontEndInput(seed, corpus);
      const throws = failure?.startsWith("the process") === false;
      const text =
        throws && !failure.startsWith("it took")
          ? reduceText(
              input.text,
              (smaller) => kindOf(frontEndFailure({ ...input, text: smaller }) ?? "") === kind,
              400,
            )
          : input.text;
      return { what: `${input.kind}, OpenCL C ${input.standard}`, name: `seed-${seed}.cl`, content: text };
    },
  );
  console.log(`${count} inputs through preprocessor, parser and sema: ${failures} failures`);
  return failures === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error);
  process.exitCode = 2;
}
