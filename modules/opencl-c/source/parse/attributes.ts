// SPDX-License-Identifier: Apache-2.0
// Attributes (OpenCL C 6.7.2, 6.11): `__attribute__((name(arguments), …))`; of those of C23, `[[name]]`, one has a
// meaning here, the others are skipped.
import type { Attribute, Expression, TypeName } from "../ast.ts";
import { IDENTIFIER, PUNCTUATOR } from "../lex/token.ts";
import { checkAttribute } from "./attribute-names.ts";
import type { Cursor } from "./cursor.ts";
import { parseAssignment } from "./expressions.ts";
import { startsType } from "./starts.ts";

/** True for the word that attributes begin with. */
export function isAttributeWord(cursor: Cursor, ahead: number): boolean {
  return cursor.isWord("__attribute__", ahead) || cursor.isWord("__attribute", ahead);
}

/** The attributes of C23 that have an effect. */
const MEANT: ReadonlySet<string> = new Set(["fallthrough"]);

function isBracketed(cursor: Cursor, ahead: number): boolean {
  return cursor.is("[", ahead) && cursor.is("[", ahead + 1);
}

/** How many tokens the attributes at the cursor take; 0: there are none. */
export function attributesLength(cursor: Cursor): number {
  const first = cursor.peek();
  if (!first.isReserved && !(first.kind === PUNCTUATOR && first.text === "[")) return 0;
  let ahead = 0;
  for (;;) {
    let depth = 0;
    if (isAttributeWord(cursor, ahead)) ahead++;
    else if (!isBracketed(cursor, ahead)) return ahead;
    do {
      const { kind, text } = cursor.peek(ahead);
      if (kind === PUNCTUATOR && (text === "(" || text === "[")) depth++;
      else if (kind === PUNCTUATOR && (text === ")" || text === "]")) depth--;
      else if (kind !== IDENTIFIER && text === "") return ahead;
      ahead++;
    } while (depth > 0);
  }
}

function parseAttribute(cursor: Cursor): Attribute {
  const name = cursor.expectName("in an attribute");
  const word = name.text.replace(/^__(.*)__$/u, "$1");
  checkAttribute(cursor.diagnostics, word, name.span);
  const list: Expression[] = [];
  let text = "";
  let type: TypeName | null = null;
  if (cursor.accept("(")) {
    const { span } = cursor.peek();
    if (startsType(cursor, 0)) type = cursor.grammar.typeName(cursor);
    else {
      while (!cursor.is(")")) {
        list.push(parseAssignment(cursor));
        if (!cursor.accept(",")) break;
      }
    }
    text = span.file.text.slice(span.start, cursor.peek().span.start).trim();
    cursor.expect(")", "after the arguments of an attribute");
  }
  return { name: word, arguments: list, type, text, span: cursor.spanFrom(name) };
}

const NO_ATTRIBUTES: readonly Attribute[] = [];

/** Takes `[[…]]`. */
function bracketed(cursor: Cursor): readonly Attribute[] {
  const { text: name, span } = cursor.peek(2);
  cursor.skipBrackets("[", "]");
  return MEANT.has(name) ? [{ name, arguments: [], type: null, text: "", span }] : [];
}

/** Reads attributes, if there are any at the cursor. */
export function parseAttributes(cursor: Cursor): readonly Attribute[] {
  if (attributesLength(cursor) === 0) return NO_ATTRIBUTES;
  const attributes: Attribute[] = [];
  for (;;) {
    if (isBracketed(cursor, 0)) attributes.push(...bracketed(cursor));
    else if (isAttributeWord(cursor, 0)) {
      cursor.next();
      cursor.expect("(", "after __attribute__");
      cursor.expect("(", "after __attribute__(");
      while (!cursor.is(")")) if (!cursor.accept(",")) attributes.push(parseAttribute(cursor));
      cursor.expect(")", "after an attribute");
      cursor.expect(")", "after an attribute");
    } else return attributes;
  }
}
