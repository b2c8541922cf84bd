// SPDX-License-Identifier: Apache-2.0
// Random numbers by Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// 2011): the numbers of a place follow from the seed and the place alone, so they do not depend on threads or devices.
import type { DeviceArray } from "muxkit";

import { AlgorithmError } from "./element.ts";
import { programOf } from "./programs.ts";

/** How random numbers are made. @public */
export interface RandomOptions {
  /** A whole number below 2^53; the same seed gives the same numbers. Default: 0. */
  readonly seed?: number;
  /** Which of the numbers of a seed the array begins with: a multiple of 4. Default: 0. */
  readonly start?: number;
  /** `uniform` from 0 to before 1, `normal` with mean 0 and deviation 1 (floats only). Default: `uniform`. */
  readonly distribution?: "uniform" | "normal";
}

const PHILOX = `
uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; round++) {
    uint a = mul_hi(0xD2511F53u, counter.x), b = 0xD2511F53u * counter.x;
    uint c = mul_hi(0xCD9E8D57u, counter.z), d = 0xCD9E8D57u * counter.z;
    counter = (uint4)(c ^ counter.y ^ key.x, d, a ^ counter.w ^ key.y, b);
    key += (uint2)(0x9E3779B9u, 0xBB67AE85u);
  }
  return counter;
}
`;

/** Four bits as four numbers of an array's type. */
const VALUES: Readonly<Record<string, string>> = {
  Uint32Array: "uint4 values = bits;",
  // 24 bits, so that no number is rounded up to 1.
  Float32Array: "float4 values = convert_float4(bits >> 8) * 0x1p-24f;",
};
/** Box and Muller's transform of pairs. */
const NORMAL = `float2 radius = sqrt(-2.0f * log(convert_float2((bits.xz >> 8) + 1) * 0x1p-24f));
  float2 angle = convert_float2(bits.yw >> 8) * (0x1p-24f * 2 * M_PI_F);
  float4 values;
  values.xz = radius * cos(angle);
  values.yw = radius * sin(angle);`;

function randomSource(scalar: string, values: string): string {
  return `${PHILOX}kernel void fill_random(global ${scalar}* out, uint n,
    uint seed_low, uint seed_high, uint start_low, uint start_high) {
  uint block = get_global_id(0), low = block + start_low;
  uint4 bits = philox((uint4)(low, start_high + (low < block ? 1 : 0), 0, 0), (uint2)(seed_low, seed_high));
  ${values}
  if (block * 4 + 3 < n) vstore4(values, block, out);
  else {
    ${scalar} rest[4];
    vstore4(values, 0, rest);
    for (uint k = 0; block * 4 + k < n; k++) out[block * 4 + k] = rest[k];
  }
}`;
}

/**
 * Fills an array of floats or of uints with random numbers. Errors: AlgorithmError for other numbers, a seed or a start
 * that cannot be.
 *
 * @public
 */
export function random<T extends Float32Array | Uint32Array>(
  array: DeviceArray<T>,
  { seed = 0, start = 0, distribution = "uniform" }: RandomOptions = {},
): DeviceArray<T> {
  const operation = "random";
  const plain = VALUES[array.type.name];
  const isNormal = distribution === "normal";
  if (plain === undefined || (isNormal && array.type.name !== "Float32Array"))
    throw new AlgorithmError(operation, `there are no ${distribution} numbers of ${array.type.name}`);
  if (!(Number.isSafeInteger(seed) && seed >= 0))
    throw new AlgorithmError(operation, `a seed is a whole number below 2^53, not ${seed}`);
  if (!(Number.isSafeInteger(start) && start >= 0 && start % 4 === 0))
    throw new AlgorithmError(operation, `a start is a multiple of 4, not ${start}`);
  const scalar = array.type.name === "Uint32Array" ? "uint" : "float";
  const first = start / 4;
  const values = isNormal ? NORMAL : plain;
  programOf(operation, array.device, `${scalar} ${distribution}`, () => randomSource(scalar, values))("fill_random")(
    Math.ceil(array.length / 4),
    array,
    array.length,
    seed >>> 0,
    Math.floor(seed / 2 ** 32),
    first >>> 0,
    Math.floor(first / 2 ** 32),
  );
  return array;
}
