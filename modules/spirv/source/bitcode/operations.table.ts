// SPDX-License-Identifier: Apache-2.0
// What bitcode's numbers of operations are in SPIR-V, and what LLVM's intrinsic functions are in OpenCL.std.
import type { ExtendedNames, OpName } from "../generated/names.ts";

/** Operations of two values: for integers, floats, booleans; null: there is none. */
export const BINARY: readonly (readonly [OpName | null, OpName | null, OpName | null])[] = [
  ["OpIAdd", "OpFAdd", "OpLogicalNotEqual"],
  ["OpISub", "OpFSub", "OpLogicalNotEqual"],
  ["OpIMul", "OpFMul", "OpLogicalAnd"],
  ["OpUDiv", null, null],
  ["OpSDiv", "OpFDiv", null],
  ["OpUMod", null, null],
  ["OpSRem", "OpFRem", null],
  ["OpShiftLeftLogical", null, null],
  ["OpShiftRightLogical", null, null],
  ["OpShiftRightArithmetic", null, null],
  ["OpBitwiseAnd", null, "OpLogicalAnd"],
  ["OpBitwiseOr", null, "OpLogicalOr"],
  ["OpBitwiseXor", null, "OpLogicalNotEqual"],
];

/** Casts by their numbers; those with conditions are in functions.ts. */
export const CAST: Readonly<Record<number, OpName>> = {
  0: "OpUConvert",
  1: "OpUConvert",
  2: "OpSConvert",
  3: "OpConvertFToU",
  4: "OpConvertFToS",
  5: "OpConvertUToF",
  6: "OpConvertSToF",
  7: "OpFConvert",
  8: "OpFConvert",
  9: "OpConvertPtrToU",
  10: "OpConvertUToPtr",
  11: "OpBitcast",
};

/** Comparisons by their predicates. */
export const COMPARE: Readonly<Record<number, OpName>> = {
  1: "OpFOrdEqual",
  2: "OpFOrdGreaterThan",
  3: "OpFOrdGreaterThanEqual",
  4: "OpFOrdLessThan",
  5: "OpFOrdLessThanEqual",
  6: "OpFOrdNotEqual",
  7: "OpOrdered",
  8: "OpUnordered",
  9: "OpFUnordEqual",
  10: "OpFUnordGreaterThan",
  11: "OpFUnordGreaterThanEqual",
  12: "OpFUnordLessThan",
  13: "OpFUnordLessThanEqual",
  14: "OpFUnordNotEqual",
  32: "OpIEqual",
  33: "OpINotEqual",
  34: "OpUGreaterThan",
  35: "OpUGreaterThanEqual",
  36: "OpULessThan",
  37: "OpULessThanEqual",
  38: "OpSGreaterThan",
  39: "OpSGreaterThanEqual",
  40: "OpSLessThan",
  41: "OpSLessThanEqual",
};

/** Atomic operations by their numbers; for floats the addition alone. */
export const ATOMIC: Readonly<Record<number, OpName>> = {
  0: "OpAtomicExchange",
  1: "OpAtomicIAdd",
  2: "OpAtomicISub",
  3: "OpAtomicAnd",
  5: "OpAtomicOr",
  6: "OpAtomicXor",
  7: "OpAtomicSMax",
  8: "OpAtomicSMin",
  9: "OpAtomicUMax",
  10: "OpAtomicUMin",
};

/** Memory semantics by the numbers of orderings. */
export const ORDERINGS: readonly number[] = [0, 0, 0, 2, 4, 8, 16];

/** Intrinsic functions of LLVM by their names up to the types. */
export const INTRINSICS: Readonly<Record<string, ExtendedNames["OpenCL.std"]>> = {
  "llvm.fmuladd": "mad",
  "llvm.fma": "fma",
  "llvm.fabs": "fabs",
  "llvm.sqrt": "sqrt",
  "llvm.floor": "floor",
  "llvm.ceil": "ceil",
  "llvm.trunc": "trunc",
  "llvm.rint": "rint",
  "llvm.round": "round",
  "llvm.copysign": "copysign",
  "llvm.minnum": "fmin",
  "llvm.maxnum": "fmax",
  "llvm.smax": "s_max",
  "llvm.smin": "s_min",
  "llvm.umax": "u_max",
  "llvm.umin": "u_min",
  "llvm.ctpop": "popcount",
  "llvm.sadd.sat": "s_add_sat",
  "llvm.uadd.sat": "u_add_sat",
  "llvm.ssub.sat": "s_sub_sat",
  "llvm.usub.sat": "u_sub_sat",
};
/** Intrinsic functions whose last operand is a flag: the value 0 is defined where it is false. */
export const FLAGGED: Readonly<Record<string, ExtendedNames["OpenCL.std"]>> = {
  "llvm.abs": "s_abs",
  "llvm.ctlz": "clz",
  "llvm.cttz": "ctz",
};
/** Intrinsic functions that compute nothing. */
export const IGNORED: RegExp = /^llvm\.(?:lifetime|dbg|assume|experimental\.noalias|invariant|donothing)/u;
/** Intrinsic functions that make one value of a vector's components. */
export const REDUCED: Readonly<Record<string, OpName>> = {
  "llvm.vector.reduce.add": "OpIAdd",
  "llvm.vector.reduce.mul": "OpIMul",
  "llvm.vector.reduce.and": "OpBitwiseAnd",
  "llvm.vector.reduce.or": "OpBitwiseOr",
  "llvm.vector.reduce.xor": "OpBitwiseXor",
};
