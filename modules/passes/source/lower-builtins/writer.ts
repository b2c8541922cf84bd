// SPDX-License-Identifier: Apache-2.0
// Writes the operations that a call of a built-in becomes, after what the block has so far: constants fold, float
// operations get the call's flags, and a lowering that branches goes on in blocks of its own.
import {
  type Block,
  Builder,
  type Constant,
  type DataLayout,
  type IrFunction,
  Instruction,
  NO_OPERANDS,
  Op,
  PRIVATE,
  TAKES_FLOAT_FLAGS,
  type Type,
  type Value,
  evaluate,
  pointerType,
} from "@muxkit/ir";

function areConstant(operands: Value[]): operands is Constant[] {
  for (let i = 0; i < operands.length; i++) if ((operands[i] as Value).kind !== "constant") return false;
  return operands.length > 0;
}

/** Writes into one function. */
export class Writer {
  readonly builder: Builder;
  readonly layout: DataLayout;
  private readonly fn: IrFunction;
  private readonly made: Instruction[] = [];

  constructor(fn: IrFunction, block: Block, layout: DataLayout) {
    this.fn = fn;
    this.layout = layout;
    this.builder = new Builder(block);
  }

  /** Writes an op, or folds it when its operands are constants. */
  op(op: number, type: Type, ...operands: Value[]): Value {
    const folded = areConstant(operands) ? evaluate(op, type, operands) : null;
    if (folded !== null) return folded;
    const made = new Instruction(op, type, operands, this.builder.location);
    if (TAKES_FLOAT_FLAGS[op] === true) made.flags = this.builder.floatFlags;
    return this.builder.insert(made);
  }

  /** A private variable; it comes to the head of the entry block with {@link Writer.placeVariables}. */
  variable(type: Type, alignment: number, name: string): Instruction {
    const made = new Instruction(Op.ALLOCA, pointerType(PRIVATE), NO_OPERANDS, this.builder.location);
    made.elementType = type;
    made.alignment = alignment;
    made.name = name;
    this.made.push(made);
    return made;
  }

  /** Puts the variables that were made into the entry block. */
  placeVariables(): void {
    const { entry } = this.fn;
    for (const variable of this.made) variable.block = entry;
    entry.instructions.unshift(...this.made.toReversed());
    this.made.length = 0;
  }

  /** A block that is placed later. */
  newBlock(name: string): Block {
    const block = this.fn.addBlock(name);
    this.fn.blocks.pop();
    return block;
  }

  /** Puts a block after the one that is written to, and continues there. */
  startBlock(block: Block): void {
    const { blocks } = this.fn;
    blocks.splice(blocks.indexOf(this.builder.block) + 1, 0, block);
    this.builder.block = block;
  }

  /** Writes `if (condition) { body }`. */
  when(condition: Value, name: string, body: () => void): void {
    const [inside, after] = [this.newBlock(name), this.newBlock(`${name}.end`)];
    this.builder.conditionalBranch(condition, inside, after);
    this.startBlock(inside);
    body();
    this.builder.branch(after);
    this.startBlock(after);
  }
}
