// SPDX-License-Identifier: Apache-2.0
// The records of an executable as bytes (docs/executable-format.md). Each has an encoder and a checked decoder next to
// each other, so that they stay in step. Decoders trust no count and no number: an error stops the reader at its
// offset.
import { ARGUMENT_KINDS, PIXEL_CLASSES, type PixelClass } from "@muxkit/kernel-abi";
import { type ByteReader, ByteWriter, assert, isCount, isPowerOfTwo } from "@muxkit/cargo";

import type {
  ArgumentAccess,
  ArgumentAddressSpace,
  ArgumentMetadata,
  BytePatch,
  CodeSection,
  DataRelocation,
  KernelMetadata,
  PrintfCall,
  ProgramData,
  Size3,
  VariantMetadata,
} from "./executable-image.ts";

/** The index in each list is the number in the format: append, never reorder. */
const SPACES: readonly ArgumentAddressSpace[] = ["private", "global", "constant", "local"];
const ACCESSES: readonly ArgumentAccess[] = ["none", "read_only", "write_only", "read_write"];

const IS_CONST = 1;
const IS_RESTRICT = 2;
const IS_VOLATILE = 4;
/** The bits from this one on are classes of pixels. */
const FIRST_CLASS = 8;
const EVERY_CLASS = FIRST_CLASS * ((1 << PIXEL_CLASSES.length) - 1);

const UNIFORM_GROUPS = 1;
const ZERO_OFFSET = 2;
const ONE_BY_ONE = 4;

/** The host writes packed arguments for every launch: no kernel has a larger block. */
const MOST_PACKED_BYTES = 1 << 20;

function putCount(writer: ByteWriter, value: number): void {
  assert(isCount(value) && value < 2 ** 32, () => `${value} is no unsigned 32-bit number`);
  writer.varU32(value);
}

function putList<T>(writer: ByteWriter, list: readonly T[], put: (writer: ByteWriter, item: T) => void): void {
  putCount(writer, list.length);
  for (const item of list) put(writer, item);
}

function takeList<T>(reader: ByteReader, minimum: number, take: (reader: ByteReader) => T): readonly T[] {
  const count = reader.recordCount(minimum);
  const list: T[] = [];
  // The first error stops the loop, so a large count without content costs nothing.
  for (let i = 0; i < count && reader.error === null; i++) list.push(take(reader));
  return list;
}

function putText(writer: ByteWriter, value: string): void {
  writer.text(value);
}

function takeText(reader: ByteReader): string {
  return reader.text();
}

function putWord<T>(writer: ByteWriter, words: readonly T[], word: T): void {
  const index = words.indexOf(word);
  assert(index >= 0, () => `${String(word)} is no word of the format`);
  writer.u8(index);
}

function takeWord<T>(reader: ByteReader, words: readonly T[], otherwise: T): T {
  const index = reader.u8();
  const word = words[index];
  if (word === undefined) reader.fail(`${index} is none of ${words.join(", ")}`);
  return word ?? otherwise;
}

function takeBits(reader: ByteReader, all: number): number {
  const bits = reader.u8();
  if ((bits & ~all) !== 0) reader.fail(`unknown flags ${bits}`);
  return bits;
}

function takePresence(reader: ByteReader): boolean {
  return takeBits(reader, 1) === 1;
}

function putMaybe<T>(writer: ByteWriter, value: T | null, put: (writer: ByteWriter, value: T) => void): void {
  writer.u8(value === null ? 0 : 1);
  if (value !== null) put(writer, value);
}

function takeMaybe<T>(reader: ByteReader, take: (reader: ByteReader) => T): T | null {
  return takePresence(reader) ? take(reader) : null;
}

function takeAlignment(reader: ByteReader): number {
  const value = reader.varU32();
  if (!isPowerOfTwo(value)) reader.fail(`an alignment of ${value} is no power of two`);
  return value;
}

function putSize3(writer: ByteWriter, size: Size3): void {
  for (const value of size) putCount(writer, value);
}

function takeSize3(reader: ByteReader): Size3 {
  return [reader.varU32(), reader.varU32(), reader.varU32()];
}

function takeGroupSize(reader: ByteReader): Size3 {
  const size = takeSize3(reader);
  if (size.includes(0)) reader.fail(`a work-group size of ${size.join(" x ")}`);
  return size;
}

function putPrintfCall(writer: ByteWriter, call: PrintfCall): void {
  writer.text(call.format);
  putList(writer, call.argumentTypes, putText);
  putList(writer, call.strings, putText);
}

function takePrintfCall(reader: ByteReader): PrintfCall {
  return {
    format: reader.text(),
    argumentTypes: takeList(reader, 1, takeText),
    strings: takeList(reader, 1, takeText),
  };
}

/** Calls of printf. */
export function putPrintfCalls(writer: ByteWriter, calls: readonly PrintfCall[]): void {
  putList(writer, calls, putPrintfCall);
}

/** Reads what {@link putPrintfCalls} wrote. */
export function takePrintfCalls(reader: ByteReader): readonly PrintfCall[] {
  return takeList(reader, 3, takePrintfCall);
}

function classBits(classes: readonly PixelClass[]): number {
  return classes.reduce((bits, one) => bits | (FIRST_CLASS << PIXEL_CLASSES.indexOf(one)), 0);
}

function putArgument(writer: ByteWriter, a: ArgumentMetadata): void {
  writer.text(a.name);
  writer.text(a.typeName);
  putWord(writer, ARGUMENT_KINDS, a.kind);
  putWord(writer, SPACES, a.addressSpace);
  putWord(writer, ACCESSES, a.access);
  const qualifiers = (a.isConst ? IS_CONST : 0) | (a.isRestrict ? IS_RESTRICT : 0) | (a.isVolatile ? IS_VOLATILE : 0);
  writer.u8(qualifiers | classBits(a.pixelClasses ?? []));
  putCount(writer, a.size);
  assert(isPowerOfTwo(a.alignment), () => `argument ${a.name}: alignment ${a.alignment} is no power of two`);
  putCount(writer, a.alignment);
  putCount(writer, a.offset);
}

function takeArgument(reader: ByteReader): ArgumentMetadata {
  const name = reader.text();
  const typeName = reader.text();
  const kind = takeWord(reader, ARGUMENT_KINDS, "value");
  const addressSpace = takeWord(reader, SPACES, "private");
  const access = takeWord(reader, ACCESSES, "none");
  const bits = takeBits(reader, IS_CONST | IS_RESTRICT | IS_VOLATILE | EVERY_CLASS);
  const pixelClasses = PIXEL_CLASSES.filter((_, i) => (bits & (FIRST_CLASS << i)) !== 0);
  const size = reader.varU32();
  const alignment = takeAlignment(reader);
  const offset = reader.varU32();
  return {
    name,
    typeName,
    kind,
    addressSpace,
    access,
    isConst: (bits & IS_CONST) !== 0,
    isRestrict: (bits & IS_RESTRICT) !== 0,
    isVolatile: (bits & IS_VOLATILE) !== 0,
    size,
    alignment,
    offset,
    ...(pixelClasses.length === 0 ? {} : { pixelClasses }),
  };
}

/** Bytes of an argument in the packed arguments: for local memory, the u32 offset in the arena. */
function packedBytes(argument: ArgumentMetadata): number {
  return argument.kind === "local" ? 4 : argument.size;
}

/** A kernel's declaration: everything but its variants. */
function putDeclaration(writer: ByteWriter, kernel: KernelMetadata): void {
  writer.text(kernel.name);
  putCount(writer, kernel.packedSize);
  for (const a of kernel.arguments)
    assert(
      a.offset + packedBytes(a) <= kernel.packedSize,
      () => `kernel ${kernel.name}: argument ${a.name} is outside of the packed arguments`,
    );
  putList(writer, kernel.arguments, putArgument);
  putMaybe(writer, kernel.requiredWorkGroupSize, putSize3);
  putMaybe(writer, kernel.workGroupSizeHint, putSize3);
  putMaybe(writer, kernel.vecTypeHint, putText);
  putMaybe(writer, kernel.requiredSubGroupSize, putCount);
  writer.u8(kernel.uniformWorkGroups ? 1 : 0);
  writer.text(kernel.attributes);
  putCount(writer, kernel.privateMemorySize);
}

function takeDeclaration(reader: ByteReader): Omit<KernelMetadata, "variants"> {
  const name = reader.text();
  const packedSize = reader.varU32();
  if (packedSize > MOST_PACKED_BYTES) reader.fail(`kernel ${name}: ${packedSize} bytes of packed arguments`);
  const args = takeList(reader, 9, (r) => {
    const argument = takeArgument(r);
    if (argument.offset + packedBytes(argument) > packedSize)
      r.fail(`kernel ${name}: argument ${argument.name} is outside of the packed arguments`);
    return argument;
  });
  return {
    name,
    arguments: args,
    packedSize,
    requiredWorkGroupSize: takeMaybe(reader, takeGroupSize),
    workGroupSizeHint: takeMaybe(reader, takeSize3),
    vecTypeHint: takeMaybe(reader, takeText),
    requiredSubGroupSize: takeMaybe(reader, (r) => r.varU32()),
    uniformWorkGroups: reader.u8() !== 0,
    attributes: reader.text(),
    privateMemorySize: reader.varU32(),
  };
}

function putVariant(writer: ByteWriter, v: VariantMetadata): void {
  assert(
    v.vectorWidth > 0 && v.vectorDimension <= 2 && v.subGroupSize > 0,
    () =>
      `function ${v.functionName}: width ${v.vectorWidth}, dimension ${v.vectorDimension}, ` +
      `sub-groups of ${v.subGroupSize}`,
  );
  writer.text(v.functionName);
  writer.text(v.section);
  putSize3(writer, v.localSize);
  writer.u8(
    (v.needsUniformGroups ? UNIFORM_GROUPS : 0) |
      (v.needsZeroOffset ? ZERO_OFFSET : 0) |
      (v.offersOneByOne === true ? ONE_BY_ONE : 0),
  );
  for (const count of [v.staticLocalBytes, v.liveBytes, v.privateBytes, v.vectorWidth]) putCount(writer, count);
  writer.u8(v.vectorDimension);
  putCount(writer, v.subGroupSize);
  putList(writer, v.engineFeatures, putText);
}

function takeVariant(reader: ByteReader): VariantMetadata {
  const functionName = reader.text();
  const section = reader.text();
  const localSize = takeSize3(reader);
  if (localSize.includes(0) && localSize.some((n) => n !== 0)) reader.fail(`a local size of ${localSize.join(" x ")}`);
  const needs = takeBits(reader, UNIFORM_GROUPS | ZERO_OFFSET | ONE_BY_ONE);
  const staticLocalBytes = reader.varU32();
  const liveBytes = reader.varU32();
  const privateBytes = reader.varU32();
  const vectorWidth = reader.varU32();
  const vectorDimension = reader.u8();
  const subGroupSize = reader.varU32();
  if (vectorWidth === 0 || vectorDimension > 2 || subGroupSize === 0) {
    reader.fail(
      `function ${functionName}: vector width ${vectorWidth} in dimension ${vectorDimension}, ` +
        `sub-groups of ${subGroupSize}`,
    );
  }
  return {
    functionName,
    section,
    localSize,
    needsUniformGroups: (needs & UNIFORM_GROUPS) !== 0,
    needsZeroOffset: (needs & ZERO_OFFSET) !== 0,
    ...((needs & ONE_BY_ONE) === 0 ? {} : { offersOneByOne: true }),
    staticLocalBytes,
    liveBytes,
    privateBytes,
    vectorWidth,
    vectorDimension,
    subGroupSize,
    engineFeatures: takeList(reader, 1, takeText),
  };
}

/** Kernels with their variants. */
export function putKernels(writer: ByteWriter, kernels: readonly KernelMetadata[]): void {
  putList(writer, kernels, (w, kernel) => {
    putDeclaration(w, kernel);
    putList(w, kernel.variants, putVariant);
  });
}

/** Reads what {@link putKernels} wrote. A variant's section must be one of `sections`; names of kernels are unique. */
export function takeKernels(reader: ByteReader, sections: ReadonlySet<string>): readonly KernelMetadata[] {
  const names = new Set<string>();
  return takeList(reader, 10, (r) => {
    const kernel = { ...takeDeclaration(r), variants: takeList(r, 12, takeVariant) };
    if (names.has(kernel.name)) r.fail(`two kernels have the name ${kernel.name}`);
    names.add(kernel.name);
    const lost = kernel.variants.find((v) => !sections.has(v.section));
    if (lost !== undefined) r.fail(`kernel ${kernel.name}: there is no code section ${lost.section}`);
    return kernel;
  });
}

/** The kernel header before the ELF data: what an API queries of a binary before it is loaded. */
export function headerBytes(calls: readonly PrintfCall[], kernels: readonly KernelMetadata[]): Uint8Array {
  const writer = new ByteWriter();
  putPrintfCalls(writer, calls);
  putList(writer, kernels, putDeclaration);
  return writer.finish();
}

/** What a kernel header says. */
export interface HeaderRecord {
  readonly printfCalls: readonly PrintfCall[];
  readonly kernels: readonly Omit<KernelMetadata, "variants">[];
}

/** Reads what {@link headerBytes} wrote. */
export function takeHeader(reader: ByteReader): HeaderRecord {
  return { printfCalls: takePrintfCalls(reader), kernels: takeList(reader, 9, takeDeclaration) };
}

/** A code section without its bytes. */
export type CodeRecord = Omit<CodeSection, "bytes">;

function putPatch(writer: ByteWriter, { name, offset, values }: BytePatch): void {
  writer.text(name);
  putCount(writer, offset);
  putList(writer, values, (w, value) => w.u8(value));
}

function takePatch(reader: ByteReader): BytePatch {
  return { name: reader.text(), offset: reader.varU32(), values: takeList(reader, 1, (r) => r.u8()) };
}

/** Facts about code sections. */
export function putCode(writer: ByteWriter, code: readonly CodeRecord[]): void {
  putList(writer, code, (w, section) => {
    w.text(section.name);
    putList(w, section.features, putText);
    putList(w, section.patches, putPatch);
  });
}

/** Reads what {@link putCode} wrote. */
export function takeCode(reader: ByteReader): readonly CodeRecord[] {
  return takeList(reader, 3, (r) => ({
    name: r.text(),
    features: takeList(r, 1, takeText),
    patches: takeList(r, 3, takePatch),
  }));
}

function putRelocation(writer: ByteWriter, relocation: DataRelocation): void {
  putCount(writer, relocation.offset);
  putCount(writer, relocation.target);
}

/** Program-scope data. */
export function putProgramData(writer: ByteWriter, data: ProgramData): void {
  assert(
    data.bytes.length <= data.size && isPowerOfTwo(data.alignment),
    () => `program data: ${data.bytes.length} of ${data.size} bytes, alignment ${data.alignment}`,
  );
  putCount(writer, data.size);
  putCount(writer, data.alignment);
  writer.block(data.bytes);
  putList(writer, data.relocations, putRelocation);
}

/** Reads what {@link putProgramData} wrote. */
export function takeProgramData(reader: ByteReader): ProgramData {
  const size = reader.varU32();
  const alignment = takeAlignment(reader);
  const bytes = reader.block();
  if (bytes.length > size) reader.fail(`${bytes.length} initial bytes of data of ${size} bytes`);
  const relocations = takeList(reader, 2, (r) => {
    const relocation = { offset: r.varU32(), target: r.varU32() };
    if (relocation.offset + 4 > size || relocation.target > size)
      r.fail(`a pointer at ${relocation.offset} to ${relocation.target} in data of ${size} bytes`);
    return relocation;
  });
  return { size, alignment, bytes, relocations };
}

/** The device and the features that all default code needs. */
export interface NoteRecord {
  readonly target: string;
  readonly features: readonly string[];
}

/** The end of the note. */
export function putNote(writer: ByteWriter, note: NoteRecord): void {
  writer.text(note.target);
  putList(writer, note.features, putText);
}

/** Reads what {@link putNote} wrote. */
export function takeNote(reader: ByteReader): NoteRecord {
  return { target: reader.text(), features: takeList(reader, 1, takeText) };
}
