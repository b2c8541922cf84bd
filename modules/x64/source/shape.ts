// SPDX-License-Identifier: Apache-2.0
// How values of the IR lie in registers: scalars in one, vectors in parts of 32 bytes of which the last may have 16.
// Masks are vectors whose lanes are all ones or zeros, as wide as what was compared.
import { type Type, laneCount, scalarOf } from "@muxkit/ir";

import { GENERAL, MASK, VECTOR } from "./machine-function.ts";

/** Bytes of the lanes of masks whose width nothing decides. */
export const DEFAULT_MASK_BYTES = 4;

/** Whether a type is a vector of i1. */
export function isMask(type: Type): boolean {
  return type.kind === "vector" && type.element?.kind === "int" && type.element.bits === 1;
}

/** Bytes of a scalar, or of a lane of a vector that is no mask. */
export function scalarBytes(type: Type): number {
  const scalar = scalarOf(type);
  return scalar.kind === "pointer" || scalar.kind === "opaque" ? 4 : Math.max(1, scalar.bits / 8);
}

/** Whether a scalar is held in a vector register. A half is held as its bits. */
export function isFloatRegister(type: Type): boolean {
  return type.kind === "float" && type.bits !== 16;
}

/** What {@link partWidths} has yielded, by the most bytes of a part over 32, and by all bytes. */
const WIDTHS: (readonly number[] | undefined)[][] = [[], [], []];

/** Widths of the parts of a vector of so many bytes, of which each has at most `most` (32 or 64). */
export function partWidths(bytes: number, most: number): readonly number[] {
  const known = WIDTHS[most >> 5] as (readonly number[] | undefined)[];
  let widths = known[bytes];
  if (widths === undefined) known[bytes] = widths = newPartWidths(bytes, most);
  return widths;
}

function newPartWidths(bytes: number, most: number): readonly number[] {
  const widths: number[] = [];
  let left = bytes;
  for (; left > most / 2; left -= most) widths.push(most);
  if (left > 0) widths.push(left > 16 ? 32 : 16);
  return widths;
}

/** Bytes of a vector's lanes together. */
export function vectorBytes(type: Type, maskBytes: number): number {
  return laneCount(type) * (isMask(type) ? maskBytes : scalarBytes(type));
}

/** Class and width of each register of a value in a tier. */
export function registersOf(
  type: Type,
  maskBytes: number,
  { partBytes, isWide }: { readonly partBytes: number; readonly isWide: boolean },
): readonly { readonly class: number; readonly width: number }[] {
  if (type.kind === "void") return [];
  if (type.kind === "vector") {
    const widths = partWidths(vectorBytes(type, maskBytes), partBytes);
    if (isWide && isMask(type)) return widths.map(() => ({ class: MASK, width: 8 }));
    return widths.map((width) => ({ class: VECTOR, width }));
  }
  return [isFloatRegister(type) ? { class: VECTOR, width: 16 } : { class: GENERAL, width: 8 }];
}
