// SPDX-License-Identifier: Apache-2.0
// Bytes of chunks in another order.
import { MEMORY } from "@muxkit/x64-assembler";

import { form, vectorForm } from "./machine-builder.ts";
import type { Selector } from "./selector.ts";

/** Bytes picked from chunks: byte i of the result is byte `picks[i]` of all chunks in a row; -1 is 0. */
export function pickBytes(s: Selector, chunk: (index: number) => number, picks: readonly number[]): number {
  const sources = [...new Set(picks.filter((pick) => pick >= 0).map((pick) => pick >> 4))];
  if (sources.length === 0) return s.zero(16);
  const unpacked = sources.length === 2 ? unpack(s, chunk, sources, picks) : -1;
  if (unpacked !== -1) return unpacked;
  let result = -1;
  for (const source of sources) {
    const control = Uint8Array.from({ length: 16 }, (_, i) => {
      const pick = picks[i] ?? -1;
      return pick >= 0 && pick >> 4 === source ? pick & 15 : 0x80;
    });
    const own = shuffleBytes(s, chunk(source), control);
    result = result === -1 ? own : s.build.emit(form("vpor x, x, x/m128"), [result, own]);
  }
  return result;
}

/** Bytes of a part in another order within each half; 128 is 0. */
export function shuffleBytes(s: Selector, part: number, control: Uint8Array): number {
  if (control.every((byte, i) => byte === (i & 15))) return part;
  return s.build.emit(vectorForm("vpshufb v, v, v/m", control.length), [part, MEMORY], s.poolAddress(control));
}

/** Lanes of 1 or 2 bytes of two chunks in turns; -1 where they are not. */
function unpack(
  s: Selector,
  chunk: (index: number) => number,
  sources: readonly number[],
  picks: readonly number[],
): number {
  for (const [bytes, letters] of [
    [1, "bw"],
    [2, "wd"],
  ] as const) {
    for (const start of [0, 8]) {
      for (const [a, b] of [sources, [sources[1], sources[0]]] as [number, number][]) {
        const isMade = picks.every((pick, i) => {
          const lane = Math.floor(i / bytes);
          const at = start + (lane >> 1) * bytes + (i % bytes);
          return pick === ((lane & 1) === 0 ? a : b) * 16 + at;
        });
        if (isMade && picks.length === 16)
          return s.build.emit(form(`vpunpck${start === 0 ? "l" : "h"}${letters} x, x, x/m128`), [chunk(a), chunk(b)]);
      }
    }
  }
  return -1;
}

/** Zeros where nothing was picked. */
export function withZeros(s: Selector, part: number, picks: readonly number[], width: number): number {
  if (picks.every((pick) => pick >= 0)) return part;
  const keep = Uint8Array.from({ length: width }, (_, i) => ((picks[i] ?? -1) < 0 ? 0 : 255));
  return s.build.emit(vectorForm("vpand v, v, v/m", width), [part, MEMORY], s.poolAddress(keep));
}
