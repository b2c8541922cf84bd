// SPDX-License-Identifier: Apache-2.0
// Constants: scalars as immediate operands, vectors as v128 constants.
import { type Constant, constantLane, scalarOf } from "@muxkit/ir";

import type { Code } from "./code.ts";
import { laneBytes, lanesPerPart } from "./representation.ts";

/** The bytes of the part that is written, which the code copies. */
const bytes = new Uint8Array(16);
const view = new DataView(bytes.buffer);

function pushScalar(code: Code, constant: Constant): void {
  const { type, low, high } = constant;
  if (type.kind === "float" && type.bits === 32) code.f32(low);
  else if (type.kind === "float" && type.bits === 64) code.f64(low, high);
  else if (type.kind === "int" && type.bits === 64) code.i64((BigInt(high) << 32n) | BigInt(low));
  else code.i32(low);
}

/** Puts one part of a constant on the stack. */
export function emitConstantPart(code: Code, constant: Constant, part: number): void {
  const { type } = constant;
  if (type.kind !== "vector") {
    pushScalar(code, constant);
    return;
  }
  const scalar = scalarOf(type);
  const size = laneBytes(scalar);
  bytes.fill(0);
  const perPart = lanesPerPart(type);
  for (let i = 0; i < perPart && part * perPart + i < type.count; i++) {
    const lane = constantLane(constant, part * perPart + i);
    const low = scalar.bits === 1 ? -lane.low : lane.low;
    if (size === 1) view.setUint8(i, low);
    else if (size === 2) view.setUint16(i * 2, low, true);
    else view.setUint32(i * size, low >>> 0, true);
    if (size === 8) view.setUint32(i * 8 + 4, lane.high, true);
  }
  code.v128(bytes);
}
