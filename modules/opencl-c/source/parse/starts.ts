// SPDX-License-Identifier: Apache-2.0
// What begins at a token: a declaration, a type, or neither.
import { IDENTIFIER, NUMBER, type Token } from "../lex/token.ts";
import type { Cursor } from "./cursor.ts";
import { meantType } from "./recover.ts";
import { TYPEOF_WORDS } from "./type-words.ts";

/**
 * True for `generic` before a type, in a version or on a device that has no such qualifier: then the word may be any
 * name.
 */
export function isMissingQualifier(cursor: Cursor, ahead: number): boolean {
  return (
    cursor.peek(ahead).isReserved &&
    cursor.isWord("generic", ahead) &&
    cursor.words.missing("generic") !== null &&
    startsType(cursor, ahead + 1)
  );
}

/** True when a declaration begins at the token `ahead` tokens on. */
export function startsDeclaration(cursor: Cursor, ahead: number = 0): boolean {
  const token = cursor.peek(ahead);
  if (token.kind !== IDENTIFIER) return false;
  if (!token.isReserved) return startsWithName(cursor, token, ahead);
  if ((cursor.isMissingType(token) && !cursor.is("(", ahead + 1)) || isMissingQualifier(cursor, ahead)) return true;
  if (TYPEOF_WORDS.has(token.text) && cursor.is("(", ahead + 1)) return true;
  // A label may have the name of a type.
  if (cursor.words.isDeclaration(token.text) || (cursor.isTypeName(token) && !cursor.is(":", ahead + 1))) return true;
  if (cursor.words.isKeyword(token.text) || cursor.isDeclared(token.text)) return false;
  return isMeantAsType(cursor, ahead);
}

/** The same for a name that is not declared. */
function startsWithName(cursor: Cursor, token: Token, ahead: number): boolean {
  const kind = cursor.kindOf(token.text);
  if (kind === null) return isMeantAsType(cursor, ahead);
  return kind !== "variable" && !cursor.is(":", ahead + 1);
}

/** True when an undeclared name is where most probably a type was meant. */
function isMeantAsType(cursor: Cursor, ahead: number): boolean {
  const next = cursor.peek(ahead + 1);
  // A name before a type was meant as a qualifier, one before "* name =" as a type.
  if (
    next.kind === IDENTIFIER &&
    (cursor.words.isType(next.text) || cursor.words.qualifier(next.text) !== undefined) &&
    !cursor.is("(", ahead + 2)
  )
    return true;
  if (cursor.is("*", ahead + 1) && cursor.peek(ahead + 2).kind === IDENTIFIER)
    return ["=", ";", ",", "["].includes(cursor.peek(ahead + 3).text);
  // Two names side by side: the first was meant as a type.
  return (
    next.kind === IDENTIFIER &&
    !cursor.words.isKeyword(next.text) &&
    ["=", ";", ",", "["].includes(cursor.peek(ahead + 2).text)
  );
}

/** True for a name that is not declared, before stars and ")": no expression looks so. */
export function isUnknownPointer(cursor: Cursor, ahead: number): boolean {
  if (!isUnknownName(cursor, ahead) || !cursor.is("*", ahead + 1)) return false;
  let behind = ahead + 2;
  while (cursor.is("*", behind)) behind++;
  return cursor.is(")", behind);
}

function isUnknownName(cursor: Cursor, ahead: number): boolean {
  const { kind, text } = cursor.peek(ahead);
  return kind === IDENTIFIER && !cursor.isDeclared(text) && !cursor.words.isKeyword(text);
}

/** A name as vector types have them. */
const VECTOR_LIKE = /^[a-z]\w*\D(?:[2348]|16)$/u;

/** True at "(" for a cast to a type that is not declared: `(foo*)x`, `(foo)x`, `(flaot4)(1, 2, 3, 4)`. */
export function isUnknownCast(cursor: Cursor): boolean {
  if (!isUnknownName(cursor, 1)) return false;
  if (!cursor.is(")", 2)) return isUnknownPointer(cursor, 1);
  const { kind, text } = cursor.peek(3);
  if (kind === NUMBER || (kind === IDENTIFIER && !cursor.words.isKeyword(text))) return true;
  return cursor.is("(", 3) && VECTOR_LIKE.test(cursor.peek(1).text) && meantType(cursor, cursor.peek(1).text) !== null;
}

const TYPE_STARTS: ReadonlySet<string> = new Set(["_Atomic", "struct", "union", "enum"]);

/** True when a type begins at the token `ahead` tokens on. */
export function startsType(cursor: Cursor, ahead: number): boolean {
  const token = cursor.peek(ahead);
  if (token.kind !== IDENTIFIER) return false;
  if (!token.isReserved) return cursor.isTypeName(token);
  return (
    cursor.isTypeName(token) ||
    cursor.isMissingType(token) ||
    isMissingQualifier(cursor, ahead) ||
    cursor.words.qualifier(token.text) !== undefined ||
    TYPE_STARTS.has(token.text) ||
    (TYPEOF_WORDS.has(token.text) && cursor.is("(", ahead + 1))
  );
}
