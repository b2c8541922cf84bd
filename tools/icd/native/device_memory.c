// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "device_memory.h"

#include <sys/mman.h>

#include "connection.h"
#include "device_map.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 // of Linux 5.14; others refuse it
#endif

// CHUNK: what is mapped at once.
enum { CHUNK = 2 << 20, LEAST_PREPARED = 1 << 20 };
static const uint64_t MOST_BYTES = 1ull << 32;
enum { CHUNKS = (1ull << 32) / CHUNK };

static struct {
  pthread_mutex_t lock;
  bool tried;
  uint64_t offset, most;
  _Atomic(uint8_t *) start; // NULL: not mapped
  _Atomic uint8_t prepared[CHUNKS];
} device = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint32_t device_stamp(void) {
  static _Atomic uint32_t last;
  uint32_t stamp = atomic_fetch_add(&last, 1) + 1;
  return stamp == 0 ? device_stamp() : stamp;
}

void device_place(uint32_t number, struct wire_reader *body) {
  uint32_t stamp = wire_read_u32(body);
  uint64_t address = wire_read_u64(body), offset = wire_read_u64(body), most = wire_read_u64(body);
  if (body->failed || stamp == 0 || address >= MOST_BYTES) return;
  pthread_mutex_lock(&device.lock);
  if (!device.tried) {
    device.tried = true;
    device.offset = offset;
    device.most = most;
    atomic_store_explicit(&device.start, device_map(offset, most), memory_order_release);
  }
  bool is_same = device.offset == offset && device.most == most;
  pthread_mutex_unlock(&device.lock);
  cl_mem memory = object_of(number);
  // The object may have been let go meanwhile, and its number given to another: that one has another stamp.
  if (is_same && object_is(memory, KIND_MEMORY))
    atomic_store_explicit(&memory->place, (uint64_t)stamp << 32 | address, memory_order_release);
}

bool device_is_shared(void) { return atomic_load_explicit(&device.start, memory_order_acquire) != NULL; }

uint8_t *device_bytes(cl_mem memory) {
  uint8_t *start = atomic_load_explicit(&device.start, memory_order_acquire);
  if (start == NULL) return NULL;
  bool is_part = memory->parent != NULL && memory->type == CL_MEM_OBJECT_BUFFER;
  cl_mem whole = is_part ? memory->parent : memory;
  uint64_t place = atomic_load_explicit(&whole->place, memory_order_acquire), address = place & (MOST_BYTES - 1);
  if (whole->stamp == 0 || place >> 32 != whole->stamp || whole->size > device.most ||
      address > device.most - whole->size)
    return NULL;
  return start + address + (is_part ? memory->offset : 0);
}

void device_prepare(const uint8_t *bytes, size_t length) {
  uint8_t *start = atomic_load_explicit(&device.start, memory_order_acquire);
  if (length < LEAST_PREPARED) return;
  uint64_t first = (uint64_t)(bytes - start) / CHUNK, last = ((uint64_t)(bytes - start) + length - 1) / CHUNK;
  for (uint64_t from = first; from <= last;) {
    uint64_t to = from;
    while (to <= last && atomic_load_explicit(&device.prepared[to], memory_order_relaxed) == 0) to++;
    // Only what is about to be touched: the rest of a chunk may be memory that nobody needs.
    const uint8_t *low = start + from * CHUNK, *high = start + to * CHUNK;
    if (low < bytes) low = bytes - (uintptr_t)bytes % 4096;
    if (high > bytes + length) high = bytes + length;
    if (to > from && low < high) madvise((void *)low, (size_t)(high - low), MADV_POPULATE_WRITE);
    for (; from < to; from++)
      if (start + from * CHUNK >= bytes && start + (from + 1) * CHUNK <= bytes + length)
        atomic_store_explicit(&device.prepared[from], 1, memory_order_relaxed);
    from = to + 1;
  }
}
