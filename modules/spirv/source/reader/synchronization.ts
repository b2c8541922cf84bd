// SPDX-License-Identifier: Apache-2.0
// Atomic operations, barriers and fences. Scopes and memory semantics are constants in all that producers write; those
// that are known at run time only are taken as the widest and the strongest.
import {
  type AtomicKind,
  I32,
  type MemoryOrder,
  ORDER_GLOBAL,
  ORDER_IMAGE,
  ORDER_LOCAL,
  Op,
  type Scope,
  type Value,
  constantInt,
  constantZero,
} from "@muxkit/ir";

import type { Handler, HandlerTable } from "./arithmetic.ts";
import type { FunctionReader } from "./function-reader.ts";

const SCOPES: readonly Scope[] = ["system", "device", "work_group", "sub_group", "work_item", "device"];
const ORDERS: readonly (readonly [bit: number, order: MemoryOrder])[] = [
  [0x10, "seq_cst"],
  [0x8, "acq_rel"],
  [0x4, "release"],
  [0x2, "acquire"],
];
/** Which memory semantics order, by their bits. */
const MEMORIES: readonly (readonly [bits: number, memory: number])[] = [
  [0x100, ORDER_LOCAL],
  [0x240, ORDER_GLOBAL],
  [0x800, ORDER_IMAGE],
];

function constantOf(f: FunctionReader, id: number): number | null {
  const operand = f.operand(id);
  return operand.kind === "constant" ? operand.low : null;
}

/** The scope of operand word `index`. */
export function scopeAt(f: FunctionReader, index: number): Scope {
  const number = constantOf(f, f.i.word(index));
  if (number === null) return "system";
  return SCOPES[number] ?? f.refuse(`there is no scope ${number} in kernels`);
}

/** The memory order of operand word `index`. */
function orderAt(f: FunctionReader, index: number): MemoryOrder {
  const bits = constantOf(f, f.i.word(index));
  if (bits === null) return "seq_cst";
  return ORDERS.find(([bit]) => (bits & bit) !== 0)?.[1] ?? "relaxed";
}

/** What memory a barrier orders, of operand word `index`. */
function memoryAt(f: FunctionReader, index: number): number {
  const bits = constantOf(f, f.i.word(index));
  if (bits === null) return ORDER_LOCAL | ORDER_GLOBAL | ORDER_IMAGE;
  let memory = 0;
  for (const [mask, own] of MEMORIES) if ((bits & mask) !== 0) memory |= own;
  return memory;
}

/** Pointers, and ints and floats of 32 and 64 bits. */
function checked(f: FunctionReader, value: Value): Value {
  const { kind, bits } = value.type;
  return kind === "pointer" || ((kind === "int" || kind === "float") && bits >= 32)
    ? value
    : f.refuse(`atomic operations work on ints and floats of 32 or 64 bits, not on ${value.type.text}`);
}

/** Pointer, scope, semantics, value. */
const modify =
  (kind: AtomicKind): Handler =>
  (f) =>
    f.b.atomicReadModifyWrite(kind, f.arg(0), checked(f, f.arg(3)), orderAt(f, 2), scopeAt(f, 1));

const step =
  (kind: AtomicKind): Handler =>
  (f) =>
    f.b.atomicReadModifyWrite(kind, f.arg(0), checked(f, constantInt(f.ir, 1)), orderAt(f, 2), scopeAt(f, 1));

/** Pointer, scope, two semantics, value, comparator. The order of a success is the stronger one. */
const compareExchange: Handler = (f) =>
  f.b.atomicCompareExchange(f.arg(0), f.arg(5), checked(f, f.arg(4)), orderAt(f, 2), scopeAt(f, 1));

const barrier: Handler = (f) => {
  const scope = scopeAt(f, 0);
  if (scope === "work_item") return undefined;
  if (scope !== "work_group" && scope !== "sub_group")
    return f.refuse("a barrier is of a work-group or a sub-group; others cannot wait for one another");
  f.b.barrier(scope, memoryAt(f, 2));
  return undefined;
};

const fence: Handler = (f) => {
  const order = orderAt(f, 1);
  if (order !== "relaxed") f.b.fence(order, scopeAt(f, 0));
  return undefined;
};

/** Rows of atomic operations and barriers. */
export const SYNCHRONIZATION: HandlerTable = {
  OpAtomicLoad: (f) => {
    checked(f, constantZero(f.ir));
    return f.b.atomicLoad(f.ir, f.arg(0), orderAt(f, 2), scopeAt(f, 1));
  },
  OpAtomicStore: (f) => {
    f.b.atomicStore(checked(f, f.arg(3)), f.arg(0), orderAt(f, 2), scopeAt(f, 1));
    return undefined;
  },
  OpAtomicExchange: modify("exchange"),
  OpAtomicCompareExchange: compareExchange,
  OpAtomicCompareExchangeWeak: compareExchange,
  OpAtomicIIncrement: step("add"),
  OpAtomicIDecrement: step("sub"),
  OpAtomicIAdd: modify("add"),
  OpAtomicISub: modify("sub"),
  OpAtomicSMin: modify("smin"),
  OpAtomicUMin: modify("umin"),
  OpAtomicSMax: modify("smax"),
  OpAtomicUMax: modify("umax"),
  OpAtomicAnd: modify("and"),
  OpAtomicOr: modify("or"),
  OpAtomicXor: modify("xor"),
  OpAtomicFAddEXT: modify("fadd"),
  OpAtomicFMinEXT: modify("fmin"),
  OpAtomicFMaxEXT: modify("fmax"),
  OpAtomicFlagTestAndSet: (f) => {
    const old = f.b.atomicReadModifyWrite("exchange", f.arg(0), constantInt(I32, 1), orderAt(f, 2), scopeAt(f, 1));
    return f.b.compare(Op.NE, old, constantZero(I32));
  },
  OpAtomicFlagClear: (f) => {
    f.b.atomicStore(constantZero(I32), f.arg(0), orderAt(f, 2), scopeAt(f, 1));
    return undefined;
  },
  OpControlBarrier: barrier,
  OpMemoryBarrier: fence,
};
