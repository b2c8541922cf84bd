// SPDX-License-Identifier: Apache-2.0
// Parameters of Vulkan's calls from frames, and answers into frames, by the generated tables (native/vulkan/marshal.c
// is the other side).
import type { VkHandle } from "@muxkit/vulkan";

import { WIRE_STRUCTS, type WireField, type WireStruct } from "./generated/vulkan-tables.ts";
import { ProtocolError, type WireReader, WireWriter } from "./wire.ts";

/** What stands in place of a list or structure that is not there, and ends a chain. */
export const ABSENT = 0xffff_ffff;
/** In a size: all of it. In a time: for ever. */
const ALL = 2n ** 64n - 1n;
const STRUCT_BY_TYPE = new Map(WIRE_STRUCTS.filter(({ sType }) => sType >= 0).map((row) => [row.sType, row]));
const DESCRIPTOR_IMAGE = "VkDescriptorImageInfo";
const cell = new DataView(new ArrayBuffer(4));

/** Objects by their numbers. */
export interface Numbers {
  /** The object of a number; null: 0, or none where `isLoose`. */
  readonly find: (number: number, isLoose: boolean) => VkHandle | null;
  /** The number of an object, a new one where it has none. */
  readonly numberOf: (object: VkHandle) => number;
}

/** A structure as TypeScript has it. */
export type Plain = Readonly<Record<string, unknown>>;

function structAt(index: number): WireStruct {
  const row = WIRE_STRUCTS[index];
  if (row === undefined) throw new ProtocolError(`there is no structure ${index}`);
  return row;
}

function word(reader: WireReader, format: string): unknown {
  if (format === "signed") return reader.i32();
  const bits = reader.u32();
  if (format === "bool") return bits !== 0;
  if (format !== "float") return bits;
  cell.setUint32(0, bits);
  return cell.getFloat32(0);
}

/** A number of 64 bits in the form that the package takes. */
function long(reader: WireReader, format: string): unknown {
  const low = BigInt(reader.u32());
  const number = (BigInt(reader.u32()) << 32n) | low;
  if (format === "bigint") return number;
  if (number === ALL) return format === "timeout" ? Infinity : 2 ** 64;
  return Number(number);
}

function value(reader: WireReader, field: WireField, numbers: Numbers, isLoose: boolean): unknown {
  const [, kind, , type, format] = field;
  switch (kind) {
    case "U32":
      return word(reader, format);
    case "U64":
      return format === "object" ? numbers.find(Number(long(reader, "number")), isLoose) : long(reader, format);
    case "HANDLE":
    case "OBJECT":
      return numbers.find(reader.u32(), isLoose);
    case "STRUCT":
      return readStruct(reader, structAt(type), numbers);
    case "TEXT":
    case "BYTES": {
      if (reader.peek(0) === ABSENT) {
        reader.u32();
        return undefined;
      }
      // The frame's bytes are valid until the handler returns only, and shaders want words.
      return kind === "TEXT" ? reader.text() : reader.bytes().slice();
    }
    default:
      throw new ProtocolError(`nobody passes ${kind}`);
  }
}

/** The value of one parameter or member. */
export function readField(reader: WireReader, field: WireField, numbers: Numbers, isLoose = false): unknown {
  const [, kind, form] = field;
  if (form === "VALUE" || kind === "BYTES") return value(reader, field, numbers, isLoose);
  const count = reader.u32();
  if (count === ABSENT) return undefined;
  if (form === "POINTER") return value(reader, field, numbers, isLoose);
  const list: unknown[] = [];
  for (let i = 0; i < count; i++) {
    const one = value(reader, field, numbers, isLoose);
    // Lists of what is freed may have null handles among them.
    if (one !== null) list.push(one);
  }
  return list;
}

function readMembers(reader: WireReader, row: WireStruct, numbers: Numbers): Record<string, unknown> {
  const isLoose = row.name === DESCRIPTOR_IMAGE;
  const made: Record<string, unknown> = {};
  for (const field of row.fields) {
    const read = readField(reader, field, numbers, isLoose);
    if (read !== undefined) made[field[0]] = read;
  }
  return made;
}

function readStruct(reader: WireReader, row: WireStruct, numbers: Numbers): Plain {
  const made = readMembers(reader, row, numbers);
  if (row.sType < 0) return made;
  let last = made;
  for (let type = reader.u32(); type !== ABSENT; type = reader.u32()) {
    const chained = STRUCT_BY_TYPE.get(type);
    if (chained === undefined) throw new ProtocolError(`there is no structure of type ${type}`);
    const next: Record<string, unknown> = { sType: type, ...readMembers(reader, chained, numbers) };
    last["pNext"] = next;
    last = next;
  }
  return made;
}

/** The types at the end of a request for structures in a chain. */
export function readChain(reader: WireReader): readonly number[] {
  const types: number[] = [];
  for (let type = reader.u32(); type !== ABSENT; type = reader.u32()) types.push(type);
  return types;
}

function writeWord(writer: WireWriter, format: string, given: unknown): void {
  if (format === "float") {
    cell.setFloat32(0, Number(given));
    writer.u32(cell.getUint32(0));
  } else writer.u32(Number(given));
}

function writeValue(writer: WireWriter, [name, kind, , type, format]: WireField, given: unknown): void {
  if (kind === "U32") writeWord(writer, format, given);
  else if (kind === "U64")
    writer.u64(typeof given === "bigint" ? given : given === 2 ** 64 ? ALL : BigInt(given as number));
  else if (kind === "STRUCT") writeStruct(writer, type, given as Plain);
  else if (kind === "CHARS") writer.text(String(given));
  else if (kind === "UUID") writer.bytes(given as Uint8Array);
  else throw new Error(`nobody answers ${name}, which is ${kind}`);
}

function writeMembers(writer: WireWriter, { fields }: WireStruct, given: Plain): void {
  for (const field of fields) {
    const [name, , form] = field;
    const one = given[name] ?? 0;
    if (form === "ARRAY") {
      const list = one as readonly unknown[];
      writer.u32(list.length);
      for (const element of list) writeValue(writer, field, element);
    } else writeValue(writer, field, one);
  }
}

/** Writes a structure that a call returned, with its chain. */
export function writeStruct(writer: WireWriter, type: number, given: Plain): void {
  const row = structAt(type);
  writeMembers(writer, row, given);
  if (row.sType < 0) return;
  for (let next = given["pNext"] as Plain | null | undefined; next !== null && next !== undefined;) {
    const chained = STRUCT_BY_TYPE.get(Number(next["sType"]));
    if (chained === undefined) throw new Error(`a structure of type ${String(next["sType"])} is in a chain`);
    writeMembers(writer.u32(chained.sType), chained, next);
    next = next["pNext"] as Plain | null | undefined;
  }
  writer.u32(ABSENT);
}
