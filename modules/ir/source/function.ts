// SPDX-License-Identifier: Apache-2.0
// Modules, globals, functions and blocks: plain objects that passes change in place.
import { InternalError, assert } from "@muxkit/cargo";

import type { DataLayout } from "./data-layout.ts";
import type { Instruction } from "./instruction.ts";
import type { KernelDescription } from "./kernel.ts";
import { listOf } from "./list.ts";
import type { AddressSpace, Type } from "./type.ts";
import { Parameter } from "./value.ts";

/** A pointer within the initial bytes of a global: at `offset`, the address of `target` plus `addend` bytes. @public */
export interface Relocation {
  /** Byte offset in the global. */
  readonly offset: number;
  /** What it points to. */
  readonly target: Global;
  /** Bytes added to the target's address. */
  readonly addend: number;
}

/** Who sees a variable of the program: other objects too (`external`), its own only (`internal`); or it is another object's, which a linker must find (`declaration`). @public */
export type Linkage = "external" | "internal" | "declaration";

/** A variable outside of functions: program-scope data, constants, or a kernel's `local` variables (address space local). @public */
export class Global {
  /** Tells the members of {@link SymbolReference} apart. */
  readonly kind = "global";
  /** Name, unique in the module. */
  readonly name: string;
  /** Type of the value it holds; of a declaration, an array of no elements stands for one of any size. */
  type: Type;
  /** Where it lives: constant, global or local. */
  readonly addressSpace: AddressSpace;
  /** Alignment in bytes. */
  alignment: number;
  /** Initial bytes; null: zeros (local memory has none). */
  initializer: Uint8Array | null;
  /** Pointers in the initial bytes. */
  relocations: Relocation[];
  /** Who sees it. */
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

/** {@link Block.unroll}: repeat the body of the loop as often as it runs. @public */
export const UNROLL_FULLY = 65_535;

// Most blocks have none. Frozen, so that a push into it is found.
const NO_PARAMETERS: Parameter[] = [];
Object.freeze(NO_PARAMETERS);

/** A basic block: parameters, then instructions, of which the last is a terminator. @public */
export class Block {
  /** Name for people; the text form numbers blocks. */
  name: string;
  /** The function that it belongs to. */
  readonly owner: IrFunction;
  /** Its own among all blocks that were ever made for the function, from 0 on: what tables of blocks go by. */
  readonly number: number;
  /** Values that predecessors hand over. Assign a list to a block that has none, or call {@link Block.addParameter}: the empty one is shared. */
  parameters: Parameter[];
  /** Instructions in order. */
  instructions: Instruction[];
  /** Of the loop that is entered here, how often the source wants its body repeated: 0: it does not say; 1: not at all; {@link UNROLL_FULLY}: as often as it runs. */
  unroll: number;
  /** Scratch of whoever walks the graph: set before it is read, worth nothing afterwards. */
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

  /** Adds a parameter. Every branch to this block must then give one more argument. */
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
    // No closure for the message: this is asked for all the time.
    if (last === undefined || !last.isTerminator)
      throw new InternalError(`block ${this.name} of ${this.owner.name} has no terminator`);
    return last;
  }

  /** Puts an instruction at the end. */
  append(instruction: Instruction): Instruction {
    instruction.block = this;
    this.instructions.push(instruction);
    return instruction;
  }

  /** Blocks that control may go to next, in the order of the terminator. */
  get successors(): readonly Block[] {
    return this.terminator.successors;
  }
}

/** Whether and how eagerly the inliner takes a function. @public */
export type InlineHint = "none" | "always" | "never";

/** A function, a kernel when `kernel` is set, a declaration while it has no blocks. @public */
export class IrFunction {
  /** Tells the members of {@link SymbolReference} apart. */
  readonly kind = "function";
  /** Name, unique in the module. */
  name: string;
  /** Parameters. */
  parameters: Parameter[];
  /** Type of the result; void when there is none. */
  returnType: Type;
  /** Blocks; the first is the entry, which has no parameters and no predecessors. */
  blocks: Block[];
  /** How many blocks were ever made for it: above every {@link Block.number}. */
  blockNumbers: number;
  /** What a kernel says of itself; null for other functions. */
  kernel: KernelDescription | null;
  /** What the source or a pass asked of the inliner. */
  inline: InlineHint;
  /** True for a function that other objects do not see: two of one name in two objects are two functions. */
  isInternal: boolean;
  /** True for a function that touches no memory that the program can reach, which accesses of its callers may therefore pass. */
  isOutside: boolean;

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
  /** Name for people. */
  name: string;
  /** Sizes that front end, passes and code generator agree on. */
  readonly layout: DataLayout;
  /** Functions by name, in order of definition. */
  readonly functions: Map<string, IrFunction>;
  /** Globals by name. */
  readonly globals: Map<string, Global>;

  /** Makes an empty module. */
  constructor(name: string, layout: DataLayout) {
    this.name = name;
    this.layout = layout;
    this.functions = new Map();
    this.globals = new Map();
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
