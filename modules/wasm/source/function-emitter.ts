// SPDX-License-Identifier: Apache-2.0
// Emits one function of the IR as one function body: SSA values become locals, the control-flow graph becomes nested
// blocks and loops along the dominator tree (structure.ts; Ramsey, "Beyond Relooper", ICFP 2022). A graph that is not
// reducible becomes one loop around a switch over all blocks.
//
// Phases: choose the representation of masks (mask-widths.ts), find peephole patterns (combined.ts), choose the scalars
// that are computed where they are used, then one walk over the dominator tree that writes each block; tables
// (instructions.ts) write each op. Block parameters are locals that branches set first. Cost: linear in instructions.
import { InternalError, assert } from "@muxkit/cargo";
import {
  type Block,
  Instruction,
  type IrFunction,
  Op,
  type Parameter,
  type Type,
  VOID,
  type Value,
  hasEffect,
  printInstruction,
  scalarOf,
  switchCases,
} from "@muxkit/ir";
import { type FrameLayout, layOutFrame } from "@muxkit/machine-target";

import { Code, type FunctionBody } from "./code.ts";
import { type Combined, combine } from "./combined.ts";
import { emitInstruction } from "./instructions.ts";
import { chooseMaskWidths } from "./mask-widths.ts";
import { type KeptPointer, emitSpreadLoad, isSpreadable } from "./memory.ts";
import { pushMask } from "./masks.ts";
import { Shuffles } from "./shuffles.ts";
import { SET_STACK } from "./intrinsics.ts";
import { WASM_MACHINE } from "./machine.ts";
import { splitExitEdges, splitSwitchEdges } from "./split-edges.ts";
import * as Wasm from "./opcodes.ts";
import { DEFAULT_MASK_BYTES, isMask, laneBytes, maskParts, partCount, partTypes } from "./representation.ts";
import { type Step, type Strips, planStrips } from "./strips.ts";
import { type Structure, structureOf } from "./structure.ts";
import { stepOf } from "./elementwise.ts";
import { usedByDistance } from "./vector-addresses.ts";
import { emitConstantPart } from "./constants.ts";

/** The module around a function. */
export interface ModuleFrame {
  /** Index of a function, imports first. */
  readonly functionIndex: (fn: IrFunction) => number;
  /** Index of the global that holds the private stack's pointer. */
  readonly stackGlobal: number;
  /** Features of the engine beyond SIMD128 and threads. */
  readonly features: ReadonlySet<string>;
  /** Features that have been used. */
  readonly used: Set<string>;
  /** True: bodies say which places of the source their code comes from. */
  readonly isTraced: boolean;
}

/** Most inlined values that are computed one within the other. */
const DEEPEST_INLINED = 200;

/** Most entries of a `br_table` that engines take: 65,520 (JavaScript API specification, "Implementation Limits"). */
const LONGEST_TABLE = 65_000;

/** An open construct that branches can target. */
type Label =
  | { readonly kind: "loop" | "block"; readonly block: Block }
  | { readonly kind: "plain"; readonly block: null };

/** The lanes that are written now, from the first up to the one before the end; the end may be beyond all lanes. */
interface LaneWindow {
  readonly first: number;
  readonly end: number;
}

const ALL_LANES: LaneWindow = { first: 0, end: Infinity };

const NONE: readonly Block[] = [];
const NO_VALUES: readonly Value[] = [];

/** The label of a construct that no branch targets. */
const PLAIN: Label = { kind: "plain", block: null };

/** Writes one function. */
export class FunctionEmitter {
  readonly code: Code;
  readonly frame: ModuleFrame;
  private readonly fn: IrFunction;
  private readonly locals = new Map<Value, readonly number[]>();
  private readonly labels: Label[] = [];
  /** Where among the labels those of a block are. */
  private readonly places = { loop: new Map<Block, number>(), block: new Map<Block, number>() };
  /** Numbers of blocks, in functions whose graph is irreducible. */
  private readonly numbers = new Map<Block, number>();
  /** What is still to be written, the next step last. */
  private readonly waiting: (() => void)[] = [];
  private readonly structure: Structure;
  /** Values that are computed where they are used, with the height of what they are computed from there. */
  private readonly inlined = new Map<Instruction, number>();
  /** Loads whose only user is a splat: one instruction loads into all lanes. */
  private readonly spread = new Map<Instruction, Instruction>();
  /** Vectors of addresses that accesses use lane by lane: they have no locals. */
  private readonly distanceOnly: ReadonlySet<Instruction>;
  /** Instructions that replace several operations, by the last of them. */
  readonly combined: ReadonlyMap<Instruction, Combined>;
  /** Operations that only such instructions use. */
  private readonly unneeded: ReadonlySet<Instruction>;
  /** Old stack pointer, while the function has private variables. */
  private savedStack = -1;
  /** The frame's start: the stack pointer, or after it where variables need a larger alignment. */
  private frameStart = -1;
  private readonly maskWidths: ReadonlyMap<Value, number>;
  /** The function's shuffles, planned together. */
  readonly shuffles: Shuffles;
  /** Blocks with vector code that is written strip by strip. */
  private readonly strips: ReadonlyMap<Block, readonly Step[]>;
  private window: LaneWindow = ALL_LANES;
  /** Addresses of vectors of which strips are loaded or stored. */
  private readonly pointers = new Map<Value, KeptPointer>();
  /** The number of the next block, in functions whose graph is irreducible. */
  private stateLocal = -1;
  private readonly layout: FrameLayout;
  /** True when the function begins the private stack of its thread. */
  private readonly setsStack: boolean;

  constructor(fn: IrFunction, frame: ModuleFrame) {
    this.fn = fn;
    this.frame = frame;
    let index = 0;
    for (const parameter of fn.parameters)
      this.locals.set(
        parameter,
        partTypes(parameter.type).map(() => index++),
      );
    this.code = new Code(index, frame.isTraced);
    splitExitEdges(fn);
    splitSwitchEdges(fn);
    const labelled = new Set<Block>();
    for (const block of fn.blocks)
      if (block.terminator.op === Op.SWITCH) for (const successor of block.successors) labelled.add(successor);
    this.structure = structureOf(fn, labelled);
    this.maskWidths = chooseMaskWidths(fn);
    this.shuffles = new Shuffles(this);
    this.distanceOnly = usedByDistance(fn);
    ({ combined: this.combined, unneeded: this.unneeded } = combine(fn));
    this.chooseInlined();
    this.strips = this.structure.isIrreducible ? new Map() : this.planStrips();
    this.layout = layOutFrame(WASM_MACHINE, fn);
    this.setsStack = fn.entry.instructions.some(({ symbol }) => symbol?.name === SET_STACK);
  }

  private planStrips(): ReadonlyMap<Block, readonly Step[]> {
    return planStrips(this.fn, {
      stepOf: (instruction) => stepOf(this, instruction),
      operandsOf: (instruction) => {
        const isDropped = instruction.op === Op.DEBUG_VALUE || this.unneeded.has(instruction);
        return isDropped ? NO_VALUES : (this.combined.get(instruction)?.operands ?? instruction.operands);
      },
      isLeftOut: (instruction) => this.isLeftOut(instruction),
      partsOf: (value) => (value.kind === "instruction" && value.op === Op.SPLAT ? 1 : this.partsOf(value)),
    });
  }

  /** The function's body. */
  emit(): FunctionBody {
    // A function that sets its thread's stack pointer gets its frame after that.
    if (this.layout.bytes > 0 && !this.setsStack) {
      this.code.branch(Wasm.GLOBAL_GET, this.frame.stackGlobal);
      this.enterFrame();
    }
    if (this.structure.isIrreducible) this.dispatchLoop();
    else {
      this.tree(this.fn.entry);
      this.work();
    }
    // Control never reaches the end of the body; the validator requires a terminator there.
    this.code.op(Wasm.UNREACHABLE);
    return this.code.finish();
  }

  /** Scalar computations with one use in their own block are written at the use. */
  private chooseInlined(): void {
    const { blocks } = this.fn;
    /** The only user of each instruction, by its mark; null: there are several, undefined: there is none. */
    const users: (Instruction | null | undefined)[] = [undefined];
    for (const { instructions } of blocks) for (const value of instructions) value.mark = users.push(undefined) - 1;
    const see = (value: Value, user: Instruction): void => {
      if (value.kind === "instruction") users[value.mark] = users[value.mark] === undefined ? user : null;
    };
    for (const { instructions } of blocks) {
      for (const user of instructions) {
        const { operands, successorArguments } = user;
        for (let i = 0; i < operands.length; i++) see(operands[i] as Value, user);
        for (const list of successorArguments) for (const value of list) see(value, user);
      }
    }
    for (const { instructions } of blocks)
      for (const value of instructions) {
        const user = users[value.mark];
        if (user !== null && user !== undefined) this.placeScalar(value, user);
      }
  }

  /** Decides where a scalar with one user is computed; those before it in its block are known. */
  private placeScalar(value: Instruction, user: Instruction): void {
    if (value.type.kind === "vector" || value.type === VOID) return;
    if (hasEffect(value.op, "s") && user.block === value.block) {
      let depth = 1;
      for (const operand of value.operands)
        if (operand.kind === "instruction") depth = Math.max(depth, (this.inlined.get(operand) ?? 0) + 1);
      // The writer descends into what is inlined.
      if (depth <= DEEPEST_INLINED) this.inlined.set(value, depth);
    } else if (value.op === Op.LOAD && user.op === Op.SPLAT && isSpreadable(value)) this.spread.set(value, user);
  }

  /** The stack pointer is on the operand stack: a frame starts there, its variables filled with zeros. */
  private enterFrame(): void {
    const {
      code,
      frame: { stackGlobal },
      layout: { bytes, variableBytes, alignment },
    } = this;
    this.savedStack = code.local(Wasm.TYPE_I32);
    this.frameStart = this.savedStack;
    code.tee(this.savedStack);
    code.i32(bytes + alignment - WASM_MACHINE.stack.alignment);
    code.op(0x6a);
    code.branch(Wasm.GLOBAL_SET, stackGlobal);
    code.get(this.savedStack);
    if (alignment > WASM_MACHINE.stack.alignment) {
      this.frameStart = code.local(Wasm.TYPE_I32);
      code.i32(alignment - 1);
      code.op(0x6a);
      code.i32(-alignment);
      code.op(0x71);
      code.tee(this.frameStart);
    }
    if (variableBytes === 0) {
      code.op(Wasm.DROP);
      return;
    }
    code.i32(0);
    code.i32(variableBytes);
    code.op(Wasm.MISC + 0x0b);
    code.bytes.u8(0);
  }

  /** A new stack pointer is on the operand stack: this thread's private memory starts there. */
  setStack(): void {
    if (this.layout.bytes > 0) this.enterFrame();
    else this.code.branch(Wasm.GLOBAL_SET, this.frame.stackGlobal);
  }

  /** Locals of a value, allocated at its first use. */
  localsOf(value: Instruction | Parameter): readonly number[] {
    let list = this.locals.get(value);
    if (list === undefined) {
      const types = isMask(value.type)
        ? Array.from({ length: maskParts(value.type, this.maskBytes(value)) }, () => Wasm.TYPE_V128)
        : partTypes(value.type);
      // All parts of a splat are one.
      if (value.kind === "instruction" && value.op === Op.SPLAT) {
        const local = this.code.local(Wasm.TYPE_V128);
        list = types.map(() => local);
      } else list = types.map((type) => this.code.local(type));
      this.locals.set(value, list);
    }
    return list;
  }

  /** Puts one part of a value on the stack. */
  push(value: Value, part: number = 0): void {
    if (value.kind === "constant") emitConstantPart(this.code, value, part);
    else if (value.kind === "instruction" && (value.op === Op.ALLOCA || this.inlined.has(value)))
      this.instruction(value);
    else this.code.get(this.localsOf(value)[part] ?? 0);
  }

  /** Bytes of a lane of a mask in its locals. */
  maskBytes(mask: Value): number {
    return this.maskWidths.get(mask) ?? DEFAULT_MASK_BYTES;
  }

  /** Bytes of a lane of a vector in its locals. */
  laneBytesOf(value: Value): number {
    return isMask(value.type) ? this.maskBytes(value) : laneBytes(scalarOf(value.type));
  }

  /** Parts of a value. */
  partsOf(value: Value, bytes: number = this.laneBytesOf(value)): number {
    return isMask(value.type) ? maskParts(value.type, bytes) : partCount(value.type);
  }

  /** The parts of a value that are written now, with lanes of `bytes` bytes: all, or those of a strip. */
  partsNow(value: Value, bytes: number = this.laneBytesOf(value)): { readonly first: number; readonly end: number } {
    const { first, end } = this.window;
    return { first: (first * bytes) / 16, end: Math.min(this.partsOf(value, bytes), (end * bytes) / 16) };
  }

  /** The address of a vector that an earlier strip has computed; null: none has. */
  keptPointer(pointer: Value): KeptPointer | null {
    return this.pointers.get(pointer) ?? null;
  }

  /** Keeps an address for later strips. */
  keepPointer(pointer: Value, kept: KeptPointer): void {
    if (this.window !== ALL_LANES) this.pointers.set(pointer, kept);
  }

  /** True when the engine has a feature, which then counts as used. */
  uses(feature: string): boolean {
    if (!this.frame.features.has(feature)) return false;
    this.frame.used.add(feature);
    return true;
  }

  /** Puts all parts of values on the stack, as they go to other functions. */
  pushAll(values: readonly Value[]): void {
    for (const value of values) {
      for (let part = 0; part < partCount(value.type); part++) {
        if (isMask(value.type)) pushMask(this, value, DEFAULT_MASK_BYTES, part);
        else this.push(value, part);
      }
    }
  }

  /** Makes a value one that may be pushed several times: a constant or a local. The result pushes it. */
  reusable(value: Value): () => void {
    if (value.kind === "instruction" && this.inlined.has(value)) {
      // Computed once into its own local; from here on it is an ordinary value.
      this.instruction(value);
      this.inlined.delete(value);
      const [local = 0] = this.localsOf(value);
      this.code.set(local);
    }
    return () => this.push(value);
  }

  /** The address of a private variable in the frame. */
  pushVariable(variable: Instruction): void {
    this.pushFramed(this.layout.offsets.get(variable) ?? 0);
  }

  /** The address that elements of lanes that are off are stored to. */
  pushDump(): void {
    assert(this.layout.dump >= 0, "a function with masked stores has a dump");
    this.pushFramed(this.layout.dump);
  }

  private pushFramed(offset: number): void {
    this.code.get(this.frameStart);
    if (offset === 0) return;
    this.code.i32(offset);
    this.code.op(0x6a);
  }

  /** The address operand of an access: an inlined address leaves its constant offset to the access. */
  isInlined(value: Instruction): boolean {
    return this.inlined.has(value);
  }

  /** True for a load that exists in all lanes of a splat only: it has no local of its own. */
  isSpreadLoad(value: Value): boolean {
    return value.kind === "instruction" && this.spread.has(value);
  }

  private instruction(instruction: Instruction): void {
    const before = this.code.from(instruction.location);
    emitInstruction(this, instruction);
    this.code.from(before);
  }

  /** The instructions of a block without its terminator. */
  private body(block: Block): void {
    const steps = this.strips.get(block);
    if (steps === undefined) {
      for (const instruction of block.instructions)
        if (!instruction.isTerminator && !this.isLeftOut(instruction)) this.define(instruction);
      return;
    }
    for (const step of steps) {
      if (step instanceof Instruction) this.define(step);
      else this.defineStrips(step);
    }
  }

  /** True for what needs no code where it stands. */
  private isLeftOut(instruction: Instruction): boolean {
    const { op } = instruction;
    return (
      this.inlined.has(instruction) ||
      this.distanceOnly.has(instruction) ||
      this.unneeded.has(instruction) ||
      // The address of a variable is one addition: it is computed where it is used.
      op === Op.DEBUG_VALUE ||
      op === Op.ALLOCA ||
      (op === Op.SPLAT && this.isSpreadLoad(this.operand(instruction, 0)))
    );
  }

  /** Writes an instruction and puts its result, or a strip of it, into locals. */
  private define(instruction: Instruction): void {
    this.code.from(instruction.location);
    const splat = this.spread.get(instruction);
    if (splat === undefined) this.instruction(instruction);
    else emitSpreadLoad(this, instruction);
    const written = splat ?? instruction;
    if (written.type === VOID) return;
    const locals = this.localsOf(written);
    if (written.op === Op.SPLAT) {
      this.code.set(locals[0] ?? 0);
      return;
    }
    const { first, end } = this.window === ALL_LANES ? { first: 0, end: locals.length } : this.partsNow(written);
    for (let i = end - 1; i >= first; i--) this.code.set(locals[i] ?? 0);
  }

  private defineStrips({ members, lanes, step }: Strips): void {
    for (let first = 0; first < lanes; first += step) {
      const next = first + step;
      for (const { instruction, step: own, isLate } of members) {
        const isNow = isLate ? next % own === 0 || next >= lanes : first % own === 0;
        if (!isNow) continue;
        const start = first - (first % own);
        this.window = { first: start, end: start + own };
        this.define(instruction);
      }
    }
    this.window = ALL_LANES;
    this.pointers.clear();
  }

  /** Does what waits to be written. Nesting is as deep as the program's, so it is not in the engine's stack. */
  private work(): void {
    for (let next = this.waiting.pop(); next !== undefined; next = this.waiting.pop()) next();
  }

  /** Puts steps before what waits to be written, the first one first. */
  private next(...steps: readonly (() => void)[]): void {
    for (let i = steps.length - 1; i >= 0; i--) this.waiting.push(steps[i] as () => void);
  }

  private open(opcode: number, label: Label): void {
    this.code.open(opcode);
    if (label.kind !== "plain") this.places[label.kind].set(label.block, this.labels.length);
    this.labels.push(label);
  }

  private close(): void {
    this.code.end();
    this.labels.pop();
  }

  /** A block and everything that it dominates. */
  private tree(block: Block): void {
    const { code, structure } = this;
    const isLoop = structure.loopHeaders.has(block);
    this.openLabels(structure.behindLoops.get(block) ?? NONE);
    if (isLoop) {
      this.open(Wasm.LOOP, { kind: "loop", block });
      this.next(() => {
        code.op(Wasm.UNREACHABLE);
        this.close();
      });
    }
    this.openLabels(structure.mergeChildren.get(block) ?? NONE);
    this.body(block);
    this.terminator(block.terminator);
  }

  /** Opens the labels of blocks, the last in program order first; the blocks follow one after the other. */
  private openLabels(list: readonly Block[]): void {
    for (const block of list) {
      this.open(Wasm.BLOCK, { kind: "block", block });
      this.next(() => {
        this.close();
        this.tree(block);
      });
    }
  }

  private depthOf(block: Block, kind: "loop" | "block"): number {
    const place = this.places[kind].get(block) ?? this.labels.length;
    if (this.labels[place]?.block === block) return this.labels.length - 1 - place;
    throw new InternalError(`no label for a branch to ^${this.fn.blocks.indexOf(block)}`, ["wasm", this.fn.name]);
  }

  /** Sets block parameters (a parallel copy): all arguments are read before any parameter is written. */
  private handOver(target: Block, values: readonly Value[]): void {
    const moves: number[] = [];
    values.forEach((value, i) => {
      const parameter = target.parameters[i];
      if (parameter === undefined || value === parameter) return;
      this.localsOf(parameter).forEach((local, part) => {
        if (isMask(parameter.type)) pushMask(this, value, this.maskBytes(parameter), part);
        else this.push(value, part);
        moves.push(local);
      });
    });
    while (moves.length > 0) this.code.set(moves.pop() ?? 0);
  }

  /** Continues in a block: falls through where this is its only predecessor, branches otherwise. */
  private goTo(from: Block, target: Block, values: readonly Value[]): void {
    this.handOver(target, values);
    const { structure, code } = this;
    if (this.stateLocal >= 0) {
      code.i32(this.numbers.get(target) ?? 0);
      code.set(this.stateLocal);
      code.branch(Wasm.BR, this.labels.length - 1);
    } else if (structure.tree.position(target) <= structure.tree.position(from))
      code.branch(Wasm.BR, this.depthOf(target, "loop"));
    else if (structure.mergeBlocks.has(target)) code.branch(Wasm.BR, this.depthOf(target, "block"));
    else this.next(() => this.tree(target));
  }

  private terminator(terminator: Instruction): void {
    const { code } = this;
    const { block } = terminator;
    assert(block !== null, "a terminator stands in a block");
    code.from(terminator.location);
    const [first, second] = terminator.successors;
    const [firstValues = [], secondValues = []] = terminator.successorArguments;
    switch (terminator.op) {
      case Op.BR:
        if (first !== undefined) this.goTo(block, first, firstValues);
        return;
      case Op.COND_BR:
        if (first === undefined || second === undefined) return;
        this.push(this.operand(terminator, 0));
        this.open(Wasm.IF, PLAIN);
        this.next(
          () => this.goTo(block, first, firstValues),
          () => {
            code.op(Wasm.ELSE);
            this.goTo(block, second, secondValues);
          },
          () => this.close(),
        );
        return;
      case Op.SWITCH:
        this.switch(terminator, block);
        return;
      case Op.RET:
        if (this.savedStack >= 0) {
          code.get(this.savedStack);
          code.branch(Wasm.GLOBAL_SET, this.frame.stackGlobal);
        }
        this.pushAll(terminator.operands);
        code.op(Wasm.RETURN);
        return;
      default:
        code.op(Wasm.UNREACHABLE);
    }
  }

  /** A `br_table` where the cases are dense, a chain of comparisons otherwise. Edges of a switch carry no arguments. */
  private switch(terminator: Instruction, block: Block): void {
    const { code } = this;
    const cases = switchCases(terminator);
    const least = cases.reduce((a, b) => Math.min(a, b), Infinity);
    const span = cases.length === 0 ? 0 : cases.reduce((a, b) => Math.max(a, b), -Infinity) - least + 1;
    const value = this.operand(terminator, 0);
    const otherwise = terminator.successors[0];
    assert(otherwise !== undefined, "a switch has a default");
    const push = this.reusable(value);
    if (this.stateLocal < 0 && cases.length > 3 && span <= Math.min(cases.length * 4 + 8, LONGEST_TABLE)) {
      const targets = new Map<number, Block>(
        cases.map((number, i) => [number, terminator.successors[i + 1] ?? otherwise]),
      );
      push();
      // A narrow value is zero-extended in its local.
      const extend = EXTEND[value.type.bits];
      if (extend !== undefined) code.op(extend);
      code.i32(least);
      code.op(0x6b);
      code.bytes.u8(Wasm.BR_TABLE);
      code.bytes.varU32(span);
      for (let i = 0; i < span; i++) code.bytes.varU32(this.labelDepth(block, targets.get(least + i) ?? otherwise));
      code.bytes.varU32(this.labelDepth(block, otherwise));
      return;
    }
    this.next(() => this.goTo(block, otherwise, []));
    for (let i = cases.length - 1; i >= 0; i--) {
      this.next(
        () => {
          push();
          code.i32((cases[i] ?? 0) & allBits(value.type));
          code.op(0x46);
          this.open(Wasm.IF, PLAIN);
          this.goTo(block, terminator.successors[i + 1] ?? otherwise, []);
        },
        () => this.close(),
      );
    }
  }

  private labelDepth(from: Block, target: Block): number {
    const isBack = this.structure.tree.position(target) <= this.structure.tree.position(from);
    return this.depthOf(target, isBack ? "loop" : "block");
  }

  /** An irreducible graph: one loop, one switch over all blocks. Every value has locals of its own, so none is lost. */
  private dispatchLoop(): void {
    const { code } = this;
    this.inlined.clear();
    this.stateLocal = code.local(Wasm.TYPE_I32);
    const { blocks } = this.fn;
    blocks.forEach((block, i) => this.numbers.set(block, i));
    this.open(Wasm.LOOP, PLAIN);
    for (let i = 0; i < blocks.length; i++) this.open(Wasm.BLOCK, PLAIN);
    code.get(this.stateLocal);
    code.bytes.u8(Wasm.BR_TABLE);
    code.bytes.varU32(blocks.length - 1);
    for (let i = 0; i < blocks.length; i++) code.bytes.varU32(i);
    for (const block of blocks) {
      this.close();
      code.dispatchPart();
      this.body(block);
      this.terminator(block.terminator);
      this.work();
    }
    code.dispatchEnd();
    code.op(Wasm.UNREACHABLE);
    this.close();
  }

  /** An operand that must be there. */
  operand(instruction: Instruction, index: number): Value {
    const value = instruction.operands[index];
    if (value === undefined)
      throw new InternalError(`an operand is missing: ${printInstruction(instruction)}`, ["wasm", this.fn.name]);
    return value;
  }

  /** Throws an InternalError for an instruction that must have been lowered before. */
  refuse(instruction: Instruction, why: string): never {
    throw new InternalError(`${why}: ${printInstruction(instruction)}`, ["wasm", this.fn.name]);
  }
}

/** i32.extend8_s and i32.extend16_s, by the bits that they extend. */
const EXTEND: Readonly<Record<number, number>> = { 8: 0xc0, 16: 0xc1 };

function allBits(type: Type): number {
  return type.bits >= 32 ? -1 : (1 << type.bits) - 1;
}
