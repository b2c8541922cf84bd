// SPDX-License-Identifier: Apache-2.0
// Calls of OpenCL C's built-in functions in kernels: an extended instruction of OpenCL.std where there is one of the
// name, an instruction of the tables below, else an imported function with the mangled name, as translators from LLVM
// leave it.
import {
  type BuiltinReference,
  GLOBAL,
  I1,
  type Instruction,
  NON_UNIFORM,
  Op,
  type Type,
  type Value,
  constantText,
  floatType,
  intType,
  pointerType,
  scalarOf,
  vectorType,
  withLanesOf,
} from "@muxkit/ir";
import { parseFamily } from "@muxkit/builtin-table";
import { parsePrintfFormat } from "@muxkit/printf";

import type { EnumerantNames, ExtendedNames, OpName } from "../generated/names.ts";
import { EXTENDED_SETS, enumerant } from "../grammar/tables.ts";
import { decorateFlags } from "./arithmetic-rows.ts";
import { numberId } from "./constants.ts";
import type { FunctionWriter, RowTable } from "./function-writer.ts";
import { IMAGE_BUILTINS } from "./image-rows.ts";
import { mangledName } from "./mangled.ts";
import type { ModuleWriter } from "./module-writer.ts";
import { pipeBuiltins } from "./pipe-rows.ts";
import { scopeId } from "./synchronization-rows.ts";
import { intId, valueType } from "./types.ts";
import { written, writtenExtended } from "./written.ts";

type Std = ExtendedNames["OpenCL.std"];

/** A call with the names of its parameters. */
export interface BuiltinCall {
  readonly i: Instruction;
  readonly name: string;
  readonly parameters: readonly string[];
}

/** Writes a call; the id of its result, 0: it has none. */
export type BuiltinWriter = (f: FunctionWriter, call: BuiltinCall) => number;

/** Names of OpenCL.std that differ from OpenCL C's by more than the sign of ints. */
const OF_FLOATS: Readonly<Record<string, Std>> = { clamp: "fclamp", max: "fmax_common", min: "fmin_common" };

const OPENCL = EXTENDED_SETS.get("OpenCL.std");

/** The name in OpenCL.std; null: there is none. */
function standardName(name: string, first: string): Std | null {
  if (name.startsWith("v")) return null;
  const isFloat = /^(?:half|float|double)/u.test(first);
  const own = isFloat ? (OF_FLOATS[name] ?? name) : name;
  for (const candidate of [own, `${first.startsWith("u") ? "u" : "s"}_${name}`])
    if (OPENCL?.byName.has(candidate) === true) return candidate as Std;
  return null;
}

for (const name of OPENCL?.byName.keys() ?? []) if (!name.startsWith("v")) writtenExtended("OpenCL.std", name as Std);

/** OpenCL C's names of numbers: kind and bits. */
const NUMBERS: Readonly<Record<string, readonly [kind: "int" | "float", bits: number]>> = {
  char: ["int", 8],
  uchar: ["int", 8],
  short: ["int", 16],
  ushort: ["int", 16],
  int: ["int", 32],
  uint: ["int", 32],
  long: ["int", 64],
  ulong: ["int", 64],
  half: ["float", 16],
  float: ["float", 32],
  double: ["float", 64],
};

const POINTER = /^(?:(?:global|constant|local|private|const|volatile|restrict|__\w+) )*([a-z]+)(2|3|4|8|16)? ?\*$/u;

/** What a pointer points to, by OpenCL C's name of its type; bytes where it does not say. */
export function targetOfName(w: ModuleWriter, name: string): number {
  const [, element = "", lanes] = POINTER.exec(name) ?? [];
  const [kind, bits] = NUMBERS[element] ?? [];
  if (kind === undefined || bits === undefined) return intId(w, 8);
  const scalar = kind === "int" ? intType(bits) : floatType(bits);
  return valueType(w, lanes === undefined ? scalar : vectorType(scalar, Number(lanes)));
}

function targetType(f: FunctionWriter, name: string): number {
  return targetOfName(f.w, name);
}

/** Operands of a call, pointers to what the parameters' names say. */
function operandsOf(f: FunctionWriter, { i, parameters }: BuiltinCall): number[] {
  return i.operands.map((value, n) =>
    value.type.kind === "pointer" ? f.pointer(value, targetType(f, parameters[n] ?? "")) : f.value(value),
  );
}

/** What %p prints, which the IR has as a number: the pointer that it was. */
function printedPointer(f: FunctionWriter, value: Value): number {
  const [pointer] = value.kind === "instruction" && value.op === Op.PTRTOINT ? value.operands : [];
  return pointer === undefined ? f.make(U_TO_PTR, f.type(pointerType(GLOBAL)), f.value(value)) : f.value(pointer);
}

const U_TO_PTR = written("OpConvertUToPtr");

/** Integers of less than 32 bits are passed to printf as ints, as in C. */
const printf: BuiltinWriter = (f, { i }) => {
  const [format, ...rest] = i.operands as [Value, ...Value[]];
  const text = constantText(format);
  const parsed = text === null ? null : parsePrintfFormat(text);
  const specifiers = parsed?.ok === true ? parsed.value.filter((piece) => piece.kind === "specifier") : [];
  const values = rest.map((value, n) => {
    const { type } = value;
    if (specifiers[n]?.conversion === "p") return printedPointer(f, value);
    if (type.kind !== "int" || type.bits >= 32) return f.value(value);
    const isUnsigned = /[ouxX]/u.test(specifiers[n]?.conversion ?? "d");
    return f.make(isUnsigned ? UCONVERT : SCONVERT, intId(f.w, 32), f.value(value));
  });
  return f.extended("OpenCL.std", "printf", f.type(i.type), f.value(format), ...values);
};

const UCONVERT = written("OpUConvert");
const SCONVERT = written("OpSConvert");
const SELECT = written("OpSelect");
const NOT_EQUAL = written("OpINotEqual");
const SAMPLER = written("OpConstantSampler");
const EVENT_SAMPLER_TYPE = written("OpTypeSampler");

/** A sampler in the program: bits of addressing, of coordinates, of the filter. */
const sampler: BuiltinWriter = (f, { i }) => {
  const [bits] = i.operands;
  if (bits?.kind !== "constant") return f.refuse("a sampler in a program must be a constant", i);
  f.w.require("LiteralSampler");
  return f.w.declare(
    SAMPLER,
    f.w.declare(EVENT_SAMPLER_TYPE),
    (bits.low >>> 1) & 7,
    bits.low & 1,
    (bits.low & 0x20) === 0 ? 0 : 1,
  );
};

const CONVERSIONS: Readonly<Record<string, number>> = {
  "float s": written("OpConvertFToS"),
  "float u": written("OpConvertFToU"),
  "s float": written("OpConvertSToF"),
  "u float": written("OpConvertUToF"),
  "float float": written("OpFConvert"),
  "s u sat": written("OpSatConvertSToU"),
  "u s sat": written("OpSatConvertUToS"),
};

const ROUNDINGS: Readonly<Record<string, EnumerantNames["FPRoundingMode"]>> = {
  rte: "RTE",
  rtz: "RTZ",
  rtp: "RTP",
  rtn: "RTN",
};

const signOf = (name: string): string =>
  /^(?:half|float|double)/u.test(name) ? "float" : name.startsWith("u") ? "u" : "s";

/** A conversion with saturation or rounding; null: SPIR-V has none of these types. */
function conversion(f: FunctionWriter, { i, name, parameters }: BuiltinCall): number | null {
  const family = parseFamily(name);
  if (family?.kind !== "convert") return null;
  const [from, to] = [signOf(parameters[0] ?? ""), signOf(family.type)];
  const isInts = from !== "float" && to !== "float";
  const opcode = CONVERSIONS[`${from} ${to}${isInts ? " sat" : ""}`];
  if (opcode === undefined || (isInts && !family.isSaturated)) return null;
  const id = f.make(opcode, f.type(i.type), f.value(i.operands[0] as Value));
  // What is not asked to saturate does here all the same: the IR's conversions are total.
  if (from === "float" && to !== "float") f.w.decorate(id, "SaturatedConversion");
  const mode = ROUNDINGS[family.rounding];
  if (mode !== undefined) f.w.decorate(id, "FPRoundingMode", enumerant("FPRoundingMode", mode));
  return id;
}

/** A function of sub-groups: an instruction whose scope is a sub-group. Truth values travel as ints. */
function ofSubGroups(name: OpName, isTruth: "result" | "operand" | "both" | "none" = "none"): BuiltinWriter {
  const opcode = written(name);
  return (f, { i }) => {
    const operands = i.operands.map((value, n) =>
      n === 0 && (isTruth === "operand" || isTruth === "both") ? truth(f, value) : f.value(value),
    );
    const hasTruth = isTruth === "result" || isTruth === "both";
    const made = f.make(opcode, hasTruth ? f.type(I1) : f.type(i.type), scopeId(f, "sub_group"), ...operands);
    return hasTruth ? f.make(SELECT, f.type(i.type), made, numberId(f.w, i.type, 1), numberId(f.w, i.type, 0)) : made;
  };
}

function truth(f: FunctionWriter, value: Value): number {
  const type: Type = withLanesOf(I1, value.type);
  return f.make(NOT_EQUAL, f.type(type), f.value(value), numberId(f.w, value.type, 0));
}

/** Counts bits of a ballot. */
function ballotCount(form: EnumerantNames["GroupOperation"]): BuiltinWriter {
  const opcode = written("OpGroupNonUniformBallotBitCount");
  return (f, { i }) =>
    f.make(
      opcode,
      f.type(i.type),
      scopeId(f, "sub_group"),
      enumerant("GroupOperation", form),
      f.value(i.operands[0] as Value),
    );
}

const LOAD = written("OpLoad");

function mask(name: EnumerantNames["BuiltIn"]): BuiltinWriter {
  return (f, { i }) => {
    f.w.require("GroupNonUniformBallot");
    const type = f.type(i.type);
    return f.make(LOAD, type, f.parts.builtInVariable(name, type));
  };
}

/** A cast of a generic pointer that is null for other memory. */
function toSpace(storage: EnumerantNames["StorageClass"]): BuiltinWriter {
  const opcode = written("OpGenericCastToPtrExplicit");
  return (f, { i }) => {
    const value = i.operands[0] as Value;
    if (value.type.addressSpace === i.type.addressSpace) return f.value(value);
    return f.make(opcode, f.type(i.type), f.value(value), enumerant("StorageClass", storage));
  };
}

const DOT = written("OpDot");

/** Functions with rows of their own. */
const BUILTINS: Readonly<Record<string, BuiltinWriter>> = {
  ...IMAGE_BUILTINS,
  ...pipeBuiltins(targetType),
  printf,
  __muxkit_sampler: sampler,
  to_global: toSpace("CrossWorkgroup"),
  to_local: toSpace("Workgroup"),
  to_private: toSpace("Function"),
  dot: (f, call) =>
    scalarOf(call.i.type).kind === "float" && call.i.operands[0]?.type.kind === "vector"
      ? f.make(DOT, f.type(call.i.type), ...operandsOf(f, call))
      : imported(f, call),
  sub_group_elect: ofSubGroups("OpGroupNonUniformElect", "result"),
  sub_group_non_uniform_all_equal: ofSubGroups("OpGroupNonUniformAllEqual", "result"),
  sub_group_inverse_ballot: ofSubGroups("OpGroupNonUniformInverseBallot", "result"),
  sub_group_ballot_bit_extract: ofSubGroups("OpGroupNonUniformBallotBitExtract", "result"),
  sub_group_ballot_find_lsb: ofSubGroups("OpGroupNonUniformBallotFindLSB"),
  sub_group_ballot_find_msb: ofSubGroups("OpGroupNonUniformBallotFindMSB"),
  sub_group_ballot_bit_count: ballotCount("Reduce"),
  sub_group_ballot_inclusive_scan: ballotCount("InclusiveScan"),
  sub_group_ballot_exclusive_scan: ballotCount("ExclusiveScan"),
  get_sub_group_eq_mask: mask("SubgroupEqMask"),
  get_sub_group_ge_mask: mask("SubgroupGeMask"),
  get_sub_group_gt_mask: mask("SubgroupGtMask"),
  get_sub_group_le_mask: mask("SubgroupLeMask"),
  get_sub_group_lt_mask: mask("SubgroupLtMask"),
};

const SPACE = /^(?:(?:global|constant|local|private|const|volatile|restrict|__\w+) )+/u;

/** Functions that no program writes: the front end makes them. */
const OWN = "__muxkit_";

/** A function of no instruction: one that the consumer knows by its name. */
function imported(f: FunctionWriter, { i, name, parameters }: BuiltinCall): number {
  if (name.startsWith(OWN)) return f.refuse(`${name.slice(OWN.length)} is a function that only this compiler knows`, i);
  const symbol = mangledName(
    name,
    i.operands.map((value, n) => ({ name: (parameters[n] ?? "").replace(SPACE, ""), space: value.type.addressSpace })),
  );
  if (symbol === null)
    return f.refuse(`SPIR-V has no instruction for ${name}(${parameters.join(", ")}), and no name for it`, i);
  const operands = operandsOf(f, { i, name, parameters });
  const types = i.operands.map((value, n) =>
    value.type.kind === "pointer" ? f.pointerType(value, targetType(f, parameters[n] ?? "")) : f.operandType(value),
  );
  const made = f.make(CALL, f.type(i.type), f.parts.importedFunction(symbol, f.type(i.type), types), ...operands);
  return i.type.kind === "void" ? 0 : made;
}

const CALL = written("OpFunctionCall");

/** A call of a built-in function. */
export const BUILTIN_ROWS: RowTable = {
  [Op.CALL_BUILTIN]: (f, i) => {
    const { name, parameters } = i.symbol as BuiltinReference;
    const call: BuiltinCall = { i, name, parameters };
    const own = BUILTINS[name];
    if (own !== undefined) return own(f, call);
    const converted = conversion(f, call);
    if (converted !== null) return decorateFlags(f, converted, i);
    const standard = (i.flags & NON_UNIFORM) === 0 ? standardName(name, parameters[0] ?? "") : null;
    if (standard === null) return imported(f, call);
    const made = f.extended("OpenCL.std", standard, f.type(i.type), ...operandsOf(f, call));
    return i.type.kind === "void" ? 0 : decorateFlags(f, made, i);
  },
};
