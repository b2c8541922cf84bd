// SPDX-License-Identifier: Apache-2.0
// Mapped memory: the file that the server has put device memory into, mapped here too
// (docs/decisions/061-shared-device-memory.md). Both see the same bytes, so all memory is coherent. Where the server
// shares nothing, memory cannot be mapped.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

#include "../connection.h"
#include "../device_map.h"
#include "calls.h"
#include "marshal.h"
#include "objects.h"

static struct {
  pthread_mutex_t lock;
  uint8_t *start;
  uint64_t offset, most;
} device = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Where device memory begins here; NULL: it cannot be mapped.
static uint8_t *start_of(uint64_t offset, uint64_t most) {
  pthread_mutex_lock(&device.lock);
  if (device.start == NULL) {
    device.start = device_map(offset, most);
    device.offset = offset;
    device.most = most;
  }
  uint8_t *start = device.offset == offset && device.most == most ? device.start : NULL;
  pthread_mutex_unlock(&device.lock);
  return start;
}

int32_t vkMapMemory(void *device_handle, uint64_t memory, uint64_t offset, uint64_t size, uint32_t flags, void *data) {
  struct wire_writer writer;
  struct reply reply;
  *(void **)data = NULL;
  if (!vulkan_open()) return VULKAN_DEVICE_LOST;
  wire_begin(&writer, CALL_vkMapMemory + 1);
  wire_u32(&writer, object_number(device_handle));
  wire_u32(&writer, (uint32_t)memory);
  wire_u64(&writer, offset);
  wire_u64(&writer, size);
  wire_u32(&writer, flags);
  if (!connection_call(&writer, &reply)) return VULKAN_DEVICE_LOST;
  int32_t result = reply.error;
  if (result == 0) {
    uint64_t address = wire_read_u64(&reply.reader), bytes = wire_read_u64(&reply.reader);
    uint64_t place = wire_read_u64(&reply.reader), most = wire_read_u64(&reply.reader);
    bool is_inside = !reply.reader.failed && bytes <= most && address <= most - bytes;
    uint8_t *start = is_inside ? start_of(place, most) : NULL;
    if (start == NULL) result = VULKAN_MEMORY_MAP_FAILED;
    else *(void **)data = start + address;
  } else {
    uint32_t length;
    const uint8_t *text = wire_read_bytes(&reply.reader, &length);
    vulkan_tell("vkMapMemory", text, length);
  }
  connection_free_reply(&reply);
  return result;
}

void vkUnmapMemory(void *device_handle, uint64_t memory) {
  struct wire_writer writer;
  if (!vulkan_open()) return;
  wire_begin(&writer, CALL_vkUnmapMemory + 1);
  wire_u32(&writer, object_number(device_handle));
  wire_u32(&writer, (uint32_t)memory);
  connection_send(&writer);
}
