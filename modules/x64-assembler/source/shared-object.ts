// SPDX-License-Identifier: Apache-2.0
/**
 * Shared objects for Linux on x86-64: code and data that the dynamic linker loads, with symbols that it offers and
 * symbols that it needs. Source of the layout: System V ABI, chapters 4 and 5, and its supplement for x86-64.
 *
 * The file is as its image in memory: one page of headers and tables, the code, the data, each from a page on. Imports
 * are words in the data, filled by R_X86_64_GLOB_DAT. There are no sections, which linkers of programs would want and
 * loaders do not. PT_GNU_STACK is there: without it glibc makes stacks executable.
 */
import { ByteWriter, alignUp, assert } from "@muxkit/cargo";

import {
  DYNAMIC_TAG,
  HEADER_BYTES,
  MACHINE_X64,
  PAGE_BYTES,
  PROGRAM_HEADER_BYTES,
  RELOCATION_BYTES,
  RIGHT,
  SEGMENT,
  SYMBOL_BYTES,
  TYPE_SHARED,
  stringTable,
  word,
} from "./elf-tables.ts";

/** A name and where it is, in bytes from the beginning of the code. @public */
export interface ObjectSymbol {
  /** The name. */
  readonly name: string;
  /** Bytes from the beginning of the code. */
  readonly offset: number;
}

/** What a shared object has. @public */
export interface SharedObject {
  /** The code, filled up to whole pages, then the data: as an assembler wrote them, one after the other. */
  readonly image: Uint8Array;
  /** How many bytes of the image are code; a multiple of {@link PAGE_BYTES}. */
  readonly codeSize: number;
  /** Functions that it offers. */
  readonly exports: readonly ObjectSymbol[];
  /** Words of 8 bytes in the data, which get the addresses of symbols of others. */
  readonly imports: readonly ObjectSymbol[];
  /** Whether it stays in the process when it is closed: for what installs handlers. */
  readonly isPinned: boolean;
}

/** The object stays when it is closed. */
const NO_DELETE = 8;
/** Bytes of a writer at an offset that earlier ones reached or passed. */
function placed(target: Uint8Array, offset: number, write: (writer: ByteWriter) => void): number {
  const writer = new ByteWriter();
  write(writer);
  const bytes = writer.finish();
  target.set(bytes, offset);
  return offset + bytes.length;
}

/** The file of a shared object. @public */
export function writeSharedObject({ image, codeSize, exports, imports, isPinned }: SharedObject): Uint8Array {
  assert(codeSize % PAGE_BYTES === 0 && codeSize <= image.length, "the code of a shared object has whole pages");
  const symbols = [...imports, ...exports];
  const strings = stringTable(symbols.map((symbol) => symbol.name));
  const symbolsAt = HEADER_BYTES + 5 * PROGRAM_HEADER_BYTES;
  const relaAt = symbolsAt + SYMBOL_BYTES * (symbols.length + 1);
  const hashAt = relaAt + RELOCATION_BYTES * imports.length;
  const stringsAt = hashAt + 4 * (3 + symbols.length + 1);
  const tablesEnd = stringsAt + strings.bytes.length;
  const codeAt = alignUp(tablesEnd, PAGE_BYTES);
  const dataAt = codeAt + codeSize;
  const dynamicAt = alignUp(codeAt + image.length, 8);
  const dynamic: readonly (readonly [number, number])[] = [
    [DYNAMIC_TAG.hash, hashAt],
    [DYNAMIC_TAG.strings, stringsAt],
    [DYNAMIC_TAG.stringsSize, strings.bytes.length],
    [DYNAMIC_TAG.symbols, symbolsAt],
    [DYNAMIC_TAG.symbolEntry, SYMBOL_BYTES],
    [DYNAMIC_TAG.rela, relaAt],
    [DYNAMIC_TAG.relaSize, RELOCATION_BYTES * imports.length],
    [DYNAMIC_TAG.relaEntry, RELOCATION_BYTES],
    [DYNAMIC_TAG.flags, isPinned ? NO_DELETE : 0],
    [DYNAMIC_TAG.end, 0],
  ];
  const end = dynamicAt + 16 * dynamic.length;
  const file = new Uint8Array(end);

  const segments = [
    { type: SEGMENT.load, rights: RIGHT.read, from: 0, to: tablesEnd, alignment: PAGE_BYTES },
    { type: SEGMENT.load, rights: RIGHT.read | RIGHT.execute, from: codeAt, to: dataAt, alignment: PAGE_BYTES },
    { type: SEGMENT.load, rights: RIGHT.read | RIGHT.write, from: dataAt, to: end, alignment: PAGE_BYTES },
    { type: SEGMENT.dynamic, rights: RIGHT.read | RIGHT.write, from: dynamicAt, to: end, alignment: 8 },
    { type: SEGMENT.stack, rights: RIGHT.read | RIGHT.write, from: 0, to: 0, alignment: 16 },
  ];
  placed(file, 0, (writer) => {
    // 64 bits, little-endian, version 1, System V.
    for (const byte of [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]) writer.u8(byte);
    writer.u16(TYPE_SHARED);
    writer.u16(MACHINE_X64);
    writer.u32(1);
    word(writer, 0);
    word(writer, HEADER_BYTES);
    word(writer, 0);
    writer.u32(0);
    for (const half of [HEADER_BYTES, PROGRAM_HEADER_BYTES, segments.length, 0, 0, 0]) writer.u16(half);
    for (const { type, rights, from, to, alignment } of segments) {
      writer.u32(type);
      writer.u32(rights);
      for (const value of [from, from, from, to - from, to - from, alignment]) word(writer, value);
    }
  });
  placed(file, symbolsAt + SYMBOL_BYTES, (writer) => {
    symbols.forEach((symbol, n) => {
      writer.u32(strings.places[n] ?? 0);
      // Global; what is offered is a function of the first section that could be, since there are none.
      const isImport = n < imports.length;
      writer.u8(isImport ? 0x10 : 0x12);
      writer.u8(0);
      writer.u16(isImport ? 0 : 1);
      word(writer, isImport ? 0 : codeAt + symbol.offset);
      word(writer, 0);
    });
  });
  placed(file, relaAt, (writer) => {
    imports.forEach((symbol, n) => {
      word(writer, codeAt + symbol.offset);
      writer.u32(6);
      writer.u32(n + 1);
      word(writer, 0);
    });
  });
  placed(file, hashAt, (writer) => {
    // One bucket with all symbols in a chain: a loader asks for one or two names.
    for (const value of [1, symbols.length + 1, symbols.length === 0 ? 0 : 1, 0]) writer.u32(value);
    symbols.forEach((_, n) => writer.u32(n + 1 < symbols.length ? n + 2 : 0));
  });
  file.set(strings.bytes, stringsAt);
  file.set(image, codeAt);
  placed(file, dynamicAt, (writer) => {
    for (const [tag, value] of dynamic) {
      word(writer, tag);
      word(writer, value);
    }
  });
  return file;
}
