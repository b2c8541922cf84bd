// What begins at a token: a declaration, a type, or neither.
import { IDENTIFIER } from "../lex/token.ts";
import type { Cursor } from "./cursor.ts";
import { QUALIFIER_WORDS, isDeclarationWord, isKeyword } from "./type-words.ts";

/** True when a declaration begins at the cursor. */
export function startsDeclaration(cursor: Cursor): boolean {
  const token = cursor.peek();
  if (token.kind !== IDENTIFIER) return false;
  // A label may have the name of a type.
  if (isDeclarationWord(token.text) || (cursor.isTypeName(token) && !cursor.is(":", 1))) return true;
  // Two names side by side: the first was meant as a type.
  const next = cursor.peek(1);
  return next.kind === IDENTIFIER && !isKeyword(token.text) && !isKeyword(next.text) && ["=", ";", ",", "["].includes(cursor.peek(2).text);
}

/** True when a type begins at the token `ahead` places on. */
export function startsType(cursor: Cursor, ahead: number): boolean {
  const token = cursor.peek(ahead);
  if (token.kind !== IDENTIFIER) return false;
  return cursor.isTypeName(token) || QUALIFIER_WORDS.has(token.text) || token.text === "struct" || token.text === "union" || token.text === "enum";
}
