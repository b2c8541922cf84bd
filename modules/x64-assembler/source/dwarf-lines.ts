// SPDX-License-Identifier: Apache-2.0
/**
 * What debuggers and profilers read besides symbols: which code belongs to which line (`.debug_line`), and one unit
 * with the functions (`.debug_info`, `.debug_abbrev`). Source of the layout: DWARF version 5, chapters 6.2 and 7.
 *
 * A line program is a byte code: most steps to the next place are one byte, which moves the address by up to 17 bytes
 * and the line by -5 to 8.
 */
import { ByteWriter } from "@muxkit/cargo";

import type { ElfReference, ElfSection } from "./elf-file.ts";

/** Where code of another place in the source begins. @public */
export interface DebugLine {
  /** Offset of the code in `.text`. */
  readonly offset: number;
  /** File. */
  readonly file: string;
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1; 0: not known. */
  readonly column: number;
}

/** A function for debuggers. @public */
export interface DebugFunction {
  /** Its name. */
  readonly name: string;
  /** Where it is in `.text`. */
  readonly offset: number;
  /** Its bytes. */
  readonly size: number;
}

/** What there is to say of the code of one source. @public */
export interface DebugUnit {
  /** The source's name. */
  readonly source: string;
  /** The folder that names of files are in. */
  readonly directory: string;
  /** The compiler. */
  readonly producer: string;
  /** Bytes of `.text`. */
  readonly codeBytes: number;
  /** Functions in ascending order. */
  readonly functions: readonly DebugFunction[];
  /** Places in ascending order. */
  readonly lines: readonly DebugLine[];
}

const VERSION = 5;
const ADDRESS_BYTES = 8;
const LINE_BASE = -5;
const LINE_RANGE = 14;
const FIRST_SPECIAL = 13;
/** How many operands each of the standard steps has. */
const OPERANDS = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
const STEP = { copy: 1, advanceAddress: 2, advanceLine: 3, setFile: 4, setColumn: 5 } as const;
const EXTENDED = { end: 1, setAddress: 2 } as const;
const FORM = {
  address: 1,
  data1: 11,
  data8: 7,
  string: 8,
  unsigned: 15,
  offset: 23,
  expression: 24,
  flag: 25,
} as const;
const CONTENT = { path: 1, directory: 2 } as const;
const OPENCL_C = 0x15;
const CALL_FRAME = 0x9c;

function string(writer: ByteWriter, text: string): void {
  writer.raw(new TextEncoder().encode(text.replaceAll("\0", "?")));
  writer.u8(0);
}

/** A part that begins with the number of the bytes after it. */
function sized(writer: ByteWriter, fill: () => void): void {
  const at = writer.length;
  writer.u32(0);
  fill();
  writer.patchU32(at, writer.length - at - 4);
}

/** The address of code, which a linker fills in. */
function address(writer: ByteWriter, references: ElfReference[], offset: number): void {
  references.push({ offset: writer.length, kind: "absolute", section: ".text", addend: offset });
  writer.raw(new Uint8Array(ADDRESS_BYTES));
}

function writeProgram(
  writer: ByteWriter,
  references: ElfReference[],
  { lines, codeBytes }: DebugUnit,
  files: readonly string[],
): void {
  const [first] = lines;
  if (first === undefined) return;
  writer.u8(0);
  writer.u8(1 + ADDRESS_BYTES);
  writer.u8(EXTENDED.setAddress);
  address(writer, references, first.offset);
  let at = first.offset;
  let file = 1;
  let line = 1;
  let column = 0;
  for (const next of lines) {
    const number = files.indexOf(next.file);
    if (number !== file) {
      writer.u8(STEP.setFile);
      writer.varU32((file = number));
    }
    if (next.column !== column) {
      writer.u8(STEP.setColumn);
      writer.varU32((column = next.column));
    }
    const bytes = next.offset - at;
    const down = next.line - line;
    const special = down - LINE_BASE + LINE_RANGE * bytes + FIRST_SPECIAL;
    if (down >= LINE_BASE && down < LINE_BASE + LINE_RANGE && special <= 255) writer.u8(special);
    else {
      writer.u8(STEP.advanceLine);
      writer.varS32(down);
      writer.u8(STEP.advanceAddress);
      writer.varU32(bytes);
      writer.u8(STEP.copy);
    }
    at = next.offset;
    ({ line } = next);
  }
  writer.u8(STEP.advanceAddress);
  writer.varU32(codeBytes - at);
  writer.u8(0);
  writer.u8(1);
  writer.u8(EXTENDED.end);
}

function lineSection(unit: DebugUnit): ElfSection {
  const { source, directory, lines } = unit;
  const writer = new ByteWriter();
  const references: ElfReference[] = [];
  // The first two are the source itself: consumers disagree about whether the first counts.
  const files = [...new Set([source, ...lines.map(({ file }) => file)])];
  const listed = [source, ...files];
  sized(writer, () => {
    writer.u16(VERSION);
    writer.u8(ADDRESS_BYTES);
    writer.u8(0);
    sized(writer, () => {
      for (const byte of [1, 1, 1, LINE_BASE & 255, LINE_RANGE, FIRST_SPECIAL, ...OPERANDS]) writer.u8(byte);
      for (const byte of [1, CONTENT.path, FORM.string, 1]) writer.u8(byte);
      string(writer, directory);
      for (const byte of [2, CONTENT.path, FORM.string, CONTENT.directory, FORM.unsigned]) writer.u8(byte);
      writer.varU32(listed.length);
      for (const file of listed) {
        string(writer, file);
        writer.u8(0);
      }
    });
    // Files are counted from 0, and the first is listed twice.
    writeProgram(writer, references, unit, ["", ...files]);
  });
  return { name: ".debug_line", kind: "note", bytes: writer.finish(), alignment: 1, references };
}

const ATTRIBUTE = {
  name: 0x03,
  lines: 0x10,
  low: 0x11,
  high: 0x12,
  language: 0x13,
  directory: 0x1b,
  producer: 0x25,
  file: 0x3a,
  line: 0x3b,
  external: 0x3f,
  frameBase: 0x40,
} as const;
const TAG = { unit: 0x11, subprogram: 0x2e } as const;

function abbreviations(): ElfSection {
  const writer = new ByteWriter();
  const entry = (code: number, tag: number, hasChildren: boolean, attributes: readonly (readonly number[])[]): void => {
    writer.varU32(code);
    writer.varU32(tag);
    writer.u8(hasChildren ? 1 : 0);
    for (const attribute of attributes) for (const value of attribute) writer.varU32(value);
    writer.u16(0);
  };
  const range = [
    [ATTRIBUTE.low, FORM.address],
    [ATTRIBUTE.high, FORM.data8],
  ] as const;
  entry(1, TAG.unit, true, [
    [ATTRIBUTE.producer, FORM.string],
    [ATTRIBUTE.language, FORM.data1],
    [ATTRIBUTE.name, FORM.string],
    [ATTRIBUTE.directory, FORM.string],
    [ATTRIBUTE.lines, FORM.offset],
    ...range,
  ]);
  const named = [[ATTRIBUTE.name, FORM.string], ...range, [ATTRIBUTE.external, FORM.flag]] as const;
  const frame = [ATTRIBUTE.frameBase, FORM.expression] as const;
  entry(2, TAG.subprogram, false, [...named, frame, [ATTRIBUTE.file, FORM.unsigned], [ATTRIBUTE.line, FORM.unsigned]]);
  entry(3, TAG.subprogram, false, [...named, frame]);
  writer.u8(0);
  return { name: ".debug_abbrev", kind: "note", bytes: writer.finish(), alignment: 1, references: [] };
}

function infoSection({ source, directory, producer, codeBytes, functions, lines }: DebugUnit): ElfSection {
  const writer = new ByteWriter();
  const references: ElfReference[] = [];
  const section = (name: string): void => {
    references.push({ offset: writer.length, kind: "offset", section: name, addend: 0 });
    writer.u32(0);
  };
  const range = (from: number, bytes: number): void => {
    address(writer, references, from);
    writer.u32(bytes);
    writer.u32(0);
  };
  const files = [...new Set([source, ...lines.map(({ file }) => file)])];
  sized(writer, () => {
    writer.u16(VERSION);
    // A unit of code.
    writer.u8(1);
    writer.u8(ADDRESS_BYTES);
    section(".debug_abbrev");
    writer.u8(1);
    string(writer, producer);
    writer.u8(OPENCL_C);
    string(writer, source);
    string(writer, directory);
    section(".debug_line");
    range(0, codeBytes);
    for (const { name, offset, size } of functions) {
      const place = lines.find((line) => line.offset >= offset && line.offset < offset + size);
      writer.u8(place === undefined ? 3 : 2);
      string(writer, name);
      range(offset, size);
      writer.u8(1);
      writer.u8(CALL_FRAME);
      if (place === undefined) continue;
      writer.varU32(1 + files.indexOf(place.file));
      writer.varU32(place.line);
    }
    writer.u8(0);
  });
  return { name: ".debug_info", kind: "note", bytes: writer.finish(), alignment: 1, references };
}

/** The sections of a unit: lines, functions, and how those are written. @public */
export function debugSections(unit: DebugUnit): readonly ElfSection[] {
  return [lineSection(unit), infoSection(unit), abbreviations()];
}
