// SPDX-License-Identifier: Apache-2.0
// inline: replaces calls by the bodies of their callees, bottom up over the call graph, within a budget of code size
// (docs/decisions/037-inlining-budget.md).
//
//   block:                       block:
//     a                            a
//     r = call f(x)                br f.entry
//     b                 -->      f.entry:   (clone of the callee; `ret v` becomes `br after(v)`)
//                                  ...
//                                after(r):
//                                  b
//
// Phases:
//   1. one walk over the module summarises calls, sizes and barriers; the summaries are ordered callees before callers,
//      so a body is inlined after its own calls have been decided (the front end rejects recursion);
//   2. estimated copies: a call in a function that is inlined everywhere counts once for each of that function's
//      copies;
//   3. per caller, in that order, a call is inlined when
//        - the callee contains a barrier or group operation, or is `inline always`: always, for barriers must end up in
//          the kernel;
//        - the callee is small, is called once (and its copies stay within a limit), or is given a pointer to private
//          memory, as one or made generic, and is of moderate size: while the caller stays below 20,000 instructions;
//   4. allocas of the callee move to the caller's entry and are zeroed where the body begins, as at a function's entry.
//
// Cost: linear in the instructions that are copied.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  Instruction,
  type IrFunction,
  type Module,
  Op,
  type Type,
  VOID,
  applyReplacements,
  cloneBlocks,
  constantInt,
  constantZero,
  createCloneMap,
  I32,
  I8,
  inlinedAt,
  isGroupOperation,
  isPointer,
  PRIVATE,
  replaceLater,
  scalarOf,
  sizeOf,
  NO_OPERANDS,
  copyOf,
  listOf,
  type Value,
} from "@muxkit/ir";

import { countInstructions } from "./instruction-count.ts";

/** Most instructions of a function that is inlined at every call. */
const SMALL = 40;
/** Instructions of a caller above which nothing is inlined into it unless it must be. */
const BUDGET = 20_000;
/** Most instructions of all copies of a function with one call, which is in a function that is copied itself. */
const COPIES = 1500;

/** Facts about a function before any function is changed. */
interface Summary {
  /** Its calls of functions, in order. */
  readonly calls: readonly Instruction[];
  /** True when it contains a barrier or group operation itself. */
  readonly hasBarrier: boolean;
  readonly size: number;
}

function summaryOf(fn: IrFunction): Summary {
  const calls: Instruction[] = [];
  let hasBarrier = false;
  for (const { instructions } of fn.blocks) {
    for (let i = 0; i < instructions.length; i++) {
      const instruction = instructions[i] as Instruction;
      if (instruction.symbol?.kind === "function") calls.push(instruction);
      else if (instruction.op === Op.BARRIER || isGroupOperation(instruction.op)) hasBarrier = true;
    }
  }
  return { calls, hasBarrier, size: countInstructions(fn) };
}

/** The function that an instruction names. */
function calleeOf({ symbol }: Instruction): IrFunction {
  assert(symbol?.kind === "function", "a call names a function");
  return symbol;
}

/**
 * Summaries of functions in postorder of the call graph: callees before callers. A cycle is cut at its first edge back.
 */
function bottomUp(module: Module): Map<IrFunction, Summary> {
  const order = new Map<IrFunction, Summary>();
  const seen = new Set<IrFunction>();
  for (const root of module.functions.values()) {
    const stack: { readonly fn: IrFunction; readonly summary: Summary; readonly rest: IrFunction[] }[] = [];
    const enter = (fn: IrFunction): void => {
      if (seen.has(fn)) return;
      seen.add(fn);
      const summary = summaryOf(fn);
      stack.push({ fn, summary, rest: [...new Set(summary.calls.map(calleeOf))] });
    };
    enter(root);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.rest.pop();
      if (next !== undefined) enter(next);
      else {
        order.set(top.fn, top.summary);
        stack.pop();
      }
    }
  }
  return order;
}

/**
 * Estimated copies of each function: a call in a function that is inlined everywhere counts once for each copy of that.
 */
function countCopies(order: ReadonlyMap<IrFunction, Summary>): ReadonlyMap<IrFunction, number> {
  const copies = new Map<IrFunction, number>();
  for (const [fn, { calls, size }] of [...order].toReversed()) {
    const isEverywhere = fn.inline === "always" || (fn.inline !== "never" && size <= SMALL);
    const own = isEverywhere ? Math.max(1, copies.get(fn) ?? 1) : 1;
    for (const call of calls)
      if (call.op === Op.CALL) copies.set(calleeOf(call), (copies.get(calleeOf(call)) ?? 0) + own);
  }
  return copies;
}

/** Functions that contain a barrier or group operation, themselves or in a callee. */
function withBarriers(order: ReadonlyMap<IrFunction, Summary>): Set<IrFunction> {
  const found = new Set<IrFunction>();
  for (const [fn, { hasBarrier, calls }] of order)
    if (hasBarrier || calls.some((call) => found.has(calleeOf(call)))) found.add(fn);
  return found;
}

function isPrivatePointer({ type }: Value): boolean {
  return isPointer(type) && scalarOf(type).addressSpace === PRIVATE;
}

/** True for a call that is given a pointer to private memory, which may be generic to the callee. */
function passesPrivatePointer({ operands }: Instruction): boolean {
  return operands.some((value) => {
    const isCast = value.kind === "instruction" && value.op === Op.ADDRSPACECAST;
    return isPrivatePointer(value) || (isCast && value.operands.some(isPrivatePointer));
  });
}

/** Replaces those calls of a block that are wanted. What follows a call goes to a block of its own. */
function inlineCalls(block: Block, wanted: ReadonlySet<Instruction>, module: Module): void {
  const { instructions } = block;
  block.instructions = listOf();
  let part = block;
  for (let i = 0; i < instructions.length; i++) {
    const instruction = instructions[i] as Instruction;
    if (!wanted.has(instruction)) part.append(instruction);
    else {
      const after = block.owner.addBlock(block.name);
      inlineCall(instruction, part, after, module);
      part = after;
    }
  }
}

/**
 * Replaces a call between two blocks by the body of its callee. The callee's allocas move to the caller's entry and are
 * zeroed where the call was. Uses of the call's result are replaced by the next `applyReplacements`.
 */
function inlineCall(call: Instruction, block: Block, after: Block, module: Module): void {
  const callee = calleeOf(call);
  const caller = block.owner;
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
    const branch = new Instruction(Op.BR, VOID, NO_OPERANDS, terminator.location);
    branch.successors = listOf(after);
    branch.successorArguments = listOf(copyOf(terminator.operands));
    copy.instructions.pop();
    copy.append(branch);
  }
  const [first] = copies;
  assert(first !== undefined, () => `${callee.name} has a body`);
  if (variables.length > 0) moveVariables(variables, first, caller, module);
  const enter = new Instruction(Op.BR, VOID, NO_OPERANDS, call.location);
  enter.successors = listOf(first);
  enter.successorArguments = listOf<Value[]>(listOf());
  block.append(enter);
  if (result !== null) replaceLater(call, result);
}

/** Moves variables to the caller's entry and zeroes them where the callee's body begins. */
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
    ? new Instruction(
        Op.MEMORY_FILL,
        VOID,
        listOf<Value>(variable, constantZero(I8), constantInt(I32, sizeOf(module.layout, type))),
        variable.location,
      )
    : new Instruction(Op.STORE, VOID, listOf<Value>(constantZero(type), variable), variable.location);
  // The variable's own alignment may be less than that of its type.
  reset.alignment = variable.alignment;
  return reset;
}

/**
 * Inlines functions with barriers always; functions with pointers to private memory or a single call, and small ones,
 * while the budget lasts.
 *
 * @returns true when anything was inlined
 *
 * @public
 */
export function inlineFunctions(module: Module): boolean {
  const order = bottomUp(module);
  const barriers = withBarriers(order);
  const callers = new Map<IrFunction, number>();
  for (const { calls } of order.values())
    for (const call of calls)
      if (call.op === Op.CALL) callers.set(calleeOf(call), (callers.get(calleeOf(call)) ?? 0) + 1);
  const copies = countCopies(order);
  const sizes = new Map<IrFunction, number>();
  let changed = false;
  for (const [fn, { calls, size: own }] of order) {
    let size = own;
    const isWanted = (call: Instruction): boolean => {
      const callee = calleeOf(call);
      if (callee === fn || callee.blocks.length === 0) return false;
      if (barriers.has(callee) || callee.inline === "always") return true;
      if (callee.inline === "never") return false;
      const cost = sizes.get(callee) ?? 0;
      if (size + cost > BUDGET) return false;
      return (
        cost <= SMALL ||
        (callers.get(callee) === 1 && (copies.get(callee) === 1 || cost * (copies.get(callee) ?? 1) <= COPIES)) ||
        (passesPrivatePointer(call) && cost <= SMALL * 16)
      );
    };
    const wanted = new Set<Instruction>();
    // Calls of inlined bodies have been decided already.
    for (const call of calls) {
      if (call.op !== Op.CALL || !isWanted(call)) continue;
      size += sizes.get(calleeOf(call)) ?? 0;
      wanted.add(call);
    }
    sizes.set(fn, size);
    if (wanted.size === 0) continue;
    changed = true;
    const blocks = new Set<Block>();
    for (const { block } of wanted) if (block !== null) blocks.add(block);
    for (const block of blocks) inlineCalls(block, wanted, module);
    for (const { forward } of wanted)
      if (forward !== null) {
        applyReplacements(fn);
        break;
      }
  }
  return changed;
}
