// SPDX-License-Identifier: Apache-2.0
// Instruction selection by table: each op of the IR has a writer, which leaves all parts of the result on the operand
// stack, the first part deepest.
import { type Instruction, OPS, type OpRule, Op, type Type, type Value, scalarOf } from "@muxkit/ir";

import { emitAtomic } from "./atomics.ts";
import type { FunctionEmitter } from "./function-emitter.ts";
import { emitVote, emitReduce } from "./across.ts";
import { emitMultiplyAdd } from "./multiply-add.ts";
import { emitLaneAccess } from "./lane-memory.ts";
import { emitLoad, emitStore } from "./memory.ts";
import { GET_STACK, SET_STACK } from "./intrinsics.ts";
import * as Wasm from "./opcodes.ts";
import { isMask } from "./representation.ts";
import { emitAddress, emitScalarBitcast, emitScalarConvert, emitScalarOp } from "./scalars.ts";
import { emitAddresses } from "./vector-addresses.ts";
import { convertsHalf } from "./vector-conversions.ts";
import { emitVector } from "./vectors.ts";

function emitCall(emitter: FunctionEmitter, instruction: Instruction): void {
  const { symbol } = instruction;
  if (symbol === null || symbol.kind !== "function") emitter.refuse(instruction, "a call needs a function");
  if (symbol.name === GET_STACK) {
    emitter.code.branch(Wasm.GLOBAL_GET, emitter.frame.stackGlobal);
    return;
  }
  emitter.pushAll(instruction.operands);
  if (symbol.name === SET_STACK) emitter.setStack();
  else emitter.code.call(emitter.frame.functionIndex(symbol));
}

function emitSelect(emitter: FunctionEmitter, instruction: Instruction): void {
  emitter.push(emitter.operand(instruction, 1));
  emitter.push(emitter.operand(instruction, 2));
  emitter.push(emitter.operand(instruction, 0));
  emitter.code.op(Wasm.SELECT);
}

function pushInt32(emitter: FunctionEmitter, value: Value): void {
  emitter.push(value);
  if (value.type.kind === "int" && value.type.bits === 64) emitter.code.op(0xa7);
}

function emitBulk(emitter: FunctionEmitter, instruction: Instruction): void {
  const isCopy = instruction.op === Op.MEMORY_COPY;
  emitter.push(emitter.operand(instruction, 0));
  emitter.push(emitter.operand(instruction, 1));
  pushInt32(emitter, emitter.operand(instruction, 2));
  emitter.code.op(Wasm.MISC + (isCopy ? 0x0a : 0x0b));
  emitter.code.bytes.u8(0);
  if (isCopy) emitter.code.bytes.u8(0);
}

type Writer = (emitter: FunctionEmitter, instruction: Instruction) => void;

/** Ops that are written the same way whatever their operands are. */
const WRITERS: Readonly<Partial<Record<OpRule, Writer>>> = {
  alloca: (emitter, instruction) => emitter.pushVariable(instruction),
  load: emitLoad,
  store: emitStore,
  address: (emitter, instruction) => {
    if (instruction.type.kind === "vector") emitAddresses(emitter, instruction);
    else emitAddress(emitter, instruction, true);
  },
  "masked-load": emitLaneAccess,
  "masked-store": emitLaneAccess,
  gather: emitLaneAccess,
  scatter: emitLaneAccess,
  "ternary-float": emitMultiplyAdd,
  "lanes-vote": emitVote,
  "lanes-reduce": emitReduce,
  "memory-copy": emitBulk,
  "memory-fill": emitBulk,
  call: emitCall,
  "atomic-load": emitAtomic,
  "atomic-store": emitAtomic,
  "atomic-rmw": emitAtomic,
  "atomic-compare-exchange": emitAtomic,
  fence: emitAtomic,
};

const NOT_LOWERED = "an op that the target must lower reached the code generator";

const emitScalar: Writer = (emitter, instruction) => {
  const first = emitter.operand(instruction, 0);
  if (isUnsupported(instruction.op, first.type)) emitter.refuse(instruction, NOT_LOWERED);
  emitScalarOp(
    emitter,
    instruction.op,
    first.type,
    instruction.operands.map((value) => () => emitter.push(value)),
  );
};

/** Ops on scalars. */
const SCALAR_WRITERS: Readonly<Partial<Record<OpRule, Writer>>> = {
  convert: (emitter, instruction) => {
    const first = emitter.operand(instruction, 0);
    const isOfHalves = isHalf(instruction.type) || isHalf(first.type);
    if (isOfHalves && !convertsHalf(emitter, instruction.op, first.type, instruction.type))
      emitter.refuse(instruction, NOT_LOWERED);
    emitScalarConvert(emitter, instruction.op, first.type, instruction.type, () => emitter.push(first));
  },
  bitcast: (emitter, instruction) => {
    const first = emitter.operand(instruction, 0);
    emitScalarBitcast(emitter, first.type, instruction.type, () => emitter.push(first));
  },
  select: emitSelect,
  "unary-int": emitScalar,
  "unary-float": emitScalar,
  "binary-int": emitScalar,
  "binary-float": emitScalar,
  shift: emitScalar,
  "compare-int": emitScalar,
  "compare-float": emitScalar,
};

/** Rules of ops that compute with floats, besides conversions. */
const COMPUTING: ReadonlySet<OpRule> = new Set(["unary-float", "binary-float", "ternary-float", "compare-float"]);

/** True when the result or an operand is of such a type. */
function hasType({ type, operands }: Instruction, is: (type: Type) => boolean): boolean {
  return is(type) || operands.some((operand) => is(operand.type));
}

/** Writes any instruction but terminators. */
export function emitInstruction(emitter: FunctionEmitter, instruction: Instruction): void {
  const rule = OPS[instruction.op]?.rule ?? "unreachable";
  const isVector = instruction.type.kind === "vector" || instruction.operands[0]?.type.kind === "vector";
  // Lanes of halves can be moved, not computed with.
  if (isVector && COMPUTING.has(rule) && hasType(instruction, isHalf)) emitter.refuse(instruction, NOT_LOWERED);
  if (rule === "bitcast" && hasType(instruction, isMask))
    emitter.refuse(instruction, "a lane mask has no bits of its own");
  const write = WRITERS[rule] ?? (isVector ? emitVector : SCALAR_WRITERS[rule]);
  if (write === undefined) emitter.refuse(instruction, NOT_LOWERED);
  write(emitter, instruction);
}

/** Remainders of floats, 64-bit high products and arithmetic on halves are expanded before: see `WASM_MACHINE`. */
function isUnsupported(op: number, type: Type): boolean {
  if (op === Op.FREM) return true;
  if ((op === Op.SMULH || op === Op.UMULH) && type.bits === 64) return true;
  return isHalf(type);
}

/** A half is represented by its bits only. */
function isHalf(type: Type): boolean {
  const { kind, bits } = scalarOf(type);
  return kind === "float" && bits === 16;
}
