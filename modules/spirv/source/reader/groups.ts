// SPDX-License-Identifier: Apache-2.0
// Group and sub-group operations, asynchronous copies, pipes.
import { type AtomicKind, I32, Op, VOID, type Value, constantInt, constantZero } from "@muxkit/ir";

import type { OpName } from "../generated/names.ts";
import { type Handler, type HandlerTable } from "./arithmetic.ts";
import { COMBINED } from "./combined.table.ts";
import { narrowed } from "./narrow.ts";
import { callBuiltin, callByTypes, fittedInt, pointerName, sizeOperand } from "./calls.ts";
import type { FunctionReader } from "./function-reader.ts";
import { targetOf } from "./memory.ts";
import { scopeAt } from "./synchronization.ts";
import { layoutOf, openclTargetName } from "./types.ts";

type GroupScope = "work_group" | "sub_group";

function groupScope(f: FunctionReader): GroupScope {
  const scope = scopeAt(f, 0);
  return scope === "work_group" || scope === "sub_group"
    ? scope
    : f.refuse("a group operation is of a work-group or a sub-group");
}

/** An operation of group operations: reduction, scans, reduction of clusters. */
const FORMS: readonly number[] = [Op.GROUP_REDUCE, Op.GROUP_SCAN_INCLUSIVE, Op.GROUP_SCAN_EXCLUSIVE, Op.GROUP_REDUCE];
const CLUSTERED = 3;

/** Scope, operation, value, and for clusters their size. */
const combine =
  (kind: AtomicKind, isUniform: boolean): Handler =>
  (f) => {
    const form = f.i.word(1);
    const op = FORMS[form] ?? f.refuse(`there is no group operation ${form} in kernels`);
    const value = f.arg(2);
    const operands = [value];
    if (form === CLUSTERED) {
      const size = f.constant(3);
      if (size === 0 || !Number.isInteger(Math.log2(size)))
        return f.refuse(`a cluster has a power of two of work-items, not ${size}`);
      operands.push(constantInt(I32, size));
    }
    const made = f.b.group(op, value.type, operands, groupScope(f), isUniform, kind);
    if (value.type.kind === "float") made.flags |= f.b.floatFlags;
    return made;
  };

const vote =
  (op: number, isUniform: boolean): Handler =>
  (f) => {
    const value = f.arg(1);
    return f.b.group(op, value.type, [value], groupScope(f), isUniform);
  };

/** The work-item of a scope by its local id: one number, or one for each dimension. */
function linearId(f: FunctionReader, id: Value): Value {
  if (id.type.kind !== "vector") return id.type.bits === 64 ? narrowed(f, id) : fittedInt(f, id, I32);
  let linear: Value | null = null;
  for (let axis = id.type.count - 1; axis >= 0; axis--) {
    const own = fittedInt(f, f.b.extract(id, axis), I32);
    const size = fittedInt(f, f.b.workItem(Op.LOCAL_SIZE, f.sizeType, constantInt(I32, axis)), I32);
    linear = linear === null ? own : f.op(Op.ADD, I32, f.op(Op.MUL, I32, linear, size), own);
  }
  return linear ?? constantZero(I32);
}

const pick =
  (op: number, isUniform: boolean): Handler =>
  (f) => {
    const value = f.arg(1);
    return f.b.group(op, value.type, [value, linearId(f, f.arg(2))], groupScope(f), isUniform);
  };

/** A function of sub-groups by its name in OpenCL C; operands follow the scope, and ints of them are unsigned. */
const subGroup =
  (name: string, signs: readonly boolean[] = [false]): Handler =>
  (f) => {
    if (groupScope(f) !== "sub_group") return f.refuse("the operation is of sub-groups");
    const values = Array.from({ length: f.i.count - 1 }, (_, n) => f.arg(n + 1));
    return callByTypes(f, name, f.ir, values, signs);
  };

/** The number of bits: all, or up to the work-item. */
const BIT_COUNTS = ["bit_count", "inclusive_scan", "exclusive_scan"];

const ballotBitCount: Handler = (f) => {
  const name = BIT_COUNTS[f.i.word(1)] ?? f.refuse("bits are counted as a reduction or a scan");
  return callByTypes(f, `sub_group_ballot_${name}`, f.ir, [f.arg(2)], [false]);
};

/** Scope, target, source, elements, stride, event. */
const asyncCopy: Handler = (f) => {
  const [target, source] = [f.arg(1), f.arg(2)];
  const element = targetOf(f, f.argType(1));
  const name = `${openclTargetName(element, true)}*`;
  if (name === "void*") return f.refuse("an asynchronous copy is of numbers or vectors of them");
  const [count, stride] = [sizeOperand(f, f.arg(3)), sizeOperand(f, f.arg(4))];
  const isDense = stride.value.kind === "constant" && stride.value.low === 1;
  const [names, values] = isDense
    ? [
        [name, name, count.name],
        [target, source, count.value],
      ]
    : [
        [name, name, count.name, stride.name],
        [target, source, count.value, stride.value],
      ];
  return callBuiltin(
    f,
    isDense ? "async_work_group_copy" : "async_work_group_strided_copy",
    [...names, "event_t"],
    f.ir,
    [...values, f.arg(5)],
  );
};

const wait: Handler = (f) => {
  callBuiltin(f, "wait_group_events", ["int", "event_t*"], VOID, [fittedInt(f, f.arg(1), I32), f.arg(2)]);
  return undefined;
};

/** A packet's type, where its size is that of a number, else bytes. */
function packetName(f: FunctionReader, index: number, bytes: number): string {
  const name = pointerName(f, f.argType(index), true);
  const target = targetOf(f, f.argType(index));
  return target.kind !== "opaque" && target.kind !== "void" && layoutOf(f.m, target).size === bytes ? name : "void*";
}

/** Operands before the pipe, and how many there are between it and the size of a packet. */
const movePacket =
  (name: string, isReserved: boolean): Handler =>
  (f) => {
    const at = isReserved ? 3 : 1;
    const [bytes, alignment] = [f.constant(at + 1), f.constant(at + 2)];
    const names = isReserved ? ["pipe", "reserve_id_t", "uint"] : ["pipe"];
    const values = isReserved ? [f.arg(0), f.arg(1), f.arg(2)] : [f.arg(0)];
    return callBuiltin(f, name, [...names, packetName(f, at, bytes), "uint", "uint"], I32, [
      ...values,
      f.arg(at),
      constantInt(I32, bytes),
      constantInt(I32, alignment),
    ]);
  };

/** A function of a pipe whose operands begin at `from`; at the end are size and alignment of a packet. */
const pipeFunction =
  (name: string, from: number, names: readonly string[], prefix: boolean = false): Handler =>
  (f) => {
    const all = names[0] === "pipe" ? [...names, "uint", "uint"] : names;
    const values = all.map((_, n) => f.arg(from + n));
    const own = prefix ? `${groupScope(f)}_${name}` : name;
    const made = callBuiltin(f, own, all, f.i.typeId === 0 ? VOID : f.ir, values);
    return f.i.typeId === 0 ? undefined : made;
  };

const RESERVE = ["pipe", "uint"];
const COMMIT = ["pipe", "reserve_id_t"];

/** The rows of reductions and scans, which differ in how they combine. */
function combinations(): HandlerTable {
  const table: HandlerTable = {};
  for (const [name, kind] of Object.entries(COMBINED)) {
    table[`OpGroupNonUniform${name}` as OpName] = combine(kind, false);
    const isOld = /^(?:[IF]Add|[SUF]M(?:in|ax))$/u.test(name);
    table[(isOld ? `OpGroup${name}` : `OpGroup${name}KHR`) as OpName] = combine(kind, true);
  }
  return table;
}

/** Rows of groups, copies and pipes. */
export const GROUPS: HandlerTable = {
  ...combinations(),
  OpGroupAll: vote(Op.GROUP_ALL, true),
  OpGroupAny: vote(Op.GROUP_ANY, true),
  OpGroupBroadcast: pick(Op.GROUP_BROADCAST, true),
  OpGroupNonUniformElect: subGroup("sub_group_elect"),
  OpGroupNonUniformAll: vote(Op.GROUP_ALL, false),
  OpGroupNonUniformAny: vote(Op.GROUP_ANY, false),
  OpGroupNonUniformAllEqual: subGroup("sub_group_non_uniform_all_equal"),
  OpGroupNonUniformBroadcast: pick(Op.GROUP_SHUFFLE, false),
  OpGroupNonUniformBroadcastFirst: subGroup("sub_group_broadcast_first"),
  OpGroupNonUniformBallot: subGroup("sub_group_ballot"),
  OpGroupNonUniformInverseBallot: subGroup("sub_group_inverse_ballot"),
  OpGroupNonUniformBallotBitExtract: subGroup("sub_group_ballot_bit_extract"),
  OpGroupNonUniformBallotBitCount: ballotBitCount,
  OpGroupNonUniformBallotFindLSB: subGroup("sub_group_ballot_find_lsb"),
  OpGroupNonUniformBallotFindMSB: subGroup("sub_group_ballot_find_msb"),
  OpGroupNonUniformShuffle: subGroup("sub_group_shuffle"),
  OpGroupNonUniformShuffleXor: subGroup("sub_group_shuffle_xor"),
  OpGroupNonUniformShuffleUp: subGroup("sub_group_shuffle_up"),
  OpGroupNonUniformShuffleDown: subGroup("sub_group_shuffle_down"),
  OpGroupNonUniformRotateKHR: (f) =>
    subGroup(f.i.count > 3 ? "sub_group_clustered_rotate" : "sub_group_rotate", [false, true, false])(f),
  OpGroupAsyncCopy: asyncCopy,
  OpGroupWaitEvents: wait,
  OpReadPipe: movePacket("read_pipe", false),
  OpWritePipe: movePacket("write_pipe", false),
  OpReservedReadPipe: movePacket("read_pipe", true),
  OpReservedWritePipe: movePacket("write_pipe", true),
  OpReserveReadPipePackets: pipeFunction("reserve_read_pipe", 0, RESERVE),
  OpReserveWritePipePackets: pipeFunction("reserve_write_pipe", 0, RESERVE),
  OpCommitReadPipe: pipeFunction("commit_read_pipe", 0, COMMIT),
  OpCommitWritePipe: pipeFunction("commit_write_pipe", 0, COMMIT),
  OpIsValidReserveId: pipeFunction("is_valid_reserve_id", 0, ["reserve_id_t"]),
  OpGetNumPipePackets: pipeFunction("get_pipe_num_packets", 0, ["pipe"]),
  OpGetMaxPipePackets: pipeFunction("get_pipe_max_packets", 0, ["pipe"]),
  OpGroupReserveReadPipePackets: pipeFunction("reserve_read_pipe", 1, RESERVE, true),
  OpGroupReserveWritePipePackets: pipeFunction("reserve_write_pipe", 1, RESERVE, true),
  OpGroupCommitReadPipe: pipeFunction("commit_read_pipe", 1, COMMIT, true),
  OpGroupCommitWritePipe: pipeFunction("commit_write_pipe", 1, COMMIT, true),
};
