// SPDX-License-Identifier: Apache-2.0
// simplify-cfg: simplifies the control-flow graph until nothing changes.
//
// Steps of one iteration:
//   1. fold branches: a conditional branch or switch on a constant, or with equal targets and arguments, becomes `br`;
//   2. remove unreachable blocks;
//   3. merge blocks: a block whose only predecessor branches only to it is appended to that predecessor;
//   4. drop parameters: the parameters of a block with one incoming edge are replaced by its arguments;
//   5. thread edges through empty blocks: an edge to a block with nothing but a `br` goes to that block's target,
//      unless a parameter of the empty block is used elsewhere;
//   6. if-conversion: a branch around at most two cheap arms becomes selects.
//
//   head:                                head:
//     cond_br c, yes, no                   a = add x, 1
//   yes:                                   s = select c, a, y
//     a = add x, 1              -->        br join(s)
//     br join(a)                         join(p):
//   no:                                    ...
//     br join(y)
//   join(p):
//     ...
//
// An arm is cheap when it has at most four instructions, all speculatable and none of them a division, root or fma; a
// join gets at most four selects. Blocks' marks hold the number of incoming edges. Blocks with an unroll hint stay.
//
// Cost: a few walks over the graph per iteration; 32 iterations at most, because cycles of empty blocks could be
// threaded for ever.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  Instruction,
  type IrFunction,
  Op,
  type Parameter,
  VOID,
  type Value,
  applyReplacements,
  hasEffect,
  replaceLater,
  signedValue,
  switchCases,
  NO_OPERANDS,
  copyOf,
  listOf,
} from "@muxkit/ir";

/** Removes unreachable blocks and sets the marks of the others to their number of incoming edges. */
export function removeUnreachable(fn: IrFunction): boolean {
  for (const block of fn.blocks) block.mark = 0;
  const work = [fn.entry];
  // The entry is reached from outside.
  fn.entry.mark = 1;
  let reached = 0;
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    reached++;
    const { successors } = block;
    for (let i = 0; i < successors.length; i++) {
      const successor = successors[i] as Block;
      if (successor.mark === 0) work.push(successor);
      successor.mark++;
    }
  }
  if (reached === fn.blocks.length) return false;
  fn.blocks = fn.blocks.filter(({ mark }) => mark > 0);
  return true;
}

function branchTo(block: Block, target: Block, values: readonly Value[]): void {
  const old = block.terminator;
  const made = new Instruction(Op.BR, VOID, NO_OPERANDS, old.location);
  made.successors = listOf(target);
  made.successorArguments = listOf(copyOf(values));
  made.block = block;
  block.instructions[block.instructions.length - 1] = made;
}

/** Folds conditional branches and switches on a constant, or with equal edges, to plain branches. */
function foldBranches(fn: IrFunction): boolean {
  let changed = false;
  for (const block of fn.blocks) {
    const { terminator } = block;
    if (terminator.op !== Op.COND_BR && terminator.op !== Op.SWITCH) continue;
    const condition = terminator.operands[0];
    assert(condition !== undefined, "a branch has a condition");
    let taken = -1;
    if (condition.kind === "constant") {
      if (terminator.op === Op.COND_BR) taken = condition.low !== 0 ? 0 : 1;
      else taken = switchCases(terminator).indexOf(signedValue(condition)) + 1;
    } else if (hasEqualEdges(terminator)) taken = 0;
    const target = terminator.successors[taken];
    if (target === undefined) continue;
    branchTo(block, target, terminator.successorArguments[taken] ?? []);
    changed = true;
  }
  return changed;
}

function hasEqualEdges({ successors, successorArguments }: Instruction): boolean {
  const values = successorArguments[0];
  for (let i = 1; i < successors.length; i++) {
    const others = successorArguments[i];
    if (successors[i] !== successors[0] || values?.length !== others?.length) return false;
    for (let j = 0; j < (values?.length ?? 0); j++) if (values?.[j] !== others?.[j]) return false;
  }
  return true;
}

/** Replaces parameters by the arguments of the only edge into their block. */
function replaceParameters(parameters: readonly Parameter[], values: readonly Value[]): void {
  parameters.forEach((parameter, i) => {
    const value = values[i];
    assert(value !== undefined, "an argument for each parameter");
    replaceLater(parameter, value);
  });
}

/** Appends blocks to their only predecessor when it has no other successor. An appended block's mark becomes 0. */
function mergeBlocks(fn: IrFunction): boolean {
  let changed = false;
  let replaced = false;
  for (const block of fn.blocks) {
    if (block.mark === 0) continue;
    for (;;) {
      const { terminator } = block;
      if (terminator.op !== Op.BR) break;
      const next = terminator.successors[0];
      if (next === undefined || next === block || next === fn.entry || next.mark !== 1) break;
      if (next.parameters.length > 0) {
        replaceParameters(next.parameters, terminator.successorArguments[0] ?? []);
        replaced = true;
      }
      block.instructions.pop();
      const { instructions } = next;
      for (let i = 0; i < instructions.length; i++) block.append(instructions[i] as Instruction);
      next.instructions = [];
      next.mark = 0;
      changed = true;
    }
  }
  if (changed) {
    fn.blocks = fn.blocks.filter(({ mark }) => mark > 0);
    if (replaced) applyReplacements(fn);
  }
  return changed;
}

/**
 * Replaces the parameters of blocks with one incoming edge whose predecessor has other successors: they cannot merge.
 */
function dropParameters(fn: IrFunction): boolean {
  let changed = false;
  for (const { terminator } of fn.blocks) {
    if (terminator.op === Op.BR) continue;
    const { successors, successorArguments } = terminator;
    for (let i = 0; i < successors.length; i++) {
      const successor = successors[i] as Block;
      if (successor.mark !== 1 || successor === fn.entry || successor.parameters.length === 0) continue;
      replaceParameters(successor.parameters, successorArguments[i] ?? []);
      successor.parameters = [];
      successorArguments[i] = NO_OPERANDS;
      changed = true;
    }
  }
  if (changed) applyReplacements(fn);
  return changed;
}

/** The arguments that an empty block passes to its target when it receives `incoming`. */
function threadedArguments({ parameters }: Block, outgoing: readonly Value[], incoming: readonly Value[]): Value[] {
  return outgoing.map((value) => {
    const position = value.kind === "parameter" ? parameters.indexOf(value) : -1;
    return position < 0 ? value : (incoming[position] ?? value);
  });
}

/** Threads edges through blocks that hold nothing but a branch, where the arguments allow it. */
function threadEmptyBlocks(fn: IrFunction): boolean {
  let changed = false;
  let used: ReadonlySet<Block> | null = null;
  for (const block of fn.blocks) {
    const { terminator } = block;
    const { successors, successorArguments } = terminator;
    for (let i = 0; i < successors.length; i++) {
      const successor = successors[i];
      if (
        successor === undefined ||
        successor === block ||
        successor.instructions.length !== 1 ||
        successor.unroll !== 0
      )
        continue;
      const onward = successor.terminator;
      const target = onward.successors[0];
      if (onward.op !== Op.BR || target === undefined || target === successor) continue;
      if (successor.parameters.length > 0) {
        // A parameter of the empty block must have no use but in its own branch.
        used ??= blocksUsedElsewhere(fn);
        if (used.has(successor)) continue;
      }
      successors[i] = target;
      successorArguments[i] = threadedArguments(
        successor,
        onward.successorArguments[0] ?? [],
        successorArguments[i] ?? [],
      );
      changed = true;
    }
  }
  return changed;
}

function collectOwners(list: readonly Value[], block: Block, found: Set<Block>): void {
  for (let i = 0; i < list.length; i++) {
    const value = list[i] as Value;
    if (value.kind === "parameter" && value.block !== null && value.block !== block) found.add(value.block);
  }
}

/** Blocks whose parameters are used in other blocks. Threading adds none: it passes on existing arguments. */
function blocksUsedElsewhere(fn: IrFunction): ReadonlySet<Block> {
  const found = new Set<Block>();
  for (const block of fn.blocks) {
    const { instructions } = block;
    for (let i = 0; i < instructions.length; i++) {
      const { operands, successorArguments } = instructions[i] as Instruction;
      collectOwners(operands, block, found);
      for (let edge = 0; edge < successorArguments.length; edge++)
        collectOwners(successorArguments[edge] as Value[], block, found);
    }
  }
  return found;
}

/** Most instructions of an arm that if-conversion executes unconditionally. */
const CHEAP_ARM = 4;
/** Most values that become selects at one join. */
const MOST_SELECTS = 4;

/** True for an arm of few instructions that may all be speculated. */
function isCheapArm(block: Block): boolean {
  return (
    block.parameters.length === 0 &&
    block.instructions.length <= CHEAP_ARM + 1 &&
    block.terminator.op === Op.BR &&
    block.instructions.every(
      (instruction) => instruction.isTerminator || (hasEffect(instruction.op, "s") && !isCostly(instruction.op)),
    )
  );
}

const COSTLY = new Set<number>([Op.SDIV, Op.UDIV, Op.SREM, Op.UREM, Op.FDIV, Op.FREM, Op.FSQRT, Op.FMA]);

function isCostly(op: number): boolean {
  return COSTLY.has(op);
}

/**
 * The block where both edges of a conditional branch join when each leads through one arm or none; null: they do not.
 */
function joinOf(yes: Block, no: Block): Block | null {
  if (yes === no) return yes;
  const yesEnd = isArm(yes) ? yes.successors[0] : undefined;
  const noEnd = isArm(no) ? no.successors[0] : undefined;
  if (yesEnd !== undefined && yesEnd === noEnd) return yesEnd;
  if (yesEnd === no) return no;
  return noEnd === yes ? yes : null;
}

/** True for a block with one incoming edge that is cheap enough to execute unconditionally. */
function isArm(block: Block): boolean {
  return block.mark === 1 && isCheapArm(block);
}

/** If-conversion: `if (c) x = a; else x = b;` with cheap arms becomes selects. */
function convertDiamonds(fn: IrFunction): boolean {
  let changed = false;
  for (const block of fn.blocks) {
    // Converted arms are empty.
    if (block.mark === 0) continue;
    const { terminator } = block;
    if (terminator.op !== Op.COND_BR) continue;
    const [condition] = terminator.operands;
    const [yes, no] = terminator.successors;
    if (condition === undefined || yes === undefined || no === undefined) continue;
    const join = joinOf(yes, no);
    if (join === null || join === block || join.parameters.length === 0 || join.parameters.length > MOST_SELECTS)
      continue;
    toSelects(block, condition, join, join === yes ? null : yes, join === no ? null : no);
    changed = true;
  }
  return changed;
}

/** Replaces the conditional branch at a block's end by its arms' instructions and selects. */
function toSelects(block: Block, condition: Value, join: Block, yes: Block | null, no: Block | null): void {
  const { terminator } = block;
  const viaYes = yes === null ? terminator.successorArguments[0] : yes.terminator.successorArguments[0];
  const viaNo = no === null ? terminator.successorArguments[1] : no.terminator.successorArguments[0];
  block.instructions.pop();
  for (const arm of [yes, no]) {
    if (arm === null) continue;
    for (const instruction of arm.instructions) if (!instruction.isTerminator) block.append(instruction);
    arm.instructions = [arm.terminator];
    arm.mark = 0;
  }
  join.mark--;
  const values = join.parameters.map((parameter, i) => {
    const a = viaYes?.[i];
    const b = viaNo?.[i];
    assert(a !== undefined && b !== undefined, "an argument for each parameter");
    return a === b
      ? a
      : block.append(new Instruction(Op.SELECT, parameter.type, listOf<Value>(condition, a, b), terminator.location));
  });
  const branch = new Instruction(Op.BR, VOID, NO_OPERANDS, terminator.location);
  branch.successors = listOf(join);
  branch.successorArguments = listOf(values);
  block.append(branch);
}

/** Most iterations: cycles of empty blocks could be threaded for ever. */
const MOST_ITERATIONS = 32;

/** Simplifies control flow; true when anything changed. */
export function simplifyCfg(fn: IrFunction): boolean {
  let changed = false;
  // Marks count incoming edges until an edge changes its target; merges and selects keep them up to date.
  let isCounted = false;
  for (let iteration = 0, again = true; again && iteration < MOST_ITERATIONS; iteration++) {
    again = foldBranches(fn);
    if (again || !isCounted) again = removeUnreachable(fn) || again;
    again = mergeBlocks(fn) || again;
    again = dropParameters(fn) || again;
    if (threadEmptyBlocks(fn)) {
      again = true;
      removeUnreachable(fn);
    }
    // Converted arms are still in the list of blocks.
    isCounted = !convertDiamonds(fn);
    again ||= !isCounted;
    changed ||= again;
  }
  return changed;
}
