// SPDX-License-Identifier: Apache-2.0
// The options of the commands that read OpenCL C, as one table: what each is called, what it does to a request, and
// which commands take it.
import { splitOptionString } from "@muxkit/compiler";

import { UsageError } from "../command/command.ts";
import { LANGUAGES, type Language } from "../command/program-file.ts";
import { PASS_HELP, PASS_OPTIONS } from "../command/passes.ts";
import { KINDS, type Kind, isKind } from "./kinds.ts";

/** What a call of a command that compiles asks for. */
export interface CompilerRequest {
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
  /** Whether native code is asked for beside or instead of WebAssembly. */
  readonly isNative: boolean;
  /** How the inputs are read; null: by their names. */
  readonly language: Language | null;
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

/** The commands that read OpenCL C: `clc` is `compile`, `veczc` is `vectorize`. */
export type CompilerCommand = "compile" | "check" | "explain" | "vectorize";

/** A request while it is read. */
export type Draft = { -readonly [K in keyof Omit<CompilerRequest, "flags">]: CompilerRequest[K] } & { readonly flags: Set<Flag> };

/** One option. */
export interface OptionRow {
  /** The commands that take it. */
  readonly commands: readonly CompilerCommand[];
  /** What it is called: `--name`, and where there is one a letter. */
  readonly names: readonly string[];
  /** What the help calls its value; null: it has none. */
  readonly value: string | null;
  readonly help: string;
  readonly apply: (draft: Draft, value: string) => void;
}

/** What `--target` takes. */
const TARGET = "x86_64-linux";

const ALL: readonly CompilerCommand[] = ["compile", "check", "explain", "vectorize"];
const COMPILE: readonly CompilerCommand[] = ["compile"];
const WITH_PASSES: readonly CompilerCommand[] = ["compile", "vectorize"];

const flag = (
  commands: readonly CompilerCommand[],
  name: Flag,
  help: string,
  ...letters: readonly string[]
): OptionRow => ({
  commands,
  names: [...letters, `--${name}`],
  value: null,
  help,
  apply: ({ flags }) => void flags.add(name),
});

/** An option that the command reads by its name. */
const named = (
  commands: readonly CompilerCommand[],
  name: string,
  value: string | null,
  help: string,
  ...letters: readonly string[]
): OptionRow => ({
  commands,
  names: [...letters, `--${name}`],
  value,
  help,
  apply: (draft, given) => {
    draft.values = { ...draft.values, [name]: value === null ? true : given };
  },
});

/** The options of passes, from their table. */
function passOptions(): readonly OptionRow[] {
  return Object.entries(PASS_HELP).map(([name, help]) => {
    if (PASS_OPTIONS[name]?.type === "boolean") return named(WITH_PASSES, name, null, help);
    const [value = "", ...text] = help.split("  ");
    return named(name === "local-size" ? [...WITH_PASSES, "explain"] : WITH_PASSES, name, value, text.join("  "));
  });
}

function kindsOf(text: string): readonly Kind[] {
  const list = text.split(",");
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

/** The options of all commands that compile. Build options of OpenCL C are not among them: every command takes those. */
export const OPTION_ROWS: readonly OptionRow[] = [
  {
    commands: WITH_PASSES,
    names: ["-o", "--output"],
    value: "FILE",
    help:
      "the output; - is standard output. A folder for several outputs; a file links " +
      "several inputs into one program",
    apply: (draft, value) => void (draft.output = value),
  },
  {
    commands: COMPILE,
    names: ["--emit"],
    value: "KIND,…",
    help: KINDS.map(({ name, help }) => `${name}: ${help}`).join("; "),
    apply: (draft, value) => void (draft.kinds = [...draft.kinds, ...kindsOf(value)]),
  },
  {
    commands: [...WITH_PASSES, "check"],
    names: ["-x", "--language"],
    value: LANGUAGES.join("|"),
    help: "the language of the inputs; default: by their first bytes and their names",
    apply: (draft, value) => {
      const language = LANGUAGES.find((name) => name === value);
      if (language === undefined) throw new UsageError(`-x takes ${LANGUAGES.join(", ")}, not "${value}"`);
      draft.language = language;
    },
  },
  {
    commands: COMPILE,
    names: ["-d", "--device"],
    value: "NAME",
    help: "compile for the first device whose name contains this text",
    apply: (draft, value) => void (draft.device = value),
  },
  {
    commands: COMPILE,
    names: ["--target"],
    value: TARGET,
    help:
      "machine code for programs in C: --emit elf,header, or what the name of the output says; " +
      "with --emit binary: a binary that has such code beside WebAssembly",
    apply: (draft, value) => {
      if (value !== TARGET) throw new UsageError(`--target takes ${TARGET}, not "${value}"`);
      draft.isNative = true;
    },
  },
  named(
    COMPILE,
    "tier",
    "TIER",
    "with --target: what the processor must have, x64.3 (AVX2, the default) or x64.4 (AVX-512); " +
      "for --emit binary both are possible, with a comma in between",
  ),
  {
    commands: COMPILE,
    names: ["-c", "--compile"],
    value: null,
    help: "compile each input to an object without linking: --emit object",
    apply: (draft) => void (draft.kinds = [...draft.kinds, "object"]),
  },
  flag(COMPILE, "link", "link all inputs (sources, objects, libraries) into one program, which is named program without -o"),
  {
    commands: ["compile", "check"],
    names: ["--header"],
    value: "NAME=FILE",
    help: "the header that #include finds under this name, before the folders of -I",
    apply: (draft, value) => {
      const [name, file] = pairOf("--header", value, "NAME=FILE");
      draft.headers = [...draft.headers, { name, file }];
    },
  },
  flag(COMPILE, "list-devices", "list the devices that programs can be compiled for"),
  flag(COMPILE, "strip-binary-header", "write the bare ELF file, without prefix and kernel header"),
  flag(COMPILE, "strip-ir",
    "omit the intermediate representation, from which a compiler makes specialised variants for repeated launches",
  ),
  flag(COMPILE, "no-output", "compile and write nothing", "-n"),
  {
    commands: ALL,
    names: ["--options"],
    value: "TEXT",
    help: "build options as a single string",
    apply: (draft, value) => void (draft.words = [...draft.words, ...split("--options", value)]),
  },
  {
    commands: ["compile", "check"],
    names: ["--options-of"],
    value: "FILE=TEXT",
    help: "build options of one input, after those of all inputs",
    apply: (draft, value) => {
      const [file, text] = pairOf("--options-of", value, "FILE=TEXT");
      draft.wordsOf = [...draft.wordsOf, { file, words: split("--options-of", text) }];
    },
  },
  named(ALL, "diagnostics", "text|json|sarif", "how to write errors and warnings, on standard error; text is the default"),
  ...passOptions(),
  named(["explain", "vectorize"], "kernel", "NAME", "only this function"),
  named(["explain"], "json", null, "print data"),
  named(["vectorize"], "remarks", null, "report how a build vectorises each kernel between its barriers, and print no code; OpenCL C only"),
  named(["vectorize"], "width", "2|4|8|16", "number of lanes; default: chosen by the types that the function computes with"),
  named(["vectorize"], "axis", "x|y|z", "the dimension of the lanes; default: x"),
  named(["vectorize"], "analyses", null, "print the shapes of values, where control flow diverges and reconverges, and which regions are linearised"),
  named(["vectorize"], "unoptimised", null, "vectorise the function as it is, without running the default passes first"),
  named(["vectorize"], "text", null, "write text, which is the default", "-S"),
  flag(WITH_PASSES, "list-passes", "list the passes"),
  flag(COMPILE, "verbose", "report what is done with each input", "-v"),
  flag(ALL, "version", "print the version"),
  flag(ALL, "help", "print this", "-h"),
];

