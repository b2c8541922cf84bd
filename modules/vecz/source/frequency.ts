// SPDX-License-Identifier: Apache-2.0
// Block frequencies: how often each block runs in one iteration of the loops around it (static branch prediction after
// Ball and Larus, "Branch Prediction for Free", PLDI 1993; frequencies after Wu and Larus, "Static Branch Frequency and
// Program Profile Analysis", MICRO 1994). Both sides of a branch are equally likely, but for conditions that a float is
// huge, infinite or no number, which lead to the careful ways of mathematical functions, for tests whether a loop is
// entered, and for edges that the caller knows more of. Loops are left as often as they are entered, by each of their
// exits alike.
//
// Cost: one walk in reverse postorder.
import {
  type Block,
  type Instruction,
  type IrFunction,
  type Loop,
  type LoopForest,
  Op,
  type Value,
  reversePostorder,
} from "@muxkit/ir";

/** How likely a value is that hardly any program computes with. */
const UNLIKELY = 1 / 64;
/** How likely a loop is entered where a test decides. */
const ENTERED = 7 / 8;
/** Floats of a greater magnitude are unlikely: arguments of functions rarely are. */
const HUGE = 1000;

const GREATER: ReadonlySet<number> = new Set([Op.FGT, Op.FGE]);
const GREATER_BITS: ReadonlySet<number> = new Set([Op.UGT, Op.UGE, Op.SGT, Op.SGE]);

/** The value of a constant of a float type; NaN for everything else. */
function floatOf(value: Value | undefined): number {
  if (value?.kind !== "constant" || value.type.kind !== "float" || value.type.bits < 32) return Number.NaN;
  const view = new DataView(new ArrayBuffer(8));
  view.setUint32(0, value.type.bits === 32 ? value.low : value.high);
  view.setUint32(4, value.low);
  return value.type.bits === 32 ? view.getFloat32(0) : view.getFloat64(0);
}

function isFloatBits(value: Value | undefined): boolean {
  if (value?.kind !== "instruction") return false;
  if (value.op === Op.AND) return isFloatBits(value.operands[0]);
  return value.op === Op.BITCAST && value.operands[0]?.type.kind === "float";
}

/** Bits of infinity or more. */
function areExtreme(value: Value | undefined): boolean {
  if (value?.kind !== "constant" || value.type.kind !== "int") return false;
  return value.type.bits === 32
    ? value.low >>> 0 >= 0x7f80_0000 - 1 && value.low >>> 0 < 0x8000_0000
    : value.type.bits === 64 && value.high >>> 0 >= 0x7ff0_0000 - 1 && value.high >>> 0 < 0x8000_0000;
}

/** How likely a condition is. */
function likelihood(condition: Value | undefined): number {
  if (condition?.kind !== "instruction") return 1 / 2;
  const { op, operands } = condition;
  const [left, right] = operands;
  if (op === Op.XOR && right?.kind === "constant" && right.low === 1) return 1 - likelihood(left);
  if (GREATER.has(op) && left?.kind === "instruction" && left.op === Op.FABS && floatOf(right) >= HUGE) return UNLIKELY;
  if (GREATER_BITS.has(op) && isFloatBits(left) && areExtreme(right)) return UNLIKELY;
  // Only NaN differs from itself.
  if (op === Op.FNE && left === right) return UNLIKELY;
  if (op === Op.FEQ && left === right) return 1 - UNLIKELY;
  return 1 / 2;
}

/** What is known of blocks beforehand. @internal */
export interface Known {
  /** How often blocks run that begin with a test of their own. */
  readonly chances: ReadonlyMap<Block, number>;
  /** Blocks that do not run in what is estimated. */
  readonly rare: ReadonlySet<Block>;
}

/** Blocks of which nothing is known. @internal */
export const NOTHING_KNOWN: Known = { chances: new Map(), rare: new Set() };

/** Frequencies of blocks. @internal */
export class Frequencies {
  private readonly masses = new Map<Block, number>();
  private readonly forest: LoopForest;
  private readonly known: Known;

  constructor(fn: IrFunction, forest: LoopForest, known: Known = NOTHING_KNOWN) {
    this.forest = forest;
    this.known = known;
    this.masses.set(fn.entry, 1);
    for (const block of reversePostorder(fn)) this.distribute(block);
  }

  /** How often a block runs in one iteration of the loops around it: from 0 to 1. */
  of(block: Block): number {
    return Math.min(1, this.masses.get(block) ?? 0);
  }

  /** How often a branch within its loop goes the less likely way: from 0 to 1 / 2 of the frequency of its block. */
  mistakes(block: Block): number {
    if (block.terminator.op !== Op.COND_BR) return 0;
    const loop = this.forest.innermost.get(block);
    if (loop !== undefined && block.successors.some((successor) => !loop.blocks.has(successor))) return 0;
    const [first = 0] = this.shares(block.terminator);
    return this.of(block) * Math.min(first, 1 - first);
  }

  /** The outermost loop that an edge leaves; null: it stays in all loops. */
  private left(from: Block, to: Block): Loop | null {
    let found: Loop | null = null;
    for (let loop = this.forest.innermost.get(from) ?? null; loop !== null; loop = loop.parent)
      if (!loop.blocks.has(to)) found = loop;
    return found;
  }

  /** Shares of the ways of a branch. */
  private shares({ op, successors, operands, block }: Instruction): readonly number[] {
    const { chances, rare } = this.known;
    const [first, second] = successors;
    if (op !== Op.COND_BR || first === undefined || second === undefined || block === null)
      return successors.map(() => 1 / successors.length);
    if (rare.has(first)) return [0, 1];
    if (rare.has(second)) return [1, 0];
    const chance = chances.get(first);
    const own = chance === undefined ? this.ownShare(block, first, second, operands[0]) : this.given(block, chance);
    return [own, 1 - own];
  }

  /** The share of the first way where its frequency is known. */
  private given(block: Block, chance: number): number {
    const mass = this.of(block);
    return mass === 0 ? 0 : Math.min(1, chance / mass);
  }

  private ownShare(block: Block, first: Block, second: Block, condition: Value | undefined): number {
    const [enters, other] = [this.entersLoop(block, first), this.entersLoop(block, second)];
    if (enters !== other) return enters ? ENTERED : 1 - ENTERED;
    return likelihood(condition);
  }

  /** True for an edge to a loop, or to the block before it. */
  private entersLoop(from: Block, to: Block): boolean {
    const { terminator } = to;
    const [next] = terminator.successors;
    const header = terminator.op === Op.BR && next !== undefined ? next : to;
    return [to, header].some((block) => {
      const loop = this.forest.innermost.get(block);
      return loop?.header === block && !loop.blocks.has(from);
    });
  }

  private isBack(from: Block, to: Block): boolean {
    const loop = this.forest.innermost.get(to);
    return loop?.header === to && loop.blocks.has(from);
  }

  /** Hands the frequency of a block on to those after it. */
  private distribute(block: Block): void {
    const { successors } = block;
    if (successors.length === 0) return;
    const mass = this.of(block);
    const shares = this.shares(block.terminator);
    const left = successors.map((successor) => this.left(block, successor));
    const staying = shares.reduce((sum, share, i) => (left[i] === null ? sum + share : sum), 0);
    successors.forEach((successor, i) => {
      const loop = left[i] ?? null;
      if (this.isBack(block, successor)) return;
      const share =
        loop === null
          ? staying === 0
            ? 0
            : (mass * (shares[i] ?? 0)) / staying
          : this.of(loop.header) / loop.exits.length;
      this.masses.set(successor, (this.masses.get(successor) ?? 0) + share);
    });
  }
}
