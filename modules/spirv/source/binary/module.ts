// SPDX-License-Identifier: Apache-2.0
// A binary as a stream of instructions: typed columns, no object for a word or an instruction. Two passes over the
// words, one that counts and one that fills; what operands mean is left to OperandCursor.
import { type Result, byteSwap32, err, isLittleEndian, ok } from "@muxkit/cargo";

import { opRow, opcodeOf } from "../grammar/tables.ts";
import { Definitions } from "./definitions.ts";
import type { SpirvError } from "./error.ts";

/** The first word of a module. @public */
export const SPIRV_MAGIC = 0x07230203;
/** Words of the header. @public */
export const HEADER_WORDS = 5;

const MAGIC_SWAPPED = 0x03022307;
const LAST_MINOR = 6;
const EXT_INST_IMPORT = opcodeOf("OpExtInstImport");

/** A module as a stream of instructions. @public */
export interface SpirvModule {
  /** All words, in this machine's order of bytes. */
  readonly words: Uint32Array;
  /** As the header says it: 0x00010300 is 1.3. */
  readonly version: number;
  /** Who made it: the tool in the upper half, its version in the lower. */
  readonly generator: number;
  /** Every id is less. */
  readonly bound: number;
  /** Always 0. */
  readonly schema: number;
  /** How many instructions there are. */
  readonly count: number;
  /** The word at which each instruction begins, and the end as the last element. */
  readonly offsets: Uint32Array;
  /** The opcode of each instruction. */
  readonly opcodes: Uint16Array;
  /** The id of each result's type; 0: it has none. */
  readonly types: Uint32Array;
  /** The id that each instruction defines; 0: it defines none. */
  readonly results: Uint32Array;
  /** Where ids are defined. */
  readonly definitions: Definitions;
  /** The names of extended sets by the ids of their imports. */
  readonly imports: ExtendedImports;
}

/**
 * The extended sets that a module imports. Names are read where they are asked for, and few of them are kept.
 *
 * @public
 */
export class ExtendedImports {
  readonly #names = new Map<number, string>();
  readonly #module: Pick<SpirvModule, "words" | "offsets" | "opcodes" | "definitions">;

  /** Those of a module that imports some; nobody imports many. */
  constructor(module: Pick<SpirvModule, "words" | "offsets" | "opcodes" | "definitions">) {
    this.#module = module;
  }

  /** The name of a set; undefined: the id is no import. */
  get(id: number): string | undefined {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const { words, offsets, opcodes, definitions } = this.#module;
    const at = definitions.of(id);
    if (opcodes[at] !== EXT_INST_IMPORT) return undefined;
    const name = stringAt(words, (offsets[at] ?? 0) + 2, offsets[at + 1] ?? 0);
    if (this.#names.size < MOST_KEPT_NAMES) this.#names.set(id, name);
    return name;
  }
}
const MOST_KEPT_NAMES = 64;

/** True if bytes begin like a module, in either order of bytes. @public */
export function isSpirv(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return false;
  const first = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  return first === SPIRV_MAGIC || first === MAGIC_SWAPPED;
}

function failure(offset: number, rule: string, message: string): Result<never, SpirvError> {
  return err({ offset, rule, message, instruction: "" });
}

/** Bytes as words in this machine's order. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(bytes.length / 4);
  new Uint8Array(words.buffer).set(bytes);
  const isSwapped = words[0] === MAGIC_SWAPPED;
  if (isSwapped) for (let index = 0; index < words.length; index++) words[index] = byteSwap32(words[index] ?? 0);
  return words;
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of a literal string; `end` is the word after the last one that may belong to it. @public */
export function stringAt(words: Uint32Array, begin: number, end: number): string {
  const bytes = new Uint8Array(Math.max(0, end - begin) * 4);
  let length = 0;
  for (let at = begin; at < end; at++)
    for (let shift = 0; shift < 32; shift += 8) {
      const byte = ((words[at] ?? 0) >>> shift) & 0xff;
      if (byte === 0) return DECODER.decode(bytes.subarray(0, length));
      bytes[length++] = byte;
    }
  return DECODER.decode(bytes);
}

/** Splits a module into its instructions. Operands are looked at only by those who walk over them. @public */
export function parseModule(binary: Uint8Array | Uint32Array): Result<SpirvModule, SpirvError> {
  const bytes =
    binary instanceof Uint8Array ? binary : new Uint8Array(binary.buffer, binary.byteOffset, binary.byteLength);
  if (bytes.length % 4 !== 0)
    return failure(bytes.length >>> 2, "module-size", `the module has ${bytes.length} bytes, which are no whole words`);
  const words = wordsOf(bytes);
  const { length } = words;
  if (length < HEADER_WORDS)
    return failure(length, "header", `the module ends after ${length} words, its header alone has ${HEADER_WORDS}`);
  const [magic = 0, version = 0, , bound = 0, schema = 0] = words;
  if (magic !== SPIRV_MAGIC)
    return failure(0, "magic-number", `the module begins with 0x${magic.toString(16)}, not with SPIR-V's magic number`);
  if ((version & 0xff0000ff) !== 0 || version >>> 16 !== 1 || ((version >>> 8) & 0xff) > LAST_MINOR)
    return failure(1, "version", `the version is 0x${version.toString(16)}; versions 1.0 to 1.${LAST_MINOR} are known`);
  if (bound === 0) return failure(3, "id-bound", "the bound of ids is 0");
  if (schema !== 0) return failure(4, "schema", `the schema is ${schema}, it must be 0`);

  const counted = countInstructions(words);
  return counted.ok ? ok(fill(words, counted.value)) : counted;
}

/** How many instructions there are; each has an opcode of the grammar and ends inside of the module. */
function countInstructions(words: Uint32Array): Result<number, SpirvError> {
  const { length } = words;
  let count = 0;
  for (let at = HEADER_WORDS; at < length;) {
    const first = words[at] ?? 0;
    const size = first >>> 16;
    if (size === 0) return failure(at, "word-count", "an instruction says that it has no words");
    if (size > length - at)
      return failure(at, "word-count", `an instruction has ${size} words, the module has ${length - at} left`);
    if (opRow(first & 0xffff) === undefined) return failure(at, "opcode", `there is no opcode ${first & 0xffff}`);
    at += size;
    count++;
  }
  return ok(count);
}

/** The columns of the instructions. */
function fill(words: Uint32Array, count: number): SpirvModule {
  const [, version = 0, generator = 0, bound = 0, schema = 0] = words;
  const offsets = new Uint32Array(count + 1);
  const opcodes = new Uint16Array(count);
  const types = new Uint32Array(count);
  const results = new Uint32Array(count);
  let at = HEADER_WORDS;
  for (let index = 0; index < count; index++) {
    const first = words[at] ?? 0;
    const size = first >>> 16;
    const opcode = first & 0xffff;
    const row = opRow(opcode);
    offsets[index] = at;
    opcodes[index] = opcode;
    if (row?.hasType === true && size > 1) types[index] = words[at + 1] ?? 0;
    if (row?.hasResult === true) {
      const where = row.hasType ? 2 : 1;
      if (size > where) results[index] = words[at + where] ?? 0;
    }
    at += size;
  }
  offsets[count] = at;
  const definitions = new Definitions(results, bound, words.length);
  return {
    words,
    version,
    generator,
    bound,
    schema,
    count,
    offsets,
    opcodes,
    types,
    results,
    definitions,
    imports: new ExtendedImports({ words, offsets, opcodes, definitions }),
  };
}

/** The bytes of words, least significant byte first. @public */
export function bytesOfWords(words: Uint32Array): Uint8Array {
  const copy = words.slice();
  if (!isLittleEndian) for (let index = 0; index < copy.length; index++) copy[index] = byteSwap32(copy[index] ?? 0);
  return new Uint8Array(copy.buffer);
}
