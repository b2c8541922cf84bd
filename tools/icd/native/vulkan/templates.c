// SPDX-License-Identifier: Apache-2.0
// Descriptor update templates (Vulkan 1.1, VK_KHR_descriptor_update_template): where in a block of the program's memory
// descriptors are. The block is here, so the server knows nothing of templates: an update becomes a write for each
// entry, whose descriptors are gathered from the block. Cost: linear in the descriptors.
#include "templates.h"

#include <stdlib.h>
#include <string.h>

#include "calls.h"

// VkDescriptorUpdateTemplateEntry.
struct entry {
  uint32_t binding, element, count, type;
  size_t offset, stride;
};

// VkDescriptorUpdateTemplateCreateInfo.
struct create_info {
  uint32_t sType;
  const void *pNext;
  uint32_t flags, entry_count;
  const struct entry *entries;
  uint32_t template_type;
  uint64_t set_layout;
  uint32_t bind_point;
  uint64_t pipeline_layout;
  uint32_t set;
};

// VkWriteDescriptorSet.
struct write {
  uint32_t sType;
  const void *pNext;
  uint64_t set;
  uint32_t binding, element, count, type;
  const void *images, *buffers, *texel_buffers;
};

enum { WRITE_DESCRIPTOR_SET = 35, UNIFORM_TEXEL_BUFFER = 4, STORAGE_TEXEL_BUFFER = 5, UNIFORM_BUFFER = 6 };
enum { STORAGE_BUFFER_DYNAMIC = 9, INFO_BYTES = 24, VIEW_BYTES = 8 };

struct template {
  uint32_t bind_point, count;
  size_t bytes; // of all descriptors, gathered
  struct entry entries[];
};

static size_t descriptor_bytes(uint32_t type) {
  return type == UNIFORM_TEXEL_BUFFER || type == STORAGE_TEXEL_BUFFER ? VIEW_BYTES : INFO_BYTES;
}

int32_t vkCreateDescriptorUpdateTemplate(
    void *device, const void *pCreateInfo, const void *pAllocator, uint64_t *pDescriptorUpdateTemplate) {
  const struct create_info *info = pCreateInfo;
  (void)device, (void)pAllocator;
  const size_t bytes = info->entry_count * sizeof(struct entry);
  struct template *made = malloc(sizeof *made + bytes);
  *pDescriptorUpdateTemplate = (uintptr_t)made;
  if (made == NULL) return VULKAN_OUT_OF_HOST_MEMORY;
  made->bind_point = info->bind_point;
  made->count = info->entry_count;
  made->bytes = 0;
  memcpy(made->entries, info->entries, bytes);
  for (uint32_t i = 0; i < made->count; i++)
    made->bytes += made->entries[i].count * descriptor_bytes(made->entries[i].type);
  return VULKAN_SUCCESS;
}

void vkDestroyDescriptorUpdateTemplate(void *device, uint64_t descriptorUpdateTemplate, const void *pAllocator) {
  (void)device, (void)pAllocator;
  free((void *)(uintptr_t)descriptorUpdateTemplate);
}

// The writes of an update, with the descriptors behind them in the same block. NULL: no memory.
static struct write *writes_of(const struct template *template, uint64_t set, const uint8_t *data) {
  struct write *writes = malloc(template->count * sizeof *writes + template->bytes);
  if (writes == NULL) return NULL;
  uint8_t *to = (uint8_t *)(writes + template->count);
  for (uint32_t i = 0; i < template->count; i++) {
    const struct entry *entry = &template->entries[i];
    const size_t bytes = descriptor_bytes(entry->type);
    const bool is_buffer = entry->type >= UNIFORM_BUFFER && entry->type <= STORAGE_BUFFER_DYNAMIC;
    writes[i] = (struct write){.sType = WRITE_DESCRIPTOR_SET,
        .set = set,
        .binding = entry->binding,
        .element = entry->element,
        .count = entry->count,
        .type = entry->type,
        .images = bytes == INFO_BYTES && !is_buffer ? to : NULL,
        .buffers = is_buffer ? to : NULL,
        .texel_buffers = bytes == VIEW_BYTES ? to : NULL};
    for (uint32_t j = 0; j < entry->count; j++, to += bytes)
      memcpy(to, data + entry->offset + j * entry->stride, bytes);
  }
  return writes;
}

static void tell_no_memory(const char *call) {
  static const char text[] = "there is no memory for the writes of the template";
  vulkan_tell(call, (const uint8_t *)text, sizeof text - 1);
}

void vkUpdateDescriptorSetWithTemplate(
    void *device, uint64_t descriptorSet, uint64_t descriptorUpdateTemplate, const void *pData) {
  const struct template *template = (const struct template *)(uintptr_t)descriptorUpdateTemplate;
  struct write *writes = writes_of(template, descriptorSet, pData);
  if (writes == NULL) {
    tell_no_memory("vkUpdateDescriptorSetWithTemplate");
    return;
  }
  const uint64_t words[] = {(uintptr_t)device, template->count, (uintptr_t)writes, 0, 0};
  vulkan_call(CALL_vkUpdateDescriptorSets, words);
  free(writes);
}

void vkCmdPushDescriptorSetWithTemplateKHR(
    void *commandBuffer, uint64_t descriptorUpdateTemplate, uint64_t layout, uint32_t set, const void *pData) {
  const struct template *template = (const struct template *)(uintptr_t)descriptorUpdateTemplate;
  struct write *writes = writes_of(template, 0, pData);
  if (writes == NULL) {
    tell_no_memory("vkCmdPushDescriptorSetWithTemplateKHR");
    return;
  }
  const uint64_t words[] = {
      (uintptr_t)commandBuffer, template->bind_point, layout, set, template->count, (uintptr_t)writes};
  vulkan_call(CALL_vkCmdPushDescriptorSetKHR, words);
  free(writes);
}
