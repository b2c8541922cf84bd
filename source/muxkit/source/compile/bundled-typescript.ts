// SPDX-License-Identifier: Apache-2.0
// A TypeScript file with kernels, for bundlers: the kernels are compiled ahead of time, and the file's new text has the
// executable instead of them. The translator is loaded with the first such file: it stands on the package `typescript`,
// which programs without such files need not have.
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";

import { InternalError } from "@muxkit/cargo";
import { splitOptionString } from "@muxkit/compiler";
import type { TranslatedImage, TranslatedUnit } from "@muxkit/kernel-library";
import { type ExecutableImage, readExecutable } from "@muxkit/metadata";
import { type Diagnostic, type Span, lineAndColumn } from "@muxkit/report";
import type { RuntimePart } from "@muxkit/typescript-kernels";

import type { RunProgram } from "../run/unit.ts";
import { textOf } from "../run/program-text.ts";
import { InputError, UsageError } from "../command/command.ts";
import { type PluginMessage, messageOf } from "./bundled-module.ts";
import { compileProgram } from "./compile-program.ts";
import { offlineDevices } from "./offline-devices.ts";

/** What became of a file. */
export interface BundledTypescript {
  /** TypeScript; null: there are errors. */
  readonly code: string | null;
  /** Its source map, as JSON; null: there is no code. */
  readonly map: string | null;
  readonly errors: readonly PluginMessage[];
  readonly warnings: readonly PluginMessage[];
  /** Files that it depends on besides itself. */
  readonly dependencies: readonly string[];
}

/** How kernels of TypeScript files are compiled. */
export interface TypescriptOptions {
  /** OpenCL's build options. */
  readonly options?: string;
  /** Where the runtime is imported from. */
  readonly runtime: string;
  /** Keeps the kernels as JavaScript, too. */
  readonly keepsFunctions?: boolean;
  /** Compiles nothing: the unit has its text, and the program's compiler does it when it runs. */
  readonly keepsSource?: boolean;
}

type Translator = typeof import("@muxkit/typescript-kernels");

let loaded: Translator | null = null;

/** Loads the translator. Error: `typescript` is not installed. */
export async function loadTranslator(): Promise<Translator> {
  try {
    loaded ??= await import("@muxkit/typescript-kernels");
    return loaded;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")
      throw new Error(
        "kernels in TypeScript need more packages: npm install --save-dev @muxkit/typescript-kernels typescript",
        {
          cause: error,
        },
      );
    throw error;
  }
}

/** The path as the translator has it. */
function withSlashes(path: string): string {
  return path.replaceAll("\\", "/");
}

function readFile(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

/** A diagnostic of the OpenCL C at the place in TypeScript that its line comes from. */
function atPlace(diagnostic: Diagnostic, places: readonly (Span | null)[]): Diagnostic {
  const { span, message, code } = diagnostic;
  const line = span === null ? 0 : lineAndColumn(span.file, span.start).line;
  const text = `the compiler of OpenCL C says: ${message}${code === "" ? "" : ` [${code}]`}`;
  return { ...diagnostic, code: "TK4901", message: text, span: places[line - 1] ?? null, fix: null };
}

/** The runtime that gets executables as they were read. */
const RUN = "muxkit/run";
/** Parts of devices that bundles have only where kernels need them. */
type PartName = "PRINTF" | "IMAGES";

/** What has a part for a runtime; others have it themselves. */
const PARTS: Readonly<Record<string, Partial<Readonly<Record<PartName, string>>>>> = {
  "muxkit/run": { PRINTF: "muxkit/run/printf" },
  "muxkit/sycl/runtime": { PRINTF: "muxkit/sycl/printf", IMAGES: "muxkit/sycl/images" },
};

function needsOf({ kernels, printfCalls }: ExecutableImage): readonly PartName[] {
  const takesImages = kernels.some(({ arguments: list }) =>
    list.some(({ kind }) => kind === "image" || kind === "sampler"),
  );
  return [...(printfCalls.length > 0 ? (["PRINTF"] as const) : []), ...(takesImages ? (["IMAGES"] as const) : [])];
}

/** What became of a unit. */
interface CompiledUnit {
  readonly unit: TranslatedUnit | RunProgram;
  readonly diagnostics: readonly Diagnostic[];
  /** What its kernels need of the device. */
  readonly needs: readonly PartName[];
}

/** The unit with its executable, as bytes or as it is read, and what the compiler says. */
function compileUnit(unit: TranslatedUnit, options: string, isRead: boolean): CompiledUnit {
  const words = splitOptionString(`${unit.options} ${options}`);
  if (!words.ok) throw new UsageError(words.error);
  const [device] = offlineDevices();
  if (device === undefined) throw new UsageError("no device is available to compile for");
  const constantsAreArguments = unit.specConstants.length > 0;
  const { diagnostics, program } = compileProgram({
    program: { file: unit.name, kind: "cl", text: unit.openclC },
    words: [...words.value, ...(constantsAreArguments ? ["-D", "__MUXKIT_CONSTANTS_AS_ARGUMENTS__"] : [])],
    device,
  });
  if (program === null) return { unit, diagnostics, needs: [] };
  const binary = program.binary(false);
  const read = readExecutable(binary);
  if (!read.ok) throw new InternalError(`an executable that was just made cannot be read: ${read.error.message}`);
  const needs = needsOf(read.value);
  if (isRead) return { unit: { ...unit, openclC: "", program: textOf(read.value) }, diagnostics, needs };
  const data = Buffer.from(binary).toString("base64");
  const image: TranslatedImage = { format: "executable", data, constantsAreArguments };
  return { unit: { ...unit, openclC: "", images: [image] }, diagnostics, needs };
}

/** Translates a file with the translator; null: it has no kernels. */
export function bundledTypescript(
  { mayHaveKernels, rewrite }: Translator,
  path: string,
  text: string,
  { options = "", runtime, keepsFunctions = false, keepsSource = false }: TypescriptOptions,
): BundledTypescript | null {
  if (!mayHaveKernels(text)) return null;
  let compiled: readonly Diagnostic[] = [];
  let parts: readonly RuntimePart[] = [];
  try {
    const { translation, code, map } = rewrite(
      { path: withSlashes(path), text, name: keepsSource ? withSlashes(path) : basename(path), readFile },
      {
        runtime,
        keepsFunctions,
        finishUnit: (unit, used) => {
          if (keepsSource) return unit;
          const made = compileUnit(unit, options, used === RUN);
          compiled = made.diagnostics;
          parts = made.needs.flatMap((name) => {
            const from = PARTS[used]?.[name];
            return from === undefined ? [] : [{ name, from }];
          });
          return made.unit;
        },
        partsOf: () => parts,
      },
    );
    const { diagnostics, places, dependencies } = translation;
    const messages = [...diagnostics, ...compiled.map((one) => atPlace(one, places))];
    const of = (severity: Diagnostic["severity"]): readonly PluginMessage[] =>
      messages
        .filter((diagnostic) => diagnostic.severity === severity)
        .map((diagnostic) => inFile(messageOf(diagnostic), path));
    const errors = of("error");
    // A file that only speaks of kernels stays as it is.
    if (errors.length === 0 && code === null) return null;
    return errors.length > 0
      ? { code: null, map: null, errors, warnings: of("warning"), dependencies }
      : { code, map: JSON.stringify(map), errors: [], warnings: of("warning"), dependencies };
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof InputError)) throw error;
    return { code: null, map: null, errors: [{ text: error.message, place: null }], warnings: [], dependencies: [] };
  }
}

/** Messages name files as the bundler does. */
function inFile({ text, place }: PluginMessage, path: string): PluginMessage {
  return {
    text,
    place: place === null ? null : { ...place, file: place.file === withSlashes(path) ? path : place.file },
  };
}
