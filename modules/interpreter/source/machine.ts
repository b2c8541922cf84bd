// SPDX-License-Identifier: Apache-2.0
// Runs work-items: one instruction after the other. Calls are frames on a stack of the work-item's own, not of the host
// language, so that a work-item can stop at a barrier anywhere and continue later. Functions are prepared once
// (prepare.ts); a step is then one call of its rule (rules.ts).
import { InternalError, at } from "@muxkit/cargo";
import { builtinRows } from "@muxkit/builtin-table";
import {
  type BuiltinReference,
  type Constant,
  type DataLayout,
  FUSED,
  type Global,
  type Instruction,
  type IrFunction,
  LOCAL,
  PRIVATE,
  laneOperation,
  opNumber,
  sizeOf,
} from "@muxkit/ir";

import { Fault } from "./error.ts";
import { Memory, type Region } from "./memory.ts";
import { type PreparedFunction, type Step, prepare } from "./prepare.ts";
import { type Register, fromLanes, laneBits, lanes } from "./register.ts";
import { type Frame, WorkItem } from "./work-item.ts";

/** A call of a built-in, as a {@link NativeBuiltin} sees it. @public */
export interface BuiltinCall {
  /** The instruction. */
  readonly instruction: Instruction;
  /** The memory, for pointers among the operands. */
  readonly memory: Memory;
  /** Global id of the work-item. */
  readonly globalId: readonly [number, number, number];
  /** Id of its work-group. */
  readonly groupId: readonly [number, number, number];
  /** Its id within the group. */
  readonly localId: readonly [number, number, number];
}

/** A built-in that is not IR: from the operands' bits to the result's (null: none). @public */
export type NativeBuiltin = (operands: readonly Register[], call: BuiltinCall) => Register | null;

/** Finds what a built-in does: a function of a library, or native code; null: unknown. @public */
export type ResolveBuiltin = (reference: BuiltinReference, isFused: boolean) => IrFunction | NativeBuiltin | null;

/** The work-item that executes an instruction. @public */
export interface ExecutingItem {
  /** Global id: x, y, z, the offset included. */
  readonly globalId: readonly [number, number, number];
  /** Local id. */
  readonly localId: readonly [number, number, number];
  /** Id of its group. */
  readonly groupId: readonly [number, number, number];
}

/** How to run. @public */
export interface InterpreterOptions {
  /**
   * Finds built-ins. Default: those that the table of built-ins maps to ops. A vector call of an unknown built-in is
   * tried lane by lane.
   */
  readonly resolveBuiltin?: ResolveBuiltin;
  /** Instructions that all work-items together may execute. Default: 100 million. */
  readonly stepLimit?: number;
  /** Calls within calls that a work-item may have. Default: 1000. */
  readonly callDepth?: number;
  /**
   * True: an access that is less aligned than promised is an error. Default: true. Atomic accesses are always checked
   * with the others.
   */
  readonly checkAlignment?: boolean;
  /** Which work-items (and groups) run first; a result that depends on it is a race. Default: forward. */
  readonly order?: "forward" | "backward";
  /** Specialisation constants by id. */
  readonly specialization?: ReadonlyMap<number, Constant>;
  /**
   * Called before each instruction that a work-item executes: to count cycles, to trace, to stop at a line. What it
   * throws ends the launch. Absent: nothing is called, and nothing is slower.
   */
  readonly onInstruction?: (instruction: Instruction, item: ExecutingItem) => void;
}

const NO_CONSTANTS: ReadonlyMap<number, Constant> = new Map();

/** Runs work-items on one memory. */
export class Machine {
  readonly layout: DataLayout;
  readonly memory: Memory;
  readonly options: Required<Omit<InterpreterOptions, "resolveBuiltin" | "onInstruction">>;
  private readonly onInstruction: NonNullable<InterpreterOptions["onInstruction"]> | null;
  private readonly resolve: ResolveBuiltin;
  private readonly functions: Map<IrFunction, PreparedFunction>;
  /** Instructions executed so far. */
  steps: number;
  /** The position of execution. */
  executing: Instruction | null;

  constructor(memory: Memory, options: InterpreterOptions) {
    this.memory = memory;
    this.layout = memory.layout;
    this.resolve = options.resolveBuiltin ?? ((): null => null);
    this.options = {
      stepLimit: options.stepLimit ?? 100_000_000,
      callDepth: options.callDepth ?? 1000,
      checkAlignment: options.checkAlignment ?? true,
      order: options.order ?? "forward",
      specialization: options.specialization ?? NO_CONSTANTS,
    };
    this.onInstruction = options.onInstruction ?? null;
    this.functions = new Map();
    this.steps = 0;
    this.executing = null;
  }

  private prepared(fn: IrFunction): PreparedFunction {
    let found = this.functions.get(fn);
    if (found === undefined) {
      if (fn.blocks.length === 0) throw new Fault("undefined-function", `@${fn.name} is declared, not defined`);
      found = prepare(fn, this);
      this.functions.set(fn, found);
    }
    return found;
  }

  /** Begins a call: its frame is executed next. */
  call(item: WorkItem, fn: IrFunction, operands: readonly Register[], resultSlot: number): void {
    const prepared = this.prepared(fn);
    if (item.frames.length >= this.options.callDepth)
      throw new Fault("call-depth", `calls are nested more than ${this.options.callDepth} deep`);
    const registers = [...prepared.template];
    prepared.parameters.forEach((slot, i) => {
      registers[slot] = at(operands, i);
    });
    item.frames.push({
      prepared,
      registers,
      steps: prepared.entry.steps,
      order: prepared.entry.order,
      next: 0,
      regions: [],
      resultSlot,
    });
  }

  /** Ends the innermost call. */
  return(item: WorkItem, frame: Frame, value: Register | null): void {
    for (const region of frame.regions.toReversed()) this.memory.release(region);
    item.frames.pop();
    const caller = item.frames.at(-1);
    if (caller === undefined) {
      item.state = "done";
      item.result = value;
    } else if (value !== null && frame.resultSlot >= 0) caller.registers[frame.resultSlot] = value;
  }

  /** Runs a work-item until it waits for others or is done. */
  run(item: WorkItem): void {
    item.state = "running";
    while (item.state === "running") {
      const frame = item.frames.at(-1);
      const step = frame?.steps[frame.next];
      if (frame === undefined || step === undefined)
        throw new InternalError("a work-item ran off its code", ["interpreter"]);
      frame.next++;
      this.steps++;
      this.executing = step.instruction;
      if (this.steps > this.options.stepLimit)
        throw new Fault("step-limit", `more than ${this.options.stepLimit} instructions were executed`);
      if (this.onInstruction !== null) this.onInstruction(step.instruction, item);
      step.execute(this, item, frame, step);
    }
  }

  /** Runs a call to its end now, within the instruction of another. */
  private callNow(item: WorkItem, fn: IrFunction, operands: readonly Register[]): Register | null {
    const inner = new WorkItem(item.range, item.group, item.localId);
    const { executing } = this;
    this.call(inner, fn, operands, -1);
    this.run(inner);
    if (inner.state !== "done")
      throw new Fault(
        "barrier-divergence",
        `a barrier in @${fn.name}, which is called lane by lane`,
        inner.wait?.instruction,
      );
    this.executing = executing;
    return inner.result;
  }

  /** Private memory of an alloca, zero. */
  variable(instruction: Instruction): Region {
    const { elementType, alignment, name } = instruction;
    if (elementType === null) throw new InternalError("alloca without a type", ["interpreter"]);
    return this.memory.add({
      name: name === "" ? "a private variable" : `the private variable ${name}`,
      space: PRIVATE,
      bytes: new Uint8Array(sizeOf(this.layout, elementType)),
      alignment,
    });
  }

  /** The memory of a global for this work-item: local variables belong to its group. */
  globalRegion(global: Global, item: WorkItem): Region {
    if (global.addressSpace !== LOCAL) return this.memory.global(global);
    let region = item.group.locals.get(global);
    if (region === undefined) {
      region = this.memory.add({
        name: `@${global.name}`,
        space: LOCAL,
        bytes: new Uint8Array(sizeOf(this.layout, global.type)),
        alignment: global.alignment,
      });
      item.group.locals.set(global, region);
    }
    return region;
  }

  /** Calls a built-in: by the resolver, as an op if its row names one, or lane by lane. */
  callBuiltin(item: WorkItem, frame: Frame, step: Step, operands: readonly Register[]): void {
    const { instruction, slot } = step;
    const { symbol, type } = instruction;
    if (symbol?.kind !== "builtin") throw new InternalError("call_builtin without a built-in", ["interpreter"]);
    const found = this.resolve(symbol, (instruction.flags & FUSED) !== 0);
    if (found !== null && typeof found !== "function") {
      this.call(item, found, operands, slot);
      return;
    }
    const call: BuiltinCall = {
      instruction,
      memory: this.memory,
      globalId: item.globalId,
      groupId: item.group.id,
      localId: item.localId,
    };
    const result = found === null ? this.asOp(step, operands) : found(operands, call);
    if (result !== null) frame.registers[slot] = result;
    else if (found === null)
      frame.registers[slot] = this.byLane(item, symbol, type.kind === "vector" ? type.count : 0, operands, call);
  }

  private asOp({ instruction }: Step, operands: readonly Register[]): Register | null {
    const { symbol, type } = instruction;
    if (symbol?.kind !== "builtin") return null;
    const first = instruction.operands[0];
    const op = builtinRows(symbol.name)
      .map((row) => (row.lowering.startsWith("op:") ? opNumber(row.lowering.slice(3)) : undefined))
      .find((number) => number !== undefined);
    if (op === undefined || first === undefined) return null;
    const compute = laneOperation(op, laneBits(this.layout, type), laneBits(this.layout, first.type));
    const [a = [], b = [], c = []] = operands.map(lanes);
    return compute === null
      ? null
      : fromLanes(
          type,
          a.map((lane, i) => compute(lane, b[i] ?? b[0] ?? 0n, c[i] ?? c[0] ?? 0n)),
        );
  }

  /** The scalar variant of a built-in, once for each lane. */
  private byLane(
    item: WorkItem,
    reference: BuiltinReference,
    count: number,
    operands: readonly Register[],
    call: BuiltinCall,
  ): Register {
    const parameters = reference.parameters.map((name) => name.replace(/(?<=[a-z])(?:2|3|4|8|16)$/u, ""));
    const found =
      count === 0 ? null : this.resolve({ ...reference, parameters }, (call.instruction.flags & FUSED) !== 0);
    if (found === null)
      throw new Fault("unresolved-builtin", `nothing defines ${reference.name}(${reference.parameters.join(", ")})`);
    return Array.from({ length: count }, (_, lane) => {
      const own = operands.map((register) => (typeof register === "bigint" ? register : at(register, lane)));
      const result = typeof found === "function" ? found(own, call) : this.callNow(item, found, own);
      if (typeof result !== "bigint")
        throw new Fault("unresolved-builtin", `${reference.name}(${parameters.join(", ")}) returns no scalar`);
      return result;
    });
  }
}
