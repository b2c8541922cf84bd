// SPDX-License-Identifier: Apache-2.0
// Bytes of recorded cases, and what it means that they are equal.
import type { ElementKind, RecordedBytes } from "./case.ts";

/** The bytes that a recording describes. */
export function bytesOf(recorded: RecordedBytes): Uint8Array {
  return typeof recorded === "number"
    ? new Uint8Array(recorded)
    : Uint8Array.from(atob(recorded), (character) => character.charCodeAt(0));
}

/** Bytes of an element, and how it is read. Halves are only looked at for being NaN. */
const ELEMENTS: Readonly<
  Record<ElementKind, { readonly size: number; readonly read: (view: DataView, at: number) => number }>
> = {
  bits: { size: 1, read: (view, at) => view.getUint8(at) },
  f16: {
    size: 2,
    read: (view, at) => {
      const half = view.getUint16(at, true);
      return (half & 0x7fff) > 0x7c00 ? Number.NaN : half;
    },
  },
  f32: { size: 4, read: (view, at) => view.getFloat32(at, true) },
  f64: { size: 8, read: (view, at) => view.getFloat64(at, true) },
};

/** What the elements of a pointer's type are, for example `float4*`. */
export function kindOf(typeName: string): ElementKind {
  const [, scalar] = /^(half|float|double)\d*\*/u.exec(typeName) ?? [];
  return scalar === "half" ? "f16" : scalar === "float" ? "f32" : scalar === "double" ? "f64" : "bits";
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The first element that differs, as a sentence; null when none does. NaNs of floats are one. */
export function firstDifference(kind: ElementKind, expected: Uint8Array, got: Uint8Array): string | null {
  const { size, read } = ELEMENTS[kind];
  for (let at = 0; at < expected.length; at++) {
    if (expected[at] === got[at]) continue;
    const start = Math.floor(at / size) * size;
    const [left, right] = [read(viewOf(expected), start), read(viewOf(got), start)];
    if (Number.isNaN(left) && Number.isNaN(right)) continue;
    return `byte ${at} (${kind}): ${left} is expected, not ${right}`;
  }
  return null;
}
