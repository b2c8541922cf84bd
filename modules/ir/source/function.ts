// SPDX-License-Identifier: Apache-2.0
// Modules, globals, functions and blocks: mutable objects that passes change in place.
import { InternalError, assert } from "@muxkit/cargo";

import { type CallingConvention, PLAIN } from "./calling-convention.ts";
import type { DataLayout } from "./data-layout.ts";
import type { Instruction } from "./instruction.ts";
import type { KernelDescription } from "./kernel.ts";
import { listOf } from "./list.ts";
import type { ProgramLayout } from "./program-layout.ts";
import type { AddressSpace, Type } from "./type.ts";
import { Parameter } from "./value.ts";

/** A pointer within the initial bytes of a global: at `offset`, the address of `target` plus `addend` bytes. @public */
export interface Relocation {
  /** Byte offset in the global. */
  readonly offset: number;
  /** The global that it points to. */
  readonly target: Global;
  /** Bytes added to the target's address. */
  readonly addend: number;
}

/**
 * Linkage of a program-scope variable: visible to other objects (`external`), to its own only (`internal`), or defined
 * in another object (`declaration`).
 *
 * @public
 */
export type Linkage = "external" | "internal" | "declaration";

/**
 * A variable outside of functions: program-scope data, constants, or a kernel's `local` variables (address space
 * local).
 *
 * @public
 */
export class Global {
  /** Discriminant of {@link SymbolReference}. */
  readonly kind = "global";
  /** Name, unique in the module. */
  readonly name: string;
  /** Type of its value; in a declaration, an array without elements means an array of any size. */
  type: Type;
  /** Its address space: constant, global or local. */
  readonly addressSpace: AddressSpace;
  /** Alignment in bytes. */
  alignment: number;
  /** Initial bytes; null: zeros (local memory has none). */
  initializer: Uint8Array | null;
  /** Pointers in the initial bytes. */
  relocations: Relocation[];
  /** Its visibility. */
  linkage: Linkage;

  /** Makes a global without initial bytes. */
  constructor(name: string, type: Type, addressSpace: AddressSpace, alignment: number) {
    this.name = name;
    this.type = type;
    this.addressSpace = addressSpace;
    this.alignment = alignment;
    this.initializer = null;
    this.relocations = [];
    this.linkage = "external";
  }
}

/** {@link Block.unroll}: full unrolling. @public */
export const UNROLL_FULLY = 65_535;

// Shared by the blocks without parameters. Frozen, so that a push into it throws.
const NO_PARAMETERS: Parameter[] = [];
Object.freeze(NO_PARAMETERS);

/** A basic block: parameters, then instructions, of which the last is a terminator. @public */
export class Block {
  /** Name for readers; the text form numbers blocks. */
  name: string;
  /** The function that it belongs to. */
  readonly owner: IrFunction;
  /** Its index among all blocks that were ever made for the function: tables of blocks use it (block-map.ts). */
  readonly number: number;
  /** Values that predecessors pass. Assign a list to a block without any, or call {@link Block.addParameter}. */
  parameters: Parameter[];
  /** Instructions in order. */
  instructions: Instruction[];
  /**
   * Unroll factor that the source requests for the loop with this header: 0 none, 1 no unrolling, {@link UNROLL_FULLY}.
   */
  unroll: number;
  /** Scratch of the running walk over the graph: set before it is read, meaningless afterwards. */
  mark: number;

  /** @internal */
  constructor(owner: IrFunction, name: string) {
    this.owner = owner;
    this.number = owner.blockNumbers++;
    this.name = name;
    this.parameters = NO_PARAMETERS;
    this.instructions = listOf();
    this.unroll = 0;
    this.mark = 0;
  }

  /** Adds a parameter. Every branch to this block then needs one more argument. */
  addParameter(type: Type, name: string = ""): Parameter {
    const parameter = new Parameter(type, name, this, null);
    if (this.parameters.length === 0) this.parameters = listOf(parameter);
    else this.parameters.push(parameter);
    return parameter;
  }

  /** The last instruction. Throws InternalError while the block is unfinished. */
  get terminator(): Instruction {
    const { instructions } = this;
    const last = instructions[instructions.length - 1];
    // No closure for the message: this is a hot path.
    if (last === undefined || !last.isTerminator)
      throw new InternalError(`block ${this.name} of ${this.owner.name} has no terminator`);
    return last;
  }

  /** Appends an instruction. */
  append(instruction: Instruction): Instruction {
    instruction.block = this;
    this.instructions.push(instruction);
    return instruction;
  }

  /** The successors, in the order of the terminator. */
  get successors(): readonly Block[] {
    return this.terminator.successors;
  }
}

/** Hint for the inliner. @public */
export type InlineHint = "none" | "always" | "never";

/** A function, a kernel when `kernel` is set, a declaration while it has no blocks. @public */
export class IrFunction {
  /** Discriminant of {@link SymbolReference}. */
  readonly kind = "function";
  /** Name, unique in the module. */
  name: string;
  /** Parameters. */
  parameters: Parameter[];
  /** Type of the result; void when there is none. */
  returnType: Type;
  /** Blocks; the first is the entry, which has no parameters and no predecessors. */
  blocks: Block[];
  /** Number of blocks that were ever made for it: greater than every {@link Block.number}. */
  blockNumbers: number;
  /** The description of a kernel; null for other functions. */
  kernel: KernelDescription | null;
  /** Hint of the source or a pass for the inliner. */
  inline: InlineHint;
  /** True for internal linkage: functions of one name in two objects are two functions. */
  isInternal: boolean;
  /**
   * True for a function that accesses no memory of the program: accesses of its callers may be moved across its calls.
   */
  isOutside: boolean;
  /** What its parameters mean to callers. */
  convention: CallingConvention;

  /** Makes a declaration: parameters, no blocks. */
  constructor(name: string, returnType: Type, parameters: readonly { readonly type: Type; readonly name: string }[]) {
    this.name = name;
    this.returnType = returnType;
    this.parameters = listOf();
    for (const { type, name: own } of parameters) this.parameters.push(new Parameter(type, own, null, this));
    this.blocks = listOf();
    this.blockNumbers = 0;
    this.kernel = null;
    this.inline = "none";
    this.isInternal = false;
    this.isOutside = false;
    this.convention = PLAIN;
  }

  /** Adds an empty block at the end. */
  addBlock(name: string = ""): Block {
    const block = new Block(this, name);
    this.blocks.push(block);
    return block;
  }

  /** The first block. Throws InternalError for a declaration. */
  get entry(): Block {
    const [block] = this.blocks;
    if (block === undefined) throw new InternalError(`${this.name} is a declaration`);
    return block;
  }
}

/** One program or library for one data layout. @public */
export class Module {
  /** Name for readers. */
  name: string;
  /** The data layout that front end, passes and code generator share. */
  readonly layout: DataLayout;
  /** Functions by name, in order of definition. */
  readonly functions: Map<string, IrFunction>;
  /** Globals by name. */
  readonly globals: Map<string, Global>;
  /**
   * Of a finalized program, where its data is stored, once code has been generated; null: that is not decided yet. Code
   * that is generated of the same module later agrees with it.
   */
  programLayout: ProgramLayout | null;

  /** Makes an empty module. */
  constructor(name: string, layout: DataLayout) {
    this.name = name;
    this.layout = layout;
    this.functions = new Map();
    this.globals = new Map();
    this.programLayout = null;
  }

  /** Adds a function. Throws InternalError when the name is taken. */
  addFunction(added: IrFunction): IrFunction {
    assert(!this.functions.has(added.name), () => `function ${added.name} twice`);
    this.functions.set(added.name, added);
    return added;
  }

  /** Adds a global. Throws InternalError when the name is taken. */
  addGlobal(added: Global): Global {
    assert(!this.globals.has(added.name), () => `global ${added.name} twice`);
    this.globals.set(added.name, added);
    return added;
  }

  /** The kernels, in order of definition. */
  get kernels(): readonly IrFunction[] {
    return [...this.functions.values()].filter((f) => f.kernel !== null && f.blocks.length > 0);
  }
}
