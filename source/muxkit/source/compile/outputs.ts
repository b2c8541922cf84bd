// SPDX-License-Identifier: Apache-2.0
// What becomes of a compiled program: the content of each kind of file.
import { basename } from "node:path";

import { InternalError } from "@muxkit/cargo";
import type { KernelInfo, Module } from "@muxkit/compiler";
import { readExecutable, stripBinaryHeader } from "@muxkit/metadata";

import { InputError } from "../command/command.ts";
import type { CompilerRequest } from "./options.table.ts";
import type { OfflineProgram } from "./compile-program.ts";
import { type Kind, type NativeKind, isNative } from "./kinds.ts";
import type { NativeRequest } from "./native-outputs.ts";
import { STANDARD, UNNAMED, isFolder } from "./places.ts";
import { isOfSpirv } from "./spirv-outputs.ts";
import { textOfModule, typesOfModule } from "./typed-module.ts";

/** Something to write: what the input's name gets after it, and the content. */
export interface Output {
  readonly suffix: string | null;
  readonly content: string | Uint8Array;
}

/** Kinds that a finished program is needed for. */
export const OF_PROGRAMS = ["binary", "wasm", "esm", "dts", "elf", "so", "header", "asm"] as const;

/** Kinds that are what is linked later. */
export const OF_OBJECTS = ["object", "library"] as const;

/** True for a kind that is made of a finished program. */
export function isOfPrograms(kind: Kind): kind is (typeof OF_PROGRAMS)[number] {
  return (OF_PROGRAMS as readonly Kind[]).includes(kind);
}

/** True for a kind that is linked later. */
export function isOfObjects(kind: Kind): kind is (typeof OF_OBJECTS)[number] {
  return (OF_OBJECTS as readonly Kind[]).includes(kind);
}

/** Sections of code: `.wasm.relaxed` becomes k.cl.relaxed.wasm. */
const WASM = ".wasm";

/** The code of a binary, a module for each section. */
function modulesOf(file: string, binary: Uint8Array): readonly Output[] {
  const image = readExecutable(binary);
  if (!image.ok) throw new InternalError(image.error.message, ["clc"]);
  const foreign = image.value.code.find(({ name }) => !name.startsWith(WASM));
  if (foreign !== undefined)
    throw new InputError(
      `${file}: the code of this device is ${foreign.name.slice(1)}, not WebAssembly; use --emit binary`,
    );
  return image.value.code.map(({ name, bytes }) => ({ suffix: `${name.slice(WASM.length)}${WASM}`, content: bytes }));
}

function bareOf(binary: Uint8Array): Uint8Array {
  const bare = stripBinaryHeader(binary);
  if (!bare.ok) throw new InternalError(bare.error.message, ["clc"]);
  return bare.value;
}

/** How each kind of code is made of a compiled program. Modules are for where there is no compiler. */
const MAKERS: Readonly<
  Record<
    Exclude<(typeof OF_PROGRAMS)[number], NativeKind>,
    (
      file: string,
      kernels: readonly KernelInfo[],
      binary: OfflineProgram["binary"],
      flags: CompilerRequest["flags"],
    ) => readonly Output[]
  >
> = {
  binary: (_file, _kernels, binary, flags) => {
    const whole = binary(!flags.has("strip-ir"));
    return [{ suffix: ".bin", content: flags.has("strip-binary-header") ? bareOf(whole) : whole }];
  },
  wasm: (file, _kernels, binary) => modulesOf(file, binary(false)),
  esm: (file, kernels, binary) => [{ suffix: ".js", content: textOfModule(basename(file), kernels, binary(false)) }],
  dts: (file, kernels) => [{ suffix: ".d.ts", content: typesOfModule(basename(file), kernels) }],
};

/** Makes outputs of the program that was compiled last. */
export type NativeOutputs = (
  request: Pick<NativeRequest, "file" | "kinds" | "soname">,
  program: OfflineProgram,
) => readonly Output[];

/** What is written of a finished program; `native` makes what is machine code. */
export function outputsOf(
  file: string,
  program: OfflineProgram,
  kinds: readonly Kind[],
  { flags, output }: CompilerRequest,
  native: NativeOutputs | null,
): readonly Output[] {
  const { kernels, binary } = program;
  const others = kinds
    .filter(isOfPrograms)
    .flatMap((kind) => (isNative(kind) ? [] : MAKERS[kind](file, kernels, binary, flags)));
  if (native === null) return others;
  const isNamed = output !== null && kinds.length === 1 && output !== STANDARD && !isFolder(output);
  const soname = isNamed ? basename(output) : `${file === STANDARD ? UNNAMED : basename(file)}.so`;
  return [...others, ...native({ file, kinds: kinds.filter(isNative), soname }, program)];
}

/** True for a kind that is made of the program as its front end makes it. */
export function isOfIr(kind: Kind): boolean {
  return kind === "ir" || isOfSpirv(kind);
}

/** An object or library as a file. */
export function objectFile(module: Module): Output & { readonly content: Uint8Array } {
  const bytes = module.serialize();
  if (!bytes.ok) throw new InternalError(bytes.error.message, ["clc"]);
  return { suffix: module.state === "library" ? ".a" : ".o", content: bytes.value };
}

function sizeOf({ content }: Output): string {
  return `${content.length} ${typeof content === "string" ? "characters" : "bytes"}`;
}

/** A line about what became of an input, and one for each kernel. */
export function describe(file: string, kernels: readonly KernelInfo[] | null, outputs: readonly Output[]): string {
  const size = outputs.map(sizeOf).join(", ");
  if (kernels === null) return `${file}: ${size}\n`;
  const lines = kernels.map(
    ({ name, arguments: list }) =>
      `\n  ${name}(${list.map((argument) => `${argument.typeName} ${argument.name}`).join(", ")})`,
  );
  return (
    `${file}: ${kernels.length} ` +
    `kernel${kernels.length === 1 ? "" : "s"}${size === "" ? "" : `, ${size}`}` +
    `${lines.join("")}\n`
  );
}
