// SPDX-License-Identifier: Apache-2.0
// Sizes and contents of launches.
import type { Random } from "./random.ts";
import { type ValueType, isFloat, sizeOf } from "./types.ts";

/** An argument: the bytes of a value, or a buffer's contents; `written`: kernels write it, so it is compared. */
export type Input = { readonly value: Uint8Array } | { readonly contents: Uint8Array; readonly written: boolean };

/** Global and local sizes and offsets in one to three dimensions; groups are small, so that there are several. */
export function someShape(
  random: Random,
  portable: boolean,
): { readonly global: number[]; readonly local: number[]; readonly offset: number[] } {
  const dimensions = random.weighted([
    { weight: 60, count: 1 },
    { weight: 25, count: 2 },
    { weight: 15, count: 3 },
  ]).count;
  const most = [random.chance(30) ? 40 : 20, 5, 3][dimensions - 1] ?? 1;
  const local = Array.from({ length: dimensions }, () =>
    random.chance(30) ? random.pick([1, 2, 4, 8, 16, 32].filter((size) => size <= most)) : 1 + random.below(most),
  );
  const ragged = !portable && random.chance(40);
  const global = local.map((size) =>
    Math.max(1, size * (1 + random.below(dimensions === 1 ? 4 : 3)) - (ragged ? random.below(size) : 0)),
  );
  return { global, local, offset: local.map(() => (random.chance(20) ? random.below(10) : 0)) };
}

const FLOATS: readonly number[] = [0, 1, -1, 0.5, 3, 100, -7.25, 1e6, -12345.678, 0.1];
const STRANGE: readonly number[] = [Infinity, -Infinity, -0, 1e-40, 5e-324, 3e38, NaN];

function putScalar(view: DataView, at: number, { scalar }: ValueType, random: Random, portable: boolean): void {
  if (scalar.kind === "float") {
    const value = random.chance(60)
      ? random.below(2000) / 8 - 100
      : random.pick(portable ? FLOATS : [...FLOATS, ...STRANGE]);
    if (scalar.bits === 32) view.setFloat32(at, value, true);
    else view.setFloat64(at, value, true);
    return;
  }
  const small = random.chance(50);
  for (let byte = 0; byte < scalar.bits / 8; byte++)
    view.setUint8(at + byte, small && byte > 0 ? 0 : random.below(random.chance(30) ? 4 : 256));
}

/** Random elements: small ones, corner values, any bits; floats without NaN where all implementations must agree. */
export function bufferContents(random: Random, type: ValueType, count: number, portable: boolean): Uint8Array {
  const bytes = new Uint8Array(sizeOf(type) * count);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length; at += type.scalar.bits / 8) putScalar(view, at, type, random, portable);
  return bytes;
}

/** The bytes of a value argument. */
export function valueBytes(random: Random, type: ValueType, portable: boolean): Uint8Array {
  return bufferContents(random, type, 1, portable || !isFloat(type));
}
