// SPDX-License-Identifier: Apache-2.0
// Shapes of group operations where the lanes are a sub-group, and the constants that lanes have when a value depends on
// nothing but their lane number.
import { type Instruction, Op, type Value } from "@muxkit/ir";

import type { Shape } from "./shape.ts";

/** Facts about operands. */
interface OperandFrame {
  readonly width: number;
  readonly shapeOf: (value: Value) => Shape;
}

type GroupShape = (instruction: Instruction, frame: OperandFrame) => Shape;

const uniform: GroupShape = () => 0;
const varying: GroupShape = () => null;

/** Lanes of a cluster; without clusters, those of the sub-group. */
export function clusterOf({ operands }: Instruction, width: number): number {
  const [, cluster] = operands;
  return cluster?.kind === "constant" ? Math.min(width, cluster.low) : width;
}

const GROUP_SHAPES: Readonly<Record<number, GroupShape>> = {
  [Op.GROUP_ALL]: uniform,
  [Op.GROUP_ANY]: uniform,
  // All lanes that take part name the same lane.
  [Op.GROUP_BROADCAST]: uniform,
  [Op.GROUP_SHUFFLE]: ({ operands: [, id] }, { shapeOf }) => (id !== undefined && shapeOf(id) === 0 ? 0 : null),
  [Op.GROUP_BROADCAST_FIRST]: uniform,
  [Op.GROUP_BALLOT]: uniform,
  [Op.GROUP_REDUCE]: (instruction, { width }) => (clusterOf(instruction, width) === width ? 0 : null),
  [Op.GROUP_SCAN_INCLUSIVE]: varying,
  [Op.GROUP_SCAN_EXCLUSIVE]: varying,
};

/** The shape of a group operation's result. */
export function groupShape(instruction: Instruction, frame: OperandFrame): Shape {
  const row = GROUP_SHAPES[instruction.op];
  return row === undefined ? null : row(instruction, frame);
}

/** 32-bit ops on lane numbers that are evaluated here. */
const COMPUTED: Readonly<Record<number, (left: number, right: number) => number>> = {
  [Op.ADD]: (left, right) => left + right,
  [Op.SUB]: (left, right) => left - right,
  [Op.MUL]: (left, right) => Math.imul(left, right),
  [Op.AND]: (left, right) => left & right,
  [Op.OR]: (left, right) => left | right,
  [Op.XOR]: (left, right) => left ^ right,
};

/** Facts about values whose lane constants are computed. */
interface NumberFrame extends OperandFrame {
  readonly zerosOf: (value: Value) => number;
}

/** The constant of each lane, where a value depends on nothing but the lane number; null: it depends on more. */
export function laneNumbers(value: Value, frame: NumberFrame): readonly number[] | null {
  const { width, shapeOf, zerosOf } = frame;
  if (value.kind === "constant")
    return value.lanes.length > 0 ? null : Array.from({ length: width }, () => value.low >>> 0);
  if (value.kind !== "instruction" || value.type.kind !== "int" || value.type.bits !== 32) return null;
  const [left, right] = value.operands;
  const compute = COMPUTED[value.op];
  if (compute === undefined || left === undefined || right === undefined) return null;
  if (value.op === Op.AND && right.kind === "constant") {
    // The bits are zero in lane 0, so that only the steps from lane to lane remain.
    const step = shapeOf(left);
    if (step !== null && right.low >>> 0 < 2 ** zerosOf(left))
      return Array.from({ length: width }, (_, lane) => (Math.imul(lane, step) & right.low) >>> 0);
  }
  const [a, b] = [laneNumbers(left, frame), laneNumbers(right, frame)];
  return a === null || b === null ? null : a.map((number, lane) => compute(number, b[lane] ?? 0) >>> 0);
}
