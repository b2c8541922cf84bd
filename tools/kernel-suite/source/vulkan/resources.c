// SPDX-License-Identifier: Apache-2.0
// A resource in a job: set, binding, element of the binding, kind, then
//   buffer          bytes, contents
//   texel buffer    format, bytes, contents
//   image           shape (0 1-D, 1 1-D array, 2 2-D, 3 2-D array, 4 3-D, 5 cube, 6 cube array), format, width, height,
//                   depth, layers, levels, four components, texels of a row, rows of a layer, bytes, contents; behind a
//                   combined one the sampler. Levels lie below each other in each layer.
//   sampler         three addressing modes, filters of larger and smaller texels and of levels, 1 for coordinates in
//                   pixels, 0 or a comparison and 1, border, least and greatest level of detail in quarters
// Formats, components, addressing modes, comparisons and borders are Vulkan's numbers. Contents are filled up to words.
#include "resources.h"

#include <stdlib.h>
#include <string.h>

const VkDescriptorType descriptor_types[KINDS] = {
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,         VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,          VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_SAMPLER,
    VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,   VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
};

static const VkImageViewType shapes[] = {
    VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_IMAGE_VIEW_TYPE_2D,        VK_IMAGE_VIEW_TYPE_2D_ARRAY,
    VK_IMAGE_VIEW_TYPE_3D, VK_IMAGE_VIEW_TYPE_CUBE,     VK_IMAGE_VIEW_TYPE_CUBE_ARRAY,
};

void check(VkResult result, const char *what) {
  if (result == VK_SUCCESS) return;
  fprintf(stderr, "run-shader: %s failed: %d\n", what, result);
  exit(1);
}

/** A kind of memory with these properties. */
static uint32_t memory_type(const struct device *device, uint32_t types, VkMemoryPropertyFlags wanted) {
  VkPhysicalDeviceMemoryProperties properties;
  vkGetPhysicalDeviceMemoryProperties(device->physical, &properties);
  for (uint32_t i = 0; i < properties.memoryTypeCount; i++)
    if ((types & (1u << i)) != 0 && (properties.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  fprintf(stderr, "run-shader: the device has no memory of the kind that is needed\n");
  exit(1);
}

static VkDeviceMemory allocate(const struct device *device, VkMemoryRequirements needs, VkMemoryPropertyFlags wanted) {
  VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                               .allocationSize = needs.size,
                               .memoryTypeIndex = memory_type(device, needs.memoryTypeBits, wanted)};
  VkDeviceMemory memory;
  check(vkAllocateMemory(device->handle, &info, NULL, &memory), "vkAllocateMemory");
  return memory;
}

VkCommandBuffer begin_commands(const struct device *device) {
  VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                      .commandPool = device->pool,
                                      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                      .commandBufferCount = 1};
  VkCommandBuffer commands;
  check(vkAllocateCommandBuffers(device->handle, &info, &commands), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  return commands;
}

void run_commands(const struct device *device, VkCommandBuffer commands) {
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  check(vkQueueSubmit(device->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  check(vkQueueWaitIdle(device->queue), "vkQueueWaitIdle");
}

/** A buffer that the host sees, with the job's contents. */
static void make_buffer(const struct device *device, const uint32_t *contents, struct resource *own) {
  VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                             .size = own->size == 0 ? 4 : own->size,
                             .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                      VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                                      VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  check(vkCreateBuffer(device->handle, &info, NULL, &own->buffer), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device->handle, own->buffer, &needs);
  VkDeviceMemory memory =
      allocate(device, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  check(vkBindBufferMemory(device->handle, own->buffer, memory, 0), "vkBindBufferMemory");
  check(vkMapMemory(device->handle, memory, 0, VK_WHOLE_SIZE, 0, &own->mapped), "vkMapMemory");
  memcpy(own->mapped, contents, own->size);
}

static VkImageAspectFlags aspect_of(VkFormat format) {
  return format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_D32_SFLOAT ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                                         : VK_IMAGE_ASPECT_COLOR_BIT;
}

static uint32_t side(uint32_t size, uint32_t level) { return size >> level == 0 ? 1 : size >> level; }

/** A level of all layers, and where it lies in the buffer. */
static VkBufferImageCopy level_of(const struct resource *own, uint32_t level, uint32_t texel_bytes) {
  uint32_t above = 0;
  for (uint32_t i = 0; i < level; i++) above += side(own->extent.height, i);
  return (VkBufferImageCopy){
      .bufferOffset = (VkDeviceSize)above * own->row * texel_bytes,
      .bufferRowLength = own->row,
      .bufferImageHeight = own->rows,
      .imageSubresource = {own->aspect, level, 0, own->layers},
      .imageExtent = {side(own->extent.width, level), side(own->extent.height, level), side(own->extent.depth, level)}};
}

/** Makes an image in the layout of everything, with the contents of its buffer. */
static void make_image(const struct device *device, const uint32_t *words, struct resource *own) {
  uint32_t shape = words[0];
  VkFormat format = (VkFormat)words[1];
  VkImageViewType type = shapes[shape];
  int is_cube = type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
  int is_line = type == VK_IMAGE_VIEW_TYPE_1D || type == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
  VkImageCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .flags = is_cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
      .imageType = type == VK_IMAGE_VIEW_TYPE_3D ? VK_IMAGE_TYPE_3D : is_line ? VK_IMAGE_TYPE_1D : VK_IMAGE_TYPE_2D,
      .format = format,
      .extent = own->extent,
      .mipLevels = own->levels,
      .arrayLayers = own->layers,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .tiling = VK_IMAGE_TILING_OPTIMAL,
      .usage = (own->kind == STORAGE_IMAGE ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT) |
               VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
  check(vkCreateImage(device->handle, &info, NULL, &own->image), "vkCreateImage");
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device->handle, own->image, &needs);
  check(vkBindImageMemory(device->handle, own->image, allocate(device, needs, 0), 0), "vkBindImageMemory");
  VkImageSubresourceRange range = {own->aspect, 0, own->levels, 0, own->layers};
  VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                .image = own->image,
                                .viewType = type,
                                .format = format,
                                .components = {words[7], words[8], words[9], words[10]},
                                .subresourceRange = range};
  check(vkCreateImageView(device->handle, &view, NULL, &own->image_view), "vkCreateImageView");
  VkCommandBuffer commands = begin_commands(device);
  VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                  .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                  .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                  .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                  .image = own->image,
                                  .subresourceRange = range};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL,
                       1, &barrier);
  uint32_t texels = own->row * own->rows * own->extent.depth * own->layers;
  for (uint32_t level = 0; level < own->levels; level++) {
    VkBufferImageCopy copy = level_of(own, level, own->size / texels);
    vkCmdCopyBufferToImage(commands, own->buffer, own->image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  }
  run_commands(device, commands);
}

static const uint32_t *make_sampler(const struct device *device, const uint32_t *at, struct resource *own) {
  VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                              .magFilter = at[3],
                              .minFilter = at[4],
                              .mipmapMode = at[5],
                              .addressModeU = at[0],
                              .addressModeV = at[1],
                              .addressModeW = at[2],
                              .compareEnable = at[7] != 0,
                              .compareOp = at[7] == 0 ? 0 : at[7] - 1,
                              .minLod = (float)at[9],
                              .maxLod = 0.25f * (float)at[10],
                              .borderColor = at[8],
                              .unnormalizedCoordinates = at[6] != 0};
  check(vkCreateSampler(device->handle, &info, NULL, &own->sampler), "vkCreateSampler");
  return at + 11;
}

const uint32_t *make_resource(const struct device *device, const uint32_t *at, struct resource *own) {
  *own = (struct resource){.set = at[0], .binding = at[1], .element = at[2], .kind = at[3]};
  at += 4;
  if (own->kind >= KINDS) exit(2);
  if (own->kind == SAMPLER) return make_sampler(device, at, own);
  if (own->kind == STORAGE_BUFFER || own->kind == UNIFORM_BUFFER) {
    own->size = at[0];
    make_buffer(device, at + 1, own);
    return at + 1 + own->size / 4;
  }
  if (own->kind == STORAGE_TEXEL_BUFFER || own->kind == UNIFORM_TEXEL_BUFFER) {
    own->size = at[1];
    make_buffer(device, at + 2, own);
    VkBufferViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                   .buffer = own->buffer,
                                   .format = at[0],
                                   .range = VK_WHOLE_SIZE};
    check(vkCreateBufferView(device->handle, &view, NULL, &own->view), "vkCreateBufferView");
    return at + 2 + own->size / 4;
  }
  if (at[0] >= sizeof shapes / sizeof *shapes) exit(2);
  own->extent = (VkExtent3D){at[2], at[3], at[4]};
  own->layers = at[5];
  own->aspect = aspect_of(at[1]);
  own->levels = at[6];
  own->row = at[11];
  own->rows = at[12];
  own->size = at[13];
  make_buffer(device, at + 14, own);
  make_image(device, at, own);
  at += 14 + own->size / 4;
  return own->kind == COMBINED_IMAGE_SAMPLER ? make_sampler(device, at, own) : at;
}

void fetch_resource(const struct device *device, const struct resource *own) {
  if (own->image == VK_NULL_HANDLE) return;
  VkCommandBuffer commands = begin_commands(device);
  VkBufferImageCopy copy = level_of(own, 0, 0);
  vkCmdCopyImageToBuffer(commands, own->image, VK_IMAGE_LAYOUT_GENERAL, own->buffer, 1, &copy);
  run_commands(device, commands);
}

void write_descriptor(const struct device *device, VkDescriptorSet set, const struct resource *own) {
  VkDescriptorBufferInfo buffer = {own->buffer, 0, VK_WHOLE_SIZE};
  VkDescriptorImageInfo image = {own->sampler, own->image_view, VK_IMAGE_LAYOUT_GENERAL};
  VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                .dstSet = set,
                                .dstBinding = own->binding,
                                .dstArrayElement = own->element,
                                .descriptorCount = 1,
                                .descriptorType = descriptor_types[own->kind],
                                .pImageInfo = &image,
                                .pBufferInfo = &buffer,
                                .pTexelBufferView = &own->view};
  vkUpdateDescriptorSets(device->handle, 1, &write, 0, NULL);
}
