// muxc FILE: OpenCL C or IR through the passes that are named, and what became of it as text.
import { writeFileSync } from "node:fs";

import { libraryContext } from "@muxkit/compiler-base";
import { type Module, describeVerifierError, parseModule, printModule, verifyModule } from "@muxkit/ir";
import { PASSES, runPasses } from "@muxkit/passes";

import { type Command, InputError, type Parsed, UsageError } from "./command.ts";
import { DIAGNOSTICS_HELP, compileFile, diagnosticFormat, readInput, writeDiagnostics } from "./front-end.ts";

function fromIr(file: string, text: string): Module {
  const parsed = parseModule(text);
  if (!parsed.ok) throw new InputError(`${file}:${parsed.error.line}: ${parsed.error.message}`);
  const [broken] = verifyModule(parsed.value);
  if (broken !== undefined) throw new InputError(`${file}: ${describeVerifierError(broken)}`);
  return parsed.value;
}

function language(file: string, asked: string | boolean | undefined): "cl" | "ir" {
  if (asked === undefined) return file.endsWith(".ir") ? "ir" : "cl";
  if (asked === "cl" || asked === "ir") return asked;
  throw new UsageError(`-x takes cl or ir, not "${String(asked)}"`);
}

function names(text: string | boolean | undefined): readonly string[] {
  const list = typeof text === "string" ? text.split(",").filter((name) => name !== "") : [];
  for (const name of list) if (!PASSES.some((pass) => pass.name === name)) throw new UsageError(`there is no pass "${name}"; there are ${PASSES.map((pass) => pass.name).join(", ")}`);
  return list;
}

interface Report {
  readonly text: string;
  readonly notes: string;
}

/** Runs the passes one after the other, and notes what was asked for. */
function transform(module: Module, passes: readonly string[], printed: ReadonlySet<string>, { values }: Parsed): Report {
  const context = libraryContext(module.layout);
  const notes: string[] = [];
  let before = printModule(module);
  for (const name of passes) {
    const begin = performance.now();
    runPasses(module, [name], context, { verifyEach: values["verify-each"] === true });
    const time = performance.now() - begin;
    const after = printModule(module);
    const hasChanged = after !== before;
    if (values["time-passes"] === true) notes.push(`; ${name}: ${time.toFixed(2)} ms${hasChanged ? "" : ", nothing changed"}\n`);
    if (values["print-after-all"] === true || printed.has(name) || (values["print-changed"] === true && hasChanged)) notes.push(`; after ${name}\n${after}\n`);
    else if (values["print-changed"] === true) notes.push(`; ${name} changed nothing\n`);
    before = after;
  }
  return { text: before, notes: notes.join("") };
}

/** The command: its own program, `muxc`. */
export const PASSES_COMMAND: Command = {
  usage: "muxc FILE.cl|FILE.ir|- [options]",
  summary: "runs passes over OpenCL C or IR and prints the IR",
  options: {
    passes: { type: "string" }, "print-passes": { type: "boolean" }, "print-after": { type: "string" }, "print-after-all": { type: "boolean" }, "print-changed": { type: "boolean" }, "time-passes": { type: "boolean" },
    "verify-each": { type: "boolean" }, output: { type: "string", short: "o" }, language: { type: "string", short: "x" }, options: { type: "string" }, diagnostics: { type: "string" },
  },
  help: {
    passes: "A,B,C  run these passes in order",
    "print-passes": "list the passes",
    "print-after": "A,B  print the module after these passes, on standard error",
    "print-after-all": "print it after every pass",
    "print-changed": "print it after the passes that changed it",
    "time-passes": "tell how long each pass took",
    "verify-each": "verify the module after each pass",
    output: "FILE  (-o) write the IR there instead of to standard output",
    language: "cl|ir  (-x) what the input is; by its name when left out",
    options: "TEXT  build options for OpenCL C",
    diagnostics: DIAGNOSTICS_HELP,
  },
  run: (parsed, streams) => {
    const { out, error } = streams;
    const { values, positionals } = parsed;
    if (values["print-passes"] === true) {
      out(PASSES.map(({ name, doc }) => `${name.padEnd(16)} ${doc}\n`).join(""));
      return 0;
    }
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError("one input file is needed, or - for standard input");
    const passes = names(values["passes"]);
    const printed = new Set(names(values["print-after"]));
    const asked = language(file, values["language"]);
    const text = readInput(file);
    const format = diagnosticFormat(parsed);
    const { options } = values;
    const { module, diagnostics } = asked === "ir" ? { module: fromIr(file, text), diagnostics: [] } : compileFile(file, text, typeof options === "string" ? options : "");
    writeDiagnostics(diagnostics, format, streams);
    if (module === null) return 1;
    const report = transform(module, passes, printed, parsed);
    error(report.notes);
    const { output } = values;
    if (typeof output === "string") writeFileSync(output, report.text);
    else out(report.text);
    return 0;
  },
};
