// SPDX-License-Identifier: Apache-2.0
/**
 * Instruction selection: a function of the IR to machine instructions over values.
 *
 * One walk over the reachable blocks in reverse postorder. First the function is looked through once for what is not
 * computed where it stands but inside its only user: comparisons in branches and selections, loads in arithmetic,
 * addresses in accesses. Then tables say which instruction an op is, by type and width (`scalar-ops.ts`,
 * `vector-ops.ts`); what has none is written with several, or lane by lane.
 *
 * Constants are defined in front of everything else; the allocator makes them anew where it has no register for them.
 * Cost: linear in instructions and in the registers that their values fill.
 */
import { InternalError, filled } from "@muxkit/cargo";
import {
  type Block,
  type Constant,
  type Instruction,
  type IrFunction,
  Op,
  type Parameter,
  type Type,
  VOID,
  type Value,
  constantLane,
  laneCount,
  printInstruction,
  reversePostorder,
  scalarOf,
  switchCases,
} from "@muxkit/ir";
import { MEMORY } from "@muxkit/x64-assembler";
import { type FrameLayout, layOutFrame } from "@muxkit/machine-target";

import { chooseDeferred, IS_DEFERRED, IS_RESULT_UNREAD, isRead, numberValues } from "./deferred.ts";
import { emitInstruction } from "./instructions.ts";
import { emitCondition } from "./scalar-ops.ts";
import { GET_STACK, SET_STACK } from "./intrinsics.ts";
import { type Address, MachineBuilder, form } from "./machine-builder.ts";
import {
  GENERAL,
  IN_KERNEL,
  IN_POOL,
  MASK,
  type MachineBlock,
  MachineFunction,
  PLAIN,
  PSEUDO,
  VECTOR,
} from "./machine-function.ts";
import { MACRO } from "./macros.ts";
import { maskConstant, resizeMask } from "./masks.ts";
import { ARGUMENT_REGISTERS, RESULT_REGISTERS } from "./registers.ts";
import {
  DEFAULT_MASK_BYTES,
  isFloatRegister,
  isMask,
  registersOf,
  scalarBytes,
  vectorBytes,
  partWidths,
} from "./shape.ts";
import { type X64Tier, type X64TierName, x64Tier } from "./tier.ts";

/** What functions of a module share while they are selected. */
export interface SelectionContext {
  /** Number of a function, for calls. */
  readonly numberOf: (fn: IrFunction) => number;
  /** Registers that a function writes. */
  readonly clobbersOf: (fn: IrFunction) => Uint8Array;
  /** What a function of the runtime always returns; undefined: it would have to be called. */
  readonly resultOf: (fn: IrFunction) => number | undefined;
  /** Number of a constant of 4 to 64 bytes. */
  readonly constant: (bytes: Uint8Array) => number;
}

/** An operand in a register or in memory: `given` for `emit`, with the address where it is memory. */
export interface RegisterOrMemory {
  readonly given: number;
  readonly address: Address | null;
}

const NOTHING = -1;

/** How many machine instructions columns begin with for each value of the IR: they grow where that is too few. */
const INSTRUCTIONS_PER_VALUE = 3;

/** Where a value of a signature is passed. */
interface Place {
  readonly class: number;
  readonly width: number;
  /** Register, or -1. */
  readonly register: number;
  /** Offset on the stack. */
  readonly offset: number;
}

function places(
  types: readonly Type[],
  registers: readonly Uint8Array[],
  start: number,
  tier: X64Tier,
): { readonly list: readonly Place[]; readonly end: number } {
  const used = [0, 0, 0];
  let offset = start;
  const list = types.flatMap((type) =>
    registersOf(type, DEFAULT_MASK_BYTES, tier).map((part): Place => {
      const register = (registers[part.class] as Uint8Array)[used[part.class] as number];
      used[part.class] = (used[part.class] as number) + 1;
      if (register !== undefined) return { ...part, register, offset: 0 };
      const at = offset;
      offset += tier.partBytes;
      return { ...part, register: -1, offset: at };
    }),
  );
  return { list, end: offset };
}

/** How a function is called: where parameters and results are, and the bytes on the stack. */
export function signatureOf(
  fn: IrFunction,
  tier: X64Tier,
): {
  readonly parameters: readonly Place[];
  readonly results: readonly Place[];
  readonly bytes: number;
} {
  const parameters = places(
    fn.parameters.map(({ type }) => type),
    ARGUMENT_REGISTERS,
    0,
    tier,
  );
  const results = places(fn.returnType === VOID ? [] : [fn.returnType], RESULT_REGISTERS, parameters.end, tier);
  return { parameters: parameters.list, results: results.list, bytes: results.end };
}

/**
 * Bytes above the caller's frame on the private stack in which a call of a function passes values in a tier.
 *
 * @public
 */
export function passedBytes(callee: IrFunction, tier: X64TierName = "x64.3"): number {
  return signatureOf(callee, x64Tier(tier)).bytes;
}

/** Selects one function. */
export class Selector {
  readonly ir: IrFunction;
  readonly fn: MachineFunction;
  readonly build: MachineBuilder;
  readonly context: SelectionContext;
  readonly tier: X64Tier;
  /** Registers of values by their numbers (`numberValues`). */
  private readonly values: (readonly number[] | undefined)[];
  /** Values of constants by what they are: of 32 bits, of other integers and masks, of vectors by their number. */
  private readonly narrow = new Map<number, number>();
  private readonly constants = new Map<string, number>();
  private readonly vectors: number[] = [];
  /** Parts of constants that are no masks, in registers and as operands. */
  private readonly constantRegisters = new Map<Constant, readonly number[]>();
  private readonly constantOperandsOf = new Map<Constant, readonly RegisterOrMemory[]>();
  /** What the block has computed that another instruction of it may use, by how it is computed. */
  private readonly inBlock = new Map<string, number>();
  /** Bytes of masks' lanes by the numbers of values; 0: not decided. */
  private readonly maskBytes: Uint8Array;
  private readonly blocks: MachineBlock[] = [];
  /** What is special about instructions (`deferred.ts`), by number. */
  private readonly deferred: Uint8Array;
  private readonly layout: FrameLayout;
  private readonly setsStack: boolean;
  private frameStart: number = NOTHING;

  constructor(ir: IrFunction, context: SelectionContext, tier: X64Tier) {
    this.ir = ir;
    this.context = context;
    this.tier = tier;
    const count = numberValues(ir);
    this.values = filled<readonly number[] | undefined>(count, undefined);
    this.maskBytes = new Uint8Array(count);
    this.fn = new MachineFunction(ir.name, INSTRUCTIONS_PER_VALUE * count);
    this.build = new MachineBuilder(this.fn, this.fn.newBlock(), tier.isWide);
    this.fn.partBytes = tier.partBytes;
    this.deferred = chooseDeferred(ir, count, tier.isWide);
    this.layout = layOutFrame(tier.machine, ir);
    this.setsStack = ir.entry.instructions.some(({ symbol }) => symbol?.name === SET_STACK);
  }

  run(): MachineFunction {
    const { build, fn, ir } = this;
    const prologue = build.block;
    const order = reversePostorder(ir);
    this.chooseMaskBytes(order);
    for (const block of order) {
      const made = fn.newBlock();
      this.blocks[block.number] = made;
      for (const parameter of block.parameters) {
        const parts = registersOf(parameter.type, this.maskBytesOf(parameter), this.tier).map((part) =>
          fn.newValue(part.class, part.width),
        );
        made.parameters.push(...parts);
        this.values[parameter.mark] = parts;
      }
    }
    this.takeParameters();
    build.block = this.machineBlock(ir.entry);
    if (this.layout.bytes > 0 && !this.setsStack) this.enterFrame();
    for (const block of order) {
      if (block !== ir.entry) build.block = this.machineBlock(block);
      this.inBlock.clear();
      const { instructions } = block;
      for (let i = 0; i < instructions.length; i++) {
        const instruction = instructions[i] as Instruction;
        fn.locate(instruction.location);
        if (instruction.isTerminator) this.terminator(instruction);
        else if (this.deferred[instruction.mark] !== IS_DEFERRED) emitInstruction(this, instruction);
      }
    }
    fn.locate(null);
    build.block = prologue;
    build.jump(this.machineBlock(ir.entry));
    return fn;
  }

  /** An error for what cannot be written. */
  refuse(instruction: Instruction, reason: string): never {
    throw new InternalError(`x64 cannot compute ${printInstruction(instruction)} in @${this.ir.name}: ${reason}`);
  }

  private machineBlock(block: Block): MachineBlock {
    return this.blocks[block.number] as MachineBlock;
  }

  isDeferred(value: Value): value is Instruction {
    return value.kind === "instruction" && this.deferred[value.mark] === IS_DEFERRED;
  }

  /** Whether nobody reads what an atomic instruction yields. */
  isUnread({ mark }: Instruction): boolean {
    return this.deferred[mark] === IS_RESULT_UNREAD;
  }

  /** Whether a value is read from memory by its user. */
  isInMemory(value: Value): boolean {
    return this.isDeferred(value) && isRead(value);
  }

  // Values.

  /** The registers of a value. */
  parts(value: Value): readonly number[] {
    if (value.kind === "constant") return this.constantParts(value, this.maskBytesOf(value));
    const known = this.values[value.mark];
    if (known !== undefined) return known;
    if (this.isDeferred(value)) {
      // Its user turned out to want it in a register.
      emitInstruction(this, value);
      const made = this.values[value.mark];
      // An address is made anew at each use: its first one need not come before the others on every way.
      if (value.op === Op.ADDRESS || value.op === Op.ALLOCA) this.values[value.mark] = undefined;
      if (made !== undefined) return made;
    }
    throw new InternalError(`a value of @${this.ir.name} is used before it is defined`);
  }

  /** The register of a scalar, or the first part of a vector. */
  one(value: Value): number {
    return this.parts(value)[0] as number;
  }

  define(value: Instruction | Parameter, parts: readonly number[]): void {
    this.values[value.mark] = parts;
  }

  /** Widths of the parts of a vector of so many bytes. */
  widths(bytes: number): readonly number[] {
    return partWidths(bytes, this.tier.partBytes);
  }

  /** A constant, in front of everything else. */
  private makeConstant(id: number, registerClass: number, width: number, a: number, b: number = 0): number {
    const { build } = this;
    const { block } = build;
    build.block = this.fn.blocks[0] as MachineBlock;
    const value = build.constant(id, registerClass, width, a, b);
    build.block = block;
    return value;
  }

  /** A constant in a general register. */
  integer(low: number, high: number = 0): number {
    if (high === 0) {
      let value = this.narrow.get(low | 0);
      if (value === undefined)
        this.narrow.set(low | 0, (value = this.makeConstant(PSEUDO.constant, GENERAL, 8, low | 0)));
      return value;
    }
    return this.pair("g", PSEUDO.constant, GENERAL, low | 0, high | 0);
  }

  /** A constant in a mask register. */
  maskBits(low: number, high: number = 0): number {
    return this.pair("k", PSEUDO.maskConstant, MASK, low | 0, high | 0);
  }

  private pair(kind: string, id: number, registerClass: number, low: number, high: number): number {
    const key = `${kind}${low}:${high}`;
    let value = this.constants.get(key);
    if (value === undefined) this.constants.set(key, (value = this.makeConstant(id, registerClass, 8, low, high)));
    return value;
  }

  /** A constant of 16, 32 or 64 bytes in a vector register. */
  vector(bytes: Uint8Array): number {
    const number = this.context.constant(bytes);
    return (this.vectors[number] ??= this.makeConstant(PSEUDO.vectorConstant, VECTOR, bytes.length, number));
  }

  /** A value that the block needs once, however often it is asked for; the key says what it is. */
  shared(key: string, make: () => number): number {
    let value = this.inBlock.get(key);
    if (value === undefined) this.inBlock.set(key, (value = make()));
    return value;
  }

  /** A vector of zeros. */
  zero(width: number): number {
    return this.vector(new Uint8Array(width));
  }

  /** The address of a constant behind the code. */
  poolAddress(bytes: Uint8Array): Address {
    return { kind: IN_POOL, base: NOTHING, index: NOTHING, scale: 0, displacement: this.context.constant(bytes) };
  }

  /** Bytes of one lane repeated. */
  repeated(lane: Uint8Array, width: number): Uint8Array {
    const bytes = new Uint8Array(width);
    for (let i = 0; i < width; i++) bytes[i] = lane[i % lane.length] as number;
    return bytes;
  }

  /** Bytes of a constant as it lies in registers. */
  constantBytes(constant: Constant, maskBytes: number): Uint8Array {
    const { type } = constant;
    const lanes = laneCount(type);
    const lane = isMask(type) ? maskBytes : scalarBytes(type);
    const bytes = new Uint8Array(Math.max(16, lanes * lane));
    for (let i = 0; i < lanes; i++) {
      const { low, high } = constantLane(constant, i);
      for (let k = 0; k < lane; k++) {
        const byte = isMask(type)
          ? low === 0
            ? 0
            : 255
          : k < 4
            ? (low >>> (8 * k)) & 255
            : (high >>> (8 * (k - 4))) & 255;
        bytes[i * lane + k] = byte;
      }
    }
    return bytes;
  }

  private constantParts(constant: Constant, maskBytes: number): readonly number[] {
    const { type } = constant;
    if (type.kind !== "vector" && !isFloatRegister(type))
      return [this.integer(constant.low, type.kind === "int" && type.bits === 64 ? constant.high : 0)];
    if (isMask(type) && this.tier.isWide) return maskConstant(this, constant, maskBytes);
    const known = this.constantRegisters.get(constant);
    if (known !== undefined) return known;
    const bytes = this.constantBytes(constant, maskBytes);
    let at = 0;
    const parts = this.widths(type.kind === "vector" ? vectorBytes(type, maskBytes) : 16).map((width) => {
      const part = new Uint8Array(width);
      part.set(bytes.subarray(at, at + width));
      at += width;
      return this.vector(part);
    });
    // Lanes of masks are as wide as their user wants.
    if (!isMask(type)) this.constantRegisters.set(constant, parts);
    return parts;
  }

  /** Parts of a constant behind the code; where a part is all zeros or ones, in its register. */
  private constantOperands(constant: Constant): readonly RegisterOrMemory[] {
    const known = this.constantOperandsOf.get(constant);
    if (known !== undefined) return known;
    const { type } = constant;
    const maskBytes = DEFAULT_MASK_BYTES;
    const bytes = this.constantBytes(constant, maskBytes);
    const widths = type.kind === "vector" ? this.widths(vectorBytes(type, maskBytes)) : [scalarBytes(type)];
    const operands = widths.map((width, part): RegisterOrMemory => {
      const start = this.tier.partBytes * part;
      const own = new Uint8Array(width);
      own.set(bytes.subarray(start, start + width));
      return own.some((byte) => byte !== 0) && own.some((byte) => byte !== 255)
        ? { given: MEMORY, address: this.poolAddress(own) }
        : { given: this.parts(constant)[part] as number, address: null };
    });
    this.constantOperandsOf.set(constant, operands);
    return operands;
  }

  /** Part `part` of a value in a register, or in memory where it is a constant or a load that only this use has. */
  operand(value: Value, part: number = 0): RegisterOrMemory {
    if (value.kind === "constant" && (value.type.kind === "vector" || isFloatRegister(value.type)))
      return this.constantOperands(value)[part] as RegisterOrMemory;
    if (this.isDeferred(value) && value.op === Op.LOAD)
      return { given: MEMORY, address: this.address(value.operands[0] as Value, this.tier.partBytes * part) };
    if (this.isDeferred(value) && value.op === Op.SPLAT) {
      const [load] = value.operands as [Instruction];
      return { given: MEMORY, address: { ...this.address(load.operands[0] as Value), isBroadcast: true } };
    }
    return { given: this.parts(value)[part] as number, address: null };
  }

  /** A scalar integer constant that fits in 32 signed bits; undefined for others. */
  immediate(value: Value | undefined): number | undefined {
    if (value === undefined || value.kind !== "constant" || value.type.kind === "vector" || value.type.kind === "float")
      return undefined;
    if (value.type.kind === "int" && value.type.bits === 64)
      return value.high === (value.low >> 31) >>> 0 ? value.low | 0 : undefined;
    const shift = 32 - Math.min(32, value.type.kind === "int" ? value.type.bits : 32);
    return (value.low << shift) >> shift;
  }

  // Masks.

  /** Bytes of a mask's lanes. */
  maskBytesOf(value: Value): number {
    const bytes = value.kind === "constant" ? 0 : (this.maskBytes[value.mark] as number);
    return bytes === 0 ? DEFAULT_MASK_BYTES : bytes;
  }

  private chooseMaskBytes(order: readonly Block[]): void {
    const { maskBytes } = this;
    const note = (value: Instruction | Parameter, bytes: number): void => {
      if (maskBytes[value.mark] === 0) maskBytes[value.mark] = bytes;
    };
    for (const { parameters, instructions } of order) {
      for (const parameter of parameters) if (isMask(parameter.type)) note(parameter, DEFAULT_MASK_BYTES);
      for (let i = 0; i < instructions.length; i++) {
        const instruction = instructions[i] as Instruction;
        if (isMask(instruction.type)) note(instruction, this.madeMaskBytes(instruction));
        const { successors, successorArguments } = instruction;
        for (let s = 0; s < successors.length; s++) {
          const list = successorArguments[s] ?? [];
          for (let k = 0; k < list.length; k++) {
            const argument = list[k] as Value;
            if (argument.kind !== "constant" && isMask(argument.type))
              note((successors[s] as Block).parameters[k] as Parameter, this.maskBytesOf(argument));
          }
        }
      }
    }
  }

  private madeMaskBytes({ op, operands }: Instruction): number {
    switch (op) {
      case Op.CALL:
      case Op.BUILD:
      case Op.SPLAT:
        return DEFAULT_MASK_BYTES;
      case Op.LOAD:
      case Op.MASKED_LOAD:
      case Op.GATHER:
        return 1;
      case Op.SELECT: {
        const masks = operands.filter((operand) => isMask(operand.type) && operand.kind !== "constant");
        return masks.length === 0 ? DEFAULT_MASK_BYTES : this.maskBytesOf(masks[masks.length - 1] as Value);
      }
      default: {
        const first =
          operands.find((operand) => operand.kind !== "constant" && operand.type.kind === "vector") ?? operands[0];
        if (first === undefined || first.type.kind !== "vector") return DEFAULT_MASK_BYTES;
        return isMask(first.type) ? this.maskBytesOf(first) : scalarBytes(first.type);
      }
    }
  }

  // Addresses.

  /** The address that an instruction computes. */
  addressOf(instruction: Instruction): Address {
    return this.address(instruction, 0, true);
  }

  /** The address that a pointer is, plus some bytes. `opens`: the pointer itself is taken apart in any case. */
  address(pointer: Value, more: number = 0, opens: boolean = false): Address {
    let displacement = more;
    let value = pointer;
    let index = NOTHING;
    let scale = 0;
    for (;;) {
      if (value.kind === "constant")
        return { kind: IN_KERNEL, base: NOTHING, index, scale, displacement: (displacement + value.low) | 0 };
      if (value.kind === "parameter" || !(this.isDeferred(value) || (opens && value === pointer))) break;
      if (value.op === Op.ALLOCA) {
        displacement += this.layout.offsets.get(value) ?? 0;
        return { kind: IN_KERNEL, base: this.frameStart, index, scale, displacement: displacement | 0 };
      }
      const [base, by] = value.operands as [Value, Value | undefined];
      const constant = this.immediate(by);
      if (by !== undefined && constant === undefined) {
        if (index !== NOTHING) break;
        [index, scale] = this.scaled(by, value.scale);
      }
      displacement += value.offset + (constant ?? 0) * (by === undefined ? 0 : value.scale);
      value = base;
    }
    return { kind: IN_KERNEL, base: this.one(value), index, scale, displacement: displacement | 0 };
  }

  /** An index and the logarithm of its factor. */
  private scaled(value: Value, factor: number): readonly [index: number, scale: number] {
    let index = this.one(value);
    if (value.type.bits < 32) index = this.extended(index, value.type.bits, true);
    const scale = [1, 2, 4, 8].indexOf(factor);
    if (scale !== -1) return [index, scale];
    const power = Math.log2(factor);
    const made = this.shared(`${index} times ${factor}`, () =>
      Number.isInteger(power)
        ? this.build.emit(form("shl r32/m32, i8"), [index, power])
        : this.build.emit(form("imul r32, r32/m32, s32"), [index, factor]),
    );
    return [made, 0];
  }

  /** The value of an address. */
  addressValue(address: Address): number {
    const { base, index, displacement } = address;
    if (index === NOTHING && displacement === 0 && base !== NOTHING) return base;
    if (base === NOTHING && index === NOTHING) return this.integer(displacement);
    return this.build.emit(form("lea r32, m"), [MEMORY], { ...address, kind: PLAIN });
  }

  /** An integer of 1, 8 or 16 bits as one of 32, of 32 as one of 64. */
  extended(value: number, bits: number, isSigned: boolean): number {
    const { build } = this;
    if (bits === 8) return build.emit(form(isSigned ? "movsx r32, r8/m8" : "movzx r32, r8/m8"), [value]);
    if (bits === 16) return build.emit(form(isSigned ? "movsx r32, r16/m16" : "movzx r32, r16/m16"), [value]);
    if (bits === 1) return isSigned ? build.emit(form("neg r32/m32"), [value]) : value;
    if (bits === 32) return build.emit(form(isSigned ? "movsxd r64, r32/m32" : "mov r32, r32/m32"), [value]);
    return value;
  }

  // The private stack.

  /** Where an `alloca` is. */
  variable(instruction: Instruction): number {
    const offset = this.layout.offsets.get(instruction) ?? 0;
    return this.addressValue({ kind: PLAIN, base: this.frameStart, index: NOTHING, scale: 0, displacement: offset });
  }

  private enterFrame(): void {
    const { build } = this;
    const { bytes, alignment } = this.layout;
    build.pseudo(MACRO.getPrivateStack, 0, 0, []);
    let start = build.addResult(GENERAL, 8);
    build.pseudo(MACRO.movePrivateStack, this.frameBytes(), 0, []);
    if (alignment > this.tier.machine.stack.alignment) {
      start = build.emit(form("add r32/m32, s32"), [start, alignment - 1]);
      start = build.emit(form("and r32/m32, s32"), [start, -alignment]);
    }
    this.frameStart = start;
    if (bytes <= 256) {
      const zero = this.zero(16);
      for (let at = 0; at < bytes; at += 16)
        build.emit(form("vmovups m128, x"), [MEMORY, zero], {
          kind: IN_KERNEL,
          base: start,
          index: NOTHING,
          scale: 0,
          displacement: at,
        });
      return;
    }
    this.fill(start, this.integer(bytes), this.zero(16));
  }

  private frameBytes(): number {
    return this.layout.bytes + this.layout.alignment - this.tier.machine.stack.alignment;
  }

  /** Fills memory with a vector of equal bytes. */
  fill(target: number, count: number, vector: number): void {
    const { build } = this;
    build.pseudo(MACRO.fillMemory, 0, 0, [target, count, vector]);
    build.addTied(GENERAL, 8, 0);
    build.addTied(GENERAL, 8, 1);
  }

  // Calls.

  private takeParameters(): void {
    const { build, ir } = this;
    const { parameters } = signatureOf(ir, this.tier);
    build.pseudo(MACRO.enter, 0, 0, []);
    const taken = parameters.map((place) =>
      place.register === -1 ? NOTHING : build.addResult(place.class, place.width, place.register),
    );
    parameters.forEach((place, i) => {
      if (place.register !== -1) return;
      build.pseudo(PSEUDO.take, place.offset, place.width, []);
      taken[i] = build.addResult(place.class, place.width);
    });
    let at = 0;
    for (const parameter of ir.parameters) {
      const count = registersOf(parameter.type, DEFAULT_MASK_BYTES, this.tier).length;
      this.define(parameter, taken.slice(at, at + count));
      at += count;
    }
  }

  call(instruction: Instruction): void {
    const { build, fn } = this;
    const { symbol } = instruction;
    if (symbol === null || symbol.kind !== "function") this.refuse(instruction, "a call needs a function");
    if (symbol.name === GET_STACK) {
      build.pseudo(MACRO.getPrivateStack, 0, 0, []);
      this.define(instruction, [build.addResult(GENERAL, 8)]);
      return;
    }
    if (symbol.name === SET_STACK) {
      build.pseudo(MACRO.setPrivateStack, 0, 0, [this.one(instruction.operands[0] as Value)]);
      if (this.layout.bytes > 0) this.enterFrame();
      return;
    }
    if (symbol.blocks.length === 0) {
      const result = this.context.resultOf(symbol);
      if (result === undefined) this.refuse(instruction, "functions of the runtime cannot be called");
      this.define(instruction, [this.integer(result)]);
      return;
    }
    const { parameters, results, bytes } = signatureOf(symbol, this.tier);
    const args = instruction.operands.flatMap((operand) => this.mask(operand, DEFAULT_MASK_BYTES));
    fn.hasCalls = true;
    fn.passedBytes = Math.max(fn.passedBytes, bytes);
    parameters.forEach((place, i) => {
      if (place.register === -1) build.pseudo(PSEUDO.pass, place.offset, place.width, [args[i] as number]);
    });
    const inRegisters = parameters.flatMap((place, i) => (place.register === -1 ? [] : [i]));
    const clobbers = fn.clobbers.push(this.context.clobbersOf(symbol)) - 1;
    build.pseudo(
      PSEUDO.call,
      this.context.numberOf(symbol),
      clobbers,
      inRegisters.map((i) => args[i] as number),
      inRegisters.map((i) => (parameters[i] as Place).register),
    );
    const made = results.map((place) =>
      place.register === -1 ? NOTHING : build.addResult(place.class, place.width, place.register),
    );
    results.forEach((place, i) => {
      if (place.register !== -1) return;
      build.pseudo(PSEUDO.take, place.offset, place.width, []);
      made[i] = build.addResult(place.class, place.width);
    });
    this.define(instruction, made);
  }

  /** The parts of a value; of a mask, with lanes of so many bytes. */
  mask(value: Value, bytes: number): readonly number[] {
    if (!isMask(value.type)) return this.parts(value);
    if (value.kind === "constant") return this.constantParts(value, bytes);
    return resizeMask(this, this.parts(value), laneCount(value.type), this.maskBytesOf(value), bytes);
  }

  // Control flow.

  private arguments(terminator: Instruction, successor: number): readonly number[] {
    const to = terminator.successors[successor] as Block;
    return (terminator.successorArguments[successor] ?? []).flatMap((value, i) => {
      const parameter = to.parameters[i] as Parameter;
      return this.mask(value, this.maskBytesOf(parameter));
    });
  }

  private terminator(terminator: Instruction): void {
    const { build } = this;
    const target = (i: number): MachineBlock => this.machineBlock(terminator.successors[i] as Block);
    switch (terminator.op) {
      case Op.BR:
        build.jump(target(0), this.arguments(terminator, 0));
        return;
      case Op.COND_BR: {
        const yes = this.arguments(terminator, 0);
        const no = this.arguments(terminator, 1);
        const condition = emitCondition(this, terminator.operands[0] as Value);
        build.branch(condition, target(0), target(1), yes, no);
        return;
      }
      case Op.SWITCH:
        this.switch(terminator, target);
        return;
      case Op.RET:
        this.leave(terminator);
        return;
      default:
        build.pseudo(PSEUDO.trap, 0, 0, []);
    }
  }

  private switch(terminator: Instruction, target: (i: number) => MachineBlock): void {
    const { build, fn } = this;
    const [operand] = terminator.operands as [Value];
    const args = terminator.successors.map((_, i) => this.arguments(terminator, i));
    const { bits } = operand.type;
    const value = bits < 32 ? this.extended(this.one(operand), bits, true) : this.one(operand);
    const isWide = bits === 64;
    const cases = switchCases(terminator);
    if (cases.length === 0) build.jump(target(0), args[0]);
    cases.forEach((wanted, i) => {
      build.emit(form(isWide ? "cmp r64/m64, s32" : "cmp r32/m32, s32"), [value, wanted]);
      const isLast = i === cases.length - 1;
      const next = isLast ? target(0) : fn.newBlock();
      build.branch(4, target(i + 1), next, args[i + 1], isLast ? args[0] : []);
      build.block = next;
    });
  }

  private leave(terminator: Instruction): void {
    const { build, ir } = this;
    const { results } = signatureOf(ir, this.tier);
    const [value] = terminator.operands;
    const parts = value === undefined ? [] : this.mask(value, DEFAULT_MASK_BYTES);
    if (this.frameStart !== NOTHING) build.pseudo(MACRO.movePrivateStack, -this.frameBytes(), 0, []);
    results.forEach((place, i) => {
      if (place.register === -1) build.pseudo(PSEUDO.pass, place.offset, place.width, [parts[i] as number]);
    });
    const inRegisters = results.flatMap((place, i) => (place.register === -1 ? [] : [i]));
    build.pseudo(
      PSEUDO.ret,
      0,
      0,
      inRegisters.map((i) => parts[i] as number),
      inRegisters.map((i) => (results[i] as Place).register),
    );
  }

  /** The scalar type of a value's lanes. */
  scalar(value: Value): Type {
    return scalarOf(value.type);
  }
}
