// SPDX-License-Identifier: Apache-2.0
// A run over programs: rounds of compiles by one checkout or two in turn, and the verdicts of clangs.
import { join } from "node:path";

import type { CompileReply, CompileRequest, KernelTime, Measurement } from "./compile.ts";
import { type Found, differencesOf } from "./compare.ts";
import { type Clang, judgeAll } from "./judge.ts";
import type { Program } from "./programs.ts";
import { Service } from "./service.ts";
import { median } from "./statistics.ts";
import { type PhaseTimes, PHASES } from "./phase-clock.ts";
import { failedVerdict } from "./verdict.ts";

/** A checkout whose compiler is run. */
export interface Side {
  /** `now`, or `before` for the other one. */
  readonly name: string;
  readonly root: string;
}

/** How to run. */
export interface RunOptions {
  readonly sides: readonly Side[];
  /** Measured rounds, after one that warms the compilers up; 0: the first one is what is told. */
  readonly rounds: number;
  /** Time for one program, in ms. */
  readonly limitMs: number;
  /** True: kernels are also compiled alone. */
  readonly kernels: boolean;
}

/** Medians of the rounds for one program by one checkout. */
export interface Times {
  /** Processor time of the process, in ms. */
  readonly process: number;
  /** Processor time of the compiling thread, in ms. */
  readonly thread: number;
  readonly phases: PhaseTimes;
  readonly ops: number;
  readonly lowered: number;
  readonly bytes: number;
  readonly kernels: readonly KernelTime[];
}

/** What came of a program. */
export interface Result {
  readonly program: Program;
  /** Reply of the first round by this checkout. */
  readonly reply: CompileReply;
  /** Times by the name of the side; a side that made no code has none. */
  readonly times: ReadonlyMap<string, Times>;
}

/** Memory of a process that compiles, in MiB. */
const MEMORY = 4096;

function threadTimeOf({ phases }: Measurement): number {
  return PHASES.reduce((sum, phase) => sum + phases[phase], 0);
}

/** The medians of measurements; null: there are none. */
export function mediansOf(list: readonly Measurement[]): Times | null {
  const [first] = list;
  if (first === undefined) return null;
  const phases = Object.fromEntries(
    PHASES.map((phase) => [phase, median(list.map((one) => one.phases[phase]))]),
  ) as unknown as PhaseTimes;
  return {
    process: median(list.map((one) => one.process)),
    thread: median(list.map(threadTimeOf)),
    phases,
    ops: first.ops,
    lowered: first.lowered,
    bytes: first.bytes,
    kernels: first.kernels.map(({ name }, i) => ({
      name,
      time: median(list.map(({ kernels }) => kernels[i]?.time ?? Number.NaN)),
    })),
  };
}

/** Compiles all programs, `1 + rounds` times by each side in turn; the side that begins changes. */
export async function compileAll(
  programs: readonly Program[],
  { sides, rounds, limitMs, kernels }: RunOptions,
): Promise<readonly Result[]> {
  const file = join(import.meta.dirname, "compile-process.ts");
  const services = sides.map(
    ({ name, root }) =>
      [name, new Service<CompileRequest, CompileReply>({ file, words: [root], limitMs, memory: MEMORY })] as const,
  );
  const replies = programs.map(() => new Map<string, CompileReply[]>(sides.map(({ name }) => [name, []])));
  for (let round = 0; round <= rounds; round++) {
    const turned = services.map((_, i) => services[(i + round) % services.length]).filter((one) => one !== undefined);
    for (const [i, program] of programs.entries()) {
      for (const [name, service] of turned) {
        const list = replies[i]?.get(name);
        // What failed once is not tried again.
        if (list === undefined || list.some(({ verdict }) => verdict.outcome !== "accepted")) continue;
        // oxlint-disable-next-line no-await-in-loop -- one after the other: they would disturb each other
        const answer = await service.ask({ program, kernels: kernels && round > 0 });
        list.push(
          "answer" in answer
            ? answer.answer
            : { verdict: failedVerdict(answer.failure), kernels: 0, measurement: null },
        );
      }
    }
  }
  for (const [, service] of services) service.close();
  return programs.map((program, i) => resultOf(program, replies[i] ?? new Map(), rounds));
}

function resultOf(program: Program, replies: ReadonlyMap<string, readonly CompileReply[]>, rounds: number): Result {
  const own = replies.get("now") ?? [];
  const worst = own.find(({ verdict }) => verdict.outcome !== "accepted") ?? own[0];
  const times = new Map(
    [...replies].flatMap(([name, list]): readonly (readonly [string, Times])[] => {
      const measured = list.slice(rounds === 0 ? 0 : 1).flatMap(({ measurement }) => measurement ?? []);
      const medians = list.every(({ verdict }) => verdict.outcome === "accepted") ? mediansOf(measured) : null;
      return medians === null ? [] : [[name, medians]];
    }),
  );
  return {
    program,
    reply: worst ?? { verdict: failedVerdict("it was not compiled"), kernels: 0, measurement: null },
    times,
  };
}

/** Asks the clangs about all programs and compares. Returns the differences, and the clangs that could not judge. */
export async function compareAll(
  results: readonly Result[],
  clangs: readonly Clang[],
): Promise<{ readonly found: readonly Found[]; readonly unjudged: readonly string[] }> {
  const found: Found[] = [];
  const unjudged: string[] = [];
  for (const { program, reply } of results) {
    // oxlint-disable-next-line no-await-in-loop -- the clang of npm has one memory
    const verdicts = await judgeAll(clangs, program);
    for (const { clang, verdict } of verdicts)
      if (verdict.outcome === "failed") unjudged.push(`${program.name}: ${clang}: ${verdict.reason}`);
    const isOwn = (name: string): boolean => name === program.file;
    for (const difference of differencesOf(reply.verdict, verdicts, isOwn))
      found.push({ program: program.name, difference });
  }
  return { found, unjudged };
}
