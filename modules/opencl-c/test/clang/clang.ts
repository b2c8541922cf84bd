// SPDX-License-Identifier: Apache-2.0
// The other compiler: clang as WebAssembly, from npm. It takes 50 ms a program.
import { readFileSync } from "node:fs";

import type { Command } from "@yowasp/clang";

import type { Case, Verdict } from "./cases.ts";

/** The version that the record is of; package.json names the same. */
export const CLANG_VERSION = "22.0.0-git20542-10";

/** Where its verdicts are kept. */
export const RECORD_FILE: URL = new URL("record.json", import.meta.url);

interface Stored {
  readonly clang: string;
  readonly verdicts: Readonly<Record<string, number | null>>;
}

/** What was recorded of this version by the hash of a case, see {@link readRecord}; nothing if it was another one. */
export function readVerdicts(): ReadonlyMap<string, number | null> {
  const { clang, verdicts } = JSON.parse(readFileSync(RECORD_FILE, "utf8")) as Stored;
  return new Map(clang === CLANG_VERSION ? Object.entries(verdicts) : []);
}

/**
 * Its verdicts by the hash of a case: the line of the first error, null for none. Throws when they are of another
 * version.
 */
export function readRecord(): ReadonlyMap<string, number | null> {
  const verdicts = readVerdicts();
  if (verdicts.size === 0) throw new Error(`there is no record of clang ${CLANG_VERSION}: npm run clang:record`);
  return verdicts;
}

/** Clang, loaded. */
export interface Clang {
  /** Its verdict on a case, with the text of its first error. */
  judge(item: Case): Promise<Verdict & { readonly message: string }>;
  /** Its verdicts on many cases, one after the other: there is one memory for all of them. */
  judgeAll(items: readonly Case[]): Promise<readonly (number | null)[]>;
}

/** Options of every case: the target's pointers have 32 bits, as ours. */
export const CLANG_OPTIONS: readonly string[] = ["-x", "cl", "-target", "spir-unknown-unknown", "-fsyntax-only", "-w"];

const FIRST_ERROR = /^program\.cl:(\d+):\d+: (?:fatal )?error: (.*)$/mu;

async function run(clang: Command, args: readonly string[], program: string): Promise<string> {
  let said = "";
  const decoder = new TextDecoder();
  const stderr = (bytes: Uint8Array | null): void => {
    if (bytes !== null) said += decoder.decode(bytes, { stream: true });
  };
  try {
    await clang([...args], { "program.cl": program }, { stdout: null, stderr, fetchProgress: () => undefined });
  } catch (error) {
    // A program with errors ends clang with a status, which is no failure of ours.
    if (!(error instanceof Error) || !("code" in error)) throw error;
  }
  return said;
}

/** Loads clang; returns the reason as a string if that fails. */
export async function loadClang(): Promise<Clang | string> {
  try {
    const { commands } = await import("@yowasp/clang");
    const { clang } = commands;
    await clang(undefined, undefined, { fetchProgress: () => undefined });
    const judge: Clang["judge"] = async ({ options, program }) => {
      const standard = options.some((option) => option.startsWith("-cl-std=")) ? [] : ["-cl-std=CL1.2"];
      const said = await run(clang, [...CLANG_OPTIONS, ...standard, ...options, "program.cl"], program);
      const [, line, message = ""] = FIRST_ERROR.exec(said) ?? [];
      if (line === undefined && said.includes("error:")) throw new Error(`clang failed: ${said}`);
      return { line: line === undefined ? null : Number(line), message };
    };
    const judgeAll: Clang["judgeAll"] = async ([first, ...others]) =>
      first === undefined ? [] : [(await judge(first)).line, ...(await judgeAll(others))];
    return { judge, judgeAll };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
