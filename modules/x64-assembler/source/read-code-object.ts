// SPDX-License-Identifier: Apache-2.0
/**
 * Reads code objects, from whoever wrote them: every number is checked before it is used, and what is wrong is one
 * sentence. It reads sections and symbols; whether the code may run is `verifyCode`'s to say.
 */
import { type Result, err, ok } from "@muxkit/cargo";

import type { CodeObject } from "./code-object.ts";
import {
  BINDING,
  HEADER_BYTES,
  IDENTITY,
  IS_FUNCTION,
  MACHINE_X64,
  SECTION,
  SECTION_HEADER_BYTES,
  SYMBOL_BYTES,
  TYPE_SHARED,
} from "./elf-tables.ts";
import type { ObjectSymbol } from "./shared-object.ts";

/** Names have fewer bytes: so that reading them is linear even where symbols share one. */
const MOST_NAME_BYTES = 4096;
/** Tables of a file have fewer sections. */
const MOST_SECTIONS = 64;

/** Thrown by the reader and caught by `readCodeObject`. */
class DamagedError extends Error {}

function damaged(reason: string): never {
  throw new DamagedError(`The code object is damaged: ${reason}.`);
}

interface Section {
  readonly name: string;
  readonly type: number;
  readonly address: number;
  readonly from: number;
  readonly size: number;
  readonly link: number;
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get length(): number {
    return this.#bytes.length;
  }

  u8(offset: number): number {
    return this.#view.getUint8(offset);
  }

  u16(offset: number): number {
    return this.#view.getUint16(offset, true);
  }

  u32(offset: number): number {
    return this.#view.getUint32(offset, true);
  }

  /** A number of 64 bits; what is beyond 2^53 is no place of any file, and stays so. */
  word(offset: number): number {
    return this.u32(offset) + this.u32(offset + 4) * 2 ** 32;
  }

  slice(from: number, size: number): Uint8Array {
    return this.#bytes.slice(from, from + size);
  }

  /** The name at an offset of a table of names. */
  name(table: Section, offset: number): string {
    const from = table.from + offset;
    const end = Math.min(table.from + table.size, from + MOST_NAME_BYTES);
    let to = from;
    while (to < end && this.u8(to) !== 0) to++;
    if (offset >= table.size || to === end) damaged(`a name at ${offset} does not end in its table`);
    return new TextDecoder().decode(this.#bytes.subarray(from, to));
  }
}

function checkHeader(reader: Reader): void {
  if (reader.length < HEADER_BYTES) damaged(`it has ${reader.length} bytes, fewer than the header of a file`);
  if (IDENTITY.some((byte, n) => reader.u8(n) !== byte)) damaged("it is no file of ELF with 64 bits, little-endian");
  const [type, machine] = [reader.u16(16), reader.u16(18)];
  if (type !== TYPE_SHARED || machine !== MACHINE_X64) {
    damaged(`it is a file of kind ${type} for processor ${machine}, not a shared object for x86-64`);
  }
}

function readSections(reader: Reader): readonly Section[] {
  const table = reader.word(40);
  const [size, count, namesAt] = [reader.u16(58), reader.u16(60), reader.u16(62)];
  if (size !== SECTION_HEADER_BYTES || count === 0 || count > MOST_SECTIONS) {
    damaged(`it has ${count} sections with headers of ${size} bytes`);
  }
  if (table + count * size > reader.length) damaged("its table of sections is beyond its end");
  const sections = Array.from({ length: count }, (_, n) => {
    const header = table + n * size;
    const section = {
      nameAt: reader.u32(header),
      name: "",
      type: reader.u32(header + 4),
      address: reader.word(header + 16),
      from: reader.word(header + 24),
      size: reader.word(header + 32),
      link: reader.u32(header + 40),
    };
    if (section.type !== SECTION.none && section.from + section.size > reader.length) {
      damaged(`section ${n} is beyond its end`);
    }
    return section;
  });
  const names = sections[namesAt];
  if (names?.type !== SECTION.strings) damaged("its sections have no names");
  return sections.map((section) =>
    section.type === SECTION.none ? section : { ...section, name: reader.name(names, section.nameAt) },
  );
}

/** The functions of `.symtab`: the entries by name, and all by offset. */
function readSymbols(reader: Reader, sections: readonly Section[], code: Section) {
  const table = sections.find(({ type, name }) => type === SECTION.symbols && name === ".symtab");
  if (table === undefined) return damaged("it has no table of symbols");
  const names = sections[table.link];
  if (names?.type !== SECTION.strings) return damaged("its symbols have no names");
  const entries = new Map<string, number>();
  const functions: ObjectSymbol[] = [];
  for (let at = table.from; at + SYMBOL_BYTES <= table.from + table.size; at += SYMBOL_BYTES) {
    const info = reader.u8(at + 4);
    if ((info & 0xf) !== IS_FUNCTION) continue;
    const name = reader.name(names, reader.u32(at));
    const offset = reader.word(at + 8) - code.address;
    if (sections[reader.u16(at + 6)] !== code || !(offset >= 0 && offset < code.size)) {
      damaged(`the function ${name} is not in its code`);
    }
    functions.push({ name, offset });
    if ((info & 0xf0) !== BINDING.global) continue;
    if (name === "" || entries.has(name)) damaged(`it has two functions ${name}, or one without a name`);
    entries.set(name, offset);
  }
  // One name for each place: entries that share their code are still in the map.
  functions.sort((a, b) => a.offset - b.offset);
  const distinct = functions.filter(({ offset }, n) => offset !== functions[n - 1]?.offset);
  if (distinct[0]?.offset !== 0) damaged("no function is where its code begins");
  return { entries, functions: distinct };
}

/** What a code object holds, or one sentence: why its bytes are none. Never throws on any bytes. @public */
export function readCodeObject(file: Uint8Array): Result<CodeObject, string> {
  try {
    const reader = new Reader(file);
    checkHeader(reader);
    const sections = readSections(reader);
    const code = sections.find(({ name, type }) => name === ".text" && type === SECTION.data);
    const constants = sections.find(({ name, type }) => name === ".rodata" && type === SECTION.data);
    if (code === undefined || constants === undefined) return damaged("it has no code, or no place for constants");
    if (code.size === 0) damaged("its code is empty");
    if (constants.from !== code.from + code.size || constants.address !== code.address + code.size) {
      damaged("its constants are not behind its code");
    }
    const { entries, functions } = readSymbols(reader, sections, code);
    return ok({
      bytes: reader.slice(code.from, code.size + constants.size),
      codeBytes: code.size,
      entries,
      functions,
    });
  } catch (error) {
    if (error instanceof DamagedError) return err(error.message);
    throw error;
  }
}
