// SPDX-License-Identifier: Apache-2.0
// Files as bytes and as text, with an error that says what is wrong with them.
import { readFileSync } from "node:fs";

import { isModuleFile } from "@muxkit/compiler-base";
import { isExecutable } from "@muxkit/metadata";

import { InputError } from "./command.ts";
import { fileReason } from "./file-reason.ts";

/** The bytes of a file, `-` being standard input. Throws InputError. */
export function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file === "-" ? 0 : file);
  } catch (cause) {
    throw new InputError(`${file === "-" ? "standard input" : file} cannot be read: ${fileReason(cause)}`, { cause });
  }
}

/** Control characters of texts: blanks, ends of lines and files, colours. */
const IN_TEXTS: ReadonlySet<number> = new Set([9, 10, 11, 12, 13, 26, 27]);

/**
 * Bytes as text. What is no text is an InputError; single bytes of other encodings, in comments for example, are let
 * through.
 */
export function textOf(file: string, bytes: Uint8Array): string {
  if (isModuleFile(bytes)) throw new InputError(`${file} is a compiled object or library, not a text file`);
  if (isExecutable(bytes)) throw new InputError(`${file} is an executable program or another binary, not a text file`);
  const wrong = bytes.findIndex((byte) => byte < 32 && !IN_TEXTS.has(byte));
  if (wrong >= 0)
    throw new InputError(
      `${file} is not a text file: byte ${wrong} is ${bytes[wrong] ?? 0}, which does not ` +
        "occur in " +
        `text${(bytes[0] ?? 0) >= 0xfe ? "; it looks like UTF-16, save it as UTF-8" : ""}`,
    );
  return new TextDecoder().decode(bytes);
}

/** The text of a file, `-` being standard input. Throws InputError. */
export function readInput(file: string): string {
  return textOf(file, readBytes(file));
}
