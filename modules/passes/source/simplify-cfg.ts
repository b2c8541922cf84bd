// simplify-cfg: removes unreachable blocks, folds branches on constants, merges straight lines, skips empty blocks, turns tiny diamonds into selects.
import { assert } from "@muxkit/cargo";
import { type Block, Instruction, type IrFunction, Op, VOID, type Value, hasEffect, predecessors, replaceUses, signedValue } from "@muxkit/ir";

/** Takes blocks that control cannot reach away. */
function removeUnreachable(fn: IrFunction): boolean {
  const reached = new Set<Block>([fn.entry]);
  const work = [fn.entry];
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    for (const successor of block.successors) {
      if (!reached.has(successor)) {
        reached.add(successor);
        work.push(successor);
      }
    }
  }
  if (reached.size === fn.blocks.length) return false;
  fn.blocks = fn.blocks.filter((block) => reached.has(block));
  return true;
}

function branchTo(block: Block, target: Block, values: readonly Value[]): void {
  const old = block.terminator;
  const made = new Instruction(Op.BR, VOID, [], old.location);
  made.successors = [target];
  made.successorArguments = [[...values]];
  made.block = block;
  block.instructions[block.instructions.length - 1] = made;
}

/** A conditional branch or switch on a constant, or whose ways are all the same, becomes a plain branch. */
function foldBranches(fn: IrFunction): boolean {
  let changed = false;
  for (const block of fn.blocks) {
    const { terminator } = block;
    if (terminator.op !== Op.COND_BR && terminator.op !== Op.SWITCH) continue;
    const [condition] = terminator.operands;
    assert(condition !== undefined, "a branch has a condition");
    let taken = -1;
    if (condition.kind === "constant") {
      if (terminator.op === Op.COND_BR) taken = condition.low !== 0 ? 0 : 1;
      else taken = terminator.lanes.findIndex((value) => (value | 0) === signedValue(condition)) + 1;
    } else if (sameWays(terminator)) taken = 0;
    const target = terminator.successors[taken];
    if (target === undefined) continue;
    branchTo(block, target, terminator.successorArguments[taken] ?? []);
    changed = true;
  }
  return changed;
}

function sameWays(terminator: Instruction): boolean {
  const [first, ...rest] = terminator.successors;
  const [values, ...others] = terminator.successorArguments;
  return rest.every((block) => block === first) && others.every((list) => list.every((value, i) => value === values?.[i]));
}

/** A block with one predecessor that goes nowhere else is appended to it. */
function mergeLines(fn: IrFunction): boolean {
  let changed = false;
  const before = predecessors(fn);
  const replaced = new Map<Value, Value>();
  const gone = new Set<Block>();
  for (const block of fn.blocks) {
    if (gone.has(block)) continue;
    for (;;) {
      const { terminator } = block;
      if (terminator.op !== Op.BR) break;
      const [next] = terminator.successors;
      if (next === undefined || next === block || next === fn.entry || (before.get(next)?.length ?? 0) !== 1) break;
      next.parameters.forEach((parameter, i) => {
        const value = terminator.successorArguments[0]?.[i];
        assert(value !== undefined, "an argument for each parameter");
        replaced.set(parameter, value);
      });
      block.instructions.pop();
      for (const instruction of next.instructions) block.append(instruction);
      for (const successor of next.successors) {
        const list = before.get(successor);
        if (list !== undefined) before.set(successor, list.map((pred) => (pred === next ? block : pred)));
      }
      gone.add(next);
      changed = true;
    }
  }
  if (gone.size > 0) {
    fn.blocks = fn.blocks.filter((block) => !gone.has(block));
    replaceUses(fn, closed(replaced));
  }
  return changed;
}

/** Follows chains of replacements to their ends. */
function closed(replaced: ReadonlyMap<Value, Value>): Map<Value, Value> {
  const result = new Map<Value, Value>();
  for (const key of replaced.keys()) {
    let value: Value = key;
    for (let next = replaced.get(value); next !== undefined; next = replaced.get(value)) value = next;
    result.set(key, value);
  }
  return result;
}

/** Jumps over blocks that hold nothing but a branch, where the arguments allow it. */
function skipEmpty(fn: IrFunction): boolean {
  let changed = false;
  for (const block of fn.blocks) {
    const { terminator } = block;
    terminator.successors.forEach((successor, i) => {
      const onward = successor.terminator;
      if (successor === block || successor.instructions.length !== 1 || onward.op !== Op.BR) return;
      const [target] = onward.successors;
      if (target === undefined || target === successor) return;
      // A parameter of the skipped block may be used further down only through its own branch.
      if (successor.parameters.length > 0 && usedElsewhere(fn, successor)) return;
      const values = (onward.successorArguments[0] ?? []).map((value) => {
        const position = value.kind === "parameter" ? successor.parameters.indexOf(value) : -1;
        return position < 0 ? value : (terminator.successorArguments[i]?.[position] ?? value);
      });
      terminator.successors[i] = target;
      terminator.successorArguments[i] = values;
      changed = true;
    });
  }
  return changed;
}

function usedElsewhere(fn: IrFunction, block: Block): boolean {
  const own = new Set<Value>(block.parameters);
  return fn.blocks.some(
    (other) =>
      other !== block &&
      other.instructions.some((instruction) => instruction.operands.some((v) => own.has(v)) || instruction.successorArguments.some((list) => list.some((v) => own.has(v)))),
  );
}

/** Most instructions that an arm may have to be run unasked. */
const CHEAP_ARM = 4;

/** The arm's instructions may run although the program would not have, and there are few. */
function isCheapArm(block: Block): boolean {
  return (
    block.parameters.length === 0 &&
    block.instructions.length <= CHEAP_ARM + 1 &&
    block.terminator.op === Op.BR &&
    block.instructions.every((instruction) => instruction.isTerminator || (hasEffect(instruction.op, "s") && !isCostly(instruction.op)))
  );
}

const COSTLY = new Set<number>([Op.SDIV, Op.UDIV, Op.SREM, Op.UREM, Op.FDIV, Op.FREM, Op.FSQRT, Op.FMA]);

function isCostly(op: number): boolean {
  return COSTLY.has(op);
}

/** `if (c) x = a; else x = b;` with cheap arms becomes selects. */
// eslint-disable-next-line complexity -- the shapes of a diamond are told apart in one place
function selectDiamonds(fn: IrFunction): boolean {
  let changed = false;
  const before = predecessors(fn);
  for (const block of fn.blocks) {
    const { terminator } = block;
    if (terminator.op !== Op.COND_BR) continue;
    const [condition] = terminator.operands;
    const [yes, no] = terminator.successors;
    if (condition === undefined || yes === undefined || no === undefined || yes === no) continue;
    const yesIsArm = isCheapArm(yes) && (before.get(yes)?.length ?? 0) === 1;
    const noIsArm = isCheapArm(no) && (before.get(no)?.length ?? 0) === 1;
    const yesEnd = yesIsArm ? yes.successors[0] : yes;
    const noEnd = noIsArm ? no.successors[0] : no;
    let join: Block | undefined;
    if (yesIsArm && noIsArm && yesEnd === noEnd) join = yesEnd;
    else if (yesIsArm && yesEnd === no) join = no;
    else if (noIsArm && noEnd === yes) join = yes;
    if (join === undefined || join === block || join.parameters.length === 0) continue;
    if (join.parameters.length > 4) continue;
    const viaYes = join === yes ? terminator.successorArguments[0] : yes.terminator.successorArguments[0];
    const viaNo = join === no ? terminator.successorArguments[1] : no.terminator.successorArguments[0];
    block.instructions.pop();
    for (const arm of [join === yes ? null : yes, join === no ? null : no]) {
      if (arm === null) continue;
      for (const instruction of arm.instructions) if (!instruction.isTerminator) block.append(instruction);
      arm.instructions = [arm.terminator];
    }
    const values = join.parameters.map((parameter, i) => {
      const a = viaYes?.[i];
      const b = viaNo?.[i];
      assert(a !== undefined && b !== undefined, "an argument for each parameter");
      return a === b ? a : block.append(new Instruction(Op.SELECT, parameter.type, [condition, a, b], terminator.location));
    });
    const branch = new Instruction(Op.BR, VOID, [], terminator.location);
    branch.successors = [join];
    branch.successorArguments = [values];
    block.append(branch);
    changed = true;
    // Predecessor lists are stale from here on; the pass comes round again.
    break;
  }
  return changed;
}

/** Simplifies control flow; true when anything changed. @public */
export function simplifyCfg(fn: IrFunction): boolean {
  let changed = false;
  for (let again = true; again; ) {
    again = foldBranches(fn);
    again = removeUnreachable(fn) || again;
    again = mergeLines(fn) || again;
    again = skipEmpty(fn) || again;
    again = removeUnreachable(fn) || again;
    again = selectDiamonds(fn) || again;
    changed ||= again;
  }
  return changed;
}
