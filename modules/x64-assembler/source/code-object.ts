// SPDX-License-Identifier: Apache-2.0
/**
 * Code objects: kernels as machine code in a shared object of ELF, which the runtime loads by `readCodeObject`, C
 * programs and the dynamic linker as any other, and debuggers read. Source of the layout: System V ABI, chapters 4
 * and 5, and its supplement for x86-64.
 *
 * One segment is executable: headers and tables, the code from a multiple of 64 on, the constants right behind it. The
 * pages of the file are not filled up; the dynamic table is in the file behind the constants, and one page further in
 * memory. `.dynsym` has the entries, `.symtab` all functions, so that profilers name what callees cost.
 */
import { ByteWriter, alignUp, assert } from "@muxkit/cargo";

import {
  BINDING,
  DYNAMIC_TAG,
  FLAG,
  HEADER_BYTES,
  IDENTITY,
  IS_FUNCTION,
  MACHINE_X64,
  PAGE_BYTES,
  PROGRAM_HEADER_BYTES,
  RIGHT,
  SECTION,
  SECTION_HEADER_BYTES,
  SEGMENT,
  SYMBOL_BYTES,
  TYPE_SHARED,
  hashTable,
  stringTable,
  word,
  written,
} from "./elf-tables.ts";
import type { ObjectSymbol } from "./shared-object.ts";

/** Machine code of kernels, which may be put anywhere. @public */
export interface CodeObject {
  /** Code, then constants; to be placed at a multiple of {@link CODE_ALIGNMENT}. */
  readonly bytes: Uint8Array;
  /** Where the code ends and the constants begin. */
  readonly codeBytes: number;
  /** Offsets of the functions that may be called from outside. */
  readonly entries: ReadonlyMap<string, number>;
  /** All functions in ascending order, the entries among them; the first is at 0. */
  readonly functions: readonly ObjectSymbol[];
}

/** What code must be placed at a multiple of: vectors of constants are loaded aligned. @public */
export const CODE_ALIGNMENT = 64;

const SEGMENTS = 4;
/** The number of the section with the code in files that `writeCodeObject` makes. */
const CODE_SECTION = 4;

interface SectionRow {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly bytes: Uint8Array;
  readonly alignment: number;
  /** Number of the section that it refers to; how many symbols are local; bytes of an entry. */
  readonly link?: number;
  readonly info?: number;
  readonly entryBytes?: number;
}

interface SymbolRow {
  readonly name: string;
  readonly binding: number;
  readonly offset: number;
  readonly size: number;
}

function symbolTable(symbols: readonly SymbolRow[], places: readonly number[], codeAt: number): Uint8Array {
  return written((writer) => {
    writer.raw(new Uint8Array(SYMBOL_BYTES));
    symbols.forEach(({ binding, offset, size }, n) => {
      writer.u32(places[n] as number);
      writer.u8(binding | IS_FUNCTION);
      writer.u8(0);
      writer.u16(CODE_SECTION);
      word(writer, codeAt + offset);
      word(writer, size);
    });
  });
}

/** All symbols: those inside first, as ELF wants, then the entries. */
function symbolsOf({ codeBytes, entries, functions }: CodeObject): readonly SymbolRow[] {
  const sizes = new Map(
    functions.map(({ offset }, n) => [offset, (functions[n + 1]?.offset ?? codeBytes) - offset] as const),
  );
  const inside = functions.filter(({ name, offset }) => entries.get(name) !== offset);
  const row = (name: string, offset: number, binding: number): SymbolRow => {
    const size = sizes.get(offset);
    assert(size !== undefined && size > 0, () => `the symbol ${name} is at ${offset}, where no function is`);
    return { name, binding, offset, size };
  };
  return [
    ...inside.map(({ name, offset }) => row(name, offset, BINDING.local)),
    ...[...entries].map(([name, offset]) => row(name, offset, BINDING.global)),
  ];
}

/** The file of a code object: the same bytes for the same code. @public */
export function writeCodeObject(object: CodeObject): Uint8Array {
  const { bytes, codeBytes, functions } = object;
  assert(codeBytes > 0 && codeBytes <= bytes.length, "a code object has code, and no more than its bytes");
  assert(functions[0]?.offset === 0, "the first function of a code object is where its code begins");
  const symbols = symbolsOf(object);
  const entries = symbols.filter(({ binding }) => binding === BINDING.global);
  const entryNames = entries.map(({ name }) => name);
  const dynamicStrings = stringTable(entryNames);
  const strings = stringTable(symbols.map(({ name }) => name));
  const hash = hashTable(entryNames);

  const hashAt = HEADER_BYTES + SEGMENTS * PROGRAM_HEADER_BYTES;
  const symbolsAt = alignUp(hashAt + hash.length, 8);
  const stringsAt = symbolsAt + SYMBOL_BYTES * (entries.length + 1);
  const codeAt = alignUp(stringsAt + dynamicStrings.bytes.length, CODE_ALIGNMENT);
  const imageEnd = codeAt + bytes.length;
  const dynamicAt = alignUp(imageEnd, 8);
  const dynamic = written((writer) => {
    for (const [tag, value] of [
      [DYNAMIC_TAG.hash, hashAt],
      [DYNAMIC_TAG.strings, stringsAt],
      [DYNAMIC_TAG.stringsSize, dynamicStrings.bytes.length],
      [DYNAMIC_TAG.symbols, symbolsAt],
      [DYNAMIC_TAG.symbolEntry, SYMBOL_BYTES],
      [DYNAMIC_TAG.end, 0],
    ] as const) {
      word(writer, tag);
      word(writer, value);
    }
  });
  const dynamicEnd = dynamicAt + dynamic.length;

  const { load, execute, write: writable } = FLAG;
  const symbolRow = { link: 0, info: 1, entryBytes: SYMBOL_BYTES, alignment: 8 };
  const sections: SectionRow[] = [
    { name: ".hash", type: SECTION.hash, flags: load, bytes: hash, alignment: 8, link: 2, entryBytes: 4 },
    {
      ...symbolRow,
      name: ".dynsym",
      type: SECTION.dynamicSymbols,
      flags: load,
      bytes: symbolTable(entries, dynamicStrings.places, codeAt),
      link: 3,
    },
    { name: ".dynstr", type: SECTION.strings, flags: load, bytes: dynamicStrings.bytes, alignment: 1 },
    {
      name: ".text",
      type: SECTION.data,
      flags: load | execute,
      bytes: bytes.subarray(0, codeBytes),
      alignment: CODE_ALIGNMENT,
    },
    { name: ".rodata", type: SECTION.data, flags: load, bytes: bytes.subarray(codeBytes), alignment: 1 },
    {
      name: ".dynamic",
      type: SECTION.dynamic,
      flags: load | writable,
      bytes: dynamic,
      alignment: 8,
      link: 3,
      entryBytes: 16,
    },
    {
      ...symbolRow,
      name: ".symtab",
      type: SECTION.symbols,
      flags: 0,
      bytes: symbolTable(symbols, strings.places, codeAt),
      link: 8,
      info: 1 + symbols.length - entries.length,
    },
    { name: ".strtab", type: SECTION.strings, flags: 0, bytes: strings.bytes, alignment: 1 },
  ];
  const sectionNames = stringTable([...sections.map(({ name }) => name), ".shstrtab"]);
  sections.push({ name: ".shstrtab", type: SECTION.strings, flags: 0, bytes: sectionNames.bytes, alignment: 1 });

  const body = new ByteWriter(2 * bytes.length + PAGE_BYTES);
  body.raw(new Uint8Array(hashAt));
  const offsets = sections.map((section) => {
    body.align(section.alignment);
    const offset = body.length;
    body.raw(section.bytes);
    return offset;
  });
  assert(offsets[CODE_SECTION - 1] === codeAt, "the code of a code object is where its symbols say");
  body.align(8);
  const sectionsAt = body.length;
  writeSectionHeaders(body, sections, offsets, sectionNames.places);

  const head = new ByteWriter(hashAt);
  writeHeader(head, sectionsAt, sections.length + 1);
  const { read } = RIGHT;
  for (const { type, rights, from, to, shift, alignment } of [
    { type: SEGMENT.load, rights: read | RIGHT.execute, from: 0, to: imageEnd, shift: 0, alignment: PAGE_BYTES },
    {
      type: SEGMENT.load,
      rights: read | RIGHT.write,
      from: dynamicAt,
      to: dynamicEnd,
      shift: PAGE_BYTES,
      alignment: PAGE_BYTES,
    },
    {
      type: SEGMENT.dynamic,
      rights: read | RIGHT.write,
      from: dynamicAt,
      to: dynamicEnd,
      shift: PAGE_BYTES,
      alignment: 8,
    },
    { type: SEGMENT.stack, rights: read | RIGHT.write, from: 0, to: 0, shift: 0, alignment: 16 },
  ]) {
    head.u32(type);
    head.u32(rights);
    for (const value of [from, from + shift, from + shift, to - from, to - from, alignment]) word(head, value);
  }
  const file = body.finish();
  file.set(head.written());
  return file;
}

function writeHeader(writer: ByteWriter, sectionsAt: number, sectionCount: number): void {
  for (const byte of IDENTITY) writer.u8(byte);
  writer.align(16);
  writer.u16(TYPE_SHARED);
  writer.u16(MACHINE_X64);
  writer.u32(1);
  for (const value of [0, HEADER_BYTES, sectionsAt]) word(writer, value);
  writer.u32(0);
  for (const value of [HEADER_BYTES, PROGRAM_HEADER_BYTES, SEGMENTS]) writer.u16(value);
  for (const value of [SECTION_HEADER_BYTES, sectionCount, sectionCount - 1]) writer.u16(value);
}

function writeSectionHeaders(
  writer: ByteWriter,
  sections: readonly SectionRow[],
  offsets: readonly number[],
  names: readonly number[],
): void {
  writer.raw(new Uint8Array(SECTION_HEADER_BYTES));
  sections.forEach(({ type, flags, bytes, alignment, link, info, entryBytes }, n) => {
    const offset = offsets[n] as number;
    const shift = (flags & FLAG.write) === 0 ? 0 : PAGE_BYTES;
    writer.u32(names[n] as number);
    writer.u32(type);
    word(writer, flags);
    word(writer, (flags & FLAG.load) === 0 ? 0 : offset + shift);
    word(writer, offset);
    word(writer, bytes.length);
    writer.u32(link ?? 0);
    writer.u32(info ?? 0);
    word(writer, alignment);
    word(writer, entryBytes ?? 0);
  });
}
