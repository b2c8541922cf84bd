// SPDX-License-Identifier: Apache-2.0
// The new text of a file: `kernel(…)` becomes the kernel of the file's unit, which stands at its head.
//
//   const saxpy = kernel((item, …) => { … });
//     import { translationUnit as $translationUnit } from "muxkit/sycl/runtime"; const $unit = $translationUnit({ … });
//     const saxpy = $unit.kernel("saxpy");
//
// A debug build keeps the kernels, with the arithmetic of their types. Everything else stays where it is: the head is
// put before the first character of the file, without a new line.
import type { TranslatedUnit } from "@muxkit/kernel-library";
import ts from "typescript";

import { HOST } from "./javascript-expressions.ts";
import { functionPieces, kernelPieces } from "./javascript.ts";
import { isLibraryCall } from "./kernels.ts";
import { type Replacement, type SourceMap, replaceParts } from "./source-map.ts";
import { type TranslateRequest, type TranslatedFile, type Translation, translateFile } from "./translate.ts";

/** How a file is rewritten. @public */
export interface RewriteOptions {
  /** Where `translationUnit` is imported from; absent: `muxkit/sycl/runtime`. */
  readonly runtime?: string;
  /** Keeps the kernels as debug JavaScript. */
  readonly keepsFunctions?: boolean;
  /** What the unit becomes for a runtime: compiled ahead of time, for instance. */
  readonly finishUnit?: (unit: TranslatedUnit, runtime: string) => TranslatedUnit;
  /** What the runtime needs for a finished unit besides: names, and where they are imported from. */
  readonly partsOf?: (unit: TranslatedUnit) => readonly RuntimePart[];
}

/** Something that is imported for a unit. @public */
export interface RuntimePart {
  /** Its name. */
  readonly name: string;
  /** Where it is imported from. */
  readonly from: string;
}

/** Files that import from here stay with it: it is a runtime, and has no compiler. */
const RUN = "muxkit/run";
/** What runs functions on the host. */
const RUN_ON_HOST = "$runOnHost";

/** A file that was rewritten. @public */
export interface RewrittenFile {
  /** The translation. */
  readonly translation: Translation;
  /** TypeScript; null: there are errors, or nothing to rewrite. */
  readonly code: string | null;
  /** Of the code; null where there is none. */
  readonly map: SourceMap | null;
}

/** Translates a file and writes it anew. @public */
export function rewrite(
  request: TranslateRequest,
  {
    runtime: given = "muxkit/sycl/runtime",
    keepsFunctions = false,
    finishUnit = (unit) => unit,
    partsOf = () => [],
  }: RewriteOptions = {},
): RewrittenFile {
  const translated = translateFile(request);
  const { translation } = translated;
  if (translation.unit === null) return { translation, code: null, map: null };
  const runtime = specifiersOf(translated).includes(RUN) ? RUN : given;
  const unit = finishUnit(translation.unit, runtime);
  const { text, map } = replaceParts(translated.file.text, [
    headOf(translated, unit, runtime, keepsFunctions, partsOf(unit)),
    ...kernelSites(translated, keepsFunctions),
    ...otherSites(translated, unit),
    ...importSites(translated, runtime),
    ...(keepsFunctions ? [tailOf(translated)] : []),
  ]);
  return { translation: { ...translation, unit }, code: text, map };
}

function specifiersOf({ file }: TranslatedFile): readonly string[] {
  return file.syntax.statements.flatMap((node) =>
    ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier) ? [node.moduleSpecifier.text] : [],
  );
}

/** Behind a `#!` line, which stays the first. */
function headOf(
  { file }: TranslatedFile,
  unit: TranslatedUnit,
  runtime: string,
  keepsFunctions: boolean,
  parts: readonly RuntimePart[],
): Replacement {
  const start = ts.getShebang(file.text.text)?.length ?? 0;
  const names = `translationUnit as $translationUnit${keepsFunctions ? `, kernelHost as ${HOST}, runOnHost as ${RUN_ON_HOST}` : ""}`;
  const imports = parts
    .map(({ name, from }) => `import { ${name} as $${name} } from ${JSON.stringify(from)}; `)
    .join("");
  const values = [JSON.stringify(unit), ...parts.map(({ name }) => `$${name}`)].join(", ");
  const text = `import { ${names} } from ${JSON.stringify(runtime)}; ${imports}const $unit = /* @__PURE__ */ $translationUnit(${values}); `;
  const line = start === 0 ? text : `\n${text}`;
  return { start, end: start, pieces: [{ text: line, span: null }] };
}

function kernelSites({ sites }: TranslatedFile, keepsFunctions: boolean): readonly Replacement[] {
  return sites.flatMap(({ call, kernel }): readonly Replacement[] => {
    if (kernel === null) return [];
    const span = { file: kernel.span.file, start: call.getStart(), end: call.getEnd() };
    const name = JSON.stringify(kernel.name);
    const pieces = keepsFunctions
      ? [
          { text: `$unit.kernel(${name}, `, span },
          ...kernelPieces(kernel),
          { text: ` as never, ${RUN_ON_HOST})`, span: null },
        ]
      : [{ text: `/* @__PURE__ */ $unit.kernel(${name})`, span }];
    return [{ start: span.start, end: span.end, pieces }];
  });
}

/** Imports of `muxkit/sycl` are of the runtime, too: the whole file then needs no compiler. */
function importSites({ file }: TranslatedFile, runtime: string): readonly Replacement[] {
  return file.syntax.statements.flatMap((node): readonly Replacement[] => {
    if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return [];
    const { moduleSpecifier } = node;
    if (moduleSpecifier.text !== "muxkit/sycl" || runtime === "muxkit/sycl") return [];
    const text = JSON.stringify(runtime);
    return [{ start: moduleSpecifier.getStart(), end: moduleSpecifier.getEnd(), pieces: [{ text, span: null }] }];
  });
}

/** `thisModule`, and specialization constants. */
function otherSites({ context, file, sites }: TranslatedFile, unit: TranslatedUnit): readonly Replacement[] {
  const made: Replacement[] = [];
  const kernels = new Set(sites.map(({ call }) => call as ts.Node));
  const visit = (node: ts.Node): void => {
    if (kernels.has(node) || ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node) && node.text === "thisModule" && isLibraryCall(context, file, node, "thisModule")) {
      const isShorthand = ts.isShorthandPropertyAssignment(node.parent);
      if (!(ts.isPropertyAccessExpression(node.parent) && node.parent.name === node))
        made.push({
          start: node.getStart(),
          end: node.getEnd(),
          pieces: [{ text: isShorthand ? "thisModule: $unit.module" : "$unit.module", span: null }],
        });
    }
    if (
      (ts.isCallExpression(node) || ts.isNewExpression(node)) &&
      ts.isVariableDeclaration(node.parent) &&
      ts.isIdentifier(node.parent.name)
    ) {
      const { name } = node.parent;
      if (
        unit.specConstants.some((constant) => constant.name === name.text) &&
        (isLibraryCall(context, file, node.expression, "specConstant") ||
          isLibraryCall(context, file, node.expression, "SpecConstant"))
      )
        made.push({
          start: node.getStart(),
          end: node.getEnd(),
          pieces: [{ text: `/* @__PURE__ */ $unit.specConstant(${JSON.stringify(name.text)})`, span: null }],
        });
    }
    ts.forEachChild(node, visit);
  };
  visit(file.syntax);
  return made;
}

function tailOf({ file, kernels }: TranslatedFile): Replacement {
  const end = file.text.text.length;
  return { start: end, end, pieces: [{ text: "\n", span: null }, ...functionPieces(kernels)] };
}
