// SPDX-License-Identifier: Apache-2.0
// What compilers say about a program, in one form for all of them.

/** A message of a compiler. */
export interface Message {
  readonly severity: "error" | "warning";
  /** Code of ours (`CL2001`), or clang's flag (`-Wunused-value`); empty: it has none. */
  readonly code: string;
  readonly text: string;
  /** File as the compiler calls it; empty: none is named. */
  readonly file: string;
  /** Line, from 1; 0: none is named. */
  readonly line: number;
}

/**
 * What became of a program. `failed`: the compiler died, took too long or made code that is not valid, and `reason`
 * says so.
 */
export type Outcome = "accepted" | "refused" | "failed";

/** A compiler's verdict on a program. */
export interface Verdict {
  readonly outcome: Outcome;
  readonly messages: readonly Message[];
  /** Why the outcome is `failed`; empty otherwise. */
  readonly reason: string;
}

/** A verdict of a compiler that did not end as it should. */
export function failedVerdict(reason: string): Verdict {
  return { outcome: "failed", messages: [], reason };
}

/** The first error in the order of the text, which is where programs are wrong; undefined: there is none. */
export function firstError({ messages }: Verdict): Message | undefined {
  const errors = messages.filter(({ severity }) => severity === "error");
  const [first] = errors;
  return errors.reduce((found, one) => (one.file === found?.file && one.line < found.line ? one : found), first);
}

/** Names of types, with qualifiers and address spaces in front and stars and brackets behind. */
const TYPE =
  /(?:\b(?:global|local|constant|private|generic|const|volatile|restrict) )*\b(?:u?(?:char|short|int|long)|float|double|half|bool|void|size_t)(?:\d+)?\b(?: ?(?:\[[^\]]*\]|\(\*+\)|\*|\b(?:const|volatile|restrict)\b))*/gu;

/** A message without what differs from program to program: names in quotes, types and numbers. */
export function normalised(text: string): string {
  return text
    .replaceAll(/'[^']*'|"[^"]*"/gu, "'…'")
    .replaceAll(/ \((?:aka|vector of) [^()]*(?:\([^()]*\)[^()]*)*\)/gu, "")
    .replaceAll(TYPE, "T")
    .replaceAll(/\b\d+\b/gu, "#");
}
