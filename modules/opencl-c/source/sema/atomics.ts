// SPDX-License-Identifier: Apache-2.0
// The atomic functions of OpenCL C 2.0 and 3.0 (6.15.12), on variables of atomic types: orders and scopes are checked where they are constants.
import { note, type Span } from "@muxkit/report";
import {
  type AtomicKind,
  CONSTANT,
  GLOBAL,
  I1,
  I64,
  LOCAL,
  Op,
  PRIVATE,
  type Scope,
  type Value,
  I32,
  alignmentOf,
  constantInt,
} from "@muxkit/ir";

import { report } from "../diagnostics.table.ts";
import { type Requirement, isAvailable, whatIsMissing } from "../language.ts";
import { ORDERS, type Order, SCOPES } from "./atomic-constants.ts";
import { convertImplicitly, errorOperand, fromTruth } from "./convert.ts";
import { BOOL, type CType, INT, VOID_TYPE } from "./ctype.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

const ALL: readonly Order[] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
const READS: readonly Order[] = ["relaxed", "acquire", "seq_cst"];
const WRITES: readonly Order[] = ["relaxed", "release", "seq_cst"];

/** One operation. `orders`: what each of its order arguments may be. `on`: the types of what it works on. */
interface Operation {
  readonly operands: readonly ("value" | "expected")[];
  readonly orders: readonly (readonly Order[])[];
  readonly on: "any" | "integer" | "number" | "flag";
  /** What of cl_ext_float_atomics the operation is on floats: the middle of its features' names. */
  readonly floats?: "add" | "min_max";
  readonly write: (access: Access) => Operand;
}

/** What an operation is written from. */
interface Access {
  readonly unit: Unit;
  readonly name: string;
  readonly pointer: Value;
  readonly held: CType;
  readonly operands: readonly Value[];
  readonly order: Order;
  readonly scope: Scope;
}

const none = valueOf(VOID_TYPE, constantInt(I32, 0));

const modify = (signed: AtomicKind, unsigned: AtomicKind = signed): Operation => ({
  operands: ["value"],
  orders: [ALL],
  on: "integer",
  write: ({ unit, pointer, held, operands, order, scope }) =>
    valueOf(
      held,
      unit.builder.atomicReadModifyWrite(
        held.isSigned ? signed : unsigned,
        pointer,
        operands[0] ?? constantInt(held.ir, 0),
        order,
        scope,
      ),
    ),
});

/** One that floats have too, with cl_ext_float_atomics. A difference is a sum with the other sign. */
const modifyNumber = (
  floats: "add" | "min_max",
  float: AtomicKind,
  signed: AtomicKind,
  unsigned: AtomicKind = signed,
): Operation => {
  const whole = modify(signed, unsigned);
  return {
    ...whole,
    on: "number",
    floats,
    write: (access) => {
      const { unit, pointer, held, operands, order, scope } = access;
      const [value] = operands;
      if (held.kind !== "float" || value === undefined) return whole.write(access);
      return valueOf(
        held,
        unit.builder.atomicReadModifyWrite(
          float,
          pointer,
          signed === "sub" ? unit.op(Op.FNEG, held.ir, value) : value,
          order,
          scope,
        ),
      );
    },
  };
};

/** Stores if the old value is the expected one; else the old value goes where the expected one was, and only then. */
const compareExchange: Operation = {
  operands: ["expected", "value"],
  orders: [ALL, READS],
  on: "any",
  write: ({ unit, pointer, held, operands, order, scope }) => {
    const [expected, wanted] = operands;
    if (expected === undefined || wanted === undefined) return errorOperand();
    const { builder } = unit;
    const alignment = alignmentOf(unit.options.layout, held.ir);
    const guess = builder.load(held.ir, expected, alignment);
    const old = builder.atomicCompareExchange(pointer, guess, wanted, order, scope);
    // Bits decide, of floats too.
    const bits = (value: Value): Value =>
      held.kind === "float" ? unit.op(Op.BITCAST, held.bits === 64 ? I64 : I32, value) : value;
    const isSame = unit.op(Op.EQ, I1, bits(old), bits(guess));
    const failed = unit.newBlock("exchange.failed");
    const end = unit.newBlock("exchange.end");
    builder.conditionalBranch(isSame, end, failed);
    unit.place(failed);
    builder.store(old, expected, alignment);
    builder.branch(end);
    unit.place(end);
    return fromTruth(unit, isSame, BOOL);
  },
};

const OPERATIONS: Readonly<Record<string, Operation>> = {
  init: {
    operands: ["value"],
    orders: [],
    on: "any",
    write: ({ unit, pointer, held, operands }) => {
      unit.builder.store(operands[0] ?? constantInt(held.ir, 0), pointer, alignmentOf(unit.options.layout, held.ir));
      return none;
    },
  },
  store: {
    operands: ["value"],
    orders: [WRITES],
    on: "any",
    write: ({ unit, pointer, held, operands, order, scope }) => {
      unit.builder.atomicStore(operands[0] ?? constantInt(held.ir, 0), pointer, order, scope);
      return none;
    },
  },
  load: {
    operands: [],
    orders: [READS],
    on: "any",
    write: ({ unit, pointer, held, order, scope }) =>
      valueOf(held, unit.builder.atomicLoad(held.ir, pointer, order, scope)),
  },
  exchange: { ...modify("exchange"), on: "any" },
  compare_exchange_strong: compareExchange,
  compare_exchange_weak: compareExchange,
  fetch_add: modifyNumber("add", "fadd", "add"),
  fetch_sub: modifyNumber("add", "fadd", "sub"),
  fetch_or: modify("or"),
  fetch_xor: modify("xor"),
  fetch_and: modify("and"),
  fetch_min: modifyNumber("min_max", "fmin", "smin", "umin"),
  fetch_max: modifyNumber("min_max", "fmax", "smax", "umax"),
  flag_test_and_set: {
    operands: [],
    orders: [ALL],
    on: "flag",
    write: ({ unit, pointer, order, scope }) => {
      const old = unit.builder.atomicReadModifyWrite("exchange", pointer, constantInt(I32, 1), order, scope);
      return fromTruth(unit, unit.op(Op.NE, I1, old, constantInt(I32, 0)), BOOL);
    },
  },
  flag_clear: {
    operands: [],
    orders: [WRITES],
    on: "flag",
    write: ({ unit, pointer, order, scope }) => {
      unit.builder.atomicStore(constantInt(I32, 0), pointer, order, scope);
      return none;
    },
  },
};

/** The value of a constant argument; null: it is known at run time only. */
function constantArgument(value: Value): number | null {
  return value.kind === "constant" ? value.low | 0 : null;
}

const ACQUIRE_RELEASE: Requirement = { since: 200, needs: ["__opencl_c_atomic_order_acq_rel"] };

/** Reports what an order may not be; gives the order to write. What is known at run time only is ordered as strongly as there is. */
function orderOf(
  unit: Unit,
  name: string,
  argument: Value,
  allowed: readonly Order[],
  isFence: boolean,
  span: Span,
): Order {
  const value = constantArgument(argument);
  if (value === null)
    return isAvailable(unit.options, "__opencl_c_atomic_order_seq_cst") ? "seq_cst" : (allowed.at(-1) ?? "relaxed");
  const order = ORDERS[value];
  const list = allowed.map((known) => `memory_order_${known}`).join(", ");
  if (order === undefined) unit.report("memoryOrder", span, [name, `the order ${value}`, `it takes ${list}`]);
  else if (!allowed.includes(order))
    unit.report("memoryOrder", span, [name, `memory_order_${order}`, `it takes ${list}`]);
  else if (!isFence && (order === "acquire" || order === "release" || order === "acq_rel")) {
    const missing = whatIsMissing(unit.options, ACQUIRE_RELEASE);
    if (missing !== null) unit.report("needsFeature", span, [`memory_order_${order}`, missing]);
  }
  return order ?? "seq_cst";
}

/** The scope that an argument names; one that is known at run time only is taken to be the widest. */
function scopeOf(unit: Unit, name: string, argument: Value, isFence: boolean, span: Span): Scope {
  const value = constantArgument(argument);
  if (value === null) return "system";
  const row = SCOPES[value];
  if (row === undefined || (row[0] === "work_item" && !isFence)) {
    const list = Object.values(SCOPES)
      .filter(([scope]) => isFence || scope !== "work_item")
      .map(([, known]) => `memory_scope_${known}`)
      .join(", ");
    unit.report("memoryOrder", span, [
      name,
      row === undefined ? `the scope ${value}` : "memory_scope_work_item",
      `it takes ${list}`,
    ]);
  }
  return row?.[0] ?? "device";
}

/** True when the order of a failure asks for more than that of a success. */
function isStronger(failure: Order, success: Order): boolean {
  return (
    (failure === "seq_cst" && success !== "seq_cst") ||
    (failure === "acquire" && (success === "relaxed" || success === "release"))
  );
}

/** What an atomic function works on; null: the argument is no pointer to it. */
function heldType(unit: Unit, argument: Operand | undefined, on: Operation["on"]): CType | null {
  const target = argument?.type.kind === "pointer" ? argument.type.target : null;
  if (
    target === null ||
    target === undefined ||
    target.type.kind !== "atomic" ||
    target.type.element === null ||
    target.isConst ||
    target.space === CONSTANT
  )
    return null;
  if (target.space === PRIVATE && !isAvailable(unit.options, "__opencl_c_generic_address_space")) return null;
  const isFlag = target.type.name === "atomic_flag";
  if (isFlag !== (on === "flag") || (on === "integer" && target.type.element.kind !== "int")) return null;
  return target.type.element;
}

/** Features that an operation on floats asks for: those of the address space, or of both where the pointer says neither. */
function floatFeatures(argument: Operand | undefined, held: CType, floats: string): readonly string[] {
  const space = argument?.type.kind === "pointer" ? argument.type.target?.space : undefined;
  const spaces = space === GLOBAL ? ["global"] : space === LOCAL ? ["local"] : ["global", "local"];
  return spaces.map((name) => `__opencl_c_ext_fp${held.bits}_${name}_atomic_${floats}`);
}

/** Checks one operand beside the pointer; null: it does not fit. */
function operandOf(unit: Unit, kind: "value" | "expected", argument: Operand, held: CType, span: Span): Value | null {
  if (kind === "value")
    return argument.type.kind === "int" || argument.type.kind === "float" || argument.type.kind === "bool"
      ? convertImplicitly(unit, argument, held, span)
      : null;
  const target = argument.type.kind === "pointer" ? argument.type.target : null;
  return target !== null && target.type === held && !target.isConst && target.space !== CONSTANT
    ? argument.value
    : null;
}

function refuse(unit: Unit, name: string, given: readonly Operand[], span: Span, operation: Operation): Operand {
  const on =
    operation.on === "flag"
      ? "atomic_flag"
      : operation.on === "integer"
        ? "atomic_int, atomic_uint, atomic_long or atomic_ulong"
        : operation.on === "number"
          ? "an atomic type of numbers"
          : "an atomic type";
  report(unit.diagnostics, "noOverload", span, [name, given.map(({ type }) => type.name).join(", ")], {
    notes: [note(`it takes a pointer to ${on} that is not const, in global or local memory`, null)],
  });
  return errorOperand();
}

/** Writes the call of an atomic function. `given` are values; `spans` are those of the arguments. */
export function callAtomic(
  unit: Unit,
  name: string,
  given: readonly Operand[],
  spans: readonly Span[],
  span: Span,
): Operand {
  const isExplicit = name.endsWith("_explicit");
  const operation = OPERATIONS[name.replace(/^atomic_/u, "").replace(/_explicit$/u, "")];
  if (operation === undefined) return errorOperand();
  const plain = 1 + operation.operands.length;
  const least = plain + (isExplicit ? operation.orders.length : 0);
  const most = isExplicit ? least + 1 : least;
  if (given.length < least || given.length > most) {
    unit.report("argumentCount", span, [name, least === most ? least : `${least} or ${most}`, given.length]);
    return errorOperand();
  }
  const held = heldType(unit, given[0], operation.on);
  if (held === null) return refuse(unit, name, given, span, operation);
  if (held.kind === "float" && operation.floats !== undefined) {
    const missing = whatIsMissing(unit.options, { since: 200, needs: floatFeatures(given[0], held, operation.floats) });
    if (missing !== null) unit.report("needsFeature", span, [`${name} on ${held.name}`, missing]);
  }
  const at = (index: number): Span => spans[index] ?? span;
  const operands = operation.operands.map((kind, i) =>
    operandOf(unit, kind, given[i + 1] ?? errorOperand(), held, at(i + 1)),
  );
  const fitting = operands.filter((value) => value !== null);
  if (fitting.length < operands.length) return refuse(unit, name, given, span, operation);
  const argument = (index: number): Value => convertImplicitly(unit, given[index] ?? errorOperand(), INT, at(index));
  const orders = isExplicit
    ? operation.orders.map((allowed, i) => orderOf(unit, name, argument(plain + i), allowed, false, at(plain + i)))
    : [];
  const [success = "seq_cst", failure] = orders;
  if (
    failure !== undefined &&
    isStronger(failure, success) &&
    given.slice(plain, plain + 2).every(({ value }) => value.kind === "constant")
  ) {
    unit.report("memoryOrder", at(plain + 1), [
      name,
      `memory_order_${failure} for a failure`,
      `it is stronger than memory_order_${success} for a success`,
    ]);
  }
  if (isExplicit && given.length < most) {
    const missing = whatIsMissing(unit.options, { since: 200, needs: ["__opencl_c_atomic_scope_device"] });
    if (missing !== null) unit.report("needsFeature", span, [`${name} without a scope`, missing]);
  }
  const scope =
    given.length === most && isExplicit ? scopeOf(unit, name, argument(most - 1), false, at(most - 1)) : "device";
  return operation.write({
    unit,
    name,
    pointer: given[0]?.value ?? constantInt(I32, 0),
    held,
    operands: fitting,
    order: success,
    scope,
  });
}

/** Writes `atomic_work_item_fence(flags, order, scope)`. */
export function callFence(
  unit: Unit,
  name: string,
  given: readonly Operand[],
  spans: readonly Span[],
  span: Span,
): Operand {
  if (given.length !== 3) {
    unit.report("argumentCount", span, [name, 3, given.length]);
    return errorOperand();
  }
  const [, order, scope] = given.map((operand, i) => convertImplicitly(unit, operand, INT, spans[i] ?? span));
  if (order === undefined || scope === undefined) return errorOperand();
  unit.builder.fence(
    orderOf(unit, name, order, ALL, true, spans[1] ?? span),
    scopeOf(unit, name, scope, true, spans[2] ?? span),
  );
  return none;
}
