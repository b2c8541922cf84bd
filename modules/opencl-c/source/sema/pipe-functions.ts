// SPDX-License-Identifier: Apache-2.0
// Functions of pipes (OpenCL C 6.13.16): their arguments are checked here, since packets are of any type. What has a
// pipe is emitted with two operands more, size and alignment of a packet.
import type { Span } from "@muxkit/report";
import { I32, type Value, alignmentOf, constantInt, sizeOf } from "@muxkit/ir";

import { emitBuiltin } from "./builtins.ts";
import { convertImplicitly, errorOperand } from "./convert.ts";
import { type CType, INT, RESERVE_ID, UINT, VOID_TYPE, isAggregate } from "./ctype.ts";
import { written } from "./spelling.ts";
import type { Operand, Unit } from "./unit.ts";

/** A call of a function of pipes. */
export interface PipeCall {
  readonly unit: Unit;
  readonly name: string;
  readonly given: readonly Operand[];
  readonly spans: readonly Span[];
  readonly span: Span;
}

/** The requirement that an argument fails; null: it meets it. */
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

/** Arguments by the words of a name after its scope. */
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

/** An argument: as it is, numbers as uint. */
function argument({ unit, given, spans, span }: PipeCall, index: number): Value {
  const operand = given[index];
  if (operand === undefined) return constantInt(I32, 0);
  const isNumber = operand.type.kind === "int" || operand.type.kind === "bool";
  return isNumber ? convertImplicitly(unit, operand, UINT, spans[index] ?? span) : operand.value;
}

/** A parameter's type as the reference names it. */
function parameterName({ type }: Operand): string {
  if (type.kind === "pipe") return "pipe";
  if (type.kind !== "pointer") return type === RESERVE_ID ? type.name : "uint";
  const target = type.target?.type;
  return target === undefined || isAggregate(target) ? "void*" : `${target.name}*`;
}

/** Types of results by the names without their scope; the others return void. */
const RESULTS: Readonly<Record<string, CType>> = {
  read_pipe: INT,
  write_pipe: INT,
  reserve_read_pipe: RESERVE_ID,
  reserve_write_pipe: RESERVE_ID,
  get_pipe_num_packets: UINT,
  get_pipe_max_packets: UINT,
  is_valid_reserve_id: INT,
  __muxkit_null_reserve_id: RESERVE_ID,
};

function emit(call: PipeCall, action: string): Operand {
  const { unit, name, given } = call;
  const values = given.map((_, i) => argument(call, i));
  const parameters = given.map(parameterName);
  if (given[0]?.type.kind === "pipe") {
    const packetType = given[0].type.target?.type;
    if (packetType === undefined) return errorOperand();
    const { layout } = unit.options;
    values.push(constantInt(I32, sizeOf(layout, packetType.ir)), constantInt(I32, alignmentOf(layout, packetType.ir)));
    parameters.push("uint", "uint");
  }
  return emitBuiltin(unit, { kind: "builtin", name, parameters }, RESULTS[action] ?? VOID_TYPE, values);
}

const SCOPES: readonly string[] = ["work_group_", "sub_group_"];

/** Checks the arguments of a function of pipes and emits its call. */
export function pipeFunction(call: PipeCall): Operand {
  const prefix = SCOPES.find((start) => call.name.startsWith(start)) ?? "";
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
    call.unit.report("pipeArgument", call.spans[i] ?? call.span, [call.name, problem, i + 1, written(operand)]);
  });
  return isRight ? emit(call, name) : errorOperand();
}
