// SPDX-License-Identifier: Apache-2.0
/**
 * lower-group-operations: reductions, scans and broadcasts become calls of functions that need no more than what
 * hardware with lock-step sub-groups has: votes, ballots and shuffles of a sub-group; local memory and barriers of a
 * work-group. Values are combined in the order of docs/kernel-abi.md, so results have the bits of every other target.
 *
 * Who takes part: of a sub-group, whom a ballot finds. Of a work-group, each work-item sets its bit in local memory
 * before it writes its value, and clears it afterwards; only its own, so the bits need no barrier of their own. A
 * work-item that has returned has no bit, and counts as the neutral value. The last work-item of a group clears the
 * bits behind its own too: they are read where a block of values is not full.
 *
 * A sub-group exchanges by shuffles, a logarithmic number for reductions. A work-group's values are read by everybody
 * after one barrier: cost n / 16 + 20 for reductions, and 64 + n / 16 for scans, of n work-items.
 */
import {
  type AtomicKind,
  type Block,
  Builder,
  Global,
  I1,
  I32,
  I64,
  type Instruction,
  IrFunction,
  LOCAL,
  type Module,
  NON_UNIFORM,
  ORDER_LOCAL,
  Op,
  STRANDS,
  type Type,
  VOID,
  type Value,
  arrayType,
  combinationOf,
  constantBits,
  constantInt,
  constantVector,
  isGroupOperation,
  reduceLanes,
  replaceUses,
  scalarOf,
  sizeOf,
  vectorType,
} from "@muxkit/ir";
import type { Pass } from "@muxkit/passes";

/** Work-items of the largest work-group, and of a sub-group. */
const MOST_ITEMS = 1024;
const SUB_GROUP = 32;

function word(value: number): Value {
  return constantInt(I32, value);
}

/** A constant with the same bits in every lane. */
function constantOf(type: Type, bits: bigint): Value {
  const scalar = constantBits(scalarOf(type), Number(bits & 0xffff_ffffn), Number(bits >> 32n));
  return type.kind === "vector"
    ? constantVector(
        type,
        Array.from({ length: type.count }, () => scalar),
      )
    : scalar;
}

/** Local memory that all functions of a module share. */
class Scratch {
  private readonly module: Module;

  constructor(module: Module) {
    this.module = module;
  }

  private global(name: string, type: Type, count: number): Global {
    const full = `group.${name}`;
    const known = this.module.globals.get(full);
    if (known !== undefined) return known;
    return this.module.addGlobal(new Global(full, arrayType(type, count), LOCAL, 16));
  }

  /** A bit for each work-item that takes part. */
  members(): Global {
    return this.global("members", I32, MOST_ITEMS / 32);
  }

  /** A value of each work-item. */
  values(type: Type): Global {
    return this.global(`values.${type.text}`, type, MOST_ITEMS);
  }
}

/** Writes the functions that group operations become. */
class Writer {
  readonly module: Module;
  private readonly scratch: Scratch;

  constructor(module: Module) {
    this.module = module;
    this.scratch = new Scratch(module);
  }

  /** The function of a name; `write` makes its body when it is new. */
  fn(
    name: string,
    returnType: Type,
    parameters: readonly Type[],
    write: (builder: Builder, fn: IrFunction) => void,
  ): IrFunction {
    const known = this.module.functions.get(name);
    if (known !== undefined) return known;
    const made = new IrFunction(
      name,
      returnType,
      parameters.map((type, i) => ({ type, name: `value${i}` })),
    );
    made.inline = "always";
    made.isInternal = true;
    this.module.addFunction(made);
    write(new Builder(made.addBlock("entry")), made);
    return made;
  }

  private linearId(builder: Builder): Value {
    return builder.convert(Op.TRUNC, builder.workItem(Op.LOCAL_LINEAR_ID, sizeType(this.module), null), I32);
  }

  private items(builder: Builder): Value {
    const sizes = [0, 1, 2].map((axis) =>
      builder.convert(Op.TRUNC, builder.workItem(Op.LOCAL_SIZE, sizeType(this.module), word(axis)), I32),
    ) as [Value, Value, Value];
    return builder.same(Op.MUL, builder.same(Op.MUL, sizes[0], sizes[1]), sizes[2]);
  }

  private memberWord(builder: Builder, item: Value): Value {
    const at = builder.same(Op.LSHR, item, word(5));
    return builder.address(builder.globalAddress(this.scratch.members()), at, 4, 0);
  }

  private bitOf(builder: Builder, item: Value): Value {
    return builder.same(Op.SHL, word(1), builder.same(Op.AND, item, word(31)));
  }

  /** Says that this work-item does not take part, or no longer. */
  leave(): IrFunction {
    return this.fn("group.leave", VOID, [], (builder) => {
      const id = this.linearId(builder);
      const others = builder.same(Op.XOR, this.bitOf(builder, id), word(-1));
      builder.atomicReadModifyWrite("and", this.memberWord(builder, id), others, "relaxed", "work_group");
      builder.return();
    });
  }

  /** What each work-item does first: nobody takes part, nor does what is behind the last. */
  begin(): IrFunction {
    return this.fn("group.begin", VOID, [], (builder) => {
      const id = this.linearId(builder);
      const bit = this.bitOf(builder, id);
      const isLast = builder.compare(Op.EQ, id, builder.same(Op.SUB, this.items(builder), word(1)));
      const before = builder.same(Op.SUB, bit, word(1));
      const kept = builder.select(isLast, before, builder.same(Op.XOR, bit, word(-1)));
      builder.atomicReadModifyWrite("and", this.memberWord(builder, id), kept, "relaxed", "work_group");
      builder.return();
    });
  }

  /** Puts a value where all work-items of the group find it. */
  private publish(builder: Builder, id: Value, value: Value): void {
    const { type } = value;
    const place = builder.address(
      builder.globalAddress(this.scratch.values(type)),
      id,
      sizeOf(this.module.layout, type),
      0,
    );
    builder.store(value, place, this.alignment(type));
    builder.atomicReadModifyWrite("or", this.memberWord(builder, id), this.bitOf(builder, id), "relaxed", "work_group");
    builder.barrier("work_group", ORDER_LOCAL);
  }

  private alignment(type: Type): number {
    return Math.min(16, sizeOf(this.module.layout, type));
  }

  /** All have read: values may be written again. */
  private retract(builder: Builder): void {
    builder.barrier("work_group", ORDER_LOCAL);
    builder.call(this.leave(), []);
  }

  /** What a work-item published; `absent` where it takes no part. */
  private published(builder: Builder, type: Type, item: Value, absent: Value): Value {
    const words = builder.load(I32, this.memberWord(builder, item), 4);
    const isMember = builder.compare(Op.NE, builder.same(Op.AND, words, this.bitOf(builder, item)), word(0));
    const place = builder.address(
      builder.globalAddress(this.scratch.values(type)),
      item,
      sizeOf(this.module.layout, type),
      0,
    );
    return builder.select(isMember, builder.load(type, place, this.alignment(type)), absent);
  }

  /** A loop over numbers from `first` up to `end`, by `step`: `write` makes the next of the carried values. */
  private loop(
    builder: Builder,
    fn: IrFunction,
    range: { readonly first: Value; readonly end: Value; readonly step: number },
    carried: readonly Value[],
    write: (index: Value, carried: readonly Value[]) => readonly Value[],
  ): readonly Value[] {
    const [header, body, done] = ["loop", "body", "done"].map((name) => fn.addBlock(name)) as [Block, Block, Block];
    builder.branch(header, range.first, ...carried);
    const index = header.addParameter(I32, "index");
    const own = carried.map(({ type }) => header.addParameter(type));
    builder.block = header;
    builder.conditionalBranch(builder.compare(Op.ULT, index, range.end), body, done);
    builder.block = body;
    const next = write(index, own);
    builder.branch(header, builder.same(Op.ADD, index, word(range.step)), ...next);
    builder.block = done;
    return own;
  }

  /** The value of the work-item with a linear id, 0 when it takes no part. */
  pickInGroup(type: Type): IrFunction {
    return this.fn(`group.pick.${type.text}`, type, [type, I32], (builder, fn) => {
      const [value, from] = fn.parameters as unknown as [Value, Value];
      this.publish(builder, this.linearId(builder), value);
      const isInside = builder.compare(Op.ULT, from, this.items(builder));
      const item = builder.select(isInside, from, word(0));
      const zero = constantOf(type, 0n);
      const picked = builder.select(isInside, this.published(builder, type, item, zero), zero);
      this.retract(builder);
      builder.return(picked);
    });
  }

  reduceGroup(kind: AtomicKind, type: Type): IrFunction {
    return this.fn(`group.reduce.${kind}.${type.text}`, type, [type], (builder, fn) => {
      const { op, neutral } = combinationOf(kind, scalarOf(type).bits);
      const absent = constantOf(type, neutral);
      const [value] = fn.parameters as unknown as [Value];
      this.publish(builder, this.linearId(builder), value);
      const strands = this.loop(
        builder,
        fn,
        { first: word(0), end: this.items(builder), step: STRANDS },
        Array.from({ length: STRANDS }, () => absent),
        (index, carried) =>
          carried.map((strand, i) => {
            const item = builder.same(Op.ADD, index, word(i));
            return builder.same(op, strand, this.published(builder, type, item, absent));
          }),
      );
      const total = reduceLanes(strands, (left, right) => builder.same(op, left, right));
      this.retract(builder);
      builder.return(total);
    });
  }

  /** The inclusive scan of a block of values: Hillis and Steele's steps. */
  private scanBlock(builder: Builder, op: number, values: readonly Value[]): Value[] {
    const block = [...values];
    for (let step = 1; step < STRANDS; step *= 2)
      for (let i = STRANDS - 1; i >= step; i--)
        block[i] = builder.same(op, block[i - step] as Value, block[i] as Value);
    return block;
  }

  /** One of sixteen values by a number that is known at run time. */
  private chosen(builder: Builder, values: readonly Value[], index: Value): Value {
    return values.reduce((other, value, i) =>
      i === 0 ? value : builder.select(builder.compare(Op.EQ, index, word(i)), value, other),
    );
  }

  /** The scan of values that `read` reads by the id of a work-item, up to `item`, which may be -1 for none. */
  private scan(
    builder: Builder,
    fn: IrFunction,
    kind: AtomicKind,
    type: Type,
    item: Value,
    read: (item: Value) => Value,
  ): Value {
    const { op, neutral } = combinationOf(kind, scalarOf(type).bits);
    const ownBlock = builder.same(Op.AND, item, word(-STRANDS));
    const blockAt = (first: Value): Value[] =>
      this.scanBlock(
        builder,
        op,
        Array.from({ length: STRANDS }, (_, i) => read(builder.same(Op.ADD, first, word(i)))),
      );
    const [carry] = this.loop(
      builder,
      fn,
      { first: word(0), end: ownBlock, step: STRANDS },
      [constantOf(type, neutral)],
      (index, [before]) => [builder.same(op, before as Value, blockAt(index)[STRANDS - 1] as Value)],
    ) as [Value];
    const own = this.chosen(builder, blockAt(ownBlock), builder.same(Op.AND, item, word(STRANDS - 1)));
    return builder.same(op, carry, own);
  }

  /** The value that a scan gives: of this work-item, or of the one before it. */
  private scanned(
    builder: Builder,
    fn: IrFunction,
    { kind, type, isExclusive }: { readonly kind: AtomicKind; readonly type: Type; readonly isExclusive: boolean },
    id: Value,
    read: (item: Value) => Value,
  ): Value {
    if (!isExclusive) return this.scan(builder, fn, kind, type, id, read);
    const first = constantOf(type, combinationOf(kind, scalarOf(type).bits).first);
    const isFirst = builder.compare(Op.EQ, id, word(0));
    const before = builder.select(isFirst, word(0), builder.same(Op.SUB, id, word(1)));
    return builder.select(isFirst, first, this.scan(builder, fn, kind, type, before, read));
  }

  scanGroup(kind: AtomicKind, type: Type, isExclusive: boolean): IrFunction {
    const name = `group.scan.${isExclusive ? "exclusive" : "inclusive"}.${kind}.${type.text}`;
    return this.fn(name, type, [type], (builder, fn) => {
      const absent = constantOf(type, combinationOf(kind, scalarOf(type).bits).neutral);
      const id = this.linearId(builder);
      this.publish(builder, id, fn.parameters[0] as Value);
      const result = this.scanned(builder, fn, { kind, type, isExclusive }, id, (item) =>
        this.published(builder, type, item, absent),
      );
      this.retract(builder);
      builder.return(result);
    });
  }

  /** A group operation of sub-groups on hardware; `flags` say whether lanes arrive apart. */
  private hardware(builder: Builder, op: number, operands: readonly Value[], type: Type, flags: number): Instruction {
    return builder.group(op, type, operands, "sub_group", flags === 0);
  }

  /** The lanes that take part, a bit each. */
  private ballot(builder: Builder, flags: number): Value {
    const bits = this.hardware(builder, Op.GROUP_BALLOT, [constantInt(I1, 1)], vectorType(I32, 4), flags);
    return builder.extract(bits, 0);
  }

  /** The value of a lane; `absent` where it takes no part. */
  private fromLane(builder: Builder, members: Value, value: Value, lane: Value, absent: Value, flags: number): Value {
    const taken = this.hardware(builder, Op.GROUP_SHUFFLE, [value, lane], value.type, flags);
    const bit = builder.same(Op.AND, builder.same(Op.LSHR, members, lane), word(1));
    return builder.select(builder.compare(Op.NE, bit, word(0)), taken, absent);
  }

  private laneId(builder: Builder): Value {
    return builder.workItem(Op.SUB_GROUP_LOCAL_ID, I32, null);
  }

  /** The reduction of a sub-group, or of clusters of it. */
  reduceSubGroup(kind: AtomicKind, type: Type, cluster: number, flags: number): IrFunction {
    const name = `sub_group.reduce.${kind}.${type.text}.${cluster}.${flags}`;
    return this.fn(name, type, [type], (builder, fn) => {
      const { op, neutral } = combinationOf(kind, scalarOf(type).bits);
      const absent = constantOf(type, neutral);
      const [value] = fn.parameters as unknown as [Value];
      const members = this.ballot(builder, flags);
      const lane = this.laneId(builder);
      const base = builder.same(Op.AND, lane, word(-cluster));
      const strands = Math.min(STRANDS, cluster);
      const strand = builder.same(Op.AND, lane, word(strands - 1));
      let own: Value = absent;
      for (let first = 0; first < cluster; first += strands) {
        const from = builder.same(Op.ADD, builder.same(Op.ADD, base, word(first)), strand);
        own = builder.same(op, own, this.fromLane(builder, members, value, from, absent, flags));
      }
      const inCluster = builder.same(
        Op.AND,
        builder.same(Op.LSHR, members, base),
        word(cluster === SUB_GROUP ? -1 : 2 ** cluster - 1),
      );
      for (let step = strands / 2; step >= 1; step /= 2) {
        const [left, right] = [0, step].map((which) => {
          const wanted = builder.same(Op.OR, builder.same(Op.AND, lane, word(step - 1)), word(which));
          return this.anyOfClass(builder, { inCluster, base, wanted, cluster, period: 2 * step }, own, absent, flags);
        }) as [Value, Value];
        own = builder.same(op, left, right);
      }
      builder.return(own);
    });
  }

  /** The value of a strand, which every lane holds whose number in its cluster is `wanted` modulo the period. */
  private anyOfClass(
    builder: Builder,
    place: {
      readonly inCluster: Value;
      readonly base: Value;
      readonly wanted: Value;
      readonly cluster: number;
      readonly period: number;
    },
    value: Value,
    absent: Value,
    flags: number,
  ): Value {
    let pattern = 0;
    for (let lane = 0; lane < place.cluster; lane += place.period) pattern |= 1 << lane;
    const holders = builder.same(Op.AND, place.inCluster, builder.same(Op.SHL, word(pattern), place.wanted));
    const isHeld = builder.compare(Op.NE, holders, word(0));
    const first = builder.same(Op.ADD, place.base, builder.same(Op.CTZ, holders));
    const lane = builder.select(isHeld, first, word(0));
    const taken = this.hardware(builder, Op.GROUP_SHUFFLE, [value, lane], value.type, flags);
    return builder.select(isHeld, taken, absent);
  }

  scanSubGroup(kind: AtomicKind, type: Type, isExclusive: boolean, flags: number): IrFunction {
    const name = `sub_group.scan.${isExclusive ? "exclusive" : "inclusive"}.${kind}.${type.text}.${flags}`;
    return this.fn(name, type, [type], (builder, fn) => {
      const { op, neutral, first } = combinationOf(kind, scalarOf(type).bits);
      const absent = constantOf(type, neutral);
      const [value] = fn.parameters as unknown as [Value];
      const members = this.ballot(builder, flags);
      const lane = this.laneId(builder);
      // Shuffles are for all lanes at once, so everybody scans both blocks.
      const blocks = [0, STRANDS].map((from) =>
        this.scanBlock(
          builder,
          op,
          Array.from({ length: STRANDS }, (_, i) =>
            this.fromLane(builder, members, value, word(from + i), absent, flags),
          ),
        ),
      ) as [Value[], Value[]];
      const lower = blocks[0].map((one) => builder.same(op, absent, one));
      const carry = lower[STRANDS - 1] as Value;
      const upper = blocks[1].map((one) => builder.same(op, carry, one));
      const item = isExclusive ? builder.same(Op.SUB, lane, word(1)) : lane;
      const at = builder.same(Op.AND, item, word(STRANDS - 1));
      const isUpper = builder.compare(Op.UGE, item, word(STRANDS));
      const result = builder.select(isUpper, this.chosen(builder, upper, at), this.chosen(builder, lower, at));
      const isFirst = builder.compare(Op.EQ, lane, word(0));
      builder.return(isExclusive ? builder.select(isFirst, constantOf(type, first), result) : result);
    });
  }
}

function sizeType(module: Module): Type {
  return module.layout.sizeBits === 64 ? I64 : I32;
}

/** The function that computes an operation; null: hardware does. */
function replacement(writer: Writer, { op, type, operands, scope, atomicKind, flags }: Instruction): IrFunction | null {
  const isSubGroup = scope === "sub_group";
  const own = flags & NON_UNIFORM;
  if (op === Op.GROUP_REDUCE) {
    const [, cluster] = operands;
    if (!isSubGroup) return writer.reduceGroup(atomicKind, type);
    return writer.reduceSubGroup(
      atomicKind,
      type,
      cluster?.kind === "constant" ? Math.min(SUB_GROUP, cluster.low) : SUB_GROUP,
      own,
    );
  }
  if (op === Op.GROUP_SCAN_INCLUSIVE || op === Op.GROUP_SCAN_EXCLUSIVE) {
    const isExclusive = op === Op.GROUP_SCAN_EXCLUSIVE;
    return isSubGroup
      ? writer.scanSubGroup(atomicKind, type, isExclusive, own)
      : writer.scanGroup(atomicKind, type, isExclusive);
  }
  return !isSubGroup && (op === Op.GROUP_BROADCAST || op === Op.GROUP_SHUFFLE) ? writer.pickInGroup(type) : null;
}

function run(module: Module): boolean {
  const writer = new Writer(module);
  let changed = false;
  // Functions that are added meanwhile have no group operations but hardware's.
  for (const fn of module.functions.values()) {
    for (const block of fn.blocks) {
      block.instructions = block.instructions.map((instruction) => {
        if (!isGroupOperation(instruction.op)) return instruction;
        const callee = replacement(writer, instruction);
        if (callee === null) return instruction;
        const call = calling(callee, instruction);
        call.block = block;
        replaceUses(fn, new Map([[instruction, call]]));
        changed = true;
        return call;
      });
    }
  }
  if (module.globals.has("group.members")) for (const kernel of module.kernels) beginWith(kernel, writer.begin());
  return changed;
}

function calling(callee: IrFunction, { operands, location }: Instruction): Instruction {
  const block = new IrFunction("", callee.returnType, []).addBlock();
  const builder = new Builder(block);
  builder.location = location;
  return builder.call(callee, operands.slice(0, callee.parameters.length));
}

/** Calls a function before anything else that a kernel does. */
function beginWith(kernel: IrFunction, begin: IrFunction): void {
  const { entry } = kernel;
  const call = calling(begin, entry.terminator);
  call.block = entry;
  const first = entry.instructions.findIndex(({ op }) => op !== Op.ALLOCA);
  entry.instructions.splice(first, 0, call);
}

/** The pass. */
export const LOWER_GROUP_OPERATIONS: Pass = {
  kind: "module",
  name: "lower-group-operations",
  doc: "Replaces reductions, scans and broadcasts of groups by votes, shuffles, local memory and barriers.",
  run,
};
