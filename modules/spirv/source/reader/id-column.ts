// SPDX-License-Identifier: Apache-2.0
// What is known of ids: a slot for each instruction that defines one, so that a module which claims a bound of 2^32
// takes no more memory than its words do. An id that nothing defines has no slot. Slots come in pages, which are made
// when something in them becomes known: types stand together, and blocks and values are no constants.
import { filled } from "@muxkit/cargo";

import type { Definitions } from "../binary/definitions.ts";
import { stringAt } from "../binary/module.ts";

const PAGE_BITS = 8;
const PAGE_MASK = (1 << PAGE_BITS) - 1;

/** A column of the module's ids. */
export class IdColumn<T> {
  private readonly definitions: Definitions;
  private readonly pages: ((T | undefined)[] | undefined)[];
  private forgotten = 0;

  constructor(definitions: Definitions, count: number) {
    this.definitions = definitions;
    this.pages = filled<(T | undefined)[] | undefined>((count >> PAGE_BITS) + 1, undefined);
  }

  /** What is known of an id. */
  get(id: number): T | undefined {
    const index = this.definitions.of(id);
    return index < 0 ? undefined : this.at(index);
  }

  /** What is known of the id that an instruction defines. */
  at(index: number): T | undefined {
    return this.pages[index >> PAGE_BITS]?.[index & PAGE_MASK];
  }

  /** True when something is known of an id. */
  has(id: number): boolean {
    return this.get(id) !== undefined;
  }

  /** Makes something known of an id. */
  set(id: number, value: T): void {
    const index = this.definitions.of(id);
    if (index >= 0) this.put(index, value);
  }

  /** Makes something known of the id that an instruction defines. */
  put(index: number, value: T | undefined): void {
    const page = (this.pages[index >> PAGE_BITS] ??= filled<T | undefined>(PAGE_MASK + 1, undefined));
    page[index & PAGE_MASK] = value;
  }

  /** Forgets pages of ids that instructions from `begin` to `end` define; a page that began before keeps its ids. */
  forget(begin: number, end: number): void {
    const first = Math.max(this.forgotten, (begin >> PAGE_BITS) + 1);
    const last = end >> PAGE_BITS;
    for (let page = first; page < last; page++) this.pages[page] = undefined;
    this.forgotten = Math.max(first, last);
  }
}

/** Names of ids: words of `OpName`, which become text when somebody asks. */
export class NameColumn {
  private readonly words: Uint32Array;
  private readonly places: IdColumn<number>;
  private readonly offsets: Uint32Array;

  constructor(words: Uint32Array, offsets: Uint32Array, definitions: Definitions) {
    this.words = words;
    this.offsets = offsets;
    this.places = new IdColumn(definitions, offsets.length);
  }

  /** The name of an id; undefined: it has none. */
  get(id: number): string | undefined {
    const index = this.places.get(id);
    if (index === undefined) return undefined;
    return stringAt(this.words, (this.offsets[index] ?? 0) + 2, this.offsets[index + 1] ?? 0);
  }

  /** Says that instruction `index`, an `OpName`, names an id. */
  set(id: number, index: number): void {
    this.places.set(id, index);
  }
}
