// SPDX-License-Identifier: Apache-2.0
// Queries of work-items: built-in variables. Those of three components are loaded whole, and one is taken.
import {
  type AtomicKind,
  I1,
  I32,
  type Instruction,
  NON_UNIFORM,
  Op,
  type Scope,
  type Type,
  type Value,
  intType,
  scalarOf,
} from "@muxkit/ir";

import type { EnumerantNames, OpName } from "../generated/names.ts";
import { enumerant } from "../grammar/tables.ts";
import { vectorOf } from "./arithmetic-rows.ts";
import { numberId } from "./constants.ts";
import type { FunctionWriter, RowTable, RowWriter } from "./function-writer.ts";
import { scopeId } from "./synchronization-rows.ts";
import { written } from "./written.ts";

const LOAD = written("OpLoad");
const EXTRACT = written("OpCompositeExtract");
const EXTRACT_DYNAMIC = written("OpVectorExtractDynamic");
const VECTOR = written("OpTypeVector");
const SELECT = written("OpSelect");
const LESS = written("OpULessThan");
const UCONVERT = written("OpUConvert");
const UDIV = written("OpUDiv");
const UMOD = written("OpUMod");

type BuiltIn = EnumerantNames["BuiltIn"];

/** Built-in variables of three components, and what they are from dimension 3 on. */
const DIMENSIONS: Readonly<Record<number, readonly [name: BuiltIn, beyond: number]>> = {
  [Op.GLOBAL_ID]: ["GlobalInvocationId", 0],
  [Op.GLOBAL_SIZE]: ["GlobalSize", 1],
  [Op.GLOBAL_OFFSET]: ["GlobalOffset", 0],
  [Op.LOCAL_ID]: ["LocalInvocationId", 0],
  [Op.LOCAL_SIZE]: ["WorkgroupSize", 1],
  [Op.ENQUEUED_LOCAL_SIZE]: ["EnqueuedWorkgroupSize", 1],
  [Op.GROUP_ID]: ["WorkgroupId", 0],
  [Op.NUM_GROUPS]: ["NumWorkgroups", 1],
};

/** Single numbers: of the size of an address, or of 32 bits. */
const NUMBERS: Readonly<Record<number, readonly [name: BuiltIn, isSize: boolean]>> = {
  [Op.WORK_DIM]: ["WorkDim", false],
  [Op.GLOBAL_LINEAR_ID]: ["GlobalLinearId", true],
  [Op.LOCAL_LINEAR_ID]: ["LocalInvocationIndex", true],
  [Op.SUB_GROUP_SIZE]: ["SubgroupSize", false],
  [Op.MAX_SUB_GROUP_SIZE]: ["SubgroupMaxSize", false],
  [Op.NUM_SUB_GROUPS]: ["NumSubgroups", false],
  [Op.ENQUEUED_NUM_SUB_GROUPS]: ["NumEnqueuedSubgroups", false],
  [Op.SUB_GROUP_ID]: ["SubgroupId", false],
  [Op.SUB_GROUP_LOCAL_ID]: ["SubgroupLocalInvocationId", false],
};

/** One component of a vector of three. */
function component(f: FunctionWriter, whole: number, type: Type, dimension: Value, beyond: number): number {
  const id = f.type(type);
  if (dimension.kind === "constant")
    return dimension.low < 3 && dimension.high === 0
      ? f.make(EXTRACT, id, whole, dimension.low)
      : numberId(f.w, type, beyond);
  const isInside = f.make(LESS, f.type(I1), f.value(dimension), numberId(f.w, dimension.type, 3));
  const index = f.make(SELECT, f.type(dimension.type), isInside, f.value(dimension), numberId(f.w, dimension.type, 0));
  return f.make(SELECT, id, isInside, f.make(EXTRACT_DYNAMIC, id, whole, index), numberId(f.w, type, beyond));
}

function sized(f: FunctionWriter, id: number, from: Type, to: Type): number {
  return from === to ? id : f.make(UCONVERT, f.type(to), id);
}

/** A whole built-in variable of three components. */
function wholeOf(f: FunctionWriter, name: BuiltIn): number {
  const vector = f.w.declare(VECTOR, f.type(intType(f.w.addressBits)), 3);
  return f.make(LOAD, vector, f.parts.builtInVariable(name, vector));
}

const dimension: RowWriter = (f, i) => {
  const [name, beyond] = DIMENSIONS[i.op] ?? f.refuse("the query is none of work-items", i);
  const size = intType(f.w.addressBits);
  return sized(f, component(f, wholeOf(f, name), size, i.operands[0] as Value, beyond), size, i.type);
};

const number: RowWriter = (f, i) => {
  const [name, isSize] = NUMBERS[i.op] ?? f.refuse("the query is none of work-items", i);
  const type = isSize ? intType(f.w.addressBits) : I32;
  const id = f.type(type);
  return sized(f, f.make(LOAD, id, f.parts.builtInVariable(name, id)), type, i.type);
};

/** Rows of queries in kernels. */
export const WORK_ITEM_ROWS: RowTable = {
  ...Object.fromEntries(Object.keys(DIMENSIONS).map((op) => [op, dimension])),
  ...Object.fromEntries(Object.keys(NUMBERS).map((op) => [op, number])),
};

type Combination =
  | "IAdd"
  | "FAdd"
  | "IMul"
  | "FMul"
  | "SMin"
  | "UMin"
  | "FMin"
  | "SMax"
  | "UMax"
  | "FMax"
  | "BitwiseAnd"
  | "BitwiseOr"
  | "BitwiseXor"
  | "LogicalAnd"
  | "LogicalOr"
  | "LogicalXor";

/** How work-items are combined: numbers, and truth values. */
const COMBINATIONS: Readonly<Partial<Record<AtomicKind, readonly [numbers: Combination, truths: Combination | null]>>> =
  {
    add: ["IAdd", null],
    mul: ["IMul", null],
    fadd: ["FAdd", null],
    fmul: ["FMul", null],
    smin: ["SMin", null],
    smax: ["SMax", null],
    umin: ["UMin", null],
    umax: ["UMax", null],
    fmin: ["FMin", null],
    fmax: ["FMax", null],
    and: ["BitwiseAnd", "LogicalAnd"],
    or: ["BitwiseOr", "LogicalOr"],
    xor: ["BitwiseXor", "LogicalXor"],
  };

/** Instructions that are in SPIR-V 1.0 already. */
const OLD = /^(?:[IF]Add|[SUF]M(?:in|ax))$/u;

const TOGETHER = new Map<Combination, number>();
const UNIFORM = new Map<Combination, number>();
for (const [numbers, truths] of Object.values(COMBINATIONS))
  for (const name of [numbers, truths])
    if (name !== null) {
      TOGETHER.set(name, written(`OpGroupNonUniform${name}` as OpName));
      UNIFORM.set(name, written((OLD.test(name) ? `OpGroup${name}` : `OpGroup${name}KHR`) as OpName));
    }

const isTogether = (f: FunctionWriter, { flags }: Instruction): boolean =>
  (flags & NON_UNIFORM) !== 0 || f.w.target === "shader";

/** Scope of a group operation. */
function groupScope(f: FunctionWriter, scope: Scope, i: Instruction): number {
  if (f.w.target === "shader" && scope !== "sub_group")
    return f.refuse("Vulkan has no operations of work-groups, only of sub-groups", i);
  if (f.w.target === "kernel" && (i.flags & NON_UNIFORM) === 0) f.w.require("Groups");
  return scopeId(f, scope);
}

function combine(form: EnumerantNames["GroupOperation"]): RowWriter {
  return (f, i) => {
    const [value, cluster] = i.operands as [Value, Value | undefined];
    const [numbers, truths] = COMBINATIONS[i.atomicKind] ?? f.refuse(`groups do not combine by ${i.atomicKind}`, i);
    const name = scalarOf(value.type) === I1 ? truths : numbers;
    if (name === null) return f.refuse("truth values are combined by and, or, xor", i);
    const operation = enumerant("GroupOperation", cluster === undefined ? form : "ClusteredReduce");
    const opcode = (isTogether(f, i) || cluster !== undefined ? TOGETHER : UNIFORM).get(name);
    if (opcode === undefined) return f.refuse("there is no such group operation", i);
    const operands = cluster === undefined ? [] : [f.value(cluster)];
    return f.make(opcode, f.type(i.type), groupScope(f, i.scope, i), operation, f.value(value), ...operands);
  };
}

function vote(uniform: OpName, together: OpName): RowWriter {
  const [own, other] = [written(uniform), written(together)];
  return (f, i) =>
    f.make(isTogether(f, i) ? other : own, f.type(i.type), groupScope(f, i.scope, i), f.value(i.operands[0] as Value));
}

const BROADCAST = written("OpGroupBroadcast");
const SHUFFLE = written("OpGroupNonUniformShuffle");
const NON_UNIFORM_BROADCAST = written("OpGroupNonUniformBroadcast");
const FIRST = written("OpGroupNonUniformBroadcastFirst");
const BALLOT = written("OpGroupNonUniformBallot");

/** The local id of three components that a linear one is. */
function localId(f: FunctionWriter, linear: Value): number {
  const size = intType(f.w.addressBits);
  const type = f.type(size);
  const whole = wholeOf(f, "WorkgroupSize");
  const [width, height] = [0, 1].map((n) => f.make(EXTRACT, type, whole, n)) as [number, number];
  const id = sized(f, f.value(linear), linear.type, size);
  const rows = f.make(UDIV, type, id, width);
  const parts = [f.make(UMOD, type, id, width), f.make(UMOD, type, rows, height), f.make(UDIV, type, rows, height)];
  return vectorOf(f, f.w.declare(VECTOR, type, 3), parts);
}

const broadcast: RowWriter = (f, i) => {
  const [value, from] = i.operands as [Value, Value];
  const scope = groupScope(f, i.scope, i);
  const type = f.type(i.type);
  if (isTogether(f, i))
    return f.make(
      from.kind === "constant" ? NON_UNIFORM_BROADCAST : SHUFFLE,
      type,
      scope,
      f.value(value),
      f.value(from),
    );
  return f.make(BROADCAST, type, scope, f.value(value), i.scope === "work_group" ? localId(f, from) : f.value(from));
};

const shuffle: RowWriter = (f, i) => {
  const [value, from] = i.operands as [Value, Value];
  return f.make(SHUFFLE, f.type(i.type), scopeId(f, i.scope), f.value(value), f.value(from));
};

const single =
  (opcode: number): RowWriter =>
  (f, i) =>
    f.make(opcode, f.type(i.type), scopeId(f, i.scope), f.value(i.operands[0] as Value));

/** Rows of group operations. */
export const GROUP_ROWS: RowTable = {
  [Op.GROUP_ALL]: vote("OpGroupAll", "OpGroupNonUniformAll"),
  [Op.GROUP_ANY]: vote("OpGroupAny", "OpGroupNonUniformAny"),
  [Op.GROUP_BROADCAST]: broadcast,
  [Op.GROUP_SHUFFLE]: shuffle,
  [Op.GROUP_BROADCAST_FIRST]: single(FIRST),
  [Op.GROUP_BALLOT]: single(BALLOT),
  [Op.GROUP_REDUCE]: combine("Reduce"),
  [Op.GROUP_SCAN_INCLUSIVE]: combine("InclusiveScan"),
  [Op.GROUP_SCAN_EXCLUSIVE]: combine("ExclusiveScan"),
};
