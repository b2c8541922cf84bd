// SPDX-License-Identifier: Apache-2.0
// How each op of the IR is one instruction on a v128, by lane type. 0: lane by lane, or by more than one instruction.
import { Op } from "@muxkit/ir";

/** Numbers after the vector prefix for lanes of i8, i16, i32, i64, f32, f64. */
export type SimdRow = readonly [i8: number, i16: number, i32: number, i64: number, f32: number, f64: number];

export const SIMD_OPS: Readonly<Record<number, SimdRow>> = {
  [Op.ADD]: [0x6e, 0x8e, 0xae, 0xce, 0, 0],
  [Op.SUB]: [0x71, 0x91, 0xb1, 0xd1, 0, 0],
  [Op.MUL]: [0, 0x95, 0xb5, 0xd5, 0, 0],
  [Op.AND]: [0x4e, 0x4e, 0x4e, 0x4e, 0, 0],
  [Op.OR]: [0x50, 0x50, 0x50, 0x50, 0, 0],
  [Op.XOR]: [0x51, 0x51, 0x51, 0x51, 0, 0],
  [Op.SMIN]: [0x76, 0x96, 0xb6, 0, 0, 0],
  [Op.UMIN]: [0x77, 0x97, 0xb7, 0, 0, 0],
  [Op.SMAX]: [0x78, 0x98, 0xb8, 0, 0, 0],
  [Op.UMAX]: [0x79, 0x99, 0xb9, 0, 0, 0],
  [Op.POPCOUNT]: [0x62, 0, 0, 0, 0, 0],
  [Op.FADD]: [0, 0, 0, 0, 0xe4, 0xf0],
  [Op.FSUB]: [0, 0, 0, 0, 0xe5, 0xf1],
  [Op.FMUL]: [0, 0, 0, 0, 0xe6, 0xf2],
  [Op.FDIV]: [0, 0, 0, 0, 0xe7, 0xf3],
  [Op.FABS]: [0, 0, 0, 0, 0xe0, 0xec],
  [Op.FNEG]: [0, 0, 0, 0, 0xe1, 0xed],
  [Op.FSQRT]: [0, 0, 0, 0, 0xe3, 0xef],
  [Op.FFLOOR]: [0, 0, 0, 0, 0x68, 0x75],
  [Op.FCEIL]: [0, 0, 0, 0, 0x67, 0x74],
  [Op.FTRUNC]: [0, 0, 0, 0, 0x69, 0x7a],
  [Op.FRINT]: [0, 0, 0, 0, 0x6a, 0x94],
};

/** Shifts: the amount is one scalar for all lanes. */
export const SIMD_SHIFTS: Readonly<Record<number, SimdRow>> = {
  [Op.SHL]: [0x6b, 0x8b, 0xab, 0xcb, 0, 0],
  [Op.ASHR]: [0x6c, 0x8c, 0xac, 0xcc, 0, 0],
  [Op.LSHR]: [0x6d, 0x8d, 0xad, 0xcd, 0, 0],
};

/** Comparisons that yield a mask of the operand's lanes. */
export const SIMD_COMPARES: Readonly<Record<number, SimdRow>> = {
  [Op.EQ]: [0x23, 0x2d, 0x37, 0xd6, 0, 0],
  [Op.NE]: [0x24, 0x2e, 0x38, 0xd7, 0, 0],
  [Op.SLT]: [0x25, 0x2f, 0x39, 0xd8, 0, 0],
  [Op.ULT]: [0x26, 0x30, 0x3a, 0, 0, 0],
  [Op.SGT]: [0x27, 0x31, 0x3b, 0xd9, 0, 0],
  [Op.UGT]: [0x28, 0x32, 0x3c, 0, 0, 0],
  [Op.SLE]: [0x29, 0x33, 0x3d, 0xda, 0, 0],
  [Op.ULE]: [0x2a, 0x34, 0x3e, 0, 0, 0],
  [Op.SGE]: [0x2b, 0x35, 0x3f, 0xdb, 0, 0],
  [Op.UGE]: [0x2c, 0x36, 0x40, 0, 0, 0],
  [Op.FEQ]: [0, 0, 0, 0, 0x41, 0x47],
  [Op.FNE]: [0, 0, 0, 0, 0x42, 0x48],
  [Op.FLT]: [0, 0, 0, 0, 0x43, 0x49],
  [Op.FGT]: [0, 0, 0, 0, 0x44, 0x4a],
  [Op.FLE]: [0, 0, 0, 0, 0x45, 0x4b],
  [Op.FGE]: [0, 0, 0, 0, 0x46, 0x4c],
};

/** splat, extract (unsigned), replace. */
export const SPLAT: SimdRow = [0x0f, 0x10, 0x11, 0x12, 0x13, 0x14];
export const EXTRACT: SimdRow = [0x16, 0x19, 0x1b, 0x1d, 0x1f, 0x21];
export const REPLACE: SimdRow = [0x17, 0x1a, 0x1c, 0x1e, 0x20, 0x22];

/** Loads and stores of one lane, by bytes. */
export const LOAD_LANE: Readonly<Record<number, number>> = { 1: 0x54, 2: 0x55, 4: 0x56, 8: 0x57 };
export const STORE_LANE: Readonly<Record<number, number>> = { 1: 0x58, 2: 0x59, 4: 0x5a, 8: 0x5b };

/** Votes and bit masks, by bytes of a lane. */
export const ALL_TRUE: Readonly<Record<number, number>> = { 1: 0x63, 2: 0x83, 4: 0xa3, 8: 0xc3 };
export const BITMASK: Readonly<Record<number, number>> = { 1: 0x64, 2: 0x84, 4: 0xa4, 8: 0xc4 };

/** Relaxed selections by masks, by bytes of a lane. */
export const LANE_SELECT: Readonly<Record<number, number>> = { 1: 0x109, 2: 0x10a, 4: 0x10b, 8: 0x10c };
/** Relaxed a * b + c and c - a * b, for f32 and f64. */
export const MULTIPLY_ADD: Readonly<Record<number, readonly [add: number, subtract: number]>> = { 32: [0x105, 0x106], 64: [0x107, 0x108] };

/** Halves (the half-precision proposal): the low four to f32, and four f32 to the low four. */
export const PROMOTE_LOW_F16 = 0x14b;
export const DEMOTE_F32_ZERO = 0x149;

/** Negation of ints, by bytes of a lane. */
export const NEGATE: Readonly<Record<number, number>> = { 1: 0x61, 2: 0x81, 4: 0xa1, 8: 0xc1 };

export const V128_AND = 0x4e;
export const V128_ANDNOT = 0x4f;
export const V128_OR = 0x50;
export const V128_XOR = 0x51;
export const ANY_TRUE = 0x53;
export const EXTRACT_I32 = 0x1b;
export const V128_LOAD = 0x00;
export const V128_STORE = 0x0b;
export const V128_CONST = 0x0c;
export const SHUFFLE = 0x0d;
export const SWIZZLE = 0x0e;
export const V128_NOT = 0x4d;
export const BITSELECT = 0x52;
export const LOAD32_ZERO = 0x5c;
export const LOAD64_ZERO = 0x5d;
export const I32X4_SPLAT = 0x11;
export const I16X8_GT_S = 0x31;
export const I32X4_TRUNC_SAT_F32X4 = 0xf8;
export const I32X4_TRUNC_SAT_F64X2_ZERO = 0xfc;
