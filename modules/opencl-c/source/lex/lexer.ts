// Text to preprocessing tokens (C99 6.4), line ends included.
import type { DiagnosticList, SourceFile } from "@muxkit/report";

import { report } from "../diagnostics.table.ts";
import { CHARACTER, END, IDENTIFIER, NEWLINE, NUMBER, PUNCTUATOR, STRAY, STRING, Token } from "./token.ts";

const PUNCTUATORS: readonly string[] = [
  "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=", "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##",
  "%:%:", "<:", ":>", "<%", "%>", "%:",
  "[", "]", "(", ")", "{", "}", ".", "&", "*", "+", "-", "~", "!", "/", "%", "<", ">", "^", "|", "?", ":", ";", "=", ",", "#",
];

/** Other spellings (C99 6.4.6). */
const DIGRAPHS: ReadonlyMap<string, string> = new Map([["<:", "["], [":>", "]"], ["<%", "{"], ["%>", "}"], ["%:", "#"], ["%:%:", "##"]]);

/** Punctuators by first character, longest first. */
const BY_FIRST = new Map<number, string[]>();
for (const text of PUNCTUATORS.toSorted((a, b) => b.length - a.length)) {
  const list = BY_FIRST.get(text.charCodeAt(0));
  if (list === undefined) BY_FIRST.set(text.charCodeAt(0), [text]);
  else list.push(text);
}

// Classes of ASCII characters: 1 starts an identifier, 2 digit, 4 blank.
const CLASSES = new Uint8Array(128);
for (let c = 0; c < 128; c++) {
  const text = String.fromCharCode(c);
  if (/[A-Za-z_$]/u.test(text)) CLASSES[c] = 1;
  else if (/\d/u.test(text)) CLASSES[c] = 2;
  else if (/[ \t\r\f\v]/u.test(text)) CLASSES[c] = 4;
}

function classOf(code: number): number {
  return code < 128 ? (CLASSES[code] as number) : 0;
}

/** Removes backslash-newline pairs. Offsets of what follows on spliced lines shift; only such files pay. */
function spliced(text: string): string {
  return text.includes("\\\n") || text.includes("\\\r\n") ? text.replaceAll(/\\\r?\n/gu, "") : text;
}

const SPLICE = 92;

/** The tokens of a file. A spliced line (backslash at its end) is read as one. */
// eslint-disable-next-line complexity -- one loop over characters, one arm for each kind of token
export function tokenize(file: SourceFile, diagnostics: DiagnosticList): Token[] {
  const { text } = file;
  const tokens: Token[] = [];
  const length = text.length;
  let i = 0;
  let space = false;
  const isSplice = (at: number): number => {
    if (text.charCodeAt(at) !== SPLICE) return 0;
    if (text.charCodeAt(at + 1) === 10) return 2;
    return text.charCodeAt(at + 1) === 13 && text.charCodeAt(at + 2) === 10 ? 3 : 0;
  };
  const push = (kind: number, start: number, end: number, spelling?: string): void => {
    tokens.push(new Token(kind, spelling ?? spliced(text.slice(start, end)), file, start, end, space));
    space = false;
    i = end;
  };
  while (i < length) {
    const c = text.charCodeAt(i);
    const kind = classOf(c);
    if (c === 10) {
      space = true;
      push(NEWLINE, i, i + 1);
      space = true;
    } else if (kind === 4) {
      space = true;
      i++;
    } else if (isSplice(i) > 0) i += isSplice(i);
    else if (c === 47 && text.charCodeAt(i + 1) === 47) {
      while (i < length && text.charCodeAt(i) !== 10) i += Math.max(1, isSplice(i));
      space = true;
    } else if (c === 47 && text.charCodeAt(i + 1) === 42) {
      const end = text.indexOf("*/", i + 2);
      if (end < 0) report(diagnostics, "unterminatedComment", { file, start: i, end: i + 2 });
      i = end < 0 ? length : end + 2;
      space = true;
    } else if (kind === 1) {
      let end = i + 1;
      for (;;) {
        const next = classOf(text.charCodeAt(end));
        if ((next & 3) !== 0 && end < length) end++;
        else if (isSplice(end) > 0) end += isSplice(end);
        else break;
      }
      push(IDENTIFIER, i, end);
    } else if (kind === 2 || (c === 46 && classOf(text.charCodeAt(i + 1)) === 2)) push(NUMBER, i, numberEnd(text, i));
    else if (c === 34 || c === 39) {
      const end = literalEnd(text, i, c);
      if (end < 0) {
        // Skipped groups and #error may hold a lone apostrophe: an error only where the text is used.
        const stop = text.indexOf("\n", i);
        push(STRAY, i, stop < 0 ? length : stop);
      } else push(c === 34 ? STRING : CHARACTER, i, end);
    } else {
      const punctuator = BY_FIRST.get(c)?.find((candidate) => text.startsWith(candidate, i));
      if (punctuator === undefined) push(STRAY, i, i + ((text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1));
      else push(PUNCTUATOR, i, i + punctuator.length, DIGRAPHS.get(punctuator));
    }
  }
  tokens.push(new Token(NEWLINE, "\n", file, length, length, true), new Token(END, "", file, length, length, true));
  return tokens;
}

/** End of a preprocessing number: digits, letters, dots, and signs behind e or p. */
function numberEnd(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const c = text.charCodeAt(end);
    if ((classOf(c) & 3) !== 0 || c === 46) continue;
    if (c !== 43 && c !== 45) break;
    // 0xe+1 is one number too, and a wrong one (C99 6.4.8).
    const before = text.charCodeAt(end - 1) | 32;
    if (before !== 112 && before !== 101) break;
  }
  return end;
}

/** One behind the closing quote; -1 when the line ends before. */
function literalEnd(text: string, start: number, quote: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === quote) return i + 1;
    if (c === 92) i += text.startsWith("\r\n", i + 1) ? 2 : 1;
    else if (c === 10) return -1;
  }
  return -1;
}
