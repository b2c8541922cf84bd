// gvn: gives equal computations one value, dominator by dominator, and forwards what is known to lie in memory within a block.
import {
  type Block, type Instruction, type IrFunction, Op, VOLATILE, type Value, dominators, hasEffect, replaceUses,
} from "@muxkit/ir";

/** Numbers values so that equal operands give equal keys. */
class Numbering {
  private readonly numbers = new Map<Value, number>();
  private readonly leaders = new Map<Value, Value>();

  /** The value that stands for `value`. */
  leader(value: Value): Value {
    return this.leaders.get(value) ?? value;
  }

  /** Makes `leader` stand for `value`. */
  replace(value: Value, leader: Value): void {
    this.leaders.set(value, leader);
  }

  /** What has been replaced. */
  get replacements(): ReadonlyMap<Value, Value> {
    return this.leaders;
  }

  number(value: Value): number {
    const leader = this.leader(value);
    let number = this.numbers.get(leader);
    if (number === undefined) {
      number = this.numbers.size;
      this.numbers.set(leader, number);
    }
    return number;
  }

  /** A key that equal computations share; null for what cannot be shared. */
  key(instruction: Instruction): string | null {
    if (!hasEffect(instruction.op, "s") || instruction.op === Op.SPEC_CONSTANT) return null;
    const operands = instruction.operands.map((operand) => this.number(operand));
    if (hasEffect(instruction.op, "m")) operands.sort((a, b) => a - b);
    const symbol = instruction.symbol !== null && instruction.symbol.kind === "global" ? instruction.symbol.name : "";
    return `${instruction.op};${instruction.type.text};${operands.join(",")};${instruction.flags};${instruction.offset};${instruction.scale};${instruction.lanes.join(",")};${symbol}`;
  }
}

/** What is known of memory at a point of a block: the value last stored to or loaded from an address, until something may have changed it. */
class KnownMemory {
  private readonly values = new Map<string, { readonly value: Value; readonly instruction: Instruction }>();

  find(address: number, type: string): Value | null {
    return this.values.get(`${address};${type}`)?.value ?? null;
  }

  set(address: number, type: string, value: Value, instruction: Instruction): void {
    this.values.set(`${address};${type}`, { value, instruction });
  }

  forget(): void {
    this.values.clear();
  }

  /** Drops what a store through `pointer` may have changed. */
  clobber(store: Instruction, pointer: Value): void {
    for (const [key, known] of this.values) {
      const other = known.instruction.operands[known.instruction.op === Op.STORE ? 1 : 0];
      if (other === undefined || mayMeet(pointer, store.aliasGroup, other, known.instruction.aliasGroup)) this.values.delete(key);
    }
  }
}

/** The variable or parameter that an address is made from. */
function baseOf(pointer: Value): Value {
  let value = pointer;
  while (value.kind === "instruction" && value.op === Op.ADDRESS) {
    const [base] = value.operands;
    if (base === undefined) return value;
    value = base;
  }
  return value;
}

function isOwnObject(value: Value): boolean {
  return value.kind === "instruction" && (value.op === Op.ALLOCA || value.op === Op.GLOBAL_ADDRESS);
}

/** False only when two accesses cannot touch a common byte. */
function mayMeet(left: Value, leftGroup: number, right: Value, rightGroup: number): boolean {
  if (leftGroup !== 0 && rightGroup !== 0 && leftGroup !== rightGroup) return false;
  const a = baseOf(left);
  const b = baseOf(right);
  if (a === b) return true;
  if (isOwnObject(a) && isOwnObject(b)) return false;
  // Global, constant and local memory are distinct; private memory is reached through its own variables or generic pointers.
  const generic = 4;
  const spaceA = left.type.addressSpace;
  const spaceB = right.type.addressSpace;
  return spaceA === spaceB || spaceA === generic || spaceB === generic;
}

function visitBlock(block: Block, table: Map<string, Value>, added: string[], numbering: Numbering): void {
  const memory = new KnownMemory();
  for (const instruction of block.instructions) {
    const key = numbering.key(instruction);
    if (key !== null) {
      const known = table.get(key);
      if (known === undefined) {
        table.set(key, instruction);
        added.push(key);
      } else numbering.replace(instruction, numbering.leader(known));
      continue;
    }
    const isVolatile = (instruction.flags & VOLATILE) !== 0;
    if (instruction.op === Op.LOAD && !isVolatile) {
      const [pointer] = instruction.operands;
      if (pointer === undefined) continue;
      const address = numbering.number(pointer);
      const known = memory.find(address, instruction.type.text);
      if (known === null) memory.set(address, instruction.type.text, instruction, instruction);
      else numbering.replace(instruction, numbering.leader(known));
    } else if (instruction.op === Op.STORE && !isVolatile) {
      const [value, pointer] = instruction.operands;
      if (value === undefined || pointer === undefined) continue;
      memory.clobber(instruction, numbering.leader(pointer));
      memory.set(numbering.number(pointer), value.type.text, value, instruction);
    } else if (hasEffect(instruction.op, "w") || hasEffect(instruction.op, "c")) memory.forget();
  }
}

/**
 * Replaces computations that were already done on every way to them, and loads whose value is known within their block.
 *
 * @returns true when anything changed
 *
 * @public
 */
export function globalValueNumbering(fn: IrFunction): boolean {
  const tree = dominators(fn);
  const table = new Map<string, Value>();
  const numbering = new Numbering();
  // An explicit stack: dominator trees of generated code can be deep.
  const stack: { readonly block: Block | null; readonly added: string[] }[] = [{ block: fn.entry, added: [] }];
  for (let frame = stack.pop(); frame !== undefined; frame = stack.pop()) {
    if (frame.block === null) {
      for (const key of frame.added) table.delete(key);
      continue;
    }
    const added: string[] = [];
    visitBlock(frame.block, table, added, numbering);
    stack.push({ block: null, added });
    for (const child of tree.children(frame.block)) stack.push({ block: child, added: [] });
  }
  if (numbering.replacements.size === 0) return false;
  const final = new Map<Value, Value>();
  for (const [value] of numbering.replacements) {
    let leader: Value = value;
    for (let next = numbering.leader(leader); next !== leader; next = numbering.leader(leader)) leader = next;
    final.set(value, leader);
  }
  for (const block of fn.blocks) block.instructions = block.instructions.filter((instruction) => !final.has(instruction));
  replaceUses(fn, final);
  return true;
}
