// SPDX-License-Identifier: Apache-2.0
// Functions of pipes (OpenCL C 6.15.14). The library keeps the pipe's structure, packets are copied here. A read or
// write has two operands more than in OpenCL C, at its end: size and alignment of a packet in bytes. A packet whose
// type the pointer's name gives (`float4*`) is loaded and stored, others are copied.
import {
  I1,
  I32,
  I64,
  ORDER_GLOBAL,
  Op,
  type Scope,
  type Type,
  VOID,
  type Value,
  constantInt,
  constantZero,
} from "@muxkit/ir";

import { type BuiltinCall, type Lowering, NOTHING, at, parameterAt } from "./call.ts";
import { libraryCall } from "./library.ts";
import type { Writer } from "./writer.ts";

/** A call of a function of pipes; its name without the scope. */
interface PipeCall extends BuiltinCall {
  readonly action: string;
  readonly scope: Scope;
}

/** Calls a library function; the first parameter is the pipe. */
function pipeLibrary(call: BuiltinCall, name: string, type: Type, operands: readonly Value[]): Value {
  const parameters = operands.map((value, i) => (i === 0 ? "uint*" : value.type === I64 ? "ulong" : "uint"));
  return libraryCall(call, `__muxkit_${name}`, parameters, type, operands);
}

/** Copies a packet from or to a byte offset of the pipe. */
function copyPacket(call: PipeCall, offset: Value, pointerAt: number): void {
  const { builder } = call.writer;
  const inPipe = builder.address(at(call, 0), offset, 1, 0);
  const pointer = at(call, pointerAt);
  const [target, source] = call.action === "read_pipe" ? [pointer, inPipe] : [inPipe, pointer];
  const [size, alignment] = [at(call, pointerAt + 1), at(call, pointerAt + 2)];
  const aligned = alignment.kind === "constant" ? alignment.low : 1;
  const packet = parameterAt(call, pointerAt).target?.ir ?? VOID;
  if (packet === VOID) builder.memoryCopy(target, source, size, aligned);
  else builder.store(builder.load(packet, source, aligned), target, aligned);
}

/** read_pipe and write_pipe: 0 when a packet was moved, -1 when there was none, or no room. */
const move = (call: PipeCall): Value => {
  const { writer, action, operands } = call;
  const { builder } = writer;
  // Pipe, pointer, size, alignment; with a reservation: pipe, reservation, index, pointer, size, alignment.
  const isReserved = operands.length === 6;
  const result = writer.variable(I32, 4, action);
  builder.store(constantInt(I32, -1), result, 4);
  const id = isReserved ? at(call, 1) : pipeLibrary(call, `reserve_${action}`, I64, [at(call, 0), constantInt(I32, 1)]);
  const index = isReserved ? at(call, 2) : constantInt(I32, 0);
  const size = writer.layout.sizeBits === 64 ? I64 : I32;
  const offset = pipeLibrary(call, "pipe_packet", size, [at(call, 0), id, index]);
  writer.when(writer.op(Op.NE, I1, offset, constantZero(size)), "pipe", () => {
    copyPacket(call, offset, operands.length - 3);
    if (!isReserved) pipeLibrary(call, `commit_${action}`, VOID, [at(call, 0), id]);
    builder.store(constantInt(I32, 0), result, 4);
  });
  return builder.load(I32, result, 4);
};

/** True for the one work-item of a scope that acts for all. */
function isLeader(writer: Writer, scope: Scope): Value {
  const query = scope === "work_group" ? Op.LOCAL_LINEAR_ID : Op.SUB_GROUP_LOCAL_ID;
  const type = scope === "work_group" && writer.layout.sizeBits === 64 ? I64 : I32;
  return writer.op(Op.EQ, I1, writer.builder.workItem(query, type, null), constantInt(type, 0));
}

const reserve = (call: PipeCall): Value => {
  const { writer, action, scope } = call;
  const { builder } = writer;
  const count = at(call, 1);
  if (scope === "work_item") return pipeLibrary(call, action, I64, [at(call, 0), count]);
  const made = writer.variable(I64, 8, action);
  builder.store(constantZero(I64), made, 8);
  writer.when(isLeader(writer, scope), "pipe", () =>
    builder.store(pipeLibrary(call, action, I64, [at(call, 0), count]), made, 8),
  );
  return builder.group(Op.GROUP_BROADCAST, I64, [builder.load(I64, made, 8), constantInt(I32, 0)], scope, true);
};

const commit = (call: PipeCall): Value => {
  const { writer, action, scope } = call;
  const commitNow = (): void => {
    pipeLibrary(call, action, VOID, [at(call, 0), at(call, 1)]);
  };
  if (scope === "work_item") commitNow();
  else {
    // The others may still be at their packets.
    writer.builder.barrier(scope, ORDER_GLOBAL);
    writer.when(isLeader(writer, scope), "pipe", commitNow);
  }
  return NOTHING;
};

const ACTIONS: Readonly<Record<string, (call: PipeCall) => Value>> = {
  read_pipe: move,
  write_pipe: move,
  reserve_read_pipe: reserve,
  reserve_write_pipe: reserve,
  commit_read_pipe: commit,
  commit_write_pipe: commit,
  get_pipe_max_packets: (call) => {
    const { builder } = call.writer;
    return builder.load(I32, builder.address(at(call, 0), null, 0, 4), 4);
  },
  get_pipe_num_packets: (call) => pipeLibrary(call, "pipe_num_packets", I32, [at(call, 0)]),
  is_valid_reserve_id: ({ writer, operands: [id = NOTHING] }) =>
    writer.op(Op.ZEXT, I32, writer.op(Op.NE, I1, id, constantZero(I64))),
  __muxkit_null_reserve_id: () => constantZero(I64),
};

const SCOPES: readonly (readonly [prefix: string, scope: Scope])[] = [
  ["work_group_", "work_group"],
  ["sub_group_", "sub_group"],
  ["", "work_item"],
];

/** A function of pipes. */
export const pipeFunction: Lowering = (call) => {
  const [prefix, scope] = SCOPES.find(([start]) => call.name.startsWith(start)) ?? ["", "work_item"];
  const action = call.name.slice(prefix.length);
  return ACTIONS[action]?.({ ...call, action, scope }) ?? null;
};
