// SPDX-License-Identifier: Apache-2.0
// infer-address-space: generic pointers that are made of pointers into one address space become pointers into it. An
// optimistic walk finds the spaces: what is not known yet agrees with everything, so that pointers that go round a loop
// are found too.
import {
  type Block,
  GENERIC,
  Instruction,
  type IrFunction,
  Op,
  Parameter,
  type Type,
  type Value,
  I1,
  I32,
  GLOBAL,
  constantInt,
  constantZero,
  pointerType,
  listOf,
} from "@muxkit/ir";

/** Where nothing is known yet. */
const OPEN = -1;

/** Operands that may be pointers into any space, by op. */
const ANY_SPACE: Readonly<Record<number, readonly number[]>> = {
  [Op.LOAD]: [0],
  [Op.STORE]: [1],
  [Op.ATOMIC_LOAD]: [0],
  [Op.ATOMIC_STORE]: [1],
  [Op.ATOMIC_RMW]: [0],
  [Op.ATOMIC_COMPARE_EXCHANGE]: [0],
  [Op.MEMORY_COPY]: [0, 1],
  [Op.MEMORY_FILL]: [0],
  [Op.PTRTOINT]: [0],
  [Op.DEBUG_VALUE]: [0],
  [Op.MASKED_LOAD]: [0],
  [Op.MASKED_STORE]: [1],
};

function isGeneric(type: Type): boolean {
  return type.kind === "pointer" && type.addressSpace === GENERIC;
}

/** The spaces of generic pointers that can be told; what is not in the map is generic. */
class Spaces {
  private readonly known = new Map<Value, number>();
  private readonly incoming = new Map<Parameter, Value[]>();
  /** True when there is no pointer whose space could be told. */
  readonly isEmpty: boolean;

  constructor(fn: IrFunction) {
    const candidates: (Instruction | Parameter)[] = [];
    for (const { parameters, instructions } of fn.blocks) {
      for (const parameter of parameters) if (isGeneric(parameter.type)) candidates.push(parameter);
      for (let i = 0; i < instructions.length; i++) {
        const instruction = instructions[i] as Instruction;
        const { op, type } = instruction;
        if (isGeneric(type) && (op === Op.ADDRSPACECAST || op === Op.ADDRESS || op === Op.SELECT))
          candidates.push(instruction);
      }
    }
    this.isEmpty = candidates.length === 0;
    if (this.isEmpty) return;
    for (const block of fn.blocks) {
      const { successors, successorArguments } = block.terminator;
      successors.forEach((successor, i) => {
        successor.parameters.forEach((parameter, position) => {
          const value = successorArguments[i]?.[position];
          if (isGeneric(parameter.type) && value !== undefined)
            this.incoming.set(parameter, [...(this.incoming.get(parameter) ?? []), value]);
        });
      });
    }
    for (const value of candidates) this.known.set(value, OPEN);
    for (let changed = true; changed;) {
      changed = false;
      for (const value of candidates) {
        const space = this.sources(value).reduce((met, source) => this.meet(met, this.spaceOf(source)), OPEN);
        if (space === this.known.get(value)) continue;
        this.known.set(value, space);
        changed = true;
      }
    }
  }

  private sources(value: Instruction | Parameter): readonly Value[] {
    if (value.kind === "parameter") return this.incoming.get(value) ?? [];
    return value.op === Op.SELECT ? value.operands.slice(1) : value.operands.slice(0, 1);
  }

  /** Null is in every space. */
  private spaceOf(value: Value): number {
    if (value.kind === "constant") return value.low === 0 && value.high === 0 ? OPEN : GENERIC;
    return isGeneric(value.type) ? (this.known.get(value) ?? GENERIC) : value.type.addressSpace;
  }

  private meet(left: number, right: number): number {
    if (left === OPEN || left === right) return right;
    return right === OPEN ? left : GENERIC;
  }

  /** The space that a generic pointer is in; null: it cannot be told. */
  of(value: Value): number | null {
    const space = this.known.get(value);
    return space === undefined || space === OPEN || space === GENERIC ? null : space;
  }
}

/** Writes the pointers anew. */
class Rewriter {
  private readonly spaces: Spaces;
  /** Parameters of blocks, in their space. */
  private readonly parameters = new Map<Value, Parameter>();
  private readonly replaced = new Map<Value, Value>();
  changed = false;

  constructor(fn: IrFunction, spaces: Spaces) {
    this.spaces = spaces;
    for (const block of fn.blocks) {
      block.parameters = block.parameters.map((parameter) => {
        const space = spaces.of(parameter);
        if (space === null) return parameter;
        const own = new Parameter(pointerType(space), parameter.name, block, null);
        this.parameters.set(parameter, own);
        this.changed = true;
        return own;
      });
    }
  }

  /** The pointer as one into its space; null: it is generic and stays so. */
  private specific(value: Value): Value | null {
    const space = this.spaces.of(value);
    if (space === null) return null;
    if (value.kind === "instruction" && value.op === Op.ADDRSPACECAST)
      return value.operands[0] === undefined ? null : (this.specific(value.operands[0]) ?? value.operands[0]);
    return this.parameters.get(value) ?? value;
  }

  /** A pointer in the space that is asked for, where that is known or null. */
  private inSpace(value: Value, type: Type): Value {
    return value.kind === "constant" ? constantZero(type) : (this.specific(value) ?? value);
  }

  /** A pointer for somebody who takes generic ones only; `before` receives the cast. */
  private asGeneric(value: Value, before: Instruction[], user: Instruction): Value {
    if (value.kind === "instruction" && value.op === Op.ADDRSPACECAST) return value;
    const own = this.specific(value);
    if (own === null) return value;
    const cast = new Instruction(Op.ADDRSPACECAST, pointerType(GENERIC), [own], user.location);
    before.push(cast);
    return cast;
  }

  /** Where a pointer points, now that its space is known: null alone counts as global. */
  private answer(value: Value, space: number, before: Instruction[], user: Instruction): Value {
    if (space === GLOBAL) return constantInt(I32, GLOBAL);
    const isNull = new Instruction(Op.EQ, I1, listOf<Value>(value, constantZero(value.type)), user.location);
    const answer = new Instruction(
      Op.SELECT,
      I32,
      listOf<Value>(isNull, constantInt(I32, GLOBAL), constantInt(I32, space)),
      user.location,
    );
    before.push(isNull, answer);
    return answer;
  }

  private operand(user: Instruction, index: number, before: Instruction[]): Value {
    const value = user.operands[index] as Value;
    const space = this.spaces.of(user);
    const isPointerOfUser =
      space !== null && (user.op === Op.ADDRESS ? index === 0 : user.op === Op.SELECT && index > 0);
    if (isPointerOfUser) return this.inSpace(value, pointerType(space));
    const own = this.specific(value);
    if (own === null) return value;
    if (ANY_SPACE[user.op]?.includes(index) === true) {
      this.changed = true;
      return own;
    }
    return this.asGeneric(value, before, user);
  }

  private instruction(user: Instruction, before: Instruction[]): void {
    const space = this.spaces.of(user);
    // Casts to generic stay for whoever needs them; dce takes the rest.
    if (user.op === Op.ADDRSPACECAST && space !== null) {
      user.operands = user.operands.map((value) => this.specific(value) ?? value);
      return;
    }
    const [pointer] = user.operands;
    const asked = pointer === undefined ? null : this.spaces.of(pointer);
    if (user.op === Op.ADDRESS_SPACE && pointer !== undefined && asked !== null) {
      this.replaced.set(user, this.answer(this.specific(pointer) ?? pointer, asked, before, user));
      this.changed = true;
      return;
    }
    if (user.op === Op.ADDRSPACECAST && pointer !== undefined && asked === user.type.addressSpace) {
      this.replaced.set(user, this.specific(pointer) ?? pointer);
      this.changed = true;
      return;
    }
    user.operands = user.operands.map((_, i) => this.operand(user, i, before));
    if (space !== null && (user.op === Op.ADDRESS || user.op === Op.SELECT)) {
      user.type = pointerType(space);
      this.changed = true;
    }
  }

  private edges(terminator: Instruction, before: Instruction[]): void {
    terminator.successors.forEach((successor, i) => {
      const list = terminator.successorArguments[i] ?? [];
      terminator.successorArguments[i] = list.map((value, position) => {
        const type = successor.parameters[position]?.type;
        if (type === undefined || type.kind !== "pointer") return value;
        if (type.addressSpace === GENERIC) return this.asGeneric(value, before, terminator);
        return value.type === type ? value : this.inSpace(value, type);
      });
    });
  }

  block(block: Block): void {
    const old = block.instructions;
    block.instructions = [];
    for (const instruction of old) {
      const before: Instruction[] = [];
      this.instruction(instruction, before);
      if (instruction.isTerminator) this.edges(instruction, before);
      for (const made of before) block.append(made);
      if (!this.replaced.has(instruction)) block.append(instruction);
    }
  }

  /** What took the place of instructions, followed to its end. */
  resolve(value: Value): Value {
    let current = value;
    for (let next = this.replaced.get(current); next !== undefined; next = this.replaced.get(current)) current = next;
    return current;
  }

  get hasReplaced(): boolean {
    return this.replaced.size > 0;
  }
}

/**
 * Gives generic pointers the address space that all they are made of lies in.
 *
 * @returns true when anything changed
 *
 * @public
 */
export function inferAddressSpaces(fn: IrFunction): boolean {
  const spaces = new Spaces(fn);
  if (spaces.isEmpty) return false;
  const rewriter = new Rewriter(fn, spaces);
  for (const block of fn.blocks) rewriter.block(block);
  if (rewriter.hasReplaced) {
    for (const block of fn.blocks) {
      for (const instruction of block.instructions) {
        instruction.operands = instruction.operands.map((value) => rewriter.resolve(value));
        instruction.successorArguments = instruction.successorArguments.map((list) =>
          list.map((value) => rewriter.resolve(value)),
        );
      }
    }
  }
  return rewriter.changed;
}
