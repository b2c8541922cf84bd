// SPDX-License-Identifier: Apache-2.0
// The spellings of a program's words: each is one string, however often it occurs, so that tables find it
// by its remembered hash.
import { filled } from "@muxkit/cargo";

import { IDENTIFIER, flagsOf } from "./token.ts";

const SMALLEST = 1024;

/** An intern table looked up by a range of a text, so that no string is allocated for a known spelling. */
export class Spellings {
  private texts: (string | undefined)[] = filled(SMALLEST, undefined);
  private hashes: Int32Array = new Int32Array(SMALLEST);
  private flags: Uint8Array = new Uint8Array(SMALLEST);
  private count = 0;
  /** The flags of the word that was looked up last, see `flagsOf`. */
  lastFlags = 0;

  /** The spelling from `start` to `end`, whose hash (see {@link addToHash}) is known. */
  at(text: string, start: number, end: number, hash: number): string {
    const { texts, hashes } = this;
    const mask = texts.length - 1;
    const length = end - start;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const known = texts[slot];
      if (known === undefined) break;
      if (hashes[slot] === hash && known.length === length && isAt(text, start, known)) {
        this.lastFlags = this.flags[slot] as number;
        return known;
      }
      slot = (slot + 1) & mask;
    }
    const made = text.slice(start, end);
    this.lastFlags = flagsOf(IDENTIFIER, made);
    texts[slot] = made;
    hashes[slot] = hash;
    this.flags[slot] = this.lastFlags;
    if (++this.count * 2 > texts.length) this.grow();
    return made;
  }

  private grow(): void {
    const { texts, hashes, flags } = this;
    const mask = texts.length * 2 - 1;
    this.texts = filled(mask + 1, undefined);
    this.hashes = new Int32Array(mask + 1);
    this.flags = new Uint8Array(mask + 1);
    for (let old = 0; old < texts.length; old++) {
      if (texts[old] === undefined) continue;
      const hash = hashes[old] as number;
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (this.texts[slot] !== undefined) slot = (slot + 1) & mask;
      this.texts[slot] = texts[old];
      this.hashes[slot] = hash;
      this.flags[slot] = flags[old] as number;
    }
  }
}

/** The hash of a text with one more character after it; that of no text is 0. */
export function addToHash(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}

function isAt(text: string, start: number, known: string): boolean {
  for (let i = 0; i < known.length; i++) if (text.charCodeAt(start + i) !== known.charCodeAt(i)) return false;
  return true;
}
