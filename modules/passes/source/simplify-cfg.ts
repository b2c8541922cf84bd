// SPDX-License-Identifier: Apache-2.0
// simplify-cfg: removes unreachable blocks, folds branches on constants, merges straight lines, skips empty blocks,
// turns tiny diamonds into selects.
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
  NO_OPERANDS,
  copyOf,
  listOf,
} from "@muxkit/ir";

/** Takes blocks that control cannot reach away, and marks the others with the number of edges that lead to them. */
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

/** A conditional branch or switch on a constant, or whose ways are all the same, becomes a plain branch. */
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
      else taken = terminator.lanes.map((value) => value | 0).indexOf(signedValue(condition)) + 1;
    } else if (sameWays(terminator)) taken = 0;
    const target = terminator.successors[taken];
    if (target === undefined) continue;
    branchTo(block, target, terminator.successorArguments[taken] ?? []);
    changed = true;
  }
  return changed;
}

function sameWays({ successors, successorArguments }: Instruction): boolean {
  const values = successorArguments[0];
  for (let i = 1; i < successors.length; i++) {
    const others = successorArguments[i];
    if (successors[i] !== successors[0] || values?.length !== others?.length) return false;
    for (let j = 0; j < (values?.length ?? 0); j++) if (values?.[j] !== others?.[j]) return false;
  }
  return true;
}

/** Arguments take the place of the parameters that they are for. */
function handOver(parameters: readonly Parameter[], values: readonly Value[]): void {
  parameters.forEach((parameter, i) => {
    const value = values[i];
    assert(value !== undefined, "an argument for each parameter");
    replaceLater(parameter, value);
  });
}

/**
 * A block with one predecessor that goes nowhere else is appended to it. Blocks are marked with their number of edges;
 * what has been appended gets 0.
 */
function mergeLines(fn: IrFunction): boolean {
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
        handOver(next.parameters, terminator.successorArguments[0] ?? []);
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
 * What a block is given by its only way in takes the place of its parameters: where that way is one of several that its
 * predecessor has, so that the two cannot be merged.
 */
function dropParameters(fn: IrFunction): boolean {
  let changed = false;
  for (const { terminator } of fn.blocks) {
    if (terminator.op === Op.BR) continue;
    const { successors, successorArguments } = terminator;
    for (let i = 0; i < successors.length; i++) {
      const successor = successors[i] as Block;
      if (successor.mark !== 1 || successor === fn.entry || successor.parameters.length === 0) continue;
      handOver(successor.parameters, successorArguments[i] ?? []);
      successor.parameters = [];
      successorArguments[i] = NO_OPERANDS;
      changed = true;
    }
  }
  if (changed) applyReplacements(fn);
  return changed;
}

/** What a block hands on when it is given these arguments. */
function argumentsBehind({ parameters }: Block, handed: readonly Value[], given: readonly Value[]): Value[] {
  return handed.map((value) => {
    const position = value.kind === "parameter" ? parameters.indexOf(value) : -1;
    return position < 0 ? value : (given[position] ?? value);
  });
}

/** Jumps over blocks that hold nothing but a branch, where the arguments allow it. */
function skipEmpty(fn: IrFunction): boolean {
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
        // A parameter of the skipped block may be used further down only through its own branch.
        used ??= blocksUsedElsewhere(fn);
        if (used.has(successor)) continue;
      }
      successors[i] = target;
      successorArguments[i] = argumentsBehind(
        successor,
        onward.successorArguments[0] ?? [],
        successorArguments[i] ?? [],
      );
      changed = true;
    }
  }
  return changed;
}

function seeUses(list: readonly Value[], block: Block, found: Set<Block>): void {
  for (let i = 0; i < list.length; i++) {
    const value = list[i] as Value;
    if (value.kind === "parameter" && value.block !== null && value.block !== block) found.add(value.block);
  }
}

/**
 * Blocks whose parameters are used in other blocks. Jumping over blocks adds none: it hands on what the jumping block
 * hands over already.
 */
function blocksUsedElsewhere(fn: IrFunction): ReadonlySet<Block> {
  const found = new Set<Block>();
  for (const block of fn.blocks) {
    const { instructions } = block;
    for (let i = 0; i < instructions.length; i++) {
      const { operands, successorArguments } = instructions[i] as Instruction;
      seeUses(operands, block, found);
      for (let edge = 0; edge < successorArguments.length; edge++)
        seeUses(successorArguments[edge] as Value[], block, found);
    }
  }
  return found;
}

/** Most instructions that an arm may have to be run unasked. */
const CHEAP_ARM = 4;
/** Most values that become selects at one join. */
const MOST_SELECTS = 4;

/** The arm's instructions may run although the program would not have, and there are few. */
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

/** Where the two ways of a conditional branch meet again when each is an arm or nothing; null: they do not. */
function joinOf(yes: Block, no: Block): Block | null {
  if (yes === no) return yes;
  const yesEnd = isArm(yes) ? yes.successors[0] : undefined;
  const noEnd = isArm(no) ? no.successors[0] : undefined;
  if (yesEnd !== undefined && yesEnd === noEnd) return yesEnd;
  if (yesEnd === no) return no;
  return noEnd === yes ? yes : null;
}

/** A block that only its branch reaches and that is cheap enough to run in any case. */
function isArm(block: Block): boolean {
  return block.mark === 1 && isCheapArm(block);
}

/** `if (c) x = a; else x = b;` with cheap arms becomes selects. Blocks are marked with their number of edges. */
function selectDiamonds(fn: IrFunction): boolean {
  let changed = false;
  for (const block of fn.blocks) {
    // Arms whose branch became selects hold nothing any more.
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

/** Writes arms and selects in the place of the conditional branch at a block's end. */
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

/** Rounds after which a graph is left as it is: circles of empty blocks could be jumped over for ever. */
const MOST_ROUNDS = 32;

/** Simplifies control flow; true when anything changed. */
export function simplifyCfg(fn: IrFunction): boolean {
  let changed = false;
  // Marks count edges until an edge is led elsewhere; what merges and selects do to them is known.
  let isCounted = false;
  for (let round = 0, again = true; again && round < MOST_ROUNDS; round++) {
    again = foldBranches(fn);
    if (again || !isCounted) again = removeUnreachable(fn) || again;
    again = mergeLines(fn) || again;
    again = dropParameters(fn) || again;
    if (skipEmpty(fn)) {
      again = true;
      removeUnreachable(fn);
    }
    // Arms that became selects are still there.
    isCounted = !selectDiamonds(fn);
    again ||= !isCounted;
    changed ||= again;
  }
  return changed;
}
