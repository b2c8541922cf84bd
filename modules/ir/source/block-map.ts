// SPDX-License-Identifier: Apache-2.0
// Maps from blocks to analysis results: arrays indexed by the blocks' numbers, faster than maps that hash objects.
import { filled } from "@muxkit/cargo";

import type { Block, IrFunction } from "./function.ts";

/**
 * A map from the blocks of one function. Blocks that are added to the function later have no entry at first.
 *
 * @public
 */
export class BlockMap<T> {
  private readonly items: (T | undefined)[];

  /** Makes an empty map. */
  constructor(fn: IrFunction) {
    this.items = filled<T | undefined>(fn.blockNumbers, undefined);
  }

  /** The entry of a block; undefined: there is none. */
  get(block: Block): T | undefined {
    return this.items[block.number];
  }

  /** True when a block has an entry. */
  has(block: Block): boolean {
    return this.items[block.number] !== undefined;
  }

  /** Sets the entry of a block. */
  set(block: Block, item: T): void {
    this.items[block.number] = item;
  }
}
