// SPDX-License-Identifier: Apache-2.0
// The translator: a TypeScript file to the kernels of a unit, all errors at once.
import type { TranslatedKernel, TranslatedUnit } from "@muxkit/kernel-library";
import { type Diagnostic, type Span, lineAndColumn } from "@muxkit/report";

import { Context } from "./context.ts";
import { expression } from "./expressions.ts";
import { type FileAccess, Files, LIBRARY, type ParsedFile } from "./files.ts";
import { type KernelSite, findKernels } from "./kernels.ts";
import { openclText } from "./opencl-c.ts";
import { statements } from "./statements.ts";
import type { KernelTree } from "./tree.ts";

/** What to translate. @public */
export interface TranslateRequest {
  /** Absolute path of the file, with slashes. */
  readonly path: string;
  /** Its text. */
  readonly text: string;
  /** The name that diagnostics and the unit have; absent: the path. */
  readonly name?: string;
  /** Reads files that it imports; null: there is none. Absent: there are none. */
  readonly readFile?: (path: string) => string | null;
}

/** A translated file. @public */
export interface Translation {
  /** What is wrong, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
  /** The kernels; null: there are errors, or there is no kernel. */
  readonly unit: TranslatedUnit | null;
  /** Files that were read besides it. */
  readonly dependencies: readonly string[];
  /** For each line of the OpenCL C the place that it comes from; null: of none. */
  readonly places: readonly (Span | null)[];
}

/** A translation, and what was made on the way. */
export interface TranslatedFile {
  readonly translation: Translation;
  readonly file: ParsedFile;
  readonly context: Context;
  readonly sites: readonly KernelSite[];
  readonly kernels: readonly KernelTree[];
}

/** Options of the compiler that units need: atomics with orders, linear ids. */
const OPTIONS = "-cl-std=CL3.0";

/** True for a text that may have kernels: cheap, and right for all that have. @public */
export function mayHaveKernels(text: string): boolean {
  return /\b(?:kernel|thisModule)\b/u.test(text) && [...LIBRARY].some((name) => text.includes(name));
}

/** Translates the kernels of a file. @public */
export function translate(request: TranslateRequest): Translation {
  return translateFile(request).translation;
}

/** Translates the kernels of a file, and keeps the trees. */
export function translateFile({ path, text, name = path, readFile = () => null }: TranslateRequest): TranslatedFile {
  const access: FileAccess = { read: readFile };
  const files = new Files(access);
  const context = new Context(files, { expression, statements });
  const file = files.add(path, text);
  reportSyntax(context, file);
  const sites = context.diagnostics.hasErrors ? [] : findKernels(context, file);
  context.diagnostics.sort();
  const kernels = sites.flatMap(({ kernel }) => (kernel === null ? [] : [kernel]));
  const isRight = !context.diagnostics.hasErrors && kernels.length > 0;
  const written = isRight ? openclText(name, kernels) : { text: "", places: [] };
  const constants = [...new Set(kernels.flatMap(({ uses }) => [...uses.constants]))];
  const unit: TranslatedUnit | null = isRight
    ? {
        name,
        openclC: written.text,
        options: OPTIONS,
        kernels: kernels.map(kernelData),
        specConstants: constants.map(({ name: own, type, value, macro }) => ({ name: own, type, value, macro })),
      }
    : null;
  const dependencies = files.paths.filter((one) => one !== path);
  return {
    translation: { diagnostics: context.diagnostics.all, unit, dependencies, places: written.places },
    file,
    context,
    sites,
    kernels,
  };
}

function kernelData({ name, cName, item, parameters, span, subGroupSize }: KernelTree): TranslatedKernel {
  const { line } = lineAndColumn(span.file, span.start);
  const own = subGroupSize === null ? {} : { subGroupSize };
  return { name, entry: cName, item: item.kind, dimensions: item.dimensions, parameters, ...own, line };
}

/** What TypeScript's parser says. */
function reportSyntax(context: Context, file: ParsedFile): void {
  const { parseDiagnostics = [] } = file.syntax as unknown as {
    readonly parseDiagnostics?: readonly {
      readonly start: number;
      readonly length: number;
      readonly messageText: string | { readonly messageText: string };
    }[];
  };
  for (const { start, length, messageText } of parseDiagnostics) {
    const said = typeof messageText === "string" ? messageText : messageText.messageText;
    const span = { file: file.text, start, end: start + length };
    context.errorAt(span, "syntax", said);
  }
}
