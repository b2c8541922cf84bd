// SPDX-License-Identifier: Apache-2.0
// coarsen-threads: kernels that only move memory get a second form, in which a thread does several work-items that
// follow each other in dimension 0 (thread coarsening; V. Volkov, "Better Performance at Lower Occupancy", 2010). Each
// thread then has as many accesses under way, and accesses of neighbours become one that is wider.
//
//   i = global_id(0)                           i = global_id(0) + local_id(0)
//   v = load a + 4 i                 -->       v0, v1 = load a + 4 i: 2 x f32
//   store v * s, b + 4 i                       store (v0 * s, v1 * s), b + 4 i
//
// The form is for launches that a runtime has found fit: groups of the same place, whose threads in x are a
// `items`-th of the work-items, global offset and local size in x multiples of `items`, pointers of arguments
// multiples of 16 bytes. So local_id and local_size are those of threads in it, and what the program asks for is made
// of them; all else that a launch says counts work-items.
//
// Phases: 1. what qualifies: no loops, no waiting, no private variables, few instructions, plain accesses that go
// along with the work-item by the size of their element, of at most so many bytes (`coarsening` of the machine).
// 2. item-shapes. 3. blocks are written anew in reverse postorder: what is the same for all items once, other values
// once an item; instructions of items are interleaved, which no work-item can see. 4. Where items part at a branch,
// nothing has been written yet (else the kernel does not qualify): the thread starts again, and does its items one
// after the other in a loop around a copy of the kernel as it was.
//
// Cost: linear in the instructions that it makes.
import {
  type Block,
  Builder,
  CONSTANT,
  GLOBAL,
  I1,
  I32,
  Instruction,
  IrFunction,
  type Module,
  Op,
  type Parameter,
  type Type,
  VOID,
  VOLATILE,
  type Value,
  cloneBlocks,
  cloneInstruction,
  constantInt,
  createCloneMap,
  hasEffect,
  laneCount,
  listOf,
  reversePostorder,
  scalarOf,
  sizeOf,
  vectorType,
} from "@muxkit/ir";
import type { CoarseningLimits } from "@muxkit/machine-target";

import { isIndependentCall } from "./builtin-facts.ts";
import { IDS, ItemShapes, queriedDimension } from "./item-shapes.ts";
import { sizeOfBlocks } from "./loop-shape.ts";
import type { PassContext } from "./pass.ts";

/** Ids that count work-items from the launch: threads are counted apart. */
const GLOBAL_IDS: ReadonlySet<number> = new Set([Op.GLOBAL_ID, Op.GLOBAL_LINEAR_ID]);

const WRITES: ReadonlySet<number> = new Set([Op.STORE, Op.ATOMIC_RMW, Op.ATOMIC_COMPARE_EXCHANGE, Op.ATOMIC_STORE]);
const ATOMICS: ReadonlySet<number> = new Set([
  Op.ATOMIC_LOAD,
  Op.ATOMIC_STORE,
  Op.ATOMIC_RMW,
  Op.ATOMIC_COMPARE_EXCHANGE,
]);

function isQuery(op: number): boolean {
  return op >= Op.WORK_DIM && op <= Op.SUB_GROUP_LOCAL_ID;
}

/** True for an instruction that can be done for several items of a thread. */
function fits(instruction: Instruction): boolean {
  const { op, flags, order } = instruction;
  if (isQuery(op)) return op < Op.SUB_GROUP_SIZE && queriedDimension(instruction) !== null;
  if (op === Op.LOAD || op === Op.STORE) return (flags & VOLATILE) === 0;
  if (ATOMICS.has(op)) return order === "relaxed";
  if (op === Op.CALL_BUILTIN) return isIndependentCall(instruction);
  return (
    hasEffect(op, "s") ||
    op === Op.BR ||
    op === Op.COND_BR ||
    op === Op.RET ||
    op === Op.UNREACHABLE ||
    op === Op.DEBUG_VALUE
  );
}

function hasNoLoop(order: readonly Block[]): boolean {
  const places = new Map(order.map((block, i) => [block, i]));
  return order.every(({ successors }, i) => successors.every((one) => (places.get(one) ?? 0) > i));
}

/** The pointer of a plain access, and what is accessed. */
function accessed({ op, type, operands }: Instruction): { readonly pointer: Value; readonly type: Type } | null {
  if (op === Op.LOAD) return { pointer: operands[0] as Value, type };
  return op === Op.STORE ? { pointer: operands[1] as Value, type: (operands[0] as Value).type } : null;
}

/** A kernel that qualifies. */
interface Candidate {
  readonly fn: IrFunction;
  readonly order: readonly Block[];
  readonly items: number;
  readonly shapes: ItemShapes;
}

/**
 * Bytes of the widest access that goes along with the work-item; 0: there is none, or another one does not.
 */
function widestAccess({ order, shapes }: Pick<Candidate, "order" | "shapes">, module: Module): number {
  let widest = 0;
  for (const { instructions } of order)
    for (const instruction of instructions) {
      const access = accessed(instruction);
      if (access === null) continue;
      const space = scalarOf(access.pointer.type).addressSpace;
      const { likelyStep } = shapes.of(access.pointer);
      const bytes = sizeOf(module.layout, access.type);
      const isUniformLoad = likelyStep === 0 && instruction.op === Op.LOAD;
      if ((space !== GLOBAL && space !== CONSTANT) || (likelyStep !== bytes && !isUniformLoad)) return 0;
      if (likelyStep === bytes) widest = Math.max(widest, bytes);
    }
  return widest;
}

/** True where items part only before anything is written. */
function partsBeforeWrites({ order, shapes }: Pick<Candidate, "order" | "shapes">): boolean {
  const written = new Set<Block>();
  for (const block of order) {
    if (block.instructions.some(({ op }) => WRITES.has(op))) written.add(block);
    const { terminator } = block;
    if (!written.has(block)) continue;
    if (terminator.operands.some((operand) => !shapes.isSame(operand))) return false;
    for (const next of block.successors) written.add(next);
  }
  return true;
}

/** A kernel whose threads may do several items; null: they may not, or would gain nothing. */
function candidateOf(fn: IrFunction, module: Module, limits: CoarseningLimits): Candidate | null {
  if (fn.kernel?.coarsened !== undefined) return null;
  const order = reversePostorder(fn);
  if (sizeOfBlocks(order) > limits.instructions || !hasNoLoop(order)) return null;
  if (!order.every(({ instructions }) => instructions.every(fits))) return null;
  const first = { order, shapes: new ItemShapes(fn, order, limits.items) };
  const widest = widestAccess(first, module);
  if (widest === 0) return null;
  let items = limits.items;
  while (items > 1 && items * widest > limits.bytes) items /= 2;
  const size = fn.kernel?.requiredWorkGroupSize ?? null;
  if (items < 2 || (size !== null && size[0] % items !== 0)) return null;
  const shapes = new ItemShapes(fn, order, items);
  return partsBeforeWrites({ order, shapes }) ? { fn, order, items, shapes } : null;
}

const ZERO: Value = constantInt(I32, 0);

/** Writes the form of a kernel for several items a thread. */
class Coarsener {
  private readonly candidate: Candidate;
  private readonly module: Module;
  private readonly made: IrFunction;
  /** Copies of a value: one that all items have, or one an item. */
  private readonly copies = new Map<Value, readonly Value[]>();
  private readonly blocks = new Map<Block, Block>();
  /** The block that does items one after the other; null: none needs it. */
  private apart: Block | null = null;

  constructor(candidate: Candidate, module: Module) {
    const { fn, items } = candidate;
    this.candidate = candidate;
    this.module = module;
    this.made = new IrFunction(coarsenedName(fn.name, items), VOID, fn.parameters);
    const { kernel } = fn;
    this.made.kernel = kernel === null ? null : { ...kernel, coarsened: { of: fn.name, items } };
  }

  write(): IrFunction {
    const { candidate, made, blocks, copies } = this;
    const { fn, order, shapes, items } = candidate;
    fn.parameters.forEach((parameter, i) => copies.set(parameter, [made.parameters[i] as Parameter]));
    for (const block of order) {
      const copy = made.addBlock(block.name);
      blocks.set(block, copy);
      for (const parameter of block.parameters) {
        const count = shapes.isSame(parameter) ? 1 : items;
        copies.set(
          parameter,
          Array.from({ length: count }, () => copy.addParameter(parameter.type, parameter.name)),
        );
      }
    }
    for (const block of order) {
      const builder = new Builder(blocks.get(block) as Block);
      for (const instruction of block.instructions) {
        builder.location = instruction.location;
        if (instruction.isTerminator) this.end(builder, instruction);
        else if (instruction.op !== Op.DEBUG_VALUE) copies.set(instruction, this.copiesOf(builder, instruction));
      }
    }
    return made;
  }

  private item(value: Value, item: number): Value {
    if (value.kind === "constant") return value;
    const list = this.copies.get(value) ?? [];
    return list[list.length === 1 ? 0 : item] as Value;
  }

  private clone(instruction: Instruction, item: number): Instruction {
    const copy = cloneInstruction(instruction);
    copy.operands = copy.operands.map((operand) => this.item(operand, item));
    return copy;
  }

  private copiesOf(builder: Builder, instruction: Instruction): readonly Value[] {
    const { shapes, items } = this.candidate;
    const { op } = instruction;
    const { step } = shapes.of(instruction);
    if (isQuery(op)) return this.query(builder, instruction);
    const wide = this.wideAccess(builder, instruction);
    if (wide !== null) return wide;
    if (!WRITES.has(op) && step === 0) return [builder.insert(this.clone(instruction, 0))];
    if (step !== null && !WRITES.has(op) && (op === Op.ADDRESS || instruction.type.kind === "int"))
      return this.stepped(builder, builder.insert(this.clone(instruction, 0)), step);
    return Array.from({ length: items }, (_, item) => builder.insert(this.clone(instruction, item)));
  }

  /** The first item's number or pointer, and those of the others by their distance. */
  private stepped(builder: Builder, first: Value, step: number): readonly Value[] {
    return Array.from({ length: this.candidate.items }, (_, item) => {
      if (item === 0) return first;
      if (first.type.kind === "pointer") return builder.address(first, null, 0, item * step);
      return builder.same(Op.ADD, first, constantInt(first.type, item * step));
    });
  }

  private query(builder: Builder, instruction: Instruction): readonly Value[] {
    const { items } = this.candidate;
    const own = builder.insert(this.clone(instruction, 0));
    const { op, type } = instruction;
    if (queriedDimension(instruction) !== 0) return [own];
    const number = constantInt(type, items);
    if (op === Op.LOCAL_SIZE) return [builder.same(Op.MUL, own, number)];
    if (!IDS.has(op)) return [own];
    return this.stepped(builder, firstId(builder, own, items), 1);
  }

  /** One access for all items; null: they are not known to be side by side, or are too wide. */
  private wideAccess(builder: Builder, instruction: Instruction): readonly Value[] | null {
    const { shapes, items } = this.candidate;
    const access = accessed(instruction);
    if (access === null) return null;
    const { step, multiple } = shapes.of(access.pointer);
    const bytes = sizeOf(this.module.layout, access.type);
    const lanes = laneCount(access.type);
    const element = scalarOf(access.type);
    if (step !== bytes || multiple < bytes * items || (element.kind !== "int" && element.kind !== "float")) return null;
    if (sizeOf(this.module.layout, element) * lanes !== bytes || element === I1) return null;
    const pointer = this.item(access.pointer, 0);
    const type = vectorType(element, lanes * items);
    if (instruction.op === Op.STORE) {
      const value = instruction.operands[0] as Value;
      const parts = Array.from({ length: items }, (_, item) => lanesOf(builder, this.item(value, item))).flat();
      builder.store(builder.build(parts), pointer, bytes * items);
      return [];
    }
    const loaded = builder.load(type, pointer, bytes * items);
    loaded.aliasGroup = instruction.aliasGroup;
    return Array.from({ length: items }, (_, item) => {
      const parts = Array.from({ length: lanes }, (__, lane) => builder.extract(loaded, item * lanes + lane));
      return lanes === 1 ? (parts[0] as Value) : builder.build(parts);
    });
  }

  /** What an edge passes: a value for each copy of the target's parameters. */
  private passed(target: Block, values: readonly Value[]): Value[] {
    return target.parameters.flatMap((parameter, i) => {
      const count = this.copies.get(parameter)?.length ?? 1;
      return Array.from({ length: count }, (_, item) => this.item(values[i] as Value, item));
    });
  }

  private end(builder: Builder, terminator: Instruction): void {
    const { shapes, items } = this.candidate;
    const { op, operands, successors, successorArguments } = terminator;
    const [condition] = operands;
    if (op !== Op.COND_BR || condition === undefined || shapes.isSame(condition)) {
      const copy = this.clone(terminator, 0);
      copy.successors = successors.map((one) => this.blocks.get(one) as Block);
      copy.successorArguments = successors.map((one, edge) => this.passed(one, successorArguments[edge] ?? []));
      builder.insert(copy);
      return;
    }
    const [yes, no] = successors as [Block, Block];
    const conditions = Array.from({ length: items }, (_, item) => this.item(condition, item));
    const all = conditions.reduce((left, right) => builder.same(Op.AND, left, right));
    const any = conditions.reduce((left, right) => builder.same(Op.OR, left, right));
    const others = this.made.addBlock("others");
    const target = (block: Block, edge: number): [Block, Value[]] => [
      this.blocks.get(block) as Block,
      this.passed(block, successorArguments[edge] ?? []),
    ];
    const [yesBlock, yesValues] = target(yes, 0);
    const [noBlock, noValues] = target(no, 1);
    builder.conditionalBranch(all, yesBlock, others, yesValues);
    const next = new Builder(others);
    next.location = terminator.location;
    next.conditionalBranch(any, this.oneAfterTheOther(), noBlock, [], noValues);
  }

  /** The kernel as it was, in a loop over the items of the thread. */
  private oneAfterTheOther(): Block {
    if (this.apart !== null) return this.apart;
    const { candidate, made } = this;
    const { fn, order, items } = candidate;
    const start = made.addBlock("apart");
    const header = made.addBlock("item");
    this.apart = start;
    const counter = header.addParameter(I32, "item");
    header.unroll = 1;
    new Builder(start).branch(header, ZERO);
    const map = createCloneMap();
    fn.parameters.forEach((parameter, i) => map.values.set(parameter, made.parameters[i] as Parameter));
    const head = new Builder(header);
    const copies = cloneBlocks(order, made, map, (copy, original) => itemQuery(head, original, counter, items) ?? copy);
    head.branch(copies[0] as Block);
    const latch = made.addBlock("next_item");
    for (const block of copies) {
      if (block.terminator.op !== Op.RET) continue;
      block.instructions.pop();
      new Builder(block).branch(latch);
    }
    const end = made.addBlock("done");
    const last = new Builder(latch);
    const next = last.same(Op.ADD, counter, constantInt(I32, 1));
    last.conditionalBranch(last.compare(Op.ULT, next, constantInt(I32, items)), header, end, [next]);
    new Builder(end).return();
    return start;
  }
}

/** The lanes of a value. */
function lanesOf(builder: Builder, value: Value): readonly Value[] {
  const count = laneCount(value.type);
  return count === 1 ? [value] : Array.from({ length: count }, (_, lane) => builder.extract(value, lane));
}

/** The first item's id, from that of the thread. */
function firstId(builder: Builder, own: Instruction, items: number): Value {
  const { op, type } = own;
  if (!GLOBAL_IDS.has(op)) return builder.same(Op.MUL, own, constantInt(type, items));
  const thread = builder.workItem(Op.LOCAL_ID, type, ZERO);
  return builder.same(Op.ADD, own, builder.same(Op.MUL, thread, constantInt(type, items - 1)));
}

/** What stands for a query of one item in a loop over them; `head`: where the thread's part is computed. */
function itemQuery(head: Builder, query: Instruction, counter: Value, items: number): Instruction | null {
  const { op, type, location } = query;
  if (!isQuery(op) || queriedDimension(query) !== 0 || (!IDS.has(op) && op !== Op.LOCAL_SIZE)) return null;
  const own = head.insert(cloneInstruction(query));
  if (op === Op.LOCAL_SIZE)
    return new Instruction(Op.MUL, type, listOf<Value>(own, constantInt(type, items)), location);
  const item = type === I32 ? counter : head.convert(Op.ZEXT, counter, type);
  return new Instruction(Op.ADD, type, listOf(firstId(head, own, items), item), location);
}

/** What the form of a kernel for several items a thread is called. */
function coarsenedName(name: string, items: number): string {
  return `${name}.items${items}`;
}

/** Gives kernels that only move memory a second form, in which a thread does several work-items. */
export function coarsenThreads(module: Module, { machine }: PassContext): boolean {
  const { coarsening } = machine;
  if (coarsening === undefined) return false;
  const candidates = module.kernels.flatMap((fn) => candidateOf(fn, module, coarsening) ?? []);
  const added = candidates.filter(({ fn, items }) => !module.functions.has(coarsenedName(fn.name, items)));
  for (const candidate of added) module.addFunction(new Coarsener(candidate, module).write());
  return added.length > 0;
}
