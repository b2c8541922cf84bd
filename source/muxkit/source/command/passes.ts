// SPDX-License-Identifier: Apache-2.0
// IR through the passes that are named, and what became of it as text.
import type { ParseArgsConfig } from "node:util";

import { FINALIZE_PASSES, libraryContext } from "@muxkit/compiler-base";
import { hostLowering } from "@muxkit/host-compiler";
import { Labels, type Module, printFunction, printModule } from "@muxkit/ir";
import { PASSES, type Pass, type PassRun, runPasses } from "@muxkit/passes";
import { lineDifference, nearest } from "@muxkit/report";
import { LOWERING_PASSES, type Specialization, loweringPassList } from "@muxkit/work-item-lowering";

import { type Parsed, UsageError } from "./command.ts";

/** The passes that can be named: those of the IR and those of the lowering. */
const ALL_PASSES: readonly Pick<Pass, "name" | "doc">[] = [...PASSES, ...LOWERING_PASSES];

/** The passes that a build runs before it lowers, and those of the lowering. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  default: FINALIZE_PASSES,
  lowering: loweringPassList({ optimize: true, hasKnownArguments: false }),
};

/** Options that print the module at a pass. */
const PRINTING = ["print-before", "print-after"] as const;

/** Options of passes, as `parseArgs` takes them. */
export const PASS_OPTIONS: NonNullable<ParseArgsConfig["options"]> = {
  passes: { type: "string" },
  "print-before": { type: "string" },
  "print-after": { type: "string" },
  "print-after-all": { type: "boolean" },
  "print-changed": { type: "boolean" },
  "time-passes": { type: "boolean" },
  "verify-each": { type: "boolean" },
  "check-analyses": { type: "boolean" },
  "local-size": { type: "string" },
};

/** What each option of passes does; a value's name comes first, before two spaces. */
export const PASS_HELP: Readonly<Record<string, string>> = {
  passes:
    "A,B,C  run these passes on the IR, in order; `default` is the default pipeline, " +
    "`lowering` the passes that form the work-item loops of kernels. Default with " +
    "another of these options: `default`, and `lowering` if one of its passes is named",
  "print-before": "A,B  print the module before these passes, on standard error",
  "print-after": "A,B  print the module after these passes, on standard error",
  "print-after-all": "print the module after every pass",
  "print-changed": "print which lines each pass changed",
  "time-passes": "print a table of the times that the passes took, and of the instructions before and after",
  "verify-each": "verify the module after each pass",
  "check-analyses": "recompute the analyses that each pass claims to preserve, and compare",
  "local-size": "X,Y,Z  lower for launches of full work-groups of this size, without an offset; default: any launch",
};

/** True when an option of passes is given. */
export function hasPassOption(values: Parsed["values"]): boolean {
  return Object.keys(PASS_OPTIONS).some((name) => values[name] !== undefined);
}

function names(text: string | boolean | undefined): readonly string[] {
  const list =
    typeof text === "string"
      ? text
          .split(",")
          .filter((name) => name !== "")
          .flatMap((name) => LISTS[name] ?? [name])
      : [];
  const known = ALL_PASSES.map((pass) => pass.name);
  for (const name of list) if (!known.includes(name)) throw new UsageError(unknownPass(name, known));
  return list;
}

function unknownPass(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const passes = `passes are ${known.join(", ")}, and the lists ${Object.keys(LISTS).join(" and ")}`;
  return `unknown pass "${name}"; ${near === null ? "the" : `did you mean ${near}? The`} ${passes}`;
}

/** The passes that the options name; where they name none, those of a build as far as the options look at them. */
function passesOf(values: Parsed["values"]): readonly string[] {
  if (values["passes"] !== undefined) return names(values["passes"]);
  if (!hasPassOption(values)) return [];
  const printed = PRINTING.flatMap((option) => names(values[option]));
  const isLowered =
    values["local-size"] !== undefined || printed.some((name) => LOWERING_PASSES.some((pass) => pass.name === name));
  return names(isLowered ? "default,lowering" : "default");
}

/** The launches to lower for; null: any. */
export function launchOf({ "local-size": text }: Parsed["values"]): Specialization | null {
  if (text === undefined) return null;
  const [x = 0, y = 1, z = 1, ...more] = String(text).split(",").map(Number);
  if (more.length > 0 || [x, y, z].some((size) => !Number.isInteger(size) || size < 1))
    throw new UsageError(`--local-size takes one to three positive sizes, not "${String(text)}"`);
  return { localSize: [x, y, z], uniformGroups: true, zeroOffset: true };
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
      const found = lineDifference(old, now);
      if (found !== "") text += `in @${name}\n${found}`;
    }
  }
  return text;
}

/** Columns of the longest name of a pass. */
const NAME_WIDTH = Math.max(...ALL_PASSES.map(({ name }) => name.length));

function timeRow(name: string, time: number, share: string, ops: string): string {
  return `; ${name.padEnd(NAME_WIDTH)} ${time.toFixed(3).padStart(9)} ${share.padStart(6)}  ${ops}\n`;
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
  return (
    `; ${"pass".padEnd(NAME_WIDTH)}        ms  share   before   after\n` +
    rows.join("") +
    timeRow(
      "all",
      total,
      "100.0%",
      `${String(runs[0]?.opsBefore ?? 0).padStart(7)} ${String(runs.at(-1)?.opsAfter ?? 0).padStart(7)}`,
    )
  );
}

/** A module for people: where functions have work-item parameters, those have their names. */
function noteText(module: Module): string {
  const named = [...module.functions.values()].some(({ convention }) => convention.kind === "work_item");
  return `${printModule(module, { names: named })}\n`;
}

/** Headings of the runs of passes: the name, with a number where the list has the pass several times. */
function headingsOf(passes: readonly string[]): readonly string[] {
  const totals = new Map<string, number>();
  for (const pass of passes) totals.set(pass, (totals.get(pass) ?? 0) + 1);
  const counts = new Map<string, number>();
  return passes.map((pass) => {
    const count = (counts.get(pass) ?? 0) + 1;
    counts.set(pass, count);
    const total = totals.get(pass) ?? 1;
    return total === 1 ? pass : `${pass} (${count} of ${total})`;
  });
}

/** Runs the passes one after the other, and notes what was asked for. */
function transform(module: Module, passes: readonly string[], values: Parsed["values"]): PassReport {
  const notes: string[] = [];
  const runs: PassRun[] = [];
  const labels = new Labels();
  const showsChanges = values["print-changed"] === true;
  let before = showsChanges ? linesOf(module, labels) : new Map<string, readonly string[]>();
  const lowering = hostLowering({
    layout: module.layout,
    specialization: launchOf(values),
    vectorization: "auto",
    optimize: true,
  });
  const context = {
    ...libraryContext(module.layout, (remark) => notes.push(`; remark: ${remark}\n`)),
    machine: lowering.machine,
    passes: lowering.passes,
  };
  const [printedBefore, printedAfter] = PRINTING.map((option) => new Set(names(values[option])));
  const headings = headingsOf(passes);
  const beforePass = (pass: string): void => {
    if (printedBefore?.has(pass) === true) notes.push(`; before ${headings[runs.length] ?? pass}\n${noteText(module)}`);
  };
  const after = (run: PassRun): void => {
    const heading = headings[runs.length] ?? run.pass;
    runs.push(run);
    if (values["print-after-all"] === true || printedAfter?.has(run.pass) === true)
      notes.push(`; after ${heading}\n${noteText(module)}`);
    if (!showsChanges) return;
    const now = linesOf(module, labels);
    const text = changes(before, now);
    notes.push(text === "" ? `; ${heading} changed nothing\n` : `; ${heading} changed\n${text}\n`);
    before = now;
  };
  runPasses(module, passes, context, {
    verifyEach: values["verify-each"] === true,
    checkAnalyses: values["check-analyses"] === true,
    before: beforePass,
    after,
  });
  if (values["time-passes"] === true) notes.push(timeTable(runs));
  return { text: printModule(module), notes: notes.join("") };
}

/** Throws UsageError for names of passes that there are not. */
export function checkPassNames(values: Parsed["values"]): void {
  for (const option of ["passes", ...PRINTING]) names(values[option]);
  launchOf(values);
}

/** Runs the passes that the options name, see {@link PASS_OPTIONS}. Throws UsageError for passes that do not exist. */
export function runNamedPasses(module: Module, values: Parsed["values"]): PassReport {
  return transform(module, passesOf(values), values);
}

/** The passes that there are, a line each. */
export const PASS_LIST: string = ALL_PASSES.map(({ name, doc }) => `${name.padEnd(NAME_WIDTH)} ${doc}\n`).join("");
