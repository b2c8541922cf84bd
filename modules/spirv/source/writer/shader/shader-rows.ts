// SPDX-License-Identifier: Apache-2.0
// Rows that only shaders have: memory by objects and offsets, queries of work-items by Vulkan's built-in variables.
import { I32, type Instruction, Op, type Type, type Value, intType } from "@muxkit/ir";

import type { EnumerantNames } from "../../generated/names.ts";
import { ARITHMETIC_ROWS } from "../arithmetic-rows.ts";
import { numberId } from "../constants.ts";
import { COMMON_ROWS } from "../control-rows.ts";
import type { FunctionWriter, RowTable, RowWriter } from "../function-writer.ts";
import { synchronizationRows } from "../synchronization-rows.ts";
import { GROUP_ROWS } from "../work-item-rows.ts";
import { written } from "../written.ts";
import { SHADER_INTEGER_ROWS } from "./integer-rows.ts";
import { copyStep } from "./roots.ts";
import { ShaderFunction } from "./shader-function.ts";

const MUL = written("OpIMul");
const ADD = written("OpIAdd");
const SELECT = written("OpSelect");
const LOAD = written("OpLoad");
const EXTRACT = written("OpCompositeExtract");
const EXTRACT_DYNAMIC = written("OpVectorExtractDynamic");
const LESS = written("OpULessThan");
const UCONVERT = written("OpUConvert");
const SCONVERT = written("OpSConvert");
const VECTOR = written("OpTypeVector");
const CALL = written("OpFunctionCall");

/** Rows of shaders are called for functions of shaders only. */
function shader(f: FunctionWriter): ShaderFunction {
  return f instanceof ShaderFunction ? f : f.refuse("this is written in shaders only");
}

const ofShader =
  (row: (f: ShaderFunction, i: Instruction) => number): RowWriter =>
  (f, i) =>
    row(shader(f), i);

/** An index as 32 bits, with its sign. */
function index32(f: ShaderFunction, index: Value): number {
  const { bits } = index.type;
  if (bits === 32) return f.value(index);
  return f.make(bits > 32 ? UCONVERT : SCONVERT, f.type(I32), f.value(index));
}

const address = ofShader((f, i) => {
  if (i.type.kind === "vector") return f.refuse("vectors of pointers are made by the vectoriser", i);
  const [base, index] = i.operands as [Value, Value | undefined];
  const { root, offset, bytes } = f.placeOf(base);
  if (index === undefined || i.scale === 0) f.place(i, { root, offset, bytes: bytes + i.offset });
  else if (index.kind === "constant") {
    const steps = Number(BigInt.asIntN(index.type.bits, (BigInt(index.high) << 32n) | BigInt(index.low)));
    f.place(i, { root, offset, bytes: bytes + i.offset + steps * i.scale });
  } else {
    const number = index32(f, index);
    const step = i.scale === 1 ? number : f.make(MUL, f.type(I32), number, f.number(i.scale));
    f.place(i, { root, offset: f.plus(offset, step), bytes: bytes + i.offset });
  }
  return 0;
});

const same = ofShader((f, i) => {
  f.place(i, f.placeOf(i.operands[0] as Value));
  return 0;
});

const itself = ofShader((f, i) => {
  f.place(i, { root: f.rootOf(i), offset: 0, bytes: 0 });
  return 0;
});

/** A choice between pointers into one object is one between offsets. */
const select = ofShader((f, i) => {
  if (i.type.kind !== "pointer") return ARITHMETIC_ROWS[Op.SELECT]?.(f, i) ?? 0;
  const [condition, yes, no] = i.operands as [Value, Value, Value];
  const offsets = [yes, no].map((value) => f.offsetOf(f.placeOf(value)));
  const offset = f.make(SELECT, f.type(I32), f.value(condition), ...offsets);
  f.place(i, { root: f.rootOf(i), offset, bytes: 0 });
  return 0;
});

/** Comparisons of offsets, which are as unsigned as addresses. */
const COMPARISONS: Readonly<Record<number, number>> = {
  [Op.EQ]: written("OpIEqual"),
  [Op.NE]: written("OpINotEqual"),
  [Op.ULT]: written("OpULessThan"),
  [Op.ULE]: written("OpULessThanEqual"),
  [Op.UGT]: written("OpUGreaterThan"),
  [Op.UGE]: written("OpUGreaterThanEqual"),
};

/** Pointers into one object are compared by their offsets. */
const compared = ofShader((f, i) => {
  const [left, right] = i.operands as [Value, Value];
  if (left.type.kind !== "pointer") return ARITHMETIC_ROWS[i.op]?.(f, i) ?? 0;
  if (f.rootOf(left) !== f.rootOf(right))
    return f.refuse("pointers into two objects cannot be compared in a shader", i);
  const offsets = [left, right].map((value) => f.offsetOf(f.placeOf(value)));
  return f.make(COMPARISONS[i.op] ?? 0, f.type(i.type), ...offsets);
});

/** Most pieces of a copy that are written one after the other. */
const MOST_PIECES = 64;

const copy = ofShader((f, i) => {
  const [target, source, size] = i.operands as [Value, Value, Value];
  const step = copyStep(i);
  if (size.kind !== "constant" || size.low / step > MOST_PIECES)
    return f.refuse(`a shader copies at most ${MOST_PIECES} numbers at once, and as many as are known`, i);
  const type = intType(step * 8);
  const [to, from] = [f.placeOf(target), f.placeOf(source)];
  for (let at = 0; at < size.low; at += step) f.storeScalar(type, f.loadScalar(type, from, at, step), to, at, step);
  return 0;
});

const fill = ofShader((f, i) => {
  const [target, byte, size] = i.operands as [Value, Value, Value];
  const step = copyStep(i);
  if (byte.kind !== "constant" || size.kind !== "constant" || size.low / step > 4 * MOST_PIECES)
    return f.refuse(`a shader fills at most ${4 * MOST_PIECES} numbers at once, with a known one`, i);
  const type = intType(step * 8);
  const value = numberId(f.w, type, BigInt(`0x${byte.low.toString(16).padStart(2, "0").repeat(step)}`));
  const to = f.placeOf(target);
  for (let at = 0; at < size.low; at += step) f.storeScalar(type, value, to, at, step);
  return 0;
});

/** Three components: of a built-in variable, or of the constant that is the size of a work-group. */
type Whole = (f: ShaderFunction) => number;

function variable(name: EnumerantNames["BuiltIn"]): Whole {
  return (f) => {
    const vector = f.w.declare(VECTOR, f.type(I32), 3);
    return f.make(LOAD, vector, f.parts.builtInVariable(name, vector));
  };
}

const groupSize: Whole = (f) => f.parts.builtInVariable("WorkgroupSize", f.w.declare(VECTOR, f.type(I32), 3));

function component(f: ShaderFunction, whole: number, dimension: Value, beyond: number): number {
  const int = f.type(I32);
  if (dimension.kind === "constant")
    return dimension.low < 3 ? f.make(EXTRACT, int, whole, dimension.low) : f.number(beyond);
  const isInside = f.make(LESS, f.type(intType(1)), f.value(dimension), f.number(3));
  const index = f.make(SELECT, int, isInside, f.value(dimension), f.number(0));
  return f.make(SELECT, int, isInside, f.make(EXTRACT_DYNAMIC, int, whole, index), f.number(beyond));
}

function sized(f: ShaderFunction, id: number, type: Type): number {
  return type === I32 ? id : f.make(UCONVERT, f.type(type), id);
}

const dimension = (whole: Whole, beyond: number): RowWriter =>
  ofShader((f, i) => sized(f, component(f, whole(f), i.operands[0] as Value, beyond), i.type));

const globalSize = ofShader((f, i) => {
  const [groups, size] = [variable("NumWorkgroups")(f), groupSize(f)].map((whole) =>
    component(f, whole, i.operands[0] as Value, 1),
  ) as [number, number];
  return sized(f, f.make(MUL, f.type(I32), groups, size), i.type);
});

/** x + width * (y + height * z), of ids and sizes of the whole range. */
const globalLinear = ofShader((f, i) => {
  const int = f.type(I32);
  const [id, groups, size] = [variable("GlobalInvocationId")(f), variable("NumWorkgroups")(f), groupSize(f)];
  const part = (whole: number, axis: number): number => f.make(EXTRACT, int, whole, axis);
  const extent = (axis: number): number => f.make(MUL, int, part(groups, axis), part(size, axis));
  const rows = f.make(ADD, int, part(id, 1), f.make(MUL, int, extent(1), part(id, 2)));
  return sized(f, f.make(ADD, int, part(id, 0), f.make(MUL, int, extent(0), rows)), i.type);
});

const number = (name: EnumerantNames["BuiltIn"]): RowWriter =>
  ofShader((f, i) => {
    const int = f.type(I32);
    return sized(f, f.make(LOAD, int, f.parts.builtInVariable(name, int)), i.type);
  });

const call = ofShader((f, i) => {
  if (i.symbol?.kind !== "function") return f.refuse("the call is of no function", i);
  const operands = i.operands.map((value) => f.value(value));
  const made = f.make(CALL, f.type(i.type), f.parts.functionId(i.symbol), ...operands);
  return i.type.kind === "void" ? 0 : made;
});

/** Rows of shaders. */
export const SHADER_ROWS: RowTable = {
  ...COMMON_ROWS,
  ...ARITHMETIC_ROWS,
  ...SHADER_INTEGER_ROWS,
  ...synchronizationRows((f, _i, pointer, type) => shader(f).atomic(pointer, type)),
  ...GROUP_ROWS,
  [Op.ALLOCA]: itself,
  [Op.GLOBAL_ADDRESS]: itself,
  [Op.ADDRESS]: address,
  [Op.ADDRSPACECAST]: same,
  [Op.SELECT]: select,
  ...Object.fromEntries(Object.keys(COMPARISONS).map((op) => [op, compared])),
  [Op.LOAD]: ofShader((f, i) =>
    i.type.kind === "pointer"
      ? f.refuse("a shader cannot keep pointers in memory", i)
      : f.load(i.type, i.operands[0] as Value, i.alignment),
  ),
  [Op.STORE]: ofShader((f, i) => {
    const [value, pointer] = i.operands as [Value, Value];
    if (value.type.kind === "pointer") return f.refuse("a shader cannot keep pointers in memory", i);
    f.store(value, pointer, i.alignment);
    return 0;
  }),
  [Op.MEMORY_COPY]: copy,
  [Op.MEMORY_FILL]: fill,
  [Op.GLOBAL_ID]: dimension(variable("GlobalInvocationId"), 0),
  [Op.LOCAL_ID]: dimension(variable("LocalInvocationId"), 0),
  [Op.GROUP_ID]: dimension(variable("WorkgroupId"), 0),
  [Op.NUM_GROUPS]: dimension(variable("NumWorkgroups"), 1),
  [Op.LOCAL_SIZE]: dimension(groupSize, 1),
  [Op.ENQUEUED_LOCAL_SIZE]: dimension(groupSize, 1),
  [Op.GLOBAL_SIZE]: globalSize,
  [Op.GLOBAL_OFFSET]: ofShader((f, i) => sized(f, f.number(0), i.type)),
  [Op.GLOBAL_LINEAR_ID]: globalLinear,
  [Op.LOCAL_LINEAR_ID]: number("LocalInvocationIndex"),
  [Op.WORK_DIM]: (f, i) => f.refuse("a shader does not know how many dimensions a launch has", i),
  [Op.SUB_GROUP_SIZE]: number("SubgroupSize"),
  [Op.MAX_SUB_GROUP_SIZE]: number("SubgroupSize"),
  [Op.NUM_SUB_GROUPS]: number("NumSubgroups"),
  [Op.ENQUEUED_NUM_SUB_GROUPS]: number("NumSubgroups"),
  [Op.SUB_GROUP_ID]: number("SubgroupId"),
  [Op.SUB_GROUP_LOCAL_ID]: number("SubgroupLocalInvocationId"),
  [Op.CALL]: call,
  [Op.CALL_BUILTIN]: (f, i) =>
    f.refuse(`shaders have no ${i.symbol?.kind === "builtin" ? i.symbol.name : "such function"}`, i),
};
