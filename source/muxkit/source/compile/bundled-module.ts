// SPDX-License-Identifier: Apache-2.0
// A `.cl` file as a module, for bundlers.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";

import { splitOptionString } from "@muxkit/compiler";
import { type Diagnostic, lineAndColumn, lineText } from "@muxkit/report";

import { UsageError } from "../command/command.ts";
import { compileProgram } from "./compile-program.ts";
import { offlineDevices } from "./offline-devices.ts";
import { textOfModule, typesOfModule } from "./typed-module.ts";

/** How a plugin compiles `.cl` files. @public */
export interface KernelPluginOptions {
  /** OpenCL's build options, for example `-D N=4 -cl-fast-relaxed-math`. */
  readonly options?: string;
  /**
   * True, and when left out: `NAME.cl.d.ts` beside each `NAME.cl` says the types of its kernels. It is written when it
   * changes.
   */
  readonly declarations?: boolean;
}

/** A message with its place, as bundlers show them. */
export interface PluginMessage {
  readonly text: string;
  /** Null: it is of no place. */
  readonly place: {
    readonly file: string;
    readonly line: number;
    /** From 1. */ readonly column: number;
    readonly length: number;
    readonly lineText: string;
  } | null;
}

/** What became of a file. */
export interface BundledModule {
  /** The module; null: there are errors. */
  readonly code: string | null;
  readonly errors: readonly PluginMessage[];
  readonly warnings: readonly PluginMessage[];
  /** Files that it depends on besides itself. */
  readonly included: readonly string[];
}

/** A diagnostic as bundlers show it; a note says what to do. */
export function messageOf({ message, code, span, notes }: Diagnostic): PluginMessage {
  const help = notes.flatMap((one) => (one.span === null ? [`\n${one.message}`] : [])).join("");
  const text = `${message}${code === "" ? "" : ` [${code}]`}${help}`;
  if (span === null) return { text, place: null };
  const { file, start, end } = span;
  const { line, column } = lineAndColumn(file, start);
  return {
    text,
    place: { file: file.name, line, column, length: Math.max(1, end - start), lineText: lineText(file, line) },
  };
}

function fail(text: string): BundledModule {
  return { code: null, errors: [{ text, place: null }], warnings: [], included: [] };
}

/** Compiles the program of a file, and writes its declarations. Wrong build options are an error of the file. */
export function bundledModule(path: string, { options = "", declarations = true }: KernelPluginOptions): BundledModule {
  const words = splitOptionString(options);
  if (!words.ok) return fail(words.error);
  const [device] = offlineDevices();
  if (device === undefined) return fail("no device is available to compile for");
  try {
    const { diagnostics, program, included } = compileProgram({
      program: { file: path, kind: "cl", text: readFileSync(path, "utf8") },
      words: words.value,
      device,
    });
    const of = (severity: Diagnostic["severity"]): readonly PluginMessage[] =>
      diagnostics.filter((diagnostic) => diagnostic.severity === severity).map(messageOf);
    if (program === null) return { code: null, errors: of("error"), warnings: of("warning"), included };
    const name = basename(path);
    if (declarations) writeChanged(`${path}.d.ts`, typesOfModule(name, program.kernels));
    return {
      code: textOfModule(name, program.kernels, program.binary(false)),
      errors: [],
      warnings: of("warning"),
      included,
    };
  } catch (error) {
    if (error instanceof UsageError) return fail(error.message);
    throw error;
  }
}

/** Writes a file unless it says so already: who watches it would go round in circles. */
function writeChanged(path: string, text: string): void {
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}
