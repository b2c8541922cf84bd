// SPDX-License-Identifier: Apache-2.0
// printf: the format is a constant of the module, and is read here, so that each argument is converted to what its
// conversion prints (OpenCL C 6.15.14).
import {
  I32,
  I64,
  Op,
  type Type,
  type Value,
  constantText,
  scalarOf,
  withLanesOf,
  F16,
  F32,
  F64,
  I16,
  I8,
  laneCount,
} from "@muxkit/ir";
import { type PrintfSpecifier, parsePrintfFormat, printfScalarType, printfType } from "@muxkit/printf";

import { truncated } from "./narrow.ts";
import type { FunctionReader } from "./function-reader.ts";

/** Scalars by OpenCL C's names: the IR's type, and whether it has a sign. */
const SCALARS: Readonly<Record<string, readonly [type: Type, isSigned: boolean]>> = {
  char: [I8, true],
  uchar: [I8, false],
  short: [I16, true],
  ushort: [I16, false],
  int: [I32, true],
  uint: [I32, false],
  long: [I64, true],
  ulong: [I64, false],
  half: [F16, true],
  float: [F32, true],
  double: [F64, true],
};

function converted(f: FunctionReader, specifier: PrintfSpecifier, value: Value): Value {
  const { conversion, lanes, text } = specifier;
  if (conversion === "s") return value;
  if (conversion === "p")
    return value.type.kind === "pointer" ? f.op(Op.PTRTOINT, I64, value) : f.refuse(`${text} prints a pointer`);
  const row = SCALARS[printfScalarType(specifier).replace("half", "float")];
  if (row === undefined || laneCount(value.type) !== lanes || value.type.kind === "pointer")
    return f.refuse(`${text} prints ${printfType(specifier)}, not ${value.type.text}`);
  const [scalar, isSigned] = row;
  const from = scalarOf(value.type);
  if (from.kind !== scalar.kind) return f.refuse(`${text} prints ${printfType(specifier)}, not ${value.type.text}`);
  const type = withLanesOf(scalar, value.type);
  if (value.type === type) return value;
  if (from.kind === "float") return f.op(from.bits < scalar.bits ? Op.FPEXT : Op.FPTRUNC, type, value);
  return from.bits > scalar.bits ? truncated(f, value, type) : f.op(isSigned ? Op.SEXT : Op.ZEXT, type, value);
}

/** Writes a call of printf whose format is operand word `first`. */
export function callPrintf(f: FunctionReader, first: number): Value {
  const format = f.arg(first);
  const text = constantText(format);
  if (text === null) return f.refuse("the format of printf must be a string in constant memory");
  const parsed = parsePrintfFormat(text);
  if (!parsed.ok) return f.refuse(`the format of printf is wrong: ${parsed.error.message}`);
  const specifiers = parsed.value.filter((piece) => piece.kind === "specifier");
  if (f.i.count - first - 1 < specifiers.length)
    return f.refuse(
      `the format has ${specifiers.length} conversions, and there are ${f.i.count - first - 1} arguments`,
    );
  const values: Value[] = [format];
  const names = ["format"];
  specifiers.forEach((specifier, n) => {
    values.push(converted(f, specifier, f.arg(first + 1 + n)));
    names.push(printfType(specifier).replace("half", "float"));
  });
  return f.b.callBuiltin({ kind: "builtin", name: "printf", parameters: names }, I32, values);
}
