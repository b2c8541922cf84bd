// muxc FILE: OpenCL C or IR through the passes that are named, and what became of it as text.
import { readFileSync, writeFileSync } from "node:fs";

import { OPENCL_VERSION, languageMacros } from "@muxkit/compiler";
import { BaseModule, libraryContext } from "@muxkit/compiler-base";
import { hostDeviceInfo } from "@muxkit/host";
import { LAYOUT_32, type Module, describeVerifierError, parseModule, printModule, verifyModule } from "@muxkit/ir";
import { PASSES, runPasses } from "@muxkit/passes";

import { type Command, InputError, type Parsed, UsageError } from "./command.ts";

function readInput(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (cause) {
    throw new InputError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function fromIr(file: string, text: string): Module {
  const parsed = parseModule(text);
  if (!parsed.ok) throw new InputError(`${file}:${parsed.error.line}: ${parsed.error.message}`);
  const [broken] = verifyModule(parsed.value);
  if (broken !== undefined) throw new InputError(`${file}: ${describeVerifierError(broken)}`);
  return parsed.value;
}

function fromOpenCLC(file: string, text: string, options: string): Module {
  const module = new BaseModule({
    layout: LAYOUT_32, ...languageMacros(hostDeviceInfo({}, 1)), deviceVersion: OPENCL_VERSION, kernel: () => null,
    build: () => {
      throw new InputError("muxc makes no code");
    },
  });
  const steps = [() => module.parseOptions(`${options} -S "${file.replaceAll('"', "")}"`, "build"), () => module.compileOpenCLC(text, { headers: [] })];
  for (const step of steps) {
    const result = step();
    if (!result.ok) throw new InputError(module.log.trimEnd() || result.error.message);
  }
  if (module.ir === null) throw new InputError(`${file} gave no module`);
  return module.ir;
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
    "verify-each": { type: "boolean" }, output: { type: "string", short: "o" }, language: { type: "string", short: "x" }, options: { type: "string" },
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
  },
  run: (parsed, { out, error }) => {
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
    const { options } = values;
    const module = asked === "ir" ? fromIr(file, text) : fromOpenCLC(file, text, typeof options === "string" ? options : "");
    const report = transform(module, passes, printed, parsed);
    error(report.notes);
    const { output } = values;
    if (typeof output === "string") writeFileSync(output, report.text);
    else out(report.text);
    return 0;
  },
};
