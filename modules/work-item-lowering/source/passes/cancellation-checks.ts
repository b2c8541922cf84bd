// SPDX-License-Identifier: Apache-2.0
// `cancellation-checks` (docs/decisions/001-stopping-threads.md): every back edge polls the cancel word, except those
// of innermost loops that provably end: counted loops, and loops whose trip count is known, without calls. A poll costs
// more than it seems: engines keep no vector in a register where a call may come between. Found by the loop forest;
// retreating edges of irreducible graphs are polled too. Before and after:
//
//     latch: …; br header        latch: …; load cancel word; cond_br poll, on
//                                poll:  call @muxkit.poll; br on
//                                on:    br header
import {
  type Block,
  type BlockMap,
  Builder,
  GENERIC,
  I32,
  IrFunction,
  type Loop,
  type Module,
  Op,
  VOID,
  VOLATILE,
  type Value,
  constantInt,
  isCountedLoop,
  loops,
  pointerType,
  predecessors,
  tripCount,
  indexType,
  workItemParameter,
} from "@muxkit/ir";

import { CANCEL_COUNTDOWN, CANCEL_LEAVE } from "@muxkit/kernel-abi";

import { abiOffset } from "../abi-fields.ts";

/** Name of the function that a set cancel word leads to. */
const POLL = "muxkit.poll";
/** No loop with a counter of 32 bits runs more often. */
const MOST_ITERATIONS = 2 ** 32;

function cancelWord({ layout }: Module): number {
  return abiOffset(layout, { block: "worker", field: "cancelWord" });
}

/** True when the function has a loop that must be checked. */
export function hasLongLoop(fn: IrFunction): boolean {
  if (fn.blocks.length === 0) return false;
  const forest = loops(fn);
  const before = predecessors(fn);
  return forest.irreducible.length > 0 || forest.loops.some((loop) => !mayGoUnchecked(before, loop, forest.loops));
}

/** True for an innermost loop without calls that ends by its induction variable. */
function mayGoUnchecked(before: BlockMap<readonly Block[]>, loop: Loop, all: readonly Loop[]): boolean {
  if (all.some((other) => other.parent === loop)) return false;
  if ([...loop.blocks].some((block) => block.instructions.some(({ op }) => op === Op.CALL))) return false;
  return isCountedLoop(loop) || tripCount(loop, before, MOST_ITERATIONS) !== null;
}

/**
 * `@muxkit.poll(worker)`: traps when it is time to leave, returns otherwise. Only reached while the cancel word is set.
 */
export function pollFunction(module: Module): IrFunction {
  const known = module.functions.get(POLL);
  if (known !== undefined) return known;
  const index = indexType(module.layout);
  const clock =
    module.functions.get("env.clock") ??
    module.addFunction(new IrFunction("env.clock", I32, [{ type: index, name: "worker" }]));
  const fn = module.addFunction(new IrFunction(POLL, VOID, [{ type: index, name: "worker" }]));
  fn.inline = "never";
  // It accesses the cancel word and the thread's block, which no kernel can address.
  fn.isOutside = true;
  const [worker] = fn.parameters;
  if (worker === undefined) return fn;
  const [entry, count, check, leave, back] = ["entry", "count", "check", "leave", "back"].map((name) =>
    fn.addBlock(name),
  );
  if (entry === undefined || count === undefined || check === undefined || leave === undefined || back === undefined)
    return fn;
  const builder = new Builder(entry);
  const base = builder.convert(Op.INTTOPTR, worker, pointerType(GENERIC));
  const word = builder.address(base, null, 0, cancelWord(module));
  const countdown = builder.address(base, null, 0, abiOffset(module.layout, { block: "worker", field: "countdown" }));
  builder.conditionalBranch(
    builder.compare(Op.EQ, builder.load(I32, word, 4), constantInt(I32, CANCEL_LEAVE)),
    leave,
    count,
  );
  builder.block = count;
  const left = builder.same(Op.SUB, builder.load(I32, countdown, 4), constantInt(I32, 1));
  builder.store(left, countdown, 4);
  builder.conditionalBranch(builder.compare(Op.SGT, left, constantInt(I32, 0)), back, check);
  builder.block = check;
  builder.store(constantInt(I32, CANCEL_COUNTDOWN), countdown, 4);
  const answer = builder.call(clock, [worker]);
  builder.conditionalBranch(builder.compare(Op.NE, answer, constantInt(I32, 0)), leave, back);
  builder.block = leave;
  // By the word the runtime distinguishes this trap from a kernel's own.
  builder.store(constantInt(I32, CANCEL_LEAVE), word, 4);
  builder.unreachable();
  builder.block = back;
  builder.return();
  return fn;
}

/** Writes a poll of the cancel word at the end of the builder's block, which continues in a new one. */
export function writePoll(builder: Builder, worker: Value, module: Module): void {
  const { owner } = builder.block;
  const poll = owner.addBlock("poll");
  const on = owner.addBlock("on");
  const address = builder.address(
    builder.convert(Op.INTTOPTR, worker, pointerType(GENERIC)),
    null,
    0,
    cancelWord(module),
  );
  const word = builder.load(I32, address, 4);
  word.flags |= VOLATILE;
  builder.conditionalBranch(builder.compare(Op.NE, word, constantInt(I32, 0)), poll, on);
  builder.block = poll;
  builder.call(pollFunction(module), [worker]);
  builder.branch(on);
  builder.block = on;
}

/** Adds checks to the loops of a function that takes the work-item parameters. */
function addChecks(fn: IrFunction, module: Module): boolean {
  const forest = loops(fn);
  const before = predecessors(fn);
  const latches = new Set([
    ...forest.loops.filter((loop) => !mayGoUnchecked(before, loop, forest.loops)).flatMap((loop) => loop.latches),
    ...forest.irreducible.map(([from]) => from),
  ]);
  for (const latch of latches) {
    const { terminator } = latch;
    latch.instructions.pop();
    const builder = new Builder(latch);
    builder.location = terminator.location;
    writePoll(builder, workItemParameter(fn, "worker"), module);
    builder.block.append(terminator);
  }
  return latches.size > 0;
}

/** Adds checks to all functions of work-items. The loops over work-groups have theirs from `work-item-loops`. */
export function cancellationChecks(module: Module): boolean {
  let changed = false;
  for (const fn of module.functions.values())
    if (fn.convention.kind === "work_item" && fn.blocks.length > 0) changed = addChecks(fn, module) || changed;
  return changed;
}
