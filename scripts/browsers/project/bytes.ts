// Bytes of recorded cases, and what it means that they are equal.
import type { RecordedBytes, RecordedCase } from "./case.ts";

/** The bytes that a recording stands for. */
export function bytesOf(recorded: RecordedBytes): Uint8Array {
  return typeof recorded === "number" ? new Uint8Array(recorded) : Uint8Array.from(atob(recorded), (character) => character.charCodeAt(0));
}

function element(kind: RecordedCase["kinds"][number], bytes: Uint8Array, at: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return kind === "f32" ? view.getFloat32(at, true) : kind === "f64" ? view.getFloat64(at, true) : view.getUint8(at);
}

/** The first element that differs, as a sentence; null when none does. NaNs of floats are one. */
export function firstDifference(kind: RecordedCase["kinds"][number], expected: Uint8Array, got: Uint8Array): string | null {
  const size = kind === "f64" ? 8 : kind === "f32" ? 4 : 1;
  for (let at = 0; at < expected.length; at++) {
    if (expected[at] === got[at]) continue;
    const start = Math.floor(at / size) * size;
    const [left, right] = [element(kind, expected, start), element(kind, got, start)];
    if (Number.isNaN(left) && Number.isNaN(right)) continue;
    return `byte ${at} (${kind}): ${left} is expected, not ${right}`;
  }
  return null;
}
