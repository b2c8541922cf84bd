// SPDX-License-Identifier: Apache-2.0
// Makes the generated files that are not committed, where they are out of date.
//
//   make-generated.ts                   both, where their inputs have changed
//   make-generated.ts library batched   those that are named, in any case
//   make-generated.ts --check           makes both anew and compares: fails when one differs although its inputs do not
//   make-generated.ts --hash NAME       prints a hash of the inputs of one, for nx
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

import { GENERATED_FILES, type GeneratedFile, inputHashes, inputsLine, isCurrent } from "./generated-files.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The text of a file, and of the committed declarations that are made with it. */
interface GeneratedText {
  readonly text: string;
  readonly declarations: { readonly path: string; readonly text: string } | null;
}

const withInputs = (file: GeneratedFile, text: string): string => text.replace("\n", `\n${inputsLine(file)}\n`);

/**
 * How each file is made. Modules are loaded here: the compiler of the batched functions reads the library just written.
 */
const MAKERS: Readonly<Record<GeneratedFile["name"], (file: GeneratedFile) => Promise<GeneratedText>>> = {
  library: async (file) => {
    const { bakeLibrary } = await import("@muxkit/bake");
    return { text: withInputs(file, bakeLibrary()), declarations: null };
  },
  batched: async (file) => {
    const { bakeBatched, batchedDeclarations } = await import("@muxkit/bake/batched");
    return {
      text: withInputs(file, bakeBatched()),
      declarations: { path: "modules/abacus/source/generated/batched.d.ts", text: batchedDeclarations() },
    };
  },
};

/** Writes a file in one step: other processes may be doing the same. */
function write(path: string, text: string): void {
  mkdirSync(dirname(root + path), { recursive: true });
  const temporary = `${root}${path}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, root + path);
}

async function make(file: GeneratedFile): Promise<void> {
  const begin = performance.now();
  const { text, declarations } = await MAKERS[file.name](file);
  write(file.path, text);
  if (declarations !== null) write(declarations.path, declarations.text);
  console.log(`muxkit: made ${file.path} in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
}

async function check(file: GeneratedFile): Promise<void> {
  const { text, declarations } = await MAKERS[file.name](file);
  for (const one of [{ path: file.path, text }, ...(declarations === null ? [] : [declarations])]) {
    if (existsSync(root + one.path) && readFileSync(root + one.path, "utf8") === one.text) continue;
    console.error(`${one.path} is not what its inputs make: run npm run bake`);
    process.exitCode = 1;
  }
}

const words = new Set(process.argv.slice(2));
const [library, batched] = GENERATED_FILES;
const named = GENERATED_FILES.filter(({ name }) => words.has(name));
if (words.has("--hash")) for (const file of named) console.log(inputHashes(file).join(" "));
else {
  const isCheck = words.has("--check");
  const isWanted = (file: GeneratedFile): boolean =>
    isCheck || (named.length > 0 ? named.includes(file) : !isCurrent(file, true));
  const act = isCheck ? check : make;
  // In this order: the second is compiled with the first.
  if (isWanted(library)) await act(library);
  if (isWanted(batched)) await act(batched);
}
