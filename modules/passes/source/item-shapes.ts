// SPDX-License-Identifier: Apache-2.0
// How the values of a kernel differ between work-items that follow each other in dimension 0, for coarsen-threads:
// what the next work-item has more, and of which power of two the first one's is a multiple.
//
// `items` work-items are taken together, the first of which has a local and a global id that is a multiple of `items`;
// pointers that the host passes are multiples of MOST_MULTIPLE. Sums of steps are exact modulo 2^bits; an extension to
// more bits keeps them where no carry leaves the low bits: where the last step is below the multiple.
//
// The graph has no loops: one walk in reverse postorder, in which operands have their shapes before they are used.
import { type Block, type Constant, type Instruction, type IrFunction, Op, type Value, smallValue } from "@muxkit/ir";

/** Bytes of which pointers that the host passes are multiples. */
export const MOST_MULTIPLE = 16;

/** How a value differs between work-items. */
export interface ItemShape {
  /** What the next work-item has more, exactly; 0: the same value; null: anything. */
  readonly step: number | null;
  /** The same where no extension wraps: what accesses cost does not depend on that. */
  readonly likelyStep: number | null;
  /** A power of two of which the first work-item's is a multiple, at most {@link MOST_MULTIPLE}. */
  readonly multiple: number;
}

const UNKNOWN: ItemShape = { step: null, likelyStep: null, multiple: 1 };
const SAME: ItemShape = { step: 0, likelyStep: 0, multiple: 1 };

/** Queries in which work-items of a group differ by their place in dimension 0. */
export const IDS: ReadonlySet<number> = new Set([Op.GLOBAL_ID, Op.LOCAL_ID, Op.GLOBAL_LINEAR_ID, Op.LOCAL_LINEAR_ID]);
/** Sizes that are multiples of the work-items that are taken together. */
const SIZES: ReadonlySet<number> = new Set([Op.GLOBAL_SIZE, Op.LOCAL_SIZE, Op.ENQUEUED_LOCAL_SIZE]);

/** The dimension of a query; 0 where it has none; null: it is known only at run time. */
export function queriedDimension({ operands: [dimension] }: Instruction): number | null {
  if (dimension === undefined) return 0;
  return dimension.kind === "constant" ? dimension.low : null;
}

function powerIn(value: number): number {
  return value === 0 ? MOST_MULTIPLE : Math.min(MOST_MULTIPLE, value & -value);
}

function ofConstant(constant: Constant): ItemShape {
  const value = constant.type.kind === "int" ? smallValue(constant) : null;
  return value === null ? SAME : { ...SAME, multiple: powerIn(value) };
}

function sum(left: number | null, right: number | null, factor: number): number | null {
  return left === null || right === null ? null : left + factor * right;
}

/** The shapes of a kernel's values. */
export class ItemShapes {
  private readonly shapes = new Map<Value, ItemShape>();
  private readonly items: number;

  /** `order`: its blocks in reverse postorder. `items`: work-items that are taken together, a power of two. */
  constructor(fn: IrFunction, order: readonly Block[], items: number) {
    this.items = items;
    fn.parameters.forEach((parameter, i) => {
      const isPointer = fn.kernel?.arguments[i]?.kind === "pointer";
      this.shapes.set(parameter, { ...SAME, multiple: isPointer ? MOST_MULTIPLE : 1 });
    });
    for (const block of order) this.ofBlock(block);
  }

  /** The shape of a value. */
  of(value: Value): ItemShape {
    return value.kind === "constant" ? ofConstant(value) : (this.shapes.get(value) ?? UNKNOWN);
  }

  /** True for what is the same for all work-items that are taken together. */
  isSame(value: Value): boolean {
    return this.of(value).step === 0;
  }

  private ofBlock(block: Block): void {
    for (const parameter of block.parameters) if (!this.shapes.has(parameter)) this.shapes.set(parameter, UNKNOWN);
    for (const instruction of block.instructions) {
      this.shapes.set(instruction, this.ofInstruction(instruction));
      // All work-items go the same way: a parameter is the same where all that is passed is.
      instruction.successors.forEach((target, edge) => {
        target.parameters.forEach((parameter, i) => {
          const passed = this.of(instruction.successorArguments[edge]?.[i] as Value);
          const before = this.shapes.get(parameter);
          const isSame = passed.step === 0 && (before === undefined || before.step === 0);
          this.shapes.set(parameter, isSame ? SAME : UNKNOWN);
        });
      });
    }
  }

  private ofInstruction(instruction: Instruction): ItemShape {
    const { op, operands } = instruction;
    if (IDS.has(op))
      return queriedDimension(instruction) === 0 ? { step: 1, likelyStep: 1, multiple: this.items } : SAME;
    if (SIZES.has(op)) return queriedDimension(instruction) === 0 ? { ...SAME, multiple: this.items } : SAME;
    const rule = RULES.get(op);
    const [left = UNKNOWN, right = SAME] = operands.map((operand) => this.of(operand));
    if (rule !== undefined && instruction.type.kind !== "vector") return rule(left, right, instruction, this.items);
    if (op === Op.ALLOCA || HAS_OWN_RESULT.has(op)) return UNKNOWN;
    return operands.every((operand) => this.isSame(operand)) ? SAME : UNKNOWN;
  }
}

/** What gives each work-item a result of its own. */
const HAS_OWN_RESULT: ReadonlySet<number> = new Set([Op.ATOMIC_LOAD, Op.ATOMIC_RMW, Op.ATOMIC_COMPARE_EXCHANGE]);

type Rule = (left: ItemShape, right: ItemShape, instruction: Instruction, items: number) => ItemShape;

const plus =
  (factor: number): Rule =>
  (left, right) => ({
    step: sum(left.step, right.step, factor),
    likelyStep: sum(left.likelyStep, right.likelyStep, factor),
    multiple: Math.min(left.multiple, right.multiple),
  });

/** A step times what is the same for all work-items, and known. */
function scaled(step: number | null, factor: number | null): number | null {
  if (step === 0) return 0;
  return step === null || factor === null ? null : step * factor;
}

const times: Rule = (left, right, { operands }) => {
  const [a, b] = operands.map((operand) => (operand.kind === "constant" ? smallValue(operand) : null));
  const product = (one: number | null, other: number | null): number | null => {
    if (one === 0 && other === 0) return 0;
    return other === 0 ? scaled(one, b ?? null) : one === 0 ? scaled(other, a ?? null) : null;
  };
  return {
    step: product(left.step, right.step),
    likelyStep: product(left.likelyStep, right.likelyStep),
    multiple: Math.min(MOST_MULTIPLE, left.multiple * right.multiple),
  };
};

const shifted: Rule = (left, right, { operands: [, amount] }) => {
  const known = amount?.kind === "constant" && amount.low < 32 ? amount.low : null;
  if (known === null) return left.step === 0 && right.step === 0 ? SAME : UNKNOWN;
  return {
    step: scaled(left.step, 2 ** known),
    likelyStep: scaled(left.likelyStep, 2 ** known),
    multiple: Math.min(MOST_MULTIPLE, left.multiple * 2 ** Math.min(known, 8)),
  };
};

/** True where the steps of all work-items stay in the low bits. */
function staysLow({ step, multiple }: ItemShape, items: number): boolean {
  return step !== null && step >= 0 && (items - 1) * step < multiple;
}

function widened(value: ItemShape, items: number): ItemShape {
  return { ...value, step: staysLow(value, items) ? value.step : null };
}

const extended: Rule = (value, _, __, items) => widened(value, items);

const address: Rule = (base, index, { operands: [, number], scale, offset }, items) => {
  if (number === undefined) return { ...base, multiple: Math.min(base.multiple, powerIn(offset)) };
  const own = number.type.bits < 64 ? widened(index, items) : index;
  return {
    step: sum(base.step, own.step, scale),
    likelyStep: sum(base.likelyStep, own.likelyStep, scale),
    multiple: Math.min(base.multiple, own.multiple * powerIn(scale), powerIn(offset)),
  };
};

const RULES: ReadonlyMap<number, Rule> = new Map<number, Rule>([
  [Op.ADD, plus(1)],
  [Op.SUB, plus(-1)],
  [Op.MUL, times],
  [Op.SHL, shifted],
  [Op.TRUNC, (value) => value],
  [Op.ZEXT, extended],
  [Op.SEXT, extended],
  [Op.ADDRESS, address],
]);
