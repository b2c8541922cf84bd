// SPDX-License-Identifier: Apache-2.0
// The columns of numbers in which forms are kept, and what the numbers mean. What many forms have alike is their shape:
// columns are of shapes. A form has a shape, an opcode, and a twin or none.

/** Numbers of immediates' kinds. */
export const IMMEDIATE = {
  none: 0,
  s8: 1,
  i8: 2,
  s16: 3,
  s32: 4,
  i32: 5,
  i64: 6,
  rel8: 7,
  rel32: 8,
} as const;

/** Bytes of an immediate, by its kind. */
export const IMMEDIATE_BYTES: Uint8Array = Uint8Array.of(0, 1, 1, 2, 4, 4, 8, 1, 4);

/** Numbers of the kinds of encodings. */
export const LEGACY = 0;
/** See {@link LEGACY}. */
export const VEX = 1;
/** See {@link LEGACY}. */
export const EVEX = 2;
/** The kinds by their numbers. */
export const KINDS = ["legacy", "VEX", "EVEX"] as const;
/** What masks may do, by the bits of `flags` from {@link MASKING_SHIFT} on. */
export const MASKINGS = ["", "k", "kz", "K"] as const;
/** Bits of general operands, by the column `size`. */
export const SIZES: readonly number[] = [0, 8, 16, 32, 64];

/** What a field's operand number is when the form has no operand there. */
export const NO_OPERAND = 5;

/** Bits of the column `flags`. */
export const HAS_MODRM = 1;
export const IS_LOCKED = 2;
export const MAY_BE_REGISTER = 4;
export const MAY_BE_MEMORY = 8;
/** An r/m or reg operand is a byte of a general register: spl, bpl, sil and dil want a REX prefix. */
export const BYTE_IN_RM = 16;
export const BYTE_IN_REG = 32;
export const HAS_VECTOR_INDEX = 64;
/** The r/m register is a vector: its number has a fifth bit. */
export const VECTOR_IN_RM = 128;
/** Its vectors must be different ones, or processors refuse it. */
export const IS_GATHER = 256;
export const READS_FLAGS = 512;
export const WRITES_FLAGS = 1024;
/** Bits 12 and 13: 0 no masks, 1 merging, 2 also zeroing, 3 always. */
export const MASKING_SHIFT = 12;

/** Names of the columns of shapes. */
export type ColumnName =
  | "kind"
  | "prefix"
  | "map"
  | "suffix"
  | "w"
  | "length"
  | "digit"
  | "flags"
  | "reg"
  | "isInOpcode"
  | "rm"
  | "vvvv"
  | "is4"
  | "condition"
  | "immediateOperand"
  | "immediate"
  | "displacementShift"
  | "broadcastShift"
  | "size"
  | "needs"
  /** The number of its list of operands. */
  | "list";

/** How a column is written. */
export interface ColumnOrder {
  readonly name: ColumnName;
  /** Digits of each number. */
  readonly digits: 1 | 2;
  /** The least value, which is written as 0. */
  readonly least: 0 | -1;
  /** Whether the number is that of an entry in the list of its own name. */
  readonly isNumbered: boolean;
}

function plain(name: ColumnName, digits: 1 | 2 = 1, least: 0 | -1 = 0): ColumnOrder {
  return { name, digits, least, isNumbered: false };
}

/** The columns in the order in which they are written. */
export const COLUMN_ORDER: readonly ColumnOrder[] = [
  plain("kind"),
  plain("prefix"),
  plain("map"),
  plain("suffix", 2, -1),
  plain("w"),
  plain("length"),
  plain("digit", 1, -1),
  { name: "flags", digits: 1, least: 0, isNumbered: true },
  plain("reg"),
  plain("isInOpcode"),
  plain("rm"),
  plain("vvvv"),
  plain("is4"),
  plain("condition"),
  plain("immediateOperand"),
  plain("immediate"),
  plain("displacementShift"),
  plain("broadcastShift", 1, -1),
  plain("size"),
  { name: "needs", digits: 1, least: 0, isNumbered: true },
  plain("list", 2),
];
