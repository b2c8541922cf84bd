// SPDX-License-Identifier: Apache-2.0
// Parser of types and literals of the text form. A literal gets its type later, from its operand or the result.
import { float32Bits, float64Bits, floatToHalf, split64 } from "@muxkit/cargo";

import type { Lexer } from "./lex.ts";
import {
  ADDRESS_SPACE_NAMES,
  F16,
  F32,
  F64,
  I1,
  I16,
  I32,
  I64,
  I8,
  PRIVATE,
  type Type,
  VOID,
  arrayType,
  opaqueType,
  pointerType,
  structType,
  vectorType,
} from "./type.ts";
import { type Constant, constantBits, constantInt, constantSplat, constantVector, constantZero } from "./value.ts";

const WORDS: Readonly<Record<string, Type>> = {
  void: VOID,
  i1: I1,
  i8: I8,
  i16: I16,
  i32: I32,
  i64: I64,
  f16: F16,
  f32: F32,
  f64: F64,
};

/** Deepest nesting of types, which are read by recursion. */
const DEEPEST = 100;

/** An address space by name or number. */
export function parseAddressSpace(lexer: Lexer): number {
  if (lexer.kind === "number") return lexer.integer("an address space", 0, 0xffff);
  const number = lexer.kind === "word" ? ADDRESS_SPACE_NAMES.indexOf(lexer.value) : -1;
  if (number < 0) {
    lexer.expected(`an address space (${ADDRESS_SPACE_NAMES.join(", ")} or a number)`);
    return PRIVATE;
  }
  lexer.advance();
  return number;
}

function parseStruct(lexer: Lexer, depth: number): Type {
  // The name is everything before the brace: it may be empty or contain blanks.
  const name = lexer.rawUntil(" {").slice(1);
  const members: Type[] = [];
  if (!lexer.accept("mark", "}")) {
    do members.push(parseMember(lexer, depth));
    while (lexer.accept("mark", ","));
    lexer.expect("mark", "}");
  }
  const packed = lexer.accept("word", "packed");
  const alignment = lexer.accept("word", "align") ? lexer.integer("an alignment", 1) : 0;
  return structType(name, members, packed, alignment);
}

/** A type that has a size: an element or a member. */
function parseMember(lexer: Lexer, depth: number): Type {
  const { start } = lexer;
  const type = parseType(lexer, depth + 1);
  if (type === VOID) lexer.fail("a type with a size expected, not void", start);
  return type;
}

/** A type; `void` with an error when there is none. */
export function parseType(lexer: Lexer, depth: number = 0): Type {
  if (depth > DEEPEST) {
    lexer.fail(`types are nested more than ${DEEPEST} deep`);
    return VOID;
  }
  if (lexer.accept("mark", "<")) {
    const lanes = lexer.integer("a number of lanes", 2, 64);
    lexer.expect("word", "x");
    const { start } = lexer;
    const element = parseType(lexer, depth + 1);
    lexer.expect("mark", ">");
    if (element.kind === "int" || element.kind === "float" || element.kind === "pointer")
      return vectorType(element, lanes);
    lexer.fail(`an int, float or pointer expected as lane, not ${element.text}`, start);
    return VOID;
  }
  if (lexer.accept("mark", "[")) {
    const count = lexer.integer("a number of elements");
    lexer.expect("word", "x");
    const element = parseMember(lexer, depth);
    lexer.expect("mark", "]");
    return lexer.error === null ? arrayType(element, count) : VOID;
  }
  if (lexer.at("word", "struct")) return parseStruct(lexer, depth);
  const word = lexer.take("word", "a type");
  if (word === "ptr") {
    lexer.expect("mark", "<");
    const space = parseAddressSpace(lexer);
    lexer.expect("mark", ">");
    return pointerType(space);
  }
  if (word === "opaque") return opaqueType(lexer.take("word", "the name of an opaque type"));
  const type = WORDS[word];
  if (type === undefined) {
    lexer.fail(`a type expected, not ${word}`);
    return VOID;
  }
  return type;
}

/** A literal whose type is not known yet. */
export type Literal =
  | { readonly kind: "number"; readonly text: string; readonly start: number }
  | { readonly kind: "null"; readonly start: number }
  | { readonly kind: "splat"; readonly lane: Literal; readonly start: number }
  | { readonly kind: "lanes"; readonly lanes: readonly Literal[]; readonly start: number };

/** True when the current token begins a literal. */
export function atLiteral(lexer: Lexer): boolean {
  return lexer.kind === "number" || lexer.at("word", "null") || lexer.at("word", "splat") || lexer.at("mark", "<");
}

/** Reads a literal; lanes of vectors are scalars. */
export function parseLiteral(lexer: Lexer, isLane: boolean = false): Literal {
  const { start } = lexer;
  if (lexer.accept("word", "null")) return { kind: "null", start };
  if (!isLane && lexer.accept("word", "splat")) {
    lexer.expect("mark", "(");
    const lane = parseLiteral(lexer, true);
    lexer.expect("mark", ")");
    return { kind: "splat", lane, start };
  }
  if (!isLane && lexer.at("mark", "<")) {
    const lanes: Literal[] = [];
    lexer.list("<", ">", () => lanes.push(parseLiteral(lexer, true)));
    return { kind: "lanes", lanes, start };
  }
  return { kind: "number", text: lexer.take("number", "a number or null"), start };
}

function wholeNumber(lexer: Lexer, type: Type, text: string, start: number): Constant {
  const bits = type.kind === "pointer" ? 64 : type.bits;
  const isHex = text.startsWith("0x");
  if (!isHex && (type.kind !== "int" || !/^-?\d+$/u.test(text))) {
    lexer.fail(`${text} is not of type ${type.text}`, start);
    return constantZero(type);
  }
  const value = BigInt(text);
  if (value >= 1n << BigInt(bits) || value < -(1n << BigInt(bits - 1)))
    lexer.fail(`${text} does not fit ${type.text}`, start);
  return constantInt(type, value);
}

function floatNumber(type: Type, value: number): Constant {
  if (type.bits === 16) return constantBits(type, floatToHalf(value));
  if (type.bits === 32) return constantBits(type, float32Bits(value));
  const { low, high } = split64(float64Bits(value));
  return constantBits(type, low, high);
}

/** A literal as a constant of a type. */
export function literalConstant(lexer: Lexer, literal: Literal, type: Type): Constant {
  const { kind, start } = literal;
  const wrong = (): Constant => {
    lexer.fail(
      type === VOID ? "a constant needs a type here, as in `1: i32`" : `a constant of type ${type.text} expected`,
      start,
    );
    return constantZero(I32);
  };
  if (type.kind === "vector" && type.element !== null) {
    const { element, count } = type;
    if (kind === "splat") return constantSplat(type, literalConstant(lexer, literal.lane, element));
    if (kind !== "lanes") return wrong();
    if (literal.lanes.length !== count) lexer.fail(`${count} lanes expected, not ${literal.lanes.length}`, start);
    return constantVector(
      type,
      literal.lanes.map((lane) => literalConstant(lexer, lane, element)),
    );
  }
  if ((type.kind === "pointer" || type.kind === "opaque") && kind === "null") return constantZero(type);
  if (kind !== "number" || (type.kind !== "int" && type.kind !== "float" && type.kind !== "pointer")) return wrong();
  if (type.kind === "float" && !/x/u.test(literal.text)) return floatNumber(type, Number(literal.text));
  return wholeNumber(lexer, type, literal.text, start);
}
