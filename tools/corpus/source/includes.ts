// SPDX-License-Identifier: Apache-2.0
// The files that a program may include: names in its #include lines, looked for as a preprocessor does. Conditions are
// not looked at, so there may be more files than are needed.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

import type { Program } from "./programs.ts";

const INCLUDE = /^\s*#\s*include\s*(?:"([^"\n]+)"|<([^>\n]+)>|(\w+))/gmu;

/** The text of a file; null: there is none. */
function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null; // The next folder is looked into.
  }
}

/** Folders of -I, in order. */
function foldersOf({ file, options }: Program): readonly string[] {
  const folders = options.flatMap((word, i): readonly string[] => {
    if (options[i - 1] === "-I") return [word];
    return word.startsWith("-I") && word.length > 2 ? [word.slice(2)] : [];
  });
  return [...folders, dirname(file)];
}

/** A program and all it may include: texts by absolute path. Throws when the program cannot be read. */
export function includedFiles(program: Program): ReadonlyMap<string, string> {
  const folders = foldersOf(program);
  const files = new Map<string, string>([[program.file, readFileSync(program.file, "utf8")]]);
  const definitions = new Map(
    program.options.flatMap((word) => {
      const [, name = "", value = ""] = /^-D(\w+)=["<](.*)[">]$/u.exec(word) ?? [];
      return name === "" ? [] : [[name, value] as const];
    }),
  );
  // The map grows while it is walked: files that were found are looked into later.
  for (const [path, text] of files) {
    for (const [, quoted, angled, macro = ""] of text.matchAll(INCLUDE)) {
      const name = quoted ?? angled ?? definitions.get(macro);
      if (name === undefined) continue;
      for (const folder of [dirname(path), ...folders]) {
        const found = resolve(folder, name);
        const contents = files.has(found) ? null : read(found);
        if (contents !== null) files.set(found, contents);
      }
    }
  }
  return files;
}
