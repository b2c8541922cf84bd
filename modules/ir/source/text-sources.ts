// SPDX-License-Identifier: Apache-2.0
// Which constant strings a pointer may point into: its reaching definitions, followed backwards through the module.
//
// A demand-driven, flow-insensitive points-to analysis: a pointer comes from a constant (found), from an address in the
// same object, a select or a block parameter (all inputs), from a variable (all that is stored to it, whose address
// must not leave the function), from a table in constant memory (all its relocations), from a parameter (the arguments
// of all calls) or from a call (all that is returned). Everything else is an obstacle, and the answer is that the
// pointer is not known.
//
//     constant char* s = n ? "yes" : "no"; show(s);    in show(text): text points into "yes" or "no"
//
// Cost: linear in the functions that are met; each value is followed once.
import type { Global, IrFunction } from "./function.ts";
import * as Op from "./generated/op.ts";
import type { Instruction } from "./instruction.ts";
import { CONSTANT } from "./type.ts";
import type { Parameter, Value } from "./value.ts";
import { predecessors } from "./walk.ts";

/** What keeps the strings of a pointer unknown. @public */
export interface TextObstacle {
  /**
   * `argument`: of a kernel; `memory`: read from memory that may be written elsewhere; `variable`: one whose address is
   * passed on; `function`: the result or an argument of a function of another object; `number`: made of an integer.
   */
  readonly kind: "argument" | "memory" | "variable" | "function" | "number";
  /** The value that is not known. */
  readonly value: Value;
}

/** Where a pointer may point. @public */
export interface TextSources {
  /** Globals in constant memory, each once, in the order in which they were found. */
  readonly texts: readonly Global[];
  /** The first value that could not be followed; null: `texts` are all there are. */
  readonly obstacle: TextObstacle | null;
}

/** What is done with each variable of a function: stores to it, copies into it, and whether its address leaves. */
interface VariableUses {
  readonly stored: Value[];
  readonly copied: Value[];
  isPassedOn: boolean;
}

/** The object that an address is in. */
function rootOf(pointer: Value): Value {
  let root = pointer;
  while (root.kind === "instruction" && (root.op === Op.ADDRESS || root.op === Op.ADDRSPACECAST))
    root = root.operands[0] as Value;
  return root;
}

const isVariable = (value: Value): value is Instruction => value.kind === "instruction" && value.op === Op.ALLOCA;

function noteUses(instruction: Instruction, usesOf: (variable: Instruction) => VariableUses): void {
  const { op, operands } = instruction;
  if (op === Op.ADDRESS || op === Op.ADDRSPACECAST || op === Op.LOAD) return;
  operands.forEach((operand, i) => {
    const root = rootOf(operand);
    if (!isVariable(root)) return;
    const uses = usesOf(root);
    if (op === Op.STORE && i === 1) uses.stored.push(operands[0] as Value);
    else if (op === Op.MEMORY_COPY && i === 0) uses.copied.push(operands[1] as Value);
    else if (op !== Op.MEMORY_COPY && op !== Op.MEMORY_FILL && operand.type.kind === "pointer") uses.isPassedOn = true;
  });
}

/** Follows pointers of one module; what it has read of functions is kept. @public */
export class TextFinder {
  private readonly functions: readonly IrFunction[];
  private readonly variables: Map<IrFunction, Map<Instruction, VariableUses>> = new Map();
  private calls: Map<IrFunction, Instruction[]> | null = null;

  constructor(functions: Iterable<IrFunction>) {
    this.functions = Array.from(functions);
  }

  /** Finds the strings that a pointer may point into. */
  find(pointer: Value): TextSources {
    const texts = new Set<Global>();
    const seen = new Set<Value>();
    const work = [pointer];
    for (let value = work.pop(); value !== undefined; value = work.pop()) {
      if (seen.has(value)) continue;
      seen.add(value);
      const kind = this.follow(value, texts, work);
      if (kind !== null) return { texts: [...texts], obstacle: { kind, value } };
    }
    return { texts: [...texts], obstacle: null };
  }

  /** Adds what a value comes from to `work`; returns why it cannot. */
  private follow(value: Value, texts: Set<Global>, work: Value[]): TextObstacle["kind"] | null {
    // A null pointer points to no string.
    if (value.kind === "constant") return null;
    if (value.kind === "parameter") return this.followParameter(value, work);
    if (value.kind !== "instruction") return "memory";
    switch (value.op) {
      case Op.GLOBAL_ADDRESS:
        return value.symbol?.kind === "global" ? addText(value.symbol, texts) : "memory";
      case Op.ADDRESS:
      case Op.ADDRSPACECAST:
        work.push(value.operands[0] as Value);
        return null;
      case Op.SELECT:
        work.push(value.operands[1] as Value, value.operands[2] as Value);
        return null;
      case Op.LOAD:
        return this.followMemory(value.operands[0] as Value, texts, work);
      case Op.CALL:
        return value.symbol?.kind === "function" ? followResult(value.symbol, work) : "function";
      case Op.INTTOPTR:
        return "number";
      default:
        return "function";
    }
  }

  private followParameter(parameter: Parameter, work: Value[]): TextObstacle["kind"] | null {
    const { block, owner } = parameter;
    if (block !== null) {
      const at = block.parameters.indexOf(parameter);
      for (const before of predecessors(block.owner).get(block) ?? []) {
        const jump = before.instructions.at(-1);
        jump?.successors.forEach((successor, i) => {
          const given = jump.successorArguments[i]?.[at];
          if (successor === block && given !== undefined) work.push(given);
        });
      }
      return null;
    }
    if (owner === null) return "function";
    if (owner.kernel !== null) return "argument";
    const at = owner.parameters.indexOf(parameter);
    for (const call of this.callsOf(owner)) work.push(call.operands[at] as Value);
    return null;
  }

  /** What memory holds that a pointer is read from. */
  private followMemory(pointer: Value, texts: Set<Global>, work: Value[]): TextObstacle["kind"] | null {
    const roots = [rootOf(pointer)];
    const seen = new Set<Value>();
    for (let root = roots.pop(); root !== undefined; root = roots.pop()) {
      if (seen.has(root)) continue;
      seen.add(root);
      if (root.kind === "instruction" && root.op === Op.GLOBAL_ADDRESS && root.symbol?.kind === "global") {
        if (root.symbol.addressSpace !== CONSTANT || root.symbol.initializer === null) return "memory";
        for (const { target } of root.symbol.relocations) if (addText(target, texts) !== null) return "memory";
      } else if (isVariable(root)) {
        const uses = this.usesOf(root);
        if (uses?.isPassedOn === true) return "variable";
        work.push(...(uses?.stored ?? []));
        roots.push(...(uses?.copied ?? []).map(rootOf));
      } else return "memory";
    }
    return null;
  }

  private usesOf(variable: Instruction): VariableUses | undefined {
    const owner = variable.block?.owner;
    if (owner === undefined) return undefined;
    let known = this.variables.get(owner);
    if (known === undefined) {
      const found = new Map<Instruction, VariableUses>();
      const uses = (of: Instruction): VariableUses => {
        const own = found.get(of) ?? { stored: [], copied: [], isPassedOn: false };
        found.set(of, own);
        return own;
      };
      for (const block of owner.blocks) {
        for (const instruction of block.instructions) noteUses(instruction, uses);
        for (const given of block.instructions.at(-1)?.successorArguments.flat() ?? []) {
          const root = rootOf(given);
          if (isVariable(root)) uses(root).isPassedOn = true;
        }
      }
      known = found;
      this.variables.set(owner, known);
    }
    return known.get(variable);
  }

  private callsOf(fn: IrFunction): readonly Instruction[] {
    if (this.calls === null) {
      this.calls = new Map();
      for (const caller of this.functions) {
        for (const { instructions } of caller.blocks) {
          for (const instruction of instructions) {
            if (instruction.op !== Op.CALL || instruction.symbol?.kind !== "function") continue;
            const list = this.calls.get(instruction.symbol);
            if (list === undefined) this.calls.set(instruction.symbol, [instruction]);
            else list.push(instruction);
          }
        }
      }
    }
    return this.calls.get(fn) ?? [];
  }
}

function addText(global: Global, texts: Set<Global>): TextObstacle["kind"] | null {
  if (global.addressSpace !== CONSTANT || global.initializer === null) return "memory";
  texts.add(global);
  return null;
}

function followResult({ blocks }: IrFunction, work: Value[]): TextObstacle["kind"] | null {
  if (blocks.length === 0) return "function";
  for (const block of blocks) {
    const last = block.instructions.at(-1);
    const [result] = last !== undefined && last.op === Op.RET ? last.operands : [];
    if (result !== undefined) work.push(result);
  }
  return null;
}
