// SPDX-License-Identifier: Apache-2.0
// The options of one program, and the table that reads them from an OpenCL option string.
import { type Result, err, ok } from "@muxkit/cargo";
import { nearest } from "@muxkit/report";

import { type CompilerError, type CompilerErrorCode, compilerError } from "./error.ts";
import { splitOptionString } from "./option-words.ts";

/**
 * The call that the option string was passed to; it decides what is allowed and which error a wrong option has. Options
 * of mathematics are allowed everywhere: a linker may apply them (OpenCL 5.8.7.2).
 *
 * @public
 */
export type OptionMode = "build" | "compile" | "link";

/** Version of OpenCL C. @public */
export type OpenCLCStandard = "1.0" | "1.1" | "1.2" | "2.0" | "3.0";

/** When kernels are vectorised: `auto` lets a cost model choose. @public */
export type VectorizationMode = "never" | "always" | "auto";

/** Every option of a program. @public */
export interface CompilerOptions {
  /** `-D name[=value]`, in order; a `-U name` is an entry with `value` null. */
  readonly definitions: readonly { readonly name: string; readonly value: string | null }[];
  /** `-I directory`, in order. */
  readonly includeDirectories: readonly string[];
  /** `-cl-std=CL…`. */
  readonly standard: OpenCLCStandard;
  /** `-w`: no warnings. */
  readonly warnIgnore: boolean;
  /** `-Werror`: warnings are errors. */
  readonly warnError: boolean;
  /** `-Wextra`: more warnings. */
  readonly extraWarnings: boolean;
  /** `-g`: debug information. */
  readonly debugInfo: boolean;
  /** `-cl-opt-disable`. */
  readonly optDisable: boolean;
  /** `-cl-kernel-arg-info`. */
  readonly kernelArgInfo: boolean;
  /** `-cl-mad-enable`. */
  readonly madEnable: boolean;
  /** `-cl-no-signed-zeros`. */
  readonly noSignedZeros: boolean;
  /** `-cl-unsafe-math-optimizations`. */
  readonly unsafeMathOptimizations: boolean;
  /** `-cl-finite-math-only`. */
  readonly finiteMathOnly: boolean;
  /** `-cl-fast-relaxed-math`. */
  readonly fastRelaxedMath: boolean;
  /** `-cl-denorms-are-zero`: denormals may be flushed. */
  readonly denormsMayBeZero: boolean;
  /** `-cl-single-precision-constant`. */
  readonly singlePrecisionConstant: boolean;
  /** `-cl-fp32-correctly-rounded-divide-sqrt`. */
  readonly correctlyRoundedDivideSqrt: boolean;
  /** `-cl-uniform-work-group-size`. */
  readonly uniformWorkGroupSize: boolean;
  /** `-cl-wfv=never|always|auto`. Linked kernels keep what they were compiled with, unless the link has the option. */
  readonly vectorization: VectorizationMode;
  /** True if `-cl-wfv` is set: the build log reports the vectorisation of each kernel. */
  readonly vectorizationRemarks: boolean;
  /**
   * Of a linked program: kernels whose objects were compiled with another `-cl-wfv` than {@link
   * CompilerOptions.vectorization}.
   */
  readonly kernelVectorization: readonly { readonly kernel: string; readonly mode: VectorizationMode }[];
  /** `-cl-precache-local-sizes=x,y,z[:x,y,z…]`: local sizes to compile for ahead of time. */
  readonly precacheLocalSizes: readonly (readonly [number, number, number])[];
  /** `-S file`: the name of the source in diagnostics and locations. */
  readonly sourceFile: string | null;
  /** `-create-library` at link. */
  readonly createLibrary: boolean;
  /** `-enable-link-options` at link. */
  readonly enableLinkOptions: boolean;
  /** `-muxkit-stub`: kernels get empty bodies, for host programs that are run before there is a device. */
  readonly stub: boolean;
  /** `-muxkit-robust-buffer-access=`: what shaders do outside of their buffers; null: as kernels do. */
  readonly robustBufferAccess: "zero" | "clamp" | null;
  /** `-X name[=value]`: options of the device, as it declares them. */
  readonly deviceOptions: readonly string[];
}

/** The options of an empty string: OpenCL C 1.2, everything off. @public */
export const DEFAULT_OPTIONS: CompilerOptions = {
  definitions: [],
  includeDirectories: [],
  standard: "1.2",
  warnIgnore: false,
  warnError: false,
  extraWarnings: false,
  debugInfo: false,
  optDisable: false,
  kernelArgInfo: false,
  madEnable: false,
  noSignedZeros: false,
  unsafeMathOptimizations: false,
  finiteMathOnly: false,
  fastRelaxedMath: false,
  denormsMayBeZero: false,
  singlePrecisionConstant: false,
  correctlyRoundedDivideSqrt: false,
  uniformWorkGroupSize: false,
  vectorization: "auto",
  vectorizationRemarks: false,
  kernelVectorization: [],
  precacheLocalSizes: [],
  sourceFile: null,
  createLibrary: false,
  enableLinkOptions: false,
  stub: false,
  robustBufferAccess: null,
  deviceOptions: [],
};

type Draft = { -readonly [K in keyof CompilerOptions]: CompilerOptions[K] };
type Outcome = string | null;

/**
 * One option. `form`: `flag` has no value, `joined` has its value after `=`, `word` takes the next word (or what
 * is joined to it).
 */
interface OptionRow {
  readonly name: string;
  readonly form: "flag" | "joined" | "word";
  /** Letters of the modes that allow it: b build, c compile, l link. */
  readonly modes: string;
  /** Sets the option; returns a string describing the error if the value is wrong. */
  readonly apply: (draft: Draft, value: string) => Outcome;
}

function flag(name: string, modes: string, change: Partial<CompilerOptions>): OptionRow {
  return {
    name,
    form: "flag",
    modes,
    apply: (draft) => {
      Object.assign(draft, change);
      return null;
    },
  };
}

const STANDARDS: Readonly<Record<string, OpenCLCStandard>> = {
  "CL1.0": "1.0",
  "CL1.1": "1.1",
  "CL1.2": "1.2",
  "CL2.0": "2.0",
  "CL3.0": "3.0",
};

const IDENTIFIER = /^[A-Za-z_]\w*$/u;

function define(draft: Draft, text: string): Outcome {
  const at = text.indexOf("=");
  const head = at < 0 ? text : text.slice(0, at);
  const name = head.replace(/\(.*\)$/u, "");
  if (!IDENTIFIER.test(name)) return `"${head}" is no macro name`;
  draft.definitions = [...draft.definitions, { name: head, value: at < 0 ? "1" : text.slice(at + 1) }];
  return null;
}

function undefine(draft: Draft, name: string): Outcome {
  if (!IDENTIFIER.test(name)) return `"${name}" is no macro name`;
  draft.definitions = [...draft.definitions, { name, value: null }];
  return null;
}

function precache(draft: Draft, text: string): Outcome {
  const sizes: [number, number, number][] = [];
  for (const part of text.split(":")) {
    const numbers = part.split(",").map(Number);
    const [x = 1, y = 1, z = 1] = numbers;
    if (numbers.length > 3 || ![x, y, z].every((n) => Number.isInteger(n) && n > 0))
      return `"${part}" is no local size x,y,z`;
    sizes.push([x, y, z]);
  }
  draft.precacheLocalSizes = [...draft.precacheLocalSizes, ...sizes];
  return null;
}

/** A choice among named values. */
function choice<T>(
  name: string,
  modes: string,
  table: Readonly<Record<string, T>>,
  put: (draft: Draft, value: T) => void,
): OptionRow {
  return {
    name,
    form: "joined",
    modes,
    apply: (draft, value) => {
      const found = Object.entries(table).find(([key]) => key === value);
      if (found === undefined) return `"${value}" is not one of ${Object.keys(table).join(", ")}`;
      put(draft, found[1]);
      return null;
    },
  };
}

const ROWS: readonly OptionRow[] = [
  { name: "-D", form: "word", modes: "bc", apply: define },
  { name: "-U", form: "word", modes: "bc", apply: undefine },
  {
    name: "-I",
    form: "word",
    modes: "bc",
    apply: (draft, value) => ((draft.includeDirectories = [...draft.includeDirectories, value]), null),
  },
  { name: "-S", form: "word", modes: "bc", apply: (draft, value) => ((draft.sourceFile = value), null) },
  {
    name: "-X",
    form: "word",
    modes: "bcl",
    apply: (draft, value) => ((draft.deviceOptions = [...draft.deviceOptions, value]), null),
  },
  {
    name: "-x",
    form: "word",
    modes: "bc",
    apply: (_draft, value) =>
      ["clc", "cl", "spir"].includes(value) ? null : `"${value}" is no language; say clc or spir`,
  },
  flag("-w", "bc", { warnIgnore: true }),
  flag("-Werror", "bc", { warnError: true }),
  // What other compilers call all is what there is without it.
  flag("-Wall", "bc", {}),
  flag("-Wextra", "bc", { extraWarnings: true }),
  flag("-g", "bc", { debugInfo: true }),
  flag("-cl-opt-disable", "bc", { optDisable: true }),
  flag("-cl-opt-enable", "bc", { optDisable: false }),
  // Levels of other compilers: none, and all.
  flag("-O0", "bc", { optDisable: true }),
  flag("-O1", "bc", { optDisable: false }),
  flag("-O2", "bc", { optDisable: false }),
  flag("-O3", "bc", { optDisable: false }),
  flag("-cl-kernel-arg-info", "bc", { kernelArgInfo: true }),
  flag("-cl-mad-enable", "bc", { madEnable: true }),
  flag("-cl-strict-aliasing", "bc", {}),
  // Statistics of another compiler's passes; clc prints ours.
  flag("-cl-llvm-stats", "bc", {}),
  // The math library is software on every device and computes the same bits.
  flag("-codeplay-soft-math", "bc", {}),
  // A hint for a vectoriser that runs before the one over work-items; there is none.
  choice("-cl-vec", "bc", { none: null, loop: null, slp: null, all: null }, () => undefined),
  flag("-cl-uniform-work-group-size", "bc", { uniformWorkGroupSize: true }),
  flag("-cl-no-subgroup-ifp", "bcl", {}),
  flag("-cl-single-precision-constant", "bc", { singlePrecisionConstant: true }),
  flag("-cl-fp32-correctly-rounded-divide-sqrt", "bc", { correctlyRoundedDivideSqrt: true }),
  flag("-cl-denorms-are-zero", "bcl", { denormsMayBeZero: true }),
  flag("-cl-no-signed-zeros", "bcl", { noSignedZeros: true }),
  flag("-cl-unsafe-math-optimizations", "bcl", { unsafeMathOptimizations: true, noSignedZeros: true, madEnable: true }),
  flag("-cl-finite-math-only", "bcl", { finiteMathOnly: true }),
  flag("-cl-fast-relaxed-math", "bcl", {
    fastRelaxedMath: true,
    finiteMathOnly: true,
    unsafeMathOptimizations: true,
    noSignedZeros: true,
    madEnable: true,
  }),
  flag("-muxkit-stub", "bcl", { stub: true }),
  choice<CompilerOptions["robustBufferAccess"]>(
    "-muxkit-robust-buffer-access",
    "bc",
    { zero: "zero", clamp: "clamp", none: null },
    (draft, value) => {
      draft.robustBufferAccess = value;
    },
  ),
  flag("-create-library", "l", { createLibrary: true }),
  flag("-enable-link-options", "l", { enableLinkOptions: true }),
  // Of programs that are bitcode, which says itself what it is.
  choice("-spir-std", "bc", { "1.2": null, "2.0": null }, () => undefined),
  choice("-cl-std", "bc", STANDARDS, (draft, value) => {
    draft.standard = value;
  }),
  // At a link too: code is made there.
  choice<VectorizationMode>("-cl-wfv", "bcl", { never: "never", always: "always", auto: "auto" }, (draft, value) => {
    draft.vectorization = value;
    draft.vectorizationRemarks = true;
  }),
  { name: "-cl-precache-local-sizes", form: "joined", modes: "bc", apply: precache },
];

const FLAGS = new Map(ROWS.filter((row) => row.form === "flag").map((row) => [row.name, row]));
const JOINED = new Map(ROWS.filter((row) => row.form === "joined").map((row) => [row.name, row]));
const WORDS = ROWS.filter((row) => row.form === "word");

const ERROR_OF_MODE: Readonly<Record<OptionMode, CompilerErrorCode>> = {
  build: "invalid_build_options",
  compile: "invalid_compiler_options",
  link: "invalid_linker_options",
};

/** The error of a wrong option in a mode. @public */
export function optionError(mode: OptionMode, message: string): CompilerError {
  return compilerError(ERROR_OF_MODE[mode], message);
}

interface Match {
  readonly row: OptionRow;
  readonly value: string;
  readonly taken: number;
}

function matchRow(words: readonly string[], index: number): Match | string | null {
  const word = words[index] ?? "";
  const asFlag = FLAGS.get(word);
  if (asFlag !== undefined) return { row: asFlag, value: "", taken: 1 };
  const at = word.indexOf("=");
  const asJoined = at < 0 ? JOINED.get(word) : JOINED.get(word.slice(0, at));
  if (asJoined !== undefined)
    return at < 0 ? `${word} needs a value: ${word}=…` : { row: asJoined, value: word.slice(at + 1), taken: 1 };
  const asWord = WORDS.find((row) => word.startsWith(row.name));
  if (asWord === undefined) return null;
  if (word.length > asWord.name.length) return { row: asWord, value: word.slice(asWord.name.length), taken: 1 };
  const next = words[index + 1];
  return next === undefined ? `${word} needs a value behind it` : { row: asWord, value: next, taken: 2 };
}

/** The option that a misspelt one was meant to be, as the end of a sentence. */
function meant(word: string): string {
  const [name = ""] = word.split("=");
  const best =
    name.length < 4
      ? null
      : nearest(
          name,
          ROWS.map((row) => row.name),
        );
  return best === null || best === name ? "" : `; did you mean "${best}${word.slice(name.length)}"?`;
}

/**
 * Of the words of a command that compiles and links, those that one of the two accepts. Words unknown to both belong
 * to the compilation, which reports them.
 *
 * @public
 */
export function wordsOfMode(words: readonly string[], mode: "compile" | "link"): readonly string[] {
  const taken: string[] = [];
  for (let index = 0; index < words.length;) {
    const match = matchRow(words, index);
    const [modes, count] = match === null || typeof match === "string" ? ["c", 1] : [match.row.modes, match.taken];
    if (modes.includes(mode.charAt(0))) taken.push(...words.slice(index, index + count));
    index += count;
  }
  return taken;
}

/**
 * Reads an option string (OpenCL 5.8.4; quoting as in a shell) on top of `base`.
 *
 * @returns the options, or the error of the mode with a sentence that names the wrong word
 *
 * @public
 */
export function parseOptions(
  text: string,
  mode: OptionMode,
  base: CompilerOptions = DEFAULT_OPTIONS,
): Result<CompilerOptions, CompilerError> {
  const fail = (message: string): Result<never, CompilerError> => err(optionError(mode, message));
  const split = splitOptionString(text);
  if (!split.ok) return fail(split.error);
  const words = split.value;
  const draft: Draft = { ...base };
  for (let index = 0; index < words.length;) {
    const match = matchRow(words, index);
    if (match === null) return fail(`unknown ${mode} option "${words[index] ?? ""}"${meant(words[index] ?? "")}`);
    if (typeof match === "string") return fail(match);
    const { row } = match;
    const letter = mode.charAt(0);
    if (!row.modes.includes(letter)) return fail(`${row.name} is no ${mode} option`);
    const problem = row.apply(draft, match.value);
    if (problem !== null) return fail(`${row.name}: ${problem}`);
    index += match.taken;
  }
  if (mode === "link" && draft.enableLinkOptions && !draft.createLibrary)
    return fail("-enable-link-options needs -create-library");
  return ok(draft);
}
