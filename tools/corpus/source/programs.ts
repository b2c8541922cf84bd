// SPDX-License-Identifier: Apache-2.0
// The programs of a corpus: files with the endings of OpenCL C in the given folders, each with its build options. A
// folder may have a file `corpus.options`:
//
//   # which files of this folder and those below: options of clBuildProgram; folders of -I are relative to this one
//   **: -cl-std=CL1.2 -I include
//   fft/*.cl: -D N=64
//   gemm.cl [half]: -D PRECISION=16          a build of its own, called "half"
//   gemm.cl [float]: -D PRECISION=32
//
// All lines that match a file hold, in the order of folders from the root down, and of the lines. Lines with a name in
// brackets make as many programs of a file as there are names.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, matchesGlob, relative, resolve } from "node:path";

import { splitOptionString } from "@muxkit/compiler";

/** A file with the options that it is built with. */
export interface Program {
  /** Path from the folder that was given, with the name of the build in brackets behind it. */
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
  /** Build options, word by word, paths absolute. */
  readonly options: readonly string[];
}

/** A line of `corpus.options`. */
interface OptionLine {
  readonly folder: string;
  readonly pattern: string;
  readonly build: string | null;
  readonly words: readonly string[];
}

const OPTIONS_FILE = "corpus.options";
const LINE = /^([^\s:[\]]+)(?:\s+\[([^\]]+)\])?\s*:(.*)$/u;

/** Words of options with the folders of -I made absolute. */
function absoluteWords(folder: string, words: readonly string[]): readonly string[] {
  return words.map((word, i) => {
    if (words[i - 1] === "-I") return resolve(folder, word);
    return word.startsWith("-I") && word.length > 2 ? `-I${resolve(folder, word.slice(2))}` : word;
  });
}

/** The lines of a folder's file of options. Throws when one is not written right. */
function readLines(folder: string): readonly OptionLine[] {
  let text = "";
  try {
    text = readFileSync(join(folder, OPTIONS_FILE), "utf8");
  } catch {
    return []; // Most folders have none.
  }
  return text.split("\n").flatMap((line, i): readonly OptionLine[] => {
    if (line.trim() === "" || line.startsWith("#")) return [];
    const [, pattern, build = null, options = ""] = LINE.exec(line) ?? [];
    const words = splitOptionString(options);
    if (pattern === undefined || !words.ok)
      throw new Error(
        `${join(folder, OPTIONS_FILE)}:${i + 1}: ` +
          (words.ok ? 'write "PATTERN: OPTIONS" or "PATTERN [BUILD]: OPTIONS"' : words.error),
      );
    return [{ folder, pattern, build, words: absoluteWords(folder, words.value) }];
  });
}

/** The programs of a file: one, or one for each name of a build. */
function programsOf(root: string, file: string, lines: readonly OptionLine[]): readonly Program[] {
  const own = lines.filter(({ folder, pattern }) => matchesGlob(relative(folder, file), pattern));
  const builds = new Set(own.flatMap(({ build }) => (build === null ? [] : [build])));
  const name = relative(root, file);
  const optionsOf = (wanted: string | null): readonly string[] =>
    own.filter(({ build }) => build === null || build === wanted).flatMap(({ words }) => words);
  if (builds.size === 0) return [{ name, file, options: optionsOf(null) }];
  return [...builds].map((build) => ({ name: `${name} [${build}]`, file, options: optionsOf(build) }));
}

function programsBelow(root: string, folder: string, above: readonly OptionLine[]): readonly Program[] {
  const lines = [...above, ...readLines(folder)];
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return programsBelow(root, path, lines);
      return /\.(?:cl|ocl|opencl)$/u.test(entry.name) ? programsOf(root, path, lines) : [];
    });
}

/** The programs of folders and single files, in the order of their names. Throws for a path that does not exist. */
export function readPrograms(paths: readonly string[]): readonly Program[] {
  return paths.flatMap((given) => {
    const path = resolve(given);
    if (statSync(path).isDirectory()) return programsBelow(path, path, []);
    const folder = dirname(path);
    return programsOf(folder, path, readLines(folder));
  });
}
