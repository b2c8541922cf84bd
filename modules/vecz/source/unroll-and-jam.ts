// SPDX-License-Identifier: Apache-2.0
// Unroll-and-jam over work-items: a function for one work-item becomes one for a few work-items along a second
// dimension, before the first is vectorised. Loads and arithmetic that these rows share are done once, everything else
// once a row (Carr and Kennedy 1994, unroll-and-jam for register reuse; here the outer loop is the NDRange).
//
//   f(x, y): a = A[y][k]; b = B[k][x]; s += a * b
//   =>  f4(x, y): b = B[k][x]; for r in 0..3: a_r = A[y + r][k]; s_r += a_r * b
//
// All rows run through one control flow: the divergence analysis along the second dimension must find no divergent
// branch or loop. Where comparisons stand in the way, a test for rows that agree is written instead (assumptions.ts);
// where that fails there is no such variant. Phases: analyse, then one walk over blocks that writes each instruction
// once (uniform) or once a row. Cost: linear in instructions times rows.
import { assert } from "@muxkit/cargo";
import {
  type Block,
  Builder,
  type DataLayout,
  type Instruction,
  IrFunction,
  Op,
  type Parameter,
  VOID,
  VOLATILE,
  type Value,
  cloneFunction,
  cloneInstruction,
  constantInt,
  hasEffect,
  isPointer,
} from "@muxkit/ir";

import { type AssumedShapes, type Assumptions, NO_ASSUMPTIONS, findAssumptions, writerOf } from "./assumptions.ts";
import { Divergence, type ParameterFacts } from "./divergence.ts";
import { normalize } from "./normalize.ts";
import { VARYING } from "./shape.ts";

/** How to unroll and jam a function. @public */
export interface UnrollAndJamRequest {
  /** Rows: 2 or more. */
  readonly rows: number;
  /** Sizes of types. */
  readonly layout: DataLayout;
  /** Dimension in which rows follow one another. */
  readonly axis: number;
  /** Parameters that differ from row to row by strides, by their position. */
  readonly parameters: ReadonlyMap<number, ParameterFacts>;
  /** Parameters whose difference from row to row is another parameter: the positions of both. */
  readonly steps: ReadonlyMap<number, number>;
  /** Positions of parameters that a test must not use: their values are not known before the rows run. */
  readonly unknown: ReadonlySet<number>;
  /** Name of the function for all rows. */
  readonly name: string;
}

/** A function for several rows. @public */
export interface JammedFunction {
  /** The function, which is in no module yet. Its parameters are those of the first row. */
  readonly fn: IrFunction;
  /** Writes the test that rows must pass; null: they never diverge. */
  readonly writeTest: ((builder: Builder, values: readonly Value[]) => Value) | null;
}

/** Analysis of a function's rows that do not diverge. */
interface Rows {
  readonly divergence: Divergence;
  readonly assumptions: Assumptions | null;
}

function together({ branches, loops, isTractable }: Divergence): boolean {
  return isTractable && branches.size === 0 && loops.size === 0;
}

/** Analyses rows, and finds a test under which they do not diverge; null: there is none. */
function analyseRows(
  fn: IrFunction,
  exit: Block,
  { rows, layout, axis, parameters, steps, unknown }: UnrollAndJamRequest,
): Rows | null {
  const facts = new Map<Parameter, ParameterFacts>();
  for (const [index, one] of parameters) {
    const parameter = fn.parameters[index];
    if (parameter !== undefined) facts.set(parameter, one);
  }
  for (const index of steps.keys()) {
    const parameter = fn.parameters[index];
    if (parameter !== undefined) facts.set(parameter, { shape: VARYING, lowZeros: 0 });
  }
  const analyse = (assumed: AssumedShapes): Divergence =>
    new Divergence(fn, exit, {
      width: rows,
      layout,
      axis,
      parameters: facts,
      assumed,
      interleaved: new Set(),
      isSubGroup: false,
      areVariablesApart: true,
    });
  const divergence = analyse(NO_ASSUMPTIONS);
  if (!divergence.isTractable) return null;
  if (together(divergence)) return { divergence, assumptions: null };
  const isKnown = (parameter: Parameter): boolean => !unknown.has(fn.parameters.indexOf(parameter));
  const assumptions = findAssumptions(divergence, rows, analyse, { isKnown, areBlocksSplit: false });
  if (assumptions === null) return null;
  const assumed = analyse(assumptions.assumed);
  return together(assumed) ? { divergence: assumed, assumptions } : null;
}

/** Writes a function's blocks for all rows. */
class RowWriter {
  private readonly rows: number;
  private readonly divergence: Divergence;
  private readonly out: IrFunction;
  private readonly blocks = new Map<Block, Block>();
  /** The value of each row; one entry: it is uniform. */
  private readonly values = new Map<Value, readonly Value[]>();

  constructor(rows: number, divergence: Divergence, out: IrFunction) {
    this.rows = rows;
    this.divergence = divergence;
    this.out = out;
  }

  write(steps: ReadonlyMap<number, number>): void {
    const { divergence, out } = this;
    const { order } = divergence.dominators;
    for (const block of order) {
      const made = out.addBlock(block.name);
      made.unroll = block.unroll;
      this.blocks.set(block, made);
    }
    for (const block of order) {
      const builder = new Builder(this.blockOf(block));
      if (block === divergence.fn.entry) {
        divergence.fn.parameters.forEach((parameter, i) => {
          const own = out.parameters[i];
          assert(own !== undefined, "the same parameters");
          this.setFirst(builder, parameter, own);
        });
        for (const [index, by] of steps) this.setSteps(builder, index, by);
      }
      for (const parameter of block.parameters) this.addParameter(builder, parameter);
    }
    for (const block of order) {
      const builder = new Builder(this.blockOf(block));
      for (const instruction of block.instructions) {
        builder.location = instruction.location;
        if (instruction.isTerminator) this.terminator(builder, instruction);
        else this.instruction(builder, instruction);
      }
    }
  }

  private blockOf(block: Block): Block {
    const made = this.blocks.get(block);
    assert(made !== undefined, "every block has been made");
    return made;
  }

  private shape(value: Value): number | null {
    return value.kind === "constant" ? 0 : this.divergence.shapeOf(value);
  }

  /** True for values that are computed for row 0 alone: uniform, or in steps. */
  private isStepped(value: Value): boolean {
    const shape = this.shape(value);
    return (
      shape !== null && shape !== 0 && ((value.type.kind === "int" && value.type.bits > 1) || isPointer(value.type))
    );
  }

  private isShared(value: Value): boolean {
    return this.shape(value) === 0;
  }

  private valueOf(value: Value, row: number): Value {
    if (value.kind === "constant") return value;
    const list = this.values.get(value);
    const own = list?.[list.length === 1 ? 0 : row];
    assert(own !== undefined, () => `${value.name} has been written for row ${row}`);
    return own;
  }

  /** Sets a value by row 0. */
  private setFirst(builder: Builder, value: Value, first: Value): void {
    const step = this.shape(value) ?? 0;
    if (step === 0) {
      this.values.set(value, [first]);
      return;
    }
    const others = Array.from({ length: this.rows - 1 }, (_, i) => {
      const distance = step * (i + 1);
      return isPointer(first.type)
        ? builder.address(first, null, 0, distance)
        : builder.same(Op.ADD, first, constantInt(first.type, distance));
    });
    this.values.set(value, [first, ...others]);
  }

  /** Sets a parameter of the function whose step is another parameter. */
  private setSteps(builder: Builder, index: number, by: number): void {
    const [source, first, step] = [
      this.divergence.fn.parameters[index],
      this.out.parameters[index],
      this.out.parameters[by],
    ];
    assert(source !== undefined && first !== undefined && step !== undefined, "parameters stand at their positions");
    const list: Value[] = [first];
    for (let row = 1; row < this.rows; row++) list.push(builder.same(Op.ADD, list[row - 1] ?? first, step));
    this.values.set(source, list);
  }

  private addParameter(builder: Builder, parameter: Parameter): void {
    const { block } = builder;
    const add = (): Value => block.addParameter(parameter.type, parameter.name);
    if (this.isShared(parameter) || this.isStepped(parameter)) this.setFirst(builder, parameter, add());
    else this.values.set(parameter, Array.from({ length: this.rows }, add));
  }

  private copy(builder: Builder, instruction: Instruction, row: number): Value {
    const copy = cloneInstruction(instruction);
    copy.operands = instruction.operands.map((value) => this.valueOf(value, row));
    return builder.insert(copy);
  }

  private instruction(builder: Builder, instruction: Instruction): void {
    const { op, type, flags, operands } = instruction;
    const isSame = operands.every((value) => this.isShared(value));
    if (op === Op.DEBUG_VALUE) {
      if (isSame) this.copy(builder, instruction, 0);
      return;
    }
    if (type === VOID) {
      // What all rows store to one address is stored once.
      const count = op === Op.STORE && isSame && (flags & VOLATILE) === 0 ? 1 : this.rows;
      for (let row = 0; row < count; row++) this.copy(builder, instruction, row);
      return;
    }
    if (this.isShared(instruction) || (this.isStepped(instruction) && hasEffect(op, "s")))
      this.setFirst(builder, instruction, this.copy(builder, instruction, 0));
    else
      this.values.set(
        instruction,
        Array.from({ length: this.rows }, (_, row) => this.copy(builder, instruction, row)),
      );
  }

  private terminator(builder: Builder, instruction: Instruction): void {
    const copy = cloneInstruction(instruction);
    copy.operands = instruction.operands.map((value) => this.valueOf(value, 0));
    copy.successors = instruction.successors.map((block) => this.blockOf(block));
    copy.successorArguments = instruction.successors.map((target, edge) =>
      target.parameters.flatMap((parameter, i) => {
        const given = instruction.successorArguments[edge]?.[i];
        assert(given !== undefined, "a value for each parameter");
        const isOne = this.isShared(parameter) || this.isStepped(parameter);
        return isOne
          ? [this.valueOf(given, 0)]
          : Array.from({ length: this.rows }, (_, row) => this.valueOf(given, row));
      }),
    );
    builder.insert(copy);
  }
}

/**
 * Makes the variant of a function for several rows; the function is not changed. Null: rows may diverge in a way that
 * no test finds beforehand, or they return different values.
 *
 * @public
 */
export function unrollAndJam(source: IrFunction, request: UnrollAndJamRequest): JammedFunction | null {
  const fn = cloneFunction(source, source.name);
  const exit = normalize(fn);
  if (exit === null) return null;
  const found = analyseRows(fn, exit, request);
  if (found === null) return null;
  const { divergence, assumptions } = found;
  const [result] = exit.terminator.operands;
  if (result !== undefined && result.kind !== "constant" && divergence.shapeOf(result) !== 0) return null;
  const out = new IrFunction(
    request.name,
    fn.returnType,
    fn.parameters.map(({ name, type }) => ({ name, type })),
  );
  out.inline = fn.inline;
  out.convention = fn.convention;
  new RowWriter(request.rows, divergence, out).write(request.steps);
  return { fn: out, writeTest: assumptions === null ? null : writerOf(assumptions.write, fn) };
}
