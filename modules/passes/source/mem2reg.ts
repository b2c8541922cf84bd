// mem2reg: private variables that are only loaded and stored whole become values.
// Braun et al., "Simple and Efficient Construction of Static Single Assignment Form" (2013), run over a finished graph: no dominance frontiers needed.
import { assert } from "@muxkit/cargo";
import {
  type Block, type Constant, type Instruction, type IrFunction, Op, type Parameter, type Type, VOLATILE, type Value, constantZero, predecessors, replaceUses, scalarOf,
} from "@muxkit/ir";

/** True for types that a value can have. */
function isValueType(type: Type): boolean {
  const kind = scalarOf(type).kind;
  return kind === "int" || kind === "float" || kind === "pointer" || kind === "opaque";
}

/** The variables whose every use is a plain load or store of their own type. */
function promotable(fn: IrFunction): Map<Instruction, Type> {
  const variables = new Map<Instruction, Type>();
  for (const instruction of fn.entry.instructions) {
    if (instruction.op === Op.ALLOCA && instruction.elementType !== null && isValueType(instruction.elementType)) variables.set(instruction, instruction.elementType);
  }
  for (const block of fn.blocks) {
    for (const user of block.instructions) {
      for (let i = 0; i < user.operands.length; i++) {
        const operand = user.operands[i];
        if (operand === undefined || operand.kind !== "instruction" || !variables.has(operand)) continue;
        const type = variables.get(operand);
        const plain = (user.flags & VOLATILE) === 0;
        const loads = user.op === Op.LOAD && user.type === type;
        const stores = user.op === Op.STORE && i === 1 && user.operands[0]?.type === type;
        if (user.op !== Op.DEBUG_VALUE && !(plain && (loads || stores))) variables.delete(operand);
      }
      for (const list of user.successorArguments) for (const value of list) if (value.kind === "instruction") variables.delete(value);
    }
  }
  return variables;
}

/** Builds the values of variables block by block; parameters are made on demand and dropped again where all predecessors agree. */
class Construction {
  private readonly before: ReadonlyMap<Block, readonly Block[]>;
  private readonly atEnd = new Map<Block, Map<Instruction, Value>>();
  private readonly variableOf = new Map<Parameter, Instruction>();
  /** Values that have been replaced; followed to their end when read. */
  readonly replaced = new Map<Value, Value>();

  constructor(fn: IrFunction) {
    this.before = predecessors(fn);
  }

  /** The value that stands for `value` after all replacements. */
  resolve(value: Value): Value {
    let current = value;
    for (let next = this.replaced.get(current); next !== undefined; next = this.replaced.get(current)) current = next;
    return current;
  }

  write(block: Block, variable: Instruction, value: Value): void {
    let values = this.atEnd.get(block);
    if (values === undefined) {
      values = new Map();
      this.atEnd.set(block, values);
    }
    values.set(variable, value);
  }

  /** The value at the end of a block as known so far. */
  local(block: Block, variable: Instruction): Value | null {
    return this.atEnd.get(block)?.get(variable) ?? null;
  }

  /** The value at the start of a block: a walk up single predecessors, a new parameter at joins. */
  atStart(start: Block, variable: Instruction, type: Type): Value {
    const chain: Block[] = [];
    let block = start;
    let found: Value | null = null;
    while (found === null) {
      chain.push(block);
      const preds: readonly Block[] = this.before.get(block) ?? [];
      const [only] = preds;
      if (only === undefined) found = constantZero(type);
      else if (preds.length > 1 || this.entersTwice(only, block)) {
        const parameter = block.addParameter(type, variable.name);
        this.variableOf.set(parameter, variable);
        this.pending.push([block, parameter]);
        found = parameter;
      } else {
        found = this.local(only, variable);
        block = only;
      }
    }
    // What holds at the start of a block without a store of its own holds at its end too.
    for (const passed of chain) {
      const known = this.starts.get(passed);
      if (known === undefined) this.starts.set(passed, new Map([[variable, found]]));
      else known.set(variable, found);
      if (this.local(passed, variable) === null) this.write(passed, variable, found);
    }
    return found;
  }

  private readonly starts = new Map<Block, Map<Instruction, Value>>();
  private readonly pending: [Block, Parameter][] = [];

  private entersTwice(from: Block, to: Block): boolean {
    let count = 0;
    for (const successor of from.successors) if (successor === to) count++;
    return count > 1;
  }

  /** The value at the start of a block, remembered. */
  start(block: Block, variable: Instruction, type: Type): Value {
    return this.starts.get(block)?.get(variable) ?? this.atStart(block, variable, type);
  }

  /** Gives every new parameter its arguments; asking for them may make more parameters. */
  fillParameters(): void {
    for (let next = this.pending.pop(); next !== undefined; next = this.pending.pop()) {
      const [block, parameter] = next;
      const variable = this.variableOf.get(parameter);
      assert(variable !== undefined, "a parameter that was made for a variable");
      const position = block.parameters.indexOf(parameter);
      for (const pred of new Set(this.before.get(block) ?? [])) {
        const value = this.local(pred, variable) ?? this.start(pred, variable, parameter.type);
        const { successors, successorArguments } = pred.terminator;
        successors.forEach((successor, i) => {
          if (successor === block) {
            const list = successorArguments[i];
            assert(list !== undefined, "arguments for each successor");
            list[position] = value;
          }
        });
      }
    }
  }

  /** The parameters that were made. */
  get parameters(): ReadonlyMap<Parameter, Instruction> {
    return this.variableOf;
  }
}

/** Drops parameters whose arguments are all the same value (or the parameter itself), until none is left. Returns what they became. @internal */
export function dropTrivialParameters(fn: IrFunction, candidates: Iterable<Parameter>, replaced: Map<Value, Value>): void {
  const incoming = new Map<Parameter, Value[]>();
  const list = [...candidates];
  for (const block of fn.blocks) {
    const { successors, successorArguments } = block.terminator;
    successors.forEach((successor, i) => {
      successor.parameters.forEach((parameter, position) => {
        const value = successorArguments[i]?.[position];
        if (value === undefined) return;
        const values = incoming.get(parameter);
        if (values === undefined) incoming.set(parameter, [value]);
        else values.push(value);
      });
    });
  }
  const resolve = (value: Value): Value => {
    let current = value;
    for (let next = replaced.get(current); next !== undefined; next = replaced.get(current)) current = next;
    return current;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const parameter of list) {
      if (replaced.has(parameter)) continue;
      let same: Value | null = null;
      let trivial = true;
      for (const value of incoming.get(parameter) ?? []) {
        const now = resolve(value);
        if (now === parameter || now === same) continue;
        if (same !== null) {
          trivial = false;
          break;
        }
        same = now;
      }
      if (trivial && same !== null) {
        replaced.set(parameter, same);
        changed = true;
      }
    }
  }
  const dead = new Set<Parameter>(list.filter((parameter) => replaced.has(parameter)));
  removeParameters(fn, dead);
}

/** Takes parameters and the arguments for them away. @internal */
export function removeParameters(fn: IrFunction, dead: ReadonlySet<Parameter>): void {
  if (dead.size === 0) return;
  for (const block of fn.blocks) {
    const { successors, successorArguments } = block.terminator;
    successors.forEach((successor, i) => {
      if (successor.parameters.some((p) => dead.has(p))) {
        successorArguments[i] = (successorArguments[i] ?? []).filter((_, position) => {
          const parameter = successor.parameters[position];
          return parameter === undefined || !dead.has(parameter);
        });
      }
    });
  }
  for (const block of fn.blocks) block.parameters = block.parameters.filter((p) => !dead.has(p));
}

/**
 * Turns the private variables of a function that are only loaded and stored whole into values. What was never stored is zero.
 * Unreachable blocks must be gone.
 *
 * @public
 */
export function mem2reg(fn: IrFunction): boolean {
  const variables = promotable(fn);
  if (variables.size === 0) return false;
  const construction = new Construction(fn);
  // The entry has no predecessor: there every variable is zero.
  const zero = new Map<Instruction, Constant>();
  for (const [variable, type] of variables) zero.set(variable, constantZero(type));
  const current = new Map<Instruction, Value>();
  const loads: { readonly load: Instruction; readonly block: Block; readonly variable: Instruction; readonly type: Type }[] = [];
  for (const block of fn.blocks) {
    current.clear();
    for (const instruction of block.instructions) {
      const isLoad = instruction.op === Op.LOAD;
      if (!isLoad && instruction.op !== Op.STORE) continue;
      const pointer = instruction.operands[isLoad ? 0 : 1];
      if (pointer === undefined || pointer.kind !== "instruction") continue;
      const type = variables.get(pointer);
      if (type === undefined) continue;
      if (isLoad) {
        const known = current.get(pointer);
        if (known === undefined) loads.push({ load: instruction, block, variable: pointer, type });
        else construction.replaced.set(instruction, known);
      } else {
        const stored = instruction.operands[0];
        assert(stored !== undefined, "a store has a value");
        current.set(pointer, stored);
      }
    }
    for (const [variable, value] of current) construction.write(block, variable, value);
  }
  for (const { load, block, variable, type } of loads) construction.replaced.set(load, construction.start(block, variable, type));
  construction.fillParameters();
  dropTrivialParameters(fn, construction.parameters.keys(), construction.replaced);
  const final = new Map<Value, Value>();
  for (const value of construction.replaced.keys()) final.set(value, construction.resolve(value));
  for (const block of fn.blocks) {
    block.instructions = block.instructions.filter((instruction) => !isGone(instruction, variables));
  }
  replaceUses(fn, final);
  return true;
}

/** Loads, stores and debug records of promoted variables, and the variables themselves. A debug record of a variable's address has nothing left to show. */
function isGone(instruction: Instruction, variables: ReadonlyMap<Instruction, Type>): boolean {
  if (variables.has(instruction)) return true;
  const at = instruction.op === Op.STORE ? 1 : 0;
  if (instruction.op !== Op.LOAD && instruction.op !== Op.STORE && instruction.op !== Op.DEBUG_VALUE) return false;
  const pointer = instruction.operands[at];
  return pointer !== undefined && pointer.kind === "instruction" && variables.has(pointer);
}
