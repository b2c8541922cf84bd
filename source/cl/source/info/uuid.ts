// SPDX-License-Identifier: Apache-2.0
// Names of sixteen bytes for what has a text of its own.

/** Starts of four sums; each goes its own way. */
const STARTS = [0x811c_9dc5, 0x9e37_79b9, 0x85eb_ca6b, 0xc2b2_ae35] as const;
const PRIME = 0x0100_0193;

/** A UUID of version 8 (RFC 9562) that is made of a text: the same for the same text. */
export function uuidOf(text: string): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  for (const [i, start] of STARTS.entries()) {
    let sum: number = start;
    for (const character of text) sum = Math.imul(sum ^ (character.codePointAt(0) ?? 0), PRIME);
    view.setUint32(i * 4, sum ^ (sum >>> 15));
  }
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes;
}
