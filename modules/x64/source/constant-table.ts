// SPDX-License-Identifier: Apache-2.0
// Constants of vectors, each once: a hash table with open addressing over their bytes (Knuth, "The Art of Computer
// Programming", volume 3, 6.4). Cost: linear in the bytes of what is asked for.

const FREE = -1;

function hashOf(bytes: Uint8Array): number {
  // FNV-1a (Fowler, Noll and Vo, 1991), over bytes.
  let hash = 0x811c_9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x0100_0193);
  return hash ^ (hash >>> 15);
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Constants by number, in the order in which they were first asked for. */
export class ConstantTable {
  readonly list: Uint8Array[] = [];
  private readonly hashes: number[] = [];
  private places: Int32Array = new Int32Array(64).fill(FREE);

  /** The number of a constant; its bytes are copied. */
  numberOf(bytes: Uint8Array): number {
    const hash = hashOf(bytes);
    const { list, hashes } = this;
    const mask = this.places.length - 1;
    let at = hash & mask;
    for (;;) {
      const number = this.places[at] as number;
      if (number === FREE) break;
      if (hashes[number] === hash && areEqual(list[number] as Uint8Array, bytes)) return number;
      at = (at + 1) & mask;
    }
    const made = list.push(bytes.slice()) - 1;
    hashes.push(hash);
    this.places[at] = made;
    if (2 * list.length > this.places.length) this.grow();
    return made;
  }

  private grow(): void {
    const places = new Int32Array(2 * this.places.length).fill(FREE);
    const mask = places.length - 1;
    for (let number = 0; number < this.hashes.length; number++) {
      let at = (this.hashes[number] as number) & mask;
      while (places[at] !== FREE) at = (at + 1) & mask;
      places[at] = number;
    }
    this.places = places;
  }
}
