// SPDX-License-Identifier: Apache-2.0
/**
 * Functions with registers to bytes: frames, jumps, constants, and instructions that stand for several.
 *
 * The frame has the places of spilled values, larger ones first, and nothing else. Its size is such that the stack's
 * pointer is a multiple of 32, or of 64 in wide tiers, in every function. What does not fit in registers is passed on
 * the private stack.
 * Cost: linear in instructions.
 */
import { InternalError } from "@muxkit/cargo";
import type { Location } from "@muxkit/ir";
import { type Assembler, ConstantPool, FORM_COUNT, MEMORY, NONE, formAt } from "@muxkit/x64-assembler";

import { form, general } from "./machine-builder.ts";
import {
  FIRST_MACRO,
  IN_POOL,
  IS_BROADCAST,
  IS_ZEROING,
  type MachineBlock,
  type MachineFunction,
  PLAIN,
  PSEUDO,
  SLOT_BASE,
  SLOT_INDEX,
  SLOT_MASK,
  SLOT_SHIFT,
} from "./machine-function.ts";
import { MACROS } from "./macros.ts";
import { PRIVATE_STACK_REGISTER } from "./registers.ts";

/** Who is told where code of another place in the source begins, by offset. */
export type LineSink = (offset: number, location: Location) => void;

/** What functions of a module share. */
export interface ModuleCode {
  readonly assembler: Assembler;
  readonly pool: ConstantPool;
  /** Constants of instructions by their numbers. */
  readonly constants: readonly Uint8Array[];
  /** Labels of those that are in the pool, by the same numbers; the encoder writes it. */
  readonly constantLabels: (number | undefined)[];
  /** Labels of functions by their numbers. */
  readonly functions: readonly number[];
  /** What rsp is a multiple of when functions are called. */
  readonly stackAlignment: number;
  /** Null: nobody wants to know. */
  readonly lines: LineSink | null;
}

const MOV64 = form("mov r64, r64/m64");
const STORE64 = form("mov m64, r64");
const MOV_I32 = form("mov r32, i32");
const MOV_S32 = form("mov r64/m64, s32");
const MOV_I64 = form("movabs r64, i64");
const MOVE_X = form("vmovaps x, x/m128");
const MOVE_Y = form("vmovaps y, y/m256");
const LOAD_X = form("vmovups x, x/m128");
const LOAD_Y = form("vmovups y, y/m256");
const STORE_X = form("vmovups m128, x");
const STORE_Y = form("vmovups m256, y");
const XOR_X = form("vpxor x, x, x/m128");
const ONES_X = form("vpcmpeqd x, x, x/m128");
const ONES_Y = form("vpcmpeqd y, y, y/m256");
const SUB_S32 = form("sub r64/m64, s32");
const ADD_S32 = form("add r64/m64, s32");
const RET = form("ret");
const UD2 = form("ud2");
const STACK = 4;
const MOVE_Z = form("vmovaps z, z/m512");
const LOAD_Z = form("vmovups z, z/m512");
const STORE_Z = form("vmovups m512, z");
const XOR_HIGH = form("vpxord x, x, x/m128");
/** With 0xff: all ones, whatever was there. */
const ONES_HIGH = form("vpternlogd z, z, z/m512, i8");
const MOVE_MASK = form("kmovq k, k/m64");
const STORE_MASK = form("kmovq m64, k");
const MASK_BITS = form("kmovq k, r64");
const MASK_ZEROS = form("kxorq k, k, k");
const MASK_ONES = form("kxnorq k, k, k");
/** Where mask registers begin. */
const FIRST_MASK = 48;
/** The register that moves and expanded instructions may write. */
const SCRATCH_REGISTER = 11;

/** Sums and shifts that an address says: of two registers, of one and a number, by 1 to 3. The flags are not theirs. */
const AS_SUM = 1;
const AS_OFFSET = 2;
const AS_SHIFT = 3;
const AS_ADDRESS = new Uint8Array(FORM_COUNT);
const IS_64 = new Uint8Array(FORM_COUNT);
for (const [template, kind] of [
  ["add r, r/m", AS_SUM],
  ["add r/m, s8", AS_OFFSET],
  ["add r/m, s32", AS_OFFSET],
  ["shl r/m, i8", AS_SHIFT],
] as const) {
  for (const bits of [32, 64]) AS_ADDRESS[general(template, bits)] = kind;
  IS_64[general(template, 64)] = 1;
}
const LEA32 = form("lea r32, m");
const LEA64 = form("lea r64, m");

/** Where the parts of a frame are. */
interface Frame {
  readonly bytes: number;
  readonly slots: readonly number[];
}

function layOut(fn: MachineFunction, alignment: number): Frame {
  let at = 0;
  const slots = fn.slotBytes.map(() => 0);
  for (const size of [64, 32, 16, 8]) {
    fn.slotBytes.forEach((bytes, slot) => {
      if (bytes !== size) return;
      slots[slot] = at;
      at += size;
    });
  }
  const bytes = at === 0 && !fn.hasCalls ? 0 : Math.ceil((at + 8) / alignment) * alignment - 8;
  return { bytes, slots };
}

/** What the first instruction of an inner loop is put at a multiple of: processors fetch so many bytes at once. */
const LOOP_ALIGNMENT = 32;
const NOP = form("nop");
const LONG_NOP = form("nop m32");

/** Instructions that do nothing, up to a multiple. */
function padTo(assembler: Assembler, alignment: number): void {
  for (;;) {
    const left = -assembler.length & (alignment - 1);
    if (left === 0) return;
    if (left < 3) assembler.emit(NOP);
    else {
      // A displacement of 1 has a byte, one of 256 four, an index one more.
      if (left >= 8) assembler.flat(0, 256, 0, 0);
      else if (left === 7) assembler.flat(0, 256);
      else if (left >= 5) assembler.flat(0, 1, 0, 0);
      else assembler.flat(0, left - 3);
      assembler.emit(LONG_NOP, MEMORY);
    }
  }
}

/** 1 for blocks at which a loop begins that is written in one piece and has no other loop in it. */
function innerLoops(fn: MachineFunction, order: readonly number[]): Uint8Array {
  const place = new Int32Array(fn.blocks.length);
  order.forEach((number, at) => (place[number] = at));
  const found = new Uint8Array(fn.blocks.length);
  // From the end of the code to its beginning: of loops that contain each other, the one that begins last is the inner.
  let taken = order.length;
  for (let at = order.length - 1; at >= 0; at--) {
    const { number, predecessors } = fn.blocks[order[at] as number] as MachineBlock;
    let end = -1;
    for (const before of predecessors) end = Math.max(end, place[before] as number);
    if (end < at || end >= taken) continue;
    found[number] = 1;
    taken = at;
  }
  return found;
}

class Encoder {
  private readonly fn: MachineFunction;
  private readonly code: ModuleCode;
  readonly frame: Frame;
  private readonly labels: readonly number[];
  private readonly operands: Int32Array = new Int32Array(8);

  constructor(fn: MachineFunction, code: ModuleCode) {
    this.fn = fn;
    this.code = code;
    this.frame = layOut(fn, code.stackAlignment);
    this.labels = fn.blocks.map(() => code.assembler.newLabel());
  }

  run(order: readonly number[]): void {
    const { assembler } = this.code;
    const { bytes } = this.frame;
    const isAligned = innerLoops(this.fn, order);
    if (bytes > 0) assembler.emit(SUB_S32, STACK, bytes);
    for (let at = 0; at < order.length; at++) {
      const block = this.fn.blocks[order[at] as number] as MachineBlock;
      if (isAligned[block.number] === 1) padTo(assembler, LOOP_ALIGNMENT);
      assembler.bind(this.labels[block.number] as number);
      const { instructions } = block;
      for (let i = 0; i < instructions.length; i++) {
        const instruction = instructions[i] as number;
        this.line(instruction);
        if (this.sumOfCopy(instruction, instructions[i + 1])) i++;
        else this.instruction(instruction, block, at + 1 < order.length ? (order[at + 1] as number) : -1);
      }
    }
  }

  /** What has no place of its own belongs to the place before. */
  private line(instruction: number): void {
    const { lines, assembler } = this.code;
    if (lines === null) return;
    const location = this.fn.locations[this.fn.location[instruction] as number] ?? null;
    if (location !== null) lines(assembler.length, location);
  }

  /** Writes a copy and a sum or shift of it as one address; false: they are none. */
  private sumOfCopy(copy: number, instruction: number | undefined): boolean {
    const { fn, operands } = this;
    if (fn.form[copy] !== PSEUDO.copy || instruction === undefined) return false;
    const id = fn.form[instruction] as number;
    if (id < 0 || AS_ADDRESS[id] === 0 || fn.addressing[instruction] !== 0) return false;
    const first = fn.firstOperand[copy] as number;
    const [target, source] = [fn.value[first] as number, fn.value[first + 1] as number];
    this.gather(instruction);
    if (operands[0] !== target) return false;
    const { assembler } = this.code;
    const amount = fn.immediate[instruction] as number;
    const kind = AS_ADDRESS[id] as number;
    if (kind === AS_SHIFT && (amount < 1 || amount > 3)) return false;
    if (kind === AS_SUM) assembler.flat(source, 0, operands[1] === target ? source : operands[1], 0);
    else if (kind === AS_OFFSET) assembler.flat(source, amount);
    else if (amount === 1) assembler.flat(source, 0, source, 0);
    else assembler.flat(NONE, 0, source, amount);
    assembler.emit(IS_64[id] === 1 ? LEA64 : LEA32, target, MEMORY);
    return true;
  }

  private instruction(instruction: number, block: MachineBlock, following: number): void {
    const id = this.fn.form[instruction] as number;
    if (id >= 0) this.machine(instruction, id);
    else if (id <= FIRST_MACRO) this.macro(instruction, id);
    else this.pseudo(instruction, id, block, following);
  }

  /** Number of a register in the encoding, from that across classes. */
  private static number(register: number): number {
    return register < 16 ? register : register < 48 ? register - 16 : register - 48;
  }

  private constantLabel(number: number): number {
    const { pool, constants, constantLabels } = this.code;
    return (constantLabels[number] ??= pool.label(constants[number] as Uint8Array));
  }

  /** Describes the address of an instruction; its registers are in `operands` already. */
  private address(instruction: number): number {
    const { fn, operands } = this;
    const { assembler } = this.code;
    const kind = (fn.addressing[instruction] as number) & 7;
    const displacement = fn.displacement[instruction] as number;
    if (kind === IN_POOL) return assembler.at(this.constantLabel(displacement));
    if (kind === 0) return NONE;
    const scale = ((fn.addressing[instruction] as number) >> 3) & 3;
    if (kind === PLAIN) return assembler.flat(operands[SLOT_BASE] as number, displacement, operands[SLOT_INDEX], scale);
    return assembler.kernel(operands[SLOT_BASE] as number, displacement, operands[SLOT_INDEX], scale);
  }

  private gather(instruction: number): void {
    const { fn, operands } = this;
    operands.fill(MEMORY);
    const first = fn.firstOperand[instruction] as number;
    const end = first + (fn.operandsOf[instruction] as number);
    for (let i = first; i < end; i++)
      operands[((fn.role[i] as number) >> SLOT_SHIFT) & 15] = Encoder.number(fn.value[i] as number);
  }

  private machine(instruction: number, id: number): void {
    const { fn, operands } = this;
    const { assembler } = this.code;
    this.gather(instruction);
    this.address(instruction);
    const place = immediatePlace(id);
    if (place !== -1) operands[place] = fn.immediate[instruction] as number;
    if (operands[SLOT_MASK] !== MEMORY)
      assembler.masked(operands[SLOT_MASK] as number, ((fn.addressing[instruction] as number) & IS_ZEROING) !== 0);
    if (((fn.addressing[instruction] as number) & IS_BROADCAST) !== 0) assembler.isBroadcast = true;
    assembler.emit(id, operands[0], operands[1], operands[2], operands[3]);
  }

  private macro(instruction: number, id: number): void {
    const { fn } = this;
    const first = fn.firstOperand[instruction] as number;
    const registers: number[] = [];
    for (let i = 0; i < (fn.operandsOf[instruction] as number); i++)
      registers.push(Encoder.number(fn.value[first + i] as number));
    const expand = MACROS[FIRST_MACRO - id];
    if (expand === undefined) throw new InternalError(`no expansion of ${id}`);
    expand({
      assembler: this.code.assembler,
      registers,
      immediate: fn.immediate[instruction] as number,
      extra: fn.extra[instruction] as number,
      displacement: fn.displacement[instruction] as number,
    });
  }

  private pseudo(instruction: number, id: number, block: MachineBlock, following: number): void {
    const { fn } = this;
    const { assembler } = this.code;
    const first = fn.firstOperand[instruction] as number;
    const register = fn.value[first] as number;
    const immediate = fn.immediate[instruction] as number;
    const extra = fn.extra[instruction] as number;
    switch (id) {
      case PSEUDO.copy:
        this.copy(register, fn.value[first + 1] as number, extra);
        return;
      case PSEUDO.loadSlot:
        this.load(register, assembler.flat(STACK, this.frame.slots[immediate]), extra);
        return;
      case PSEUDO.storeSlot:
        this.store(register, assembler.flat(STACK, this.frame.slots[immediate]), extra);
        return;
      case PSEUDO.constant:
        this.constant(register, immediate, extra);
        return;
      case PSEUDO.vectorConstant:
        this.vectorConstant(register - 16, immediate);
        return;
      case PSEUDO.maskConstant:
        this.maskConstant(register - FIRST_MASK, immediate, extra);
        return;
      case PSEUDO.jump:
        if (block.successors[0] !== following) assembler.jump(this.labels[block.successors[0] as number] as number);
        return;
      case PSEUDO.branch: {
        const [yes, no] = block.successors as [number, number];
        if (yes === following) assembler.jumpIf(immediate ^ 1, this.labels[no] as number);
        else {
          assembler.jumpIf(immediate, this.labels[yes] as number);
          if (no !== following) assembler.jump(this.labels[no] as number);
        }
        return;
      }
      case PSEUDO.call:
        assembler.call(this.code.functions[immediate] as number);
        return;
      case PSEUDO.ret:
        if (this.frame.bytes > 0) assembler.emit(ADD_S32, STACK, this.frame.bytes);
        assembler.emit(RET);
        return;
      case PSEUDO.trap:
        assembler.emit(UD2);
        return;
      case PSEUDO.take:
        this.load(register, assembler.kernel(PRIVATE_STACK_REGISTER, immediate), extra);
        return;
      case PSEUDO.pass:
        this.store(register, assembler.kernel(PRIVATE_STACK_REGISTER, immediate), extra);
        return;
      default:
        throw new InternalError(`pseudo-instruction ${id} reached the encoder`);
    }
  }

  private copy(target: number, source: number, width: number): void {
    if (target === source) return;
    const { assembler } = this.code;
    if (target < 16) assembler.emit(MOV64, target, source);
    else if (target >= FIRST_MASK) assembler.emit(MOVE_MASK, target - FIRST_MASK, source - FIRST_MASK);
    else assembler.emit(width === 64 ? MOVE_Z : width === 32 ? MOVE_Y : MOVE_X, target - 16, source - 16);
  }

  /** Reads the memory that was described last. */
  private load(register: number, memory: number, width: number): void {
    const { assembler } = this.code;
    if (register < 16) assembler.emit(MOV64, register, memory);
    else if (register >= FIRST_MASK) assembler.emit(MOVE_MASK, register - FIRST_MASK, memory);
    else assembler.emit(width === 64 ? LOAD_Z : width === 32 ? LOAD_Y : LOAD_X, register - 16, memory);
  }

  /** Writes the memory that was described last. */
  private store(register: number, memory: number, width: number): void {
    const { assembler } = this.code;
    if (register < 16) assembler.emit(STORE64, memory, register);
    else if (register >= FIRST_MASK) assembler.emit(STORE_MASK, memory, register - FIRST_MASK);
    else assembler.emit(width === 64 ? STORE_Z : width === 32 ? STORE_Y : STORE_X, memory, register - 16);
  }

  /** A constant; the flags stay. */
  private constant(register: number, low: number, high: number): void {
    const { assembler } = this.code;
    if (high === 0) assembler.emit(MOV_I32, register, low);
    else if (high === -1 && low < 0) assembler.emit(MOV_S32, register, low);
    else assembler.emit(MOV_I64, register, low, high);
  }

  private vectorConstant(register: number, number: number): void {
    const { assembler, constants } = this.code;
    const bytes = constants[number] as Uint8Array;
    const { length } = bytes;
    if (bytes.every((byte) => byte === 0))
      assembler.emit(register < 16 ? XOR_X : XOR_HIGH, register, register, register);
    else if (!bytes.every((byte) => byte === 255))
      assembler.emit(length === 64 ? LOAD_Z : length === 32 ? LOAD_Y : LOAD_X, register, this.constantAddress(number));
    else if (length === 64 || register >= 16) assembler.emit(ONES_HIGH, register, register, register, 255);
    else assembler.emit(length === 32 ? ONES_Y : ONES_X, register, register, register);
  }

  private constantAddress(number: number): number {
    return this.code.assembler.at(this.constantLabel(number));
  }

  private maskConstant(register: number, low: number, high: number): void {
    const { assembler } = this.code;
    if (low === 0 && high === 0) assembler.emit(MASK_ZEROS, register, register, register);
    else if (low === -1 && high === -1) assembler.emit(MASK_ONES, register, register, register);
    else {
      this.constant(SCRATCH_REGISTER, low, high);
      assembler.emit(MASK_BITS, register, SCRATCH_REGISTER);
    }
  }
}

const IMMEDIATE_PLACES: (number | undefined)[] = [];

/** Which operand of a form is an immediate or a condition; -1 for none. */
function immediatePlace(id: number): number {
  return (IMMEDIATE_PLACES[id] ??= formAt(id)
    .operands.filter((operand) => !operand.implied)
    .findIndex(({ place }) => place === "immediate" || place === "condition"));
}

/** Writes a function that has registers; `order` are its blocks. Yields the bytes of its frame. */
export function encodeFunction(fn: MachineFunction, order: readonly number[], code: ModuleCode): number {
  const encoder = new Encoder(fn, code);
  encoder.run(order);
  return encoder.frame.bytes;
}

/** The reachable blocks in the order in which they are written: each with a successor behind it where one is left. */
export function layoutOrder(fn: MachineFunction): readonly number[] {
  const order: number[] = [];
  const seen = new Uint8Array(fn.blocks.length);
  const stack = [0];
  while (stack.length > 0) {
    const number = stack.pop() as number;
    if (seen[number] === 1) continue;
    seen[number] = 1;
    order.push(number);
    const { successors } = fn.blocks[number] as MachineBlock;
    for (let i = 0; i < successors.length; i++)
      if (seen[successors[i] as number] === 0) stack.push(successors[i] as number);
  }
  return order;
}
