// SPDX-License-Identifier: Apache-2.0
// Results of the work-item queries of the op table.
import { Op } from "@muxkit/ir";

import type { Triple, WorkItem } from "./work-item.ts";

interface Query {
  /** The answer in a dimension. */
  readonly at: (item: WorkItem, dimension: 0 | 1 | 2) => number;
  /** The answer from dimension 3 on. */
  readonly beyond: bigint;
}

const PER_DIMENSION: Readonly<Record<number, Query>> = {
  [Op.GLOBAL_ID]: { at: (item, d) => item.globalId[d], beyond: 0n },
  [Op.GLOBAL_SIZE]: { at: (item, d) => item.range.globalSize[d], beyond: 1n },
  [Op.GLOBAL_OFFSET]: { at: (item, d) => item.range.globalOffset[d], beyond: 0n },
  [Op.LOCAL_ID]: { at: (item, d) => item.localId[d], beyond: 0n },
  [Op.LOCAL_SIZE]: { at: (item, d) => item.group.localSize[d], beyond: 1n },
  [Op.ENQUEUED_LOCAL_SIZE]: { at: (item, d) => item.range.enqueuedLocalSize[d], beyond: 1n },
  [Op.GROUP_ID]: { at: (item, d) => item.group.id[d], beyond: 0n },
  [Op.NUM_GROUPS]: { at: (item, d) => item.range.groupCount[d], beyond: 1n },
};

const PLAIN: Readonly<Record<number, (item: WorkItem) => bigint>> = {
  [Op.WORK_DIM]: ({ range }) => BigInt(range.dimensions),
  [Op.GLOBAL_LINEAR_ID]: ({ globalId, range }) => {
    const [x, y, z] = range.globalOffset;
    const [width, height] = range.globalSize;
    return (
      BigInt(globalId[0] - x) + BigInt(width) * (BigInt(globalId[1] - y) + BigInt(height) * BigInt(globalId[2] - z))
    );
  },
  [Op.LOCAL_LINEAR_ID]: ({ linearId }) => BigInt(linearId),
  [Op.SUB_GROUP_SIZE]: ({ linearId, group, range: { subGroupSize } }) =>
    BigInt(Math.min(subGroupSize, items(group.localSize) - linearId + (linearId % subGroupSize))),
  [Op.MAX_SUB_GROUP_SIZE]: ({ range }) => BigInt(Math.min(range.subGroupSize, items(range.enqueuedLocalSize))),
  [Op.NUM_SUB_GROUPS]: ({ group, range }) => BigInt(Math.ceil(items(group.localSize) / range.subGroupSize)),
  [Op.ENQUEUED_NUM_SUB_GROUPS]: ({ range }) => BigInt(Math.ceil(items(range.enqueuedLocalSize) / range.subGroupSize)),
  [Op.SUB_GROUP_ID]: ({ linearId, range }) => BigInt(Math.floor(linearId / range.subGroupSize)),
  [Op.SUB_GROUP_LOCAL_ID]: ({ linearId, range }) => BigInt(linearId % range.subGroupSize),
};

function items([x, y, z]: Triple): number {
  return x * y * z;
}

/** The answer to a query; `dimension` is null for queries without one. */
export function answer(op: number, item: WorkItem, dimension: bigint | null): bigint {
  const plain = PLAIN[op];
  if (plain !== undefined) return plain(item);
  const query = PER_DIMENSION[op];
  if (query === undefined) return 0n;
  if (dimension === 0n) return BigInt(query.at(item, 0));
  if (dimension === 1n) return BigInt(query.at(item, 1));
  return dimension === 2n ? BigInt(query.at(item, 2)) : query.beyond;
}
