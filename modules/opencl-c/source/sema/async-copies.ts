// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies (OpenCL C 6.12.10): the work-items of a group share the elements out and copy at once; waiting for the event is a barrier.
import { I32, LOCAL, Op, type Type, type Value, alignmentOf, constantInt, sizeOf } from "@muxkit/ir";

import type { CType } from "./ctype.ts";
import type { Unit } from "./unit.ts";

/** One copy: pointers, elements, and how far elements of the side in global memory are apart. */
export interface AsyncCopy {
  readonly element: CType;
  readonly target: Value;
  readonly source: Value;
  readonly count: Value;
  /** In elements; null: one. */
  readonly stride: Value | null;
}

/** Work-items of the group. */
function groupSize(unit: Unit): Value {
  const [x, y, z] = [0, 1, 2].map((axis) => unit.builder.workItem(Op.LOCAL_SIZE, I32, constantInt(I32, axis)));
  if (x === undefined || y === undefined || z === undefined) return constantInt(I32, 1);
  return unit.op(Op.MUL, I32, unit.op(Op.MUL, I32, x, y), z);
}

function isLocal(pointer: Value): boolean {
  return pointer.type.kind === "pointer" && pointer.type.addressSpace === LOCAL;
}

/** Writes `for (i = own id; i < count; i += work-items) target[i] = source[i]`. */
export function copyShared(unit: Unit, { element, target, source, count, stride }: AsyncCopy): void {
  const { builder } = unit;
  const type: Type = element.ir;
  const bytes = sizeOf(unit.options.layout, type);
  const alignment = alignmentOf(unit.options.layout, type);
  sharedLoop(unit, count, groupSize(unit), (i) => {
    const far = stride === null ? i : unit.op(Op.MUL, I32, i, stride);
    const place = (pointer: Value): Value => builder.address(pointer, isLocal(pointer) ? i : far, bytes, 0);
    builder.store(builder.load(type, place(source), alignment), place(target), alignment);
  });
}

/** Writes `for (i = own id; i < count; i += step) body(i)`. */
function sharedLoop(unit: Unit, count: Value, step: Value, body: (index: Value) => void): void {
  const { builder } = unit;
  const index = unit.variable(I32, 4, "copied");
  builder.store(builder.workItem(Op.LOCAL_LINEAR_ID, I32, null), index, 4);
  const [head, inside, end] = ["copy.head", "copy.body", "copy.end"].map((name) => unit.newBlock(name));
  if (head === undefined || inside === undefined || end === undefined) return;
  builder.branch(head);
  unit.place(head);
  const i = builder.load(I32, index, 4);
  builder.conditionalBranch(builder.compare(Op.ULT, i, count), inside, end);
  unit.place(inside);
  body(i);
  builder.store(unit.op(Op.ADD, I32, i, step), index, 4);
  builder.branch(head);
  unit.place(end);
}

/** A copy of lines and planes: pointers to bytes, where it begins in them, bytes of an element, and everything else in elements (cl_khr_extended_async_copies). */
export interface BlockCopy {
  readonly target: Value;
  readonly targetAt: Value;
  readonly source: Value;
  readonly sourceAt: Value;
  readonly elementBytes: Value;
  readonly elements: Value;
  readonly lines: Value;
  readonly planes: Value;
  /** From line to line, and from plane to plane. */
  readonly sourceSteps: readonly [line: Value, plane: Value];
  readonly targetSteps: readonly [line: Value, plane: Value];
}

/** Writes a loop in which the work-items share the lines out: `for (i = own id; i < lines * planes; i += work-items) copy line i`. */
export function copyBlock(
  unit: Unit,
  { target, targetAt, source, sourceAt, elementBytes, elements, lines, planes, sourceSteps, targetSteps }: BlockCopy,
): void {
  const { builder } = unit;
  const times = (a: Value, b: Value): Value => unit.op(Op.MUL, I32, a, b);
  const plus = (a: Value, b: Value): Value => unit.op(Op.ADD, I32, a, b);
  const step = groupSize(unit);
  const count = times(lines, planes);
  sharedLoop(unit, count, step, (i) => {
    const y = unit.op(Op.UREM, I32, i, lines);
    const z = unit.op(Op.UDIV, I32, i, lines);
    const place = (pointer: Value, at: Value, [line, plane]: readonly [Value, Value]): Value =>
      builder.address(pointer, times(plus(at, plus(times(y, line), times(z, plane))), elementBytes), 1, 0);
    builder.memoryCopy(
      place(target, targetAt, targetSteps),
      place(source, sourceAt, sourceSteps),
      times(elements, elementBytes),
      1,
    );
  });
}
