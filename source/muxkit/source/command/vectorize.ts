// SPDX-License-Identifier: Apache-2.0
// veczc FILE: what the vectoriser knows of functions, and the functions that it makes of them.
import { writeFileSync } from "node:fs";

import { remarksOf } from "@muxkit/compiler";
import { FINALIZE_PASSES, libraryContext } from "@muxkit/compiler-base";
import { type Instruction, type IrFunction, type Module, Op, printFunction } from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";
import { runPasses } from "@muxkit/passes";
import { REFUSALS, type VectorizeRequest, chooseWidth, costOf, printAnalyses, vectorize } from "@muxkit/vecz";
import { WASM_MACHINE } from "@muxkit/wasm";

import { explainSource } from "../job/explain.ts";
import { DIAGNOSTICS_HELP, InputError, type Parsed, type ParsedCommand, type Streams, UsageError } from "./command.ts";
import { optionString } from "../compile/option-string.ts";
import { PASS_HELP, PASS_LIST, PASS_OPTIONS, checkPassNames, hasPassOption, runNamedPasses } from "./passes.ts";
import { optionWords, readInput, readProgram } from "./front-end.ts";

const WIDTHS = [2, 4, 8, 16];
const AXES = ["x", "y", "z"];

function widthOf({ values }: Parsed, fn: IrFunction, machine: MachineTarget): number {
  const { width } = values;
  if (width === undefined) return chooseWidth(fn, machine, machine.limits.mostLanes, true);
  const asked = Number(width);
  if (!WIDTHS.includes(asked)) throw new UsageError(`--width takes ${WIDTHS.join(", ")}, not "${String(width)}"`);
  return asked;
}

function axisOf({ values }: Parsed): number {
  const axis = AXES.indexOf(String(values["axis"] ?? "x"));
  if (axis < 0) throw new UsageError(`--axis takes ${AXES.join(", ")}, not "${String(values["axis"])}"`);
  return axis;
}

/** The functions that are meant: the kernel that is named, or all kernels, or where there are none all functions. */
function chosen(module: Module, { values }: Parsed): readonly IrFunction[] {
  const { kernel: name } = values;
  if (name === undefined)
    return module.kernels.length > 0
      ? module.kernels
      : [...module.functions.values()].filter(({ blocks }) => blocks.length > 0);
  const found = module.functions.get(String(name));
  if (found === undefined || found.blocks.length === 0)
    throw new InputError(
      `there is no function "${String(name)}"; there are ${[...module.functions.keys()].join(", ")}`,
    );
  return [found];
}

function placeText(instruction: Instruction | null): string {
  const location = instruction?.location ?? null;
  return location === null ? "" : ` at ${location.file}:${location.line}:${location.column}`;
}

/** What there is to say of one function. */
function describe(fn: IrFunction, module: Module, parsed: Parsed): string {
  const machine = { ...WASM_MACHINE, layout: module.layout };
  const width = widthOf(parsed, fn, machine);
  const head =
    `; @${fn.name}, ${width} lanes along ${AXES[axisOf(parsed)] ?? "x"}, ` +
    `${costOf(fn, machine)} for one work-item alone\n` +
    (fn.blocks.some(({ instructions }) => instructions.some(({ op }) => op === Op.BARRIER))
      ? "; a build cuts it at its barriers and vectorises each piece, see --remarks; here it is one function\n"
      : "");
  if (width < 2) return `${head}; its vectors already have the maximum length\n`;
  const request: VectorizeRequest = {
    width,
    machine,
    axis: axisOf(parsed),
    parameters: new Map(),
    isMasked: false,
    returnsVector: false,
    isSubGroup: true,
    isTested: true,
    name: `${fn.name}.v${width}`,
    vectorCall: () => null,
  };
  const analyses = parsed.values["analyses"] === true ? printAnalyses(fn, request) : "";
  const result = vectorize(fn, request);
  if (!result.ok)
    return (
      `${head}${analyses}; refused${placeText(result.instruction)}: ${result.refusal}. ` +
      `${REFUSALS[result.refusal].change}\n`
    );
  const { general, tested } = result.variants;
  const forms = [general, ...(tested === null ? [] : [tested])].map(
    (form) => `; ${(form.cost / width).toFixed(1)} a work-item\n${printFunction(form.fn)}`,
  );
  return `${head}${analyses}${forms.join("\n")}`;
}

/** What a build makes of the kernels that are meant, as `clGetProgramBuildInfo` tells it where `-cl-wfv` is given. */
function remarkText(file: string, { values }: Parsed): string {
  if (values["language"] === "ir" || file.endsWith(".ir"))
    throw new UsageError("--remarks requires OpenCL C: IR is not built");
  const explained = explainSource(readInput(file), optionString(file, optionWords(values["options"])));
  if (!explained.ok) throw new InputError(explained.error.trimEnd());
  const { kernel: name } = values;
  const reports = explained.value.filter(({ kernel }) => name === undefined || kernel === name);
  if (reports.length === 0)
    throw new InputError(
      name === undefined
        ? "the program has no kernel"
        : `there is no kernel "${String(name)}"; there are ${explained.value.map(({ kernel }) => kernel).join(", ")}`,
    );
  return reports
    .flatMap(remarksOf)
    .map(({ text, place }) => `${place === null ? file : `${place.file}:${place.line}:${place.column}`}: ${text}\n`)
    .join("");
}

/** The functions for several work-items; null when the program has errors, which have been written. */
function vectorText(file: string, parsed: Parsed, streams: Streams): string | null {
  const module = readProgram(file, parsed, streams);
  if (module === null) return null;
  if (parsed.values["unoptimised"] !== true) runPasses(module, FINALIZE_PASSES, libraryContext(module.layout));
  return chosen(module, parsed)
    .map((fn) => describe(fn, module, parsed))
    .join("\n");
}

/** A module that the named passes were run over; null when the program has errors, which have been written. */
function passText(file: string, parsed: Parsed, streams: Streams): string | null {
  checkPassNames(parsed.values);
  const module = readProgram(file, parsed, streams);
  if (module === null) return null;
  const { text, notes } = runNamedPasses(module, parsed.values);
  streams.error(notes);
  return text;
}

function outputText(file: string, parsed: Parsed, streams: Streams): string | null {
  if (parsed.values["remarks"] === true) return remarkText(file, parsed);
  return hasPassOption(parsed.values) ? passText(file, parsed, streams) : vectorText(file, parsed, streams);
}

/** The command: its own program, `veczc`. */
export const VECTORIZE_COMMAND: ParsedCommand = {
  usage: "veczc FILE.cl|FILE.ir|- [options]",
  summary: "vectorises functions and prints the result",
  options: {
    remarks: { type: "boolean" },
    width: { type: "string" },
    axis: { type: "string" },
    kernel: { type: "string" },
    analyses: { type: "boolean" },
    unoptimised: { type: "boolean" },
    text: { type: "boolean", short: "S" },
    output: { type: "string", short: "o" },
    language: { type: "string", short: "x" },
    options: { type: "string" },
    diagnostics: { type: "string" },
    "list-passes": { type: "boolean" },
    ...PASS_OPTIONS,
  },
  help: {
    remarks: "report how a build vectorises each kernel between its barriers, and print no code; OpenCL C only",
    width: "2|4|8|16  number of lanes; default: chosen by the types that the function computes with",
    axis: "x|y|z  the dimension of the lanes; default: x",
    kernel: "NAME  only this function",
    analyses:
      "print the shapes of values, where control flow diverges and reconverges, and which regions are linearised",
    unoptimised: "vectorise the function as it is, without running the default passes first",
    text: "(-S) write text, which is the default",
    output: "FILE  (-o) the output file; default: standard output",
    language: "cl|ir  (-x) the language of the input; default: by its file name",
    options: "TEXT  build options for OpenCL C",
    diagnostics: DIAGNOSTICS_HELP,
    "list-passes": "list the passes",
    ...PASS_HELP,
  },
  run: (parsed, streams) => {
    if (parsed.values["list-passes"] === true) {
      streams.out(PASS_LIST);
      return 0;
    }
    const [file, ...more] = parsed.positionals;
    if (file === undefined || more.length > 0)
      throw new UsageError("exactly one input file is required, or - for standard input");
    const text = outputText(file, parsed, streams);
    if (text === null) return 1;
    const { output } = parsed.values;
    if (typeof output === "string") writeFileSync(output, text);
    else streams.out(text);
    return 0;
  },
};
