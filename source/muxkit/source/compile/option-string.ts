// SPDX-License-Identifier: Apache-2.0
// Build options for a file as one text.
import { dirname } from "node:path";

function quoted(word: string): string {
  return `"${word.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
}

/** Words as one text. */
export function quotedOptions(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

/** Build options for a file: its name unless they have one, then its folder after those of -I. */
export function optionString(file: string, words: readonly string[]): string {
  return quotedOptions(["-S", file, ...words, "-I", file === "-" ? "." : dirname(file)]);
}
