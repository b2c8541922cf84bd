// SPDX-License-Identifier: Apache-2.0
// infer-address-space: gives generic pointers the address space of the memory that they refer to, so that accesses need
// no dynamic check.
//
// Phases:
//   1. Spaces: data-flow analysis over a lattice, OPEN (nothing known) above one element per address space above
//      GENERIC. Sources are casts to generic, transfer functions those of `address`, `select` and block parameters;
//      values meet at selects and joins. It is optimistic: every candidate starts OPEN, and the analysis iterates over
//      all candidates to the greatest fixpoint, so a pointer that only advances around a loop gets the space that it
//      entered with;
//   2. Rewriter: block parameters, `address` and `select` get their new type, accesses take the specific pointer, users
//      that need a generic one (calls, stores of the pointer) get a cast, and `address_space` queries become constants,
//      except that null counts as global.
//
//   p = addrspacecast %g           br loop(%g)
//   br loop(p)                loop(q: ptr<global>):
//   loop(q: ptr<generic>): -->     v = load q
//     v = load q                   r = address q, 4
//     r = address q, 4             br loop(r)
//     br loop(r)
//
// Compare LLVM's InferAddressSpaces (Wu et al., gpucc, CGO 2016). Cost: each candidate falls at most twice in the
// lattice, so at most 2n + 1 walks over n candidates; two or three are usual.
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

/** Top of the lattice: nothing is known yet. */
const OPEN = -1;

/** Operands that may be pointers to any address space, by op. */
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

/** The inferred address spaces; a value that is not in the map is generic. */
class Spaces {
  private readonly known = new Map<Value, number>();
  private readonly incoming = new Map<Parameter, Value[]>();
  /** True when all generic pointers stay generic. */
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
    if (candidates.length === 0) {
      this.isEmpty = true;
      return;
    }
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
    this.isEmpty = candidates.every((value) => this.of(value) === null);
  }

  private sources(value: Instruction | Parameter): readonly Value[] {
    if (value.kind === "parameter") return this.incoming.get(value) ?? [];
    return value.op === Op.SELECT ? value.operands.slice(1) : value.operands.slice(0, 1);
  }

  /** The lattice value of an operand. Null is a pointer to every space. */
  private spaceOf(value: Value): number {
    if (value.kind === "constant") return value.low === 0 && value.high === 0 ? OPEN : GENERIC;
    return isGeneric(value.type) ? (this.known.get(value) ?? GENERIC) : value.type.addressSpace;
  }

  private meet(left: number, right: number): number {
    if (left === OPEN || left === right) return right;
    return right === OPEN ? left : GENERIC;
  }

  /** The inferred space of a generic pointer; null: it stays generic. */
  of(value: Value): number | null {
    const space = this.known.get(value);
    return space === undefined || space === OPEN || space === GENERIC ? null : space;
  }
}

/** Rewrites pointers to their inferred spaces. */
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

  /** A pointer in its inferred space; null: it stays generic. */
  private specific(value: Value): Value | null {
    const space = this.spaces.of(value);
    if (space === null) return null;
    if (value.kind === "instruction" && value.op === Op.ADDRSPACECAST)
      return value.operands[0] === undefined ? null : (this.specific(value.operands[0]) ?? value.operands[0]);
    return this.parameters.get(value) ?? value;
  }

  /** A pointer of a required type; null takes that type too. */
  private inSpace(value: Value, type: Type): Value {
    return value.kind === "constant" ? constantZero(type) : (this.specific(value) ?? value);
  }

  /** A pointer for a user that takes only generic ones; `before` receives the cast. */
  private asGeneric(value: Value, before: Instruction[], user: Instruction): Value {
    if (value.kind === "instruction" && value.op === Op.ADDRSPACECAST) return value;
    const own = this.specific(value);
    if (own === null) return value;
    const cast = new Instruction(Op.ADDRSPACECAST, pointerType(GENERIC), [own], user.location);
    before.push(cast);
    return cast;
  }

  /** The result of `address_space` for a pointer to a known space: null counts as global. */
  private spaceNumber(value: Value, space: number, before: Instruction[], user: Instruction): Value {
    if (space === GLOBAL) return constantInt(I32, GLOBAL);
    const isNull = new Instruction(Op.EQ, I1, listOf<Value>(value, constantZero(value.type)), user.location);
    const number = new Instruction(
      Op.SELECT,
      I32,
      listOf<Value>(isNull, constantInt(I32, GLOBAL), constantInt(I32, space)),
      user.location,
    );
    before.push(isNull, number);
    return number;
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
    // Casts to generic stay for users that need them; dce removes the others.
    if (user.op === Op.ADDRSPACECAST && space !== null) {
      user.operands = user.operands.map((value) => this.specific(value) ?? value);
      return;
    }
    const [pointer] = user.operands;
    const inferred = pointer === undefined ? null : this.spaces.of(pointer);
    if (user.op === Op.ADDRESS_SPACE && pointer !== undefined && inferred !== null) {
      this.replaced.set(user, this.spaceNumber(this.specific(pointer) ?? pointer, inferred, before, user));
      this.changed = true;
      return;
    }
    if (user.op === Op.ADDRSPACECAST && pointer !== undefined && inferred === user.type.addressSpace) {
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

  /** The value that replaces a value; chains are followed. */
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
 * Gives generic pointers the address space of all pointers that they are made from.
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
