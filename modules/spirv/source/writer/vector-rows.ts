// SPDX-License-Identifier: Apache-2.0
// What the vectoriser makes: lanes that are combined, memory by masks, vectors of pointers. SPIR-V has none of them, so
// each lane is one step. A lane that a mask turns off touches no memory: its step is branched around, which makes
// several blocks of one.
import {
  I8,
  type Instruction,
  Op,
  type Type,
  type Value,
  combinationOf,
  constantLane,
  constantZero,
  intType,
  laneCount,
  reduceLanes,
  scalarOf,
  sizeOf,
} from "@muxkit/ir";

import type { ExtendedNames, OpName } from "../generated/names.ts";
import { decorateFlags } from "./arithmetic-rows.ts";
import { constantId, numberId } from "./constants.ts";
import type { FunctionWriter, RowTable, RowWriter } from "./function-writer.ts";
import { MEMORY_ROWS, accessBits } from "./memory-rows.ts";
import { logicOf } from "./truth-rows.ts";
import { intId, pointerTo, storageOf } from "./types.ts";
import { written, writtenExtended } from "./written.ts";

const EXTRACT = written("OpCompositeExtract");
const INSERT = written("OpCompositeInsert");
const LOAD = written("OpLoad");
const STORE = written("OpStore");
const CHAIN = written("OpPtrAccessChain");
const BITCAST = written("OpBitcast");
const ARRAY = written("OpTypeArray");

type Combiner = (f: FunctionWriter, type: number, left: number, right: number) => number;

function byInstruction(name: OpName): Combiner {
  const opcode = written(name);
  return (f, type, left, right) => f.make(opcode, type, left, right);
}

function byFunction(name: ExtendedNames["OpenCL.std"]): Combiner {
  writtenExtended("OpenCL.std", name);
  return (f, type, left, right) => f.extended("OpenCL.std", name, type, left, right);
}

/** Two numbers combined, by the op that does it. */
const COMBINERS: Readonly<Record<number, Combiner>> = {
  [Op.ADD]: byInstruction("OpIAdd"),
  [Op.MUL]: byInstruction("OpIMul"),
  [Op.AND]: byInstruction("OpBitwiseAnd"),
  [Op.OR]: byInstruction("OpBitwiseOr"),
  [Op.XOR]: byInstruction("OpBitwiseXor"),
  [Op.SMIN]: byFunction("s_min"),
  [Op.SMAX]: byFunction("s_max"),
  [Op.UMIN]: byFunction("u_min"),
  [Op.UMAX]: byFunction("u_max"),
  [Op.FADD]: byInstruction("OpFAdd"),
  [Op.FMUL]: byInstruction("OpFMul"),
  [Op.FMIN]: byFunction("fmin"),
  [Op.FMAX]: byFunction("fmax"),
};

/** The id of a lane. */
function laneOf(f: FunctionWriter, vector: Value, lane: number): number {
  if (vector.type.kind !== "vector") return f.value(vector);
  if (vector.kind === "constant") return constantId(f.w, constantLane(vector, lane));
  return f.make(EXTRACT, f.type(scalarOf(vector.type)), f.value(vector), lane);
}

const reduce: RowWriter = (f, i) => {
  const vector = i.operands[0] as Value;
  const { op } = combinationOf(i.atomicKind, scalarOf(i.type).bits);
  const combine = i.type.bits === 1 ? logicOf(op) : COMBINERS[op];
  if (combine === undefined) return f.refuse(`lanes are not combined by ${i.atomicKind}`, i);
  const type = f.type(i.type);
  const lanes = Array.from({ length: laneCount(vector.type) }, (_, lane) => laneOf(f, vector, lane));
  return reduceLanes(lanes, (left, right) => decorateFlags(f, combine(f, type, left, right), i));
};

/** A pointer to bytes, some bytes further. */
function advanced(f: FunctionWriter, pointer: number, space: number, by: number): number {
  if (by === 0) return pointer;
  const offset = numberId(f.w, intType(f.w.addressBits), by);
  return f.make(CHAIN, pointerTo(f.w, storageOf(space), intId(f.w, 8)), pointer, offset);
}

/** A pointer to bytes as one to numbers of a type. */
function typed(f: FunctionWriter, pointer: number, space: number, type: Type): number {
  return type === I8 ? pointer : f.make(BITCAST, pointerTo(f.w, storageOf(space), f.type(type)), pointer);
}

/** Lanes of an access by a mask, and where each lies. */
interface MaskedAccess {
  readonly mask: Value;
  /** How many neighbours each lane of the mask is for. */
  readonly each: number;
  readonly space: number;
  /** What lies in memory. */
  readonly element: Type;
  /** The pointer to bytes of a lane of the mask. */
  readonly pointer: (lane: number) => number;
}

/** The truth of a lane of a mask; null: it is never on. */
function turnedOn(f: FunctionWriter, mask: Value, lane: number): number | "always" | null {
  if (mask.kind !== "constant") return laneOf(f, mask, lane);
  return constantLane(mask, lane).low === 0 ? null : "always";
}

function maskedLoad(f: FunctionWriter, i: Instruction, access: MaskedAccess): number {
  const { mask, each, space, element, pointer } = access;
  const type = f.type(i.type);
  const size = sizeOf(f.w.module.layout, element);
  let vector = constantId(f.w, constantZero(i.type));
  for (let lane = 0; lane < laneCount(mask.type); lane++) {
    const read = (): number => {
      const at = pointer(lane);
      let made = vector;
      for (let n = 0; n < each; n++) {
        const from = typed(f, advanced(f, at, space, n * size), space, element);
        const bits = accessBits(Math.min(size, i.alignment), i.flags);
        made = f.make(INSERT, type, f.make(LOAD, f.type(element), from, ...bits), made, lane * each + n);
      }
      return made;
    };
    const isOn = turnedOn(f, mask, lane);
    if (isOn === "always") vector = read();
    else if (isOn !== null) vector = f.valueWhen(isOn, type, vector, read);
  }
  return vector;
}

function maskedStore(f: FunctionWriter, i: Instruction, value: Value, access: MaskedAccess): number {
  const { mask, each, space, element, pointer } = access;
  const size = sizeOf(f.w.module.layout, element);
  for (let lane = 0; lane < laneCount(mask.type); lane++) {
    const write = (): void => {
      const at = pointer(lane);
      for (let n = 0; n < each; n++) {
        const to = typed(f, advanced(f, at, space, n * size), space, element);
        f.emit(STORE, to, laneOf(f, value, lane * each + n), ...accessBits(Math.min(size, i.alignment), i.flags));
      }
    };
    const isOn = turnedOn(f, mask, lane);
    if (isOn === "always") write();
    else if (isOn !== null) f.onlyWhen(isOn, write);
  }
  return 0;
}

/** Neighbours in memory. */
function neighbours(f: FunctionWriter, vector: Type, pointer: Value, mask: Value, i: Instruction): MaskedAccess {
  const space = pointer.type.addressSpace;
  const element = numbersOf(f, vector, i);
  const size = sizeOf(f.w.module.layout, element);
  const base = f.value(pointer);
  return { mask, each: 1, space, element, pointer: (lane) => advanced(f, base, space, lane * size) };
}

/** Numbers anywhere. */
function scattered(f: FunctionWriter, vector: Type, pointers: Value, mask: Value, i: Instruction): MaskedAccess {
  const lanes = lanePointers(f, pointers, i);
  return {
    mask,
    each: laneCount(vector) / laneCount(mask.type),
    space: scalarOf(pointers.type).addressSpace,
    element: numbersOf(f, vector, i),
    pointer: (lane) => lanes[lane] ?? 0,
  };
}

function numbersOf(f: FunctionWriter, vector: Type, i: Instruction): Type {
  const element = scalarOf(vector);
  return element.bits < 8 || element.kind === "pointer" ? f.refuse("masks are for memory with numbers", i) : element;
}

function lanePointers(f: FunctionWriter, pointers: Value, i: Instruction): readonly number[] {
  return f.lanes.get(pointers) ?? f.refuse("a vector of pointers must be made by steps from one pointer", i);
}

/** Base, indices times scale, offset: one pointer for each lane. */
const addresses: RowWriter = (f, i) => {
  const { w } = f;
  const [base, index] = i.operands as [Value, Value | undefined];
  const space = scalarOf(i.type).addressSpace;
  const bytes = intId(w, 8);
  const target = i.scale === 1 ? bytes : w.declare(ARRAY, bytes, numberId(w, intType(32), i.scale));
  const [type, byteType] = [target, bytes].map((to) => pointerTo(w, storageOf(space), to)) as [number, number];
  const bases = base.type.kind === "vector" ? lanePointers(f, base, i) : null;
  const lanes = Array.from({ length: laneCount(i.type) }, (_, lane) => {
    let at = bases?.[lane] ?? f.value(base);
    if (index !== undefined && i.scale > 0) {
      const from = target === bytes ? at : f.make(BITCAST, type, at);
      const to = f.make(CHAIN, type, from, laneOf(f, index, lane));
      at = target === bytes ? to : f.make(BITCAST, byteType, to);
    }
    return advanced(f, at, space, i.offset);
  });
  f.lanes.set(i, lanes);
  return 0;
};

/** Rows of what the vectoriser makes, for kernels. */
export const VECTOR_ROWS: RowTable = {
  [Op.ADDRESS]: (f, i) => (i.type.kind === "vector" ? addresses(f, i) : (MEMORY_ROWS[Op.ADDRESS]?.(f, i) ?? 0)),
  [Op.REDUCE]: reduce,
  [Op.MASKED_LOAD]: (f, i) => {
    const [pointer, mask] = i.operands as [Value, Value];
    return maskedLoad(f, i, neighbours(f, i.type, pointer, mask, i));
  },
  [Op.MASKED_STORE]: (f, i) => {
    const [value, pointer, mask] = i.operands as [Value, Value, Value];
    return maskedStore(f, i, value, neighbours(f, value.type, pointer, mask, i));
  },
  [Op.GATHER]: (f, i) => {
    const [pointers, mask] = i.operands as [Value, Value];
    return maskedLoad(f, i, scattered(f, i.type, pointers, mask, i));
  },
  [Op.SCATTER]: (f, i) => {
    const [value, pointers, mask] = i.operands as [Value, Value, Value];
    return maskedStore(f, i, value, scattered(f, value.type, pointers, mask, i));
  },
};
