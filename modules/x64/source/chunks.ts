// SPDX-License-Identifier: Apache-2.0
// Vectors by chunks of 16 bytes: taken apart and put together.
import { form } from "./machine-builder.ts";
import type { Selector } from "./selector.ts";

/** Chunk `chunk` of 16 bytes of a vector. */
export function chunkOf(s: Selector, parts: readonly number[], chunk: number): number {
  const perPart = s.tier.partBytes / 16;
  const part = parts[Math.floor(chunk / perPart)] as number;
  const within = chunk % perPart;
  if (within === 0) return part;
  const key = within > 1 ? "vextracti32x4 x/m128, z, i8" : "vextracti128 x/m128, y, i8";
  return s.shared(`chunk ${within} ${part}`, () => s.build.emit(form(key), [part, within]));
}

/** Some bytes of a vector, in the low bytes of a register: 32 or fewer that do not go beyond a register. */
export function bytesAt(s: Selector, parts: readonly number[], start: number, bytes: number): number {
  const { partBytes } = s.tier;
  const part = parts[Math.floor(start / partBytes)] as number;
  if (start % partBytes === 0) return part;
  if (bytes === 32)
    return s.shared(`upper ${part}`, () => s.build.emit(form("vextracti64x4 y/m256, z, i8"), [part, 1]));
  const chunk = chunkOf(s, parts, start >> 4);
  return (start & 15) === 0 ? chunk : s.build.emit(form("vpsrldq x, x, i8"), [chunk, start & 15]);
}

/** A vector of `bytes` bytes from chunks. */
export function fromChunks(s: Selector, chunks: readonly number[], bytes: number): readonly number[] {
  const pair = (at: number): number => {
    const low = chunks[at] as number;
    const high = chunks[at + 1];
    return high === undefined ? low : s.build.emit(form("vinserti128 y, y, x/m128, i8"), [low, high, 1]);
  };
  return s.widths(bytes).map((width, part) => {
    const first = (s.tier.partBytes / 16) * part;
    if (width === 16) return chunks[first] as number;
    if (width === 32) return pair(first);
    return s.build.emit(form("vinserti64x4 z, z, y/m256, i8"), [pair(first), pair(first + 2), 1]);
  });
}

/** A vector of `bytes` bytes from registers of which each has `each` (8, 16 or 32) of them, the last one maybe fewer. */
export function fromPieces(s: Selector, pieces: readonly number[], each: number, bytes: number): readonly number[] {
  const paired = (key: string, immediate: readonly number[]): readonly number[] => {
    const made: number[] = [];
    for (let i = 0; i < pieces.length; i += 2) {
      const [low, high] = [pieces[i] as number, pieces[i + 1]];
      made.push(high === undefined ? low : s.build.emit(form(key), [low, high, ...immediate]));
    }
    return made;
  };
  if (each === 32) return paired("vinserti64x4 z, z, y/m256, i8", [1]);
  return fromChunks(s, each === 16 ? pieces : paired("vpunpcklqdq x, x, x/m128", []), bytes);
}

/** How many chunks a vector of so many bytes has. */
export function chunkCount(bytes: number): number {
  return Math.ceil(bytes / 16);
}
