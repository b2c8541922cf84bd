// SPDX-License-Identifier: Apache-2.0
// Conversions of OpenCL C by their mangled names: `convert_` and a type, `_sat`, a rounding, and after the name the
// type of the argument. SPIR-V has instructions for them with decorations. Bitcode's types do not know signs; names do.
import { enumerant } from "../grammar/tables.ts";
import type { OpName } from "../generated/names.ts";
import type { FunctionWriter } from "./function-writer.ts";

const NAME =
  /^_Z\d+convert_(u?)(char|short|int|long|half|float|double)\d*?(_sat)?(?:_(rt[ezpn]))?((?:Dv\d+_)?)([a-zA-Z]+)$/u;
/** The letters of unsigned types in mangled names. */
const UNSIGNED: ReadonlySet<string> = new Set(["h", "t", "j", "m"]);
const FLOATS: ReadonlySet<string> = new Set(["Dh", "f", "d"]);
const ROUNDINGS = {
  rte: enumerant("FPRoundingMode", "RTE"),
  rtz: enumerant("FPRoundingMode", "RTZ"),
  rtp: enumerant("FPRoundingMode", "RTP"),
  rtn: enumerant("FPRoundingMode", "RTN"),
} as const;

/** What a conversion does. */
interface Conversion {
  readonly toUnsigned: boolean;
  readonly toFloat: boolean;
  readonly fromUnsigned: boolean;
  readonly fromFloat: boolean;
  readonly isSaturated: boolean;
  readonly rounding: number | null;
}

function conversionOf(name: string): Conversion | null {
  // The count of components stands between the type and what follows: char16_sat, int4_rte.
  const found = NAME.exec(name.replace(/^(_Z\d+convert_u?[a-z]+?)(?:2|3|4|8|16)(?=_|Dv)/u, "$1"));
  if (found === null) return null;
  const [, sign, type = "", sat, rounding, , from = ""] = found;
  return {
    toUnsigned: sign === "u",
    toFloat: ["half", "float", "double"].includes(type),
    fromUnsigned: UNSIGNED.has(from),
    fromFloat: FLOATS.has(from),
    isSaturated: sat !== undefined,
    rounding: rounding === undefined ? null : ROUNDINGS[rounding as keyof typeof ROUNDINGS],
  };
}

function operation({ toFloat, fromFloat, toUnsigned, fromUnsigned, isSaturated }: Conversion): OpName {
  if (fromFloat) return toFloat ? "OpFConvert" : toUnsigned ? "OpConvertFToU" : "OpConvertFToS";
  if (toFloat) return fromUnsigned ? "OpConvertUToF" : "OpConvertSToF";
  if (isSaturated && toUnsigned !== fromUnsigned) return toUnsigned ? "OpSatConvertSToU" : "OpSatConvertUToS";
  return fromUnsigned ? "OpUConvert" : "OpSConvert";
}

/** Writes a call of a conversion. False: the name is that of none. */
export function writeConversion(w: FunctionWriter, name: string, result: number, id: number, from: number): boolean {
  const conversion = conversionOf(name);
  if (conversion === null) return false;
  const { emitter } = w;
  const type = emitter.type(result);
  const op = operation(conversion);
  if (emitter.type(from) === type && op !== "OpSatConvertSToU" && op !== "OpSatConvertUToS") {
    w.alias(result, id);
    return true;
  }
  const made = emitter.value(op, type, id);
  if (conversion.isSaturated && !op.startsWith("OpSat") && !conversion.toFloat)
    emitter.put("decorations", "OpDecorate", made, enumerant("Decoration", "SaturatedConversion"));
  if (conversion.rounding !== null && (conversion.fromFloat || conversion.toFloat))
    emitter.put("decorations", "OpDecorate", made, enumerant("Decoration", "FPRoundingMode"), conversion.rounding);
  w.alias(result, made);
  return true;
}
