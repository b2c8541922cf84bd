// SPDX-License-Identifier: Apache-2.0
// Splits an option string into words, quotes respected.
import { type Result, err, ok } from "@muxkit/cargo";

/**
 * The words of an option string. `"…"` and `'…'` keep blanks, a backslash keeps the next quote, backslash or blank.
 *
 * @returns the words, or a sentence when a quote is not closed
 *
 * @public
 */
export function splitOptionString(text: string): Result<readonly string[], string> {
  const words: string[] = [];
  let word = "";
  let inWord = false;
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    const next = text.charAt(i + 1);
    if (c === "\\" && quote !== "'" && (next === '"' || next === "'" || next === "\\" || next === " ")) {
      word += next;
      inWord = true;
      i++;
    } else if (quote !== "") {
      if (c === quote) quote = "";
      else word += c;
    } else if (c === '"' || c === "'") {
      quote = c;
      inWord = true;
    } else if (c === " " || c === "\t" || c === "\n" || c === "\r") {
      if (inWord) words.push(word);
      word = "";
      inWord = false;
    } else {
      word += c;
      inWord = true;
    }
  }
  if (quote !== "") return err(`the option string has a ${quote} that is not closed`);
  if (inWord) words.push(word);
  return ok(words);
}
