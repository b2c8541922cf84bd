// SPDX-License-Identifier: Apache-2.0
// ELF64 little-endian relocatable files: a writer of sections, and a reader that checks every number. Source of the
// layout: System V ABI, chapter 4 "Object Files".
import { type Result, ByteReader, ByteWriter, assert, err, isPowerOfTwo, ok } from "@muxkit/cargo";

import { type MetadataError, metadataError } from "./error.ts";

/** Section types that we write. @public */
export const SectionType: {
  readonly null: 0;
  readonly progbits: 1;
  readonly strtab: 3;
  readonly note: 7;
  readonly nobits: 8;
  readonly blocks: number;
} = {
  null: 0,
  progbits: 1,
  strtab: 3,
  note: 7,
  nobits: 8,
  /** Our metadata: in the range for applications (SHT_LOUSER and up), so that other tools ignore it. */
  blocks: 0x8000_4d58,
};

/** Section flags that we write. @public */
export const SectionFlag: { readonly write: 1; readonly alloc: 2; readonly execute: 4 } = {
  write: 1,
  alloc: 2,
  execute: 4,
};

/** A section. @public */
export interface ElfSection {
  /** Name, without NUL. */
  readonly name: string;
  /** sh_type. */
  readonly type: number;
  /** sh_flags. */
  readonly flags: number;
  /** sh_addralign: a power of two; 0 means 1. */
  readonly alignment: number;
  /** Its content. */
  readonly bytes: Uint8Array;
}

/** A section of a file that was read. @public */
export interface LoadedElfSection extends ElfSection {
  /** Offset of the content in the file. */
  readonly offset: number;
}

/** A file that was read. @public */
export interface ElfFile {
  /** e_type: 1 is relocatable. */
  readonly type: number;
  /** e_machine: 0 is none. */
  readonly machine: number;
  /** Sections in order, without the null section and the table of section names. */
  readonly sections: readonly LoadedElfSection[];
}

const HEADER_SIZE = 64;
const SECTION_HEADER_SIZE = 64;
const NAMES = ".shstrtab";
/** Section counts from here on (SHN_LORESERVE) need another encoding, which nothing here writes. */
const MOST_SECTIONS = 0xff00;

/** Bytes of a relocatable file with e_machine 0 and these sections, followed by `.shstrtab`. @public */
export function writeElf(sections: readonly ElfSection[]): Uint8Array<ArrayBuffer> {
  assert(sections.length + 2 < MOST_SECTIONS, () => `an ELF file cannot hold ${sections.length} sections`);
  const names = new ByteWriter();
  names.u8(0);
  const nameOffsets = [...sections.map((section) => section.name), NAMES].map((name) => {
    assert(!name.includes("\0"), () => `the section name ${JSON.stringify(name)} holds a NUL`);
    const offset = names.length;
    names.raw(new TextEncoder().encode(name));
    names.u8(0);
    return offset;
  });
  const all: readonly ElfSection[] = [
    ...sections,
    { name: NAMES, type: SectionType.strtab, flags: 0, alignment: 1, bytes: names.finish() },
  ];

  const writer = new ByteWriter(4096);
  writer.raw(new Uint8Array(HEADER_SIZE));
  const offsets = all.map((section) => {
    assert(
      section.alignment === 0 || isPowerOfTwo(section.alignment),
      () => `section ${section.name}: alignment ${section.alignment} is no power of two`,
    );
    writer.align(Math.max(1, section.alignment));
    const offset = writer.length;
    writer.raw(section.bytes);
    return offset;
  });
  writer.align(8);
  const tableOffset = writer.length;
  writer.raw(new Uint8Array(SECTION_HEADER_SIZE));
  for (const [i, section] of all.entries()) {
    writer.u32(nameOffsets[i] as number);
    writer.u32(section.type);
    writer.u64(BigInt(section.flags));
    writer.u64(0n);
    writer.u64(BigInt(offsets[i] as number));
    writer.u64(BigInt(section.bytes.length));
    writer.u32(0);
    writer.u32(0);
    writer.u64(BigInt(section.alignment));
    writer.u64(0n);
  }
  const bytes = writer.finish();
  bytes.set(fileHeader(tableOffset, all.length + 1));
  return bytes;
}

function fileHeader(tableOffset: number, count: number): Uint8Array {
  const writer = new ByteWriter(HEADER_SIZE);
  // Magic, 64 bits, little-endian, version 1, no operating system.
  writer.raw(Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  writer.u16(1);
  writer.u16(0);
  writer.u32(1);
  writer.u64(0n);
  writer.u64(0n);
  writer.u64(BigInt(tableOffset));
  writer.u32(0);
  writer.u16(HEADER_SIZE);
  writer.u16(0);
  writer.u16(0);
  writer.u16(SECTION_HEADER_SIZE);
  writer.u16(count);
  writer.u16(count - 1);
  return writer.finish();
}

interface RawSection {
  readonly at: number;
  readonly name: number;
  readonly type: number;
  readonly flags: bigint;
  readonly offset: bigint;
  readonly size: bigint;
  readonly alignment: bigint;
}

/**
 * Reads a 64-bit little-endian ELF file of any machine. Sections are views of `bytes`. Errors: `foreign`, `damaged`;
 * offsets are those in `bytes`.
 *
 * @public
 */
export function readElf(bytes: Uint8Array): Result<ElfFile, MetadataError> {
  const magic = [0x7f, 0x45, 0x4c, 0x46];
  if (magic.some((byte, i) => bytes[i] !== byte))
    return err(metadataError("foreign", 0, "there is no ELF file here: its first four bytes are missing"));
  if (bytes.length < HEADER_SIZE)
    return err(
      metadataError("damaged", bytes.length, `the ELF header needs ${HEADER_SIZE} bytes, ${bytes.length} are there`),
    );
  if (bytes[4] !== 2) return err(metadataError("foreign", 4, "the ELF file is not a 64-bit one"));
  if (bytes[5] !== 1) return err(metadataError("foreign", 5, "the ELF file is not little-endian"));
  if (bytes[6] !== 1)
    return err(metadataError("foreign", 6, `the ELF version ${bytes[6]} is unknown, only 1 is known`));
  const reader = new ByteReader(bytes);
  reader.seek(16);
  const type = reader.u16();
  const machine = reader.u16();
  reader.seek(40);
  const tableOffset = reader.u64();
  reader.seek(52);
  const headerSize = reader.u16();
  reader.seek(58);
  const entrySize = reader.u16();
  const count = reader.u16();
  const namesIndex = reader.u16();
  if (headerSize !== HEADER_SIZE)
    return err(metadataError("damaged", 52, `the header claims ${headerSize} bytes, it has ${HEADER_SIZE}`));
  if (count === 0) return err(metadataError("damaged", 60, "the file has no sections"));
  if (entrySize !== SECTION_HEADER_SIZE)
    return err(
      metadataError("damaged", 58, `a section header claims ${entrySize} bytes, it has ${SECTION_HEADER_SIZE}`),
    );
  if (tableOffset + BigInt(count * SECTION_HEADER_SIZE) > BigInt(bytes.length)) {
    return err(
      metadataError("damaged", 40, `${count} section headers at ${tableOffset} do not fit into ${bytes.length} bytes`),
    );
  }
  if (namesIndex === 0 || namesIndex >= count)
    return err(metadataError("damaged", 62, `the table of section names is section ${namesIndex} of ${count}`));
  const raw = readSectionHeaders(bytes, Number(tableOffset), count);
  return namedSections(bytes, raw, namesIndex, type, machine);
}

function readSectionHeaders(bytes: Uint8Array, tableOffset: number, count: number): readonly RawSection[] {
  const reader = new ByteReader(bytes);
  return Array.from({ length: count }, (_, i) => {
    const at = tableOffset + i * SECTION_HEADER_SIZE;
    reader.seek(at);
    const name = reader.u32();
    const type = reader.u32();
    const flags = reader.u64();
    reader.seek(at + 24);
    const offset = reader.u64();
    const size = reader.u64();
    reader.seek(at + 48);
    return { at, name, type, flags, offset, size, alignment: reader.u64() };
  });
}

function namedSections(
  bytes: Uint8Array,
  raw: readonly RawSection[],
  namesIndex: number,
  type: number,
  machine: number,
): Result<ElfFile, MetadataError> {
  const sections: LoadedElfSection[] = [];
  const named = raw[namesIndex];
  assert(named !== undefined, "the index of the section names was checked");
  const names = contentOf(bytes, named);
  if (!names.ok) return names;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (const [i, header] of raw.entries()) {
    if (i === 0 || i === namesIndex) continue;
    const content = contentOf(bytes, header);
    if (!content.ok) return content;
    const end = names.value.indexOf(0, header.name);
    if (end < 0 || header.name >= names.value.length)
      return err(metadataError("damaged", header.at, `the name of section ${i} is outside of the table of names`));
    let name: string;
    try {
      name = decoder.decode(names.value.slice(header.name, end));
    } catch {
      return err(metadataError("damaged", Number(named.offset) + header.name, `the name of section ${i} is no UTF-8`));
    }
    if (header.flags > 0xffff_ffffn)
      return err(metadataError("damaged", header.at + 8, `section ${name} has unknown flags`));
    sections.push({
      name,
      type: header.type,
      flags: Number(header.flags),
      alignment: Number(header.alignment),
      bytes: content.value,
      offset: Number(header.offset),
    });
  }
  return ok({ type, machine, sections });
}

function contentOf(bytes: Uint8Array, header: RawSection): Result<Uint8Array, MetadataError> {
  if (header.alignment !== 0n && !isPowerOfTwo(Number(header.alignment)))
    return err(metadataError("damaged", header.at + 48, `an alignment of ${header.alignment} is no power of two`));
  if (header.type === SectionType.nobits) return ok(new Uint8Array(0));
  if (header.offset + header.size > BigInt(bytes.length)) {
    return err(
      metadataError(
        "damaged",
        header.at + 24,
        `a section of ${header.size} bytes at ${header.offset} does not fit into ${bytes.length} bytes`,
      ),
    );
  }
  return ok(bytes.subarray(Number(header.offset), Number(header.offset + header.size)));
}
