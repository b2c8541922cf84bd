// SPDX-License-Identifier: Apache-2.0
// The file of measurements: a record for each subject. Tests compare the library with it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { type Worst, NOTHING } from "./measure.ts";
import type { Subject } from "./subject.ts";

/** The worst of a number of inputs. */
export interface Figure extends Worst {
  readonly inputs: number;
}

/** The recorded results for a subject. */
export interface UlpRecord {
  readonly ours: Figure;
  /** Of PoCL; null: it does not have the function; absent: it was not there. */
  readonly pocl?: Figure | null;
}

/** Records by subject. */
export type Records = Readonly<Record<string, UlpRecord>>;

const FILE = join(import.meta.dirname, "../recorded.json");
const STATES = join(import.meta.dirname, "../../../node_modules/.cache/muxkit/ulp");

/** JSON has no infinity. */
const reviver = (_: string, value: unknown): unknown => (value === "Infinity" ? Infinity : value);
const replacer = (_: string, value: unknown): unknown =>
  value === Infinity ? "Infinity" : typeof value === "number" ? Number(value.toFixed(4)) : value;

/** Reads the records. */
export function readRecords(): Records {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8"), reviver) as Records) : {};
}

/** Writes the records, a line each. */
export function writeRecords(records: Records, order: readonly Subject[]): void {
  const lines = order.flatMap(({ key }) =>
    records[key] === undefined ? [] : [`  ${JSON.stringify(key)}: ${JSON.stringify(records[key], replacer)}`],
  );
  writeFileSync(FILE, `{\n${lines.join(",\n")}\n}\n`);
}

/** How far a sweep over all floats has come. */
export interface SweepState {
  readonly next: number;
  readonly worst: Worst;
}

function stateFile({ key }: Subject): string {
  return join(STATES, `${key.replace(" ", ".")}.json`);
}

/** Where a sweep was interrupted. */
export function readState(subject: Subject): SweepState {
  const file = stateFile(subject);
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8"), reviver) as SweepState)
    : { next: 0, worst: NOTHING };
}

/** Keeps where a sweep is; null: it is done. */
export function writeState(subject: Subject, state: SweepState | null): void {
  const file = stateFile(subject);
  if (state === null) return rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(state, replacer));
}
