// SPDX-License-Identifier: Apache-2.0
// Kinds of operands as numbers: plain ones first, then one for each enumeration of the grammar.
import type { EnumerantNames } from "../generated/names.ts";

/** A kind of operand that is no enumeration. @public */
export type PlainKind =
  | "type"
  | "result"
  | "id"
  | "scope"
  | "semantics"
  | "integer"
  | "string"
  | "number"
  | "extended"
  | "opcode"
  | "case"
  | "member"
  | "phi";

/** An enumeration of the grammar. @public */
export type Enumeration = keyof EnumerantNames;

/** The id of the result's type. @public */
export const KIND_TYPE = 0;
/** The id that the instruction defines. @public */
export const KIND_RESULT = 1;
/** An id. @public */
export const KIND_ID = 2;
/** The id of a scope. @public */
export const KIND_SCOPE = 3;
/** The id of memory semantics. @public */
export const KIND_SEMANTICS = 4;
/** A literal integer of one word. @public */
export const KIND_INTEGER = 5;
/** A literal string, with its end in the last word. @public */
export const KIND_STRING = 6;
/** A literal number whose width a type says. @public */
export const KIND_NUMBER = 7;
/** The number of an instruction in an extended set. @public */
export const KIND_EXTENDED = 8;
/** The opcode inside of OpSpecConstantOp. @public */
export const KIND_OPCODE = 9;
/** Pairs of a literal number and a label, of OpSwitch. The cursor gives the parts, never the pair. @public */
export const KIND_CASE = 10;
/** Pairs of an id and a literal integer. @public */
export const KIND_MEMBER = 11;
/** Pairs of a value and the block that it comes from. @public */
export const KIND_PHI = 12;
/** The kinds of enumerations begin here. @public */
export const KIND_ENUMERATION = 13;
