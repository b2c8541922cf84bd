// SPDX-License-Identifier: Apache-2.0
// Cancellation (decision 1): the back edge of every loop looks at the cancel word, except innermost loops that provably end.
// A look costs more than it seems: engines keep no vector in a register where a call may come between.
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
} from "@muxkit/ir";

import { CANCEL_COUNTDOWN, CANCEL_LEAVE, WORKER } from "@muxkit/kernel-abi";

/** Name of the function that a set cancel word leads to. */
const POLL = "muxkit.poll";
/** No loop with a counter of 32 bits runs more often. */
const MOST_ROUNDS = 2 ** 32;

/** True when the function has a loop that must look. */
export function hasLongLoop(fn: IrFunction): boolean {
  if (fn.blocks.length === 0) return false;
  const forest = loops(fn);
  const before = predecessors(fn);
  return forest.irreducible.length > 0 || forest.loops.some((loop) => !isFree(before, loop, forest.loops));
}

/** An innermost loop without calls that ends by its counter. */
function isFree(before: BlockMap<readonly Block[]>, loop: Loop, all: readonly Loop[]): boolean {
  if (all.some((other) => other.parent === loop)) return false;
  if ([...loop.blocks].some((block) => block.instructions.some(({ op }) => op === Op.CALL))) return false;
  return isCountedLoop(loop) || tripCount(loop, before, MOST_ROUNDS) !== null;
}

/** `@muxkit.poll(worker)`: traps when it is time to leave, returns otherwise. Only reached while the cancel word is set. */
export function pollFunction(module: Module): IrFunction {
  const known = module.functions.get(POLL);
  if (known !== undefined) return known;
  const clock =
    module.functions.get("env.clock") ??
    module.addFunction(new IrFunction("env.clock", I32, [{ type: I32, name: "worker" }]));
  const fn = module.addFunction(new IrFunction(POLL, VOID, [{ type: I32, name: "worker" }]));
  fn.inline = "never";
  // It knows the cancel word and the thread's block, which no kernel can address.
  fn.isOutside = true;
  const [worker] = fn.parameters;
  if (worker === undefined) return fn;
  const [entry, count, ask, leave, back] = ["entry", "count", "ask", "leave", "back"].map((name) => fn.addBlock(name));
  if (entry === undefined || count === undefined || ask === undefined || leave === undefined || back === undefined)
    return fn;
  const builder = new Builder(entry);
  const base = builder.convert(Op.INTTOPTR, worker, pointerType(GENERIC));
  const word = builder.address(base, null, 0, WORKER.cancelWord);
  const countdown = builder.address(base, null, 0, WORKER.countdown);
  builder.conditionalBranch(
    builder.compare(Op.EQ, builder.load(I32, word, 4), constantInt(I32, CANCEL_LEAVE)),
    leave,
    count,
  );
  builder.block = count;
  const left = builder.same(Op.SUB, builder.load(I32, countdown, 4), constantInt(I32, 1));
  builder.store(left, countdown, 4);
  builder.conditionalBranch(builder.compare(Op.SGT, left, constantInt(I32, 0)), back, ask);
  builder.block = ask;
  builder.store(constantInt(I32, CANCEL_COUNTDOWN), countdown, 4);
  const answer = builder.call(clock, [worker]);
  builder.conditionalBranch(builder.compare(Op.NE, answer, constantInt(I32, 0)), leave, back);
  builder.block = leave;
  // The runtime tells this trap from a kernel's own by the word.
  builder.store(constantInt(I32, CANCEL_LEAVE), word, 4);
  builder.unreachable();
  builder.block = back;
  builder.return();
  return fn;
}

/** Writes the look at the cancel word at the end of the builder's block and goes on in a new one. */
export function writePoll(builder: Builder, worker: Value, module: Module): void {
  const { owner } = builder.block;
  const poll = owner.addBlock("poll");
  const on = owner.addBlock("on");
  const address = builder.address(
    builder.convert(Op.INTTOPTR, worker, pointerType(GENERIC)),
    null,
    0,
    WORKER.cancelWord,
  );
  const word = builder.load(I32, address, 4);
  word.flags |= VOLATILE;
  builder.conditionalBranch(builder.compare(Op.NE, word, constantInt(I32, 0)), poll, on);
  builder.block = poll;
  builder.call(pollFunction(module), [worker]);
  builder.branch(on);
  builder.block = on;
}

/** Adds the look to every loop of a function that needs it; `workerBlock` is the address of the thread's block. */
export function addCancellation(fn: IrFunction, workerBlock: Value, module: Module): void {
  const forest = loops(fn);
  const before = predecessors(fn);
  const latches = new Set([
    ...forest.loops.filter((loop) => !isFree(before, loop, forest.loops)).flatMap((loop) => loop.latches),
    ...forest.irreducible.map(([from]) => from),
  ]);
  for (const latch of latches) {
    const { terminator } = latch;
    latch.instructions.pop();
    const builder = new Builder(latch);
    builder.location = terminator.location;
    writePoll(builder, workerBlock, module);
    builder.block.append(terminator);
  }
}
