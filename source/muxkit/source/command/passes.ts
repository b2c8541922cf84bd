// muxc FILE: OpenCL C or IR through the passes that are named, and what became of it as text.
import { writeFileSync } from "node:fs";

import { FINALIZE_PASSES, libraryContext } from "@muxkit/compiler-base";
import { Labels, type Module, printFunction, printModule } from "@muxkit/ir";
import { PASSES, type PassRun, runPasses } from "@muxkit/passes";

import { type Command, DIAGNOSTICS_HELP, type Parsed, UsageError } from "./command.ts";
import { difference } from "./diff.ts";
import { readProgram } from "./front-end.ts";

function names(text: string | boolean | undefined): readonly string[] {
  const list = typeof text === "string" ? text.split(",").filter((name) => name !== "").flatMap((name) => (name === "default" ? FINALIZE_PASSES : [name])) : [];
  for (const name of list) if (!PASSES.some((pass) => pass.name === name)) throw new UsageError(`there is no pass "${name}"; there are ${PASSES.map((pass) => pass.name).join(", ")}`);
  return list;
}

interface Report {
  readonly text: string;
  readonly notes: string;
}

/** Functions by name, as lines. Values keep their numbers from print to print. */
function linesOf(module: Module, labels: Labels): ReadonlyMap<string, readonly string[]> {
  return new Map([...module.functions.values()].map((fn) => [fn.name, printFunction(fn, { labels }).trimEnd().split("\n")]));
}

/** What a pass changed, function by function. */
function changes(before: ReadonlyMap<string, readonly string[]>, after: ReadonlyMap<string, readonly string[]>): string {
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
  const rows = runs.toSorted((a, b) => b.milliseconds - a.milliseconds).map(({ pass, milliseconds, opsBefore, opsAfter }) =>
    timeRow(pass, milliseconds, `${((100 * milliseconds) / Math.max(total, Number.EPSILON)).toFixed(1)}%`, `${String(opsBefore).padStart(7)} ${String(opsAfter).padStart(7)}`));
  return `; pass                    ms  share   before   after\n${rows.join("")}${timeRow("all", total, "100.0%", `${String(runs[0]?.opsBefore ?? 0).padStart(7)} ${String(runs.at(-1)?.opsAfter ?? 0).padStart(7)}`)}`;
}

/** Runs the passes one after the other, and notes what was asked for. */
function transform(module: Module, passes: readonly string[], printed: ReadonlySet<string>, { values }: Parsed): Report {
  const notes: string[] = [];
  const runs: PassRun[] = [];
  const labels = new Labels();
  const showsChanges = values["print-changed"] === true;
  let before = showsChanges ? linesOf(module, labels) : new Map<string, readonly string[]>();
  const context = libraryContext(module.layout, (remark) => notes.push(`; remark: ${remark}\n`));
  const after = (run: PassRun): void => {
    runs.push(run);
    if (values["print-after-all"] === true || printed.has(run.pass)) notes.push(`; after ${run.pass}\n${printModule(module)}\n`);
    if (!showsChanges) return;
    const now = linesOf(module, labels);
    const text = changes(before, now);
    notes.push(text === "" ? `; ${run.pass} changed nothing\n` : `; ${run.pass} changed\n${text}\n`);
    before = now;
  };
  runPasses(module, passes, context, { verifyEach: values["verify-each"] === true, checkAnalyses: values["check-analyses"] === true, after });
  if (values["time-passes"] === true) notes.push(timeTable(runs));
  return { text: printModule(module), notes: notes.join("") };
}

/** The command: its own program, `muxc`. */
export const PASSES_COMMAND: Command = {
  usage: "muxc FILE.cl|FILE.ir|- [options]",
  summary: "runs passes over OpenCL C or IR and prints the IR",
  options: {
    passes: { type: "string" }, "list-passes": { type: "boolean" }, "print-after": { type: "string" }, "print-after-all": { type: "boolean" }, "print-changed": { type: "boolean" }, "time-passes": { type: "boolean" },
    "verify-each": { type: "boolean" }, "check-analyses": { type: "boolean" }, text: { type: "boolean", short: "S" }, output: { type: "string", short: "o" }, language: { type: "string", short: "x" },
    options: { type: "string" }, diagnostics: { type: "string" },
  },
  help: {
    passes: "A,B,C  run these passes in order; `default` stands for those that every build runs",
    "list-passes": "list the passes",
    "print-after": "A,B  print the module after these passes, on standard error",
    "print-after-all": "print it after every pass",
    "print-changed": "print which lines each pass changed",
    "time-passes": "print a table of the times that the passes took, and of the instructions before and after",
    "verify-each": "verify the module after each pass",
    "check-analyses": "compute what each pass says it keeps anew, and compare",
    text: "(-S) write the IR as text, which is what happens anyway",
    output: "FILE  (-o) write the IR there instead of to standard output",
    language: "cl|ir  (-x) what the input is; by its name when left out",
    options: "TEXT  build options for OpenCL C",
    diagnostics: DIAGNOSTICS_HELP,
  },
  run: (parsed, streams) => {
    const { out, error } = streams;
    const { values, positionals } = parsed;
    if (values["list-passes"] === true) {
      out(PASSES.map(({ name, doc }) => `${name.padEnd(16)} ${doc}\n`).join(""));
      return 0;
    }
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError("one input file is needed, or - for standard input");
    const passes = names(values["passes"]);
    const printed = new Set(names(values["print-after"]));
    const module = readProgram(file, parsed, streams);
    if (module === null) return 1;
    const report = transform(module, passes, printed, parsed);
    error(report.notes);
    const { output } = values;
    if (typeof output === "string") writeFileSync(output, report.text);
    else out(report.text);
    return 0;
  },
};
