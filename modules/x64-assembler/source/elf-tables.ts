// SPDX-License-Identifier: Apache-2.0
// What files of ELF for x86-64 consist of: numbers of the System V ABI, and tables of names.
import { ByteWriter, assert } from "@muxkit/cargo";

/** Bytes of a page. @public */
export const PAGE_BYTES = 4096;
/** Bytes of the header of a file. */
export const HEADER_BYTES = 64;
/** Bytes of the header of a segment. */
export const PROGRAM_HEADER_BYTES = 56;
/** Bytes of the header of a section. */
export const SECTION_HEADER_BYTES = 64;
/** Bytes of a symbol. */
export const SYMBOL_BYTES = 24;
/** Bytes of a relocation that has its addend. */
export const RELOCATION_BYTES = 24;
/** Processor in the header: x86-64. */
export const MACHINE_X64 = 62;
/** Kinds of files in the header: what is linked, what is loaded. */
export const TYPE_RELOCATABLE = 1;
/** See {@link TYPE_RELOCATABLE}. */
export const TYPE_SHARED = 3;
/** Magic, 64 bits, little-endian, version 1, System V. */
export const IDENTITY: readonly number[] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0];

/** Kinds of sections. */
export const SECTION = {
  none: 0,
  data: 1,
  symbols: 2,
  strings: 3,
  relocations: 4,
  hash: 5,
  dynamic: 6,
  dynamicSymbols: 11,
  /** What programs need to walk the stack. */
  unwind: 0x7000_0001,
} as const;
/** Flags of sections. */
export const FLAG = { write: 1, load: 2, execute: 4, infoIsSection: 0x40 } as const;
/** Kinds of segments. */
export const SEGMENT = { load: 1, dynamic: 2, unwind: 0x6474_e550, stack: 0x6474_e551 } as const;
/** Rights of segments. */
export const RIGHT = { execute: 1, write: 2, read: 4 } as const;
/** Tags of the dynamic table. */
export const DYNAMIC_TAG = {
  end: 0,
  hash: 4,
  strings: 5,
  symbols: 6,
  rela: 7,
  relaSize: 8,
  relaEntry: 9,
  stringsSize: 10,
  symbolEntry: 11,
  name: 14,
  flags: 0x6fff_fffb,
} as const;
/** How a symbol is bound, as it is in its byte of information. */
export const BINDING = { local: 0x00, global: 0x10 } as const;
/** In the same byte: it is data, a function, a section, a file. */
export const IS_DATA = 1;
/** See {@link IS_DATA}. */
export const IS_FUNCTION = 2;
/** See {@link IS_DATA}. */
export const IS_SECTION = 3;
/** See {@link IS_DATA}. */
export const IS_FILE = 4;

/** What `fill` writes. */
export function written(fill: (writer: ByteWriter) => void): Uint8Array {
  const writer = new ByteWriter();
  fill(writer);
  return writer.finish();
}

/** Writes 64 bits. */
export function word(writer: ByteWriter, value: number): void {
  writer.u32(value >>> 0);
  writer.u32(Math.floor(value / 2 ** 32));
}

/** Names behind each other, each ended by a zero, the empty one first; and where each begins. */
export function stringTable(names: readonly string[]): {
  readonly bytes: Uint8Array;
  readonly places: readonly number[];
} {
  const writer = new ByteWriter();
  writer.u8(0);
  const places = names.map((name) => {
    assert(name !== "" && !name.includes("\0"), () => `${JSON.stringify(name)} cannot be a name in a file of ELF`);
    const place = writer.length;
    writer.raw(new TextEncoder().encode(name));
    writer.u8(0);
    return place;
  });
  return { bytes: writer.finish(), places };
}

/** The System V hash of a name. */
function hashOf(name: string): number {
  let hash = 0;
  for (const byte of new TextEncoder().encode(name)) {
    hash = ((hash << 4) + byte) >>> 0;
    const high = hash & 0xf000_0000;
    hash = (hash ^ (high >>> 24)) & 0x0fff_ffff;
  }
  return hash;
}

/** The hash table of the dynamic symbols, which are counted from 1. */
export function hashTable(names: readonly string[]): Uint8Array {
  const buckets = new Uint32Array(Math.max(1, names.length));
  const chain = new Uint32Array(names.length + 1);
  names.forEach((name, n) => {
    const bucket = hashOf(name) % buckets.length;
    chain[n + 1] = buckets[bucket] as number;
    buckets[bucket] = n + 1;
  });
  return written((writer) => {
    for (const value of [buckets.length, chain.length, ...buckets, ...chain]) writer.u32(value);
  });
}
