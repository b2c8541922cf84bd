// SPDX-License-Identifier: Apache-2.0
// Calls of Vulkan: what programs get, and how each leads to the server.
#ifndef MUXKIT_VULKAN_CALLS_H
#define MUXKIT_VULKAN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "generated/names.h"

// Results of Vulkan that the driver itself answers with.
enum vulkan_result {
  VULKAN_SUCCESS = 0,
  VULKAN_INCOMPLETE = 5,
  VULKAN_OUT_OF_HOST_MEMORY = -1,
  VULKAN_INITIALIZATION_FAILED = -3,
  VULKAN_DEVICE_LOST = -4,
  VULKAN_MEMORY_MAP_FAILED = -5
};

typedef void (*vulkan_function)(void);

struct vulkan_entry {
  const char *name;
  vulkan_function function;
};

extern const struct vulkan_entry vulkan_entries[];
extern const uint32_t vulkan_entry_count;

// Makes a call with its parameters, each a word. The result, or what the function returns.
uint64_t vulkan_call(uint32_t number, const uint64_t *words);
// Starts the server, the first time. False: there is none, or it is gone.
bool vulkan_open(void);
// Says why a call failed, where MUXKIT_ICD_LOG asks for it.
void vulkan_tell(const char *call, const uint8_t *text, uint32_t length);

// Those that no table describes (memory.c, calls.c).
int32_t vkMapMemory(void *device, uint64_t memory, uint64_t offset, uint64_t size, uint32_t flags, void *data);
void vkUnmapMemory(void *device, uint64_t memory);
int32_t vkGetQueryPoolResults(void *device, uint64_t queryPool, uint32_t firstQuery, uint32_t queryCount,
    uint64_t dataSize, void *pData, uint64_t stride, uint32_t flags);
int32_t vkCreateComputePipelines(void *device, uint64_t pipelineCache, uint32_t createInfoCount, void *pCreateInfos,
    void *pAllocator, void *pPipelines);
int32_t vkSetPrivateData(
    void *device, uint32_t objectType, uint64_t objectHandle, uint64_t privateDataSlot, uint64_t data);
void vkGetPrivateData(void *device, uint32_t objectType, uint64_t objectHandle, uint64_t privateDataSlot, void *pData);

#endif
