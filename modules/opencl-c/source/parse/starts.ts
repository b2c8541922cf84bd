// What begins at a token: a declaration, a type, or neither.
import { IDENTIFIER } from "../lex/token.ts";
import type { Cursor } from "./cursor.ts";
import { QUALIFIER_WORDS, isDeclarationWord } from "./type-words.ts";

/** True when a declaration begins at the cursor. */
export function startsDeclaration(cursor: Cursor): boolean {
  const token = cursor.peek();
  if (token.kind !== IDENTIFIER) return false;
  // A label may have the name of a type.
  return isDeclarationWord(token.text) || (cursor.isTypeName(token) && !cursor.is(":", 1));
}

/** True when a type begins at the token `ahead` places on. */
export function startsType(cursor: Cursor, ahead: number): boolean {
  const token = cursor.peek(ahead);
  if (token.kind !== IDENTIFIER) return false;
  return cursor.isTypeName(token) || QUALIFIER_WORDS.has(token.text) || token.text === "struct" || token.text === "union" || token.text === "enum";
}
