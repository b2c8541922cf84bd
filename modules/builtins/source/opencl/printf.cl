// The area of printf: a single-producer, single-consumer ring, which a thread of the device fills and the host empties.
// Words: 0 offset where the host reads next, 1 offset where the thread writes next, 2 bytes of the ring, which follows
// the header. Offsets and sizes of records are multiples of 8.
#define O __attribute__((overloadable))

// Bytes of the header, and the word of the dispatch block that counts records without room: modules/kernel-abi defines
// them, tools/bake passes them.
#define RING MUXKIT_PRINTF_RING
#define LOST MUXKIT_PRINTF_LOST

// Room for a record in one piece; null: there is none, which is counted. A record that does not fit at the end is
// written at the beginning instead, and a zero word marks the skipped end.
O global uint *__muxkit_printf_reserve(global uint *area, global uint *launch, uint bytes) {
  if (area != 0) {
    uint head = atomic_or(area, 0u);
    uint tail = area[1], size = area[2];
    global char *ring = (global char *)area + RING;
    // Full and empty would look the same, so 8 bytes always stay free.
    if (tail < head) {
      if (bytes < head - tail) return (global uint *)(ring + tail);
    } else if (bytes < size - tail || (bytes == size - tail && head != 0u)) {
      return (global uint *)(ring + tail);
    } else if (bytes < head) {
      if (tail < size) *(global uint *)(ring + tail) = 0u;
      return (global uint *)ring;
    }
  }
  atomic_inc(launch + LOST);
  return 0;
}

// The record is whole: the host may read it.
O int __muxkit_printf_commit(global uint *area, global uint *record, uint bytes) {
  uint next = (uint)((global char *)record - ((global char *)area + RING)) + bytes;
  atomic_xchg(area + 1, next == area[2] ? 0u : next);
  return 0;
}
