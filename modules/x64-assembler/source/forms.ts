// SPDX-License-Identifier: Apache-2.0
/**
 * All forms of the instruction table: columns of numbers for the encoder and the decoder, objects for those who ask.
 *
 * The table itself is not read here, but what `source/pack-forms.ts` has written from it: shapes and forms as digits,
 * which are read at start, and lists of operands, which are read when a form is asked for. Cost: some 35,000 digits and
 * 800 names at start.
 */
import { InternalError, at } from "@muxkit/cargo";

import {
  COLUMN_ORDER,
  type ColumnName,
  EVEX,
  HAS_MODRM,
  IS_LOCKED,
  KINDS,
  MASKINGS,
  MASKING_SHIFT,
  READS_FLAGS,
  SIZES,
  WRITES_FLAGS,
} from "./form-columns.ts";
import * as packed from "./generated/forms.ts";
import type { Form, Operand, Place, RegisterClass } from "./row.ts";

/** How many forms there are; their numbers begin at 0. @public */
export const FORM_COUNT: number = packed.FORM_COUNT;
const { SHAPE_COUNT } = packed;

const FIRST_DIGIT = 35;
const BACKSLASH = 92;
const BASE = 91;

/** Digits to the base 91: the characters from # to ~ but the backslash. */
function readDigits(text: string): Uint8Array {
  const digits = new TextEncoder().encode(text);
  for (let i = 0; i < digits.length; i++) {
    const code = digits[i] as number;
    digits[i] = code - FIRST_DIGIT - (code > BACKSLASH ? 1 : 0);
  }
  return digits;
}

/** Numbers of some digits each, from a place on. */
function readNumbers(digits: Uint8Array, first: number, count: number, width: 1 | 2, least: number): Int32Array {
  const values = new Int32Array(count);
  if (width === 2)
    for (let i = 0; i < count; i++)
      values[i] = (digits[first + 2 * i] as number) * BASE + (digits[first + 2 * i + 1] as number) + least;
  else {
    values.set(digits.subarray(first, first + count));
    if (least !== 0) for (let i = 0; i < count; i++) values[i] = (values[i] as number) + least;
  }
  return values;
}

const FORM_DIGITS = readDigits(packed.FORMS);
/** The shape of each form. */
export const SHAPE_OF: Int32Array = readNumbers(FORM_DIGITS, 0, FORM_COUNT, 2, 0);
/** The opcode of each form. */
export const OPCODE_OF: Int32Array = readNumbers(FORM_DIGITS, 2 * FORM_COUNT, FORM_COUNT, 2, 0);
/** How far behind each form of VEX is the form with the same key that EVEX encodes; 0 for none. */
export const TWIN_DISTANCE: Int32Array = readNumbers(FORM_DIGITS, 4 * FORM_COUNT, FORM_COUNT, 1, 0);

const NUMBERED: Readonly<Partial<Record<ColumnName, string>>> = { flags: packed.FLAGS, needs: packed.NEEDS };

function readColumns(): Readonly<Record<ColumnName, Int32Array>> {
  const digits = readDigits(packed.SHAPES);
  const columns: Partial<Record<ColumnName, Int32Array>> = {};
  let first = 0;
  for (const { name, digits: width, least, isNumbered } of COLUMN_ORDER) {
    const column = readNumbers(digits, first, SHAPE_COUNT, width, least);
    if (isNumbered) {
      const list = Int32Array.from((NUMBERED[name] ?? "").split("|"), Number);
      for (let shape = 0; shape < SHAPE_COUNT; shape++) column[shape] = list[column[shape] as number] as number;
    }
    columns[name] = column;
    first += width * SHAPE_COUNT;
  }
  return columns as Readonly<Record<ColumnName, Int32Array>>;
}

/** The shapes as columns. */
export const COLUMNS: Readonly<Record<ColumnName, Int32Array>> = readColumns();

const NAMES: readonly string[] = packed.NAMES.split("|");
const LIST_KEYS: readonly string[] = packed.LIST_KEYS.split("|");

/** Runs of forms with one name, in the order of `NAMES`: where they begin, and by their names. */
interface Runs {
  /** The first form of each run; one more for the end. */
  readonly start: Int32Array;
  /** The first run of a name. */
  readonly byName: ReadonlyMap<string, number>;
  /** The next run of the same name; -1 for none. */
  readonly next: Int32Array;
}

function readRuns(): Runs {
  const lengths = readDigits(packed.NAME_RUNS);
  const start = new Int32Array(lengths.length + 1);
  const next = new Int32Array(lengths.length);
  const byName = new Map<string, number>();
  for (let run = 0; run < lengths.length; run++) start[run + 1] = (start[run] as number) + (lengths[run] as number);
  for (let run = lengths.length - 1; run >= 0; run--) {
    const name = NAMES[run] as string;
    next[run] = byName.get(name) ?? -1;
    byName.set(name, run);
  }
  return { start, byName, next };
}

const RUNS: Runs = readRuns();

function nameOf(id: number): string {
  let low = 0;
  let high = NAMES.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((RUNS.start[middle] as number) <= id) low = middle;
    else high = middle;
  }
  return at(NAMES, low);
}

/** The first form of a name whose operands have a key; -1 for none. */
function findForm(name: string, operands: string): number {
  for (let run = RUNS.byName.get(name) ?? -1; run !== -1; run = RUNS.next[run] as number)
    for (let id = RUNS.start[run] as number; id < (RUNS.start[run + 1] as number); id++)
      if (LIST_KEYS[COLUMNS.list[SHAPE_OF[id] as number] as number] === operands) return id;
  return -1;
}

function parseOperand(text: string): Operand {
  const [role, register, bits, index, immediate, fixed, implied, place] = text.split(",");
  return {
    role: role as Operand["role"],
    register: register === "" ? undefined : (register as RegisterClass),
    memoryBits: Number(bits),
    index: index === "" ? undefined : (index as RegisterClass),
    immediate: immediate === "" ? undefined : immediate,
    fixed: fixed === "" ? undefined : Number(fixed),
    implied: implied === "1",
    place: place as Place,
  };
}

let lists: readonly string[] | undefined;
let operandTexts: readonly string[] = [];
const OPERAND_LISTS: (readonly Operand[] | undefined)[] = [];

/** The operands of a list by its number; forms with equal operands share it. */
function operandsOf(list: number): readonly Operand[] {
  let known = OPERAND_LISTS[list];
  if (known === undefined) {
    if (lists === undefined) {
      lists = packed.LISTS.split("|");
      operandTexts = packed.OPERANDS.split("|");
    }
    const text = at(lists, list);
    known = text === "" ? [] : text.split(",").map((number) => parseOperand(at(operandTexts, Number(number))));
    OPERAND_LISTS[list] = known;
  }
  return known;
}

const KNOWN: (Form | undefined)[] = [];

function readForm(id: number): Form {
  const column = (name: ColumnName): number => COLUMNS[name][SHAPE_OF[id] ?? -1] ?? 0;
  const flags = column("flags");
  const broadcastShift = column("broadcastShift");
  const name = nameOf(id);
  return {
    id,
    name,
    key: name + at(LIST_KEYS, column("list")),
    kind: at(KINDS, column("kind")),
    prefix: column("prefix"),
    map: column("map"),
    opcode: OPCODE_OF[id] ?? 0,
    suffix: column("suffix"),
    w: column("w"),
    length: column("length"),
    digit: column("digit"),
    hasModrm: (flags & HAS_MODRM) !== 0,
    isLocked: (flags & IS_LOCKED) !== 0,
    size: at(SIZES, column("size")),
    operands: operandsOf(column("list")),
    displacementShift: column("displacementShift"),
    broadcastBits: broadcastShift === -1 ? 0 : 8 << broadcastShift,
    masking: at(MASKINGS, (flags >> MASKING_SHIFT) & 3),
    needs: column("needs"),
    readsFlags: (flags & READS_FLAGS) !== 0,
    writesFlags: (flags & WRITES_FLAGS) !== 0,
  };
}

/** A form by its number, made when it is first asked for. A wrong number is a defect: an `InternalError`. @public */
export function formAt(id: number): Form {
  let known = KNOWN[id];
  if (known === undefined) {
    if (!(id >= 0 && id < FORM_COUNT)) throw new InternalError(`there is no form ${id}`);
    KNOWN[id] = known = readForm(id);
  }
  return known;
}

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
  let id = findForm(plain, "");
  // Some names have spaces.
  for (let end = plain.indexOf(" "); id === -1 && end !== -1; end = plain.indexOf(" ", end + 1))
    id = findForm(plain.slice(0, end), plain.slice(end));
  if (id === -1) throw new InternalError(`the instruction table has no form "${key}"`);
  if (!isEvex || COLUMNS.kind[SHAPE_OF[id] ?? -1] === EVEX) return id;
  const distance = TWIN_DISTANCE[id] ?? 0;
  if (distance === 0) throw new InternalError(`"${plain}" has no form that EVEX encodes`);
  return id + distance;
}

/** The form that EVEX has of what a form of VEX is; -1 for none. @public */
export function evexTwin(id: number): number {
  const distance = TWIN_DISTANCE[id] ?? 0;
  return distance === 0 ? -1 : id + distance;
}
