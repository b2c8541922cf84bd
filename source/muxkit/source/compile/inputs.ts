// SPDX-License-Identifier: Apache-2.0
// What `clc` is given: sources, IR as text, LLVM bitcode, compiled objects and libraries.
import { isModuleFile } from "@muxkit/compiler-base";
import { isExecutable } from "@muxkit/metadata";
import { isBitcode } from "@muxkit/spirv";

import { InputError } from "../command/command.ts";
import { languageOf, readBytes, textOf } from "../command/front-end.ts";

/** One input. */
export type Input =
  | { readonly file: string; readonly kind: "cl"; readonly text: string }
  | { readonly file: string; readonly kind: "ir"; readonly text: string }
  | { readonly file: string; readonly kind: "spir"; readonly bytes: Uint8Array }
  | { readonly file: string; readonly kind: "object"; readonly bytes: Uint8Array };

/** Reads an input. `language` says what texts are; null: their names do. Throws InputError. */
export function readClcInput(file: string, language: "cl" | "ir" | "spir" | null): Input {
  const bytes = readBytes(file);
  if (language === null && isModuleFile(bytes)) return { file, kind: "object", bytes };
  if (isBitcode(bytes) && (language === null || language === "spir")) return { file, kind: "spir", bytes };
  if (language === "spir") throw new InputError(`${file} does not begin like LLVM bitcode, which -x spir takes`);
  if (isExecutable(bytes))
    throw new InputError(
      `${file} is an executable program or another binary; clc takes sources, objects (-c) ` +
        "and libraries (-create-library)",
    );
  return { file, kind: languageOf(file, language), text: textOf(file, bytes) };
}
