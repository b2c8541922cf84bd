// SPDX-License-Identifier: Apache-2.0
// Programs to IR for commands, and what there is to say about it in the form that was asked for.
import { type Header, readIncludeFile } from "@muxkit/compiler";
import type { BaseModule } from "@muxkit/compiler-base";
import { hostDeviceInfo } from "@muxkit/host";
import { hostModule } from "@muxkit/host-compiler";
import { type Module, describeVerifierError, parseModule, verifyModule } from "@muxkit/ir";
import { DIAGNOSTICS } from "@muxkit/opencl-c";
import { type Diagnostic, renderJson, renderSarif, renderText } from "@muxkit/report";

import { optionString } from "../compile/option-string.ts";
import type { CompilerRequest } from "../compile/options.table.ts";
import { InputError, type Parsed, type Streams, UsageError } from "./command.ts";
import { type SourceFile, programInput, readProgramFile } from "./program-file.ts";
import { readInput } from "./read-file.ts";
import { VERSION } from "./version.ts";

const FORMATS = ["text", "json", "sarif"] as const;

/** How diagnostics are written. */
export type DiagnosticFormat = (typeof FORMATS)[number];

/** What `--diagnostics` says; text when it is left out. */
export function diagnosticFormat({ values }: Pick<Parsed, "values">): DiagnosticFormat {
  const { diagnostics: asked = "text" } = values;
  const format = FORMATS.find((name) => name === asked);
  if (format === undefined) throw new UsageError(`--diagnostics takes ${FORMATS.join(", ")}, not "${String(asked)}"`);
  return format;
}

/** Diagnostics in a format; nothing where there is nothing to say as text. */
export function writeDiagnostics(
  diagnostics: readonly Diagnostic[],
  format: DiagnosticFormat,
  { error, wantsColor = false }: Streams,
): void {
  if (format === "json") error(`${renderJson(diagnostics)}\n`);
  else if (format === "sarif")
    error(`${renderSarif(diagnostics, { name: "muxkit", version: VERSION }, DIAGNOSTICS)}\n`);
  else if (diagnostics.length > 0) error(renderText(diagnostics, { color: wantsColor }));
}

/** Headers by the names that `#include` gives them, from their files. Throws InputError. */
export function readHeaders(headers: readonly { readonly name: string; readonly file: string }[]): readonly Header[] {
  return headers.map(({ name, file }) => ({ name, source: readInput(file) }));
}

/** What the front end gives. */
export interface FrontEndResult {
  /** The program; null when it has errors. */
  readonly module: Module | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** An empty module that has a front end and a linker, and makes no code. */
export function frontEndModule(): BaseModule {
  return hostModule({
    device: hostDeviceInfo({}, 1),
    build: () => {
      throw new InputError("this command generates no code");
    },
  });
}

/**
 * Compiles a program to IR, with build options word by word. Headers of OpenCL C are looked for in the folders of -I,
 * then next to the file. Wrong options are a UsageError.
 */
export function compileFile(
  program: SourceFile,
  words: readonly string[],
  headers: readonly Header[] = [],
): FrontEndResult {
  const module = frontEndModule();
  const parsed = module.parseOptions(optionString(program.file, words), "build");
  if (!parsed.ok) throw new UsageError(parsed.error.message);
  const compiled = module.compile(programInput(program, { headers, readFile: readIncludeFile }));
  if (!compiled.ok && module.diagnostics.length === 0)
    throw new InputError(`${program.file}: ${compiled.error.message}`);
  return { module: compiled.ok ? module.ir : null, diagnostics: module.diagnostics };
}

/** The program of a text of IR. Wrong IR is an InputError. */
export function programOfIr(file: string, text: string): Module {
  const parsed = parseModule(text);
  if (!parsed.ok) throw new InputError(`${file}:${parsed.error.line}: ${parsed.error.message}`);
  const [broken] = verifyModule(parsed.value);
  if (broken !== undefined) throw new InputError(`${file}: ${describeVerifierError(broken)}`);
  return parsed.value;
}

/**
 * The program of a file, in a language that `-x` says or that the file shows; null when it has errors, which have been
 * written.
 */
export function readProgram(file: string, request: CompilerRequest, streams: Streams): Module | null {
  const format = diagnosticFormat(request);
  const program = readProgramFile(file, request.language);
  if (program.kind === "ir") return programOfIr(file, program.text);
  const { module, diagnostics } = compileFile(program, request.words);
  writeDiagnostics(diagnostics, format, streams);
  return module;
}
