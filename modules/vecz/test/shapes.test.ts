// SPDX-License-Identifier: Apache-2.0
// What the divergence analysis says of a value is true of its lanes: random straight-line arithmetic on ints of every
// width, whose steps wrap around, are cut off and are extended, is evaluated once a lane.
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
  LAYOUT_32,
  Op,
  type Type,
  VOID,
  type Value,
  constantBits,
  constantInt,
  evaluate,
  printFunction,
} from "@muxkit/ir";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { Divergence } from "../source/divergence.ts";

const RUNS = Number(process.env["MUXKIT_FUZZ_RUNS"] ?? "3000");
const INTS: readonly Type[] = [I8, I16, I32, I64];
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

/** A parameter: `first << zeros` in lane 0, and `stride` more in each next one. */
const PARAMETER = fc.record({
  first: fc.integer({ min: -9, max: 99 }),
  zeros: fc.nat(8),
  stride: fc.constantFrom(0, 1, 2, 3, 4, -1, 16),
});

/** An instruction on values made before it; `number` is an operand where `isConstant`. */
const STEP = fc.record({
  kind: fc.constantFrom("binary", "binary", "compare", "convert", "convert", "select"),
  op: fc.nat(),
  left: fc.nat(),
  right: fc.nat(),
  isConstant: fc.boolean(),
  isSwapped: fc.boolean(),
  number: fc.oneof(fc.integer({ min: -2, max: 20 }), fc.constantFrom(127, 128, 255, 256, -256, 0xffff), fc.integer()),
});

type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

/** One function as it is built: the values that steps choose from. */
class Steps {
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

  end(): readonly Instruction[] {
    this.builder.return();
    return this.fn.entry.instructions.slice(0, -1);
  }
}

function bits({ low, high }: Constant): bigint {
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

test(
  "lanes differ as their shapes say",
  () => {
    const claims = { uniform: 0, steps: 0, zeros: 0 };
    fc.assert(
      fc.property(
        fc.array(PARAMETER, { minLength: 1, maxLength: 3 }),
        fc.array(STEP, { minLength: 1, maxLength: 16 }),
        fc.constantFrom(2, 4, 8, 16),
        (parameters, steps, width) => {
          const made = new Steps(parameters.length);
          for (const step of steps) made.add(step);
          const instructions = made.end();
          const { fn } = made;
          const divergence = new Divergence(fn, fn.entry, {
            width,
            layout: LAYOUT_32,
            axis: 0,
            parameters: new Map(
              fn.parameters.map((parameter, i) => [
                parameter,
                { shape: parameters[i]?.stride ?? null, lowZeros: parameters[i]?.zeros ?? 0 },
              ]),
            ),
            assumed: new Map(),
            interleaved: new Set(),
            isSubGroup: false,
          });
          const lanes = Array.from({ length: width }, (_, lane) => {
            const known = new Map<Value, Constant>(
              fn.parameters.map((parameter, i) => {
                const { first, zeros, stride } = parameters[i] ?? { first: 0, zeros: 0, stride: 0 };
                return [parameter, constantInt(I32, (first << zeros) + lane * stride)];
              }),
            );
            for (const instruction of instructions) {
              const operands = instruction.operands.map((value) =>
                value.kind === "constant" ? value : known.get(value),
              );
              const result = evaluate(
                instruction.op,
                instruction.type,
                operands.filter((value) => value !== undefined),
              );
              if (result === null) throw new Error("an op is not evaluated");
              known.set(instruction, result);
            }
            return known;
          });
          for (const instruction of instructions) {
            const shape = divergence.shapeOf(instruction);
            const zeros = divergence.lowZeros(instruction);
            const values = lanes.map((known) => bits(known.get(instruction) ?? constantInt(I32, 0)));
            const [first = 0n] = values;
            const about = `%${instructions.indexOf(instruction) + fn.parameters.length}, ${width} lanes\n${printFunction(fn)}`;
            expect(first & ((1n << BigInt(zeros)) - 1n), `${zeros} low zeros of ${about}`).toBe(0n);
            if (zeros > 0) claims.zeros++;
            if (shape === null) continue;
            claims[shape === 0 ? "uniform" : "steps"]++;
            expect(values, `shape ${shape} of ${about}`).toEqual(
              values.map((_, lane) => BigInt.asUintN(instruction.type.bits, first + BigInt(lane) * BigInt(shape))),
            );
          }
        },
      ),
      { numRuns: RUNS },
    );
    expect(Math.min(claims.uniform, claims.steps, claims.zeros)).toBeGreaterThan(RUNS / 2);
  },
  30_000 + RUNS * 20,
);
