// SPDX-License-Identifier: Apache-2.0
// What a memory object must hold, byte by byte, as far as that is known: a command that failed in the middle leaves
// bytes that nobody can know.

/** A box of bytes: where it begins, and bytes from row to row. */
export interface Rows {
  readonly start: number;
  readonly pitch: number;
}

/** Bytes that must be there. */
export class Shadow {
  readonly bytes: Uint8Array;
  /** 1 where the byte is known. */
  readonly known: Uint8Array;

  readonly #view: DataView;

  /** Nothing is known of new memory. */
  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.#view = new DataView(this.bytes.buffer);
    this.known = new Uint8Array(size);
  }

  /** Bytes are written. */
  write(offset: number, bytes: Uint8Array): void {
    this.bytes.set(bytes, offset);
    this.known.fill(1, offset, offset + bytes.length);
  }

  /** A pattern is written over and over. */
  fill(offset: number, size: number, pattern: Uint8Array): void {
    for (let at = 0; at < size; at++) this.bytes[offset + at] = pattern[at % pattern.length] as number;
    this.known.fill(1, offset, offset + size);
  }

  /** Rows of bytes come from another object, with what is known of them. */
  copyRows(source: Shadow, from: Rows, to: Rows, row: number, rows: number): void {
    for (let i = 0; i < rows; i++) {
      const first = from.start + i * from.pitch;
      const target = to.start + i * to.pitch;
      this.known.set(source.known.slice(first, first + row), target);
      this.bytes.set(source.bytes.slice(first, first + row), target);
    }
  }

  /** Nobody knows what is there now. */
  lose(offset: number, size: number): void {
    this.known.fill(0, offset, offset + size);
  }

  /** The 32-bit integer at an offset; null: it is not known. */
  int(offset: number): number | null {
    for (let i = 0; i < 4; i++) if (this.known[offset + i] === 0) return null;
    return this.#view.getInt32(offset, true);
  }

  /** A 32-bit integer is written; null: one that is not known. */
  setInt(offset: number, value: number | null): void {
    if (value !== null) this.#view.setInt32(offset, value, true);
    this.known.fill(value === null ? 0 : 1, offset, offset + 4);
  }

  /** Which of `bytes` are not what they must be. */
  differences(offset: number, bytes: Uint8Array): number[] {
    const list: number[] = [];
    for (let i = 0; i < bytes.length; i++)
      if (this.known[offset + i] === 1 && this.bytes[offset + i] !== bytes[i]) list.push(i);
    return list;
  }
}
