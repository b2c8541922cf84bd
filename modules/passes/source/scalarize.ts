// SPDX-License-Identifier: Apache-2.0
// scalarize: vectors of ints that are only taken apart again become scalars (LLVM's Scalarizer, for these alone).
// Shaders compute coordinates and bounds as `ivec2` and `uvec3`; as scalars they are indices whose shapes, ranges and
// clamps the analyses know, and nothing builds and takes apart a vector for each.
//
//   %p = build %x, %y                        %q.0 = smin %x, %w
//   %q = smin %p, %size               -->    %q.1 = smin %y, %h
//   %i = extract %q, 0                       (%i is %q.0)
//
// Phases:
//   1. members: lane-wise ops, shuffles, inserts and block parameters of at most four lanes of ints, all users of which
//      are members, extracts at constant lanes, or votes (`any`, `all`); builds and splats, whose lanes are scalars
//      already. It is the greatest such set: every candidate starts in it, and what has another user leaves it, with a
//      worklist. A vector of four lanes fills a register: it stays together with one that comes from memory or a call;
//   2. demand: the lanes of each member that extracts and votes need, backwards from those;
//   3. rewrite, in reverse postorder: a scalar op for each lane that is needed, parameters for those of blocks, which
//      get their arguments at the end. The vectors are dead then.
//
// Cost: linear in instructions and uses.
import {
  type Block,
  type Constant,
  Instruction,
  type IrFunction,
  OPS,
  Op,
  type OpRule,
  type Parameter,
  type Type,
  type Value,
  I32,
  applyReplacements,
  constantInt,
  constantLane,
  constantZero,
  laneCount,
  replaceLater,
  resolved,
  reversePostorder,
  scalarOf,
  uses,
} from "@muxkit/ir";

const MOST_LANES = 4;
/** Vectors of so many lanes fill a register. */
const FULL_LANES = 4;

/** Typing rules of ops that compute each lane from the same lanes of their operands. */
const LANE_BY_LANE: ReadonlySet<OpRule> = new Set(["unary-int", "binary-int", "shift", "compare-int", "convert"]);
/** Ops whose lanes are found otherwise. */
const ARRANGING: ReadonlySet<number> = new Set([Op.SELECT, Op.BUILD, Op.SPLAT, Op.SHUFFLE, Op.INSERT]);

type Member = Instruction | Parameter;

function isIntVector({ kind, count }: Type, scalar: Type): boolean {
  return kind === "vector" && count <= MOST_LANES && scalar.kind === "int";
}

function isCandidate(instruction: Instruction): boolean {
  const { op, type, operands } = instruction;
  if (!isIntVector(type, scalarOf(type))) return false;
  if (op === Op.INSERT) return operands[2]?.kind === "constant";
  return ARRANGING.has(op) || LANE_BY_LANE.has(OPS[op]?.rule ?? "build");
}

function isVote(op: number): boolean {
  return op === Op.ANY || op === Op.ALL;
}

/** The lane that an extract takes; -1: it is none at a constant lane. */
function laneTaken({ op, operands: [vector, index] }: Instruction): number {
  return op === Op.EXTRACT && index?.kind === "constant" && vector !== undefined
    ? index.low % laneCount(vector.type)
    : -1;
}

class Members {
  readonly all = new Set<Member>();
  private readonly fn: IrFunction;
  private readonly users: ReadonlyMap<Value, readonly Instruction[]>;

  constructor(fn: IrFunction) {
    this.fn = fn;
    for (const block of fn.blocks) {
      for (const parameter of block.parameters)
        if (isIntVector(parameter.type, scalarOf(parameter.type))) this.all.add(parameter);
      for (const instruction of block.instructions) if (isCandidate(instruction)) this.all.add(instruction);
    }
    this.users = this.all.size === 0 ? new Map<Value, readonly Instruction[]>() : uses(fn);
    if (this.all.size > 0) this.shrink();
  }

  private isMember(value: Value | undefined): value is Member {
    return value !== undefined && value.kind !== "constant" && this.all.has(value);
  }

  /** The parameters that a terminator passes a value to. */
  private *receivers(value: Value, { successors, successorArguments }: Instruction): Generator<Parameter | undefined> {
    for (const [edge, successor] of successors.entries())
      for (const [position, argument] of (successorArguments[edge] ?? []).entries())
        if (argument === value) yield successor.parameters[position];
  }

  private staysFor(value: Member, user: Instruction): boolean {
    if (laneTaken(user) >= 0 || isVote(user.op)) return true;
    if (user.operands.includes(value) && !this.isMember(user)) return false;
    for (const parameter of this.receivers(value, user)) if (!this.isMember(parameter)) return false;
    return true;
  }

  /** Vectors of the instruction that lanes must be extracted from. */
  private hasOuterVector({ op, operands }: Instruction): boolean {
    return operands.some(
      (value, i) =>
        value.type.kind === "vector" &&
        value.kind !== "constant" &&
        !(op === Op.INSERT && i > 0) &&
        !this.isMember(value),
    );
  }

  private mayStay(value: Member): boolean {
    // The lanes of these are scalars already, whatever else uses the vector.
    if (value.kind === "instruction" && (value.op === Op.BUILD || value.op === Op.SPLAT)) return true;
    if (
      value.kind === "instruction" &&
      (laneCount(value.type) >= FULL_LANES || value.op === Op.SHUFFLE) &&
      this.hasOuterVector(value)
    )
      return false;
    return (this.users.get(value) ?? []).every((user) => this.staysFor(value, user));
  }

  /** Removes what may not stay, until all may. */
  private shrink(): void {
    const work = [...this.all];
    /** Parameters by what is passed to them are few: who passes a removed one is looked at again. */
    const passed = this.argumentsOf();
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      if (!this.all.has(next) || this.mayStay(next)) continue;
      this.all.delete(next);
      const operands = next.kind === "instruction" ? next.operands : (passed.get(next) ?? []);
      for (const value of operands) if (this.isMember(value)) work.push(value);
      for (const user of this.users.get(next) ?? []) {
        if (this.isMember(user)) work.push(user);
        if (laneCount(next.type) < FULL_LANES) continue;
        for (const parameter of this.receivers(next, user)) if (this.isMember(parameter)) work.push(parameter);
      }
    }
  }

  private argumentsOf(): ReadonlyMap<Parameter, readonly Value[]> {
    const found = new Map<Parameter, Value[]>();
    for (const block of this.fn.blocks) {
      const { successors, successorArguments } = block.terminator;
      for (const [edge, successor] of successors.entries())
        for (const [position, parameter] of successor.parameters.entries()) {
          const argument = successorArguments[edge]?.[position];
          if (argument === undefined || !this.all.has(parameter)) continue;
          const list = found.get(parameter);
          if (list === undefined) found.set(parameter, [argument]);
          else list.push(argument);
        }
    }
    return found;
  }

  /** The lanes of each member that are needed, as bits. */
  demand(): ReadonlyMap<Value, number> {
    const needed = new Map<Value, number>();
    const passed = this.argumentsOf();
    const work: (readonly [Value | undefined, number])[] = [];
    for (const block of this.fn.blocks)
      for (const instruction of block.instructions) {
        const [vector] = instruction.operands;
        const lane = laneTaken(instruction);
        if (lane >= 0) work.push([vector, 1 << lane]);
        else if (isVote(instruction.op) && vector !== undefined) work.push([vector, (1 << laneCount(vector.type)) - 1]);
      }
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      const [value, lanes] = next;
      if (!this.isMember(value)) continue;
      const known = needed.get(value) ?? 0;
      const added = lanes & ~known;
      if (added === 0) continue;
      needed.set(value, known | added);
      if (value.kind === "parameter") for (const argument of passed.get(value) ?? []) work.push([argument, added]);
      else
        for (let lane = 0; lane < MOST_LANES; lane++)
          if ((added & (1 << lane)) !== 0) work.push(...sources(value, lane));
    }
    return needed;
  }
}

/** The vectors that a lane of a member is computed from, with their lanes as bits. */
function sources(value: Instruction, lane: number): readonly (readonly [Value | undefined, number])[] {
  const { op, operands, lanes } = value;
  if (op === Op.BUILD || op === Op.SPLAT) return [];
  if (op === Op.INSERT) return isInserted(value, lane) ? [] : [[operands[0], 1 << lane]];
  if (op === Op.SHUFFLE) {
    const from = shuffled(value, lanes[lane] ?? -1);
    return from === null ? [] : [[from.vector, 1 << from.lane]];
  }
  return operands.map((one) => [one, 1 << lane] as const);
}

function isInserted({ operands, type }: Instruction, lane: number): boolean {
  const [, , index] = operands;
  return index?.kind === "constant" && index.low % laneCount(type) === lane;
}

/** The operand of a shuffle, and its lane; null: the lane is zero. */
function shuffled(
  { operands: [left, right] }: Instruction,
  lane: number,
): { readonly vector: Value; readonly lane: number } | null {
  if (left === undefined || right === undefined || lane < 0) return null;
  const count = laneCount(left.type);
  return { vector: lane < count ? left : right, lane: lane % count };
}

/** A lane of a block's parameter that has become a parameter. */
interface Join {
  readonly position: number;
  readonly lane: number;
}

class Rewriter {
  private readonly fn: IrFunction;
  private readonly needed: ReadonlyMap<Value, number>;
  private readonly scalars = new Map<Value, (Value | undefined)[]>();
  /** The instructions of the block that is rewritten. */
  private list: Instruction[] = [];

  constructor(fn: IrFunction, needed: ReadonlyMap<Value, number>) {
    this.fn = fn;
    this.needed = needed;
  }

  run(): void {
    const order = reversePostorder(this.fn);
    const joins = new Map<Block, Join[]>();
    for (const block of order) {
      for (const [position, parameter] of [...block.parameters].entries())
        this.eachLane(parameter, (lane) => {
          const own = joins.get(block);
          if (own === undefined) joins.set(block, [{ position, lane }]);
          else own.push({ position, lane });
          return block.addParameter(scalarOf(parameter.type), parameter.name);
        });
      this.rewriteBlock(block);
    }
    for (const block of this.fn.blocks) this.passArguments(block, joins);
    applyReplacements(this.fn);
  }

  private eachLane(value: Value, make: (lane: number) => Value): void {
    const needed = this.needed.get(value) ?? 0;
    if (needed === 0) return;
    const list: (Value | undefined)[] = [];
    this.scalars.set(value, list);
    for (let lane = 0; lane < MOST_LANES; lane++) if ((needed & (1 << lane)) !== 0) list[lane] = make(lane);
  }

  private emit(op: number, type: Type, operands: Value[], like: Instruction): Instruction {
    const made = new Instruction(op, type, operands, like.location);
    made.block = like.block;
    this.list.push(made);
    return made;
  }

  /** A lane of any value, for an instruction. */
  private laneOf(value: Value, lane: number, user: Instruction): Value {
    if (value.type.kind !== "vector") return value;
    if (value.kind === "constant") return constantLane(value, lane);
    const known = this.scalars.get(value)?.[lane];
    return known ?? this.emit(Op.EXTRACT, scalarOf(value.type), [value, constantInt(I32, lane)], user);
  }

  private scalar(instruction: Instruction, lane: number): Value {
    const { op, operands, type, flags, lanes } = instruction;
    const zero: Constant = constantZero(scalarOf(type));
    if (op === Op.BUILD) return operands[lane] ?? zero;
    if (op === Op.SPLAT) return operands[0] ?? zero;
    if (op === Op.INSERT && isInserted(instruction, lane)) return operands[1] ?? zero;
    if (op === Op.INSERT) return operands[0] === undefined ? zero : this.laneOf(operands[0], lane, instruction);
    if (op === Op.SHUFFLE) {
      const from = shuffled(instruction, lanes[lane] ?? -1);
      return from === null ? zero : this.laneOf(from.vector, from.lane, instruction);
    }
    const list = operands.map((one) => this.laneOf(one, lane, instruction));
    const made = this.emit(op, scalarOf(type), list, instruction);
    made.flags = flags;
    made.name = instruction.name;
    return made;
  }

  private rewriteBlock(block: Block): void {
    const old = block.instructions;
    this.list = [];
    for (const instruction of old) {
      this.eachLane(instruction, (lane) => this.scalar(instruction, lane));
      const [vector] = instruction.operands;
      const lanes = vector === undefined ? undefined : this.scalars.get(vector);
      if (lanes !== undefined && this.replacesUser(instruction, lanes)) continue;
      this.list.push(instruction);
    }
    block.instructions = this.list;
  }

  /** Replaces an extract, or a vote, of a vector whose lanes are scalars. */
  private replacesUser(user: Instruction, lanes: readonly (Value | undefined)[]): boolean {
    const taken = lanes[laneTaken(user)];
    if (taken !== undefined) {
      replaceLater(user, resolved(taken));
      return true;
    }
    if (!isVote(user.op)) return false;
    const [first, ...rest] = lanes.filter((lane) => lane !== undefined);
    if (first === undefined) return false;
    const op = user.op === Op.ANY ? Op.OR : Op.AND;
    const joined = rest.reduce<Value>((all, lane) => this.emit(op, user.type, [all, lane], user), first);
    replaceLater(user, resolved(joined));
    return true;
  }

  private passArguments(block: Block, joins: ReadonlyMap<Block, readonly Join[]>): void {
    const { terminator } = block;
    const { successors, successorArguments } = terminator;
    this.list = [];
    for (const [edge, successor] of successors.entries())
      for (const { position, lane } of joins.get(successor) ?? []) {
        const own = successorArguments[edge];
        const argument = own?.[position];
        if (own !== undefined && argument !== undefined) own.push(this.laneOf(argument, lane, terminator));
      }
    block.instructions.splice(-1, 0, ...this.list);
  }
}

/** Makes scalars of the vectors of ints that are only taken apart; true when there is any. */
export function scalarize(fn: IrFunction): boolean {
  const members = new Members(fn);
  if (members.all.size === 0) return false;
  const needed = members.demand();
  if (needed.size === 0) return false;
  new Rewriter(fn, needed).run();
  return true;
}
