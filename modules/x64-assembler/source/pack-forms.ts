// SPDX-License-Identifier: Apache-2.0
/**
 * The forms of the instruction table as text that is quick to read: `source/generated/forms.ts`.
 *
 * To read the rows takes some 30 ms, which whoever loads the assembler would pay for. What the encoder and the decoder
 * need of a form is a few small numbers, most of which other forms have as well: its shape. So a form is the number of
 * a shape, an opcode, and how far behind it is the form with the same key that EVEX encodes; shapes are columns. All
 * are written as one or two digits to the base 91. Lists of operands, which many shapes share, are written once.
 * `source/forms.ts` reads it.
 */
import { InternalError } from "@muxkit/cargo";

import {
  BYTE_IN_REG,
  BYTE_IN_RM,
  COLUMN_ORDER,
  type ColumnName,
  HAS_MODRM,
  HAS_VECTOR_INDEX,
  IMMEDIATE,
  IS_GATHER,
  IS_LOCKED,
  KINDS,
  MASKINGS,
  MASKING_SHIFT,
  MAY_BE_MEMORY,
  MAY_BE_REGISTER,
  NO_OPERAND,
  READS_FLAGS,
  SIZES,
  VECTOR_IN_RM,
  WRITES_FLAGS,
} from "./form-columns.ts";
import { INSTRUCTION_ROWS } from "./instruction.table.ts";
import { formsOfRow } from "./parse-row.ts";
import type { Form, Operand, Place } from "./row.ts";

/** Every form of the table, read from its rows. */
export function formsOfRows(): readonly Form[] {
  const forms: Form[] = [];
  for (const row of INSTRUCTION_ROWS) forms.push(...formsOfRow(row, forms.length));
  return forms;
}

function flagsOf(form: Form, rm: Operand | undefined, reg: Operand | undefined): number {
  const isVector = rm?.register !== undefined && "xyz".includes(rm.register);
  return (
    (rm?.register === undefined ? 0 : MAY_BE_REGISTER) |
    (rm === undefined || rm.memoryBits === 0 ? 0 : MAY_BE_MEMORY) |
    (rm?.register === "g8" ? BYTE_IN_RM : 0) |
    (reg?.register === "g8" ? BYTE_IN_REG : 0) |
    (rm?.index === undefined ? 0 : HAS_VECTOR_INDEX) |
    (isVector ? VECTOR_IN_RM : 0) |
    (rm?.index !== undefined && rm.role === "r" ? IS_GATHER : 0) |
    (form.hasModrm ? HAS_MODRM : 0) |
    (form.isLocked ? IS_LOCKED : 0) |
    (form.readsFlags ? READS_FLAGS : 0) |
    (form.writesFlags ? WRITES_FLAGS : 0) |
    (MASKINGS.indexOf(form.masking) << MASKING_SHIFT)
  );
}

/** The columns of a form's shape but for the number of its list. */
function columnsOf(form: Form): Readonly<Record<Exclude<ColumnName, "list">, number>> {
  const shown = form.operands.filter((operand) => !operand.implied);
  const numberAt = (place: Place): number => {
    const index = shown.findIndex((operand) => operand.place === place);
    return index === -1 ? NO_OPERAND : index;
  };
  const [reg, inOpcode, rm, immediate] = [numberAt("reg"), numberAt("opcode"), numberAt("rm"), numberAt("immediate")];
  const kind = shown[immediate]?.immediate;
  return {
    kind: KINDS.indexOf(form.kind),
    prefix: form.prefix,
    map: form.map,
    suffix: form.suffix,
    w: form.w,
    length: form.length,
    digit: form.digit,
    flags: flagsOf(form, shown[rm], shown[Math.min(reg, inOpcode)]),
    reg: Math.min(reg, inOpcode),
    isInOpcode: Number(inOpcode !== NO_OPERAND),
    rm,
    vvvv: numberAt("vvvv"),
    is4: numberAt("is4"),
    condition: numberAt("condition"),
    immediateOperand: immediate,
    immediate: kind === undefined ? IMMEDIATE.none : IMMEDIATE[kind as keyof typeof IMMEDIATE],
    displacementShift: form.displacementShift,
    broadcastShift: form.broadcastBits === 0 ? -1 : form.broadcastBits === 32 ? 2 : 3,
    size: SIZES.indexOf(form.size),
    needs: form.needs,
  };
}

/** Numbers things by their text, in the order in which they come. */
class Numbering {
  readonly list: string[] = [];
  private readonly known = new Map<string, number>();

  numberOf(text: string): number {
    let number = this.known.get(text);
    if (number === undefined) {
      number = this.list.push(text) - 1;
      this.known.set(text, number);
    }
    return number;
  }
}

/** A digit to the base 91: the characters from # to ~ but the backslash. */
function digit(value: number): string {
  if (value < 0 || value > 90) throw new InternalError(`${value} is no digit`);
  return String.fromCodePoint(value + 35 + (value > 56 ? 1 : 0));
}

function digitsOf(value: number, digits: 1 | 2): string {
  return digits === 1 ? digit(value) : digit(Math.floor(value / 91)) + digit(value % 91);
}

function operandText({ role, register, memoryBits, index, immediate, fixed, implied, place }: Operand): string {
  return [role, register, memoryBits, index, immediate, fixed, Number(implied), place]
    .map((field) => String(field ?? ""))
    .join(",");
}

/** The text of `source/generated/forms.ts`. */
export function packedForms(forms: readonly Form[]): string {
  const operands = new Numbering();
  const lists = new Numbering();
  const listKeys: string[] = [];
  const numbers = { flags: new Numbering(), needs: new Numbering() };
  const shapes = new Numbering();
  const evexByKey = new Map(forms.flatMap((form) => (form.kind === "EVEX" ? [[form.key, form.id] as const] : [])));
  const runs: { name: string; length: number }[] = [];
  const own = { shapes: "", opcodes: "", twins: "" };
  for (const form of forms) {
    const list = lists.numberOf(form.operands.map((operand) => operands.numberOf(operandText(operand))).join(","));
    listKeys[list] = form.key.slice(form.name.length);
    const columns = { ...columnsOf(form), list };
    const shape = COLUMN_ORDER.map(({ name, digits, least, isNumbered }) =>
      isNumbered
        ? digitsOf(numbers[name as "flags" | "needs"].numberOf(String(columns[name])), digits)
        : digitsOf(columns[name] - least, digits),
    );
    own.shapes += digitsOf(shapes.numberOf(shape.join(" ")), 2);
    own.opcodes += digitsOf(form.opcode, 2);
    const twin = form.kind === "VEX" ? evexByKey.get(form.key) : undefined;
    own.twins += digit(twin === undefined ? 0 : twin - form.id);
    const last = runs.at(-1);
    if (last?.name === form.name) last.length++;
    else runs.push({ name: form.name, length: 1 });
  }
  const columns = COLUMN_ORDER.map((_, column) => shapes.list.map((text) => text.split(" ")[column]).join(""));
  const texts: Readonly<Record<string, string>> = {
    NAMES: runs.map(({ name }) => name).join("|"),
    NAME_RUNS: runs.map(({ length }) => digit(length)).join(""),
    OPERANDS: operands.list.join("|"),
    LISTS: lists.list.join("|"),
    LIST_KEYS: listKeys.join("|"),
    FLAGS: numbers.flags.list.join("|"),
    NEEDS: numbers.needs.list.join("|"),
    FORMS: own.shapes + own.opcodes + own.twins,
    SHAPES: columns.join(""),
  };
  return [
    "// Generated by tools/generate.ts from the tables of instructions. Do not edit.\n",
    `/** How many forms there are. */\nexport const FORM_COUNT = ${forms.length};\n`,
    `/** How many shapes there are. */\nexport const SHAPE_COUNT = ${shapes.list.length};\n`,
    ...Object.entries(texts).map(
      ([name, text]) => `/** See source/pack-forms.ts. */\nexport const ${name} = ${JSON.stringify(text)};\n`,
    ),
  ].join("\n");
}
