// SPDX-License-Identifier: Apache-2.0
// IR through the passes that are named, and what became of it as text.
import { FINALIZE_PASSES, libraryContext } from "@muxkit/compiler-base";
import { Labels, type Module, printFunction, printModule } from "@muxkit/ir";
import { PASSES, type PassRun, runPasses } from "@muxkit/passes";

import { type Parsed, UsageError } from "./command.ts";
import { difference } from "./diff.ts";

function names(text: string | boolean | undefined): readonly string[] {
  const list =
    typeof text === "string"
      ? text
          .split(",")
          .filter((name) => name !== "")
          .flatMap((name) => (name === "default" ? FINALIZE_PASSES : [name]))
      : [];
  for (const name of list)
    if (!PASSES.some((pass) => pass.name === name))
      throw new UsageError(`there is no pass "${name}"; there are ${PASSES.map((pass) => pass.name).join(", ")}`);
  return list;
}

/** A module as text, and what was asked to be told on the way. */
export interface PassReport {
  readonly text: string;
  readonly notes: string;
}

/** Functions by name, as lines. Values keep their numbers from print to print. */
function linesOf(module: Module, labels: Labels): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...module.functions.values()].map((fn) => [fn.name, printFunction(fn, { labels }).trimEnd().split("\n")]),
  );
}

/** What a pass changed, function by function. */
function changes(
  before: ReadonlyMap<string, readonly string[]>,
  after: ReadonlyMap<string, readonly string[]>,
): string {
  let text = "";
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(name), after.get(name)];
    if (old === undefined) text += `@${name} is new\n${(now ?? []).map((line) => `+ ${line}\n`).join("")}`;
    else if (now === undefined) text += `@${name} is gone\n`;
    else {
      const found = difference(old, now);
      if (found !== "") text += `in @${name}\n${found}`;
    }
  }
  return text;
}

function timeRow(name: string, time: number, share: string, ops: string): string {
  return `; ${name.padEnd(16)} ${time.toFixed(3).padStart(9)} ${share.padStart(6)}  ${ops}\n`;
}

/** Passes with the time that each took, the longest first, and what they did to the number of instructions. */
function timeTable(runs: readonly PassRun[]): string {
  const total = runs.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const rows = runs
    .toSorted((a, b) => b.milliseconds - a.milliseconds)
    .map(({ pass, milliseconds, opsBefore, opsAfter }) =>
      timeRow(
        pass,
        milliseconds,
        `${((100 * milliseconds) / Math.max(total, Number.EPSILON)).toFixed(1)}%`,
        `${String(opsBefore).padStart(7)} ${String(opsAfter).padStart(7)}`,
      ),
    );
  return `; pass                    ms  share   before   after\n${rows.join("")}${timeRow("all", total, "100.0%", `${String(runs[0]?.opsBefore ?? 0).padStart(7)} ${String(runs.at(-1)?.opsAfter ?? 0).padStart(7)}`)}`;
}

/** Runs the passes one after the other, and notes what was asked for. */
function transform(
  module: Module,
  passes: readonly string[],
  printed: ReadonlySet<string>,
  values: Parsed["values"],
): PassReport {
  const notes: string[] = [];
  const runs: PassRun[] = [];
  const labels = new Labels();
  const showsChanges = values["print-changed"] === true;
  let before = showsChanges ? linesOf(module, labels) : new Map<string, readonly string[]>();
  const context = libraryContext(module.layout, (remark) => notes.push(`; remark: ${remark}\n`));
  const after = (run: PassRun): void => {
    runs.push(run);
    if (values["print-after-all"] === true || printed.has(run.pass))
      notes.push(`; after ${run.pass}\n${printModule(module)}\n`);
    if (!showsChanges) return;
    const now = linesOf(module, labels);
    const text = changes(before, now);
    notes.push(text === "" ? `; ${run.pass} changed nothing\n` : `; ${run.pass} changed\n${text}\n`);
    before = now;
  };
  runPasses(module, passes, context, {
    verifyEach: values["verify-each"] === true,
    checkAnalyses: values["check-analyses"] === true,
    after,
  });
  if (values["time-passes"] === true) notes.push(timeTable(runs));
  return { text: printModule(module), notes: notes.join("") };
}

/** Throws UsageError for names of passes that there are not. */
export function checkPassNames(values: Parsed["values"]): void {
  for (const option of ["passes", "print-after"]) names(values[option]);
}

/** Runs the passes that the options name (`passes`, `print-after`, `print-after-all`, `print-changed`, `time-passes`, `verify-each`, `check-analyses`). Throws UsageError for passes that there are not. */
export function runNamedPasses(module: Module, values: Parsed["values"]): PassReport {
  return transform(module, names(values["passes"]), new Set(names(values["print-after"])), values);
}

/** The passes that there are, a line each. */
export const PASS_LIST: string = PASSES.map(({ name, doc }) => `${name.padEnd(16)} ${doc}\n`).join("");
