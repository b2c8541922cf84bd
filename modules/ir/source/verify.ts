// SPDX-License-Identifier: Apache-2.0
// The verifier: checks a module against the rules of the IR (docs/ir.md) and names function, block and instruction of
// each broken one.
//
// Per function: (1) shape: blocks end with their only terminator, everything belongs to this function. Marks number
// blocks, parameters and instructions, so that membership is one comparison instead of a set; (2) dominators; (3) each
// instruction: the typing rule of its op (verify-rules.ts), symbols, arguments of its edges, and dominance of its
// operands' definitions. Later steps need the shape and are skipped when it is broken. Cost: linear, plus the dominator
// tree; correct modules allocate almost nothing.
import { WORK_ITEM_PARAMETER_COUNT, conventionProblem } from "./calling-convention.ts";
import { pointerBytes, sizeOf } from "./data-layout.ts";
import { type Dominators, dominators } from "./dominators.ts";
import type { Block, Global, IrFunction, Module } from "./function.ts";
import { type Instruction, NO_OPERANDS } from "./instruction.ts";
import { OPS } from "./op.table.ts";
import { printInstruction } from "./print.ts";
import { LOCAL, type Type, VOID } from "./type.ts";
import type { Parameter, Value } from "./value.ts";
import { CHECKS_BY_RULE } from "./verify-rules.ts";
import { predecessors } from "./walk.ts";

/** A broken rule. @public */
export interface VerifierError {
  /** Function; empty: the module. */
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
  if (name === "") return message;
  return `@${name}${block < 0 ? "" : `, ^${block}`}${instruction === "" ? "" : `, \`${instruction}\``}: ${message}`;
}

/** The check of each op. */
const CHECKS = OPS.map(({ rule }) => CHECKS_BY_RULE[rule]);

class FunctionVerifier {
  readonly errors: VerifierError[] = [];
  private readonly fn: IrFunction;
  private readonly module: Module;
  /** A list of types for each number of operands, see {@link typesOf}. */
  private readonly types: Type[][] = [];

  constructor(fn: IrFunction, module: Module) {
    this.fn = fn;
    this.module = module;
  }

  private add(block: Block | null, instruction: Instruction | null, message: string): void {
    this.errors.push({
      function: this.fn.name,
      block: block === null ? -1 : this.fn.blocks.indexOf(block),
      instruction: instruction === null ? "" : printInstruction(instruction),
      message,
    });
  }

  run(): readonly VerifierError[] {
    const { fn } = this;
    this.head();
    if (fn.blocks.length === 0 || !this.shape()) return this.errors;
    const before = predecessors(fn);
    if ((before.get(fn.entry)?.length ?? 0) > 0 || fn.entry.parameters.length > 0)
      this.add(fn.entry, null, "the entry block has no predecessors and no parameters");
    const tree = dominators(fn, before);
    for (const block of fn.blocks)
      for (const instruction of block.instructions) this.instruction(instruction, block, tree);
    return this.errors;
  }

  /** Checks parameters, return type and kernel description. */
  private head(): void {
    const { fn } = this;
    fn.parameters.forEach((parameter, i) => {
      if (parameter.type === VOID) this.add(null, null, `parameter ${i} has no type`);
      if (parameter.owner !== fn) this.add(null, null, `parameter ${i} belongs to another function`);
    });
    const problem = conventionProblem(fn, this.module.layout);
    if (problem !== null) this.add(null, null, problem);
    if (fn.kernel === null) return;
    const own =
      fn.convention.kind === "work_item" ? fn.parameters.length - WORK_ITEM_PARAMETER_COUNT : fn.parameters.length;
    if (fn.returnType !== VOID) this.add(null, null, "a kernel returns nothing");
    if (fn.kernel.arguments.length !== own)
      this.add(null, null, `the kernel describes ${fn.kernel.arguments.length} arguments and has ${own} parameters`);
  }

  /**
   * Sets the marks of blocks and parameters to their positions: one that is not at its mark is not of this function.
   */
  private number(): void {
    const { blocks, parameters } = this.fn;
    for (let i = 0; i < parameters.length; i++) (parameters[i] as Parameter).mark = i;
    for (let at = 0; at < blocks.length; at++) {
      const block = blocks[at] as Block;
      block.mark = at;
      for (let i = 0; i < block.parameters.length; i++) (block.parameters[i] as Parameter).mark = i;
    }
  }

  private isOwn(block: Block): boolean {
    return this.fn.blocks[block.mark] === block;
  }

  /**
   * Blocks end with their only terminator, and branch within the function. Marks instructions as {@link number} does
   * the others.
   */
  private shape(): boolean {
    const before = this.errors.length;
    const { blocks } = this.fn;
    this.number();
    if (blocks.some((block, i) => block.mark !== i)) this.add(null, null, "a block occurs twice in the function");
    for (const block of blocks) {
      if (block.owner !== this.fn) this.add(block, null, "it belongs to another function");
      const { instructions } = block;
      for (let i = 0; i < instructions.length; i++) {
        const instruction = instructions[i] as Instruction;
        const { isTerminator, successors, mark } = instruction;
        const isLast = i === instructions.length - 1;
        if (isTerminator !== isLast)
          this.add(
            block,
            instruction,
            isLast ? "a block ends with a terminator" : "a terminator must be at the end of its block",
          );
        if (instruction.block !== block) this.add(block, instruction, "it belongs to another block");
        else if (mark !== i && instructions[mark] === instruction) this.add(block, instruction, "it occurs twice");
        instruction.mark = i;
        if (successors.length === 0) continue;
        if (!isTerminator) this.add(block, instruction, "only a terminator has successors");
        for (const successor of successors)
          if (!this.isOwn(successor)) this.add(block, instruction, "it branches out of the function");
      }
      if (instructions.length === 0) this.add(block, null, "a block ends with a terminator");
    }
    return this.errors.length === before;
  }

  private instruction(instruction: Instruction, block: Block, tree: Dominators): void {
    const row = OPS[instruction.op];
    const check = CHECKS[instruction.op];
    if (row === undefined || check === undefined) {
      this.add(block, instruction, `${instruction.op} is not the number of an op`);
      return;
    }
    const { operands, symbol, isTerminator } = instruction;
    const types = this.typesOf(operands);
    const problem = check(instruction, types);
    if (problem !== null) this.add(block, instruction, `${row.name} ${problem}`);
    if (isTerminator && instruction.type !== VOID) this.add(block, instruction, `${row.name} has no result`);
    const isReached = tree.position(block) >= 0;
    if (isReached) for (let i = 0; i < operands.length; i++) this.use(operands[i] as Value, instruction, block, tree);
    if (isTerminator || instruction.successorArguments.length > 0)
      this.edges(instruction, block, isReached ? tree : null);
    if (symbol === null) return;
    if (symbol.kind === "function" && this.module.functions.get(symbol.name) !== symbol)
      this.add(block, instruction, `@${symbol.name} is not in the module`);
    if (symbol.kind === "global" && this.module.globals.get(symbol.name) !== symbol)
      this.add(block, instruction, `@${symbol.name} is not in the module`);
  }

  /** Types of operands, in a list that the next instruction of as many operands reuses: this avoids garbage. */
  private typesOf(operands: readonly Value[]): readonly Type[] {
    const count = operands.length;
    const list = (this.types[count] ??= []);
    for (let i = 0; i < count; i++) list[i] = (operands[i] as Value).type;
    return list;
  }

  /** Checks the arguments of each edge. `tree`: null in unreachable blocks. */
  private edges(instruction: Instruction, block: Block, tree: Dominators | null): void {
    const { successors, successorArguments } = instruction;
    if (successorArguments.length > successors.length)
      this.add(block, instruction, "it has arguments for more successors than it has");
    if (OPS[instruction.op]?.rule === "return" || OPS[instruction.op]?.rule === "unreachable") {
      if (successors.length > 0) this.add(block, instruction, "it must not have successors");
    }
    for (let i = 0; i < successors.length; i++) {
      const successor = successors[i] as Block;
      const { parameters } = successor;
      const list = successorArguments[i] ?? NO_OPERANDS;
      let fits = list.length === parameters.length;
      for (let j = 0; fits && j < list.length; j++)
        fits = (list[j] as Value).type === (parameters[j] as Parameter).type;
      if (!fits)
        this.add(
          block,
          instruction,
          `the arguments for ^${this.fn.blocks.indexOf(successor)} do not match its parameters`,
        );
      if (tree !== null) for (let j = 0; j < list.length; j++) this.use(list[j] as Value, instruction, block, tree);
    }
  }

  /** Checks that the definition of a value dominates its use. The block is reachable. */
  private use(value: Value, user: Instruction, block: Block, tree: Dominators): void {
    if (value.kind === "constant") return;
    if (value.kind === "parameter") {
      const home = value.block;
      const isOwn =
        home === null
          ? value.owner === this.fn && this.fn.parameters[value.mark] === value
          : this.isOwn(home) && home.parameters[value.mark] === value;
      if (!isOwn) this.add(block, user, "it uses a parameter of another function or of a block that has lost it");
      else if (home !== null && !tree.dominates(home, block))
        this.add(block, user, "it uses a parameter of a block that does not dominate it");
      return;
    }
    if (value.type === VOID) {
      this.add(block, user, `it uses \`${printInstruction(value)}\`, which has no result`);
      return;
    }
    const home = value.block;
    if (home === null || !this.isOwn(home) || home.instructions[value.mark] !== value)
      this.add(block, user, "it uses an instruction that is not in the function");
    else if (home === block ? value.mark >= user.mark : !tree.dominates(home, block))
      this.add(block, user, `it uses \`${printInstruction(value)}\` before it is computed`);
  }
}

/** What is wrong with a global, one sentence each. */
function globalProblems(global: Global, module: Module): readonly string[] {
  const problems: string[] = [];
  const size = sizeOf(module.layout, global.type);
  const bytes = global.initializer?.length ?? 0;
  if (global.type === VOID) problems.push("it has no type");
  if (!(global.alignment > 0 && Number.isInteger(Math.log2(global.alignment))))
    problems.push(`its alignment ${global.alignment} is not a power of two`);
  if (global.addressSpace === LOCAL && (global.initializer !== null || global.relocations.length > 0))
    problems.push("local memory has no initial bytes");
  if (global.initializer !== null && bytes !== size)
    problems.push(`it has ${bytes} initial bytes, its type ${global.type.text} has ${size}`);
  if (global.linkage === "declaration" && (global.initializer !== null || global.relocations.length > 0))
    problems.push("a declaration has no initial bytes");
  for (const { offset, target } of global.relocations) {
    const end = offset + pointerBytes(module.layout, target.addressSpace);
    if (offset < 0 || end > bytes)
      problems.push(`the relocation at ${offset} is outside of its ${bytes} initial bytes`);
    if (module.globals.get(target.name) !== target)
      problems.push(`it points to @${target.name}, which is not in the module`);
  }
  return problems;
}

/**
 * Every broken rule of a module; empty: it is well-formed. `only`: the functions to look into, absent: all; globals are
 * always checked. Uses the marks.
 *
 * @public
 */
export function verifyModule(module: Module, only?: ReadonlySet<IrFunction>): readonly VerifierError[] {
  const errors: VerifierError[] = [];
  for (const [name, global] of module.globals) {
    if (name !== global.name)
      errors.push({
        function: "",
        block: -1,
        instruction: "",
        message: `global @${global.name}: the module knows it as @${name}`,
      });
    for (const problem of globalProblems(global, module))
      errors.push({ function: "", block: -1, instruction: "", message: `global @${global.name}: ${problem}` });
  }
  for (const [name, fn] of module.functions) {
    if (only?.has(fn) === false) continue;
    if (name !== fn.name)
      errors.push({ function: fn.name, block: -1, instruction: "", message: `the module knows it as @${name}` });
    errors.push(...new FunctionVerifier(fn, module).run());
  }
  return errors;
}
