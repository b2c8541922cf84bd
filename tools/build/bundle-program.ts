// SPDX-License-Identifier: Apache-2.0
// Bundles a command-line program, packages and all, to dist/program: scripts that its first file loads when they are
// needed, each with the engine's own form of it from the run before. Modules cannot be started so: Node keeps for them
// only what is compiled before they run.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

import { type BuildOptions, type OutputFile, build } from "esbuild";
import ts from "typescript";

import { buildId } from "./build-id.ts";
import { inlineOps } from "./inline-ops.ts";

/** Scripts of more bytes are installed compressed: they are most of what is installed, and what runs is kept. */
const MOST_PLAIN_BYTES = 65_536;
/** The best level costs ten times the time and saves a tenth more. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** How a package.json describes its program. */
export interface ProgramParts {
  /** The files that Node is given, one for each executable. */
  readonly starts: readonly string[];
  /** Scripts that it loads by their names. */
  readonly scripts: readonly string[];
  /** Modules that run as threads of their own. */
  readonly threads: readonly string[];
}

function common(banner: string): BuildOptions {
  return {
    bundle: true,
    conditions: ["source"],
    platform: "node",
    target: "es2024",
    minifySyntax: true,
    minifyIdentifiers: true,
    minifyWhitespace: true,
    lineLimit: 1000,
    charset: "ascii",
    plugins: [inlineOps()],
    banner: { js: banner },
    define: { "import.meta.muxkitBuild": JSON.stringify(buildId()) },
  };
}

/**
 * One file of esbuild's, an ES module, as the body of a function of `require` and `scriptUrl`; it returns an object of
 * what the module exports. Exports are never assigned again once a module has run, so copies do.
 */
function scriptOf({ path, text }: OutputFile): string {
  // A script has none; its address is put in where sources say import.meta.url.
  if (text.includes("import.meta")) throw new Error(`${path} uses a part of import.meta that only modules have`);
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  let body = "";
  let exported = "";
  let end = 0;
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
    body += text.slice(end, statement.getStart(file));
    ({ end } = statement);
    if (ts.isImportDeclaration(statement)) body += importAsRequire(statement);
    else if (statement.exportClause !== undefined && ts.isNamedExports(statement.exportClause))
      exported += statement.exportClause.elements
        .map(({ name, propertyName }) => `${name.text}:${(propertyName ?? name).getText(file)},`)
        .join("");
    else throw new Error(`${path} exports in a form that is not supported`);
  }
  return `(function(require,scriptUrl){"use strict";${body}${text.slice(end)}\nreturn{${exported}};})\n`;
}

function importAsRequire({ importClause, moduleSpecifier }: ts.ImportDeclaration): string {
  const from = ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : "";
  const required = `require(${JSON.stringify(from)})`;
  const bindings = importClause?.namedBindings;
  if (importClause?.name !== undefined) throw new Error(`the default export of ${from} is imported`);
  if (bindings === undefined) return `${required};`;
  if (ts.isNamespaceImport(bindings)) return `const ${bindings.name.text}=${required};`;
  const names = bindings.elements.map(({ name, propertyName }) =>
    propertyName === undefined ? name.text : `${propertyName.text}:${name.text}`,
  );
  return `const{${names.join(",")}}=${required};`;
}

/** Writes the program to a folder, which is emptied. */
export async function bundleProgram(
  { starts, scripts, threads }: ProgramParts,
  banner: string,
  folder: string = "dist/program",
): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build({
    ...common(banner),
    entryPoints: [...starts],
    entryNames: "[name]",
    outdir: folder,
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    define: { ...common(banner).define, "import.meta.dirname": "__dirname" },
  });
  await build({
    ...common(banner),
    entryPoints: [...threads],
    // Next to the scripts, wherever their sources are.
    entryNames: "[name]",
    outdir: folder,
    format: "esm",
  });
  const { outputFiles } = await build({
    ...common(banner),
    entryPoints: [...scripts],
    outdir: folder,
    format: "esm",
    splitting: true,
    write: false,
    define: { ...common(banner).define, "import.meta.url": "scriptUrl" },
  });
  for (const file of outputFiles) {
    const path = join(folder, basename(file.path).replace(/\.js$/u, ".cjs"));
    const script = Buffer.from(scriptOf(file), "latin1");
    if (script.length > MOST_PLAIN_BYTES) writeFileSync(`${path}.br`, brotliCompressSync(script, COMPRESSION));
    else writeFileSync(path, script);
  }
}
