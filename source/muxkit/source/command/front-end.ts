// SPDX-License-Identifier: Apache-2.0
// OpenCL C to IR for commands, and what there is to say about it in the form that was asked for.
import { hostModule } from "@muxkit/host-compiler";
import { readFileSync } from "node:fs";

import { type Header, readIncludeFile, openclC } from "@muxkit/compiler";
import { type BaseModule, isModuleFile } from "@muxkit/compiler-base";
import { hostDeviceInfo } from "@muxkit/host";
import { type Module, describeVerifierError, parseModule, verifyModule } from "@muxkit/ir";
import { isExecutable } from "@muxkit/metadata";
import { DIAGNOSTICS } from "@muxkit/opencl-c";
import { type Diagnostic, renderJson, renderSarif, renderText } from "@muxkit/report";

import { optionString } from "../compile/option-string.ts";
import type { CompilerRequest } from "../compile/options.table.ts";
import { InputError, type Parsed, type Streams, UsageError } from "./command.ts";
import { fileReason } from "./file-reason.ts";
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

/** The bytes of a file, `-` being standard input. Throws InputError. */
export function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file === "-" ? 0 : file);
  } catch (cause) {
    throw new InputError(`${file === "-" ? "standard input" : file} cannot be read: ${fileReason(cause)}`, { cause });
  }
}

/** Control characters of texts: blanks, ends of lines and files, colours. */
const IN_TEXTS: ReadonlySet<number> = new Set([9, 10, 11, 12, 13, 26, 27]);

/**
 * Bytes as text. What is no text is an InputError; single bytes of other encodings, in comments for example, are let
 * through.
 */
export function textOf(file: string, bytes: Uint8Array): string {
  if (isModuleFile(bytes)) throw new InputError(`${file} is a compiled object or library, not a text file`);
  if (isExecutable(bytes)) throw new InputError(`${file} is an executable program or another binary, not a text file`);
  const wrong = bytes.findIndex((byte) => byte < 32 && !IN_TEXTS.has(byte));
  if (wrong >= 0)
    throw new InputError(
      `${file} is not a text file: byte ${wrong} is ${bytes[wrong] ?? 0}, which does not ` +
        "occur in " +
        `text${(bytes[0] ?? 0) >= 0xfe ? "; it looks like UTF-16, save it as UTF-8" : ""}`,
    );
  return new TextDecoder().decode(bytes);
}

/** The text of a file, `-` being standard input. Throws InputError. */
export function readInput(file: string): string {
  return textOf(file, readBytes(file));
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
 * Compiles OpenCL C to IR, with build options word by word. Headers are looked for in the folders of -I, then next to
 * the file. Wrong options are a UsageError.
 */
export function compileFile(
  file: string,
  text: string,
  words: readonly string[],
  headers: readonly Header[] = [],
): FrontEndResult {
  const module = frontEndModule();
  const parsed = module.parseOptions(optionString(file, words), "build");
  if (!parsed.ok) throw new UsageError(parsed.error.message);
  const compiled = module.compile(openclC(text, { headers, readFile: readIncludeFile }));
  if (!compiled.ok && module.diagnostics.length === 0) throw new InputError(compiled.error.message);
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

/** How a file is read: as is asked, or by its name. */
export function languageOf(file: string, asked: string | boolean | null | undefined): "cl" | "ir" {
  if (asked === undefined || asked === null) return file.endsWith(".ir") ? "ir" : "cl";
  if (asked === "cl" || asked === "ir") return asked;
  throw new UsageError(`-x takes cl or ir, not "${String(asked)}"`);
}

/**
 * The program of a file, OpenCL C or IR (as is asked, or by its name); null when it has errors, which have been
 * written.
 */
export function readProgram(file: string, request: CompilerRequest, streams: Streams): Module | null {
  const text = readInput(file);
  const format = diagnosticFormat(request);
  if (languageOf(file, request.language) === "ir") return programOfIr(file, text);
  const { module, diagnostics } = compileFile(file, text, request.words);
  writeDiagnostics(diagnostics, format, streams);
  return module;
}
