// SPDX-License-Identifier: Apache-2.0
// All forms of the instruction table, as objects for those who ask and as columns for the encoder and the decoder.
import { InternalError, at } from "@muxkit/cargo";

import { INSTRUCTION_ROWS } from "./instruction.table.ts";
import { formsOfRow } from "./parse-row.ts";
import type { Form, Operand, Place } from "./row.ts";

function allForms(): readonly Form[] {
  const forms: Form[] = [];
  for (const row of INSTRUCTION_ROWS) forms.push(...formsOfRow(row, forms.length));
  return forms;
}

/** Every encoding that is known, by its number. @public */
export const FORMS: readonly Form[] = allForms();

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
/** Bits 12 and 13: 0 no masks, 1 merging, 2 also zeroing, 3 always. */
export const MASKING_SHIFT = 12;

const column = (value: (form: Form) => number): Int32Array => Int32Array.from(FORMS, value);

function numberAt(form: Form, place: Place): number {
  const shown = form.operands.filter((operand) => !operand.implied);
  const index = shown.findIndex((operand) => operand.place === place);
  return index === -1 ? NO_OPERAND : index;
}

function operandAt(form: Form, place: Place): Operand | undefined {
  return form.operands.find((operand) => operand.place === place);
}

function flagsOf(form: Form): number {
  const rm = operandAt(form, "rm");
  const reg = operandAt(form, "reg") ?? operandAt(form, "opcode");
  const isVector = rm?.register !== undefined && "xyz".includes(rm.register);
  return (
    (form.hasModrm ? HAS_MODRM : 0) |
    (form.isLocked ? IS_LOCKED : 0) |
    (rm?.register === undefined ? 0 : MAY_BE_REGISTER) |
    (rm === undefined || rm.memoryBits === 0 ? 0 : MAY_BE_MEMORY) |
    (rm?.register === "g8" ? BYTE_IN_RM : 0) |
    (reg?.register === "g8" ? BYTE_IN_REG : 0) |
    (rm?.index === undefined ? 0 : HAS_VECTOR_INDEX) |
    (isVector ? VECTOR_IN_RM : 0) |
    (rm?.index !== undefined && rm.role === "r" ? IS_GATHER : 0) |
    (["", "k", "kz", "K"].indexOf(form.masking) << MASKING_SHIFT)
  );
}

function immediateOf(form: Form): number {
  const kind = operandAt(form, "immediate")?.immediate;
  return kind === undefined ? IMMEDIATE.none : IMMEDIATE[kind as keyof typeof IMMEDIATE];
}

/** The form with the same key that EVEX encodes, for a form of VEX; -1 for none. */
function twins(): Int32Array {
  const byKey = new Map(FORMS.filter((form) => form.kind === "EVEX").map((form) => [form.key, form.id]));
  return column((form) => (form.kind === "VEX" ? (byKey.get(form.key) ?? -1) : -1));
}

type Column =
  | "kind"
  | "prefix"
  | "map"
  | "opcode"
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
  | "twin";

/** The forms as columns. */
export const COLUMNS: Readonly<Record<Column, Int32Array>> = {
  kind: column((form) => ["legacy", "VEX", "EVEX"].indexOf(form.kind)),
  prefix: column((form) => form.prefix),
  map: column((form) => form.map),
  opcode: column((form) => form.opcode),
  suffix: column((form) => form.suffix),
  w: column((form) => form.w),
  length: column((form) => form.length),
  digit: column((form) => form.digit),
  flags: column(flagsOf),
  reg: column((form) => Math.min(numberAt(form, "reg"), numberAt(form, "opcode"))),
  isInOpcode: column((form) => Number(operandAt(form, "opcode") !== undefined)),
  rm: column((form) => numberAt(form, "rm")),
  vvvv: column((form) => numberAt(form, "vvvv")),
  is4: column((form) => numberAt(form, "is4")),
  condition: column((form) => numberAt(form, "condition")),
  immediateOperand: column((form) => numberAt(form, "immediate")),
  immediate: column(immediateOf),
  displacementShift: column((form) => form.displacementShift),
  broadcastShift: column((form) => (form.broadcastBits === 0 ? -1 : form.broadcastBits === 32 ? 2 : 3)),
  twin: twins(),
};

const BY_KEY: ReadonlyMap<string, number> = new Map(FORMS.toReversed().map((form) => [form.key, form.id]));

/**
 * The number of the form with a key: the name, then the classes of the operands, as `add r32, s8` or
 * `vaddps y, y, y/m256`. Where VEX and EVEX have the same, it is the one of VEX; `evex` before the key asks for the
 * other. Code that emits much asks once and keeps the number.
 *
 * @public
 */
export function formOf(key: string): number {
  const isEvex = key.startsWith("evex ");
  const plain = isEvex ? key.slice(5) : key;
  const id = BY_KEY.get(plain);
  if (id === undefined) throw new InternalError(`the instruction table has no form "${key}"`);
  if (!isEvex) return id;
  const twin = at(FORMS, id).kind === "EVEX" ? id : (COLUMNS.twin[id] ?? -1);
  if (twin === -1) throw new InternalError(`"${plain}" has no form that EVEX encodes`);
  return twin;
}
