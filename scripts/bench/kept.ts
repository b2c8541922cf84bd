// SPDX-License-Identifier: Apache-2.0
// What was measured before: parts of a page that others write, and jobs of earlier runs.
import { existsSync, readFileSync } from "node:fs";

import type { FirstRow } from "./first.ts";
import type { Row } from "./report.ts";
import type { FirstResult, Run, SideName } from "./sides.ts";

/** A job as `--json` writes it. */
interface KeptRow extends Omit<Row, "rounds"> {
  readonly job: string;
  readonly runs: Readonly<Partial<Record<SideName, readonly Run[]>>>;
}

/** Rows as `--json` writes them. */
export function textOfRows(rows: readonly Row[]): string {
  return JSON.stringify(
    rows.map(({ rounds, ...rest }): KeptRow => ({ job: rounds.job, runs: Object.fromEntries(rounds.runs), ...rest })),
    null,
    1,
  );
}

/** Rows that `--json` has written. Throws what reading files does. */
export function readRows(path: string): readonly Row[] {
  const kept = JSON.parse(readFileSync(path, "utf8")) as readonly KeptRow[];
  return kept.map(({ job, runs, ...rest }) => ({
    rounds: { job, runs: new Map(Object.entries(runs) as [SideName, readonly Run[]][]) },
    ...rest,
  }));
}

/** Whole processes of a job as `--json` writes them: a field for each side. */
type KeptFirstRow = { readonly job: string } & Readonly<Partial<Record<SideName, FirstResult>>>;

/** Rows of `--first` as `--json` writes them. */
export function textOfFirstRows(rows: readonly FirstRow[]): string {
  return JSON.stringify(
    rows.map(({ job, results }): KeptFirstRow => ({ job, ...Object.fromEntries(results) })),
    null,
    1,
  );
}

/** Rows of `--first` that `--json` has written. Throws what reading files does. */
export function readFirstRows(path: string): readonly FirstRow[] {
  const kept = JSON.parse(readFileSync(path, "utf8")) as readonly KeptFirstRow[];
  return kept.map(({ job, ...results }) => ({
    job,
    results: new Map(Object.entries(results) as [SideName, FirstResult][]),
  }));
}

/**
 * Chapters of a page that other commands measure, and what people wrote at its end: from "## What limits each job" on.
 * Both are empty where there is no page.
 */
export function keptParts(path: string): { readonly chapters: string; readonly notes: string } {
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const from = (title: string): number => {
    const at = text.indexOf(`\n## ${title}`);
    return at < 0 ? text.length : at;
  };
  return {
    chapters: text.slice(from(""), from("How to reproduce it")),
    notes: text.slice(from("What limits each job")),
  };
}
