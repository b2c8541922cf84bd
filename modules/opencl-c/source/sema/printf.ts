// SPDX-License-Identifier: Apache-2.0
// printf (OpenCL C 6.12.13): the format is read here, so that each argument is converted to what its conversion prints.
import { type PrintfSpecifier, parsePrintfFormat, printfScalarType, printfType } from "@muxkit/printf";
import type { Span } from "@muxkit/report";
import { CONSTANT, I32, I64, Op, TextFinder, type TextObstacle, type Value, constantText } from "@muxkit/ir";

import { convertArithmetic, errorOperand, isNull } from "./convert.ts";
import { type CType, INT, elementOf, intOf, isArithmetic, isFloating, lanesOf, namedType, vectorOf } from "./ctype.ts";
import { written } from "./spelling.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

/** Name of the type that a specification's value has in a record: halves travel as floats. */
function recordType(specifier: PrintfSpecifier): string {
  return printfType(specifier).replace("half", "float");
}

/** Bits that a value has after the promotions of a variadic call. */
function promotedBits(type: CType): number {
  const { bits, kind } = elementOf(type);
  if (type.kind === "vector") return bits;
  return kind === "float" ? 64 : Math.max(32, bits);
}

/** Bits that a conversion wants of an argument; those of a half are its own. */
function wantedBits(unit: Unit, specifier: PrintfSpecifier): number {
  if (specifier.length === "z" || specifier.length === "t") return unit.options.layout.sizeBits;
  const scalar = namedType(printfScalarType(specifier), unit.options.layout);
  const bits = scalar?.bits ?? 32;
  return specifier.lanes === 1 ? Math.max(32, bits) : bits;
}

/** An argument as its conversion wants it; null: it cannot be (reported). */
function converted(unit: Unit, specifier: PrintfSpecifier, operand: Operand, span: Span): Value | null {
  const { type, value } = operand;
  const refuse = (wanted: string): null => {
    unit.report("printfArgument", span, [specifier.text, wanted, written(operand)]);
    return null;
  };
  if (specifier.conversion === "s") {
    if (constantText(value) !== null || isNull(operand)) return value;
    const { target } = type;
    if (target?.type.kind !== "int" || target.type.bits !== 8 || target.space !== CONSTANT)
      return refuse("a string in constant memory");
    unit.printedTexts.push({ pointer: value, specifier: specifier.text, span });
    return value;
  }
  if (specifier.conversion === "p")
    return type.kind === "pointer" ? unit.op(Op.PTRTOINT, I64, value) : refuse("a pointer");
  const target = namedType(recordType(specifier), unit.options.layout);
  if (target === null) return refuse(printfType(specifier));
  if (lanesOf(type) !== lanesOf(target) || !isArithmetic(elementOf(type))) return refuse(printfType(specifier));
  if (isFloating(type) !== isFloating(target) || promotedBits(type) !== wantedBits(unit, specifier))
    unit.warn("printfMismatch", span, [specifier.text, printfType(specifier), written(operand)]);
  if (specifier.length !== "z" && specifier.length !== "t")
    return convertArithmetic(unit, value, type, vectorOf(elementOf(target), lanesOf(type)));
  // The bits of a size_t, as a signed number or as an unsigned one.
  const sized = intOf(unit.options.layout.sizeBits, target.isSigned);
  return convertArithmetic(unit, convertArithmetic(unit, value, type, sized), sized, target);
}

/** What keeps the string that a pointer points to unknown, in words. */
const OBSTACLES: Readonly<Record<TextObstacle["kind"], string>> = {
  argument: "it comes from an argument of a kernel, which is known only when the kernel runs",
  memory: "it is read from memory that can be written",
  variable: "the address of the variable that holds it is passed on",
  function: "it comes from a function that is defined elsewhere",
  number: "it is made of a number",
};

/** Reports the strings of all calls of printf that cannot be known: the program has no text at run time. */
export function checkPrintedTexts(unit: Unit): void {
  const finder = new TextFinder(unit.module.functions.values());
  for (const { pointer, specifier, span } of unit.printedTexts) {
    const { obstacle } = finder.find(pointer);
    if (obstacle !== null) unit.report("printfText", span, [specifier, OBSTACLES[obstacle.kind]]);
  }
}

/** Writes a call of printf. */
export function callPrintf(
  unit: Unit,
  name: string,
  given: readonly Operand[],
  spans: readonly Span[],
  span: Span,
): Operand {
  const [format, ...values] = given;
  const [formatSpan, ...valueSpans] = spans;
  if (format === undefined || formatSpan === undefined) {
    unit.report("argumentCount", span, [name, "1 or more", 0]);
    return errorOperand();
  }
  const text = constantText(format.value);
  if (text === null) {
    unit.report("printfFormat", formatSpan, ["it must be a string literal, because it is read at compile time"]);
    return errorOperand();
  }
  const parsed = parsePrintfFormat(text, ({ message }) => unit.warn("printfForm", formatSpan, [message]));
  if (!parsed.ok) {
    unit.report("printfFormat", formatSpan, [parsed.error.message]);
    return errorOperand();
  }
  const specifiers = parsed.value.filter((piece) => piece.kind === "specifier");
  const missing = specifiers[values.length];
  if (missing !== undefined) {
    unit.report("printfCount", span, [missing.text, specifiers.length, values.length]);
    return errorOperand();
  }
  const extra = valueSpans[specifiers.length];
  if (extra !== undefined) unit.warn("printfExtra", extra, [String(specifiers.length), String(values.length)]);
  const operands: Value[] = [format.value];
  const types = ["format"];
  for (const [i, specifier] of specifiers.entries()) {
    const operand = values[i];
    const argument = valueSpans[i];
    if (operand === undefined || argument === undefined) continue;
    const value = converted(unit, specifier, operand, argument);
    if (value === null) return errorOperand();
    operands.push(value);
    types.push(recordType(specifier));
  }
  return valueOf(INT, unit.builder.callBuiltin({ kind: "builtin", name, parameters: types }, I32, operands));
}
