// SPDX-License-Identifier: Apache-2.0
// Parser of format strings of OpenCL C's printf (OpenCL C 3.0, 6.15.14.2). Texts are byte strings: one character per
// byte.
import { type Result, err, ok } from "@muxkit/cargo";

/** Letter of a conversion. @public */
export type PrintfConversion =
  | "d"
  | "i"
  | "o"
  | "u"
  | "x"
  | "X"
  | "f"
  | "F"
  | "e"
  | "E"
  | "g"
  | "G"
  | "a"
  | "A"
  | "c"
  | "s"
  | "p";

/**
 * The length modifier, which determines the size of a value; empty: none. Those of C99 that OpenCL C leaves out are
 * read as C99 has them: `ll` and `j` are 64 bits wide, `z` and `t` as wide as size_t.
 *
 * @public
 */
export type PrintfLength = "" | "hh" | "h" | "hl" | "l" | "ll" | "j" | "z" | "t";

/** One conversion specification. @public */
export interface PrintfSpecifier {
  /** Discriminant of {@link PrintfPiece}. */
  readonly kind: "specifier";
  /** As it is written, with the percent sign. */
  readonly text: string;
  /** Offset of the percent sign in the format. */
  readonly offset: number;
  /** `-`: at the left of its field. */
  readonly isLeft: boolean;
  /** `+`: a sign before positive numbers too. */
  readonly hasPlus: boolean;
  /** A space where a sign could be. */
  readonly hasSpace: boolean;
  /** `#`: the alternative form. */
  readonly isAlternate: boolean;
  /** `0`: zeros up to the width. */
  readonly isZeroPadded: boolean;
  /** Least characters of the field. */
  readonly width: number;
  /** Digits after the point, of an integer, or most characters of a text; -1: not given. */
  readonly precision: number;
  /** Lanes of a vector; 1: a scalar. */
  readonly lanes: number;
  /** The length modifier. */
  readonly length: PrintfLength;
  /** What is printed and how. */
  readonly conversion: PrintfConversion;
}

/** Text that is printed as it is; `%%` is one percent sign in it. @public */
export interface PrintfText {
  /** Discriminant of {@link PrintfPiece}. */
  readonly kind: "text";
  /** The text. */
  readonly text: string;
}

/** A part of a format. @public */
export type PrintfPiece = PrintfText | PrintfSpecifier;

/** What is wrong with a format. @public */
export interface PrintfFormatError {
  /** Offset in the format, in characters. */
  readonly offset: number;
  /** A clause without a full stop. */
  readonly message: string;
}

const SPECIFICATION = /%([-+ #0]*)(\d*)(?:\.(\d*))?(?:v(\d+))?(hh|hl|h|ll|[ljztL])?([A-Za-z%*]?)/uy;
/** The lanes of a vector in front of flags, width and precision: `%v4.2f`, as other implementations are fed it too. */
const LANES_FIRST = /%v(\d+)([-+ #0]*)(\d*)(?:\.(\d*))?(hh|hl|h|ll|[ljztL])?([A-Za-z])/uy;

const CONVERSIONS = "diouxXfFeEgGaAcsp";
const FLOATING = "fFeEgGaA";

/** Length modifiers of C99 that are for scalars. */
const OF_INTEGERS: ReadonlySet<string> = new Set(["ll", "j", "z", "t"]);

/** Most characters of one field: it is built in one piece before output is limited. */
const LARGEST_FIELD = 65536;

function problemOf(lanes: string | undefined, conversion: string, width: number, precision: number): string | null {
  if (conversion === "*") return "a width or precision of * is not allowed in OpenCL C: write the number";
  if (conversion === "n") return "%n is not allowed in OpenCL C";
  if (lanes !== undefined && !["2", "3", "4", "8", "16"].includes(lanes))
    return `a vector has 2, 3, 4, 8 or 16 lanes, not ${lanes}`;
  if (lanes !== undefined && "csp".includes(conversion)) return `%${conversion} does not print vectors`;
  if (width > LARGEST_FIELD || precision > LARGEST_FIELD) return `a width or precision is ${LARGEST_FIELD} at most`;
  return null;
}

/** What is said of a specification that is none: it is printed as it is written. */
function unknownConversion(conversion: string): string {
  return (
    `${conversion === "" ? "a conversion is missing" : `%${conversion} is not a conversion`}: ` +
    `there are ${CONVERSIONS.replaceAll(/(?<=.)(?=.)/gu, " ")}, and %% for a percent sign`
  );
}

/** The length that a modifier means where the language has no such one, as C libraries read it, and what is said. */
function lengthMeant(
  lanes: string | undefined,
  length: string,
  conversion: string,
): readonly [meant: PrintfLength, problem: string] | null {
  const isFloat = FLOATING.includes(conversion);
  if (length === "L")
    return [isFloat || lanes !== undefined ? "" : "ll", "L is not in OpenCL C, which has no long double"];
  if (length === "hl" && lanes === undefined) return ["", "hl is allowed only after the lanes of a vector"];
  if (OF_INTEGERS.has(length) && (lanes !== undefined || isFloat))
    return ["", `${length} is for integers that are no vectors`];
  if (length !== "" && "csp".includes(conversion) && `${length}${conversion}` !== "lc")
    return ["", `${length} cannot be combined with %${conversion}`];
  if (lanes === undefined && isFloat && (length === "h" || length === "hh"))
    return ["", `${length} cannot be combined with %${conversion} of a scalar`];
  if (length === "hh" && isFloat) return ["", "there are no floating-point numbers of 8 bits"];
  return null;
}

/** The parts of the specification at an offset, and what of it is read otherwise than it is written. */
function readSpecification(
  format: string,
  at: number,
): { readonly parts: readonly (string | undefined)[]; readonly problem: string | null } {
  LANES_FIRST.lastIndex = at;
  const turned = LANES_FIRST.exec(format);
  if (turned !== null) {
    const [whole, lanes, flags = "", width = "", precision, length, conversion] = turned;
    if (flags !== "" || width !== "" || precision !== undefined)
      return {
        parts: [whole, flags, width, precision, lanes, length, conversion],
        problem: "flags, width and precision come before the lanes of a vector",
      };
  }
  SPECIFICATION.lastIndex = at;
  return { parts: SPECIFICATION.exec(format) ?? [], problem: null };
}

/**
 * Parses a format. The error describes the problem and its offset. `tell` hears of what has no meaning in OpenCL C and
 * is read as C libraries do.
 *
 * @public
 */
export function parsePrintfFormat(
  format: string,
  tell?: (problem: PrintfFormatError) => void,
): Result<readonly PrintfPiece[], PrintfFormatError> {
  const pieces: PrintfPiece[] = [];
  let text = "";
  for (let at = 0; at < format.length;) {
    const percent = format.indexOf("%", at);
    if (percent < 0) {
      text += format.slice(at);
      break;
    }
    text += format.slice(at, percent);
    if (format[percent + 1] === "%") {
      text += "%";
      at = percent + 2;
      continue;
    }
    const { parts, problem: order } = readSpecification(format, percent);
    const [whole = "%", flags = "", width = "", precision, lanes, length = "", conversion = ""] = parts;
    const [fieldWidth, digits] = [Number(width), precision === undefined ? -1 : Number(precision)];
    if (conversion !== "*" && conversion !== "n" && (conversion === "" || !CONVERSIONS.includes(conversion))) {
      tell?.({ offset: percent, message: unknownConversion(conversion) });
      text += whole;
      at = percent + whole.length;
      continue;
    }
    const problem = problemOf(lanes, conversion, fieldWidth, digits);
    if (problem !== null) return err({ offset: percent, message: problem });
    const meant = lengthMeant(lanes, length, conversion);
    if (order !== null) tell?.({ offset: percent, message: order });
    if (meant !== null) tell?.({ offset: percent, message: meant[1] });
    if (text !== "") pieces.push({ kind: "text", text });
    text = "";
    pieces.push({
      kind: "specifier",
      text: whole,
      offset: percent,
      isLeft: flags.includes("-"),
      hasPlus: flags.includes("+"),
      hasSpace: flags.includes(" "),
      isAlternate: flags.includes("#"),
      isZeroPadded: flags.includes("0"),
      width: fieldWidth,
      precision: digits,
      lanes: Number(lanes ?? 1),
      length: meant === null ? (length as PrintfLength) : meant[0],
      conversion: conversion as PrintfConversion,
    });
    at = percent + whole.length;
  }
  if (text !== "") pieces.push({ kind: "text", text });
  return ok(pieces);
}

const INTEGERS: Readonly<Record<PrintfLength, readonly [signed: string, unsigned: string]>> = {
  "": ["int", "uint"],
  hh: ["char", "uchar"],
  h: ["short", "ushort"],
  hl: ["int", "uint"],
  l: ["long", "ulong"],
  ll: ["long", "ulong"],
  j: ["long", "ulong"],
  z: ["long", "ulong"],
  t: ["long", "ulong"],
};
const FLOATS: Readonly<Record<string, string>> = { "": "float", h: "half", hl: "float", l: "double" };

/**
 * Name of the scalar type in OpenCL C that a specification takes the lanes of; `string` for `%s`, `pointer` for `%p`.
 *
 * @public
 */
export function printfScalarType({ conversion, length, lanes }: PrintfSpecifier): string {
  switch (conversion) {
    case "d":
    case "i":
      return INTEGERS[length][0];
    case "o":
    case "u":
    case "x":
    case "X":
      return INTEGERS[length][1];
    case "c":
      return "int";
    case "s":
      return "string";
    case "p":
      return "pointer";
    default:
      return lanes === 1 ? "double" : (FLOATS[length] ?? "float");
  }
}

/** Name of the type of a value for a specification: `int`, `float4`, `string`. @public */
export function printfType(specifier: PrintfSpecifier): string {
  return specifier.lanes === 1 ? printfScalarType(specifier) : `${printfScalarType(specifier)}${specifier.lanes}`;
}
