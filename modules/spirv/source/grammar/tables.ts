// SPDX-License-Identifier: Apache-2.0
// The grammar as rows. source/generated/tables.ts has them as text, one line a row, which is split once, when this
// module is loaded: 0.06 MB as text are smaller than any literal of objects. Fields of a line: name, number, kinds of
// operands as letters, capabilities, extensions, version from, version until.
import { InternalError } from "@muxkit/cargo";

import type { EnumerantNames, ExtendedNames, OpClass, OpName } from "../generated/names.ts";
import * as text from "../generated/tables.ts";
import { type Enumeration, KIND_ENUMERATION, KIND_RESULT, KIND_TYPE } from "./kinds.ts";

/** An operand of an instruction's row. @public */
export interface OperandRow {
  /** A number: one of the constants `KIND_…`, or the `kind` of an enumeration. */
  readonly kind: number;
  /** How often it may come: once; once or never; any number of times. */
  readonly quantifier: "" | "?" | "*";
}

/** What a module must declare or be to use something. @public */
export interface Availability {
  /** Capabilities, one of which is needed; none: no capability is. */
  readonly capabilities: readonly number[];
  /** Extensions that bring it. */
  readonly extensions: readonly string[];
  /** The first version that has it, as the header says it (0x00010300); Infinity: extensions and capabilities alone. */
  readonly since: number;
  /** The last version that has it. */
  readonly until: number;
}

/** An instruction. @public */
export interface OpRow extends Availability {
  /** Its name with `Op`. */
  readonly name: OpName;
  /** Its number. */
  readonly opcode: number;
  /** The heading of the specification that it is under. */
  readonly class: OpClass;
  /** What follows its first word. */
  readonly operands: readonly OperandRow[];
  /** True if the first operand is the type of a result. */
  readonly hasType: boolean;
  /** True if it defines an id. */
  readonly hasResult: boolean;
}

/** A value of an enumeration. @public */
export interface EnumerantRow extends Availability {
  /** Its name. */
  readonly name: string;
  /** Its number; for a mask one bit, or 0. */
  readonly value: number;
  /** What follows the value. */
  readonly operands: readonly OperandRow[];
}

/** An enumeration. @public */
export interface EnumerationRow {
  /** Its name. */
  readonly name: Enumeration;
  /** The kind of operand that it is. */
  readonly kind: number;
  /** True if values are combinations of bits. */
  readonly isMask: boolean;
  /** All names, also those that share a value. */
  readonly rows: readonly EnumerantRow[];
  /** By value; the first of several names. */
  readonly byValue: ReadonlyMap<number, EnumerantRow>;
  /** By name. */
  readonly byName: ReadonlyMap<string, EnumerantRow>;
}

/** An instruction of an extended set. @public */
export interface ExtendedRow extends Availability {
  /** Its name. */
  readonly name: string;
  /** Its number in the set. */
  readonly number: number;
  /** What follows the number. */
  readonly operands: readonly OperandRow[];
}

/** An extended set of instructions. @public */
export interface ExtendedSet {
  /** The name that OpExtInstImport gives. */
  readonly name: keyof ExtendedNames;
  /** By number. */
  readonly rows: ReadonlyMap<number, ExtendedRow>;
  /** By name. */
  readonly byName: ReadonlyMap<string, ExtendedRow>;
}

const EXTENSIONS = text.EXTENSIONS.split(" ").map((name) => `SPV_${name}`);
const NONE: readonly never[] = [];

/** Where the letters of kinds stand in the alphabet of tools/compact.ts. */
function kindOf(code: number): number {
  if (code >= 97) return code - 97;
  return code >= 65 ? code - 65 + 26 : code - 48 + 52;
}

const operandLists = new Map<string, readonly OperandRow[]>();

function operandsOf(letters: string): readonly OperandRow[] {
  if (letters === "-") return NONE;
  const known = operandLists.get(letters);
  if (known !== undefined) return known;
  const operands: OperandRow[] = [];
  for (const [, letter = "", sign = ""] of letters.matchAll(/(\w)([?*]?)/gu))
    operands.push({ kind: kindOf(letter.charCodeAt(0)), quantifier: sign === "?" ? "?" : sign === "*" ? "*" : "" });
  operandLists.set(letters, operands);
  return operands;
}

function version(field: string, absent: number): number {
  if (field === "-") return absent;
  return field === "r" ? Infinity : 0x10000 + Number(field) * 0x100;
}

interface Line extends Availability {
  readonly name: string;
  readonly value: number;
  readonly operands: readonly OperandRow[];
}

function readLine(line: string): Line {
  const [name = "", value = "", letters = "-", needs = "-", by = "-", from = "-", until = "-"] = line.split(" ");
  return {
    name,
    value: Number(value),
    operands: operandsOf(letters),
    capabilities: needs === "-" ? NONE : needs.split(",").map(Number),
    extensions: by === "-" ? NONE : by.split(",").map((index) => EXTENSIONS[Number(index)] ?? ""),
    since: version(from, 0x10000),
    until: version(until, Infinity),
  };
}

function* groupsOf(lines: string): Generator<{ readonly sign: string; readonly name: string; readonly lines: Line[] }> {
  let group: { sign: string; name: string; lines: Line[] } | null = null;
  for (const line of lines.split("\n")) {
    if (line[0] === "#" || line[0] === "|") {
      if (group !== null) yield group;
      group = { sign: line[0], name: line.slice(1), lines: [] };
    } else group?.lines.push(readLine(line));
  }
  if (group !== null) yield group;
}

/** Of several names of one thing the first, with what any of them may be brought by. */
function merged<R extends Availability>(first: R | undefined, other: R): R {
  if (first === undefined) return other;
  return {
    ...first,
    extensions: [...new Set([...first.extensions, ...other.extensions])],
    since: Math.min(first.since, other.since),
  };
}

const byOpcode: (OpRow | undefined)[] = [];
const byOpName = new Map<string, OpRow>();
for (const group of groupsOf(text.INSTRUCTIONS))
  for (const { name, value, ...line } of group.lines) {
    const [first, second] = line.operands;
    const hasType = first?.kind === KIND_TYPE;
    const row: OpRow = {
      ...line,
      name: `Op${name}` as OpName,
      opcode: value,
      class: group.name as OpClass,
      hasType,
      hasResult: (hasType ? second : first)?.kind === KIND_RESULT,
    };
    byOpcode[value] = merged(byOpcode[value], row);
    byOpName.set(row.name, row);
  }

const enumerations: EnumerationRow[] = [];
const enumerationByName = new Map<string, EnumerationRow>();
for (const group of groupsOf(text.ENUMERANTS)) {
  const byValue = new Map<number, EnumerantRow>();
  for (const row of group.lines) byValue.set(row.value, merged(byValue.get(row.value), row));
  const row: EnumerationRow = {
    name: group.name as Enumeration,
    kind: KIND_ENUMERATION + enumerations.length,
    isMask: group.sign === "|",
    rows: group.lines,
    byValue,
    byName: new Map(group.lines.map((one) => [one.name, one])),
  };
  enumerations.push(row);
  enumerationByName.set(row.name, row);
}

const sets = new Map<string, ExtendedSet>();
for (const group of groupsOf(text.EXTENDED)) {
  const rows = group.lines.map(({ value, ...line }): ExtendedRow => ({ ...line, number: value }));
  sets.set(group.name, {
    name: group.name as keyof ExtendedNames,
    rows: new Map(rows.map((row) => [row.number, row])),
    byName: new Map(rows.map((row) => [row.name, row])),
  });
}

/** Every instruction, in the order of classes; names that share an opcode each have a row. @public */
export const OP_ROWS: ReadonlyMap<string, OpRow> = byOpName;

/** The instruction of an opcode; undefined: the grammar has none. @public */
export function opRow(opcode: number): OpRow | undefined {
  return byOpcode[opcode];
}

/** The opcode of an instruction. @public */
export function opcodeOf(name: OpName): number {
  const row = byOpName.get(name);
  if (row === undefined) throw new InternalError(`SPIR-V has no instruction ${name}`);
  return row.opcode;
}

/** Every enumeration, by its kind less KIND_ENUMERATION. @public */
export const ENUMERATIONS: readonly EnumerationRow[] = enumerations;

/** The enumeration of a kind of operand; undefined: it is a plain kind. @public */
export function enumerationOfKind(kind: number): EnumerationRow | undefined {
  return enumerations[kind - KIND_ENUMERATION];
}

/** An enumeration. @public */
export function enumeration(name: Enumeration): EnumerationRow {
  const row = enumerationByName.get(name);
  if (row === undefined) throw new InternalError(`SPIR-V has no enumeration ${name}`);
  return row;
}

/** The value of an enumerant. @public */
export function enumerant<E extends Enumeration>(of: E, name: EnumerantNames[E]): number {
  const row = enumeration(of).byName.get(name);
  if (row === undefined) throw new InternalError(`SPIR-V has no ${of} ${name}`);
  return row.value;
}

/** The name of an enumeration's value, or its number. A mask has its names joined by `|`. @public */
export function enumerantName(of: Enumeration, value: number): string {
  const { isMask, byValue } = enumeration(of);
  if (!isMask || value === 0) return byValue.get(value)?.name ?? String(value);
  const names: string[] = [];
  let rest = value >>> 0;
  while (rest !== 0) {
    const bit = (rest & -rest) >>> 0;
    names.push(byValue.get(bit)?.name ?? String(bit));
    rest = (rest ^ bit) >>> 0;
  }
  return names.join("|");
}

/** Every extended set that the grammar has, by the name that OpExtInstImport gives. @public */
export const EXTENDED_SETS: ReadonlyMap<string, ExtendedSet> = sets;

/** Extensions that the grammar names. @public */
export const KNOWN_EXTENSIONS: readonly string[] = EXTENSIONS;

/** The number of an instruction of an extended set. @public */
export function extendedNumber<S extends keyof ExtendedNames>(of: S, name: ExtendedNames[S]): number {
  const row = sets.get(of)?.byName.get(name);
  if (row === undefined) throw new InternalError(`${of} has no instruction ${name}`);
  return row.number;
}
