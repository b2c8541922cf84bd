// SPDX-License-Identifier: Apache-2.0
// Random straight-line arithmetic on ints of every width, as fast-check shrinks it, and its values by evaluation: what
// the property tests of analyses hold their claims against.
import {
  Builder,
  type Constant,
  I1,
  I16,
  I32,
  I64,
  I8,
  type Instruction,
  IrFunction,
  Op,
  type Type,
  VOID,
  type Value,
  constantBits,
  constantInt,
  evaluate,
} from "@muxkit/ir";
import * as fc from "fast-check";

/** Programs that a test tries. */
export const RUNS: number = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "3000");
/** Time that they may take, in ms. */
export const TIME_LIMIT: number = 30_000 + RUNS * 20;
/** Most steps of a program. */
export const MOST_STEPS = 16;

const INTS: readonly Type[] = [I8, I16, I32, I64];
/** Ops of two ints of one width. */
const BINARY: readonly number[] = [
  Op.ADD,
  Op.SUB,
  Op.MUL,
  Op.SHL,
  Op.LSHR,
  Op.ASHR,
  Op.AND,
  Op.OR,
  Op.XOR,
  Op.UDIV,
  Op.UREM,
  Op.SDIV,
  Op.SREM,
  Op.SMIN,
  Op.UMAX,
];
const COMPARISONS: readonly number[] = [Op.EQ, Op.NE, Op.ULT, Op.ULE, Op.UGT, Op.UGE, Op.SLT, Op.SLE, Op.SGT, Op.SGE];

/** An instruction on values made before it; `number` is an operand where `isConstant`. */
export const STEP = fc.record({
  kind: fc.constantFrom("binary", "binary", "compare", "convert", "convert", "select"),
  op: fc.nat(),
  left: fc.nat(),
  right: fc.nat(),
  isConstant: fc.boolean(),
  isSwapped: fc.boolean(),
  number: fc.oneof(fc.integer({ min: -2, max: 20 }), fc.constantFrom(127, 128, 255, 256, -256, 0xffff), fc.integer()),
});

/** An instruction of {@link Arithmetic}. */
type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

/** One function of i32 parameters as it is built: steps choose from the values before them. */
class Arithmetic {
  readonly fn: IrFunction;
  private readonly builder: Builder;
  private readonly pool: Value[];

  constructor(parameters: number) {
    this.fn = new IrFunction(
      "f",
      VOID,
      Array.from({ length: parameters }, () => ({ type: I32, name: "" })),
    );
    this.builder = new Builder(this.fn.addBlock("entry"));
    this.pool = [...this.fn.parameters];
  }

  private pick(types: readonly Type[], choice: number): Value | null {
    const known = this.pool.filter(({ type }) => types.includes(type));
    return known[choice % known.length] ?? null;
  }

  add(step: Step): void {
    const left = this.pick(INTS, step.left);
    if (left === null) return;
    const other = step.isConstant ? null : this.pick([left.type], step.right);
    const right = other ?? constantBits(left.type, step.number, step.number >> 31);
    const [a, b] = step.isSwapped ? [right, left] : [left, right];
    const made = this.make(step, a, b);
    if (made !== null) this.pool.push(made);
  }

  private make({ kind, op, right }: Step, a: Value, b: Value): Instruction | null {
    const { builder } = this;
    if (kind === "binary") return builder.same(BINARY[op % BINARY.length] ?? Op.ADD, a, b);
    if (kind === "compare") return builder.compare(COMPARISONS[op % COMPARISONS.length] ?? Op.EQ, a, b);
    if (kind === "select") {
      const condition = this.pick([I1], right);
      return condition === null ? null : builder.select(condition, a, b);
    }
    const to = [I1, ...INTS][op % (INTS.length + 1)] ?? I32;
    if (to.bits === a.type.bits) return null;
    return builder.convert(to.bits < a.type.bits ? Op.TRUNC : op % 2 === 0 ? Op.ZEXT : Op.SEXT, a, to);
  }

  /** Ends the function; its instructions without the return. */
  end(): readonly Instruction[] {
    this.builder.return();
    return this.fn.entry.instructions.slice(0, -1);
  }
}

/** A function of some steps, and its instructions. */
export function arithmeticOf(
  parameters: number,
  steps: readonly Step[],
): { readonly fn: IrFunction; readonly instructions: readonly Instruction[] } {
  const made = new Arithmetic(parameters);
  for (const step of steps) made.add(step);
  return { fn: made.fn, instructions: made.end() };
}

/** The value of each parameter and instruction of such a function. */
export function valuesOf(
  { fn, instructions }: ReturnType<typeof arithmeticOf>,
  given: readonly Constant[],
): ReadonlyMap<Value, Constant> {
  const known = new Map<Value, Constant>(
    fn.parameters.map((parameter, i) => [parameter, given[i] ?? constantBits(parameter.type, 0)]),
  );
  for (const instruction of instructions) {
    const operands = instruction.operands.map((value) => (value.kind === "constant" ? value : known.get(value)));
    const result = evaluate(
      instruction.op,
      instruction.type,
      operands.filter((value) => value !== undefined),
    );
    if (result === null) throw new Error("an op is not evaluated");
    known.set(instruction, result);
  }
  return known;
}

/**
 * Checks random functions and the values that they compute from random ints; `checked` says how many claims of an
 * analysis it held against them. Returns their number.
 */
export function countClaims(
  runs: number,
  checked: (fn: IrFunction, values: ReadonlyMap<Value, Constant>) => number,
): number {
  let claims = 0;
  fc.assert(
    fc.property(
      fc.array(fc.integer(), { minLength: 1, maxLength: 3 }),
      fc.array(STEP, { minLength: 1, maxLength: MOST_STEPS }),
      (given, steps) => {
        const made = arithmeticOf(given.length, steps);
        const values = valuesOf(
          made,
          given.map((number) => constantInt(I32, number)),
        );
        claims += checked(made.fn, values);
      },
    ),
    { numRuns: runs },
  );
  return claims;
}

/** The bits of a scalar, unsigned. */
export function bitsOfScalar({ low, high }: Constant): bigint {
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}
