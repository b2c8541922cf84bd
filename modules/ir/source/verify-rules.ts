// SPDX-License-Identifier: Apache-2.0
// The verifier's typing rules: a table from each rule of the op table to a check of one instruction. Messages are built
// only for broken rules, since every correct instruction is checked after each pass.
import * as Op from "./generated/op.ts";
import type { AtomicKind, Instruction } from "./instruction.ts";
import type { OpRule } from "./op.table.ts";
import {
  F32,
  F64,
  I1,
  I32,
  I8,
  PRIVATE,
  type Type,
  VOID,
  isFloat,
  isInt,
  isPointer,
  laneCount,
  scalarOf,
  vectorType,
  withLanesOf,
} from "./type.ts";

/**
 * Describes a broken rule as the end of a sentence that begins with the op's name; null: the instruction is correct.
 */
export type Check = (instruction: Instruction, types: readonly Type[]) => string | null;

/** For constant messages; others are built only when a rule is broken. */
const expect = (holds: boolean, message: string): string | null => (holds ? null : message);

function count(types: readonly Type[], wanted: number): string | null {
  return types.length === wanted ? null : `takes ${wanted} operands, has ${types.length}`;
}

/** Uses bit operations for 32-bit integers, nearly always the case. */
const isPowerOfTwo = (value: number): boolean =>
  value > 0 && (value === (value | 0) ? (value & (value - 1)) === 0 : Number.isInteger(Math.log2(value)));

function aligned(instruction: Instruction): string | null {
  return isPowerOfTwo(instruction.alignment)
    ? null
    : `needs an alignment that is a power of two, has ${instruction.alignment}`;
}

/** Memory holds scalars, vectors and opaque handles as values; arrays and structs are copied with memory_copy. */
function storable(type: Type | undefined): string | null {
  const { kind } = type ?? VOID;
  return kind !== "void" && kind !== "array" && kind !== "struct"
    ? null
    : `does not move ${(type ?? VOID).text}; memory_copy does`;
}

function noResult(instruction: Instruction): string | null {
  return expect(instruction.type === VOID, "has no result");
}

function needsPointer(type: Type | undefined): string | null {
  return expect(type !== undefined && type.kind === "pointer", "needs a pointer");
}

function alike(wanted: number, isRight: (type: Type) => boolean, kind: string): Check {
  return (instruction, types) => {
    const { type } = instruction;
    const isAlike = isRight(type) && types.every((operand) => operand === type);
    return (
      count(types, wanted) ??
      (isAlike
        ? null
        : `operands and result must be one ${kind} type, are ${types.map((t) => t.text).join(", ")} and ${type.text}`)
    );
  };
}

function compare(isRight: (type: Type) => boolean): Check {
  return (instruction, types) => {
    const [a, b] = types;
    return (
      count(types, 2) ??
      expect(
        a === b && a !== undefined && isRight(a) && instruction.type === withLanesOf(I1, a),
        "compares two values of one type and results in i1, lane by lane",
      )
    );
  };
}

type Conversion = readonly [from: Type["kind"], to: Type["kind"], relation: (from: number, to: number) => boolean];

const any = (): boolean => true;

/** The conversions: source kind, target kind, and the relation of the widths. */
const CONVERSIONS: Readonly<Record<number, Conversion>> = {
  [Op.TRUNC]: ["int", "int", (a, b) => a > b],
  [Op.ZEXT]: ["int", "int", (a, b) => a < b],
  [Op.SEXT]: ["int", "int", (a, b) => a < b],
  [Op.FPTRUNC]: ["float", "float", (a, b) => a > b],
  [Op.FPEXT]: ["float", "float", (a, b) => a < b],
  [Op.FPTOSI]: ["float", "int", any],
  [Op.FPTOUI]: ["float", "int", any],
  [Op.SITOFP]: ["int", "float", any],
  [Op.UITOFP]: ["int", "float", any],
  [Op.PTRTOINT]: ["pointer", "int", any],
  [Op.INTTOPTR]: ["int", "pointer", any],
  [Op.ADDRSPACECAST]: ["pointer", "pointer", any],
};

const convert: Check = (instruction, types) => {
  const [from] = types;
  const row = CONVERSIONS[instruction.op];
  if (from === undefined || row === undefined) return "takes one operand";
  const [fromKind, toKind, relation] = row;
  const a = scalarOf(from);
  const b = scalarOf(instruction.type);
  const fits =
    a.kind === fromKind &&
    b.kind === toKind &&
    relation(a.bits, b.bits) &&
    laneCount(from) === laneCount(instruction.type);
  return count(types, 1) ?? (fits ? null : `does not convert ${from.text} to ${instruction.type.text}`);
};

const totalBits = (type: Type): number => scalarOf(type).bits * laneCount(type);

const bitcast: Check = (instruction, types) => {
  const [from] = types;
  if (from === undefined || types.length !== 1) return "takes one operand";
  return totalBits(from) === totalBits(instruction.type) && totalBits(from) > 0
    ? null
    : `${from.text} and ${instruction.type.text} differ in size`;
};

const select: Check = (instruction, types) => {
  const [condition, a, b] = types;
  const { type } = instruction;
  return (
    count(types, 3) ??
    expect(
      a === b && a === type && (condition === I1 || condition === withLanesOf(I1, type)),
      "takes an i1, or one for each lane, and two values of its type",
    )
  );
};

const shuffle: Check = (instruction, types) => {
  const [a, b] = types;
  const { lanes, type } = instruction;
  if (a === undefined || a !== b || a.kind !== "vector" || types.length !== 2) return "takes two vectors of one type";
  const fits =
    lanes.every((lane) => Number.isInteger(lane) && lane >= -1 && lane < a.count * 2) && lanes.length === type.count;
  return expect(fits && type.element === a.element, "lanes do not fit its operands or result");
};

const permute: Check = ({ type, scale }, types) => {
  const [vector, indices] = types;
  const fits =
    vector?.kind === "vector" &&
    isInt(vector) &&
    scalarOf(vector).bits >= 8 &&
    indices?.kind === "vector" &&
    indices === type &&
    scalarOf(vector) === scalarOf(type);
  return (
    count(types, 2) ??
    expect(fits, "takes two vectors of ints of one width, and its result has as many lanes as the second") ??
    expect(
      isPowerOfTwo(scale) && vector?.kind === "vector" && vector.count % scale === 0,
      "has blocks whose size is a power of two that divides the lanes of its first operand",
    )
  );
};

const address: Check = (instruction, types) => {
  const [base, index] = types;
  const { type } = instruction;
  const shape =
    index === undefined ? types.length === 1 : types.length === 2 && isInt(index) && scalarOf(index).bits > 1;
  const fits =
    base !== undefined &&
    isPointer(base) &&
    scalarOf(type) === scalarOf(base) &&
    types.every((operand) => operand.kind !== "vector" || operand.count === type.count) &&
    (type.kind === "vector") === types.some(({ kind }) => kind === "vector");
  return expect(
    fits && shape,
    "takes a pointer and optionally an int, or vectors of them, and results in pointers of the same address space",
  );
};

/** The vector that is moved and the mask of its lanes. */
function masked(moved: Type | undefined, mask: Type | undefined): string | null {
  const fits = moved?.kind === "vector" && moved.element !== I1 && mask === vectorType(I1, moved.count);
  return expect(fits, "moves a vector, not of i1, by a mask with an i1 for each lane");
}

/** The vector that is moved, the vector of pointers and its mask. */
function scattered(moved: Type | undefined, pointers: Type | undefined, mask: Type | undefined): string | null {
  if (pointers?.kind !== "vector" || !isPointer(pointers)) return "needs a vector of pointers";
  const fits =
    moved?.kind === "vector" &&
    moved.element !== I1 &&
    isPowerOfTwo(moved.count / pointers.count) &&
    mask === vectorType(I1, pointers.count);
  return expect(
    fits,
    "moves a power of two of lanes, not of i1, for each pointer, by a mask with an i1 for each pointer",
  );
}

const reduce: Check = ({ type, atomicKind }, types) => {
  const [vector] = types;
  const problem =
    count(types, 1) ??
    expect(
      vector?.kind === "vector" && vector.element === type && (isInt(type) || isFloat(type)),
      "takes a vector of numbers and results in a scalar of it",
    );
  if (problem !== null) return problem;
  if (atomicKind === "exchange" || atomicKind === "sub") return `does not combine by ${atomicKind}`;
  return kindFits(atomicKind, type);
};

const FLOAT_KINDS: ReadonlySet<AtomicKind> = new Set(["fadd", "fmul", "fmin", "fmax"]);

/** The types of atomic accesses: ints and floats of 32 and 64 bits, and pointers. */
function atomicType(type: Type | undefined): string | null {
  const fits =
    type === I32 ||
    type === F32 ||
    type === F64 ||
    type?.kind === "pointer" ||
    (type?.kind === "int" && type.bits === 64);
  return fits ? null : `works on ints and floats of 32 or 64 bits and on pointers, not on ${type?.text ?? "nothing"}`;
}

function ordered(instruction: Instruction): string | null {
  return expect(instruction.order !== "none" && instruction.scope !== "none", "needs an order and a scope");
}

const atomicRmw: Check = (instruction, types) => {
  const { type, atomicKind } = instruction;
  const problem =
    count(types, 2) ??
    needsPointer(types[0]) ??
    expect(types[1] === type, "has the result type of its operand") ??
    atomicType(type) ??
    ordered(instruction);
  if (problem !== null || atomicKind === "exchange") return problem;
  if (atomicKind === "mul" || atomicKind === "fmul") return `does not combine by ${atomicKind}`;
  return kindFits(atomicKind, type);
};

function kindFits(kind: AtomicKind, type: Type): string | null {
  return type.kind === (FLOAT_KINDS.has(kind) ? "float" : "int") ? null : `${kind} does not work on ${type.text}`;
}

/** The scope and the types of values that work-items exchange. */
function ofGroup(instruction: Instruction, value: Type | undefined): string | null {
  const { scope, type } = instruction;
  return (
    expect(scope === "work_group" || scope === "sub_group", "needs the scope of a work-group or sub-group") ??
    expect(
      value === type && (isInt(type) || isFloat(type) || isPointer(type)),
      "has the result type of its operand, a scalar or vector",
    )
  );
}

const groupReduce: Check = (instruction, types) => {
  const { type, atomicKind, operands } = instruction;
  const [, cluster] = operands;
  const problem =
    expect(types.length === 1 || instruction.op === Op.GROUP_REDUCE, "takes one operand") ??
    expect(types.length === 1 || types.length === 2, "takes a value and optionally a cluster size") ??
    ofGroup(instruction, types[0]);
  if (problem !== null) return problem;
  if (cluster !== undefined && (cluster.kind !== "constant" || cluster.type !== I32 || !isPowerOfTwo(cluster.low)))
    return "needs a constant power of two as its cluster size";
  if (atomicKind === "exchange" || atomicKind === "sub") return `does not combine by ${atomicKind}`;
  return kindFits(atomicKind, type);
};

const call: Check = (instruction, types) => {
  const { symbol } = instruction;
  if (symbol === null || symbol.kind !== "function") return "needs a function";
  const { name, parameters, returnType } = symbol;
  const fits =
    parameters.length === types.length &&
    parameters.every(({ type }, i) => type === types[i]) &&
    returnType === instruction.type;
  return fits
    ? null
    : `does not match @${name}(${parameters.map(({ type }) => type.text).join(", ")}) -> ${returnType.text}`;
};

const switchCases: Check = (instruction, types) => {
  const [type] = types;
  const { lanes, successors } = instruction;
  if (types.length !== 1 || type?.kind !== "int" || type.bits > 32 || successors.length !== lanes.length + 1)
    return "needs an int of at most 32 bits and a block for each case";
  const modulus = 2 ** type.bits;
  const fits = lanes.every((lane) => Number.isInteger(lane) && lane >= -modulus / 2 && lane < modulus);
  if (!fits) return `has a case that ${type.text} does not hold`;
  return expect(
    new Set(lanes.map((lane) => (lane < 0 ? lane + modulus : lane))).size === lanes.length,
    "has a case twice",
  );
};

const returns: Check = (instruction, types) => {
  const wanted = instruction.block?.owner.returnType ?? VOID;
  return wanted === VOID
    ? count(types, 0)
    : (count(types, 1) ?? (types[0] === wanted ? null : `must return ${wanted.text}`));
};

/** The check of each rule. */
export const CHECKS_BY_RULE: { readonly [K in OpRule]: Check } = {
  "unary-int": alike(1, isInt, "int"),
  "unary-float": alike(1, isFloat, "float"),
  "binary-int": alike(2, isInt, "int"),
  "binary-float": alike(2, isFloat, "float"),
  "ternary-float": alike(3, isFloat, "float"),
  shift: alike(2, isInt, "int"),
  "compare-int": compare((type) => isInt(type) || isPointer(type)),
  "compare-float": compare(isFloat),
  convert,
  "address-space": ({ type }, types) =>
    count(types, 1) ?? needsPointer(types[0]) ?? expect(type === I32, "results in an i32"),
  bitcast,
  select,
  splat: (instruction, types) =>
    expect(
      types.length === 1 && instruction.type.kind === "vector" && instruction.type.element === types[0],
      "takes a scalar and results in a vector of it",
    ),
  build: ({ type }, types) =>
    expect(
      type.kind === "vector" && types.length === type.count && types.every((lane) => lane === type.element),
      "takes a scalar for each lane",
    ),
  extract: ({ type }, types) =>
    count(types, 2) ??
    expect(types[0]?.kind === "vector" && types[0].element === type && types[1] === I32, "takes a vector and an i32"),
  insert: ({ type }, types) =>
    count(types, 3) ??
    expect(
      type.kind === "vector" && types[0] === type && types[1] === type.element && types[2] === I32,
      "takes a vector, a scalar of it and an i32",
    ),
  shuffle,
  permute,
  "lanes-vote": ({ type }, types) =>
    count(types, 1) ??
    expect(
      type === I1 && types[0]?.kind === "vector" && types[0].element === I1,
      "takes a vector of i1 and results in an i1",
    ),
  "lanes-reduce": reduce,
  alloca: (instruction, types) =>
    count(types, 0) ??
    expect(instruction.elementType !== null && instruction.elementType !== VOID, "needs the type of the variable") ??
    aligned(instruction) ??
    expect(
      instruction.type.kind === "pointer" && instruction.type.addressSpace === PRIVATE,
      "results in a pointer to private memory",
    ) ??
    expect(instruction.block === instruction.block?.owner.blocks[0], "must be in the entry block"),
  load: (instruction, types) =>
    count(types, 1) ?? needsPointer(types[0]) ?? aligned(instruction) ?? storable(instruction.type),
  store: (instruction, types) =>
    count(types, 2) ?? needsPointer(types[1]) ?? aligned(instruction) ?? storable(types[0]) ?? noResult(instruction),
  address,
  "global-address": ({ symbol, type }, types) =>
    count(types, 0) ??
    expect(
      symbol?.kind === "global" && type.kind === "pointer" && type.addressSpace === symbol.addressSpace,
      "needs a global and results in a pointer of its address space",
    ),
  "memory-copy": (instruction, types) =>
    count(types, 3) ??
    needsPointer(types[0]) ??
    needsPointer(types[1]) ??
    expect(types[2]?.kind === "int", "needs a size") ??
    aligned(instruction) ??
    noResult(instruction),
  "memory-fill": (instruction, types) =>
    count(types, 3) ??
    needsPointer(types[0]) ??
    expect(types[1] === I8 && types[2]?.kind === "int", "needs an i8 and a size") ??
    aligned(instruction) ??
    noResult(instruction),
  "masked-load": (instruction, types) =>
    count(types, 2) ?? needsPointer(types[0]) ?? masked(instruction.type, types[1]) ?? aligned(instruction),
  "masked-store": (instruction, types) =>
    count(types, 3) ??
    needsPointer(types[1]) ??
    masked(types[0], types[2]) ??
    aligned(instruction) ??
    noResult(instruction),
  gather: (instruction, types) =>
    count(types, 2) ?? scattered(instruction.type, types[0], types[1]) ?? aligned(instruction),
  scatter: (instruction, types) =>
    count(types, 3) ?? scattered(types[0], types[1], types[2]) ?? aligned(instruction) ?? noResult(instruction),
  "atomic-load": (instruction, types) =>
    count(types, 1) ?? needsPointer(types[0]) ?? atomicType(instruction.type) ?? ordered(instruction),
  "atomic-store": (instruction, types) =>
    count(types, 2) ?? needsPointer(types[1]) ?? atomicType(types[0]) ?? ordered(instruction) ?? noResult(instruction),
  "atomic-rmw": atomicRmw,
  "atomic-compare-exchange": (instruction, types) =>
    count(types, 3) ??
    needsPointer(types[0]) ??
    expect(types[1] === instruction.type && types[2] === instruction.type, "has the result type of its operands") ??
    atomicType(instruction.type) ??
    ordered(instruction),
  fence: (instruction, types) => count(types, 0) ?? ordered(instruction) ?? noResult(instruction),
  "work-item": ({ type }, types) =>
    count(types, 0) ?? expect(type.kind === "int" && type.bits >= 32, "results in an int of at least 32 bits"),
  "work-item-dimension": ({ type }, types) =>
    count(types, 1) ??
    expect(
      types[0] === I32 && type.kind === "int" && type.bits >= 32,
      "takes an i32 and results in an int of at least 32 bits",
    ),
  barrier: (instruction, types) =>
    count(types, 0) ?? expect(instruction.scope !== "none", "needs a scope") ?? noResult(instruction),
  "group-vote": (instruction, types) =>
    count(types, 1) ?? ofGroup(instruction, types[0]) ?? expect(instruction.type === I1, "votes with an i1"),
  "group-pick": (instruction, types) =>
    count(types, 2) ?? ofGroup(instruction, types[0]) ?? expect(types[1] === I32, "takes an i32 as linear id"),
  "group-first": (instruction, types) => count(types, 1) ?? ofGroup(instruction, types[0]),
  "group-ballot": ({ scope, type }, types) =>
    count(types, 1) ??
    expect(
      scope === "sub_group" && types[0] === I1 && type === vectorType(I32, 4),
      "takes an i1 of each work-item of a sub-group and results in <4 x i32>",
    ),
  "group-reduce": groupReduce,
  "group-scan": groupReduce,
  call,
  "call-builtin": ({ symbol }, types) =>
    expect(
      symbol?.kind === "builtin" && symbol.parameters.length === types.length,
      "needs a built-in with a type for each operand",
    ),
  "debug-value": (instruction, types) =>
    count(types, 1) ?? expect(instruction.symbol?.kind === "variable", "needs a variable") ?? noResult(instruction),
  "spec-constant": ({ type, operands, offset }, types) =>
    count(types, 1) ??
    expect(
      types[0] === type && operands[0]?.kind === "constant" && offset >= 0,
      "needs an id and a constant of its type as default",
    ),
  branch: (instruction, types) => count(types, 0) ?? expect(instruction.successors.length === 1, "needs one block"),
  "conditional-branch": (instruction, types) =>
    count(types, 1) ?? expect(types[0] === I1 && instruction.successors.length === 2, "needs an i1 and two blocks"),
  switch: switchCases,
  return: returns,
  unreachable: (_, types) => count(types, 0),
};
