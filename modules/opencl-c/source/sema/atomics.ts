// SPDX-License-Identifier: Apache-2.0
// The atomic functions of OpenCL C 2.0 and 3.0 (6.15.12), on variables of atomic types. Orders and scopes are checked
// where they are constants; what is emitted names them always as constants: one that is known at run time only is the
// strongest, or the widest.
import { type AtomicOrder as Order, type AtomicScope, MEMORY_ORDERS, MEMORY_SCOPES } from "@muxkit/builtin-table";
import { note, type Span } from "@muxkit/report";
import { CONSTANT, GLOBAL, I32, LOCAL, PRIVATE, type Value, constantInt } from "@muxkit/ir";

import { report } from "../diagnostics.table.ts";
import { type Requirement, isAvailable, whatIsMissing } from "../language.ts";
import { emitBuiltin } from "./builtins.ts";
import { convertImplicitly, errorOperand } from "./convert.ts";
import { BOOL, type CType, INT, VOID_TYPE } from "./ctype.ts";
import { writtenList } from "./spelling.ts";
import type { Operand, Unit } from "./unit.ts";

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
  readonly result: "held" | "bool" | "void";
}

const modify = (on: Operation["on"], floats?: "add" | "min_max"): Operation => ({
  operands: ["value"],
  orders: [ALL],
  on,
  ...(floats === undefined ? {} : { floats }),
  result: "held",
});

const compareExchange: Operation = {
  operands: ["expected", "value"],
  orders: [ALL, READS],
  on: "any",
  result: "bool",
};

const OPERATIONS: Readonly<Record<string, Operation>> = {
  init: { operands: ["value"], orders: [], on: "any", result: "void" },
  store: { operands: ["value"], orders: [WRITES], on: "any", result: "void" },
  load: { operands: [], orders: [READS], on: "any", result: "held" },
  exchange: modify("any"),
  compare_exchange_strong: compareExchange,
  compare_exchange_weak: compareExchange,
  fetch_add: modify("number", "add"),
  fetch_sub: modify("number", "add"),
  fetch_or: modify("integer"),
  fetch_xor: modify("integer"),
  fetch_and: modify("integer"),
  fetch_min: modify("number", "min_max"),
  fetch_max: modify("number", "min_max"),
  flag_test_and_set: { operands: [], orders: [ALL], on: "flag", result: "bool" },
  flag_clear: { operands: [], orders: [WRITES], on: "flag", result: "void" },
};

/** The value of an order's constant. */
function orderConstant(order: Order): Value {
  const [value = "5"] = Object.entries(MEMORY_ORDERS).find(([, known]) => known === order) ?? [];
  return constantInt(I32, Number(value));
}

/** The value of a scope's constant. */
function scopeConstant(scope: AtomicScope["scope"]): Value {
  const [value = "2"] = Object.entries(MEMORY_SCOPES).find(([, known]) => known.scope === scope) ?? [];
  return constantInt(I32, Number(value));
}

/** The value of a constant argument; null: it is known at run time only. */
function constantArgument(value: Value): number | null {
  return value.kind === "constant" ? value.low | 0 : null;
}

const ACQUIRE_RELEASE: Requirement = { since: 200, needs: ["__opencl_c_atomic_order_acq_rel"] };

/**
 * Reports an order that is not allowed; returns the order to emit. What is known at run time only is ordered as
 * strongly as there is.
 */
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
  const order = MEMORY_ORDERS[value];
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
function scopeOf(unit: Unit, name: string, argument: Value, span: Span): AtomicScope["scope"] {
  const value = constantArgument(argument);
  if (value === null) return "system";
  const row = MEMORY_SCOPES[value];
  if (row === undefined) {
    const list = Object.values(MEMORY_SCOPES).map((known) => `memory_scope_${known.name}`);
    unit.report("memoryOrder", span, [name, `the scope ${value}`, `it takes ${list.join(", ")}`]);
  }
  return row?.scope ?? "device";
}

/**
 * Orders that are too strong for a failure where the success has this one (C11 7.17.7.4). Of a release and an acquire
 * neither is the stronger one.
 */
const TOO_STRONG: Readonly<Record<Order, readonly Order[]>> = {
  relaxed: ["acquire", "seq_cst"],
  acquire: ["seq_cst"],
  release: ["seq_cst"],
  acq_rel: ["seq_cst"],
  seq_cst: [],
};

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

/**
 * Features that an operation on floats requires: those of the address space, or of both if the pointer has neither.
 */
function floatFeatures(argument: Operand | undefined, held: CType, floats: string): readonly string[] {
  const space = argument?.type.kind === "pointer" ? argument.type.target?.space : undefined;
  const spaces = space === GLOBAL ? ["global"] : space === LOCAL ? ["local"] : ["global", "local"];
  return spaces.map((name) => `__opencl_c_ext_fp${held.bits}_${name}_atomic_${floats}`);
}

/** Checks one operand besides the pointer; null: it does not fit. */
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
  report(unit.diagnostics, "noOverload", span, [name, writtenList(given)], {
    notes: [note(`it takes a pointer to ${on} that is not const, in global or local memory`, null)],
  });
  return errorOperand();
}

/** Checks and emits the call of an atomic function. `given` are values; `spans` are those of the arguments. */
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
    TOO_STRONG[success].includes(failure) &&
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
  const scope = given.length === most && isExplicit ? scopeOf(unit, name, argument(most - 1), at(most - 1)) : "device";
  return emitAtomic(unit, name, operation, given[0], held, fitting, orders, scope);
}

/** Emits a call with an order and a scope, in the name that takes them. */
function emitAtomic(
  unit: Unit,
  name: string,
  { operands, orders: allowed, result }: Operation,
  pointer: Operand | undefined,
  held: CType,
  values: readonly Value[],
  orders: readonly Order[],
  scope: AtomicScope["scope"],
): Operand {
  const type = result === "held" ? held : result === "bool" ? BOOL : VOID_TYPE;
  const plain = name.replace(/_explicit$/u, "");
  const parameters = [
    `${pointer?.type.target?.type.name ?? "int"}*`,
    ...operands.map((kind) => (kind === "value" ? held.name : `${held.name}*`)),
  ];
  const first = [pointer?.value ?? constantInt(I32, 0), ...values];
  if (allowed.length === 0) return emitBuiltin(unit, { kind: "builtin", name: plain, parameters }, type, first);
  const constants = allowed.map((_, i) => orderConstant(orders[i] ?? "seq_cst"));
  return emitBuiltin(
    unit,
    {
      kind: "builtin",
      name: `${plain}_explicit`,
      parameters: [...parameters, ...constants.map(() => "memory_order"), "memory_scope"],
    },
    type,
    [...first, ...constants, scopeConstant(scope)],
  );
}

const FENCE_PARAMETERS: readonly string[] = ["uint", "memory_order", "memory_scope"];

/** Emits `atomic_work_item_fence(flags, order, scope)`. */
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
  const [flags, order, scope] = given.map((operand, i) => convertImplicitly(unit, operand, INT, spans[i] ?? span));
  if (flags === undefined || order === undefined || scope === undefined) return errorOperand();
  return emitBuiltin(unit, { kind: "builtin", name, parameters: FENCE_PARAMETERS }, VOID_TYPE, [
    flags,
    orderConstant(orderOf(unit, name, order, ALL, true, spans[1] ?? span)),
    scopeConstant(scopeOf(unit, name, scope, spans[2] ?? span)),
  ]);
}
