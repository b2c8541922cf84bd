// SPDX-License-Identifier: Apache-2.0
/**
 * Which operand of an instruction shares its register with the result: the one that dies, where there is a choice, so
 * that nothing is copied.
 *
 * Sums and products have two operands that may be exchanged. A multiply-add has three, for which there are three forms:
 * 132 multiplies the result's register by the last operand and adds the middle one, 213 multiplies the first two, 231
 * adds the product to it. `vpternlog` has any operand in any place, with the bits of its table in another order.
 * Spilling decides: it knows what dies, and counts the register of a copy. Cost: constant for each instruction.
 */
import { FORM_COUNT, formOf } from "@muxkit/x64-assembler";

import type { MachineFunction } from "./machine-function.ts";
import { DEAD } from "./next-use.ts";

/** Kinds of forms whose operands may change places. */
export const RETIE = { none: 0, commutative: 1, product: 2, ternary: 3 } as const;
/** The kind of each form. */
export const RETIE_KIND: Uint8Array = new Uint8Array(FORM_COUNT);
/** For a multiply-add its form after its first operand and the one in the middle, or the last one, changed places. */
const WITH_MIDDLE = new Int32Array(FORM_COUNT);
const WITH_LAST = new Int32Array(FORM_COUNT);
/** Which operand a multiply-add adds: 0 for 231, 1 for 132, 2 for 213. */
export const ADDEND: Uint8Array = new Uint8Array(FORM_COUNT);

for (const name of ["add", "imul", "and", "or", "xor"])
  for (const bits of [32, 64]) RETIE_KIND[formOf(`${name} r${bits}, r${bits}/m${bits}`)] = RETIE.commutative;

const OPERANDS: readonly (readonly [suffix: string, operands: string])[] = [
  ...["ps", "pd"].flatMap((suffix) =>
    ["x, x, x/m128", "y, y, y/m256", "z, z, z/m512"].map((operands) => [suffix, operands] as const),
  ),
  ["ss", "x, x, x/m32"],
  ["sd", "x, x, x/m64"],
];
const PRODUCTS = OPERANDS.flatMap(([suffix, operands]) =>
  ["vfmadd", "vfmsub", "vfnmadd", "vfnmsub"].map((name) => [name, `${suffix} ${operands}`] as const),
);
for (const [name, rest] of PRODUCTS) {
  const of = (order: string): number => formOf(`${name}${order}${rest}`);
  const [adds231, adds132, adds213] = [of("231"), of("132"), of("213")];
  [adds231, adds132, adds213].forEach((id, addend) => {
    RETIE_KIND[id] = RETIE.product;
    ADDEND[id] = addend;
  });
  WITH_MIDDLE[adds231] = adds132;
  WITH_MIDDLE[adds132] = adds231;
  WITH_MIDDLE[adds213] = adds213;
  WITH_LAST[adds231] = adds213;
  WITH_LAST[adds213] = adds231;
  WITH_LAST[adds132] = adds132;
}
for (const operands of ["x, x, x/m128", "y, y, y/m256", "z, z, z/m512"])
  RETIE_KIND[formOf(`vpternlogd ${operands}, i8`)] = RETIE.ternary;

/** The table of a function of three bits after the first one and another changed places: that one's weight is given. */
function exchangedTable(table: number, weight: 1 | 2): number {
  let made = 0;
  for (let at = 0; at < 8; at++) {
    const first = (at >> 2) & 1;
    const other = Math.trunc(at / weight) & 1;
    const to = (at & ~(4 | weight)) | (other << 2) | (first * weight);
    made |= ((table >> at) & 1) << to;
  }
  return made;
}

function exchange(fn: MachineFunction, nextAfter: Int32Array, first: number, other: number): void {
  const value = fn.value[first] as number;
  fn.value[first] = fn.value[other] as number;
  fn.value[other] = value;
  nextAfter[other] = nextAfter[first] as number;
  nextAfter[first] = DEAD;
}

/**
 * Lets the result of an instruction, whose kind is not `none`, share the register of an operand that dies. `nextAfter`
 * has the next use of each operand's value. Its first operand is read and written; the result is behind it.
 */
export function retie(fn: MachineFunction, nextAfter: Int32Array, instruction: number): void {
  const first = fn.firstOperand[instruction] as number;
  if (nextAfter[first] === DEAD) return;
  const form = fn.form[instruction] as number;
  const kind = RETIE_KIND[form] as number;
  const hasMemory = fn.addressing[instruction] !== 0;
  const [middle, last] = [first + 2, first + 3];
  if (kind === RETIE.commutative) {
    if (!hasMemory && nextAfter[middle] === DEAD) exchange(fn, nextAfter, first, middle);
    return;
  }
  const isMiddle = nextAfter[middle] === DEAD;
  if (!isMiddle && (hasMemory || nextAfter[last] !== DEAD)) return;
  exchange(fn, nextAfter, first, isMiddle ? middle : last);
  if (kind === RETIE.product) fn.form[instruction] = (isMiddle ? WITH_MIDDLE[form] : WITH_LAST[form]) as number;
  else fn.immediate[instruction] = exchangedTable(fn.immediate[instruction] as number, isMiddle ? 2 : 1);
}
