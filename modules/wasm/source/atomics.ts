// SPDX-License-Identifier: Apache-2.0
// Atomic operations: one instruction where WebAssembly has it, a loop around a compare-exchange otherwise.
import { type AtomicKind, type Instruction, Op, type Type } from "@muxkit/ir";

import type { FunctionEmitter } from "./function-emitter.ts";
import { emitScalarOp } from "./scalars.ts";
import { pushAtomicPointer } from "./memory.ts";
import * as Wasm from "./opcodes.ts";
import { scalarType } from "./representation.ts";

/** Numbers after the atomic prefix for i32; that of i64 is the next one. */
const RMW: Readonly<Partial<Record<AtomicKind, number>>> = {
  add: 0x1e,
  sub: 0x25,
  and: 0x2c,
  or: 0x33,
  xor: 0x3a,
  exchange: 0x41,
};

const LOOPED: Readonly<Partial<Record<AtomicKind, number>>> = {
  smin: Op.SMIN,
  smax: Op.SMAX,
  umin: Op.UMIN,
  umax: Op.UMAX,
  fadd: Op.FADD,
  fmin: Op.FMIN,
  fmax: Op.FMAX,
};

function isWide(type: Type): boolean {
  return type.bits === 64 && type.kind !== "pointer";
}

function atomicAccess(emitter: FunctionEmitter, number: number, wide: boolean, offset: number): void {
  emitter.code.op(Wasm.ATOMIC + number + (wide ? 1 : 0));
  emitter.code.memory(wide ? 8 : 4, offset);
}

/** Float bits to and from the ints that atomics move. */
function toBits(emitter: FunctionEmitter, type: Type): void {
  if (type.kind === "float") emitter.code.op(type.bits === 64 ? 0xbd : 0xbc);
}

function fromBits(emitter: FunctionEmitter, type: Type): void {
  if (type.kind === "float") emitter.code.op(type.bits === 64 ? 0xbf : 0xbe);
}

/** old = load; do { seen = compare-exchange(old, op(old, value)) } while seen differs. */
function loop(emitter: FunctionEmitter, instruction: Instruction, op: number): void {
  const { code } = emitter;
  const { type } = instruction;
  const wide = isWide(type);
  const bits = wide ? Wasm.TYPE_I64 : Wasm.TYPE_I32;
  const address = code.local(Wasm.TYPE_I32);
  const old = code.local(bits);
  const seen = code.local(bits);
  const value = code.local(scalarType(type));
  const offset = pushAtomicPointer(emitter, emitter.operand(instruction, 0));
  code.set(address);
  emitter.push(emitter.operand(instruction, 1));
  code.set(value);
  code.get(address);
  atomicAccess(emitter, 0x10, wide, offset);
  code.set(seen);
  code.open(Wasm.LOOP);
  code.get(address);
  code.get(seen);
  code.tee(old);
  const pushOld = (): void => {
    code.get(old);
    fromBits(emitter, type);
  };
  emitScalarOp(emitter, op, type, [pushOld, () => code.get(value)]);
  toBits(emitter, type);
  atomicAccess(emitter, 0x48, wide, offset);
  code.tee(seen);
  code.get(old);
  code.op(wide ? 0x52 : 0x47);
  code.branch(Wasm.BR_IF, 0);
  code.end();
  code.get(old);
  fromBits(emitter, type);
}

export function emitAtomic(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  if (instruction.op === Op.FENCE) {
    code.op(Wasm.ATOMIC + 0x03);
    code.bytes.u8(0);
    return;
  }
  const isStore = instruction.op === Op.ATOMIC_STORE;
  const type = isStore ? emitter.operand(instruction, 0).type : instruction.type;
  if (type.bits < 32 && type.kind !== "pointer") emitter.refuse(instruction, "atomics have 32 or 64 bits");
  const wide = isWide(type);
  if (instruction.op === Op.ATOMIC_RMW) {
    const looped = LOOPED[instruction.atomicKind];
    if (looped !== undefined) {
      loop(emitter, instruction, looped);
      return;
    }
  }
  const offset = pushAtomicPointer(emitter, emitter.operand(instruction, isStore ? 1 : 0));
  const pushValue = (index: number): void => {
    emitter.push(emitter.operand(instruction, index));
    toBits(emitter, type);
  };
  switch (instruction.op) {
    case Op.ATOMIC_LOAD:
      atomicAccess(emitter, 0x10, wide, offset);
      fromBits(emitter, type);
      return;
    case Op.ATOMIC_STORE:
      pushValue(0);
      atomicAccess(emitter, 0x17, wide, offset);
      return;
    case Op.ATOMIC_COMPARE_EXCHANGE:
      pushValue(1);
      pushValue(2);
      atomicAccess(emitter, 0x48, wide, offset);
      fromBits(emitter, type);
      return;
    default:
      pushValue(1);
      atomicAccess(
        emitter,
        RMW[instruction.atomicKind] ?? emitter.refuse(instruction, "no such atomic operation"),
        wide,
        offset,
      );
      fromBits(emitter, type);
  }
}
