// SPDX-License-Identifier: Apache-2.0
// What a call of `clc` comes to: which files of which inputs, and whether they are linked.
import { basename, join, resolve } from "node:path";

import { UsageError } from "../command/command.ts";
import { hasPassOption } from "../command/passes.ts";
import { isIrFile } from "../command/program-file.ts";
import type { CompilerRequest } from "./options.table.ts";
import { KINDS, type Kind, isNative } from "./kinds.ts";
import { isOfObjects, isOfPrograms } from "./outputs.ts";
import { STANDARD, isFolder } from "./places.ts";

/** What a linked program is called where nobody says so. */
const LINKED = "program";

/** See the file's head. */
export interface Plan {
  readonly kinds: readonly Kind[];
  /** True: all inputs become one program or library. */
  readonly links: boolean;
  /** What a linked program is called. */
  readonly name: string;
}

/** What `--target` alone comes to: what the name of the output says. */
function nativeKinds(output: string | null): readonly Kind[] {
  if (output === null || output === STANDARD || isFolder(output)) return ["elf", "header"];
  return [
    KINDS.find(
      ({ name, suffix }) => (isNative(name) || name === "binary") && suffix !== null && output.endsWith(suffix),
    )?.name ?? (output.endsWith(".s") ? "asm" : "elf"),
  ];
}

function kindsOf({
  kinds,
  words,
  values,
  language,
  inputs,
  isNative: wantsNative,
  output,
}: CompilerRequest): readonly Kind[] {
  const asksPasses = hasPassOption(values);
  const otherwise: Kind =
    asksPasses || inputs.every((file) => isIrFile(file, language))
      ? "ir"
      : words.includes("-create-library")
        ? "library"
        : "binary";
  const wanted: readonly Kind[] =
    kinds.length > 0 ? [...new Set(kinds)] : wantsNative && otherwise === "binary" ? nativeKinds(output) : [otherwise];
  if (asksPasses && !wanted.includes("ir"))
    throw new UsageError("passes can be selected for --emit ir only; the other outputs use the default passes");
  return wanted;
}

/** What is said of inputs before any of them is read. */
function checkInputs({ inputs, words, output, wordsOf }: CompilerRequest): void {
  if (inputs.length === 0) {
    const taken = [...words, output ?? ""].find((word) => /\.(?:cl|ir|o|a)$/u.test(word));
    throw new UsageError(
      "an input is required: files, or - for standard " +
        "input" +
        (taken === undefined
          ? ""
          : `; "${taken}" was parsed as an option or as ` +
            "the value of an " +
            `option${taken.startsWith("-") ? `: write ./${taken}` : ""}`),
    );
  }
  if (inputs.filter((file) => file === STANDARD).length > 1)
    throw new UsageError("standard input can be used only once");
  const empty = inputs.includes("");
  if (empty) throw new UsageError("the name of an input is empty");
  for (const { file } of wordsOf)
    if (!inputs.includes(file))
      throw new UsageError(`--options-of: ${file} is not one of the inputs, which are ${inputs.join(", ")}`);
}

/** Two inputs whose outputs would be one file. */
function checkNames(inputs: readonly string[], output: string | null): void {
  const seen = new Map<string, string>();
  for (const file of inputs) {
    const place = output === null ? resolve(file) : basename(file);
    const other = seen.get(place);
    if (other !== undefined)
      throw new UsageError(
        `${
          other === file
            ? `${file} is listed twice`
            : `${other} and ${file} would be written to the same files in ${output ?? "."}`
        }; call clc once for each, with different outputs`,
      );
    seen.set(place, file);
  }
}

/** What cannot be told apart on standard output. */
function checkStandard({ inputs }: CompilerRequest, kinds: readonly Kind[], links: boolean): void {
  if (!links && inputs.length > 1 && kinds.some((kind) => isOfPrograms(kind) || isOfObjects(kind))) {
    throw new UsageError(
      "-o -: several programs cannot share standard output; use --link for one program, or -o FOLDER/ for files",
    );
  }
  if (kinds.filter((kind) => kind !== "sarif").length > 1)
    throw new UsageError(`-o -: ${kinds.join(", ")} cannot share standard output; use -o FOLDER/ for files`);
}

/** The name of a file without what its kind puts after it. */
function withoutSuffix(name: string, kinds: readonly Kind[]): string {
  const suffix = KINDS.find((kind) => kinds.includes(kind.name))?.suffix ?? "";
  return suffix !== "" && name.endsWith(suffix) && name !== suffix ? name.slice(0, -suffix.length) : name;
}

/** What a request comes to. Throws UsageError for what does not go together. */
export function planOf(request: CompilerRequest): Plan {
  checkInputs(request);
  const { inputs, output, words, flags } = request;
  const kinds = kindsOf(request);
  const isLibrary = kinds.includes("library") || words.includes("-create-library");
  const toFile = output !== null && output !== STANDARD && !isFolder(output);
  const onlySays = kinds.every((kind) => kind === "sarif");
  const links = flags.has("link") || isLibrary || (toFile && inputs.length > 1 && !onlySays);
  if (isLibrary && kinds.includes("object"))
    throw new UsageError(
      "a library holds all inputs in one file, but -c writes one file for each: omit one of the two",
    );
  if (isLibrary && kinds.some((kind) => isOfPrograms(kind)))
    throw new UsageError(
      `a library is linked later: --emit ${kinds.filter((kind) => kind !== "library").join(",")} requires a program`,
    );
  if (links && kinds.includes("object")) {
    throw new UsageError(
      toFile && !flags.has("link") && !isLibrary
        ? `-c writes an object for each input, but ${output} is one file; use ` +
            `${join(output, "/")} for a folder, or --emit library for one library`
        : "-c does not link: omit -c, or the options that link",
    );
  }
  if (kinds.includes("spirv-shader") && (output === STANDARD || (output === null && inputs.includes(STANDARD))))
    throw new UsageError("--emit spirv-shader writes two files for each kernel; use -o FOLDER/");
  if (output === STANDARD) checkStandard(request, kinds, links);
  if (!links) checkNames(inputs, output === STANDARD ? null : output);
  return {
    kinds: isLibrary && !kinds.includes("library") ? [...kinds, "library"] : kinds,
    links,
    name: toFile ? withoutSuffix(basename(output), kinds) : LINKED,
  };
}
