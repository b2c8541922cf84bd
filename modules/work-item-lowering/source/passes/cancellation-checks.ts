// SPDX-License-Identifier: Apache-2.0
// `cancellation-checks` (docs/decisions/001-stopping-threads.md): every back edge polls the cancel word, except those
// of innermost loops that provably end: counted loops, and loops whose trip count is known, without calls. Found by the
// loop forest; retreating edges of irreducible graphs are polled too. Before and after:
//
//     latch: …; br header        latch: …; load cancel word; cond_br poll, on
//                                poll:  call @muxkit.poll; br on
//                                on:    br header
//
// A poll costs more than it seems: code generators keep no vector in a register where a call may come between. So other
// innermost loops without calls are strip-mined: a loop around strips of iterations polls before each strip. While the
// cancel word is set a strip is one iteration, so that each is counted. The values that the loop carries are parameters
// of both headers: those of a strip live across no call.
//
//     header(p): …               strips(p): poll as above; n = cancel word == 0 ? 1024 : 1; br header(p, n)
//     latch: …; br header(q)     header(p, n): …
//                                latch: …; br count(q)
//                                count(q): cond_br n - 1 != 0, header(q, n - 1), strips(q)
//
// Cost: the loop forest, and a few blocks a loop.
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
/** Iterations of a strip, unless the cancel word is set. */
const STRIP = 1024;
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

/** True for an innermost loop without calls. */
function isPlain(loop: Loop, all: readonly Loop[]): boolean {
  return (
    !all.some((other) => other.parent === loop) &&
    ![...loop.blocks].some((block) => block.instructions.some(({ op }) => op === Op.CALL))
  );
}

/** True for an innermost loop without calls that ends by its induction variable. */
function mayGoUnchecked(before: BlockMap<readonly Block[]>, loop: Loop, all: readonly Loop[]): boolean {
  return isPlain(loop, all) && (isCountedLoop(loop) || tripCount(loop, before, MOST_ITERATIONS) !== null);
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

/**
 * Writes a poll of the cancel word at the end of the builder's block, which continues in a new one; it returns whether
 * the word was set.
 */
export function writePoll(builder: Builder, worker: Value, module: Module): Value {
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
  const isSet = builder.compare(Op.NE, word, constantInt(I32, 0));
  builder.conditionalBranch(isSet, poll, on);
  builder.block = poll;
  builder.call(pollFunction(module), [worker]);
  builder.branch(on);
  builder.block = on;
  return isSet;
}

/** Lets the edges of a block to `from` lead to `to`, with the same arguments. */
function redirect({ terminator: { successors } }: Block, from: Block, to: Block): void {
  for (let edge = 0; edge < successors.length; edge++) if (successors[edge] === from) successors[edge] = to;
}

/** Strip-mines a loop: polls before strips of its iterations. `before` are the predecessors of its header. */
function pollBeforeStrips({ header, blocks }: Loop, before: readonly Block[], module: Module): void {
  const fn = header.owner;
  const strips = fn.addBlock("strips");
  const count = fn.addBlock("count");
  for (const block of new Set(before)) redirect(block, header, blocks.has(block) ? count : strips);
  const copies = (block: Block): Value[] => header.parameters.map(({ type, name }) => block.addParameter(type, name));
  const [entered, repeated] = [copies(strips), copies(count)];
  const left = header.addParameter(I32, "left");

  const builder = new Builder(strips);
  builder.location = header.terminator.location;
  const isSet = writePoll(builder, workItemParameter(fn, "worker"), module);
  const strip = builder.select(isSet, constantInt(I32, 1), constantInt(I32, STRIP));
  builder.branch(header, ...entered, strip);

  builder.block = count;
  const fewer = builder.same(Op.SUB, left, constantInt(I32, 1));
  const isLeft = builder.compare(Op.NE, fewer, constantInt(I32, 0));
  builder.conditionalBranch(isLeft, header, strips, [...repeated, fewer], repeated);
}

/** Adds checks to the loops of a function that takes the work-item parameters. */
function addChecks(fn: IrFunction, module: Module): boolean {
  const forest = loops(fn);
  const before = predecessors(fn);
  const checked = forest.loops.filter((loop) => !mayGoUnchecked(before, loop, forest.loops));
  const isReducible = forest.irreducible.length === 0;
  const stripped = checked.filter((loop) => isReducible && isPlain(loop, forest.loops));
  for (const loop of stripped) pollBeforeStrips(loop, before.get(loop.header) ?? [], module);
  const latches = new Set([
    ...checked.filter((loop) => !stripped.includes(loop)).flatMap((loop) => loop.latches),
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
  return stripped.length > 0 || latches.size > 0;
}

/** Adds checks to all functions of work-items. The loops over work-groups have theirs from `work-item-loops`. */
export function cancellationChecks(module: Module): boolean {
  let changed = false;
  for (const fn of module.functions.values())
    if (fn.convention.kind === "work_item" && fn.blocks.length > 0) changed = addChecks(fn, module) || changed;
  return changed;
}
