// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "device_map.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include "connection.h"

// Both mappings lie alike within such pages, so that the system can use them.
enum { LARGE_PAGE = 2 << 20 };
static const uint64_t MOST_BYTES = 1ull << 32;

uint8_t *device_map(uint64_t offset, uint64_t most) {
  struct stat file;
  int descriptor = connection_device_file();
  if (offset >= LARGE_PAGE || most == 0 || most > MOST_BYTES) return NULL;
  // Beyond its end an access would end this process.
  if (fstat(descriptor, &file) != 0 || (uint64_t)file.st_size < offset + most) return NULL;
  uint8_t *room = mmap(NULL, most + LARGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return NULL;
  uint8_t *start = room + (LARGE_PAGE + offset - (uintptr_t)room % LARGE_PAGE) % LARGE_PAGE;
  const int flags = MAP_SHARED | MAP_FIXED | MAP_NORESERVE;
  void *mapped = mmap(start, most, PROT_READ | PROT_WRITE, flags, descriptor, (off_t)offset);
  if (mapped == MAP_FAILED) {
    munmap(room, most + LARGE_PAGE);
    return NULL;
  }
  madvise(start, most, MADV_HUGEPAGE);
  // A program's core is about the program.
  madvise(start, most, MADV_DONTDUMP);
  return start;
}
