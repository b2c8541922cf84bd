// SPDX-License-Identifier: Apache-2.0
// Ops on whole v128 parts: one instruction where SIMD128 has it, else a short sequence.
import { Op, type Type } from "@muxkit/ir";

import type { FunctionEmitter } from "./function-emitter.ts";
import * as Wasm from "./opcodes.ts";
import { laneBytes, laneKind } from "./representation.ts";
import type { Push } from "./scalars.ts";
import * as Simd from "./simd.table.ts";

const LANES_16 = 1;
const LANES_32 = 2;
const LANES_64 = 3;

/** Writes an op of up to two parts. The pushers may be used several times. */
type PartOp = (emitter: FunctionEmitter, op: number, scalar: Type, x: Push, y: Push) => void;

/** The same bytes in every lane. */
export function repeated(bytes: readonly number[]): Uint8Array {
  return Uint8Array.from({ length: 16 }, (_, i) => bytes[i % bytes.length] ?? 0);
}

/** Keeps the top of the stack in a local while `use` runs. */
function kept(emitter: FunctionEmitter, use: (again: Push) => void): void {
  const { code } = emitter;
  const local = code.local(Wasm.TYPE_V128);
  code.set(local);
  use(() => code.get(local));
}

/**
 * fmin and fmax. The pseudo-minimum is the first operand unless the second is less: a NaN on the right is dropped
 * already, one on the left is replaced. The bits of equal numbers, which differ at most in the signs of zeros, are
 * combined.
 */
const floatMinMax: PartOp = (emitter, op, scalar, x, y) => {
  const { code } = emitter;
  const is64 = scalar.bits === 64;
  const isLeast = op === Op.FMIN;
  const [equal, notEqual] = is64 ? [0x47, 0x48] : [0x41, 0x42];
  for (const push of [y, x, y]) push();
  code.simd((isLeast ? 0xea : 0xeb) + (is64 ? 0x0c : 0));
  for (const push of [x, y]) push();
  code.simd(equal);
  y();
  code.simd(isLeast ? Simd.V128_AND : Simd.V128_ANDNOT);
  code.simd(isLeast ? Simd.V128_OR : Simd.V128_ANDNOT);
  for (const push of [x, x]) push();
  code.simd(notEqual);
  code.simd(emitter.uses("relaxed-simd") ? (Simd.LANE_SELECT[laneBytes(scalar)] ?? 0) : Simd.BITSELECT);
};

const copySign: PartOp = ({ code }, _op, scalar, x, y) => {
  y();
  x();
  code.v128(repeated([...Array.from({ length: laneBytes(scalar) - 1 }, () => 0), 0x80]));
  code.simd(Simd.BITSELECT);
};

/** Products of bytes: even lanes as 16-bit products, odd lanes with the other factor shifted down. */
const multiplyBytes: PartOp = ({ code }, _op, _scalar, x, y) => {
  x();
  y();
  code.simd(0x95);
  code.v128(repeated([0xff, 0]));
  code.simd(Simd.V128_AND);
  x();
  code.v128(repeated([0, 0xff]));
  code.simd(Simd.V128_AND);
  y();
  code.i32(8);
  code.simd(0x8d);
  code.simd(0x95);
  code.simd(Simd.V128_OR);
};

/** Extending products of the low and the high half, signed and unsigned, by bytes of a lane. */
const PRODUCTS: Readonly<
  Record<number, readonly [signed: readonly [number, number], unsigned: readonly [number, number]]>
> = {
  1: [
    [0x9c, 0x9d],
    [0x9e, 0x9f],
  ],
  2: [
    [0xbc, 0xbd],
    [0xbe, 0xbf],
  ],
  4: [
    [0xdc, 0xdd],
    [0xde, 0xdf],
  ],
};

/** The upper halves of products of twice the width. */
const multiplyHigh: PartOp = ({ code }, op, scalar, x, y) => {
  const bytes = laneBytes(scalar);
  for (const half of PRODUCTS[bytes]?.[op === Op.SMULH ? 0 : 1] ?? []) {
    x();
    y();
    code.simd(half);
  }
  code.shuffle(Array.from({ length: 16 }, (_, i) => (2 * Math.floor(i / bytes) + 1) * bytes + (i % bytes)));
};

const SIGN_64 = repeated([0, 0, 0, 0, 0, 0, 0, 0x80]);

/** Pushes a comparison of 64-bit lanes; unsigned ones are signed ones with the top bits flipped. */
export const compareWide: PartOp = ({ code }, op, _scalar, x, y) => {
  const signed = UNSIGNED[op];
  for (const push of [x, y]) {
    push();
    if (signed === undefined) continue;
    code.v128(SIGN_64);
    code.simd(Simd.V128_XOR);
  }
  code.simd(Simd.SIMD_COMPARES[signed ?? op]?.[LANES_64] ?? 0);
};

const UNSIGNED: Readonly<Record<number, number>> = {
  [Op.ULT]: Op.SLT,
  [Op.ULE]: Op.SLE,
  [Op.UGT]: Op.SGT,
  [Op.UGE]: Op.SGE,
};
const ORDER: Readonly<Record<number, number>> = {
  [Op.SMIN]: Op.SLT,
  [Op.SMAX]: Op.SGT,
  [Op.UMIN]: Op.ULT,
  [Op.UMAX]: Op.UGT,
};

const minMaxWide: PartOp = (emitter, op, scalar, x, y) => {
  x();
  y();
  compareWide(emitter, ORDER[op] ?? Op.SLT, scalar, x, y);
  emitter.code.simd(Simd.BITSELECT);
};

/** Population counts of bytes, then sums of neighbours. */
const popcount: PartOp = ({ code }, _op, scalar, x) => {
  x();
  code.simd(0x62);
  if (scalar.bits >= 16) code.simd(0x7d);
  if (scalar.bits >= 32) code.simd(0x7f);
};

/** Trailing zeros: the population count of the bits below the lowest set bit. */
const trailingZeros: PartOp = (emitter, op, scalar, x, y) => {
  popcount(
    emitter,
    op,
    scalar,
    () => {
      x();
      emitter.code.v128(new Uint8Array(16).fill(0xff));
      emitter.code.simd(Simd.SIMD_OPS[Op.ADD]?.[laneKind(scalar)] ?? 0);
      x();
      emitter.code.simd(Simd.V128_ANDNOT);
    },
    y,
  );
};

const LOW_HALVES = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const HIGH_HALF = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15];

/**
 * Quotients of 32-bit lanes through doubles. Truncation yields the exact integer: a quotient that is not an integer is
 * further below the next one than rounding can lift it. Division by zero yields 0; the least number by -1 yields
 * itself.
 */
const quotient: PartOp = ({ code }, op, _scalar, x, y) => {
  const isSigned = op === Op.SDIV || op === Op.SREM;
  for (const isHigh of [false, true]) {
    for (const push of [x, y]) {
      push();
      if (isHigh) {
        push();
        code.shuffle(HIGH_HALF);
      }
      code.simd(isSigned ? 0xfe : 0xff);
    }
    code.simd(0xf3);
    code.simd(isSigned ? 0xfc : 0xfd);
  }
  code.shuffle(LOW_HALVES);
  y();
  code.v128(new Uint8Array(16));
  code.simd(0x37);
  code.simd(Simd.V128_ANDNOT);
  if (!isSigned) return;
  // The conversion saturated to the greatest number where the least one was divided by -1: one more wraps around.
  x();
  code.v128(repeated([0, 0, 0, 0x80]));
  code.simd(0x37);
  y();
  code.v128(new Uint8Array(16).fill(0xff));
  code.simd(0x37);
  code.simd(Simd.V128_AND);
  code.simd(0xb1);
};

const remainder: PartOp = (emitter, op, scalar, x, y) => {
  const { code } = emitter;
  quotient(emitter, op, scalar, x, y);
  kept(emitter, (again) => {
    x();
    again();
    y();
    code.simd(0xb5);
    code.simd(0xb1);
  });
};

/** Ops of several instructions: the kinds of lanes that they take, and their writers. */
const SEVERAL: Readonly<Record<number, readonly [kinds: readonly number[], write: PartOp]>> = {
  [Op.FMIN]: [[4, 5], floatMinMax],
  [Op.FMAX]: [[4, 5], floatMinMax],
  [Op.FCOPYSIGN]: [[4, 5], copySign],
  [Op.MUL]: [[0], multiplyBytes],
  [Op.SMULH]: [[0, LANES_16, LANES_32], multiplyHigh],
  [Op.UMULH]: [[0, LANES_16, LANES_32], multiplyHigh],
  [Op.SMIN]: [[LANES_64], minMaxWide],
  [Op.SMAX]: [[LANES_64], minMaxWide],
  [Op.UMIN]: [[LANES_64], minMaxWide],
  [Op.UMAX]: [[LANES_64], minMaxWide],
  [Op.POPCOUNT]: [[LANES_16, LANES_32], popcount],
  [Op.CTZ]: [[0, LANES_16, LANES_32], trailingZeros],
  [Op.SDIV]: [[LANES_32], quotient],
  [Op.UDIV]: [[LANES_32], quotient],
  [Op.SREM]: [[LANES_32], remainder],
  [Op.UREM]: [[LANES_32], remainder],
};

/** True for ops that {@link emitPart} can write for lanes of a kind. */
export function hasPart(op: number, kind: number): boolean {
  return (Simd.SIMD_OPS[op]?.[kind] ?? 0) !== 0 || SEVERAL[op]?.[0].includes(kind) === true;
}

/** Writes an op on one or two whole parts; false: not for lanes of this type. The pushers may be used several times. */
export function emitPart(emitter: FunctionEmitter, op: number, scalar: Type, operands: readonly Push[]): boolean {
  const kind = laneKind(scalar);
  const simd = Simd.SIMD_OPS[op]?.[kind] ?? 0;
  if (simd !== 0) {
    for (const push of operands) push();
    emitter.code.simd(simd);
    return true;
  }
  const [x, y = x] = operands;
  const several = SEVERAL[op];
  if (x === undefined || y === undefined || several?.[0].includes(kind) !== true) return false;
  several[1](emitter, op, scalar, x, y);
  return true;
}
