// SPDX-License-Identifier: Apache-2.0
// The output of a launch in an order that does not depend on threads: by work-group, by work-item, then in program
// order.

interface Entry {
  readonly group: readonly [number, number, number];
  readonly item: number;
  readonly text: string;
}

/** Collects the output of one launch. @public */
export class PrintfOrder {
  private entries: Entry[] = [];

  /** Adds output of a work-item; that of one item must be added in order. */
  add(group: readonly [number, number, number], item: number, text: string): void {
    this.entries.push({ group, item, text });
  }

  /** Returns all output in order, as one byte string, and empties the collection. */
  take(): string {
    const sorted = this.entries.toSorted(
      (a, b) => a.group[2] - b.group[2] || a.group[1] - b.group[1] || a.group[0] - b.group[0] || a.item - b.item,
    );
    this.entries = [];
    return sorted.map(({ text }) => text).join("");
  }
}

/** Decodes a byte string as UTF-8, with the replacement character for invalid bytes. @public */
export function decodeByteString(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}
