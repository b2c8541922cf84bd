// inline: puts the bodies of functions in the place of their calls, bottom up, within a budget (decision 37).
import { assert } from "@muxkit/cargo";
import {
  type Block, Instruction, type IrFunction, type Module, Op, type Type, type Value, VOID, cloneBlocks, constantInt, constantZero, createCloneMap, I32, I8, inlinedAt, isGroupOperation, isPointer, PRIVATE, replaceUses, sizeOf,
} from "@muxkit/ir";

import { countInstructions } from "./count.ts";

/** Instructions that a function may have to be inlined wherever it is called. */
const SMALL = 40;
/** Instructions above which a function takes no more bodies, unless it must. */
const BUDGET = 20_000;

function calleesOf(fn: IrFunction): Set<IrFunction> {
  const callees = new Set<IrFunction>();
  for (const block of fn.blocks) for (const { symbol } of block.instructions) if (symbol !== null && symbol.kind === "function") callees.add(symbol);
  return callees;
}

/** Functions, callees before callers. Recursion is refused by the front end; a cycle is cut where it is met. */
function bottomUp(module: Module): IrFunction[] {
  const order: IrFunction[] = [];
  const seen = new Set<IrFunction>();
  for (const root of module.functions.values()) {
    const stack: { readonly fn: IrFunction; readonly rest: IrFunction[] }[] = [];
    const enter = (fn: IrFunction): void => {
      if (seen.has(fn)) return;
      seen.add(fn);
      stack.push({ fn, rest: [...calleesOf(fn)] });
    };
    enter(root);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.rest.pop();
      if (next !== undefined) enter(next);
      else {
        order.push(top.fn);
        stack.pop();
      }
    }
  }
  return order;
}

/** Functions that hold a barrier or group operation, themselves or in what they call. */
function withBarriers(order: readonly IrFunction[]): Set<IrFunction> {
  const found = new Set<IrFunction>();
  for (const fn of order) {
    const has = fn.blocks.some((block) =>
      block.instructions.some(({ op, symbol }) => op === Op.BARRIER || isGroupOperation(op) || (symbol !== null && symbol.kind === "function" && found.has(symbol))),
    );
    if (has) found.add(fn);
  }
  return found;
}

function hasPrivatePointer(fn: IrFunction): boolean {
  return fn.parameters.some(({ type }) => isPointer(type) && type.addressSpace === PRIVATE);
}

/** Puts the body of `callee` in the place of `call`. The caller's entry takes the callee's variables, which are set to zero where the call stood. @public */
export function inlineCall(call: Instruction, callee: IrFunction, module: Module): void {
  const { block } = call;
  assert(block !== null, "a call stands in a block");
  const caller = block.owner;
  const at = block.instructions.indexOf(call);
  const after = caller.addBlock(block.name);
  const tail = block.instructions.splice(at);
  tail.shift();
  for (const instruction of tail) after.append(instruction);
  const map = createCloneMap();
  callee.parameters.forEach((parameter, i) => {
    const value = call.operands[i];
    assert(value !== undefined, () => `a call of ${callee.name} has an operand for each parameter`);
    map.values.set(parameter, value);
  });
  const result = callee.returnType === VOID ? null : after.addParameter(callee.returnType, call.name);
  const variables: Instruction[] = [];
  const copies = cloneBlocks(callee.blocks, caller, map, (copy) => {
    copy.location = inlinedAt(copy.location, call.location);
    if (copy.op === Op.ALLOCA) variables.push(copy);
    return copy;
  });
  for (const copy of copies) {
    const { terminator } = copy;
    if (terminator.op !== Op.RET) continue;
    const branch = new Instruction(Op.BR, VOID, [], terminator.location);
    branch.successors = [after];
    branch.successorArguments = [[...terminator.operands]];
    copy.instructions.pop();
    copy.append(branch);
  }
  const [first] = copies;
  assert(first !== undefined, () => `${callee.name} has a body`);
  if (variables.length > 0) moveVariables(variables, first, caller, module);
  const enter = new Instruction(Op.BR, VOID, [], call.location);
  enter.successors = [first];
  enter.successorArguments = [[]];
  block.append(enter);
  if (result !== null) replaceUses(caller, new Map<Value, Value>([[call, result]]));
}

/** Variables stand in the caller's entry; where the callee began, they are zero again. */
function moveVariables(variables: readonly Instruction[], first: Block, caller: IrFunction, module: Module): void {
  const moved = new Set(variables);
  first.instructions = first.instructions.filter((instruction) => !moved.has(instruction));
  const resets: Instruction[] = [];
  for (const variable of variables) {
    variable.block = caller.entry;
    const { elementType } = variable;
    assert(elementType !== null, "a variable has a type");
    resets.push(resetOf(variable, elementType, module));
  }
  for (const reset of resets) reset.block = first;
  first.instructions.unshift(...resets);
  caller.entry.instructions.unshift(...variables);
}

/** A store of zero for a value, a fill for an aggregate. */
function resetOf(variable: Instruction, type: Type, module: Module): Instruction {
  const isAggregate = type.kind === "array" || type.kind === "struct";
  const reset = isAggregate
    ? new Instruction(Op.MEMORY_FILL, VOID, [variable, constantZero(I8), constantInt(I32, sizeOf(module.layout, type))], variable.location)
    : new Instruction(Op.STORE, VOID, [constantZero(type), variable], variable.location);
  // What the variable promises; its type may ask for more.
  reset.alignment = variable.alignment;
  return reset;
}

/**
 * Inlines functions with barriers always, functions with pointers to private memory or a single caller while the budget lasts, others when they are small.
 *
 * @returns true when anything was inlined
 *
 * @public
 */
export function inlineFunctions(module: Module): boolean {
  const order = bottomUp(module);
  const barriers = withBarriers(order);
  const callers = new Map<IrFunction, number>();
  for (const fn of order) {
    for (const block of fn.blocks) {
      for (const { op, symbol } of block.instructions) if (op === Op.CALL && symbol !== null && symbol.kind === "function") callers.set(symbol, (callers.get(symbol) ?? 0) + 1);
    }
  }
  const sizes = new Map<IrFunction, number>();
  let changed = false;
  for (const fn of order) {
    let size = countInstructions(fn);
    // Blocks are added behind the ones that are looked at; inlined bodies have had their own calls decided already.
    const blocks = fn.blocks.slice();
    for (const block of blocks) {
      for (let current: Block | null = block; current !== null; ) {
        const call: Instruction | undefined = current.instructions.find(({ op, symbol }) => {
          if (op !== Op.CALL || symbol === null || symbol.kind !== "function" || symbol === fn || symbol.blocks.length === 0) return false;
          if (barriers.has(symbol) || symbol.inline === "always") return true;
          if (symbol.inline === "never") return false;
          const cost = sizes.get(symbol) ?? 0;
          if (size + cost > BUDGET) return false;
          return cost <= SMALL || callers.get(symbol) === 1 || (hasPrivatePointer(symbol) && cost <= SMALL * 16);
        });
        if (call === undefined || call.symbol === null || call.symbol.kind !== "function") break;
        size += sizes.get(call.symbol) ?? 0;
        const before: number = fn.blocks.length;
        inlineCall(call, call.symbol, module);
        // What stood behind the call now stands in the first block that was added.
        current = fn.blocks[before] ?? null;
        changed = true;
      }
    }
    sizes.set(fn, size);
  }
  return changed;
}
