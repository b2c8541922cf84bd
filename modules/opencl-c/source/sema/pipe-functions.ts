// SPDX-License-Identifier: Apache-2.0
// Functions of pipes (OpenCL C 6.13.16): their arguments are looked at here, since packets are of any type; the library keeps the pipe's structure, packets are copied here.
import type { Span } from "@muxkit/report";
import {
  type BuiltinReference,
  I1,
  I32,
  I64,
  ORDER_GLOBAL,
  Op,
  type Scope,
  type Type,
  VOID,
  type Value,
  alignmentOf,
  constantInt,
  constantZero,
  sizeOf,
} from "@muxkit/ir";

import { convertImplicitly, errorOperand } from "./convert.ts";
import { type CType, INT, RESERVE_ID, UINT, VOID_TYPE, isAggregate } from "./ctype.ts";
import { type Operand, type Unit, valueOf } from "./unit.ts";

/** A call of a function of pipes. */
export interface PipeCall {
  readonly unit: Unit;
  readonly name: string;
  readonly given: readonly Operand[];
  readonly spans: readonly Span[];
  readonly span: Span;
}

/** What a function asks of one argument; null: it has it. */
type Wanted = (operand: Operand, call: PipeCall) => string | null;

const pipe: Wanted = ({ type }, { name }) => {
  if (type.kind !== "pipe") return "a pipe";
  const access = name.includes("read_pipe") ? "read_only" : name.includes("write_pipe") ? "write_only" : null;
  return access === null || type.name.startsWith(access) ? null : `a ${access} pipe`;
};
const number: Wanted = ({ type }) => (type.kind === "int" || type.kind === "bool" ? null : "a uint");
const reservation: Wanted = ({ type }) => (type === RESERVE_ID ? null : "a reserve_id_t");
const packet: Wanted = ({ type }, { given, name }) => {
  const of = given[0]?.type.target?.type;
  const fits = type.kind === "pointer" && type.target?.type === of && (name === "write_pipe" || !type.target?.isConst);
  return of === undefined || fits ? null : `a pointer to ${of.name}`;
};

/** Arguments by the words of a name behind its scope. */
const ARGUMENTS: Readonly<Record<string, readonly (readonly Wanted[])[]>> = {
  read_pipe: [
    [pipe, packet],
    [pipe, reservation, number, packet],
  ],
  write_pipe: [
    [pipe, packet],
    [pipe, reservation, number, packet],
  ],
  reserve_read_pipe: [[pipe, number]],
  reserve_write_pipe: [[pipe, number]],
  commit_read_pipe: [[pipe, reservation]],
  commit_write_pipe: [[pipe, reservation]],
  get_pipe_num_packets: [[pipe]],
  get_pipe_max_packets: [[pipe]],
  is_valid_reserve_id: [[reservation]],
  __muxkit_null_reserve_id: [[]],
};

function at({ given }: PipeCall, index: number): Value {
  return given[index]?.value ?? constantInt(I32, 0);
}

function asUint(call: PipeCall, index: number): Value {
  const operand = call.given[index];
  return operand === undefined
    ? constantInt(I32, 0)
    : convertImplicitly(call.unit, operand, UINT, call.spans[index] ?? call.span);
}

/** Calls a library function; the first parameter is the pipe. */
function library({ unit }: PipeCall, name: string, type: Type, operands: readonly Value[]): Value {
  const parameters = operands.map((value, i) => (i === 0 ? "uint*" : value.type === I64 ? "ulong" : "uint"));
  const reference: BuiltinReference = { kind: "builtin", name: `__muxkit_${name}`, parameters };
  return unit.builder.callBuiltin(reference, type, operands);
}

/** Writes `if (condition) { … }`. */
function when(unit: Unit, condition: Value, body: () => void): void {
  const [inside, behind] = [unit.newBlock("pipe"), unit.newBlock("pipe.end")];
  unit.builder.conditionalBranch(condition, inside, behind);
  unit.place(inside);
  body();
  unit.builder.branch(behind);
  unit.place(behind);
}

/** Copies a packet from or to the place at a byte offset of the pipe. */
function copyPacket(call: PipeCall, offset: Value, pointer: Value, type: CType): void {
  const { unit } = call;
  const { builder } = unit;
  const isRead = call.name === "read_pipe";
  const place = builder.address(at(call, 0), offset, 1, 0);
  const alignment = alignmentOf(unit.options.layout, type.ir);
  const [target, source] = isRead ? [pointer, place] : [place, pointer];
  if (isAggregate(type))
    builder.memoryCopy(target, source, constantInt(I32, sizeOf(unit.options.layout, type.ir)), alignment);
  else builder.store(builder.load(type.ir, source, alignment), target, alignment);
}

/** read_pipe and write_pipe: 0 when a packet was moved, -1 when there was none, or no room. */
function move(call: PipeCall): Operand {
  const { unit, given, name } = call;
  const { builder } = unit;
  const type = given[0]?.type.target?.type;
  if (type === undefined) return errorOperand();
  const isReserved = given.length === 4;
  const result = unit.variable(I32, 4, name);
  builder.store(constantInt(I32, -1), result, 4);
  const id = isReserved ? at(call, 1) : library(call, `reserve_${name}`, I64, [at(call, 0), constantInt(I32, 1)]);
  const size = unit.options.layout.sizeBits === 64 ? I64 : I32;
  const offset = library(call, "pipe_packet", size, [
    at(call, 0),
    id,
    isReserved ? asUint(call, 2) : constantInt(I32, 0),
  ]);
  when(unit, unit.op(Op.NE, I1, offset, constantZero(size)), () => {
    copyPacket(call, offset, at(call, given.length - 1), type);
    if (!isReserved) library(call, `commit_${name}`, VOID, [at(call, 0), id]);
    builder.store(constantInt(I32, 0), result, 4);
  });
  return valueOf(INT, builder.load(I32, result, 4));
}

/** True for the one work-item of a scope that acts for all. */
function isLeader(unit: Unit, scope: Scope): Value {
  return unit.op(
    Op.EQ,
    I1,
    unit.builder.workItem(scope === "work_group" ? Op.LOCAL_LINEAR_ID : Op.SUB_GROUP_LOCAL_ID, I32, null),
    constantInt(I32, 0),
  );
}

function reserve(call: PipeCall, name: string, scope: Scope): Operand {
  const { unit } = call;
  const { builder } = unit;
  const count = asUint(call, 1);
  if (scope === "work_item") return valueOf(RESERVE_ID, library(call, name, I64, [at(call, 0), count]));
  const made = unit.variable(I64, 8, name);
  builder.store(constantZero(I64), made, 8);
  when(unit, isLeader(unit, scope), () => builder.store(library(call, name, I64, [at(call, 0), count]), made, 8));
  return valueOf(
    RESERVE_ID,
    builder.group(Op.GROUP_BROADCAST, I64, [builder.load(I64, made, 8), constantInt(I32, 0)], scope, true),
  );
}

function commit(call: PipeCall, name: string, scope: Scope): Operand {
  const { unit } = call;
  const commitNow = (): void => {
    library(call, name, VOID, [at(call, 0), at(call, 1)]);
  };
  if (scope === "work_item") commitNow();
  else {
    // The others may still be at their packets.
    unit.builder.barrier(scope, ORDER_GLOBAL);
    when(unit, isLeader(unit, scope), commitNow);
  }
  return valueOf(VOID_TYPE, constantInt(I32, 0));
}

function write(call: PipeCall, name: string, scope: Scope): Operand {
  const { unit } = call;
  switch (name) {
    case "read_pipe":
    case "write_pipe":
      return move(call);
    case "get_pipe_max_packets":
      return valueOf(UINT, unit.builder.load(I32, unit.builder.address(at(call, 0), null, 0, 4), 4));
    case "get_pipe_num_packets":
      return valueOf(UINT, library(call, "pipe_num_packets", I32, [at(call, 0)]));
    case "is_valid_reserve_id":
      return valueOf(INT, unit.op(Op.ZEXT, I32, unit.op(Op.NE, I1, at(call, 0), constantZero(I64))));
    case "__muxkit_null_reserve_id":
      return valueOf(RESERVE_ID, constantZero(I64));
    default:
      return name.startsWith("reserve") ? reserve(call, name, scope) : commit(call, name, scope);
  }
}

const SCOPES: readonly (readonly [prefix: string, scope: Scope])[] = [
  ["work_group_", "work_group"],
  ["sub_group_", "sub_group"],
  ["", "work_item"],
];

/** Checks the arguments of a function of pipes and writes its call. */
export function pipeFunction(call: PipeCall): Operand {
  const [prefix, scope] = SCOPES.find(([start]) => call.name.startsWith(start)) ?? ["", "work_item"];
  const name = call.name.slice(prefix.length);
  const forms = ARGUMENTS[name] ?? [];
  const form = forms.find(({ length }) => length === call.given.length);
  if (form === undefined) {
    call.unit.report("argumentCount", call.span, [
      call.name,
      forms.map(({ length }) => length).join(" or "),
      call.given.length,
    ]);
    return errorOperand();
  }
  let isRight = true;
  form.forEach((wanted, i) => {
    const operand = call.given[i];
    const problem = operand === undefined ? null : wanted(operand, call);
    if (operand === undefined || problem === null) return;
    isRight = false;
    call.unit.report("pipeArgument", call.spans[i] ?? call.span, [call.name, problem, i + 1, operand.type.name]);
  });
  return isRight ? write(call, name, scope) : errorOperand();
}
