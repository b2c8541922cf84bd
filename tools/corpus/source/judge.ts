// SPDX-License-Identifier: Apache-2.0
// The clangs that there are on this machine, and their verdicts.
import { join } from "node:path";

import { judgeNatively, versionOf } from "./clang.ts";
import type { ClangVerdict } from "./compare.ts";
import type { Program } from "./programs.ts";
import { Service } from "./service.ts";
import { type Verdict, failedVerdict } from "./verdict.ts";

/** A clang. */
export interface Clang {
  /** For example `clang 22`. */
  readonly name: string;
  readonly judge: (program: Program) => Promise<Verdict>;
  readonly close: () => void;
}

/** Names of programs that are looked for on PATH, in this order. */
const NATIVE: readonly string[] = ["clang", "clang-14", "clang-19"];

/** Memory of the process with the clang of npm: its code alone takes a gibibyte. */
const MODULE_MEMORY = 4096;

function clangModule(limitMs: number): Clang {
  const file = join(import.meta.dirname, "clang-process.ts");
  const service = new Service<Program, Verdict>({ file, words: [], limitMs, memory: MODULE_MEMORY });
  return {
    name: "clang 22",
    judge: async (program) => {
      const answer = await service.ask(program);
      return "answer" in answer ? answer.answer : failedVerdict(answer.failure);
    },
    close: () => service.close(),
  };
}

/** Those that can be run: the one of npm, and those on PATH of other versions. */
export async function openClangs(limitMs: number): Promise<readonly [Clang, ...Clang[]]> {
  const clangs: [Clang, ...Clang[]] = [clangModule(limitMs)];
  const versions = await Promise.all(NATIVE.map(versionOf));
  for (const [i, command] of NATIVE.entries()) {
    const [, version] = /version (\d+)/u.exec(versions[i] ?? "") ?? [];
    const name = `clang ${version ?? ""}`;
    if (version === undefined || clangs.some((other) => other.name === name)) continue;
    clangs.push({
      name,
      judge: (program) => judgeNatively(command, program, limitMs),
      close: () => undefined,
    });
  }
  return clangs;
}

/** The verdicts of all of them on a program. */
export function judgeAll(clangs: readonly Clang[], program: Program): Promise<readonly ClangVerdict[]> {
  return Promise.all(clangs.map(async ({ name, judge }) => ({ clang: name, verdict: await judge(program) })));
}
