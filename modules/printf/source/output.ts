// SPDX-License-Identifier: Apache-2.0
// What a launch printed, in an order that does not depend on threads: by work-group, by work-item, and as each
// work-item printed it.

interface Entry {
  readonly group: readonly [number, number, number];
  readonly item: number;
  readonly text: string;
}

/** Collects the texts of one launch. @public */
export class PrintfOrder {
  private entries: Entry[] = [];

  /** A text of a work-item; those of one item come in order. */
  add(group: readonly [number, number, number], item: number, text: string): void {
    this.entries.push({ group, item, text });
  }

  /** All texts in order, as one byte string; the collection is empty then. */
  take(): string {
    const sorted = this.entries.toSorted(
      (a, b) => a.group[2] - b.group[2] || a.group[1] - b.group[1] || a.group[0] - b.group[0] || a.item - b.item,
    );
    this.entries = [];
    return sorted.map(({ text }) => text).join("");
  }
}

/** A byte string as text: UTF-8, with the replacement character for what is none. @public */
export function decodeByteString(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}
