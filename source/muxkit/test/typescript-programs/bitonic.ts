// SPDX-License-Identifier: Apache-2.0
// Bitonic sort of blocks in local memory, by pairs of keys and values.
// oxlint-disable typescript/no-non-null-assertion -- elements are there, and this project checks indices
// oxlint-disable typescript/no-unnecessary-type-arguments, typescript/no-unsafe-unary-minus -- as users write it
import {
  type LocalArray,
  LocalAccessor,
  type NdItem,
  type Pointer,
  type Queue,
  kernel,
  mallocShared,
  ndRange,
  range,
  type uint,
} from "muxkit/sycl";

const sorted = kernel((item: NdItem<1>, keys: Pointer<uint>, block: LocalArray<uint>) => {
  const local = item.getLocalId();
  const size = item.getLocalRange();
  block[local] = keys[item.getGlobalId()]!;
  item.barrier("local");
  for (let k = 2; k <= size; k *= 2) {
    for (let j = k >> 1; j > 0; j >>= 1) {
      const other = local ^ j;
      if (other > local) {
        const a = block[local];
        const b = block[other]!;
        const isUp = (local & k) === 0;
        if (a > b === isUp) {
          block[local] = b;
          block[other] = a;
        }
      }
      item.barrier("local");
    }
  }
  keys[item.getGlobalId()] = block[local]!;
});

/** Blocks of 64 keys, sorted. */
export function run(queue: Queue): unknown {
  const keys = mallocShared(Uint32Array, 256, queue);
  for (let i = 0; i < 256; i++) keys.view(256)[i] = (i * 2654435761) >>> 0;
  queue.parallelFor(ndRange(range(256), range(64)), sorted, keys, new LocalAccessor(Uint32Array, 64)).wait();
  const list = [...keys.view(256)];
  return [0, 1, 2, 3].every((block) => {
    const own = list.slice(block * 64, block * 64 + 64);
    return own.every((key, i) => i === 0 || own[i - 1]! <= key);
  });
}
