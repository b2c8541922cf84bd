// SPDX-License-Identifier: Apache-2.0
// Descriptor update templates, which are the library's own: see templates.c.
#ifndef MUXKIT_VULKAN_TEMPLATES_H
#define MUXKIT_VULKAN_TEMPLATES_H

#include <stdint.h>

int32_t vkCreateDescriptorUpdateTemplate(void *device, const void *pCreateInfo, const void *pAllocator,
    uint64_t *pDescriptorUpdateTemplate);
void vkDestroyDescriptorUpdateTemplate(void *device, uint64_t descriptorUpdateTemplate, const void *pAllocator);
void vkUpdateDescriptorSetWithTemplate(
    void *device, uint64_t descriptorSet, uint64_t descriptorUpdateTemplate, const void *pData);
void vkCmdPushDescriptorSetWithTemplateKHR(
    void *commandBuffer, uint64_t descriptorUpdateTemplate, uint64_t layout, uint32_t set, const void *pData);

#endif
