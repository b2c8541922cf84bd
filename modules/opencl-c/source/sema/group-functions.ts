// SPDX-License-Identifier: Apache-2.0
// Collective functions of work-groups and sub-groups (OpenCL C 6.15.16, 6.15.17 and the extensions cl_khr_subgroup_*) as operations of the IR.
import type { Span } from "@muxkit/report";
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

import { fromTruth } from "./convert.ts";
import { INT, elementOf, isFloating } from "./ctype.ts";
import type { Overload } from "./overloads.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

/** A call of a collective function: arguments are values of the overload's parameter types. */
export interface GroupCall {
  readonly unit: Unit;
  readonly overload: Overload;
  readonly values: readonly Value[];
  /** Words of the row: the scope, what it is, how; `together` when only those take part that come together. */
  readonly detail: string;
  readonly span: Span;
}

/** A {@link GroupCall} with its words read. */
interface Collective extends GroupCall {
  readonly scope: Scope;
  readonly how: string;
  readonly isUniform: boolean;
}

function at(call: GroupCall, index: number): Value {
  return call.values[index] ?? constantInt(I32, 0);
}

function op(call: Collective, number: number, operands: readonly Value[], kind: AtomicKind = "exchange"): Value {
  const [first] = operands;
  return call.unit.builder.group(
    number,
    number === Op.GROUP_BALLOT ? vectorType(I32, 4) : (first?.type ?? I32),
    operands,
    call.scope,
    call.isUniform,
    kind,
  );
}

/** An i1 that says whether an argument is not zero. */
function truth(call: GroupCall, index: number): Value {
  const value = at(call, index);
  return call.unit.op(Op.NE, I1, value, constantZero(value.type));
}

function fromBit(call: GroupCall, bit: Value): Operand {
  return valueOf(INT, fromTruth(call.unit, bit, INT).value);
}

/** A size_t argument as i32. */
function index32(call: GroupCall, index: number): Value {
  const value = at(call, index);
  return value.type.bits === 64 ? call.unit.op(Op.TRUNC, I32, value) : value;
}

/** Local ids in one to three dimensions as one. */
function linear(call: GroupCall): Value {
  const { unit, values } = call;
  const size = (axis: number): Value => unit.builder.workItem(Op.LOCAL_SIZE, I32, constantInt(I32, axis));
  let id = index32(call, values.length - 1);
  for (let axis = values.length - 3; axis >= 0; axis--)
    id = unit.op(Op.ADD, I32, unit.op(Op.MUL, I32, id, size(axis)), index32(call, axis + 1));
  return id;
}

/** The kind that a word such as `min` means for a type. */
function kindOf(call: GroupCall, word: string): AtomicKind {
  const { generic } = call.overload;
  if (isFloating(generic)) return `f${word}` as AtomicKind;
  if (word !== "min" && word !== "max") return word as AtomicKind;
  return `${elementOf(generic).isSigned ? "s" : "u"}${word}` as AtomicKind;
}

/** The size of clusters that an argument gives; null (reported): it is no constant power of two. */
function clusterSize(call: GroupCall, index: number): Value | null {
  const value = at(call, index);
  if (value.kind === "constant" && value.low > 0 && Number.isInteger(Math.log2(value.low))) return value;
  call.unit.report("clusterSize", call.span, [call.overload.row.name]);
  return null;
}

function combine(call: Collective, number: number): Operand {
  const { how, overload, unit } = call;
  const cluster = call.values.length > 1 ? clusterSize(call, 1) : null;
  const operands = (value: Value): Value[] => (cluster === null ? [value] : [value, cluster]);
  if (how.startsWith("logical_"))
    return fromBit(call, op(call, number, operands(truth(call, 0)), how.slice("logical_".length) as AtomicKind));
  const made = op(call, number, operands(at(call, 0)), kindOf(call, how));
  if (made.kind === "instruction" && made.type.kind === "float") made.flags |= unit.builder.floatFlags;
  return valueOf(overload.result, made);
}

/** Whose value a shuffle takes, by its name's end. */
const SOURCES: Readonly<Record<string, (call: GroupCall, id: Value) => Value>> = {
  "": (call) => at(call, 1),
  xor: (call, id) => call.unit.op(Op.XOR, I32, id, at(call, 1)),
  up: (call, id) => call.unit.op(Op.SUB, I32, id, at(call, 1)),
  down: (call, id) => call.unit.op(Op.ADD, I32, id, at(call, 1)),
  rotate: (call, id) => {
    const { unit } = call;
    const size = unit.builder.workItem(Op.MAX_SUB_GROUP_SIZE, I32, null);
    const rest = unit.op(Op.SREM, I32, unit.op(Op.ADD, I32, id, at(call, 1)), size);
    return unit.op(
      Op.SELECT,
      I32,
      unit.op(Op.SLT, I1, rest, constantInt(I32, 0)),
      unit.op(Op.ADD, I32, rest, size),
      rest,
    );
  },
  clustered: (call, id) => {
    const { unit } = call;
    const size = clusterSize(call, 2);
    if (size === null) return id;
    const within = unit.op(Op.SUB, I32, size, constantInt(I32, 1));
    const moved = unit.op(Op.AND, I32, unit.op(Op.ADD, I32, id, at(call, 1)), within);
    return unit.op(Op.OR, I32, unit.op(Op.AND, I32, id, unit.op(Op.XOR, I32, within, constantInt(I32, -1))), moved);
  },
};

const subGroupId = (call: GroupCall): Value => call.unit.builder.workItem(Op.SUB_GROUP_LOCAL_ID, I32, null);

const FORMS: Readonly<Record<string, (call: Collective) => Operand>> = {
  vote: (call) => fromBit(call, op(call, call.how === "group_all" ? Op.GROUP_ALL : Op.GROUP_ANY, [truth(call, 0)])),
  broadcast: (call) =>
    valueOf(
      call.overload.result,
      op(call, Op.GROUP_BROADCAST, [at(call, 0), call.scope === "work_group" ? linear(call) : at(call, 1)]),
    ),
  reduce: (call) => combine(call, Op.GROUP_REDUCE),
  scan_inclusive: (call) => combine(call, Op.GROUP_SCAN_INCLUSIVE),
  scan_exclusive: (call) => combine(call, Op.GROUP_SCAN_EXCLUSIVE),
  elect: (call) => {
    const id = subGroupId(call);
    return fromBit(call, call.unit.op(Op.EQ, I1, op(call, Op.GROUP_BROADCAST_FIRST, [id]), id));
  },
  all_equal: (call) => {
    const value = at(call, 0);
    const first = op(call, Op.GROUP_BROADCAST_FIRST, [value]);
    return fromBit(
      call,
      op(call, Op.GROUP_ALL, [call.unit.op(isFloating(call.overload.generic) ? Op.FEQ : Op.EQ, I1, value, first)]),
    );
  },
  first: (call) => valueOf(call.overload.result, op(call, Op.GROUP_BROADCAST_FIRST, [at(call, 0)])),
  ballot: (call) => valueOf(call.overload.result, op(call, Op.GROUP_BALLOT, [truth(call, 0)])),
  shuffle: (call) => {
    const source = (SOURCES[call.how] ?? SOURCES[""])?.(call, subGroupId(call)) ?? at(call, 1);
    return valueOf(call.overload.result, op(call, Op.GROUP_SHUFFLE, [at(call, 0), source]));
  },
};

/** Writes the call of a collective function. */
export function groupFunction(call: GroupCall): Operand {
  const [scope, form = "", ...rest] = call.detail.split(" ");
  const isUniform = rest.at(-1) !== "together";
  const how = (isUniform ? rest : rest.slice(0, -1))[0] ?? "";
  const write = FORMS[form] ?? FORMS["reduce"];
  const collective: Collective = {
    ...call,
    scope: scope === "work_group" ? "work_group" : "sub_group",
    how,
    isUniform,
  };
  return write === undefined ? valueOf(call.overload.result, at(call, 0)) : write(collective);
}
