// SPDX-License-Identifier: Apache-2.0
// The words of a call of `clc`, `veczc`, `muxkit check` or `muxkit explain`: options of the program by a table, build
// options of OpenCL as they are, files.
import { nearest } from "@muxkit/report";

import { type Streams, UsageError } from "../command/command.ts";
import { VERSION } from "../command/version.ts";
import {
  type CompilerCommand,
  type CompilerRequest,
  type Draft,
  type Flag,
  OPTION_ROWS,
  type OptionRow,
} from "./options.table.ts";

/** Build options that take the next word where nothing is joined to them. */
const WITH_WORD: ReadonlySet<string> = new Set(["-D", "-U", "-I", "-S", "-X"]);

const BUILD_HELP = `Every other option is one of OpenCL's: -D NAME[=VALUE], -U NAME, -I FOLDER, -S FILE (the
name that messages give the source), -X OPTION (of the device), -g, -w, -Werror, -Wextra,
-cl-std=CL1.0|CL1.1|CL1.2|CL2.0|CL3.0, -O0 (or -cl-opt-disable), -O1, -O2, -O3 (the default),
-cl-kernel-arg-info, -cl-mad-enable, -cl-no-signed-zeros, -cl-unsafe-math-optimizations, -cl-finite-math-only,
-cl-fast-relaxed-math, -cl-denorms-are-zero, -cl-single-precision-constant,
-cl-fp32-correctly-rounded-divide-sqrt,
-cl-uniform-work-group-size, -cl-wfv=never|always|auto, -cl-precache-local-sizes=X,Y,Z. A link takes -cl-wfv and
those about floats too, -create-library (a library is made, not a program) and
-enable-link-options (which lets later links change what the library holds).`;

const LINK_HELP = `Each input becomes a file of its own, next to it: k.cl gives k.cl.bin. --link, -create-library,
and -o FILE for several inputs, make one program or library of them all, as clCompileProgram and clLinkProgram do.
Objects and libraries are known by what they hold, not by their names.`;

const EXIT_CODES = "Exit codes: 0; 1: a program has errors, or a file cannot be read or written; 2: wrong arguments.";

/** What a command's help says of it. */
interface HelpTexts {
  readonly summary: string;
  /** Files that it takes. */
  readonly files: string;
  /** What else there is to say; empty: nothing. */
  readonly more: string;
}

const HELP_TEXTS: Readonly<Record<CompilerCommand, HelpTexts>> = {
  compile: {
    summary: "compiles programs ahead of time",
    files: "FILE.cl|FILE.spv|FILE.spvasm|FILE.bc|FILE.o|FILE.a|FILE.ir|- …",
    more: `${LINK_HELP}\n\n`,
  },
  check: {
    summary: "reports the errors and warnings of files of OpenCL C, SPIR-V, LLVM bitcode or IR",
    files: "FILE|- …",
    more: "",
  },
  explain: {
    summary: "explains how the compiler vectorises the kernels of a file, or the kernel of a job",
    files: "FILE.cl|JOB.json|-",
    more: "",
  },
  vectorize: { summary: "vectorises functions and prints the result", files: "FILE.cl|FILE.spv|FILE.ir|-", more: "" },
};

const rowsOf = (command: CompilerCommand): readonly OptionRow[] =>
  OPTION_ROWS.filter(({ commands }) => commands.includes(command));

/** The help of a command under the name that it was called by. */
function compilerHelp(command: CompilerCommand, name: string): string {
  const { summary, files, more } = HELP_TEXTS[command];
  const list = rowsOf(command).map(
    ({ names, value, help }) => `  ${`${names.join(", ")}${value === null ? "" : ` ${value}`}`.padEnd(30)} ${help}`,
  );
  return `${name} [options] ${files}\n${summary}\n\n${list.join("\n")}\n\n${BUILD_HELP}\n\n${more}${EXIT_CODES}\n`;
}

/** Prints the help or the version where a request asks for it; true when that was all that it asks for. */
export function tellsOfItself(
  command: CompilerCommand,
  name: string,
  { flags }: CompilerRequest,
  { out }: Streams,
): boolean {
  if (flags.has("help")) out(compilerHelp(command, name));
  else if (flags.has("version")) out(`${VERSION}\n`);
  else return false;
  return true;
}

/** A row, and what is joined to its name. */
function rowOf(
  rows: readonly OptionRow[],
  word: string,
): { readonly row: OptionRow; readonly joined: string | null } | null {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  const name = at < 0 ? word : word.slice(0, at);
  const row = rows.find(({ names }) => names.includes(name));
  if (row !== undefined) return { row, joined: at < 0 ? null : word.slice(at + 1) };
  const letter = rows.find(
    ({ names, value }) => value !== null && names.some((one) => one.length === 2 && word.startsWith(one)),
  );
  return letter === undefined || word.startsWith("--") ? null : { row: letter, joined: word.slice(2) };
}

/** The option that a misspelt one was meant to be, as the end of a sentence. */
function meant(rows: readonly OptionRow[], word: string): string {
  const [name = ""] = word.split("=");
  const others = OPTION_ROWS.find(({ names }) => names.includes(name))?.commands;
  if (others !== undefined)
    return `; muxkit ${others.join(" and muxkit ")} ${others.length === 1 ? "takes" : "take"} it`;
  const best = nearest(
    name,
    rows.flatMap(({ names }) => names),
  );
  return best === null ? "; --help lists the options" : `; did you mean ${best}?`;
}

/** Reads the words of a call. Throws UsageError. What OpenCL's options say is read by the compiler. */
export function parseCompilerOptions(command: CompilerCommand, args: readonly string[]): CompilerRequest {
  const rows = rowsOf(command);
  const draft: Draft = {
    inputs: [],
    words: [],
    wordsOf: [],
    headers: [],
    kinds: [],
    output: null,
    device: null,
    isNative: false,
    language: null,
    flags: new Set<Flag>(),
    values: {},
  };
  const end = args.indexOf("--");
  const words = end < 0 ? args : args.slice(0, end);
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    const found = rowOf(rows, word);
    const next = (): string => {
      const value = words[++i];
      if (value === undefined) throw new UsageError(`${word} requires a value after it`);
      return value;
    };
    if (found !== null) {
      const { row, joined } = found;
      if (row.value === null && joined !== null)
        throw new UsageError(`${word}: ${row.names.at(-1) ?? ""} takes no value`);
      row.apply(draft, row.value === null ? "" : (joined ?? next()));
    } else if (WITH_WORD.has(word)) draft.words = [...draft.words, word, next()];
    else if (word.startsWith("--")) throw new UsageError(`unknown option ${word}${meant(rows, word)}`);
    else if (word.startsWith("-") && word !== "-") draft.words = [...draft.words, word];
    else draft.inputs = [...draft.inputs, word];
  }
  return { ...draft, inputs: [...draft.inputs, ...(end < 0 ? [] : args.slice(end + 1))] };
}

/** The build options of one input. */
export function wordsOfFile({ words, wordsOf }: CompilerRequest, file: string): readonly string[] {
  return [...words, ...wordsOf.filter((own) => own.file === file).flatMap((own) => own.words)];
}
