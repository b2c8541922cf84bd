// Vectors of addresses: lanes of 32 bits.
import { type Instruction, type Value, constantLane } from "@muxkit/ir";

import type { FunctionEmitter } from "./function-emitter.ts";
import * as Wasm from "./opcodes.ts";
import { partCount } from "./representation.ts";
import { pushScaled, scaledConstant } from "./scalars.ts";
import * as Simd from "./simd.table.ts";
import { pushAsWords } from "./vector-conversions.ts";

const LANES = 4;
const ADD = 0xae;
const SHIFT_LEFT = 0xab;
const MULTIPLY = 0xb5;

function wordsOf(value: (lane: number) => number): Uint8Array {
  return new Uint8Array(Int32Array.from({ length: LANES }, (_, i) => value(i)).buffer);
}

/** Puts the bytes that a part of a vector of indices is worth on the stack. */
function pushScaledPart(emitter: FunctionEmitter, index: Value, scale: number, part: number): void {
  const { code } = emitter;
  if (index.kind === "constant") {
    code.v128(wordsOf((i) => (part * LANES + i < index.type.count ? scaledConstant(constantLane(index, part * LANES + i), scale) : 0)));
    return;
  }
  pushAsWords(emitter, index, part);
  if (scale === 1) return;
  const shift = Math.log2(scale);
  if (Number.isInteger(shift)) {
    code.i32(shift);
    code.simd(SHIFT_LEFT);
  } else {
    code.v128(wordsOf(() => scale));
    code.simd(MULTIPLY);
  }
}

/** Everything that is the same for all lanes, as one vector in a local; null: there is nothing. */
function uniformPart(emitter: FunctionEmitter, instruction: Instruction): number | null {
  const { code } = emitter;
  const { offset, scale } = instruction;
  const base = emitter.operand(instruction, 0);
  const index = instruction.operands[1];
  let terms = 0;
  const add = (push: () => void): void => {
    push();
    if (terms++ > 0) code.op(0x6a);
  };
  if (base.type.kind !== "vector") add(() => emitter.push(base));
  if (index !== undefined && index.type.kind !== "vector") add(() => pushScaled(emitter, index, scale));
  if (offset !== 0) add(() => code.i32(offset));
  if (terms === 0) return null;
  code.simd(Simd.I32X4_SPLAT);
  const local = code.scratch(Wasm.TYPE_V128);
  code.set(local);
  return local;
}

/** base + index * scale + offset for each lane. */
export function emitAddresses(emitter: FunctionEmitter, instruction: Instruction): void {
  const { code } = emitter;
  const base = emitter.operand(instruction, 0);
  const index = instruction.operands[1];
  const uniform = uniformPart(emitter, instruction);
  for (let part = 0; part < partCount(instruction.type); part++) {
    let terms = 0;
    const add = (push: () => void): void => {
      push();
      if (terms++ > 0) code.simd(ADD);
    };
    if (uniform !== null) add(() => code.get(uniform));
    if (base.type.kind === "vector") add(() => emitter.push(base, part));
    if (index !== undefined && index.type.kind === "vector") add(() => pushScaledPart(emitter, index, instruction.scale, part));
  }
  if (uniform !== null) code.release(Wasm.TYPE_V128, uniform);
}
