// SPDX-License-Identifier: Apache-2.0
// Literal strings as words: UTF-8, least significant byte first, with at least one zero at the end.

/** The words of a literal string. */
export function wordsOfText(text: string): number[] {
  const bytes = new TextEncoder().encode(text);
  const words: number[] = [];
  for (let at = 0; at <= bytes.length; at += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4);
    words.push((a | (b << 8) | (c << 16) | (d << 24)) >>> 0);
  }
  return words;
}
