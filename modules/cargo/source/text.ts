// SPDX-License-Identifier: Apache-2.0
// Texts: splitting, joining, trimming.
import { type CargoError, cargoError } from "./error.ts";
import { type Result, err, ok } from "./result.ts";

/** White space as C has it. */
const SPACES = " \t\n\v\f\r";

/**
 * The parts between delimiters, empty ones included: `a,,b` by `,` is `a`, empty, `b`. An empty delimiter splits
 * nowhere.
 *
 * @public
 */
export function splitAll(text: string, delimiter: string): string[] {
  return delimiter === "" ? [text] : text.split(delimiter);
}

/** The parts between delimiters that are not empty. @public */
export function split(text: string, delimiter: string): string[] {
  return splitAll(text, delimiter).filter((part) => part !== "");
}

/** The parts between any of the characters in `delimiters`, empty ones included. @public */
export function splitAllOf(text: string, delimiters: string = SPACES): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (!delimiters.includes(text.charAt(i))) continue;
    parts.push(text.slice(start, i));
    start = i + 1;
  }
  parts.push(text.slice(start));
  return parts;
}

/** The parts between any of the characters in `delimiters` that are not empty. @public */
export function splitOf(text: string, delimiters: string = SPACES): string[] {
  return splitAllOf(text, delimiters).filter((part) => part !== "");
}

/**
 * The words of an option string. White space separates words except between quotes, `"` or `'`, which are removed:
 * `-DX="a b"` is one word, `-DX=a b`. A backslash escapes a quote or a backslash, except between single quotes.
 * Errors: `bad_argument` for a quote that is not closed.
 *
 * @public
 */
export function splitWithQuotes(text: string): Result<string[], CargoError> {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  let opened = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    const next = text.charAt(i + 1);
    if (c === "\\" && quote !== "'" && (next === '"' || next === "\\" || (next === "'" && quote === ""))) {
      word = (word ?? "") + next;
      i++;
    } else if (quote !== "") {
      if (c === quote) quote = "";
      else word = (word ?? "") + c;
    } else if (c === '"' || c === "'") {
      quote = c;
      opened = i;
      // `""` is a word without characters.
      word ??= "";
    } else if (!SPACES.includes(c)) word = (word ?? "") + c;
    else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  if (quote !== "") return err(cargoError("bad_argument", `the quote ${quote} at character ${opened} is never closed`));
  if (word !== null) words.push(word);
  return ok(words);
}

/** The parts with a delimiter between them. @public */
export function join(parts: Iterable<string>, delimiter: string): string {
  return [...parts].join(delimiter);
}

/** Without the characters in `characters` at the start. @public */
export function trimLeft(text: string, characters: string = SPACES): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start++;
  return text.slice(start);
}

/** Without the characters in `characters` at the end. @public */
export function trimRight(text: string, characters: string = SPACES): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Without the characters in `characters` at both ends. @public */
export function trim(text: string, characters: string = SPACES): string {
  return trimLeft(trimRight(text, characters), characters);
}
