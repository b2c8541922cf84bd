// The verifier: whether a module keeps the IR's rules, with messages that name function, block and instruction.
import { type Dominators, dominators } from "./dominators.ts";
import type { Block, IrFunction, Module } from "./function.ts";
import * as Op from "./generated/op.ts";
import type { Instruction } from "./instruction.ts";
import { OPS, type OpRule } from "./op.table.ts";
import { printInstruction } from "./print.ts";
import { I1, I32, I8, type Type, VOID, isFloat, isInt, isPointer, laneCount, scalarOf, withLanesOf } from "./type.ts";
import type { Value } from "./value.ts";
import { predecessors } from "./walk.ts";

/** Says what is wrong with an instruction by its rule; null: nothing. */
type Check = (instruction: Instruction, types: readonly Type[]) => string | null;

const expect = (holds: boolean, message: string): string | null => (holds ? null : message);

function count(types: readonly Type[], wanted: number): string | null {
  return expect(types.length === wanted, `takes ${wanted} operands, has ${types.length}`);
}

function alike(wanted: number, isRight: (type: Type) => boolean, kind: string): Check {
  return (instruction, types) =>
    count(types, wanted) ?? expect(types.every((type) => type === instruction.type && isRight(type)), `operands and result must be one ${kind} type, are ${types.map((t) => t.text).join(", ")} and ${instruction.type.text}`);
}

function compare(isRight: (type: Type) => boolean): Check {
  return (instruction, types) => {
    const [a, b] = types;
    return count(types, 2) ?? expect(a === b && a !== undefined && isRight(a) && instruction.type === withLanesOf(I1, a), "compares two values of one type to i1 by lane");
  };
}

/** Which conversions are which: from, to, and how the widths relate. */
const CONVERSIONS: Readonly<Record<number, readonly [from: Type["kind"], to: Type["kind"], relation: (from: number, to: number) => boolean]>> = {
  [Op.TRUNC]: ["int", "int", (a, b) => a > b],
  [Op.ZEXT]: ["int", "int", (a, b) => a < b],
  [Op.SEXT]: ["int", "int", (a, b) => a < b],
  [Op.FPTRUNC]: ["float", "float", (a, b) => a > b],
  [Op.FPEXT]: ["float", "float", (a, b) => a < b],
  [Op.FPTOSI]: ["float", "int", () => true],
  [Op.FPTOUI]: ["float", "int", () => true],
  [Op.SITOFP]: ["int", "float", () => true],
  [Op.UITOFP]: ["int", "float", () => true],
  [Op.PTRTOINT]: ["pointer", "int", () => true],
  [Op.INTTOPTR]: ["int", "pointer", () => true],
  [Op.ADDRSPACECAST]: ["pointer", "pointer", () => true],
};

const bitsOf = (type: Type): number => scalarOf(type).bits * laneCount(type);

const needsPointer = (type: Type | undefined): string | null => expect(type !== undefined && type.kind === "pointer", "needs a pointer");

const CHECKS: { readonly [K in OpRule]: Check } = {
  "unary-int": alike(1, isInt, "int"),
  "unary-float": alike(1, isFloat, "float"),
  "binary-int": alike(2, isInt, "int"),
  "binary-float": alike(2, isFloat, "float"),
  "ternary-float": alike(3, isFloat, "float"),
  shift: alike(2, isInt, "int"),
  "compare-int": compare((type) => isInt(type) || isPointer(type)),
  "compare-float": compare(isFloat),
  convert: (instruction, types) => {
    const [from] = types;
    const row = CONVERSIONS[instruction.op];
    if (from === undefined || row === undefined) return "takes one operand";
    const [fromKind, toKind, relation] = row;
    const a = scalarOf(from);
    const b = scalarOf(instruction.type);
    return expect(types.length === 1 && a.kind === fromKind && b.kind === toKind && relation(a.bits, b.bits) && laneCount(from) === laneCount(instruction.type), `does not convert ${from.text} to ${instruction.type.text}`);
  },
  bitcast: (instruction, types) => {
    const [from] = types;
    if (from === undefined) return "takes one operand";
    return expect(bitsOf(from) === bitsOf(instruction.type) && bitsOf(from) > 0, `${from.text} and ${instruction.type.text} differ in size`);
  },
  select: (instruction, types) => {
    const [condition, a, b] = types;
    return count(types, 3) ?? expect(a === b && a === instruction.type && (condition === I1 || condition === withLanesOf(I1, instruction.type)), "selects between two values of its type by i1");
  },
  splat: (instruction, types) => expect(types.length === 1 && instruction.type.element === types[0], "spreads a scalar over a vector of it"),
  build: (instruction, types) => expect(types.length === instruction.type.count && types.every((type) => type === instruction.type.element), "takes a scalar for each lane"),
  extract: (instruction, types) => count(types, 2) ?? expect(types[0]?.element === instruction.type && types[1] === I32, "takes a vector and an i32"),
  insert: (instruction, types) => count(types, 3) ?? expect(types[0] === instruction.type && types[1] === instruction.type.element && types[2] === I32, "takes a vector, a scalar of it and an i32"),
  shuffle: (instruction, types) => {
    const [a, b] = types;
    if (a === undefined || a !== b || a.kind !== "vector") return "takes two vectors of one type";
    const fits = instruction.lanes.every((lane) => lane >= -1 && lane < a.count * 2) && instruction.lanes.length === laneCount(instruction.type);
    return expect(fits && scalarOf(instruction.type) === a.element, "lanes do not fit its operands or result");
  },
  alloca: (instruction) => expect(instruction.elementType !== null && instruction.alignment > 0 && instruction.block === instruction.block?.owner.entry, "needs a type and an alignment and stands in the entry block"),
  load: (instruction, types) => count(types, 1) ?? needsPointer(types[0]) ?? expect(instruction.alignment > 0 && instruction.type !== VOID, "needs an alignment"),
  store: (instruction, types) => count(types, 2) ?? needsPointer(types[1]) ?? expect(instruction.alignment > 0, "needs an alignment"),
  address: (instruction, types) => {
    const [base, index] = types;
    return needsPointer(base) ?? expect(instruction.type === base && (index === undefined ? types.length === 1 : types.length === 2 && index.kind === "int" && index.bits > 1), "takes a pointer and, perhaps, an int");
  },
  "global-address": (instruction) => expect(instruction.symbol?.kind === "global" && instruction.type.kind === "pointer", "needs a global"),
  "memory-copy": (_, types) => count(types, 3) ?? needsPointer(types[0]) ?? needsPointer(types[1]) ?? expect(types[2]?.kind === "int", "needs a size"),
  "memory-fill": (_, types) => count(types, 3) ?? needsPointer(types[0]) ?? expect(types[1] === I8 && types[2]?.kind === "int", "needs an i8 and a size"),
  "atomic-load": (instruction, types) => count(types, 1) ?? needsPointer(types[0]) ?? expect(instruction.order !== "none", "needs an order"),
  "atomic-store": (instruction, types) => count(types, 2) ?? needsPointer(types[1]) ?? expect(instruction.order !== "none", "needs an order"),
  "atomic-rmw": (instruction, types) => count(types, 2) ?? needsPointer(types[0]) ?? expect(types[1] === instruction.type && instruction.order !== "none", "gives the type that it takes"),
  "atomic-compare-exchange": (instruction, types) => count(types, 3) ?? needsPointer(types[0]) ?? expect(types[1] === instruction.type && types[2] === instruction.type, "gives the type that it takes"),
  fence: (instruction, types) => count(types, 0) ?? expect(instruction.order !== "none", "needs an order"),
  "work-item": (_, types) => count(types, 0),
  "work-item-dimension": (_, types) => count(types, 1) ?? expect(types[0] === I32, "takes an i32"),
  barrier: (instruction, types) => count(types, 0) ?? expect(instruction.scope !== "none", "needs a scope"),
  call: (instruction, types) => {
    const { symbol } = instruction;
    if (symbol === null || symbol.kind !== "function") return "needs a function";
    const wanted = symbol.parameters.map((parameter) => parameter.type);
    return expect(wanted.length === types.length && wanted.every((type, i) => type === types[i]) && symbol.returnType === instruction.type, `does not match @${symbol.name}`);
  },
  "call-builtin": (instruction, types) => expect(instruction.symbol?.kind === "builtin" && instruction.symbol.parameters.length === types.length, "needs a built-in with a type for each operand"),
  "debug-value": (instruction, types) => count(types, 1) ?? expect(instruction.symbol?.kind === "variable", "needs a variable"),
  "spec-constant": (instruction, types) => count(types, 1) ?? expect(types[0] === instruction.type && instruction.operands[0]?.kind === "constant", "needs a constant as default"),
  branch: (instruction, types) => count(types, 0) ?? expect(instruction.successors.length === 1, "needs one block"),
  "conditional-branch": (instruction, types) => count(types, 1) ?? expect(types[0] === I1 && instruction.successors.length === 2, "needs an i1 and two blocks"),
  switch: (instruction, types) => count(types, 1) ?? expect(types[0]?.kind === "int" && types[0].bits <= 32 && instruction.successors.length === instruction.lanes.length + 1, "needs an int of at most 32 bits and a block for each case"),
  return: (instruction, types) => {
    const wanted = instruction.block?.owner.returnType ?? VOID;
    return wanted === VOID ? count(types, 0) : (count(types, 1) ?? expect(types[0] === wanted, `must return ${wanted.text}`));
  },
  unreachable: (_, types) => count(types, 0),
};

/** A broken rule. @public */
export interface VerifierError {
  /** Function. */
  readonly function: string;
  /** Position of the block in the function; -1: the function itself. */
  readonly block: number;
  /** The instruction as text; empty: the block itself. */
  readonly instruction: string;
  /** What is wrong. */
  readonly message: string;
}

/** A {@link VerifierError} as one line. @public */
export function describeVerifierError({ function: name, block, instruction, message }: VerifierError): string {
  return `@${name}${block < 0 ? "" : `, ^${block}`}${instruction === "" ? "" : `, \`${instruction}\``}: ${message}`;
}

class FunctionVerifier {
  readonly errors: VerifierError[] = [];
  private readonly fn: IrFunction;
  private readonly module: Module;
  private readonly positions = new Map<Instruction, number>();
  private readonly blocks: ReadonlySet<Block>;

  constructor(fn: IrFunction, module: Module) {
    this.fn = fn;
    this.module = module;
    this.blocks = new Set(fn.blocks);
  }

  private add(block: Block | null, instruction: Instruction | null, message: string): void {
    this.errors.push({ function: this.fn.name, block: block === null ? -1 : this.fn.blocks.indexOf(block), instruction: instruction === null ? "" : printInstruction(instruction), message });
  }

  run(): readonly VerifierError[] {
    const { fn } = this;
    if (!this.shape()) return this.errors;
    if ((predecessors(fn).get(fn.entry)?.length ?? 0) > 0 || fn.entry.parameters.length > 0) this.add(fn.entry, null, "the entry block has no predecessors and no parameters");
    const tree = dominators(fn);
    for (const block of fn.blocks) for (const instruction of block.instructions) this.instruction(instruction, block, tree);
    return this.errors;
  }

  /** Blocks end with their only terminator, and branch within the function. */
  private shape(): boolean {
    for (const block of this.fn.blocks) {
      block.instructions.forEach((instruction, i) => {
        const isLast = i === block.instructions.length - 1;
        if (instruction.isTerminator !== isLast) this.add(block, instruction, isLast ? "a block ends with a terminator" : "a terminator stands at the end of its block");
        if (instruction.block !== block) this.add(block, instruction, "it belongs to another block");
        for (const successor of instruction.successors) if (!this.blocks.has(successor)) this.add(block, instruction, "it branches out of the function");
        this.positions.set(instruction, i);
      });
      if (block.instructions.length === 0) this.add(block, null, "a block ends with a terminator");
    }
    return this.errors.length === 0;
  }

  private instruction(instruction: Instruction, block: Block, tree: Dominators): void {
    const row = OPS[instruction.op];
    if (row === undefined) {
      this.add(block, instruction, `${instruction.op} is no op`);
      return;
    }
    const problem = CHECKS[row.rule](instruction, instruction.operands.map((value) => value.type));
    if (problem !== null) this.add(block, instruction, `${row.name} ${problem}`);
    for (const value of instruction.operands) this.use(value, instruction, block, tree);
    instruction.successors.forEach((successor, i) => {
      const list = instruction.successorArguments[i] ?? [];
      const fits = list.length === successor.parameters.length && list.every((value, j) => value.type === successor.parameters[j]?.type);
      if (!fits) this.add(block, instruction, `the arguments for ^${this.fn.blocks.indexOf(successor)} do not match its parameters`);
      for (const value of list) this.use(value, instruction, block, tree);
    });
    const { symbol } = instruction;
    if (symbol?.kind === "function" && this.module.functions.get(symbol.name) !== symbol) this.add(block, instruction, `@${symbol.name} is not in the module`);
    if (symbol?.kind === "global" && this.module.globals.get(symbol.name) !== symbol) this.add(block, instruction, `@${symbol.name} is not in the module`);
  }

  /** A value is used where its definition has been passed. */
  private use(value: Value, user: Instruction, block: Block, tree: Dominators): void {
    if (value.kind === "constant" || tree.position(block) < 0) return;
    if (value.kind === "parameter") {
      if (value.block === null ? value.owner !== this.fn : !this.blocks.has(value.block) || !value.block.parameters.includes(value)) this.add(block, user, "it uses a parameter of another function or of a block that has lost it");
      else if (value.block !== null && !tree.dominates(value.block, block)) this.add(block, user, "it uses a parameter of a block that does not dominate it");
      return;
    }
    const home = value.block;
    if (home === null || !this.positions.has(value)) this.add(block, user, "it uses an instruction that is not in the function");
    else if (home === block ? (this.positions.get(value) ?? 0) >= (this.positions.get(user) ?? 0) : !tree.dominates(home, block)) this.add(block, user, `it uses \`${printInstruction(value)}\` before it is computed`);
  }
}

/** Everything that breaks the IR's rules; empty: the module is well-formed. @public */
export function verifyModule(module: Module): readonly VerifierError[] {
  const errors: VerifierError[] = [];
  for (const [name, fn] of module.functions) {
    if (name !== fn.name) errors.push({ function: fn.name, block: -1, instruction: "", message: `the module knows it as @${name}` });
    if (fn.blocks.length > 0) errors.push(...new FunctionVerifier(fn, module).run());
  }
  return errors;
}
