// SPDX-License-Identifier: Apache-2.0
// Collective functions of work-groups and sub-groups (OpenCL C 6.15.16, 6.15.17 and the extensions cl_khr_subgroup_*)
// as group operations. The row's key has the scope, the operation and how it combines; `together` at its end means that
// those work-items take part that come to the call together.
import {
  type AtomicKind,
  I1,
  I32,
  Op,
  type Scope,
  type Value,
  constantInt,
  constantZero,
  vectorType,
} from "@muxkit/ir";

import { type BuiltinCall, type Lowering, at, fromTruth } from "./call.ts";
import { localSize, narrowed } from "./sizes.ts";

/** A call with the words of its row read. */
interface Collective extends BuiltinCall {
  readonly scope: Scope;
  readonly how: string;
  readonly isUniform: boolean;
}

function groupOp(call: Collective, op: number, operands: readonly Value[], kind: AtomicKind = "exchange"): Value {
  const type = op === Op.GROUP_BALLOT ? vectorType(I32, 4) : (operands[0]?.type ?? I32);
  return call.writer.builder.group(op, type, operands, call.scope, call.isUniform, kind);
}

/** An i1: whether an argument is not zero. */
function truth(call: BuiltinCall, index: number): Value {
  const value = at(call, index);
  return call.writer.op(Op.NE, I1, value, constantZero(value.type));
}

function fromBit(call: BuiltinCall, bit: Value): Value {
  return fromTruth(call.writer, bit, call.type);
}

/** Local ids in one to three dimensions as one. */
function linearId(call: BuiltinCall): Value {
  const { writer, operands } = call;
  const id32 = (index: number): Value => narrowed(writer, at(call, index));
  let id = id32(operands.length - 1);
  for (let axis = operands.length - 3; axis >= 0; axis--)
    id = writer.op(Op.ADD, I32, writer.op(Op.MUL, I32, id, localSize(writer, axis)), id32(axis + 1));
  return id;
}

/** The kind that a word such as `min` means for a type. */
function kindOf({ generic }: BuiltinCall, word: string): AtomicKind {
  if (generic.kind === "float") return `f${word}` as AtomicKind;
  if (word !== "min" && word !== "max") return word as AtomicKind;
  return `${generic.isSigned ? "s" : "u"}${word}` as AtomicKind;
}

/** A reduction or a scan, of clusters where a second argument says their size. */
function combine(call: Collective, op: number): Value {
  const { how, operands: given, writer } = call;
  const operands = (value: Value): Value[] => (given.length > 1 ? [value, at(call, 1)] : [value]);
  if (how.startsWith("logical_"))
    return fromBit(call, groupOp(call, op, operands(truth(call, 0)), how.slice("logical_".length) as AtomicKind));
  const made = groupOp(call, op, operands(at(call, 0)), kindOf(call, how));
  if (made.kind === "instruction" && made.type.kind === "float") made.flags |= writer.builder.floatFlags;
  return made;
}

/** Whose value a shuffle takes, by its name's end. */
const SOURCES: Readonly<Record<string, (call: BuiltinCall, id: Value) => Value>> = {
  "": (call) => at(call, 1),
  xor: (call, id) => call.writer.op(Op.XOR, I32, id, at(call, 1)),
  up: (call, id) => call.writer.op(Op.SUB, I32, id, at(call, 1)),
  down: (call, id) => call.writer.op(Op.ADD, I32, id, at(call, 1)),
  rotate: (call, id) => {
    const { writer } = call;
    const size = writer.builder.workItem(Op.MAX_SUB_GROUP_SIZE, I32, null);
    const rest = writer.op(Op.SREM, I32, writer.op(Op.ADD, I32, id, at(call, 1)), size);
    const isNegative = writer.op(Op.SLT, I1, rest, constantInt(I32, 0));
    return writer.op(Op.SELECT, I32, isNegative, writer.op(Op.ADD, I32, rest, size), rest);
  },
  clustered: (call, id) => {
    const { writer } = call;
    const within = writer.op(Op.SUB, I32, at(call, 2), constantInt(I32, 1));
    const moved = writer.op(Op.AND, I32, writer.op(Op.ADD, I32, id, at(call, 1)), within);
    const outside = writer.op(Op.XOR, I32, within, constantInt(I32, -1));
    return writer.op(Op.OR, I32, writer.op(Op.AND, I32, id, outside), moved);
  },
};

const subGroupId = ({ writer }: BuiltinCall): Value => writer.builder.workItem(Op.SUB_GROUP_LOCAL_ID, I32, null);

const OPERATIONS: Readonly<Record<string, (call: Collective) => Value>> = {
  vote: (call) =>
    fromBit(call, groupOp(call, call.how === "group_all" ? Op.GROUP_ALL : Op.GROUP_ANY, [truth(call, 0)])),
  broadcast: (call) =>
    groupOp(call, Op.GROUP_BROADCAST, [at(call, 0), call.scope === "work_group" ? linearId(call) : at(call, 1)]),
  reduce: (call) => combine(call, Op.GROUP_REDUCE),
  scan_inclusive: (call) => combine(call, Op.GROUP_SCAN_INCLUSIVE),
  scan_exclusive: (call) => combine(call, Op.GROUP_SCAN_EXCLUSIVE),
  elect: (call) => {
    const id = subGroupId(call);
    return fromBit(call, call.writer.op(Op.EQ, I1, groupOp(call, Op.GROUP_BROADCAST_FIRST, [id]), id));
  },
  all_equal: (call) => {
    const value = at(call, 0);
    const first = groupOp(call, Op.GROUP_BROADCAST_FIRST, [value]);
    const isSame = call.writer.op(call.generic.kind === "float" ? Op.FEQ : Op.EQ, I1, value, first);
    return fromBit(call, groupOp(call, Op.GROUP_ALL, [isSame]));
  },
  first: (call) => groupOp(call, Op.GROUP_BROADCAST_FIRST, [at(call, 0)]),
  ballot: (call) => groupOp(call, Op.GROUP_BALLOT, [truth(call, 0)]),
  shuffle: (call) => {
    const source = (SOURCES[call.how] ?? SOURCES[""])?.(call, subGroupId(call)) ?? at(call, 1);
    return groupOp(call, Op.GROUP_SHUFFLE, [at(call, 0), source]);
  },
};

/** A collective function. */
export const groupFunction: Lowering = (call) => {
  const [scope, operation = "", ...rest] = call.detail.split(" ");
  const isUniform = rest.at(-1) !== "together";
  const how = (isUniform ? rest : rest.slice(0, -1))[0] ?? "";
  const write = OPERATIONS[operation];
  if (write === undefined) return null;
  return write({ ...call, scope: scope === "work_group" ? "work_group" : "sub_group", how, isUniform });
};
