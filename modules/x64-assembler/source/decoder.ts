// SPDX-License-Identifier: Apache-2.0
/**
 * The decoder: bytes to a form and its operands, from the same table as the encoder.
 *
 * Forms are found by kind of encoding, opcode map, mandatory prefix and opcode: one look into a table of 12,288 lists,
 * which are as short as forms share an opcode. The rest (W, length, digit, memory or register, lock) is compared. It
 * knows what the table knows and nothing else: other instructions, and what processors ignore and the encoder never
 * writes (a segment without the address size, unused bits that are set, rounding in EVEX), are not decoded. Prefixes in
 * another order and longer encodings of the same are; `encodesAs` tells them apart by encoding again.
 */
import { ADDRESS, type Assembler, MEMORY, NONE } from "./assembler.ts";
import {
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
import { COLUMNS, FORM_COUNT, OPCODE_OF, SHAPE_OF } from "./forms.ts";

const KEYS = 3 * 4 * 4 * 256;
const keyOf = (kind: number, map: number, prefix: number, opcode: number): number =>
  (((kind << 2) | map) << 10) | (prefix << 8) | opcode;

/** Lists of forms by key: `first[key]` is an entry, `next[entry]` the one after it, `formOf[entry]` its form. */
interface Lists {
  readonly first: Int32Array;
  readonly formOf: Int32Array;
  readonly next: Int32Array;
}

function buildLists(): Lists {
  const first = new Int32Array(KEYS).fill(-1);
  const formOf: number[] = [];
  const next: number[] = [];
  // From the last to the first: lists begin with what the table has first.
  for (let id = FORM_COUNT - 1; id >= 0; id--) {
    const shape = SHAPE_OF[id] ?? -1;
    const inOpcode = COLUMNS.isInOpcode[shape] === 1;
    const isCondition = (COLUMNS.condition[shape] ?? NO_OPERAND) !== NO_OPERAND;
    const codes = inOpcode ? 8 : isCondition ? 16 : 1;
    const kind = COLUMNS.kind[shape] ?? 0;
    const key = keyOf(kind, COLUMNS.map[shape] ?? 0, COLUMNS.prefix[shape] ?? 0, OPCODE_OF[id] ?? 0);
    for (let code = 0; code < codes; code++) {
      next.push(first[key + code] ?? -1);
      first[key + code] = formOf.length;
      formOf.push(id);
    }
  }
  return { first, formOf: Int32Array.from(formOf), next: Int32Array.from(next) };
}

let known: Lists | null = null;

/** The lists, made when the first decoder is. */
function lists(): Lists {
  known ??= buildLists();
  return known;
}

/** Reads machine code, one instruction after the other. @public */
export class Decoder {
  /** The form of the last instruction, -1 when it was none that is known. */
  form: number = -1;
  /** Where the last instruction begins, and its bytes. */
  offset: number = 0;
  /** See {@link Decoder.offset}. */
  size: number = 0;
  /** The operands of the text; {@link MEMORY} for the one in memory; immediates of 64 bits take two. */
  readonly operands: Int32Array = new Int32Array(6);

  /** As the assembler has it. */
  addressKind: number = ADDRESS.none;
  /** See {@link Assembler.base}. */
  base: number = NONE;
  /** See {@link Assembler.index}. */
  index: number = NONE;
  /** See {@link Assembler.scale}. */
  scale: number = 0;
  /** See {@link Assembler.displacement}; by RIP, from the end of the instruction. */
  displacement: number = 0;
  /** See {@link Assembler.mask}. */
  mask: number = 0;
  /** See {@link Assembler.isZeroing}. */
  isZeroing: boolean = false;
  /** See {@link Assembler.isBroadcast}. */
  isBroadcast: boolean = false;

  readonly #lists: Lists = lists();
  #bytes: Uint8Array = new Uint8Array(0);
  #place: number = 0;
  #isOverrun: boolean = false;
  #rex: number = 0;
  #isKernel: boolean = false;
  #isLocked: boolean = false;
  #w: number = 0;
  #length: number = 0;
  #vvvv: number = 0;
  #highReg: number = 0;
  #highRm: number = 0;
  #extraRm: number = 0;

  /** Decodes the instruction at an offset: its form, or -1. Never reads beyond the bytes. */
  decode(bytes: Uint8Array, offset: number): number {
    this.#bytes = bytes;
    this.#place = offset;
    this.#isOverrun = false;
    this.offset = offset;
    this.size = 0;
    this.addressKind = ADDRESS.none;
    this.mask = 0;
    this.isZeroing = false;
    this.isBroadcast = false;
    this.#w = 0;
    this.#length = 0;
    this.#vvvv = 0;
    this.#extraRm = 0;
    this.form = this.#instruction();
    if (this.form !== -1) this.size = this.#place - offset;
    return this.form;
  }

  #byte(): number {
    if (this.#place >= this.#bytes.length) {
      this.#isOverrun = true;
      return 0;
    }
    return this.#bytes[this.#place++] ?? 0;
  }

  #instruction(): number {
    let operandSize = 0;
    let repeat = 0;
    let segment = false;
    let addressSize = false;
    this.#isLocked = false;
    let byte = this.#byte();
    for (; ; byte = this.#byte()) {
      if (byte === 0x65 && !segment) segment = true;
      else if (byte === 0x67 && !addressSize) addressSize = true;
      else if (byte === 0x66 && operandSize === 0) operandSize = 1;
      else if ((byte === 0xf3 || byte === 0xf2) && repeat === 0) repeat = byte === 0xf3 ? 2 : 3;
      else if (byte === 0xf0 && !this.#isLocked) this.#isLocked = true;
      else break;
    }
    if (segment !== addressSize || (operandSize !== 0 && repeat !== 0)) return -1;
    this.#isKernel = segment;
    const prefix = operandSize | repeat;
    if (byte === 0xc5 || byte === 0xc4 || byte === 0x62) {
      if (prefix !== 0 || this.#isLocked) return -1;
      if (byte === 0x62) return this.#evex();
      return byte === 0xc5 ? this.#shortVex() : this.#longVex();
    }
    return this.#legacy(byte, prefix);
  }

  #legacy(first: number, prefix: number): number {
    let byte = first;
    this.#rex = 0;
    if (byte >= 0x40 && byte <= 0x4f) {
      this.#rex = byte;
      byte = this.#byte();
    }
    this.#w = (this.#rex >> 3) & 1;
    this.#highReg = (this.#rex & 4) << 1;
    this.#highRm = (this.#rex & 1) << 3;
    let map = byte === 0x0f ? 1 : 0;
    if (map === 1) byte = this.#byte();
    if (map === 1 && (byte === 0x38 || byte === 0x3a)) {
      map = byte === 0x38 ? 2 : 3;
      byte = this.#byte();
    }
    return this.#match(LEGACY, map, prefix, byte);
  }

  #shortVex(): number {
    const byte = this.#byte();
    this.#rex = 0;
    this.#highReg = (~byte & 0x80) >> 4;
    this.#highRm = 0;
    this.#vvvv = (~byte >> 3) & 15;
    this.#length = (byte >> 2) & 1;
    return this.#match(VEX, 1, byte & 3, this.#byte());
  }

  #longVex(): number {
    const byte = this.#byte();
    const second = this.#byte();
    this.#rex = (~byte >> 5) & 3;
    this.#highReg = (~byte & 0x80) >> 4;
    this.#highRm = (this.#rex & 1) << 3;
    this.#w = second >> 7;
    this.#vvvv = (~second >> 3) & 15;
    this.#length = (second >> 2) & 1;
    const map = byte & 31;
    return map === 0 || map > 3 ? -1 : this.#match(VEX, map, second & 3, this.#byte());
  }

  #evex(): number {
    const first = this.#byte();
    const second = this.#byte();
    const third = this.#byte();
    if ((first & 8) !== 0 || (second & 4) === 0 || (first & 7) === 0 || (first & 7) > 3) return -1;
    this.#rex = (~first >> 5) & 3;
    this.#highReg = ((~first & 0x80) >> 4) | (~first & 0x10);
    this.#highRm = (this.#rex & 1) << 3;
    this.#extraRm = (this.#rex & 2) << 3;
    this.#w = second >> 7;
    this.#vvvv = ((~second >> 3) & 15) | ((~third & 8) << 1);
    this.#length = (third >> 5) & 3;
    this.mask = third & 7;
    this.isZeroing = (third & 0x80) !== 0;
    this.isBroadcast = (third & 0x10) !== 0;
    return this.#match(EVEX, first & 7, second & 3, this.#byte());
  }

  /** Finds the form with what was read so far and the byte that comes next, and reads the operands. */
  #match(kind: number, map: number, prefix: number, opcode: number): number {
    if (this.#isOverrun) return -1;
    const { first, next, formOf } = this.#lists;
    const following = this.#bytes[this.#place] ?? 0;
    const isRegister = following >> 6 === 3;
    for (let entry = first[keyOf(kind, map, prefix, opcode)] ?? -1; entry !== -1; entry = next[entry] ?? -1) {
      const id = formOf[entry] ?? 0;
      const shape = SHAPE_OF[id] ?? -1;
      const flags = COLUMNS.flags[shape] ?? 0;
      if (COLUMNS.w[shape] !== this.#w || COLUMNS.length[shape] !== this.#length) continue;
      if (((flags & IS_LOCKED) !== 0) !== this.#isLocked) continue;
      const suffix = COLUMNS.suffix[shape] ?? -1;
      if (suffix !== -1 && suffix !== following) continue;
      if ((flags & HAS_MODRM) !== 0) {
        const digit = COLUMNS.digit[shape] ?? -1;
        if (digit !== -1 && digit !== ((following >> 3) & 7)) continue;
        if ((flags & (isRegister ? MAY_BE_REGISTER : MAY_BE_MEMORY)) === 0) continue;
      }
      return this.#read(shape, kind, flags, opcode) && !this.#isOverrun ? id : -1;
    }
    return -1;
  }

  #read(shape: number, kind: number, flags: number, opcode: number): boolean {
    const { operands } = this;
    if (kind === EVEX && !this.#checkMask(flags)) return false;
    if ((COLUMNS.suffix[shape] ?? -1) !== -1) this.#byte();
    const condition = COLUMNS.condition[shape] ?? NO_OPERAND;
    if (condition !== NO_OPERAND) operands[condition] = opcode & 15;
    const reg = COLUMNS.reg[shape] ?? NO_OPERAND;
    if (COLUMNS.isInOpcode[shape] === 1) operands[reg] = (opcode & 7) | this.#highRm;
    if ((flags & HAS_MODRM) === 0) {
      if (this.#isKernel) return false;
    } else if (!this.#modrm(shape, flags, reg)) return false;
    const vvvv = COLUMNS.vvvv[shape] ?? NO_OPERAND;
    if (vvvv !== NO_OPERAND) operands[vvvv] = this.#vvvv;
    else if ((this.#vvvv & ((flags & HAS_VECTOR_INDEX) === 0 ? 31 : 15)) !== 0) return false;
    const is4 = COLUMNS.is4[shape] ?? NO_OPERAND;
    if (is4 !== NO_OPERAND) {
      const byte = this.#byte();
      if ((byte & 15) !== 0) return false;
      operands[is4] = byte >> 4;
    }
    this.#immediate(shape);
    if ((flags & IS_GATHER) === 0) return true;
    const third = vvvv === NO_OPERAND ? NONE : this.#vvvv;
    return operands[reg] !== this.index && operands[reg] !== third && this.index !== third;
  }

  #checkMask(flags: number): boolean {
    const masking = (flags >> MASKING_SHIFT) & 3;
    if (masking === 3 ? this.mask === 0 : masking === 0 && this.mask !== 0) return false;
    return !this.isZeroing || (masking === 2 && this.mask !== 0);
  }

  #modrm(shape: number, flags: number, reg: number): boolean {
    const { operands } = this;
    const modrm = this.#byte();
    const mode = modrm >> 6;
    const rm = COLUMNS.rm[shape] ?? NO_OPERAND;
    if (reg !== NO_OPERAND) operands[reg] = ((modrm >> 3) & 7) | this.#highReg;
    if (mode === 3) {
      if (this.isBroadcast || this.#isKernel) return false;
      const isVector = (flags & VECTOR_IN_RM) !== 0;
      if (!isVector && this.#extraRm !== 0) return false;
      operands[rm] = (modrm & 7) | this.#highRm | (isVector ? this.#extraRm : 0);
      return true;
    }
    const broadcastShift = COLUMNS.broadcastShift[shape] ?? -1;
    if (this.isBroadcast && broadcastShift === -1) return false;
    operands[rm] = MEMORY;
    const shift =
      COLUMNS.kind[shape] !== EVEX ? 0 : this.isBroadcast ? broadcastShift : (COLUMNS.displacementShift[shape] ?? 0);
    return this.#address(mode, modrm & 7, (flags & HAS_VECTOR_INDEX) !== 0, shift);
  }

  #address(mode: number, low: number, hasVectorIndex: boolean, shift: number): boolean {
    this.addressKind = this.#isKernel ? ADDRESS.kernel : ADDRESS.flat;
    this.index = NONE;
    this.scale = 0;
    this.base = low | this.#highRm;
    if (low === 4) {
      const sib = this.#byte();
      this.base = (sib & 7) | this.#highRm;
      this.scale = sib >> 6;
      const index = ((sib >> 3) & 7) | ((this.#rex & 2) << 2);
      if (hasVectorIndex) this.index = index | (this.#vvvv & 16);
      else if (index !== 4) this.index = index;
      if (mode === 0 && (sib & 7) === 5) {
        this.base = NONE;
        this.displacement = this.#signed32();
        return true;
      }
    } else if (hasVectorIndex) return false;
    else if (mode === 0 && low === 5) {
      this.addressKind = ADDRESS.rip;
      this.base = NONE;
      this.displacement = this.#signed32();
      return !this.#isKernel;
    }
    if (mode === 0) this.displacement = 0;
    else this.displacement = mode === 1 ? ((this.#byte() << 24) >> 24) << shift : this.#signed32();
    return true;
  }

  #signed32(): number {
    return this.#byte() | (this.#byte() << 8) | (this.#byte() << 16) | (this.#byte() << 24);
  }

  #immediate(shape: number): void {
    const kind = COLUMNS.immediate[shape] ?? 0;
    const size = IMMEDIATE_BYTES[kind] ?? 0;
    if (size === 0) return;
    const operand = COLUMNS.immediateOperand[shape] ?? NO_OPERAND;
    const { operands } = this;
    if (size === 1) operands[operand] = kind === IMMEDIATE.i8 ? this.#byte() : (this.#byte() << 24) >> 24;
    else if (size === 2) operands[operand] = ((this.#byte() | (this.#byte() << 8)) << 16) >> 16;
    else {
      operands[operand] = this.#signed32();
      if (size === 8) operands[operand + 1] = this.#signed32();
    }
  }
}

/** Appends the decoded instruction to an assembler's code; addresses by RIP keep their displacement. @public */
export function encodeDecoded(decoder: Decoder, assembler: Assembler): void {
  assembler.addressKind = decoder.addressKind;
  assembler.base = decoder.base;
  assembler.index = decoder.index;
  assembler.scale = decoder.scale;
  assembler.displacement = decoder.displacement;
  assembler.addressLabel = NONE;
  assembler.mask = decoder.mask;
  assembler.isZeroing = decoder.isZeroing;
  assembler.isBroadcast = decoder.isBroadcast;
  const { operands } = decoder;
  assembler.emit(decoder.form, operands[0], operands[1], operands[2], operands[3]);
}
