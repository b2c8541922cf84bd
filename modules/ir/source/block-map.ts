// SPDX-License-Identifier: Apache-2.0
// What an analysis knows of each block: an array by the blocks' numbers, where a map would hash objects.
import { filled } from "@muxkit/cargo";

import type { Block, IrFunction } from "./function.ts";

/** Something for blocks of one function. Blocks that were added to the function since have nothing in it until they are given something. @public */
export class BlockMap<T> {
  private readonly items: (T | undefined)[];

  /** Nothing for any block yet. */
  constructor(fn: IrFunction) {
    this.items = filled<T | undefined>(fn.blockNumbers, undefined);
  }

  /** What was set; undefined: nothing was. */
  get(block: Block): T | undefined {
    return this.items[block.number];
  }

  /** True when something was set. */
  has(block: Block): boolean {
    return this.items[block.number] !== undefined;
  }

  /** Sets what is known of a block. */
  set(block: Block, item: T): void {
    this.items[block.number] = item;
  }
}
