// SPDX-License-Identifier: Apache-2.0
// Verdicts of clangs on the cases: asked, and recorded, so that a test needs no clang. `npm run clang:record` writes
// them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Clang } from "../judge.ts";
import { firstError } from "../verdict.ts";
import { CASES_FOLDER, type Case, hashOf } from "./case.ts";

/** Where they are kept. */
export const VERDICTS_FILE: URL = new URL("verdicts.json", CASES_FOLDER);

/** What a clang says of a case: the line of its first error; null: none; `"failed"`: it ended otherwise. */
export type ClangLine = number | null | "failed";

/** Verdicts by the name of the clang and the hash of the case. */
export type Verdicts = ReadonlyMap<string, ReadonlyMap<string, ClangLine>>;

/** Those that are recorded. */
export function readVerdicts(): Verdicts {
  const stored = JSON.parse(readFileSync(VERDICTS_FILE, "utf8")) as Record<string, Record<string, ClangLine>>;
  return new Map(Object.entries(stored).map(([name, lines]) => [name, new Map(Object.entries(lines))]));
}

/** Records verdicts, sorted. */
export function writeVerdicts(verdicts: Verdicts): void {
  const sorted = [...verdicts].map(([name, lines]) => [
    name,
    Object.fromEntries([...lines].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  ]);
  writeFileSync(VERDICTS_FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 1)}\n`);
}

/** Asks a clang about cases, one after the other: the one of npm has one memory for all of them. */
export async function askClang({ judge }: Clang, cases: readonly Case[]): Promise<ReadonlyMap<string, ClangLine>> {
  const folder = mkdtempSync(join(tmpdir(), "muxkit-cases-"));
  const file = join(folder, "program.cl");
  const lines = new Map<string, ClangLine>();
  for (const item of cases) {
    writeFileSync(file, item.program);
    // oxlint-disable-next-line no-await-in-loop -- there is one file
    const verdict = await judge({ name: item.name, file, options: item.options });
    lines.set(hashOf(item), verdict.outcome === "failed" ? "failed" : (firstError(verdict)?.line ?? null));
  }
  rmSync(folder, { recursive: true });
  return lines;
}

/** The lines of all clangs that have a say on a case. */
export function linesOf(verdicts: Verdicts, item: Case): ReadonlyMap<string, number | null> {
  const hash = hashOf(item);
  return new Map(
    [...verdicts].flatMap(([name, lines]): readonly (readonly [string, number | null])[] => {
      const line = lines.get(hash);
      return line === undefined || line === "failed" ? [] : [[name, line]];
    }),
  );
}

/** True where we should be like one of the clangs and are like none; what one of them takes we should take. */
export function differs({ expected: { line } }: Case, lines: ReadonlyMap<string, number | null>): boolean {
  const all = new Set(lines.values());
  return all.has(null) ? line !== null : !all.has(line);
}
