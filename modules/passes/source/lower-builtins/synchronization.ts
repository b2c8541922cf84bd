// SPDX-License-Identifier: Apache-2.0
// Barriers and fences (OpenCL C 6.15.8), and asynchronous copies (6.15.11): the work-items of a group share the
// elements out and copy at once; waiting for the event is a barrier.
import {
  I32,
  LOCAL,
  ORDER_GLOBAL,
  ORDER_IMAGE,
  ORDER_LOCAL,
  Op,
  type Scope,
  type Value,
  alignmentOf,
  constantInt,
  constantZero,
  sizeOf,
} from "@muxkit/ir";

import { type BuiltinCall, type Lowering, NOTHING, at, opOf, parameterAt } from "./call.ts";
import { sizeType } from "./sizes.ts";
import type { BuiltinType } from "./types.ts";
import type { Writer } from "./writer.ts";

/** A query of a work-item's place, or of a size. */
export const workItem: Lowering = ({ writer, detail, type, operands: [dimension = null] }) =>
  writer.builder.workItem(opOf(detail), type, dimension);

/** A barrier of a scope; flags that are no constant mean all memory. */
export const barrier =
  (scope: Scope): Lowering =>
  (call) => {
    const flags = at(call, 0);
    const memory = flags.kind === "constant" ? flags.low : ORDER_LOCAL | ORDER_GLOBAL | ORDER_IMAGE;
    call.writer.builder.barrier(scope, memory);
    return NOTHING;
  };

/** A fence of OpenCL C 1.x. */
export const fence: Lowering = ({ writer }) => {
  writer.builder.fence("acq_rel", "work_group");
  return NOTHING;
};

/** All copies of a group are complete at the next wait. */
export const waitEvents: Lowering = ({ writer }) => {
  writer.builder.barrier("work_group", ORDER_LOCAL | ORDER_GLOBAL);
  return NOTHING;
};

/** Work-items of the group. */
function groupSize(writer: Writer): Value {
  const size = sizeType(writer);
  const [x, y, z] = [0, 1, 2].map((axis) => writer.builder.workItem(Op.LOCAL_SIZE, size, constantInt(I32, axis))) as [
    Value,
    Value,
    Value,
  ];
  return writer.op(Op.MUL, size, writer.op(Op.MUL, size, x, y), z);
}

/** Writes `for (i = own id; i < count; i += step) body(i)`. */
function sharedLoop(writer: Writer, count: Value, step: Value, body: (index: Value) => void): void {
  const { builder } = writer;
  const size = sizeType(writer);
  const bytes = size.bits / 8;
  const index = writer.variable(size, bytes, "copied");
  builder.store(builder.workItem(Op.LOCAL_LINEAR_ID, size, null), index, bytes);
  const [head, inside, end] = [writer.newBlock("copy.head"), writer.newBlock("copy.body"), writer.newBlock("copy.end")];
  builder.branch(head);
  writer.startBlock(head);
  const i = builder.load(size, index, bytes);
  builder.conditionalBranch(builder.compare(Op.ULT, i, count), inside, end);
  writer.startBlock(inside);
  body(i);
  builder.store(writer.op(Op.ADD, size, i, step), index, bytes);
  builder.branch(head);
  writer.startBlock(end);
}

function isLocal({ type }: Value): boolean {
  return type.kind === "pointer" && type.addressSpace === LOCAL;
}

/**
 * Writes `for (i = own id; i < count; i += work-items) target[i] = source[i]`; in global memory elements are `stride`
 * apart, null: one.
 */
function copyElements(call: BuiltinCall, element: BuiltinType, stride: Value | null): void {
  const { writer } = call;
  const { builder, layout } = writer;
  const [target, source, count] = [at(call, 0), at(call, 1), at(call, 2)];
  const { ir } = element;
  const bytes = sizeOf(layout, ir);
  const alignment = alignmentOf(layout, ir);
  sharedLoop(writer, count, groupSize(writer), (i) => {
    const far = stride === null ? i : writer.op(Op.MUL, i.type, i, stride);
    const addressIn = (pointer: Value): Value => builder.address(pointer, isLocal(pointer) ? i : far, bytes, 0);
    builder.store(builder.load(ir, addressIn(source), alignment), addressIn(target), alignment);
  });
}

/**
 * Writes a loop in which the work-items share lines out:
 * `for (i = own id; i < lines * planes; i += work-items) copy line i`.
 * Pointers are to bytes; everything else is in elements (cl_khr_extended_async_copies).
 */
function copyLines(call: BuiltinCall, isSolid: boolean): void {
  const { writer } = call;
  const { builder } = writer;
  const size = sizeType(writer);
  const single = constantInt(size, 1);
  const rest = (index: number): Value => at(call, index);
  const [target, targetAt, source, sourceAt] = [at(call, 0), rest(1), at(call, 2), rest(3)];
  const [elementBytes, elements, lines] = [rest(4), rest(5), rest(6)];
  const planes = isSolid ? rest(7) : single;
  const sourceSteps: readonly [Value, Value] = isSolid ? [rest(8), rest(9)] : [rest(7), single];
  const targetSteps: readonly [Value, Value] = isSolid ? [rest(10), rest(11)] : [rest(8), single];
  const times = (a: Value, b: Value): Value => writer.op(Op.MUL, size, a, b);
  const plus = (a: Value, b: Value): Value => writer.op(Op.ADD, size, a, b);
  const step = groupSize(writer);
  const count = times(lines, planes);
  sharedLoop(writer, count, step, (i) => {
    const y = writer.op(Op.UREM, size, i, lines);
    const z = writer.op(Op.UDIV, size, i, lines);
    const addressIn = (pointer: Value, start: Value, [line, plane]: readonly [Value, Value]): Value =>
      builder.address(pointer, times(plus(start, plus(times(y, line), times(z, plane))), elementBytes), 1, 0);
    builder.memoryCopy(
      addressIn(target, targetAt, targetSteps),
      addressIn(source, sourceAt, sourceSteps),
      times(elements, elementBytes),
      1,
    );
  });
}

/** async_work_group_copy and its variants. Gives the event that was given, or the null event. */
export const asyncCopy: Lowering = (call) => {
  const { detail, operands, type } = call;
  if (detail === "2D2D" || detail === "3D3D") copyLines(call, detail === "3D3D");
  else {
    const element = parameterAt(call, 0).target ?? call.generic;
    copyElements(call, element, detail === "strided" ? at(call, 3) : null);
  }
  return operands.at(-1) ?? constantZero(type);
};
