// SPDX-License-Identifier: Apache-2.0
// The spill frames of a work-group: what its work-items keep while they wait at a barrier. They are stored slot by
// slot, not work-item by work-item (SoA), so that the lanes of a vector find theirs next to one another.
import type { Builder, Value } from "@muxkit/ir";

/** A slot in the spill frames of a group: those of all work-items are next to one another. */
export interface FrameSlot {
  /** Bytes per work-item before it. */
  readonly before: number;
  /** Bytes per work-item of its own. */
  readonly size: number;
}

/** The slot of the number of a work-item's next region, a u32. */
export const STATE_SLOT: FrameSlot = { before: 0, size: 4 };

/**
 * The spill frames of a group: their address (a multiple of 16), and for how many work-items there is room (a multiple
 * of `LIVE_ITEM_MULTIPLE`).
 */
export interface SpillFrames {
  readonly live: Value;
  readonly room: Value;
}

/** The address of a slot in the spill frame of the work-item with a linear id. */
export function addressInFrame(
  builder: Builder,
  { live, room }: SpillFrames,
  linear: Value,
  { before, size }: FrameSlot,
): Value {
  return builder.address(before === 0 ? live : builder.address(live, room, before, 0), linear, size, 0);
}
