// SPDX-License-Identifier: Apache-2.0
// What `clc` is given: programs in any language, compiled objects and libraries.
import { isModuleFile } from "@muxkit/compiler-base";
import { isExecutable } from "@muxkit/metadata";

import { InputError } from "../command/command.ts";
import { type Language, type ProgramFile, programOfBytes } from "../command/program-file.ts";
import { readBytes } from "../command/read-file.ts";

/** One input. */
export type Input = ProgramFile | { readonly file: string; readonly kind: "object"; readonly bytes: Uint8Array };

/** Reads an input. `language` says what programs are; null: the files show it. Throws InputError. */
export function readClcInput(file: string, language: Language | null): Input {
  const bytes = readBytes(file);
  if (language === null && isModuleFile(bytes)) return { file, kind: "object", bytes };
  if (isExecutable(bytes))
    throw new InputError(
      `${file} is an executable program or another binary; clc takes sources, objects (-c) ` +
        "and libraries (-create-library)",
    );
  return programOfBytes(file, bytes, language);
}
