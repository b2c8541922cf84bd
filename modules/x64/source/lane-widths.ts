// SPDX-License-Identifier: Apache-2.0
// Lanes of integers, and masks as lanes, made wider and narrower.
import { MEMORY } from "@muxkit/x64-assembler";

import { bytesAt, chunkOf, fromPieces } from "./chunks.ts";
import { form, vectorForm } from "./machine-builder.ts";
import type { Selector } from "./selector.ts";

const LETTER: Readonly<Record<number, string>> = { 1: "b", 2: "w", 4: "d", 8: "q" };

/** Lanes of integers made wider. */
export function widen(
  s: Selector,
  parts: readonly number[],
  lanes: number,
  from: number,
  to: number,
  isSigned: boolean,
): readonly number[] {
  const { build } = s;
  const factor = to / from;
  return s.widths(lanes * to).map((width, part) => {
    const own = width / factor;
    const source = bytesAt(s, parts, (s.tier.partBytes * part) / factor, own);
    const name = `vpmov${isSigned ? "s" : "z"}x${LETTER[from]}${LETTER[to]}`;
    return build.emit(vectorForm(`${name} v, ${own === 32 ? "y" : "x"}/m${own * 8}`, width), [source]);
  });
}

/** Lanes of integers made narrower: their low bits. Of masks the lanes are kept by saturation. */
export function narrow(
  s: Selector,
  parts: readonly number[],
  lanes: number,
  from: number,
  to: number,
  isOfMask: boolean,
): readonly number[] {
  if (s.tier.isWide) return truncate(s, parts, lanes, from, to);
  let current = parts;
  for (let bytes = from; bytes > to; bytes /= 2) {
    const step = bytes;
    const own = current;
    const widths = s.widths(lanes * step);
    current = s.widths((lanes * step) / 2).map((width, i) => {
      const low = own[2 * i] as number;
      if (width === 32) {
        const high = own[2 * i + 1] as number;
        return s.build.emit(form("vpermq y, y/m256, i8"), [halve(s, step, low, high, isOfMask, true), 0xd8]);
      }
      if (widths[2 * i] === 16) return halve(s, step, low, low, isOfMask, false);
      return halve(s, step, low, chunkOf(s, own, 4 * i + 1), isOfMask, false);
    });
  }
  return current;
}

/** The same by one instruction for each register, whose results are put together. */
function truncate(s: Selector, parts: readonly number[], lanes: number, from: number, to: number): readonly number[] {
  const factor = from / to;
  const pieces = s.widths(lanes * from).map((width, i) => {
    const own = width / factor;
    const key = `vpmov${LETTER[from]}${LETTER[to]} ${own === 32 ? "y" : "x"}/m${8 * own}, v`;
    return s.build.emit(vectorForm(key, width), [parts[i] as number]);
  });
  return fromPieces(s, pieces, s.tier.partBytes / factor, lanes * to);
}

/**
 * Two registers of lanes of half the width; each half of 16 bytes has that of the first, then that of the second one.
 */
export function halve(
  s: Selector,
  bytes: number,
  low: number,
  high: number,
  isOfMask: boolean,
  isWide: boolean,
): number {
  const { build } = s;
  const [v, m] = isWide ? ["y", "m256"] : ["x", "m128"];
  const three = (name: string): number => form(`${name} ${v}, ${v}, ${v}/${m}`);
  if (bytes === 8) return build.emit(form(`vshufps ${v}, ${v}, ${v}/${m}, i8`), [low, high, 0x88]);
  if (isOfMask) return build.emit(three(bytes === 4 ? "vpackssdw" : "vpacksswb"), [low, high]);
  const keep = Uint8Array.from({ length: isWide ? 32 : 16 }, (_, i) => (i % bytes < bytes / 2 ? 255 : 0));
  const masked = (part: number): number =>
    s.shared(`low ${bytes} ${v} ${part}`, () => build.emit(three("vpand"), [part, MEMORY], s.poolAddress(keep)));
  return build.emit(three(bytes === 4 ? "vpackusdw" : "vpackuswb"), [masked(low), masked(high)]);
}
