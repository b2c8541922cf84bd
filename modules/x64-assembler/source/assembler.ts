// SPDX-License-Identifier: Apache-2.0
/**
 * The encoder: a form and its operands to bytes.
 *
 * What a form wants is in columns of numbers (`forms.ts`), so `emit` reads typed arrays, writes bytes and makes no
 * object. Operands are numbers: registers by their number, immediates by value, and {@link MEMORY} for the operand in
 * memory, which a call before has described: `emit(ADD, 3, assembler.kernel(base, index, 2, 8))`.
 *
 * Encodings are canonical: the shortest displacement, the two-byte VEX where it can be, legacy prefixes in the order
 * 65 67 F0 66/F2/F3. EVEX is taken where VEX cannot say it: registers from 16 on, masks, broadcasts. So equal
 * instructions have equal bytes, which the verifier relies on.
 *
 * Jumps go to labels; those that look forward have 32 bits. Cost: linear in the bytes.
 */
import { InternalError } from "@muxkit/cargo";

import {
  BYTE_IN_REG,
  BYTE_IN_RM,
  EVEX,
  HAS_MODRM,
  HAS_VECTOR_INDEX,
  IMMEDIATE,
  IMMEDIATE_BYTES,
  IS_GATHER,
  IS_LOCKED,
  LEGACY,
  MASKING_SHIFT,
  MAY_BE_MEMORY,
  MAY_BE_REGISTER,
  NO_OPERAND,
  VEX,
  VECTOR_IN_RM,
} from "./form-columns.ts";
import { COLUMNS, OPCODE_OF, SHAPE_OF, TWIN_DISTANCE, formAt, formOf } from "./forms.ts";

/** Stands for the operand in memory, which the assembler's last address describes. @public */
export const MEMORY = -1;
/** No base or no index in an address. @public */
export const NONE = -1;

/** The kinds of addresses: none, a plain one of 64 bits, the kernel's memory, a label by RIP. @public */
export const ADDRESS = { none: 0, flat: 1, kernel: 2, rip: 3 } as const;

const PREFIX_BYTES = Uint8Array.of(0, 0x66, 0xf3, 0xf2);
const JUMP8 = formOf("jmp rel8");
const JUMP32 = formOf("jmp rel32");
const JUMP_IF8 = formOf("jcc rel8, cc");
const JUMP_IF32 = formOf("jcc rel32, cc");
const CALL = formOf("call rel32");

const WIDEST_INSTRUCTION = 16;
const UNBOUND = -1;

/** Writes machine code. Wrong operands are defects of the caller: an `InternalError`. @public */
export class Assembler {
  /** The bytes so far are the first {@link Assembler.length} of these. */
  bytes: Uint8Array = new Uint8Array(4096);
  /** How many bytes there are, which is also the offset of the next one. */
  length: number = 0;

  /** The address that the next {@link MEMORY} means. */
  addressKind: number = ADDRESS.none;
  /** Its base register, or {@link NONE}. */
  base: number = NONE;
  /** Its index register, or {@link NONE}; a vector for gathers and scatters. */
  index: number = NONE;
  /** Binary logarithm of the factor of the index. */
  scale: number = 0;
  /** Its displacement in bytes, signed, 32 bits. */
  displacement: number = 0;
  /** Its label, or {@link NONE} for a displacement from the end of the instruction. */
  addressLabel: number = NONE;

  /** The mask of the next instruction; 0 for none. */
  mask: number = 0;
  /** Whether lanes that the mask leaves out become 0. */
  isZeroing: boolean = false;
  /** Whether the next instruction takes one element from memory for all lanes. */
  isBroadcast: boolean = false;

  /** The form that is being written. */
  #form: number = -1;
  readonly #arguments: Int32Array = new Int32Array(6);
  #labels: Int32Array = new Int32Array(64);
  #labelCount: number = 0;
  /** Triples: where the 32 bits are, where the instruction ends, the label. */
  #uses: Int32Array = new Int32Array(192);
  #useCount: number = 0;

  /** Forgets all code and labels; the memory stays. */
  reset(): void {
    this.length = 0;
    this.#labelCount = 0;
    this.#useCount = 0;
    this.#clear();
  }

  /** An address of 64 bits: base + index × 2^scale + displacement; {@link NONE} leaves out a register. */
  flat(base: number, displacement: number = 0, index: number = NONE, scale: number = 0): number {
    return this.#address(ADDRESS.flat, base, index, scale, displacement);
  }

  /** An address in the kernel's memory: GS base + (base + index × 2^scale + displacement modulo 2^32). */
  kernel(base: number, displacement: number = 0, index: number = NONE, scale: number = 0): number {
    return this.#address(ADDRESS.kernel, base, index, scale, displacement);
  }

  /** The address of a label, by RIP. */
  at(label: number): number {
    this.addressLabel = label;
    return this.#address(ADDRESS.rip, NONE, NONE, 0, 0);
  }

  #address(kind: number, base: number, index: number, scale: number, displacement: number): number {
    this.addressKind = kind;
    this.base = base;
    this.index = index;
    this.scale = scale;
    this.displacement = displacement | 0;
    return MEMORY;
  }

  /** Sets the mask of the next instruction. */
  masked(mask: number, isZeroing: boolean = false): this {
    this.mask = mask;
    this.isZeroing = isZeroing;
    return this;
  }

  /** Writes one instruction. `a` to `d` are the operands in the order of the text, without implied ones. */
  emit(id: number, a: number = 0, b: number = 0, c: number = 0, d: number = 0): void {
    this.#reserve(WIDEST_INSTRUCTION);
    const given = this.#arguments;
    given[0] = a;
    given[1] = b;
    given[2] = c;
    given[3] = d;
    given[NO_OPERAND] = 0;
    this.#form = id;
    const shape = SHAPE_OF[id] ?? -1;
    const kind = COLUMNS.kind[shape];
    if (kind === LEGACY) this.#legacy(shape);
    else if (kind === EVEX) this.#evex(shape);
    else if (kind === VEX) this.#vexOrTwin(shape);
    else throw new InternalError(`there is no form ${id}`);
    this.#clear();
  }

  #clear(): void {
    this.addressKind = ADDRESS.none;
    this.mask = 0;
    this.isZeroing = false;
    this.isBroadcast = false;
  }

  #vexOrTwin(shape: number): void {
    const given = this.#arguments;
    const isMemory = this.addressKind !== ADDRESS.none;
    const flags = COLUMNS.flags[shape] ?? 0;
    let highest = (given[COLUMNS.reg[shape] ?? 0] ?? 0) | (given[COLUMNS.vvvv[shape] ?? 0] ?? 0);
    if (!isMemory) highest |= given[COLUMNS.rm[shape] ?? 0] ?? 0;
    else if ((flags & HAS_VECTOR_INDEX) !== 0) highest |= this.index;
    if (highest < 16 && this.mask === 0 && !this.isBroadcast) this.#vex(shape);
    else {
      const distance = TWIN_DISTANCE[this.#form] ?? 0;
      if (distance === 0) this.#refuse("has no form for registers from 16 on, masks or broadcasts");
      this.#form += distance;
      this.#evex(SHAPE_OF[this.#form] ?? -1);
    }
  }

  #refuse(reason: string): never {
    throw new InternalError(`"${formAt(this.#form).key}" ${reason}`);
  }

  /** Whether the r/m operand is memory; it must be what the form allows. */
  #isMemory(shape: number, flags: number): boolean {
    const isMemory = this.addressKind !== ADDRESS.none;
    const rm = COLUMNS.rm[shape] ?? NO_OPERAND;
    if (isMemory) {
      if ((flags & MAY_BE_MEMORY) === 0 || this.#arguments[rm] !== MEMORY) this.#refuse("got an address");
    } else if (rm !== NO_OPERAND && ((flags & MAY_BE_REGISTER) === 0 || (this.#arguments[rm] ?? 0) < 0)) {
      this.#refuse("got no address");
    }
    return isMemory;
  }

  #segment(): void {
    if (this.addressKind !== ADDRESS.kernel) return;
    this.bytes[this.length++] = 0x65;
    this.bytes[this.length++] = 0x67;
  }

  #legacy(shape: number): void {
    const given = this.#arguments;
    const flags = COLUMNS.flags[shape] ?? 0;
    const isMemory = this.#isMemory(shape, flags);
    const { bytes } = this;
    const reg = given[COLUMNS.reg[shape] ?? NO_OPERAND] ?? 0;
    const rm = isMemory ? 0 : (given[COLUMNS.rm[shape] ?? NO_OPERAND] ?? 0);
    const inOpcode = COLUMNS.isInOpcode[shape] === 1;
    this.#checkPlain(reg | rm);
    this.#segment();
    if ((flags & IS_LOCKED) !== 0) bytes[this.length++] = 0xf0;
    const prefix = COLUMNS.prefix[shape] ?? 0;
    if (prefix !== 0) bytes[this.length++] = PREFIX_BYTES[prefix] ?? 0;
    let rex = (COLUMNS.w[shape] ?? 0) << 3;
    if (inOpcode) rex |= reg >> 3;
    else rex |= ((reg >> 3) << 2) | (isMemory ? this.#addressBits() : rm >> 3);
    // spl, bpl, sil and dil are other registers without a REX prefix. Memory has rm 0 here.
    const isLowByte = ((flags & BYTE_IN_RM) !== 0 && rm >= 4) || ((flags & BYTE_IN_REG) !== 0 && reg >= 4);
    if (rex !== 0 || isLowByte) bytes[this.length++] = 0x40 | rex;
    const map = COLUMNS.map[shape] ?? 0;
    if (map !== 0) bytes[this.length++] = 0x0f;
    if (map > 1) bytes[this.length++] = map === 2 ? 0x38 : 0x3a;
    const condition = given[COLUMNS.condition[shape] ?? NO_OPERAND] ?? 0;
    bytes[this.length++] = (OPCODE_OF[this.#form] ?? 0) | condition | (inOpcode ? reg & 7 : 0);
    const suffix = COLUMNS.suffix[shape] ?? -1;
    if (suffix !== -1) bytes[this.length++] = suffix;
    this.#operands(shape, flags, reg, rm, 0);
  }

  #checkPlain(registers: number): void {
    if (registers > 15 || this.mask !== 0 || this.isBroadcast) this.#refuse("has neither masks nor 32 registers");
  }

  /** The bits X and B that the address has: 2 and 1. */
  #addressBits(): number {
    const index = this.index === NONE ? 0 : (this.index >> 3) & 1;
    return (index << 1) | (this.base === NONE ? 0 : this.base >> 3);
  }

  #vex(shape: number): void {
    const given = this.#arguments;
    const flags = COLUMNS.flags[shape] ?? 0;
    const isMemory = this.#isMemory(shape, flags);
    const { bytes } = this;
    const reg = given[COLUMNS.reg[shape] ?? NO_OPERAND] ?? 0;
    const rm = isMemory ? 0 : (given[COLUMNS.rm[shape] ?? NO_OPERAND] ?? 0);
    const vvvv = given[COLUMNS.vvvv[shape] ?? NO_OPERAND] ?? 0;
    this.#segment();
    const low = isMemory ? this.#addressBits() : rm >> 3;
    const tail = ((~vvvv & 15) << 3) | ((COLUMNS.length[shape] ?? 0) << 2) | (COLUMNS.prefix[shape] ?? 0);
    const notR = (~reg << 4) & 0x80;
    const map = COLUMNS.map[shape] ?? 0;
    const w = COLUMNS.w[shape] ?? 0;
    if (low === 0 && map === 1 && w === 0) {
      bytes[this.length++] = 0xc5;
      bytes[this.length++] = notR | tail;
    } else {
      bytes[this.length++] = 0xc4;
      bytes[this.length++] = notR | ((~low & 3) << 5) | map;
      bytes[this.length++] = (w << 7) | tail;
    }
    bytes[this.length++] = OPCODE_OF[this.#form] ?? 0;
    this.#operands(shape, flags, reg, rm, 0);
  }

  #evex(shape: number): void {
    const given = this.#arguments;
    const flags = COLUMNS.flags[shape] ?? 0;
    const isMemory = this.#isMemory(shape, flags);
    const { bytes } = this;
    const reg = given[COLUMNS.reg[shape] ?? NO_OPERAND] ?? 0;
    const rm = isMemory ? 0 : (given[COLUMNS.rm[shape] ?? NO_OPERAND] ?? 0);
    let vvvv = given[COLUMNS.vvvv[shape] ?? NO_OPERAND] ?? 0;
    const masking = (flags >> MASKING_SHIFT) & 3;
    const broadcastShift = COLUMNS.broadcastShift[shape] ?? -1;
    if (this.isBroadcast && (!isMemory || broadcastShift < 0)) this.#refuse("cannot broadcast");
    if (masking === 3 ? this.mask === 0 : masking === 0 && this.mask !== 0) this.#refuse("got a wrong mask");
    if (this.isZeroing && (masking !== 2 || this.mask === 0)) this.#refuse("cannot zero lanes");
    this.#segment();
    let low = isMemory ? this.#addressBits() : (rm >> 3) & 1;
    // A fifth bit of the register in r/m is in X, that of an index in V'.
    if (!isMemory && (flags & VECTOR_IN_RM) !== 0) low |= ((rm >> 4) & 1) << 1;
    if ((flags & HAS_VECTOR_INDEX) !== 0) vvvv |= this.index & 16;
    bytes[this.length++] = 0x62;
    bytes[this.length++] =
      ((~reg << 4) & 0x80) | ((~low & 3) << 5) | (((~reg >> 4) & 1) << 4) | (COLUMNS.map[shape] ?? 0);
    bytes[this.length++] = ((COLUMNS.w[shape] ?? 0) << 7) | ((~vvvv & 15) << 3) | 4 | (COLUMNS.prefix[shape] ?? 0);
    bytes[this.length++] =
      (Number(this.isZeroing) << 7) |
      ((COLUMNS.length[shape] ?? 0) << 5) |
      (Number(this.isBroadcast) << 4) |
      (((~vvvv >> 4) & 1) << 3) |
      this.mask;
    bytes[this.length++] = OPCODE_OF[this.#form] ?? 0;
    const shift = this.isBroadcast ? broadcastShift : (COLUMNS.displacementShift[shape] ?? 0);
    this.#operands(shape, flags, reg, rm, shift);
  }

  /** ModRM, SIB, displacement and immediate. `shift` says what a displacement of 8 bits counts. */
  #operands(shape: number, flags: number, reg: number, rm: number, shift: number): void {
    if ((flags & IS_GATHER) !== 0) this.#checkGather(shape, reg);
    let use = -1;
    if ((flags & HAS_MODRM) !== 0) {
      const digit = COLUMNS.digit[shape] ?? -1;
      const field = (digit === -1 ? reg & 7 : digit) << 3;
      if (this.addressKind === ADDRESS.none) this.bytes[this.length++] = 0xc0 | field | (rm & 7);
      else if (this.addressKind === ADDRESS.rip) use = this.#ripOperand(field);
      else this.#memoryOperand(field, shift);
    }
    const is4 = COLUMNS.is4[shape] ?? NO_OPERAND;
    if (is4 !== NO_OPERAND) this.bytes[this.length++] = (this.#arguments[is4] ?? 0) << 4;
    const kind = COLUMNS.immediate[shape] ?? 0;
    if (kind !== IMMEDIATE.none) this.#immediate(shape, kind);
    if (use !== -1 && this.addressLabel !== NONE) this.#use(use, this.length, this.addressLabel);
  }

  #checkGather(shape: number, reg: number): void {
    const vvvv = COLUMNS.vvvv[shape] ?? NO_OPERAND;
    const third = vvvv === NO_OPERAND ? NONE : (this.#arguments[vvvv] ?? NONE);
    if (reg === this.index || reg === third || this.index === third) this.#refuse("wants different vectors");
  }

  #ripOperand(field: number): number {
    this.bytes[this.length++] = field | 5;
    const place = this.length;
    this.#write32(this.displacement);
    return place;
  }

  #memoryOperand(field: number, shift: number): void {
    const { base, index, displacement, bytes } = this;
    if (base > 15 || index > 31 || this.scale > 3) throw new InternalError("an address has no such register or scale");
    if (base === NONE) {
      bytes[this.length++] = field | 4;
      bytes[this.length++] = (this.scale << 6) | ((index === NONE ? 4 : index & 7) << 3) | 5;
      this.#write32(displacement);
      return;
    }
    const small = displacement >> shift;
    const isSmall = small << shift === displacement && small >= -128 && small <= 127;
    // The code of rbp and r13 without a displacement means another address.
    const mode = displacement === 0 && (base & 7) !== 5 ? 0 : isSmall ? 0x40 : 0x80;
    if (index !== NONE || (base & 7) === 4) {
      bytes[this.length++] = mode | field | 4;
      bytes[this.length++] = (this.scale << 6) | ((index === NONE ? 4 : index & 7) << 3) | (base & 7);
    } else bytes[this.length++] = mode | field | (base & 7);
    if (mode === 0x40) bytes[this.length++] = small;
    else if (mode === 0x80) this.#write32(displacement);
  }

  #immediate(shape: number, kind: number): void {
    const operand = COLUMNS.immediateOperand[shape] ?? NO_OPERAND;
    const value = this.#arguments[operand] ?? 0;
    const size = IMMEDIATE_BYTES[kind] ?? 0;
    if (size === 1) {
      if (kind === IMMEDIATE.i8 ? value < 0 || value > 255 : value < -128 || value > 127) {
        this.#refuse(`has no byte ${value}`);
      }
      this.bytes[this.length++] = value;
    } else if (size === 2) {
      this.bytes[this.length++] = value;
      this.bytes[this.length++] = value >> 8;
    } else {
      this.#write32(value);
      // The upper half is the next operand.
      if (size === 8) this.#write32(this.#arguments[operand + 1] ?? 0);
    }
  }

  #write32(value: number): void {
    const { bytes, length } = this;
    bytes[length] = value;
    bytes[length + 1] = value >> 8;
    bytes[length + 2] = value >> 16;
    bytes[length + 3] = value >> 24;
    this.length = length + 4;
  }

  #reserve(size: number): void {
    if (this.length + size <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.length + size));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  /** A label that is not bound yet. */
  newLabel(): number {
    if (this.#labelCount === this.#labels.length) {
      const larger = new Int32Array(2 * this.#labels.length);
      larger.set(this.#labels);
      this.#labels = larger;
    }
    this.#labels[this.#labelCount] = UNBOUND;
    return this.#labelCount++;
  }

  /** Says that a label is here. */
  bind(label: number): void {
    this.#labels[label] = this.length;
  }

  /** Where a label is; negative while it is not bound. */
  offsetOf(label: number): number {
    return this.#labels[label] ?? UNBOUND;
  }

  /** Jumps to a label. */
  jump(label: number): void {
    this.#branch(JUMP8, JUMP32, 0, label);
  }

  /** Jumps to a label under a condition (0 overflow … 15 greater, as in the opcodes). */
  jumpIf(condition: number, label: number): void {
    this.#branch(JUMP_IF8, JUMP_IF32, condition, label);
  }

  /** Calls the code at a label. */
  call(label: number): void {
    this.emit(CALL, 0);
    this.#use(this.length - 4, this.length, label);
  }

  #branch(short: number, long: number, condition: number, label: number): void {
    const target = this.offsetOf(label);
    const distance = target - (this.length + 2);
    if (target !== UNBOUND && distance >= -128) this.emit(short, distance, condition);
    else {
      this.emit(long, 0, condition);
      this.#use(this.length - 4, this.length, label);
    }
  }

  #use(place: number, end: number, label: number): void {
    if (3 * this.#useCount === this.#uses.length) {
      const larger = new Int32Array(2 * this.#uses.length);
      larger.set(this.#uses);
      this.#uses = larger;
    }
    const first = 3 * this.#useCount++;
    this.#uses[first] = place;
    this.#uses[first + 1] = end;
    this.#uses[first + 2] = label;
  }

  /** Data among the code. */
  writeBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Fills up to a multiple of a power of two with `int3`. */
  align(alignment: number): void {
    this.#reserve(alignment);
    while (this.length % alignment !== 0) this.bytes[this.length++] = 0xcc;
  }

  /**
   * The distances to labels from an offset on: where each is, where its instruction ends, and what the label's offset
   * is. For whoever moves what is behind the code.
   */
  distances(from: number): readonly { readonly offset: number; readonly end: number; readonly target: number }[] {
    const found: { readonly offset: number; readonly end: number; readonly target: number }[] = [];
    for (let use = 0; use < this.#useCount; use++) {
      const target = this.offsetOf(this.#uses[3 * use + 2] ?? 0);
      if (target >= from) found.push({ offset: this.#uses[3 * use] ?? 0, end: this.#uses[3 * use + 1] ?? 0, target });
    }
    return found;
  }

  /** Writes all distances to labels and yields a copy of the code. A label that was never bound is a defect. */
  finish(): Uint8Array {
    for (let use = 0; use < this.#useCount; use++) {
      const place = this.#uses[3 * use] ?? 0;
      const target = this.offsetOf(this.#uses[3 * use + 2] ?? 0);
      if (target === UNBOUND) throw new InternalError("code jumps to a label that is nowhere");
      const { length } = this;
      this.length = place;
      this.#write32(target - (this.#uses[3 * use + 1] ?? 0));
      this.length = length;
    }
    return this.bytes.slice(0, this.length);
  }
}
