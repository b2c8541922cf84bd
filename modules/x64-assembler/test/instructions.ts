// SPDX-License-Identifier: Apache-2.0
// Instructions to test with: each form with several registers, addresses and masks.
import { at } from "@muxkit/cargo";

import { ADDRESS, type Assembler, type Form, MEMORY, NONE, type Operand } from "@muxkit/x64-assembler";

/** Register numbers that differ in each bit that encodings keep apart. */
const REGISTERS = [0, 7, 8, 15, 16, 31];

interface AddressCase {
  readonly kind: number;
  readonly base: number;
  readonly index: number;
  readonly scale: number;
  readonly displacement: number;
}

/** Addresses of all forms: no displacement, of 8 and 32 bits, scaled for EVEX or not, rbp, rsp, r12, r13, RIP. */
const ADDRESSES: readonly AddressCase[] = (
  [
    ["flat", 0, NONE, 0, 0],
    ["flat", 5, NONE, 0, 0],
    ["flat", 13, 8, 3, 0],
    ["flat", 4, NONE, 0, 8],
    ["flat", 12, 15, 2, 0x1234],
    ["flat", NONE, 7, 1, 64],
    ["kernel", 15, NONE, 0, 64],
    ["kernel", 7, 0, 2, -0x80],
    ["kernel", 8, 13, 3, 0x7fff_fff0],
    ["kernel", NONE, 3, 3, 256],
    ["rip", NONE, NONE, 0, 0x1234],
  ] as const
).map(([kind, base, index, scale, displacement]) => ({ kind: ADDRESS[kind], base, index, scale, displacement }));

function setAddress(assembler: Assembler, address: AddressCase, vectorIndex: number): void {
  assembler.addressKind = address.kind;
  assembler.base = address.base;
  assembler.index = vectorIndex === NONE ? address.index : vectorIndex;
  assembler.scale = address.scale;
  assembler.displacement = address.displacement;
  assembler.addressLabel = NONE;
}

const IMMEDIATES: Readonly<Record<string, readonly number[]>> = {
  s8: [5, -3],
  i8: [3, 0x1f],
  s16: [0x1234, -2],
  s32: [0x1234_5678, -5],
  i32: [0x1234_5678, 7],
  i64: [0x1234_5678, 0x0234_5678],
  rel8: [16, -16],
  rel32: [0x1000, -0x1000],
};

/** The value of one operand of the `round`th instruction; registers differ from one operand to the next. */
function operandValue(operand: Operand, form: Form, round: number, n: number): number {
  if (operand.fixed !== undefined) return operand.fixed;
  if (operand.place === "condition") return (round * 5 + 2) % 16;
  if (operand.immediate !== undefined) return at(IMMEDIATES[operand.immediate] ?? [], round % 2);
  const numbers = operand.register === "k" ? 8 : operand.register?.startsWith("g") || form.kind !== "EVEX" ? 16 : 32;
  const choices = REGISTERS.filter((number) => number < numbers);
  return at(choices, (round + n) % choices.length);
}

/** Emits one instruction of a form; false where the form has no such instruction. */
function emitCase(assembler: Assembler, form: Form, round: number, address: AddressCase | undefined): boolean {
  const shown = form.operands.filter((operand) => !operand.implied);
  const rm = shown.find((operand) => operand.place === "rm");
  if (address === undefined ? rm !== undefined && rm.register === undefined : rm === undefined || rm.memoryBits === 0) {
    return false;
  }
  // Only addresses with a base have a vector as index, and RIP has none.
  if (rm?.index !== undefined && address?.kind === ADDRESS.rip) return false;
  const values = shown.map((operand, n) =>
    operand === rm && address !== undefined ? MEMORY : operandValue(operand, form, round, n),
  );
  const masks = round % 3;
  if (form.masking === "K") assembler.masked(1 + (round % 7));
  else if (form.masking !== "" && masks !== 0) {
    const storesToMemory = address !== undefined && rm?.role === "w";
    assembler.masked(masks === 1 ? 1 : 7, masks === 2 && form.masking === "kz" && !storesToMemory);
  }
  if (address !== undefined) {
    setAddress(assembler, address, rm?.index === undefined ? NONE : form.kind === "EVEX" ? 19 + (round % 8) : 9);
    assembler.isBroadcast = form.broadcastBits !== 0 && round % 2 === 1;
  }
  assembler.emit(form.id, ...values);
  // The upper half of an immediate of 64 bits is in no operand of its own.
  return true;
}

/** Emits all cases of a form, and says where each begins. */
export function emitCases(assembler: Assembler, form: Form, begins: (offset: number) => void): void {
  for (let round = 0; round < REGISTERS.length; round++) {
    const start = assembler.length;
    if (emitCase(assembler, form, round, undefined)) begins(start);
  }
  ADDRESSES.forEach((address, round) => {
    const start = assembler.length;
    if (emitCase(assembler, form, round, address)) begins(start);
  });
}
