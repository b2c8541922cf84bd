// SPDX-License-Identifier: Apache-2.0
// Binaries that are not what a compiler wrote, each decided by a seed: changed bytes, cuts, shifts, sections in each
// other's position, fields with extreme values.
import { fnv1a, fnv1a64 } from "@muxkit/cargo";
import { type LoadedElfSection, readElf, stripBinaryHeader } from "@muxkit/metadata";

import { type Random, randomFrom } from "../generate/random.ts";

/** A changed binary. */
export interface BinaryInput {
  /** What was done to it. */
  readonly kind: string;
  readonly bytes: Uint8Array;
  /** True: its checksum was recomputed, as an attacker would do. */
  readonly isForged: boolean;
  /** True: the code passed to engines is unchanged, so that kernels stop at their deadline. */
  readonly hasOwnCode: boolean;
  /** True: it is as it was. */
  readonly isWhole: boolean;
}

/** Offsets of the sections in an executable. */
interface ElfSections {
  /** Where the ELF file begins. */
  readonly start: number;
  readonly list: readonly LoadedElfSection[];
  /** Where the section headers begin. */
  readonly table: number;
}

const EXTREMES: readonly bigint[] = [
  0n,
  1n,
  2n,
  0x7fn,
  0x80n,
  0xffn,
  0xffffn,
  0x7fff_ffffn,
  0x8000_0000n,
  0xffff_ffffn,
  0x1_0000_0000n,
  0x7fff_ffff_ffff_ffffn,
  0xffff_ffff_ffff_ffffn,
];
/** LEB128 numbers: the largest of 32 bits, one too large, one that does not end, a padded zero. */
const COUNTS: readonly (readonly number[])[] = [
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0x1f],
  [0xff, 0xff, 0xff, 0xff, 0xff],
  [0x80, 0x80, 0x00],
  [0x80, 0x80, 0x04],
  [0x00],
];
const HEADER = 64;

function elfSectionsOf(bytes: Uint8Array): ElfSections | null {
  const elf = stripBinaryHeader(bytes);
  const file = elf.ok ? readElf(elf.value) : elf;
  if (!elf.ok || !file.ok) return null;
  const table = new DataView(elf.value.buffer, elf.value.byteOffset).getBigUint64(40, true);
  return { start: bytes.length - elf.value.length, list: file.value.sections, table: Number(table) };
}

/** Makes the hash of an executable right. Where its note is not found it stays as it is. */
function repaired(bytes: Uint8Array): Uint8Array {
  const sections = elfSectionsOf(bytes);
  const note = sections?.list.find(({ name }) => name === ".note.muxkit");
  if (sections === null || note === undefined || note.bytes.length < 32) return bytes;
  const copy = bytes.slice();
  const elf = copy.subarray(sections.start);
  const at = note.offset + 24;
  new DataView(copy.buffer).setBigUint64(
    sections.start + at,
    fnv1a64(elf.subarray(at + 8), fnv1a64(elf.subarray(0, at))),
    true,
  );
  return copy;
}

/** Makes the checksum of the program inside right (see compiler-base's module files). */
function withProgramRepaired(bytes: Uint8Array): Uint8Array {
  const sections = elfSectionsOf(bytes);
  const ir = sections?.list.find(({ name }) => name === ".muxkit.ir");
  if (sections === null || ir === undefined || ir.bytes.length < 11) return bytes;
  const copy = bytes.slice();
  new DataView(copy.buffer).setUint32(
    sections.start + ir.offset + 6,
    fnv1a(copy.subarray(sections.start + ir.offset + 10, sections.start + ir.offset + ir.bytes.length)),
    true,
  );
  return copy;
}

function spliced(bytes: Uint8Array, from: number, to: number, between: ArrayLike<number>): Uint8Array {
  return Uint8Array.from([...bytes.subarray(0, from), ...Array.from(between), ...bytes.subarray(to)]);
}

function changedBytes(random: Random, bytes: Uint8Array, from: number, to: number): Uint8Array {
  const copy = bytes.slice();
  for (let i = 1 + random.below(4); i > 0; i--) {
    const at = from + random.below(Math.max(1, to - from));
    copy[at] = random.chance(40)
      ? (copy[at] ?? 0) ^ (1 << random.below(8))
      : random.chance(50)
        ? random.pick([0, 1, 0x7f, 0x80, 0xff])
        : random.below(256);
  }
  return copy;
}

type Change = (random: Random, bytes: Uint8Array, corpus: readonly Uint8Array[]) => Uint8Array;

/** A section that is not code: code is read by engines only. */
function recordSection(random: Random, { list: sections }: ElfSections): LoadedElfSection {
  return random.pick(sections.filter(({ name }) => !name.startsWith(".wasm")));
}

const inRecords =
  (change: (random: Random, bytes: Uint8Array, from: number, to: number) => Uint8Array): Change =>
  (random, bytes) => {
    const sections = elfSectionsOf(bytes);
    if (sections === null) return bytes;
    const { offset, bytes: content } = recordSection(random, sections);
    return change(random, bytes, sections.start + offset, sections.start + offset + content.length);
  };

const CHANGES: readonly { readonly kind: string; readonly weight: number; readonly change: Change }[] = [
  { kind: "bytes", weight: 20, change: (random, bytes) => changedBytes(random, bytes, 0, bytes.length) },
  { kind: "bytes of records", weight: 25, change: inRecords(changedBytes) },
  {
    kind: "a count of records",
    weight: 15,
    change: inRecords((random, bytes, from, to) => {
      const copy = bytes.slice();
      // In place: sizes of sections stay right.
      copy.set(
        random.pick(COUNTS).slice(0, Math.max(0, to - from)),
        Math.max(from, from + random.below(Math.max(1, to - from - 5))),
      );
      return copy.subarray(0, bytes.length);
    }),
  },
  {
    kind: "a cut",
    weight: 8,
    change: (random, bytes) => bytes.slice(0, random.below(bytes.length)),
  },
  {
    kind: "a shift",
    weight: 8,
    change: (random, bytes) => {
      const at = random.below(bytes.length);
      return random.chance(50)
        ? spliced(bytes, at, at + 1 + random.below(16), [])
        : spliced(
            bytes,
            at,
            at,
            Array.from({ length: 1 + random.below(16) }, () => random.below(256)),
          );
    },
  },
  {
    kind: "an extreme field of the ELF file",
    weight: 14,
    change: (random, bytes) => {
      const sections = elfSectionsOf(bytes);
      if (sections === null) return bytes;
      const copy = bytes.slice();
      const view = new DataView(copy.buffer);
      const isHeader = random.chance(30);
      const count = sections.list.length + 2;
      const at =
        sections.start + (isHeader ? 0 : sections.table + random.below(count) * HEADER) + random.below(HEADER / 8) * 8;
      if (at + 8 > copy.length) return copy;
      if (random.chance(60)) view.setBigUint64(at, random.pick(EXTREMES), true);
      else view.setUint32(at + random.pick([0, 4]), Number(random.pick(EXTREMES) & 0xffff_ffffn), true);
      return copy;
    },
  },
  {
    kind: "sections in each other's place",
    weight: 8,
    change: (random, bytes) => {
      const sections = elfSectionsOf(bytes);
      if (sections === null) return bytes;
      const copy = bytes.slice();
      const count = sections.list.length + 2;
      const [one, other] = [random.below(count), random.below(count)].map(
        (i) => sections.start + sections.table + i * HEADER,
      ) as [number, number];
      // All of the header, or all but the name.
      const skip = random.pick([0, 4]);
      copy.set(bytes.subarray(other + skip, other + HEADER), one + skip);
      copy.set(bytes.subarray(one + skip, one + HEADER), other + skip);
      return copy;
    },
  },
  {
    kind: "the beginning of one, the end of another",
    weight: 5,
    change: (random, bytes, corpus) => {
      const other = random.pick(corpus);
      return Uint8Array.from([
        ...bytes.subarray(0, random.below(bytes.length)),
        ...other.subarray(random.below(other.length)),
      ]);
    },
  },
  {
    kind: "the size of the kernel header",
    weight: 2,
    change: (random, bytes) => {
      const copy = bytes.slice();
      new DataView(copy.buffer).setUint32(7, Number(random.pick(EXTREMES) & 0xffff_ffffn), true);
      return copy;
    },
  },
];

/** True where each section of code is one of the original's. */
function hasCodeOf(original: Uint8Array, bytes: Uint8Array): boolean {
  const known = elfSectionsOf(original)?.list.filter(({ name }) => name.startsWith(".wasm")) ?? [];
  const mine = elfSectionsOf(bytes)?.list ?? [];
  return mine.every(
    ({ bytes: content }) =>
      content[0] !== 0 ||
      content[1] !== 0x61 ||
      known.some(({ bytes: code }) => code.length === content.length && code.every((byte, i) => byte === content[i])),
  );
}

/** The input of a seed. */
export function binaryInput(seed: number, corpus: readonly Uint8Array[]): BinaryInput {
  const random = randomFrom(seed);
  const original = random.pick(corpus);
  const isForged = random.chance(50);
  const { kind, change } = random.weighted(CHANGES);
  let bytes = change(random, original, corpus);
  if (isForged && random.chance(50)) bytes = withProgramRepaired(bytes);
  if (isForged) bytes = repaired(bytes);
  const isWhole = bytes.length === original.length && bytes.every((byte, i) => byte === original[i]);
  return { kind, bytes, isForged, hasOwnCode: hasCodeOf(original, bytes), isWhole };
}
