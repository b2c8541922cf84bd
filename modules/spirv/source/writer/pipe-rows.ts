// SPDX-License-Identifier: Apache-2.0
// Functions of pipes in kernels: an instruction for each, with size and alignment of a packet at its end.
import { CONSTANT, GENERIC, I1, type Value } from "@muxkit/ir";

import type { OpName } from "../generated/names.ts";
import type { BuiltinCall, BuiltinWriter } from "./builtin-rows.ts";
import { numberId } from "./constants.ts";
import type { FunctionWriter } from "./function-writer.ts";
import { NULL_RESERVATION } from "./handles.ts";
import { scopeId } from "./synchronization-rows.ts";
import { handleType, pointerTo, storageOf } from "./types.ts";
import { written } from "./written.ts";

const TO_GENERIC = written("OpPtrCastToGeneric");
const SELECT = written("OpSelect");
const NULL = written("OpConstantNull");
const VALID = written("OpIsValidReserveId");

const RESERVATION = { kind: "reservation" } as const;

function reservation(f: FunctionWriter, value: Value): number {
  return f.handleValue(value, RESERVATION);
}

/** Size and alignment of a packet, which end the operands. */
function packet(f: FunctionWriter, { i }: BuiltinCall): readonly [number, number] {
  return [f.value(i.operands.at(-2) as Value), f.value(i.operands.at(-1) as Value)];
}

/** The pointer to a packet: the specification wants a generic one. */
function packetPointer(f: FunctionWriter, call: BuiltinCall, index: number, target: number): number {
  const value = call.i.operands[index] as Value;
  const id = f.pointer(value, target);
  if (value.type.addressSpace === GENERIC) return id;
  if (value.type.addressSpace === CONSTANT)
    return f.refuse("a packet cannot be in constant memory: pointers to it are generic", call.i);
  return f.make(TO_GENERIC, pointerTo(f.w, storageOf(GENERIC), target), id);
}

/** A read or write of a packet, of a reservation where there are operands for it. */
function move(plain: OpName, reserved: OpName, targetOf: TargetOf): BuiltinWriter {
  const [one, two] = [written(plain), written(reserved)];
  return (f, call) => {
    const { i, parameters } = call;
    const [pipe, second, index] = i.operands as [Value, Value, Value];
    const at = i.operands.length - 3;
    const pointer = packetPointer(f, call, at, targetOf(f, parameters[at] ?? ""));
    const type = f.type(i.type);
    return at === 1
      ? f.make(one, type, f.value(pipe), pointer, ...packet(f, call))
      : f.make(two, type, f.value(pipe), reservation(f, second), f.value(index), pointer, ...packet(f, call));
  };
}

type TargetOf = (f: FunctionWriter, name: string) => number;

type PipeScope = "work_group" | "sub_group" | null;

function scopeOf(f: FunctionWriter, scope: PipeScope): readonly number[] {
  return scope === null ? [] : [scopeId(f, scope)];
}

function reserve(name: OpName, scope: PipeScope): BuiltinWriter {
  const opcode = written(name);
  return (f, call) => {
    const [pipe, count] = call.i.operands as [Value, Value];
    const type = handleType(f.w, RESERVATION);
    return f.make(opcode, type, ...scopeOf(f, scope), f.value(pipe), f.value(count), ...packet(f, call));
  };
}

function commit(name: OpName, scope: PipeScope): BuiltinWriter {
  const opcode = written(name);
  return (f, call) => {
    const [pipe, id] = call.i.operands as [Value, Value];
    f.emit(opcode, ...scopeOf(f, scope), f.value(pipe), reservation(f, id), ...packet(f, call));
    return 0;
  };
}

function packetCount(name: OpName): BuiltinWriter {
  const opcode = written(name);
  return (f, call) => f.make(opcode, f.type(call.i.type), f.value(call.i.operands[0] as Value), ...packet(f, call));
}

/** Rows of the functions of pipes; `targetOf`: what a pointer points to by the name of its type. */
export function pipeBuiltins(targetOf: TargetOf): Readonly<Record<string, BuiltinWriter>> {
  const rows: Record<string, BuiltinWriter> = {
    read_pipe: move("OpReadPipe", "OpReservedReadPipe", targetOf),
    write_pipe: move("OpWritePipe", "OpReservedWritePipe", targetOf),
    reserve_read_pipe: reserve("OpReserveReadPipePackets", null),
    reserve_write_pipe: reserve("OpReserveWritePipePackets", null),
    commit_read_pipe: commit("OpCommitReadPipe", null),
    commit_write_pipe: commit("OpCommitWritePipe", null),
    get_pipe_num_packets: packetCount("OpGetNumPipePackets"),
    get_pipe_max_packets: packetCount("OpGetMaxPipePackets"),
    is_valid_reserve_id: (f, { i }) => {
      const made = f.make(VALID, f.type(I1), reservation(f, i.operands[0] as Value));
      return f.make(SELECT, f.type(i.type), made, numberId(f.w, i.type, 1), numberId(f.w, i.type, 0));
    },
    [NULL_RESERVATION]: (f) => f.w.declare(NULL, handleType(f.w, RESERVATION)),
  };
  for (const scope of ["work_group", "sub_group"] as const) {
    rows[`${scope}_reserve_read_pipe`] = reserve("OpGroupReserveReadPipePackets", scope);
    rows[`${scope}_reserve_write_pipe`] = reserve("OpGroupReserveWritePipePackets", scope);
    rows[`${scope}_commit_read_pipe`] = commit("OpGroupCommitReadPipe", scope);
    rows[`${scope}_commit_write_pipe`] = commit("OpGroupCommitWritePipe", scope);
  }
  return rows;
}
