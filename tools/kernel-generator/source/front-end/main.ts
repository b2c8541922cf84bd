// `npm run fuzz -- --front-end=N`: inputs for preprocessor, parser and sema, each with limits on time and memory.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { frontEndFailure } from "./check.ts";
import { type Corpus, frontEndInput } from "./inputs.ts";
import { reduceText } from "./reduce-text.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");
const JOB = "--job";
/** A job that says nothing for so long hangs; its inputs take CPU time, which neighbours take from it. */
const SILENCE_MS = 60_000;
/** Memory of a job, in MiB: an input that needs more ends it. */
const MEMORY = 512;
const STRIDE = 100;

/** Kernels of the benchmark suite and what the kernel suite keeps. */
export function readCorpus(): Corpus {
  const folders = ["benchmarks/suite", "tools/kernel-suite/test/cases"].map((folder) => join(ROOT, folder));
  return folders.flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith(".cl")).map((name) => readFileSync(join(folder, name), "utf8")));
}

interface Message {
  /** The input that is tried now. */
  readonly seed: number;
  readonly failure: string | null;
}

/** Tells the parent process, which must know before the next input is tried. */
function tell(message: Message): Promise<void> {
  return new Promise((done) => {
    process.send?.(message, undefined, undefined, () => done());
  });
}

/** Tries a job's inputs; says where it is now and then, and of each failure. */
async function runJob([first = 0, step = 1, end = 0]: readonly number[]): Promise<void> {
  const corpus = readCorpus();
  for (let seed = first, count = 0; seed < end; seed += step, count++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is wanted
    if (count % STRIDE === 0) await tell({ seed, failure: null });
    const failure = frontEndFailure(frontEndInput(seed, corpus));
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is wanted
    if (failure !== null) await tell({ seed, failure });
  }
  process.disconnect();
}

/** Runs one job to its end. A job that hangs or dies is started again behind the inputs that it was at, which are then tried one by one. */
async function superviseJob(first: number, step: number, end: number, failed: (message: Message) => void): Promise<void> {
  for (let start = first; start < end;) {
    const child = fork(import.meta.filename, [JOB, `${start}`, `${step}`, `${end}`], { execArgv: ["--conditions=source", `--max-old-space-size=${MEMORY}`], silent: true });
    let at = start;
    let heard = performance.now();
    child.on("message", (message) => {
      const { seed, failure } = message as Message;
      heard = performance.now();
      if (failure !== null) failed({ seed, failure });
      else at = seed;
    });
    const watch = setInterval(() => {
      if (performance.now() - heard > SILENCE_MS) child.kill("SIGKILL");
    }, 1000);
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is wanted
    const [code] = await once(child, "exit") as [number | null];
    clearInterval(watch);
    if (code === 0) return;
    const after = Math.min(end, at + STRIDE * step);
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is wanted
    for (let seed = at; seed < after; seed += step) await tryAlone(seed, failed);
    start = after;
  }
}

/** Tries one input in a process of its own. */
async function tryAlone(seed: number, failed: (message: Message) => void): Promise<void> {
  const child = fork(import.meta.filename, [JOB, `${seed}`, "1", `${seed + 1}`], { execArgv: ["--conditions=source", `--max-old-space-size=${MEMORY}`], silent: true });
  child.on("message", (message) => {
    if ((message as Message).failure !== null) failed(message as Message);
  });
  const watch = setTimeout(() => child.kill("SIGKILL"), SILENCE_MS / 2);
  const [code] = await once(child, "exit") as [number | null];
  clearTimeout(watch);
  if (code !== 0) failed({ seed, failure: `the process ended with ${code ?? "a signal"}: no end, or no memory left` });
}

async function main(words: readonly string[]): Promise<number> {
  if (words[0] === JOB) {
    await runJob(words.slice(1).map(Number));
    return 0;
  }
  const { values } = parseArgs({ args: [...words], options: { "front-end": { type: "string", default: "100000" }, first: { type: "string", default: "1" }, jobs: { type: "string", default: "1" }, out: { type: "string", default: "out/front-end" } } });
  const [count, first, jobs] = [Number(values["front-end"]), Number(values.first), Number(values.jobs)];
  if (![count, first, jobs].every((number) => Number.isInteger(number) && number > 0)) throw new TypeError("npm run fuzz -- --front-end=COUNT [--first=SEED] [--jobs=N] [--out=FOLDER]");
  const corpus = readCorpus();
  const kinds = new Map<string, number>();
  let failures = 0;
  const failed = ({ seed, failure }: Message): void => {
    failures++;
    const sentence = failure ?? "";
    const kind = sentence.replaceAll(/\d+/gu, "#").split("\n")[0] ?? "";
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if ((kinds.get(kind) ?? 0) > 3) return;
    const input = frontEndInput(seed, corpus);
    const throws = !sentence.startsWith("the process");
    const text = throws && !sentence.startsWith("it took") ? reduceText(input.text, (smaller) => frontEndFailure({ ...input, text: smaller })?.replaceAll(/\d+/gu, "#").split("\n")[0] === kind, 400) : input.text;
    mkdirSync(values.out, { recursive: true });
    const file = join(values.out, `seed-${seed}.cl`);
    writeFileSync(file, text);
    console.log(`seed ${seed} (${input.kind}, OpenCL C ${input.standard}): ${sentence}\n  ${file}`);
  };
  await Promise.all(Array.from({ length: jobs }, (_, i) => superviseJob(first + i, jobs, first + count, failed)));
  console.log(`${count} inputs through preprocessor, parser and sema: ${failures} failures`);
  for (const [kind, times] of kinds) console.log(`  ${times}× ${kind}`);
  return failures === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof TypeError ? error.message : error);
  process.exitCode = 2;
}
