// SPDX-License-Identifier: Apache-2.0
// LLVM's bitstream: blocks in blocks, records of numbers, and abbreviations that say how records are packed. One walk
// over the bits on a stack of its own; records come as plain arrays. No number that a stream claims is believed before
// the bits for it are there.
import { type Result, err, ok } from "@muxkit/cargo";

/** What is wrong with bitcode. @public */
export interface BitcodeError {
  /** The bit at which it was noticed, counted from the file's first. */
  readonly bit: number;
  /** One sentence. */
  readonly message: string;
}

/** A record: its code, its operands, and where it begins. */
export interface BitcodeRecord {
  readonly code: number;
  /** Operands; those above 2^53 are rounded and whole in `wide`. */
  readonly operands: readonly number[];
  readonly wide: ReadonlyMap<number, bigint> | null;
  /** Bytes that follow the operands. */
  readonly blob: Uint8Array | null;
  readonly bit: number;
}

/** A block: its records and blocks in their order. */
export interface BitcodeBlock {
  readonly id: number;
  readonly items: (BitcodeRecord | BitcodeBlock)[];
  readonly bit: number;
}

export function isBlock(item: BitcodeRecord | BitcodeBlock): item is BitcodeBlock {
  return "items" in item;
}

/** How an operand of an abbreviation is packed. */
interface Operand {
  readonly kind: "literal" | "fixed" | "vbr" | "array" | "char6" | "blob";
  readonly value: number;
}
type Abbreviation = readonly Operand[];

const MAGIC = 0xdec04342;
const WRAPPER = 0x0b17c0de;
const CHAR6 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
const KINDS = ["literal", "fixed", "vbr", "array", "char6", "blob"] as const;
const BLOCK_INFO = 0;
const MOST_DEPTH = 32;
const MOST_ABBREVIATIONS = 4096;

/** True if bytes begin like bitcode, plain or wrapped. @public */
export function isBitcode(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return false;
  const first = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  return first === MAGIC || first === WRAPPER;
}

class BitcodeFault extends Error {
  readonly bit: number;

  constructor(bit: number, message: string) {
    super(message);
    this.bit = bit;
  }
}

/** Reads bits from bytes, least significant first. */
class Bits {
  readonly #bytes: Uint8Array;
  readonly end: number;
  at: number;

  constructor(bytes: Uint8Array, begin: number, end: number) {
    this.#bytes = bytes;
    this.at = begin * 8;
    this.end = end * 8;
  }

  fail(message: string): never {
    throw new BitcodeFault(this.at, message);
  }

  /** Up to 32 bits. */
  fixed(width: number): number {
    if (width > this.end - this.at) this.fail("the stream ends inside of a number");
    let value = 0;
    let done = 0;
    while (done < width) {
      const byte = this.#bytes[this.at >>> 3] ?? 0;
      const shift = this.at & 7;
      const take = Math.min(8 - shift, width - done);
      value += ((byte >>> shift) & ((1 << take) - 1)) * 2 ** done;
      done += take;
      this.at += take;
    }
    return value;
  }

  /** A number in groups of bits; null: it needs more than 53, `wide` has it. */
  vbr(width: number): number {
    const high = 2 ** (width - 1);
    let value = 0;
    this.wide = null;
    for (let shift = 0; ; shift += width - 1) {
      const group = this.fixed(width);
      const part = group >= high ? group - high : group;
      if (shift > 70) this.fail("a number has more than 64 bits");
      if (shift + width - 1 > 53) this.wide = (this.wide ?? BigInt(value)) | (BigInt(part) << BigInt(shift));
      else value += part * 2 ** shift;
      if (group < high) break;
    }
    return this.wide === null ? value : Number(this.wide);
  }

  wide: bigint | null = null;

  align(): void {
    this.at = Math.ceil(this.at / 32) * 32;
    if (this.at > this.end) this.fail("the stream ends before a border of 32 bits");
  }

  bytes(count: number): Uint8Array {
    if (count * 8 > this.end - this.at) this.fail("the stream ends inside of bytes");
    const begin = this.at >>> 3;
    this.at += count * 8;
    return this.#bytes.subarray(begin, begin + count);
  }
}

function readAbbreviation(bits: Bits): Abbreviation {
  const count = bits.vbr(5);
  const operands: Operand[] = [];
  for (let at = 0; at < count; at++) {
    if (bits.fixed(1) === 1) {
      operands.push({ kind: "literal", value: bits.vbr(8) });
      continue;
    }
    const kind = KINDS[bits.fixed(3)];
    if (kind === undefined || kind === "literal") return bits.fail("an abbreviation has an unknown encoding");
    const value = kind === "fixed" || kind === "vbr" ? bits.vbr(5) : 0;
    if (value > 32 || (kind === "vbr" && value === 1)) bits.fail(`numbers of ${value} bits are not packed so`);
    operands.push({ kind, value });
  }
  return operands;
}

function readOperand(bits: Bits, { kind, value }: Operand): number {
  bits.wide = null;
  if (kind === "literal") return value;
  if (kind === "char6") return CHAR6.charCodeAt(bits.fixed(6));
  return kind === "vbr" && value > 0 ? bits.vbr(value) : bits.fixed(value);
}

/** A record that is packed as an abbreviation says. */
function readAbbreviated(bits: Bits, abbreviation: Abbreviation, bit: number): BitcodeRecord {
  const all: number[] = [];
  let wide: Map<number, bigint> | null = null;
  let blob: Uint8Array | null = null;
  const take = (operand: Operand): void => {
    all.push(readOperand(bits, operand));
    // The code is the first number, and not an operand.
    if (bits.wide !== null) (wide ??= new Map()).set(all.length - 2, bits.wide);
  };
  for (let at = 0; at < abbreviation.length; at++) {
    const operand = abbreviation[at];
    if (operand === undefined) break;
    if (operand.kind === "array") {
      const element = abbreviation[at + 1];
      const length = bits.vbr(6);
      const isEmpty = element === undefined || (element.kind !== "char6" && element.value === 0);
      if (element === undefined || element.kind === "array" || element.kind === "blob" || (isEmpty && length > 0))
        return bits.fail("an array has elements of no size");
      if (length > bits.end - bits.at) bits.fail(`an array has ${length} elements, the stream has less bits left`);
      for (let one = 0; one < length; one++) take(element);
      break;
    }
    if (operand.kind === "blob") {
      const length = bits.vbr(6);
      bits.align();
      blob = bits.bytes(length);
      bits.align();
      break;
    }
    take(operand);
  }
  const [code = 0, ...operands] = all;
  return { code, operands, wide, blob, bit };
}

function readPlain(bits: Bits, bit: number): BitcodeRecord {
  const code = bits.vbr(6);
  const count = bits.vbr(6);
  if (count > bits.end - bits.at) bits.fail(`a record has ${count} operands, the stream has less bits left`);
  const operands: number[] = [];
  let wide: Map<number, bigint> | null = null;
  for (let at = 0; at < count; at++) {
    operands.push(bits.vbr(6));
    if (bits.wide !== null) (wide ??= new Map()).set(at, bits.wide);
  }
  return { code, operands, wide, blob: null, bit };
}

/** An open block. */
interface Open {
  readonly block: BitcodeBlock;
  readonly width: number;
  readonly abbreviations: Abbreviation[];
}

function readAll(bits: Bits): BitcodeBlock[] {
  const known = new Map<number, Abbreviation[]>();
  const top: BitcodeBlock[] = [];
  const stack: Open[] = [];
  let described = -1;
  while (stack.length > 0 || bits.end - bits.at >= 32) {
    const open = stack.at(-1);
    const bit = bits.at;
    const id = bits.fixed(open?.width ?? 2);
    if (id === 1) {
      const block: BitcodeBlock = { id: bits.vbr(8), items: [], bit };
      const width = bits.vbr(4);
      if (width < 2 || width > 32) bits.fail(`abbreviations have ${width} bits`);
      bits.align();
      const words = bits.fixed(32);
      if (words * 32 > bits.end - bits.at) bits.fail(`a block has ${words} words, the stream has less left`);
      if (stack.length >= MOST_DEPTH) bits.fail(`blocks are nested more than ${MOST_DEPTH} deep`);
      (open?.block.items ?? top).push(block);
      stack.push({ block, width, abbreviations: [...(known.get(block.id) ?? [])] });
    } else if (open === undefined) bits.fail("something outside of blocks is no block");
    else if (id === 0) {
      bits.align();
      stack.pop();
    } else if (id === 2) {
      const abbreviation = readAbbreviation(bits);
      if (open.abbreviations.length >= MOST_ABBREVIATIONS) bits.fail("there are too many abbreviations");
      if (open.block.id !== BLOCK_INFO) open.abbreviations.push(abbreviation);
      else if (described < 0) bits.fail("an abbreviation is for no block");
      else known.set(described, [...(known.get(described) ?? []), abbreviation]);
    } else {
      const abbreviation = id === 3 ? null : open.abbreviations[id - 4];
      if (abbreviation === undefined) return bits.fail(`there is no abbreviation ${id}`);
      const record = abbreviation === null ? readPlain(bits, bit) : readAbbreviated(bits, abbreviation, bit);
      if (open.block.id === BLOCK_INFO && record.code === 1) described = record.operands[0] ?? -1;
      open.block.items.push(record);
    }
  }
  return top;
}

/** The blocks of bitcode, plain or wrapped. */
export function readBitstream(bytes: Uint8Array): Result<readonly BitcodeBlock[], BitcodeError> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const word = (at: number): number => (at + 4 <= bytes.length ? view.getUint32(at, true) : 0);
  let [begin, end] = [0, bytes.length];
  if (word(0) === WRAPPER) {
    [begin, end] = [word(8), word(8) + word(12)];
    if (end > bytes.length || begin % 4 !== 0)
      return err({
        bit: 64,
        message: `the wrapper says that bitcode is at ${begin} to ${end} of ${bytes.length} bytes`,
      });
  }
  if (word(begin) !== MAGIC) return err({ bit: begin * 8, message: "LLVM bitcode does not begin here" });
  const bits = new Bits(bytes, begin + 4, end);
  return attempt(() => readAll(bits));
}

/** Runs what stops at the first thing that is wrong. */
export function attempt<T>(run: () => T): Result<T, BitcodeError> {
  try {
    return ok(run());
  } catch (error) {
    if (!(error instanceof BitcodeFault)) throw error;
    return err({ bit: error.bit, message: error.message });
  }
}

/** Stops: something is wrong at a bit. */
export function refuse(bit: number, message: string): never {
  throw new BitcodeFault(bit, message);
}
