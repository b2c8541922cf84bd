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

/** The part of the columns that operands say; forms with equal operands share them. */
type OperandColumn =
  | "reg"
  | "isInOpcode"
  | "rm"
  | "vvvv"
  | "is4"
  | "condition"
  | "immediateOperand"
  | "immediate"
  | "flags";

function flagsOf(rm: Operand | undefined, reg: Operand | undefined): number {
  const isVector = rm?.register !== undefined && "xyz".includes(rm.register);
  return (
    (rm?.register === undefined ? 0 : MAY_BE_REGISTER) |
    (rm === undefined || rm.memoryBits === 0 ? 0 : MAY_BE_MEMORY) |
    (rm?.register === "g8" ? BYTE_IN_RM : 0) |
    (reg?.register === "g8" ? BYTE_IN_REG : 0) |
    (rm?.index === undefined ? 0 : HAS_VECTOR_INDEX) |
    (isVector ? VECTOR_IN_RM : 0) |
    (rm?.index !== undefined && rm.role === "r" ? IS_GATHER : 0)
  );
}

function operandColumns(operands: readonly Operand[]): Readonly<Record<OperandColumn, number>> {
  const shown = operands.filter((operand) => !operand.implied);
  const numberAt = (place: Place): number => {
    const index = shown.findIndex((operand) => operand.place === place);
    return index === -1 ? NO_OPERAND : index;
  };
  const [reg, inOpcode, rm, immediate] = [numberAt("reg"), numberAt("opcode"), numberAt("rm"), numberAt("immediate")];
  const kind = shown[immediate]?.immediate;
  return {
    reg: Math.min(reg, inOpcode),
    isInOpcode: Number(inOpcode !== NO_OPERAND),
    rm,
    vvvv: numberAt("vvvv"),
    is4: numberAt("is4"),
    condition: numberAt("condition"),
    immediateOperand: immediate,
    immediate: kind === undefined ? IMMEDIATE.none : IMMEDIATE[kind as keyof typeof IMMEDIATE],
    flags: flagsOf(shown[rm], shown[Math.min(reg, inOpcode)]),
  };
}

const KINDS = ["legacy", "VEX", "EVEX"];
const MASKINGS = ["", "k", "kz", "K"];

function emptyColumn(): Int32Array {
  return new Int32Array(FORMS.length);
}

function makeColumns(): Readonly<Record<Column, Int32Array>> {
  const columns: Readonly<Record<Column, Int32Array>> = {
    kind: emptyColumn(),
    prefix: emptyColumn(),
    map: emptyColumn(),
    opcode: emptyColumn(),
    suffix: emptyColumn(),
    w: emptyColumn(),
    length: emptyColumn(),
    digit: emptyColumn(),
    flags: emptyColumn(),
    reg: emptyColumn(),
    isInOpcode: emptyColumn(),
    rm: emptyColumn(),
    vvvv: emptyColumn(),
    is4: emptyColumn(),
    condition: emptyColumn(),
    immediateOperand: emptyColumn(),
    immediate: emptyColumn(),
    displacementShift: emptyColumn(),
    broadcastShift: emptyColumn(),
    twin: emptyColumn(),
  };
  const shared = new Map<readonly Operand[], Readonly<Record<OperandColumn, number>>>();
  const evexByKey = new Map<string, number>();
  for (const form of FORMS) if (form.kind === "EVEX") evexByKey.set(form.key, form.id);
  for (const form of FORMS) {
    const { id } = form;
    let operands = shared.get(form.operands);
    if (operands === undefined) {
      operands = operandColumns(form.operands);
      shared.set(form.operands, operands);
    }
    columns.kind[id] = KINDS.indexOf(form.kind);
    columns.prefix[id] = form.prefix;
    columns.map[id] = form.map;
    columns.opcode[id] = form.opcode;
    columns.suffix[id] = form.suffix;
    columns.w[id] = form.w;
    columns.length[id] = form.length;
    columns.digit[id] = form.digit;
    columns.flags[id] =
      operands.flags |
      (form.hasModrm ? HAS_MODRM : 0) |
      (form.isLocked ? IS_LOCKED : 0) |
      (MASKINGS.indexOf(form.masking) << MASKING_SHIFT);
    columns.reg[id] = operands.reg;
    columns.isInOpcode[id] = operands.isInOpcode;
    columns.rm[id] = operands.rm;
    columns.vvvv[id] = operands.vvvv;
    columns.is4[id] = operands.is4;
    columns.condition[id] = operands.condition;
    columns.immediateOperand[id] = operands.immediateOperand;
    columns.immediate[id] = operands.immediate;
    columns.displacementShift[id] = form.displacementShift;
    columns.broadcastShift[id] = form.broadcastBits === 0 ? -1 : form.broadcastBits === 32 ? 2 : 3;
    // The form with the same key that EVEX encodes, for a form of VEX; -1 for none.
    columns.twin[id] = form.kind === "VEX" ? (evexByKey.get(form.key) ?? -1) : -1;
  }
  return columns;
}

/** The forms as columns. */
export const COLUMNS: Readonly<Record<Column, Int32Array>> = makeColumns();

function formsByKey(): ReadonlyMap<string, number> {
  const byKey = new Map<string, number>();
  // The first of equal keys counts: VEX before its twin.
  for (const form of FORMS) if (!byKey.has(form.key)) byKey.set(form.key, form.id);
  return byKey;
}

const BY_KEY: ReadonlyMap<string, number> = formsByKey();

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
