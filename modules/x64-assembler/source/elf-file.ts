// SPDX-License-Identifier: Apache-2.0
/**
 * Files of ELF for x86-64 by their sections: relocatable objects for a linker, and shared objects for the dynamic
 * linker. Source of the layout: System V ABI, chapters 4 and 5, and its supplement for x86-64.
 *
 * Sections say what they refer to; for a relocatable object these references become relocations, for a shared object
 * they are filled in here, since all its sections are at a known distance. A shared object has one segment to read,
 * one to run and one for its dynamic table: code is never writable, constants are never executable.
 */
import { ByteWriter, alignUp, assert } from "@muxkit/cargo";

import {
  BINDING,
  DYNAMIC_TAG,
  FLAG,
  HEADER_BYTES,
  IDENTITY,
  IS_DATA,
  IS_FILE,
  IS_FUNCTION,
  IS_SECTION,
  MACHINE_X64,
  PAGE_BYTES,
  PROGRAM_HEADER_BYTES,
  RELOCATION_BYTES,
  RIGHT,
  SECTION,
  SECTION_HEADER_BYTES,
  SEGMENT,
  SYMBOL_BYTES,
  TYPE_RELOCATABLE,
  TYPE_SHARED,
  hashTable,
  stringTable,
  word,
  written,
} from "./elf-tables.ts";

/** A place in a section whose value is the address of another place. @public */
export interface ElfReference {
  /** Where it is in its section. */
  readonly offset: number;
  /** `relative`: 32 bits, from the place itself. `absolute`: 64 bits. `offset`: 32 bits, from address 0. */
  readonly kind: "relative" | "absolute" | "offset";
  /** The section that it refers to. */
  readonly section: string;
  /** What is added to the address of that section. */
  readonly addend: number;
}

/** A section. @public */
export interface ElfSection {
  /** Its name, with the point. */
  readonly name: string;
  /** `code` and `data` are loaded, `unwind` too; `note` is for tools alone. */
  readonly kind: "code" | "data" | "unwind" | "note";
  /** Its bytes; what references fill in does not matter. */
  readonly bytes: Uint8Array;
  /** A power of two. */
  readonly alignment: number;
  /** What it refers to. */
  readonly references: readonly ElfReference[];
}

/** A symbol of a section. @public */
export interface ElfSymbol {
  /** Its name. */
  readonly name: string;
  /** The section. */
  readonly section: string;
  /** Where it is in there. */
  readonly offset: number;
  /** Its bytes. */
  readonly size: number;
  /** Whether other files see it. */
  readonly isGlobal: boolean;
  /** Whether it is a function. */
  readonly isFunction: boolean;
}

/** What a file of ELF holds. @public */
export interface ElfContent {
  /** The source that it was made of, for tools. */
  readonly source: string;
  /** Sections, `.text` among them. */
  readonly sections: readonly ElfSection[];
  /** Symbols. */
  readonly symbols: readonly ElfSymbol[];
}

/** A section of the file, as its header says it. */
interface Row {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly bytes: Uint8Array;
  readonly alignment: number;
  readonly link: number;
  readonly info: number;
  readonly entryBytes: number;
}

const TYPES = { code: SECTION.data, data: SECTION.data, unwind: SECTION.unwind, note: SECTION.data } as const;
const FLAGS = { code: FLAG.load | FLAG.execute, data: FLAG.load, unwind: FLAG.load, note: 0 } as const;
const REFERENCES = {
  absolute: { type: 1, bytes: 8 },
  relative: { type: 2, bytes: 4 },
  offset: { type: 10, bytes: 4 },
} as const;

function row(name: string, type: number, flags: number, bytes: Uint8Array, more: Partial<Row> = {}): Row {
  return { name, type, flags, bytes, alignment: 1, link: 0, info: 0, entryBytes: 0, ...more };
}

function rowOf({ name, kind, bytes, alignment }: ElfSection): Row {
  return row(name, TYPES[kind], FLAGS[kind], bytes, { alignment });
}

function numberOf(rows: readonly { readonly name: string }[], name: string): number {
  const found = rows.findIndex((one) => one.name === name);
  assert(found !== -1, () => `a file of ELF refers to ${name}, which it does not have`);
  return found + 1;
}

interface SymbolLine {
  readonly name: number;
  readonly info: number;
  readonly section: number;
  readonly value: number;
  readonly size: number;
}

/** Values of symbols are counted from the addresses of their sections. */
function symbolTable(lines: readonly SymbolLine[]): Uint8Array {
  return written((writer) => {
    writer.raw(new Uint8Array(SYMBOL_BYTES));
    for (const { name, info, section, value, size } of lines) {
      writer.u32(name);
      writer.u8(info);
      writer.u8(0);
      writer.u16(section);
      word(writer, value);
      word(writer, size);
    }
  });
}

const NO_SECTION = 0xfff1;

/** The table of all symbols, its names, and how many symbols are seen in this file only. */
function allSymbols(
  { source, sections, symbols }: ElfContent,
  rows: readonly Row[],
  addressOf: (section: string) => number,
): { readonly table: Uint8Array; readonly strings: Uint8Array; readonly locals: number } {
  const own = [...symbols.filter(({ isGlobal }) => !isGlobal), ...symbols.filter(({ isGlobal }) => isGlobal)];
  const strings = stringTable([source === "" ? "?" : source, ...own.map(({ name }) => name)]);
  const ofSections = sections.map(({ name }) => ({
    name: 0,
    info: IS_SECTION,
    section: numberOf(rows, name),
    value: addressOf(name),
    size: 0,
  }));
  const named = own.map(({ isFunction, isGlobal, section, offset, size }, i) => ({
    name: strings.places[i + 1] ?? 0,
    info: (isGlobal ? BINDING.global : BINDING.local) | (isFunction ? IS_FUNCTION : IS_DATA),
    section: numberOf(rows, section),
    value: addressOf(section) + offset,
    size,
  }));
  const file = { name: strings.places[0] ?? 0, info: IS_FILE, section: NO_SECTION, value: 0, size: 0 };
  return {
    table: symbolTable([file, ...ofSections, ...named]),
    strings: strings.bytes,
    locals: 2 + sections.length + own.filter(({ isGlobal }) => !isGlobal).length,
  };
}

/** Sections one after the other with their headers behind them. `addresses`: where they are loaded; 0: they are not. */
function writeFile(
  rows: readonly Row[],
  type: number,
  head: Uint8Array,
  addresses: readonly number[],
  segments: number,
): Uint8Array {
  const names = stringTable([...rows.map(({ name }) => name), ".shstrtab"]);
  const all = [...rows, row(".shstrtab", SECTION.strings, 0, names.bytes)];
  const body = new ByteWriter();
  body.raw(new Uint8Array(HEADER_BYTES));
  body.raw(head);
  const offsets = all.map(({ bytes, alignment }, n) => {
    // What is loaded is in the file where it is in memory.
    const address = addresses[n] ?? 0;
    if (address !== 0) body.raw(new Uint8Array(address - body.length));
    else body.align(alignment);
    const offset = body.length;
    body.raw(bytes);
    return offset;
  });
  body.align(8);
  const sectionsAt = body.length;
  body.raw(new Uint8Array(SECTION_HEADER_BYTES));
  all.forEach((one, n) => {
    body.u32(names.places[n] ?? 0);
    body.u32(one.type);
    word(body, one.flags);
    word(body, addresses[n] ?? 0);
    word(body, offsets[n] ?? 0);
    word(body, one.bytes.length);
    body.u32(one.link);
    body.u32(one.info);
    word(body, one.alignment);
    word(body, one.entryBytes);
  });
  const file = body.finish();
  file.set(
    written((writer) => {
      for (const byte of IDENTITY) writer.u8(byte);
      writer.align(16);
      writer.u16(type);
      writer.u16(MACHINE_X64);
      writer.u32(1);
      for (const value of [0, segments === 0 ? 0 : HEADER_BYTES, sectionsAt]) word(writer, value);
      writer.u32(0);
      for (const value of [HEADER_BYTES, segments === 0 ? 0 : PROGRAM_HEADER_BYTES, segments]) writer.u16(value);
      for (const value of [SECTION_HEADER_BYTES, all.length + 1, all.length]) writer.u16(value);
    }),
  );
  return file;
}

/** A relocatable object: what `cc` links. The same bytes for the same content. @public */
export function writeRelocatable(content: ElfContent): Uint8Array {
  const { sections } = content;
  const rows = sections.map(rowOf);
  // Without it linkers make the stack of the program executable.
  rows.push(row(".note.GNU-stack", SECTION.data, 0, new Uint8Array(0)));
  const symbols = allSymbols(content, rows, () => 0);
  const symbolsAt = rows.length + sections.filter(({ references }) => references.length > 0).length + 1;
  for (const { name, references } of sections) {
    if (references.length === 0) continue;
    const bytes = written((writer) => {
      for (const { offset, kind, section, addend } of references) {
        word(writer, offset);
        writer.u32(REFERENCES[kind].type);
        // Symbols of sections follow that of the file.
        writer.u32(1 + numberOf(sections, section));
        writer.u32(addend >>> 0);
        writer.u32(addend < 0 ? 0xffff_ffff : 0);
      }
    });
    rows.push(
      row(`.rela${name}`, SECTION.relocations, FLAG.infoIsSection, bytes, {
        alignment: 8,
        link: symbolsAt,
        info: numberOf(rows, name),
        entryBytes: RELOCATION_BYTES,
      }),
    );
  }
  rows.push(
    row(".symtab", SECTION.symbols, 0, symbols.table, {
      alignment: 8,
      link: symbolsAt + 1,
      info: symbols.locals,
      entryBytes: SYMBOL_BYTES,
    }),
    row(".strtab", SECTION.strings, 0, symbols.strings),
  );
  return writeFile(rows, TYPE_RELOCATABLE, new Uint8Array(0), [], 0);
}

/** The bytes of a section with its references filled in. */
function resolved(
  { name, bytes, references }: ElfSection,
  addressOf: (section: string) => number,
  isLoaded: (section: string) => boolean,
): Uint8Array {
  const made = bytes.slice();
  const view = new DataView(made.buffer);
  for (const { offset, kind, section, addend } of references) {
    assert(kind === "relative" || !isLoaded(name), () => `${name} refers to ${section} by an address, not a distance`);
    const target = addressOf(section) + addend;
    if (kind === "absolute") view.setBigUint64(offset, BigInt(target), true);
    else view.setUint32(offset, (kind === "relative" ? target - (addressOf(name) + offset) : target) >>> 0, true);
  }
  return made;
}

interface Segment {
  readonly type: number;
  readonly rights: number;
  readonly from: number;
  readonly to: number;
  readonly alignment: number;
}

function segmentHeaders(segments: readonly Segment[]): Uint8Array {
  return written((writer) => {
    for (const { type, rights, from, to, alignment } of segments) {
      writer.u32(type);
      writer.u32(rights);
      for (const value of [from, from, from, to - from, to - from, alignment]) word(writer, value);
    }
  });
}

const SEGMENTS = 6;

/** A shared object with a name for the dynamic linker. The same bytes for the same content. @public */
export function writeShared(content: ElfContent, soname: string): Uint8Array {
  const { sections, symbols } = content;
  const offered = symbols.filter(({ isGlobal }) => isGlobal);
  const strings = stringTable([soname, ...offered.map(({ name }) => name)]);
  const loaded = sections.filter(({ kind }) => kind !== "note");
  const readable = loaded.filter(({ kind }) => kind !== "code");
  const code = loaded.filter(({ kind }) => kind === "code");

  const hash = hashTable(offered.map(({ name }) => name));
  const addresses = new Map<string, number>();
  let end = HEADER_BYTES + SEGMENTS * PROGRAM_HEADER_BYTES;
  const place = (name: string, bytes: number, alignment: number): void => {
    const at = alignUp(end, alignment);
    addresses.set(name, at);
    end = at + bytes;
  };
  place(".hash", hash.length, 8);
  place(".dynsym", SYMBOL_BYTES * (offered.length + 1), 8);
  place(".dynstr", strings.bytes.length, 1);
  for (const { name, bytes, alignment } of readable) place(name, bytes.length, alignment);
  const readEnd = end;
  end = alignUp(end, PAGE_BYTES);
  const codeAt = end;
  for (const { name, bytes, alignment } of code) place(name, bytes.length, alignment);
  const codeEnd = end;
  end = alignUp(end, PAGE_BYTES);
  const addressOf = (name: string): number => addresses.get(name) ?? 0;
  const dynamic = written((writer) => {
    for (const [tag, value] of [
      [DYNAMIC_TAG.name, strings.places[0] ?? 0],
      [DYNAMIC_TAG.hash, addressOf(".hash")],
      [DYNAMIC_TAG.strings, addressOf(".dynstr")],
      [DYNAMIC_TAG.stringsSize, strings.bytes.length],
      [DYNAMIC_TAG.symbols, addressOf(".dynsym")],
      [DYNAMIC_TAG.symbolEntry, SYMBOL_BYTES],
      [DYNAMIC_TAG.end, 0],
    ] as const) {
      word(writer, tag);
      word(writer, value);
    }
  });
  place(".dynamic", dynamic.length, 8);

  const isLoaded = (name: string): boolean => loaded.some((one) => one.name === name);
  const final = (list: readonly ElfSection[]): readonly Row[] =>
    list.map((section) => ({ ...rowOf(section), bytes: resolved(section, addressOf, isLoaded) }));
  const first = [{ name: ".hash" }, { name: ".dynsym" }, { name: ".dynstr" }, ...readable, ...code];
  const dynamicSymbols = symbolTable(
    offered.map(({ section, offset, size, isFunction }, i) => ({
      name: strings.places[i + 1] ?? 0,
      info: BINDING.global | (isFunction ? IS_FUNCTION : IS_DATA),
      section: numberOf(first, section),
      value: addressOf(section) + offset,
      size,
    })),
  );
  const rows: Row[] = [
    row(".hash", SECTION.hash, FLAG.load, hash, { alignment: 8, link: 2, entryBytes: 4 }),
    row(".dynsym", SECTION.dynamicSymbols, FLAG.load, dynamicSymbols, {
      alignment: 8,
      link: 3,
      info: 1,
      entryBytes: SYMBOL_BYTES,
    }),
    row(".dynstr", SECTION.strings, FLAG.load, strings.bytes),
    ...final(readable),
    ...final(code),
    row(".dynamic", SECTION.dynamic, FLAG.load | FLAG.write, dynamic, { alignment: 8, link: 3, entryBytes: 16 }),
    ...final(sections.filter(({ kind }) => kind === "note")),
  ];
  const table = allSymbols(content, rows, addressOf);
  rows.push(
    row(".symtab", SECTION.symbols, 0, table.table, {
      alignment: 8,
      link: rows.length + 2,
      info: table.locals,
      entryBytes: SYMBOL_BYTES,
    }),
    row(".strtab", SECTION.strings, 0, table.strings),
  );
  const header = loaded.find(({ name }) => name === ".eh_frame_hdr");
  const headerAt = addressOf(".eh_frame_hdr");
  const head = segmentHeaders([
    { type: SEGMENT.load, rights: RIGHT.read, from: 0, to: readEnd, alignment: PAGE_BYTES },
    { type: SEGMENT.load, rights: RIGHT.read | RIGHT.execute, from: codeAt, to: codeEnd, alignment: PAGE_BYTES },
    {
      type: SEGMENT.load,
      rights: RIGHT.read | RIGHT.write,
      from: addressOf(".dynamic"),
      to: end,
      alignment: PAGE_BYTES,
    },
    { type: SEGMENT.dynamic, rights: RIGHT.read | RIGHT.write, from: addressOf(".dynamic"), to: end, alignment: 8 },
    {
      type: header === undefined ? 0 : SEGMENT.unwind,
      rights: RIGHT.read,
      from: headerAt,
      to: headerAt + (header?.bytes.length ?? 0),
      alignment: 4,
    },
    { type: SEGMENT.stack, rights: RIGHT.read | RIGHT.write, from: 0, to: 0, alignment: 16 },
  ]);
  return writeFile(
    rows,
    TYPE_SHARED,
    head,
    rows.map(({ name }) => addressOf(name)),
    SEGMENTS,
  );
}
