// SPDX-License-Identifier: Apache-2.0
// Atomic functions: those of OpenCL C 1.x, which are relaxed and of the device, and those on atomic types
// (OpenCL C 3.0, 6.15.12) with their memory orders and scopes, which are the last operands. An order or a scope that is
// no constant is taken to be the strongest, the widest. Without them a function is sequentially consistent, of the
// device.
import { MEMORY_ORDERS, MEMORY_SCOPES } from "@muxkit/builtin-table";
import {
  type AtomicKind,
  I1,
  I32,
  type MemoryOrder,
  Op,
  type Scope,
  type Value,
  alignmentOf,
  constantInt,
} from "@muxkit/ir";

import { type BuiltinCall, type Lowering, NOTHING, at, fromTruth, parameterAt } from "./call.ts";
import { type BuiltinType, intOf } from "./types.ts";

/** The order that an operand names. */
function orderOf(operand: Value | undefined): MemoryOrder {
  return operand?.kind === "constant" ? (MEMORY_ORDERS[operand.low | 0] ?? "seq_cst") : "seq_cst";
}

/** Orders, a stronger one behind a weaker one; acquire and release are none of the two to each other. */
const BY_STRENGTH: readonly MemoryOrder[] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];

/** The weakest order that is as strong as each of two: of a compare-exchange that succeeds and of one that fails. */
function strongerOrder(success: MemoryOrder, failure: MemoryOrder): MemoryOrder {
  if (success === "release" && failure === "acquire") return "acq_rel";
  return BY_STRENGTH.indexOf(failure) > BY_STRENGTH.indexOf(success) ? failure : success;
}

/** The scope that an operand names; `otherwise` where there is none. */
function scopeOf(operand: Value | undefined, otherwise: Scope): Scope {
  if (operand === undefined) return otherwise;
  return operand.kind === "constant" ? (MEMORY_SCOPES[operand.low | 0]?.scope ?? otherwise) : "system";
}

const RELAXED: readonly [MemoryOrder, Scope] = ["relaxed", "device"];

/** Kinds of the functions of OpenCL C 1.x, for signed and unsigned ints. */
const KINDS: Readonly<Record<string, readonly [signed: AtomicKind, unsigned: AtomicKind]>> = {
  add: ["add", "add"],
  sub: ["sub", "sub"],
  inc: ["add", "add"],
  dec: ["sub", "sub"],
  xchg: ["exchange", "exchange"],
  and: ["and", "and"],
  or: ["or", "or"],
  xor: ["xor", "xor"],
  min: ["smin", "umin"],
  max: ["smax", "umax"],
};

/** atomic_add and its like, and their older names. */
export const atomic: Lowering = (call) => {
  const { writer, detail, type } = call;
  const { builder } = writer;
  const pointer = at(call, 0);
  if (detail === "cmpxchg") return builder.atomicCompareExchange(pointer, at(call, 1), at(call, 2), ...RELAXED);
  if (type.kind === "float") {
    const bits = writer.op(Op.BITCAST, intOf(type.bits, false).ir, at(call, 1));
    return writer.op(Op.BITCAST, type, builder.atomicReadModifyWrite("exchange", pointer, bits, ...RELAXED));
  }
  const isStep = detail === "inc" || detail === "dec";
  const [signed, unsigned] = KINDS[detail] ?? ["add", "add"];
  const isSigned = parameterAt(call, 0).target?.isSigned === true;
  return builder.atomicReadModifyWrite(
    isSigned ? signed : unsigned,
    pointer,
    isStep ? constantInt(type, 1) : at(call, 1),
    ...RELAXED,
  );
};

/** What a function on atomic types works with. */
interface Access extends BuiltinCall {
  readonly pointer: Value;
  /** What the atomic type holds. */
  readonly held: BuiltinType;
  readonly order: MemoryOrder;
  readonly scope: Scope;
}

/** A function on atomic types. `values`: arguments between the pointer and the orders. */
interface Operation {
  readonly values: number;
  readonly orders: number;
  readonly write: (access: Access) => Value;
}

const modify = (signed: AtomicKind, unsigned: AtomicKind = signed, float: AtomicKind = signed): Operation => ({
  values: 1,
  orders: 1,
  write: (access) => {
    const { writer, pointer, held, order, scope } = access;
    const value = at(access, 1);
    if (held.kind !== "float" || signed === "exchange")
      return writer.builder.atomicReadModifyWrite(held.isSigned ? signed : unsigned, pointer, value, order, scope);
    // A difference is a sum with the other sign.
    const term = signed === "sub" ? writer.op(Op.FNEG, held.ir, value) : value;
    return writer.builder.atomicReadModifyWrite(float, pointer, term, order, scope);
  },
});

/** Stores if the old value is the expected one; else the old value goes where the expected one was, and only then. */
const compareExchange: Operation = {
  values: 2,
  orders: 2,
  write: (access) => {
    const { writer, pointer, held, order, scope, type } = access;
    const { builder } = writer;
    const expected = at(access, 1);
    const alignment = alignmentOf(writer.layout, held.ir);
    const guess = builder.load(held.ir, expected, alignment);
    const old = builder.atomicCompareExchange(pointer, guess, at(access, 2), order, scope);
    // Bits decide, of floats too.
    const bits = (value: Value): Value =>
      held.kind === "float" ? writer.op(Op.BITCAST, intOf(held.bits, false).ir, value) : value;
    const isSame = writer.op(Op.EQ, I1, bits(old), bits(guess));
    const failed = writer.newBlock("exchange.failed");
    const end = writer.newBlock("exchange.end");
    builder.conditionalBranch(isSame, end, failed);
    writer.startBlock(failed);
    builder.store(old, expected, alignment);
    builder.branch(end);
    writer.startBlock(end);
    return fromTruth(writer, isSame, type);
  },
};

const OPERATIONS: Readonly<Record<string, Operation>> = {
  init: {
    values: 1,
    orders: 0,
    write: (access) => {
      const { writer, pointer, held } = access;
      writer.builder.store(at(access, 1), pointer, alignmentOf(writer.layout, held.ir));
      return NOTHING;
    },
  },
  store: {
    values: 1,
    orders: 1,
    write: (access) => {
      access.writer.builder.atomicStore(at(access, 1), access.pointer, access.order, access.scope);
      return NOTHING;
    },
  },
  load: {
    values: 0,
    orders: 1,
    write: ({ writer, pointer, held, order, scope }) => writer.builder.atomicLoad(held.ir, pointer, order, scope),
  },
  exchange: modify("exchange"),
  compare_exchange_strong: compareExchange,
  compare_exchange_weak: compareExchange,
  fetch_add: modify("add", "add", "fadd"),
  fetch_sub: modify("sub", "sub", "fadd"),
  fetch_or: modify("or"),
  fetch_xor: modify("xor"),
  fetch_and: modify("and"),
  fetch_min: modify("smin", "umin", "fmin"),
  fetch_max: modify("smax", "umax", "fmax"),
  flag_test_and_set: {
    values: 0,
    orders: 1,
    write: ({ writer, pointer, order, scope, type }) => {
      const old = writer.builder.atomicReadModifyWrite("exchange", pointer, constantInt(I32, 1), order, scope);
      return fromTruth(writer, writer.op(Op.NE, I1, old, constantInt(I32, 0)), type);
    },
  },
  flag_clear: {
    values: 0,
    orders: 1,
    write: ({ writer, pointer, order, scope }) => {
      writer.builder.atomicStore(constantInt(I32, 0), pointer, order, scope);
      return NOTHING;
    },
  },
};

/**
 * Functions on atomic types: `atomic_X(pointer, values …)`, `atomic_X_explicit(pointer, values …, orders …[, scope])`.
 */
export const atomicFunction: Lowering = (call) => {
  const { name, operands, generic } = call;
  const operation = OPERATIONS[name.replace(/^atomic_/u, "").replace(/_explicit$/u, "")];
  if (operation === undefined) return null;
  const first = 1 + operation.values;
  const order = orderOf(operands[first]);
  return operation.write({
    ...call,
    pointer: at(call, 0),
    held: parameterAt(call, 0).target ?? generic,
    order: operation.orders < 2 ? order : strongerOrder(order, orderOf(operands[first + 1])),
    scope: scopeOf(operands[first + operation.orders], "device"),
  });
};

/** atomic_work_item_fence(flags, order, scope). */
export const atomicFence: Lowering = ({ writer, operands: [, order, scope] }) => {
  writer.builder.fence(orderOf(order), scopeOf(scope, "device"));
  return NOTHING;
};
