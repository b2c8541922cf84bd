// SPDX-License-Identifier: Apache-2.0
// The words of a call of `clc`: options of the program by a table, build options of OpenCL as they are, files.
import { splitOptionString } from "@muxkit/compiler";
import { nearest } from "@muxkit/report";

import { UsageError } from "../command/command.ts";
import { PASS_HELP, PASS_OPTIONS } from "../command/passes.ts";
import { KINDS, type Kind, isKind } from "./kinds.ts";

/** What a call asks for. */
export interface ClcRequest {
  /** Files; `-` is standard input. */
  readonly inputs: readonly string[];
  /** Build options, word by word. */
  readonly words: readonly string[];
  /** Those of one input alone, after the others. */
  readonly wordsOf: readonly { readonly file: string; readonly words: readonly string[] }[];
  /** Headers by the names that `#include` gives them, and their files. */
  readonly headers: readonly { readonly name: string; readonly file: string }[];
  /** What to write of each input, or of the program that they are linked to; empty: nobody said. */
  readonly kinds: readonly Kind[];
  /** Where to; null: next to the input. */
  readonly output: string | null;
  /** A part of a device's name; null: the first device. */
  readonly device: string | null;
  /** How the inputs are read; null: by their names. */
  readonly language: "cl" | "ir" | null;
  /** Options that stand alone. */
  readonly flags: ReadonlySet<Flag>;
  /** Options of passes and diagnostics, by name. */
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
}

/** Options that stand alone. */
export type Flag =
  | "help"
  | "version"
  | "verbose"
  | "no-output"
  | "list-devices"
  | "list-passes"
  | "link"
  | "strip-binary-header"
  | "strip-ir";

type Draft = { -readonly [K in keyof Omit<ClcRequest, "flags">]: ClcRequest[K] } & { readonly flags: Set<Flag> };

/** One option. */
interface Row {
  /** What it is called: `--name`, and where there is one a letter. */
  readonly names: readonly string[];
  /** What the help calls its value; null: it has none. */
  readonly value: string | null;
  readonly help: string;
  readonly apply: (draft: Draft, value: string) => void;
}

const flag = (name: Flag, help: string, ...letters: readonly string[]): Row => ({
  names: [...letters, `--${name}`],
  value: null,
  help,
  apply: ({ flags }) => void flags.add(name),
});

/** An option that the code which runs passes or writes diagnostics reads by its name. */
const shared = (name: string, value: string | null, help: string): Row => ({
  names: [`--${name}`],
  value,
  help,
  apply: (draft, given) => {
    draft.values = { ...draft.values, [name]: value === null ? true : given };
  },
});

/** The options of passes, from their table. */
function passOptions(): readonly Row[] {
  return Object.entries(PASS_HELP).map(([name, help]) => {
    if (PASS_OPTIONS[name]?.type === "boolean") return shared(name, null, help);
    const [value = "", ...text] = help.split("  ");
    return shared(name, value, text.join("  "));
  });
}

function kindsOf(text: string): readonly Kind[] {
  const list = text.split(",");
  if (list.includes("spirv"))
    throw new UsageError(
      "--emit spirv: this compiler does not write SPIR-V; use ir for its intermediate representation",
    );
  const wrong = list.find((name) => !isKind(name));
  if (wrong !== undefined)
    throw new UsageError(`--emit takes ${KINDS.map(({ name }) => name).join(", ")}, not "${wrong}"`);
  return list.filter(isKind);
}

/** The two sides of the first equals sign. */
function pairOf(option: string, text: string, form: string): readonly [left: string, right: string] {
  const at = text.indexOf("=");
  if (at < 1 || at === text.length - 1) throw new UsageError(`${option} takes ${form}, not "${text}"`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function split(option: string, text: string): readonly string[] {
  const words = splitOptionString(text);
  if (!words.ok) throw new UsageError(`${option}: ${words.error}`);
  return words.value;
}

const ROWS: readonly Row[] = [
  {
    names: ["-o", "--output"],
    value: "FILE",
    help:
      "the output; - is standard output. A folder for several outputs; a file links " +
      "several inputs into one program",
    apply: (draft, value) => void (draft.output = value),
  },
  {
    names: ["--emit"],
    value: "KIND,…",
    help: KINDS.map(({ name, help }) => `${name}: ${help}`).join("; "),
    apply: (draft, value) => void (draft.kinds = [...draft.kinds, ...kindsOf(value)]),
  },
  {
    names: ["-x", "--language"],
    value: "cl|ir",
    help: "the language of the inputs; default: by their file names",
    apply: (draft, value) => {
      if (value !== "cl" && value !== "ir") throw new UsageError(`-x takes cl or ir, not "${value}"`);
      draft.language = value;
    },
  },
  {
    names: ["-d", "--device"],
    value: "NAME",
    help: "compile for the first device whose name contains this text",
    apply: (draft, value) => void (draft.device = value),
  },
  {
    names: ["-c", "--compile"],
    value: null,
    help: "compile each input to an object without linking: --emit object",
    apply: (draft) => void (draft.kinds = [...draft.kinds, "object"]),
  },
  flag("link", "link all inputs (sources, objects, libraries) into one program, which is named program without -o"),
  {
    names: ["--header"],
    value: "NAME=FILE",
    help: "the header that #include finds under this name, before the folders of -I",
    apply: (draft, value) => {
      const [name, file] = pairOf("--header", value, "NAME=FILE");
      draft.headers = [...draft.headers, { name, file }];
    },
  },
  flag("list-devices", "list the devices that programs can be compiled for"),
  flag("strip-binary-header", "write the bare ELF file, without prefix and kernel header"),
  flag(
    "strip-ir",
    "omit the intermediate representation, from which a compiler makes specialised variants for repeated launches",
  ),
  flag("no-output", "compile and write nothing", "-n"),
  {
    names: ["--options"],
    value: "TEXT",
    help: "build options as a single string",
    apply: (draft, value) => void (draft.words = [...draft.words, ...split("--options", value)]),
  },
  {
    names: ["--options-of"],
    value: "FILE=TEXT",
    help: "build options of one input, after those of all inputs",
    apply: (draft, value) => {
      const [file, text] = pairOf("--options-of", value, "FILE=TEXT");
      draft.wordsOf = [...draft.wordsOf, { file, words: split("--options-of", text) }];
    },
  },
  shared("diagnostics", "text|json|sarif", "how to write errors and warnings, on standard error; text is the default"),
  ...passOptions(),
  flag("list-passes", "list the passes"),
  flag("verbose", "report what is done with each input", "-v"),
  flag("version", "print the version"),
  flag("help", "print this", "-h"),
];

/** Build options that take the next word where nothing is joined to them. */
const WITH_WORD: ReadonlySet<string> = new Set(["-D", "-U", "-I", "-S", "-X"]);

const BUILD_HELP = `Every other option is one of OpenCL's: -D NAME[=VALUE], -U NAME, -I FOLDER, -S FILE (the
name that messages give the source), -X OPTION (of the device), -g, -w, -Werror, -Wextra,
-cl-std=CL1.0|CL1.1|CL1.2|CL2.0|CL3.0, -cl-opt-disable,
-cl-kernel-arg-info, -cl-mad-enable, -cl-no-signed-zeros, -cl-unsafe-math-optimizations, -cl-finite-math-only,
-cl-fast-relaxed-math, -cl-denorms-are-zero, -cl-single-precision-constant,
-cl-fp32-correctly-rounded-divide-sqrt,
-cl-uniform-work-group-size, -cl-wfv=never|always|auto, -cl-precache-local-sizes=X,Y,Z. A link takes -cl-wfv and
those about floats too, -create-library (a library is made, not a program) and
-enable-link-options (which lets later links change what the library holds).

Each input becomes a file of its own, next to it: k.cl gives k.cl.bin. --link, -create-library, and -o FILE for
several inputs, make one program or library of them all, as clCompileProgram and clLinkProgram do.
Objects and libraries are known by what they hold, not by their names.`;

const EXIT_CODES = "Exit codes: 0; 1: a program has errors, or a file cannot be read or written; 2: wrong arguments.";

/** The help of the program under a name. */
export function clcHelp(name: string): string {
  const list = ROWS.map(
    ({ names, value, help }) => `  ${`${names.join(", ")}${value === null ? "" : ` ${value}`}`.padEnd(30)} ${help}`,
  );
  return (
    `${name} [options] FILE.cl|FILE.o|FILE.a|FILE.ir|- …\ncompiles programs ahead of ` +
    `time\n\n${list.join("\n")}\n\n${BUILD_HELP}\n\n${EXIT_CODES}\n`
  );
}

/** A row, and what is joined to its name. */
function rowOf(word: string): { readonly row: Row; readonly joined: string | null } | null {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  const name = at < 0 ? word : word.slice(0, at);
  const row = ROWS.find(({ names }) => names.includes(name));
  if (row !== undefined) return { row, joined: at < 0 ? null : word.slice(at + 1) };
  const letter = ROWS.find(
    ({ names, value }) => value !== null && names.some((one) => one.length === 2 && word.startsWith(one)),
  );
  return letter === undefined || word.startsWith("--") ? null : { row: letter, joined: word.slice(2) };
}

/** The option that a misspelt one was meant to be, as the end of a sentence. */
function meant(word: string): string {
  const [name = ""] = word.split("=");
  const best = nearest(
    name,
    ROWS.flatMap(({ names }) => names),
  );
  return best === null ? "; --help lists the options" : `; did you mean ${best}?`;
}

/** Reads the words of a call. Throws UsageError. What OpenCL's options say is read by the compiler. */
export function parseClc(args: readonly string[]): ClcRequest {
  const draft: Draft = {
    inputs: [],
    words: [],
    wordsOf: [],
    headers: [],
    kinds: [],
    output: null,
    device: null,
    language: null,
    flags: new Set<Flag>(),
    values: {},
  };
  const end = args.indexOf("--");
  const words = end < 0 ? args : args.slice(0, end);
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    const found = rowOf(word);
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
    else if (word.startsWith("--")) throw new UsageError(`unknown option ${word}${meant(word)}`);
    else if (word.startsWith("-") && word !== "-") draft.words = [...draft.words, word];
    else draft.inputs = [...draft.inputs, word];
  }
  return { ...draft, inputs: [...draft.inputs, ...(end < 0 ? [] : args.slice(end + 1))] };
}
