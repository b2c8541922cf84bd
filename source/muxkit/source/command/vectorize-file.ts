// SPDX-License-Identifier: Apache-2.0
// veczc and muxkit vectorize: what the vectoriser knows of functions, and the functions that it makes of them.
import { writeFileSync } from "node:fs";

import { remarksOf } from "@muxkit/compiler";
import { FINALIZE_PASSES, libraryContext, lowerPipeCalls } from "@muxkit/compiler-base";
import { type Instruction, type IrFunction, type Module, Op, printFunction } from "@muxkit/ir";
import type { MachineTarget } from "@muxkit/machine-target";
import { runPasses } from "@muxkit/passes";
import { REFUSALS, type VectorizeRequest, chooseWidth, costOf, printAnalyses, vectorize } from "@muxkit/vecz";
import { WASM_MACHINE } from "@muxkit/wasm";

import { explainProgram } from "../job/explain.ts";
import type { CompilerRequest } from "../compile/options.table.ts";
import { parseCompilerOptions, tellsOfItself } from "../compile/parse-options.ts";
import { InputError, type Streams, UsageError } from "./command.ts";
import { optionString } from "../compile/option-string.ts";
import { readProgram } from "./front-end.ts";
import { builtInput } from "./explain-file.ts";
import { isIrFile } from "./program-file.ts";
import { PASS_LIST, checkPassNames, hasPassOption, runNamedPasses } from "./passes.ts";

const WIDTHS = [2, 4, 8, 16];
const AXES = ["x", "y", "z"];

function widthOf({ values }: CompilerRequest, fn: IrFunction, machine: MachineTarget): number {
  const { width } = values;
  if (width === undefined) return chooseWidth(fn, machine, machine.limits.mostLanes, true);
  const asked = Number(width);
  if (!WIDTHS.includes(asked)) throw new UsageError(`--width takes ${WIDTHS.join(", ")}, not "${String(width)}"`);
  return asked;
}

function axisOf({ values }: CompilerRequest): number {
  const axis = AXES.indexOf(String(values["axis"] ?? "x"));
  if (axis < 0) throw new UsageError(`--axis takes ${AXES.join(", ")}, not "${String(values["axis"])}"`);
  return axis;
}

/** The functions that are meant: the kernel that is named, or all kernels, or where there are none all functions. */
function chosen(module: Module, { values }: CompilerRequest): readonly IrFunction[] {
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
function describe(fn: IrFunction, module: Module, asked: CompilerRequest): string {
  const machine = { ...WASM_MACHINE, layout: module.layout };
  const width = widthOf(asked, fn, machine);
  const head =
    `; @${fn.name}, ${width} lanes along ${AXES[axisOf(asked)] ?? "x"}, ` +
    `${costOf(fn, machine)} for one work-item alone\n` +
    (fn.blocks.some(({ instructions }) => instructions.some(({ op }) => op === Op.BARRIER))
      ? "; a build cuts it at its barriers and vectorises each piece, see --remarks; here it is one function\n"
      : "");
  if (width < 2) return `${head}; its vectors already have the maximum length\n`;
  const request: VectorizeRequest = {
    width,
    machine,
    axis: axisOf(asked),
    parameters: new Map(),
    isMasked: false,
    returnsVector: false,
    isSubGroup: true,
    isTested: true,
    name: `${fn.name}.v${width}`,
    vectorCall: () => null,
  };
  const analyses = asked.values["analyses"] === true ? printAnalyses(fn, request) : "";
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
function remarkText(file: string, { values, language, words }: CompilerRequest): string {
  if (isIrFile(file, language)) throw new UsageError("--remarks requires OpenCL C or SPIR-V: IR is not built");
  const explained = explainProgram(builtInput(file, language), optionString(file, words));
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
function vectorText(file: string, request: CompilerRequest, streams: Streams): string | null {
  const module = readProgram(file, request, streams);
  if (module === null) return null;
  lowerPipeCalls(module);
  if (request.values["unoptimised"] !== true) runPasses(module, FINALIZE_PASSES, libraryContext(module.layout));
  return chosen(module, request)
    .map((fn) => describe(fn, module, request))
    .join("\n");
}

/** A module that the named passes were run over; null when the program has errors, which have been written. */
function passText(file: string, request: CompilerRequest, streams: Streams): string | null {
  checkPassNames(request.values);
  const module = readProgram(file, request, streams);
  if (module === null) return null;
  const { text, notes } = runNamedPasses(module, request.values);
  streams.error(notes);
  return text;
}

function outputText(file: string, request: CompilerRequest, streams: Streams): string | null {
  if (request.values["remarks"] === true) return remarkText(file, request);
  return hasPassOption(request.values) ? passText(file, request, streams) : vectorText(file, request, streams);
}

/** What `veczc` and `muxkit vectorize` do. */
export function vectorizeFile(name: string, args: readonly string[], streams: Streams): number {
  const request = parseCompilerOptions("vectorize", args);
  if (tellsOfItself("vectorize", name, request, streams)) return 0;
  const { flags, inputs, output } = request;
  if (flags.has("list-passes")) streams.out(PASS_LIST);
  else {
    const [file, ...more] = inputs;
    if (file === undefined || more.length > 0)
      throw new UsageError("exactly one input file is required, or - for standard input");
    const text = outputText(file, request, streams);
    if (text === null) return 1;
    if (output === null || output === "-") streams.out(text);
    else writeFileSync(output, text);
  }
  return 0;
}
