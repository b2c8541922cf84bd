// SPDX-License-Identifier: Apache-2.0
// Device memory in a file: the pages of the engine's linear memory are replaced by those of a memfd, which the library
// maps too (docs/decisions/061-shared-device-memory.md).
//
// The engine reserves a shared memory at its full size and lets it grow by changing the protection of pages. So the
// whole reservation is replaced once, while nothing uses it, and what is behind the current end is closed again; growth
// opens it, the guard regions stay the engine's, and the engine unmaps it all when the memory is gone.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "addon.h"

// A page of the processor's larger kind: both mappings are placed alike in them, so that the system can use them.
enum { LARGE_PAGE = 2 << 20 };

static struct {
  uint8_t *start;
  size_t bytes;
} shared;

// A file of a size that stays: who shrinks a mapped file ends the processes that touch it.
static int size_file(int file, off_t bytes) {
  struct rlimit most;
  // Beyond this limit the system sends a signal.
  if (getrlimit(RLIMIT_FSIZE, &most) != 0) return -1;
  if (most.rlim_cur != RLIM_INFINITY && most.rlim_cur < (rlim_t)bytes) {
    errno = EFBIG;
    return -1;
  }
  if (ftruncate(file, bytes) != 0) return -1;
  return fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

// shareMemory(bytes, most, file): replaces the pages of a memory that nobody has used, and which may grow to `most`
// bytes. Returns the place in the file of its first byte. Where it throws, the memory may have lost its pages.
static napi_value share_memory(napi_env env, napi_callback_info info) {
  napi_value arguments[ADDON_MOST_ARGUMENTS];
  addon_arguments(env, info, arguments);
  size_t now = 0;
  uint8_t *start = addon_bytes(env, arguments[0], &now);
  size_t most = (size_t)addon_number(env, arguments[1]);
  int file = (int)addon_number(env, arguments[2]);
  errno = EINVAL;
  if (start == NULL || now > most || shared.start != NULL) return addon_throw(env, "this is no new memory");
  size_t offset = (uintptr_t)start % LARGE_PAGE;
  if (size_file(file, (off_t)(offset + most)) != 0) return addon_throw(env, "the file cannot have this size");
  void *mapped = mmap(
      start, most, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file, (off_t)offset);
  if (mapped == MAP_FAILED) return addon_throw(env, "the file cannot be mapped");
  // Advice: where the system gives no large pages to files in memory, nothing changes.
  madvise(start, most, MADV_HUGEPAGE);
  if (mprotect(start + now, most - now, PROT_NONE) != 0) return addon_throw(env, "pages cannot be protected");
  shared.start = start;
  shared.bytes = most;
  return addon_result(env, (double)offset);
}

// placeOf(bytes): the address in the shared memory; -1: the bytes are elsewhere.
static napi_value place_of(napi_env env, napi_callback_info info) {
  napi_value arguments[ADDON_MOST_ARGUMENTS];
  addon_arguments(env, info, arguments);
  size_t length = 0;
  const uint8_t *bytes = addon_bytes(env, arguments[0], &length);
  bool is_inside = shared.start != NULL && bytes >= shared.start && bytes + length <= shared.start + shared.bytes;
  return addon_result(env, is_inside ? (double)(bytes - shared.start) : -1);
}

const struct addon_function device_memory_functions[] = {
    {"shareMemory", share_memory}, {"placeOf", place_of}, {NULL, NULL}};
