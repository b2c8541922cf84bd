// SPDX-License-Identifier: Apache-2.0
// The store of built programs, and their representation: bytes that record what they were built from, and a
// checksum.
import { ByteReader, ByteWriter, type Result, fnv1a, ok } from "@muxkit/cargo";
import type { KernelInfo } from "@muxkit/compiler";
import { isVerifiedCode, markVerifiedCode } from "@muxkit/metadata";

import type { KernelTraits } from "./kernel-traits.ts";

/**
 * Keeps bytes by name, for later processes too. What goes wrong is the store's own business: it then has nothing, and
 * keeps nothing.
 *
 * @public
 */
export interface ProgramStore {
  /** The bytes that were written last under a name; null when there are none, or no more. */
  read(name: string): Uint8Array | null;
  /**
   * Keeps bytes under a name: letters, digits, `-` and `.`. `isVerified`: machine code in them was, and who reads them
   * may ask by `isVerified` whether these are still the same.
   */
  write(name: string, bytes: Uint8Array, isVerified?: boolean): void;
  /**
   * True for bytes that `read` has returned under a name and that a process of this user has written as verified.
   * Absent: nobody knows.
   */
  isVerified?(name: string, bytes: Uint8Array): boolean;
}

/** A file that the front end requested; null: it was not there. */
export interface FileRead {
  readonly path: string;
  readonly text: string | null;
}

/** The stored data of a kernel. */
export interface KeptKernel extends KernelTraits {
  readonly info: KernelInfo;
}

/** A build that was kept. */
export interface KeptProgram {
  /** All that it was built from, but for the files. */
  readonly key: string;
  /** The files that were looked for, in order. */
  readonly files: readonly FileRead[];
  readonly log: string;
  readonly kernels: readonly KeptKernel[];
  /** Empty: the whole program was never built. */
  readonly binary: Uint8Array;
}

/** "MXKP", little-endian. */
const MAGIC = 0x504b_584d;
const VERSION = 2;
/** Offset of the data that the checksum covers. */
const BODY = 10;

const encoder = new TextEncoder();

/** Texts as one: other texts, or the same in another order, have another key. */
export function keyOf(texts: readonly string[]): string {
  return JSON.stringify(texts);
}

/** The file name of a key. Different keys may share one, so the stored key is compared. */
export function nameOf(key: string): string {
  const bytes = encoder.encode(key);
  const half = bytes.length >>> 1;
  return [fnv1a(bytes.subarray(0, half)), fnv1a(bytes.subarray(half))]
    .map((hash) => hash.toString(16).padStart(8, "0"))
    .join("");
}

/** The program that a store has under a key, if its code is this key's; null: there is none. */
export function readProgram(store: ProgramStore, key: string): KeptProgram | null {
  const name = nameOf(key);
  const bytes = store.read(name);
  const program = bytes === null ? null : decodeProgram(bytes, key);
  if (bytes !== null && program !== null)
    markVerifiedCode(program.binary, () => store.isVerified?.(name, bytes) === true);
  return program;
}

/** Stores a program under its key. */
export function writeProgram(store: ProgramStore, program: KeptProgram): void {
  store.write(nameOf(program.key), encodeProgram(program), isVerifiedCode(program.binary));
}

/** A kept program as bytes. */
export function encodeProgram({ key, files, log, kernels, binary }: KeptProgram): Uint8Array {
  const writer = new ByteWriter(binary.length + 2 * key.length + 1024);
  writer.u32(MAGIC);
  writer.u16(VERSION);
  writer.u32(0);
  writer.text(key);
  writer.text(JSON.stringify(files));
  writer.text(log);
  writer.text(JSON.stringify(kernels));
  writer.block(binary);
  const bytes = writer.finish();
  new DataView(bytes.buffer).setUint32(BODY - 4, fnv1a(bytes.subarray(BODY)), true);
  return bytes;
}

/**
 * Reads what {@link encodeProgram} wrote, for a key if one is passed; null for everything else: damage, another
 * version, another key.
 */
export function decodeProgram(bytes: Uint8Array, key: string | null): KeptProgram | null {
  const reader = new ByteReader(bytes);
  const magic = reader.u32();
  const version = reader.u16();
  const checksum = reader.u32();
  if (reader.error !== null || magic !== MAGIC || version !== VERSION || checksum !== fnv1a(bytes.subarray(BODY)))
    return null;
  const own = reader.text();
  if (key !== null && own !== key) return null;
  const [files, log, kernels] = [reader.text(), reader.text(), reader.text()];
  const binary = reader.block();
  // Whole, by its checksum, and of this version: the texts are what was written.
  return reader.error === null
    ? {
        key: own,
        files: JSON.parse(files) as readonly FileRead[],
        log,
        kernels: JSON.parse(kernels) as readonly KeptKernel[],
        binary,
      }
    : null;
}

/** The content of a file of a store, for tools that inspect a store. @public */
export interface KeptFile {
  /** Names of the program's kernels; none for code that is kept by itself. */
  readonly kernels: readonly string[];
  /** Bytes for muxCreateExecutable; empty if only single kernels were requested. */
  readonly binary: Uint8Array;
}

/** Reads a file of a store; null: it is not whole, or of another version. @public */
export function readKeptFile(bytes: Uint8Array): KeptFile | null {
  const program = decodeProgram(bytes, null);
  return program === null ? null : { kernels: program.kernels.map(({ info }) => info.name), binary: program.binary };
}

/** The key of separately stored code of a program; `what` distinguishes it from other code of the program. */
function codeKey({ key, files }: KeptProgram, what: readonly string[]): string {
  return keyOf([key, JSON.stringify(files), ...what]);
}

/** A store of code of one device. */
export interface DeviceStore extends ProgramStore {
  /** Whether kept code runs on the device. */
  readonly runs: (binary: Uint8Array) => boolean;
  /** False: the device turned out to have less than what keys say, so that nothing is kept under them. */
  readonly keeps: () => boolean;
}

/** Separately stored code of a program that runs here; null: it is not there. */
export function findCode(store: DeviceStore, program: KeptProgram, what: readonly string[]): Uint8Array | null {
  const binary = readProgram(store, codeKey(program, what))?.binary ?? null;
  return binary !== null && store.runs(binary) ? binary : null;
}

/** Stores code of a program by itself. */
export function keepCode(store: DeviceStore, program: KeptProgram, what: readonly string[], binary: Uint8Array): void {
  if (store.keeps()) writeProgram(store, { key: codeKey(program, what), files: [], log: "", kernels: [], binary });
}

/** Separately stored code of a program: the result of `make`, unless the store has it. */
export function keptCode<E>(
  store: DeviceStore,
  program: KeptProgram,
  what: readonly string[],
  make: () => Result<Uint8Array | null, E>,
): Result<Uint8Array | null, E> {
  const known = findCode(store, program, what);
  if (known !== null) return ok(known);
  const made = make();
  if (made.ok && made.value !== null) keepCode(store, program, what, made.value);
  return made;
}
