// SPDX-License-Identifier: Apache-2.0
// Operations of sub-groups in shaders. They take vectors and truth values too, where OpenCL C has scalars: lane by
// lane, and truth values as ints. All are non-uniform: those work-items take part that come together.
import { type AtomicKind, I1, I32, Op, type Value, constantInt, constantZero } from "@muxkit/ir";

import type { OpName } from "../../generated/names.ts";
import type { Handler, HandlerTable } from "../arithmetic.ts";
import { callByTypes, fittedInt } from "../calls.ts";
import { COMBINED } from "../combined.table.ts";
import type { FunctionReader } from "../function-reader.ts";
import { narrowed } from "../narrow.ts";
import { scopeAt } from "../synchronization.ts";

function requireSubGroup(f: FunctionReader): void {
  if (scopeAt(f, 0) !== "sub_group") f.refuse("the operation is of sub-groups");
}

/** Lane by lane; `write` gets scalars. */
function perLane(f: FunctionReader, value: Value, write: (scalar: Value) => Value): Value {
  if (value.type.kind !== "vector") return write(value);
  return f.b.build(Array.from({ length: value.type.count }, (_, n) => write(f.b.extract(value, n))));
}

/** A truth value moves as an int. */
function asNumber(f: FunctionReader, scalar: Value, write: (number: Value) => Value): Value {
  if (scalar.type !== I1) return write(scalar);
  const made = write(f.op(Op.ZEXT, I32, scalar));
  return f.b.compare(Op.NE, made, constantZero(I32));
}

/** The value of another work-item, whose number `id` is. */
export function valueOfItem(f: FunctionReader, value: Value, id: Value): Value {
  return perLane(f, value, (scalar) =>
    asNumber(f, scalar, (number) => f.b.group(Op.GROUP_SHUFFLE, number.type, [number, id], "sub_group", false)),
  );
}

const own = (f: FunctionReader): Value => f.b.workItem(Op.SUB_GROUP_LOCAL_ID, I32, null);

function number32(f: FunctionReader, index: number): Value {
  const value = f.arg(index);
  return value.type.bits === 64 ? narrowed(f, value) : fittedInt(f, value, I32);
}

/** Shuffles: the work-item's number from its own and operand 2; `from` gets both. */
const shuffle =
  (from: (f: FunctionReader, id: Value, operand: Value) => Value): Handler =>
  (f) => {
    requireSubGroup(f);
    return valueOfItem(f, f.arg(1), from(f, own(f), number32(f, 2)));
  };

const by =
  (op: number) =>
  (f: FunctionReader, id: Value, operand: Value): Value =>
    f.op(op, I32, id, operand);

/** Rotation within clusters, whose size is a power of two, or within the whole sub-group. */
const rotate: Handler = (f) => {
  requireSubGroup(f);
  const id = own(f);
  const moved = f.op(Op.ADD, I32, id, number32(f, 2));
  if (f.i.count <= 3) {
    const size = f.b.workItem(Op.SUB_GROUP_SIZE, I32, null);
    return valueOfItem(f, f.arg(1), f.op(Op.UREM, I32, moved, size));
  }
  const mask = constantInt(I32, f.constant(3) - 1);
  const base = f.op(Op.AND, I32, id, f.op(Op.XOR, I32, mask, constantInt(I32, -1)));
  return valueOfItem(f, f.arg(1), f.op(Op.ADD, I32, base, f.op(Op.AND, I32, moved, mask)));
};

/** The four work-items of a quad. */
const quadBroadcast = (f: FunctionReader, id: Value, operand: Value): Value =>
  f.op(Op.ADD, I32, f.op(Op.AND, I32, id, constantInt(I32, -4)), operand);

/** Directions: 0 is its neighbour, 1 the one below, 2 the one across. */
const quadSwap = (f: FunctionReader, id: Value, operand: Value): Value =>
  f.op(Op.XOR, I32, id, f.op(Op.ADD, I32, operand, constantInt(I32, 1)));

/** The value of the first work-item that takes part. */
export function valueOfFirst(f: FunctionReader, value: Value): Value {
  return perLane(f, value, (scalar) =>
    asNumber(f, scalar, (number) => f.b.group(Op.GROUP_BROADCAST_FIRST, number.type, [number], "sub_group", false)),
  );
}

const broadcastFirst: Handler = (f) => {
  requireSubGroup(f);
  return valueOfFirst(f, f.arg(1));
};

const allEqual: Handler = (f) => {
  requireSubGroup(f);
  const value = f.arg(1);
  const equal = (scalar: Value): Value => {
    const given = scalar.type === I1 ? f.op(Op.ZEXT, I32, scalar) : scalar;
    return callByTypes(f, "sub_group_non_uniform_all_equal", I1, [given], [false]);
  };
  if (value.type.kind !== "vector") return equal(value);
  return Array.from({ length: value.type.count }, (_, n) => equal(f.b.extract(value, n))).reduce((all, one) =>
    f.op(Op.AND, I1, all, one),
  );
};

const FORMS: readonly number[] = [Op.GROUP_REDUCE, Op.GROUP_SCAN_INCLUSIVE, Op.GROUP_SCAN_EXCLUSIVE, Op.GROUP_REDUCE];
const CLUSTERED = 3;

/** Scope, operation, value, and for clusters their size. */
const combine =
  (kind: AtomicKind): Handler =>
  (f) => {
    requireSubGroup(f);
    const form = f.i.word(1);
    const op = FORMS[form] ?? f.refuse(`there is no group operation ${form} in shaders`);
    const more: Value[] = [];
    if (form === CLUSTERED) {
      const size = f.constant(3);
      if (size === 0 || !Number.isInteger(Math.log2(size)))
        return f.refuse(`a cluster has a power of two of work-items, not ${size}`);
      more.push(constantInt(I32, size));
    }
    return perLane(f, f.arg(2), (scalar) => {
      const made = f.b.group(op, scalar.type, [scalar, ...more], "sub_group", false, kind);
      if (scalar.type.kind === "float") made.flags |= f.b.floatFlags;
      return made;
    });
  };

function combinations(): HandlerTable {
  const table: HandlerTable = {};
  for (const [name, kind] of Object.entries(COMBINED)) table[`OpGroupNonUniform${name}` as OpName] = combine(kind);
  return table;
}

/** Rows of sub-groups in shaders. */
export const SHADER_SUBGROUPS: HandlerTable = {
  ...combinations(),
  OpGroupNonUniformAllEqual: allEqual,
  OpGroupNonUniformBroadcast: shuffle((_f, _id, operand) => operand),
  OpGroupNonUniformBroadcastFirst: broadcastFirst,
  OpGroupNonUniformShuffle: shuffle((_f, _id, operand) => operand),
  OpGroupNonUniformShuffleXor: shuffle(by(Op.XOR)),
  OpGroupNonUniformShuffleUp: shuffle(by(Op.SUB)),
  OpGroupNonUniformShuffleDown: shuffle(by(Op.ADD)),
  OpGroupNonUniformRotateKHR: rotate,
  OpGroupNonUniformQuadBroadcast: shuffle(quadBroadcast),
  OpGroupNonUniformQuadSwap: shuffle(quadSwap),
};
