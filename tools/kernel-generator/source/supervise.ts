// SPDX-License-Identifier: Apache-2.0
// Inputs that are tried in processes of their own, each with limits on time and memory: what hangs or dies is found out
// too.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Prefix of the messages of a process that tries inputs. */
export const JOB = "--job";

/** Inputs between two signs of life. */
const STRIDE = 100;

/** An input that was tried. */
export interface Tried {
  readonly seed: number;
  /** A sentence; null: nothing is wrong. */
  readonly failure: string | null;
}

/** How inputs are tried. */
export interface Supervision {
  /** The file that {@link runJob}s when its first word is {@link JOB}. */
  readonly file: string;
  /**
   * A process without a message for this time is taken to hang; its inputs take CPU time, which neighbours take from
   * it.
   */
  readonly silenceMs: number;
  /** Memory of a process, in MiB: an input that needs more ends it. */
  readonly memory: number;
  /** Inputs that one process tries at most. */
  readonly most: number;
}

/** Reports to the parent process, which must know before the next input is tried. */
function tell(message: Tried): Promise<void> {
  return new Promise((done) => {
    process.send?.(message, undefined, undefined, () => done());
  });
}

/** Tries a process's inputs (`first step end`); reports its progress at intervals, and each failure. */
export async function runJob(words: readonly string[], failureOf: (seed: number) => string | null): Promise<void> {
  const [first = 0, step = 1, end = 0] = words.map(Number);
  for (let seed = first, count = 0; seed < end; seed += step, count++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is wanted
    if (count % STRIDE === 0) await tell({ seed, failure: null });
    const failure = failureOf(seed);
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is wanted
    if (failure !== null) await tell({ seed, failure });
  }
  process.disconnect();
}

/** Runs one process over inputs. Returns its exit code, and the input that it was last known to be at. */
async function runProcess(
  { file, silenceMs, memory }: Supervision,
  [first, step, end]: readonly [number, number, number],
  failed: (tried: Tried) => void,
): Promise<{ readonly code: number | null; readonly at: number }> {
  const child = fork(file, [JOB, `${first}`, `${step}`, `${end}`], {
    execArgv: ["--conditions=source", `--max-old-space-size=${memory}`],
    silent: true,
  });
  let at = first;
  let heard = performance.now();
  child.on("message", (message) => {
    const { seed, failure } = message as Tried;
    heard = performance.now();
    if (failure !== null) failed({ seed, failure });
    else at = seed;
  });
  const watch = setInterval(() => {
    if (performance.now() - heard > silenceMs) child.kill("SIGKILL");
  }, 1000);
  const [code] = (await once(child, "exit")) as [number | null];
  clearInterval(watch);
  return { code, at };
}

/**
 * Tries every `step`th input from `first` to before `end`. A process that hangs or dies is followed by one after the
 * inputs that it was at, which are then tried one by one.
 */
async function superviseJob(
  how: Supervision,
  [first, step, end]: readonly [number, number, number],
  failed: (tried: Tried) => void,
): Promise<void> {
  for (let start = first; start < end;) {
    const stop = Math.min(end, start + how.most * step);
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is wanted
    const { code, at } = await runProcess(how, [start, step, stop], failed);
    start = code === 0 ? stop : Math.min(stop, at + STRIDE * step);
    if (code === 0) continue;
    for (let seed = at; seed < start; seed += step) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is what is wanted
      const alone = await runProcess({ ...how, silenceMs: how.silenceMs / 2 }, [seed, 1, seed + 1], failed);
      if (alone.code !== 0)
        failed({ seed, failure: `the process ended with ${alone.code ?? "a signal"}: no end, or no memory left` });
    }
  }
}

/** The report of a failed input. */
export interface Written {
  /** Description of the input. */
  readonly what: string;
  /** File name and content. */
  readonly name: string;
  readonly content: string | Uint8Array;
}

/**
 * Tries `count` inputs by `jobs` processes at once; prints the first failures of each kind and writes their inputs to a
 * folder. Returns the number of failures.
 */
export async function superviseJobs(
  how: Supervision,
  [first, count, jobs]: readonly [first: number, count: number, jobs: number],
  folder: string,
  describe: (tried: Tried, kind: string) => Written,
): Promise<number> {
  const kinds = new Map<string, number>();
  let failures = 0;
  const failed = (tried: Tried): void => {
    failures++;
    const kind = kindOf(tried.failure ?? "");
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if ((kinds.get(kind) ?? 0) > 3) return;
    const { what, name, content } = describe(tried, kind);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, name);
    writeFileSync(file, content);
    console.log(`seed ${tried.seed} (${what}): ${tried.failure ?? ""}\n  ${file}`);
  };
  await Promise.all(
    Array.from({ length: jobs }, (_, i) => superviseJob(how, [first + i, jobs, first + count], failed)),
  );
  for (const [kind, times] of kinds) console.log(`  ${times}× ${kind}`);
  return failures;
}

/** Failures of a kind differ by numbers. */
export function kindOf(failure: string): string {
  return failure.replaceAll(/\d+/gu, "#").split("\n")[0] ?? "";
}
