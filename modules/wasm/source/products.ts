// SPDX-License-Identifier: Apache-2.0
// Strength reduction of vector multiplications by constants (R. Bernstein, "Multiplication by integer constants",
// 1986): 2^n and 2^n ± 2^m are a shift or two with an addition or a subtraction. Vectors only: `pmulld` has a latency
// of 10 and two steps, and 64-bit lanes have no instruction at all, while scalars have `imul` and `lea`.
import { type Constant, type Instruction, Op, type Type, type Value, constantLane, scalarOf } from "@muxkit/ir";

import type { FunctionEmitter } from "./function-emitter.ts";
import { laneKind } from "./representation.ts";
import type { Push } from "./scalars.ts";
import * as Simd from "./simd.table.ts";

/** A factor as a power of two, or the sum or difference of two: `x << left`, then `op` with `x << right`. */
export interface Factor {
  readonly left: number;
  /** Absent for powers of two. */
  readonly right?: number;
  readonly op?: number;
}

function bitsOf({ low, high, type }: Constant): bigint {
  const all = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  return all & ((1n << BigInt(type.bits)) - 1n);
}

/** The exponent of a power of two; -1: it is none. */
function exponent(value: bigint): number {
  return value > 0n && (value & (value - 1n)) === 0n ? value.toString(2).length - 1 : -1;
}

/** A factor of a width by shifts; null: multiplication is as good. */
export function factorOf(value: bigint, bits: number): Factor | null {
  const left = exponent(value);
  if (left >= 0) return { left };
  const lowest = value & -value;
  const right = exponent(lowest);
  const rest = exponent(value - lowest);
  if (value !== 0n && rest >= 0) return { left: rest, right, op: Op.ADD };
  // 2^left - 2^right. Negative powers of two would need a zero to subtract from.
  const next = value + lowest;
  const above = next === 1n << BigInt(bits) ? -1 : exponent(next);
  return value !== 0n && above >= 0 ? { left: above, right, op: Op.SUB } : null;
}

/** The factor that all lanes of a value are; null: they differ, or it is not constant. */
function commonFactor(value: Value): Factor | null {
  if (value.kind !== "constant" || value.type.kind !== "vector") return null;
  const first = bitsOf(constantLane(value, 0));
  for (let lane = 1; lane < value.type.count; lane++) if (bitsOf(constantLane(value, lane)) !== first) return null;
  return factorOf(first, constantLane(value, 0).type.bits);
}

/** Lanes whose products by shifts are faster. */
const SHIFTED_BITS: ReadonlySet<number> = new Set([32, 64]);

/** Writes a part of a product of a vector with a constant by shifts; false: it is not one. */
export function emitProduct(emitter: FunctionEmitter, { type, operands }: Instruction, part: number): boolean {
  const scalar = scalarOf(type);
  if (!SHIFTED_BITS.has(scalar.bits)) return false;
  for (const [i, value] of operands.entries()) {
    const factor = commonFactor(value);
    const other = operands[1 - i];
    if (factor === null || other === undefined) continue;
    emitShifted(emitter, scalar, factor, () => emitter.push(other, part));
    return true;
  }
  return false;
}

/** Writes a product with a factor. */
export function emitShifted({ code }: FunctionEmitter, scalar: Type, factor: Factor, push: Push): void {
  const kind = laneKind(scalar);
  const shifted = (by: number): void => {
    push();
    if (by === 0) return;
    code.i32(by);
    code.simd(Simd.SIMD_SHIFTS[Op.SHL]?.[kind] ?? 0);
  };
  shifted(factor.left);
  if (factor.right === undefined || factor.op === undefined) return;
  shifted(factor.right);
  code.simd(Simd.SIMD_OPS[factor.op]?.[kind] ?? 0);
}
