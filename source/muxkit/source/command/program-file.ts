// SPDX-License-Identifier: Apache-2.0
// Programs in files: OpenCL C, IR as text, SPIR-V as binary or assembly, LLVM bitcode. What a file is follows from
// `-x`, then its first bytes, then its name.
import { type ProgramInput, type SourceEnvironment, openclC } from "@muxkit/compiler";
import { assemble, bytesOfWords, isBitcode, isSpirv } from "@muxkit/spirv";

import { InputError } from "./command.ts";
import { readBytes, textOf } from "./read-file.ts";

/** What `-x` takes. */
export const LANGUAGES = ["cl", "ir", "spir", "spirv"] as const;

/** A language of programs. */
export type Language = (typeof LANGUAGES)[number];

/** A program that a front end compiles. */
export type SourceFile =
  | { readonly file: string; readonly kind: "cl"; readonly text: string }
  | { readonly file: string; readonly kind: "spir" | "spirv"; readonly bytes: Uint8Array };

/** A program as a file has it. */
export type ProgramFile = SourceFile | { readonly file: string; readonly kind: "ir"; readonly text: string };

/** True for files of IR as text, by `-x` or by their names. */
export function isIrFile(file: string, asked: Language | null): boolean {
  return asked === null ? file.endsWith(".ir") : asked === "ir";
}

/** The module of SPIR-V in a file: binary, or the assembly of it. Throws InputError. */
function spirvOf(file: string, bytes: Uint8Array): Uint8Array {
  if (isSpirv(bytes)) return bytes;
  const assembled = assemble(textOf(file, bytes));
  if (assembled.ok) return bytesOfWords(assembled.value);
  const { line, column, message } = assembled.error;
  throw new InputError(`${file}:${line}:${column}: ${message}`);
}

/** The language of a file that no option says. */
function languageOf(file: string, bytes: Uint8Array): Language {
  if (isBitcode(bytes)) return "spir";
  if (isSpirv(bytes) || file.endsWith(".spvasm")) return "spirv";
  return isIrFile(file, null) ? "ir" : "cl";
}

/** The program in the bytes of a file; `asked`: its language, null: the file shows it. Throws InputError. */
export function programOfBytes(file: string, bytes: Uint8Array, asked: Language | null): ProgramFile {
  const kind = asked ?? languageOf(file, bytes);
  if (kind === "spirv") return { file, kind, bytes: spirvOf(file, bytes) };
  if (kind !== "spir") return { file, kind, text: textOf(file, bytes) };
  if (!isBitcode(bytes)) throw new InputError(`${file} does not begin like LLVM bitcode, which -x spir takes`);
  return { file, kind, bytes };
}

/** The program in a file, `-` being standard input. Throws InputError. */
export function readProgramFile(file: string, asked: Language | null): ProgramFile {
  return programOfBytes(file, readBytes(file), asked);
}

/** A program as front ends take it. */
export function programInput(program: SourceFile, environment: SourceEnvironment): ProgramInput {
  return program.kind === "cl"
    ? openclC(program.text, environment)
    : { kind: program.kind, source: program.bytes, environment };
}
