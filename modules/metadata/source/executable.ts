// SPDX-License-Identifier: Apache-2.0
// Executables as bytes (docs/executable-format.md): prefix and kernel header, then an ELF file whose sections hold
// code, kernel metadata, data and foreign blocks. Reading checks the version first, then the hash, then every record.
import { type Result, ByteReader, ByteWriter, assert, err, fnv1a64, mapError, ok } from "@muxkit/cargo";

import { type ElfSection, type LoadedElfSection, SectionFlag, SectionType, readElf, writeElf } from "./elf.ts";
import { type MetadataError, metadataError } from "./error.ts";
import {
  type BytePatch,
  type CodeSection,
  EXECUTABLE_FORMAT_VERSION,
  type ExecutableImage,
  type ExtraBlock,
  type LoadedExecutable,
} from "./executable-image.ts";
import {
  headerBytes,
  putCode,
  putKernels,
  putNote,
  putPrintfCalls,
  putProgramData,
  takeCode,
  takeHeader,
  takeKernels,
  takeNote,
  takePrintfCalls,
  takeProgramData,
} from "./block-encoding.ts";

/** The first byte of an ELF file. */
const ELF_FIRST = 0x7f;
/** `muxkit` and a NUL. */
const PREFIX: Uint8Array = Uint8Array.of(0x6d, 0x75, 0x78, 0x6b, 0x69, 0x74, 0);

const NOTE = ".note.muxkit";
const CODE = ".muxkit.code";
const KERNELS = ".muxkit.kernels";
const PRINTF = ".muxkit.printf";
const DATA = ".muxkit.data";
const OWN: readonly string[] = [NOTE, CODE, KERNELS, PRINTF, DATA];

/**
 * The note: three sizes and the name `muxkit` padded to eight bytes; then version (u32), hash (u64), target, features.
 */
const NOTE_DESCRIPTION = 12 + 8;
const HASH_IN_NOTE = NOTE_DESCRIPTION + 4;
const NOTE_TYPE = 1;

/**
 * The bytes of an executable. The hash is computed here. An inconsistent image (two kernels of one name, a variant
 * without its section …) is a bug of the compiler: InternalError.
 *
 * @public
 */
export function writeExecutable(image: ExecutableImage): Uint8Array<ArrayBuffer> {
  checkNames(image);
  const sections: ElfSection[] = image.code.map(({ name, bytes }) => ({
    name,
    bytes,
    type: SectionType.progbits,
    flags: SectionFlag.alloc | SectionFlag.execute,
    alignment: 16,
  }));
  sections.push({ name: NOTE, type: SectionType.note, flags: 0, alignment: 4, bytes: noteBytes(image) });
  const own = (name: string, put: (writer: ByteWriter) => void): void => {
    const writer = new ByteWriter();
    put(writer);
    sections.push({ name, type: SectionType.blocks, flags: 0, alignment: 1, bytes: writer.finish() });
  };
  own(CODE, (w) => putCode(w, image.code));
  own(KERNELS, (w) => putKernels(w, image.kernels));
  own(PRINTF, (w) => putPrintfCalls(w, image.printfCalls));
  const { programData } = image;
  if (programData !== null) own(DATA, (w) => putProgramData(w, programData));
  for (const { name, bytes } of image.extraBlocks)
    sections.push({ name, bytes, type: SectionType.blocks, flags: 0, alignment: 1 });

  const elf = writeElf(sections);
  const read = readElf(elf);
  assert(read.ok, "our own ELF file cannot be read");
  const note = read.value.sections.find((section) => section.name === NOTE);
  assert(note !== undefined, "our own ELF file has no note");
  const hashAt = note.offset + HASH_IN_NOTE;
  new DataView(elf.buffer).setBigUint64(hashAt, hashAround(elf, hashAt), true);

  const header = headerBytes(image.printfCalls, image.kernels);
  const writer = new ByteWriter(elf.length + header.length + 16);
  writer.raw(PREFIX);
  writer.u32(header.length);
  writer.raw(header);
  writer.raw(elf);
  return writer.finish();
}

function checkNames(image: ExecutableImage): void {
  const names = new Set<string>(OWN).add(".shstrtab");
  for (const { name } of [...image.code, ...image.extraBlocks]) {
    assert(!names.has(name), () => `two sections have the name ${name}`);
    names.add(name);
  }
  const sections = new Set(image.code.map((section) => section.name));
  const kernels = new Set<string>();
  for (const kernel of image.kernels) {
    assert(!kernels.has(kernel.name), () => `two kernels have the name ${kernel.name}`);
    kernels.add(kernel.name);
    for (const variant of kernel.variants)
      assert(sections.has(variant.section), () => `kernel ${kernel.name}: there is no code section ${variant.section}`);
  }
}

function noteBytes(image: ExecutableImage): Uint8Array {
  const rest = new ByteWriter();
  putNote(rest, image);
  const writer = new ByteWriter();
  writer.u32(PREFIX.length);
  writer.u32(4 + 8 + rest.length);
  writer.u32(NOTE_TYPE);
  writer.raw(PREFIX);
  writer.align(4);
  writer.u32(EXECUTABLE_FORMAT_VERSION);
  writer.u64(0n);
  writer.raw(rest.finish());
  writer.align(4);
  return writer.finish();
}

/** The hash of everything but its own eight bytes. */
function hashAround(elf: Uint8Array, hashAt: number): bigint {
  return fnv1a64(elf.subarray(hashAt + 8), fnv1a64(elf.subarray(0, hashAt)));
}

interface Parts {
  /** The kernel header; null for a bare ELF file. */
  readonly header: Uint8Array | null;
  /** Offset of the ELF data. */
  readonly start: number;
}

function partsOf(bytes: Uint8Array): Result<Parts, MetadataError> {
  if (bytes[0] === ELF_FIRST) return ok({ header: null, start: 0 });
  if (PREFIX.some((byte, i) => bytes[i] !== byte))
    return err(
      metadataError(
        "foreign",
        0,
        "this is no executable of Muxkit: it begins with neither its prefix nor an ELF header",
      ),
    );
  const reader = new ByteReader(bytes);
  reader.seek(PREFIX.length);
  const header = reader.raw(reader.u32());
  return reader.error === null
    ? ok({ header, start: reader.offset })
    : err(metadataError("damaged", reader.error.offset, `the kernel header is cut off: ${reader.error.message}`));
}

/**
 * The ELF file in an executable, without prefix and kernel header: a view of `bytes`. A bare ELF file is returned
 * unchanged. Errors: `foreign`, `damaged`.
 *
 * @public
 */
export function stripBinaryHeader(bytes: Uint8Array): Result<Uint8Array, MetadataError> {
  const parts = partsOf(bytes);
  if (!parts.ok) return parts;
  const elf = bytes.subarray(parts.value.start);
  const read = shifted(readElf(elf), parts.value.start);
  return read.ok ? ok(elf) : read;
}

function shifted<T>(result: Result<T, MetadataError>, start: number): Result<T, MetadataError> {
  // The message contains the offset, so it is made again.
  return mapError(result, ({ code, offset, message }) =>
    metadataError(code, offset + start, message.slice(message.indexOf(": ") + 2)),
  );
}

/** True for bytes that begin like an executable, whole or bare; {@link readExecutable} checks the rest. @public */
export function isExecutable(bytes: Uint8Array): boolean {
  return bytes[0] === ELF_FIRST || PREFIX.every((byte, i) => bytes[i] === byte);
}

/**
 * Reads an executable, or its bare ELF file ({@link stripBinaryHeader}). Sections are views of `bytes`. Every count and
 * size is checked before it is used, and the content against its hash. Errors: `foreign`, `wrong_version`, `damaged`.
 *
 * @public
 */
export function readExecutable(bytes: Uint8Array): Result<LoadedExecutable, MetadataError> {
  const parts = partsOf(bytes);
  if (!parts.ok) return parts;
  const { header, start } = parts.value;
  const elf = bytes.subarray(start);
  const file = shifted(readElf(elf), start);
  if (!file.ok) return file;
  if (file.value.machine !== 0)
    return err(
      metadataError("foreign", start + 18, `this ELF file is for machine ${file.value.machine}, ours are for none`),
    );
  const sections = new Map<string, LoadedElfSection>();
  for (const section of file.value.sections) {
    if (sections.has(section.name))
      return err(metadataError("damaged", start + section.offset, `two sections have the name ${section.name}`));
    sections.set(section.name, section);
  }
  const note = sections.get(NOTE);
  if (note === undefined)
    return err(metadataError(header === null ? "foreign" : "damaged", start, `there is no section ${NOTE}`));
  const loaded = readNote(elf, note, start);
  if (!loaded.ok) return loaded;
  const content = readSections(sections, start);
  if (!content.ok) return content;
  const image = { ...loaded.value, ...content.value };
  if (header !== null && !saysTheSame(header, image)) {
    return err(metadataError("damaged", PREFIX.length + 4, `the kernel header and ${KERNELS} disagree`));
  }
  return ok(image);
}

/** True for a kernel header that says what an executable does. */
function saysTheSame(header: Uint8Array, { printfCalls, kernels }: ContentPart): boolean {
  const reader = new ByteReader(header);
  const said = takeHeader(reader);
  if (reader.error !== null || reader.remaining > 0) return false;
  const declared = { printfCalls, kernels: kernels.map((kernel) => ({ ...kernel, variants: undefined })) };
  return JSON.stringify(said) === JSON.stringify(declared);
}

type NotePart = Pick<LoadedExecutable, "formatVersion" | "hash" | "target" | "features">;

function readNote(elf: Uint8Array, note: LoadedElfSection, start: number): Result<NotePart, MetadataError> {
  const at = start + note.offset;
  const reader = new ByteReader(note.bytes);
  const nameSize = reader.u32();
  const size = reader.u32();
  const type = reader.u32();
  const name = reader.raw(PREFIX.length);
  reader.u8();
  const formatVersion = reader.u32();
  const hash = reader.u64();
  if (nameSize !== PREFIX.length || type !== NOTE_TYPE || !equalBytes(name, PREFIX))
    reader.fail("this is not the note of Muxkit");
  const early = failureOf(reader, NOTE, at);
  if (early !== null) return err(early);
  if (formatVersion !== EXECUTABLE_FORMAT_VERSION) {
    const what =
      `the executable has format version ${formatVersion}, ` +
      `this Muxkit reads version ${EXECUTABLE_FORMAT_VERSION}; compile it again`;
    return err(metadataError("wrong_version", at + NOTE_DESCRIPTION, what));
  }
  const actual = hashAround(elf, note.offset + HASH_IN_NOTE);
  if (actual !== hash)
    return err(
      metadataError(
        "damaged",
        at + HASH_IN_NOTE,
        `the content's hash is ${actual.toString(16)}, the file says ${hash.toString(16)}`,
      ),
    );
  const record = takeNote(reader);
  if (reader.offset !== NOTE_DESCRIPTION + size) reader.fail(`the description claims ${size} bytes`);
  const late = failureOf(reader, NOTE, at);
  return late === null ? ok({ formatVersion, hash, ...record }) : err(late);
}

/** The error of a reader of a section at `at`; null: none. */
function failureOf(reader: ByteReader, section: string, at: number): MetadataError | null {
  return reader.error === null
    ? null
    : metadataError("damaged", at + reader.error.offset, `${section}: ${reader.error.message}`);
}

/** The first inconsistency between patches and a section's bytes; null: none. */
function wrongPatch(bytes: Uint8Array, patches: readonly BytePatch[]): string | null {
  for (const [i, { name, offset, values }] of patches.entries()) {
    if (patches.findIndex((one) => one.name === name) < i) return `the patch "${name}" is listed twice`;
    const value = bytes[offset];
    if (value === undefined || !values.includes(value))
      return `byte ${offset} is ${value ?? "missing"}, where the patch "${name}" has one of ${values.join(", ")}`;
  }
  return null;
}

type ContentPart = Pick<ExecutableImage, "code" | "kernels" | "programData" | "printfCalls" | "extraBlocks">;

function readSections(
  sections: ReadonlyMap<string, LoadedElfSection>,
  start: number,
): Result<ContentPart, MetadataError> {
  const read = <T>(name: string, take: (reader: ByteReader) => T): Result<T, MetadataError> => {
    const section = sections.get(name);
    if (section === undefined) return err(metadataError("damaged", start, `there is no section ${name}`));
    const reader = new ByteReader(section.bytes);
    const value = take(reader);
    if (reader.remaining > 0) reader.fail(`${reader.remaining} bytes are left over`);
    const failure = failureOf(reader, name, start + section.offset);
    return failure === null ? ok(value) : err(failure);
  };
  const code: CodeSection[] = [];
  const records = read(CODE, takeCode);
  if (!records.ok) return records;
  for (const record of records.value) {
    const section = sections.get(record.name);
    if (section === undefined || code.some((c) => c.name === record.name) || OWN.includes(record.name)) {
      return err(metadataError("damaged", start, `${CODE}: ${record.name} is listed twice, missing, or no code`));
    }
    // The loader writes these bytes (docs/decisions/013-memory-flag.md), so they must match the metadata.
    const wrong = wrongPatch(section.bytes, record.patches);
    if (wrong !== null) return err(metadataError("damaged", start + section.offset, `${record.name}: ${wrong}`));
    code.push({ ...record, bytes: section.bytes });
  }
  const names = new Set(code.map((section) => section.name));
  const kernels = read(KERNELS, (reader) => takeKernels(reader, names));
  if (!kernels.ok) return kernels;
  const printfCalls = read(PRINTF, takePrintfCalls);
  if (!printfCalls.ok) return printfCalls;
  const programData = sections.has(DATA) ? read(DATA, takeProgramData) : ok(null);
  if (!programData.ok) return programData;
  const extraBlocks: ExtraBlock[] = [];
  for (const { name, bytes } of sections.values())
    if (!names.has(name) && !OWN.includes(name)) extraBlocks.push({ name, bytes });
  return ok({
    code,
    kernels: kernels.value,
    programData: programData.value,
    printfCalls: printfCalls.value,
    extraBlocks,
  });
}

function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, i) => byte === right[i]);
}
