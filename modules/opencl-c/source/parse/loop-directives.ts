// SPDX-License-Identifier: Apache-2.0
// Directives for the loop after them: `#pragma unroll`, `#pragma nounroll`, `#pragma GCC unroll` and clang's
// `#pragma clang loop`, whose options are a table.
import type { UnrollHint } from "../ast.ts";

/** A directive that a loop must follow. */
export interface LoopDirective {
  /** What messages call it. */
  readonly name: string;
  /** What it says about unrolling; null: nothing. */
  readonly unroll: UnrollHint | null;
  /** What is wrong with it; null: nothing. */
  readonly problem: string | null;
}

const SWITCH: readonly string[] = ["enable", "disable"];

/** The options of `#pragma clang loop`: the words that one takes, or `count` for those that take a positive number. */
const OPTIONS: ReadonlyMap<string, readonly string[] | "count"> = new Map<string, readonly string[] | "count">([
  ["vectorize", [...SWITCH, "assume_safety"]],
  ["vectorize_width", "count"],
  ["vectorize_predicate", SWITCH],
  ["interleave", [...SWITCH, "assume_safety"]],
  ["interleave_count", "count"],
  ["unroll", [...SWITCH, "full"]],
  ["unroll_count", "count"],
  ["pipeline", ["disable"]],
  ["pipeline_initiation_interval", "count"],
  ["distribute", SWITCH],
]);

const CLANG = "#pragma clang loop";

function clangLoop(text: string): LoopDirective {
  const given = new Map<string, string>();
  let rest = text;
  let unroll: UnrollHint | null = null;
  const wrong = (problem: string): LoopDirective => ({ name: CLANG, unroll: null, problem: `${CLANG} ${problem}` });
  while (rest !== "") {
    const [whole, option = "", argument] = /^(\w*)\s*(?:\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*)?/u.exec(rest) ?? [];
    const takes = OPTIONS.get(option);
    if (takes === undefined) return wrong(`has the options ${[...OPTIONS.keys()].join(", ")}, not "${option || rest}"`);
    const value = argument?.trim() ?? "";
    if (value === "") return wrong(`needs a value in brackets after ${option}`);
    if (takes === "count") {
      // What is no literal is a macro's number.
      if (/^(?:-.*|0+)$/u.test(value)) return wrong(`takes a positive number in ${option}, not ${value}`);
    } else if (!takes.includes(value)) return wrong(`takes ${takes.join(", ")} in ${option}, not "${value}"`);
    if (given.has(option)) return wrong(`has ${option} twice`);
    given.set(option, value);
    if (option === "unroll") unroll = value === "disable" ? 1 : "full";
    if (option === "unroll_count" && /^\d+$/u.test(value)) unroll = Number(value);
    rest = rest.slice(whole?.length ?? rest.length);
  }
  if (given.size === 0) return wrong(`needs an option: ${[...OPTIONS.keys()].join(", ")}`);
  const state = given.get("unroll");
  if (given.has("unroll_count") && (state === "full" || state === "disable"))
    return wrong(`cannot have unroll(${state}) and unroll_count(${given.get("unroll_count")})`);
  return { name: CLANG, unroll, problem: null };
}

/** Reads a directive's text; null: it is none for a loop. */
export function readLoopDirective(text: string): LoopDirective | null {
  const [, options] = /^clang\s+loop\b\s*(.*)$/su.exec(text) ?? [];
  if (options !== undefined) return clangLoop(options.trim());
  const [, word, sign = "", count = ""] = /^(?:GCC\s+)?(unroll|nounroll)\b\s*\(?\s*(-?)(\d*)/u.exec(text) ?? [];
  if (word === undefined) return null;
  const problem = sign === "" ? null : `#pragma unroll takes a positive number, not -${count}`;
  return { name: `#pragma ${word}`, unroll: word === "nounroll" ? 1 : count === "" ? "full" : Number(count), problem };
}
