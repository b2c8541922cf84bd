// SPDX-License-Identifier: Apache-2.0
// The records of a work-group: what its work-items keep while they wait at a barrier, place by place and not work-item by work-item, so that neighbours find theirs side by side.
import type { Builder, Value } from "@muxkit/ir";

/** A place in the records of a group's work-items: those of all work-items lie side by side. */
export interface FrameSlot {
  /** Bytes a work-item that lie before it. */
  readonly before: number;
  /** Bytes a work-item of its own. */
  readonly size: number;
}

/** Where a record keeps the number of the work-item's next region, a u32. */
export const STATE_SLOT: FrameSlot = { before: 0, size: 4 };

/** SpillFrames have room for a multiple of this many work-items. */
export const LIVE_ITEM_MULTIPLE = 16;

/** The records of a group: where they begin (a multiple of 128), and for how many work-items there is room (a multiple of {@link LIVE_ITEM_MULTIPLE}). */
export interface SpillFrames {
  readonly live: Value;
  readonly room: Value;
}

/** The address of a place in the record of the work-item with a linear id. */
export function addressInFrame(
  builder: Builder,
  { live, room }: SpillFrames,
  linear: Value,
  { before, size }: FrameSlot,
): Value {
  return builder.address(before === 0 ? live : builder.address(live, room, before, 0), linear, size, 0);
}
