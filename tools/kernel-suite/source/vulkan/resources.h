// SPDX-License-Identifier: Apache-2.0
// What run-shader.c binds: buffers, texel buffers, images and samplers, made of the words of a job.
#ifndef MUXKIT_RESOURCES_H
#define MUXKIT_RESOURCES_H

#include <stdint.h>
#include <stdio.h>
#include <vulkan/vulkan.h>

/** Kinds of resources, as jobs number them. */
enum kind {
  STORAGE_BUFFER,
  UNIFORM_BUFFER,
  STORAGE_IMAGE,
  SAMPLED_IMAGE,
  COMBINED_IMAGE_SAMPLER,
  SAMPLER,
  STORAGE_TEXEL_BUFFER,
  UNIFORM_TEXEL_BUFFER,
  KINDS
};

extern const VkDescriptorType descriptor_types[KINDS];

/** The device that everything is made on. */
struct device {
  VkPhysicalDevice physical;
  VkDevice handle;
  VkQueue queue;
  VkCommandPool pool;
};

/** A resource; what it does not have is null. `buffer` of an image is where its contents come from and go to. */
struct resource {
  uint32_t set, binding, element, kind, size;
  VkBuffer buffer;
  void *mapped;
  VkBufferView view;
  VkImage image;
  VkImageView image_view;
  VkExtent3D extent;
  uint32_t layers, levels;
  uint32_t row, rows; // texels from row to row, rows from layer to layer
  VkImageAspectFlags aspect;
  VkSampler sampler;
};

void check(VkResult result, const char *what);

/** Begins commands, and ends, submits and waits for them. */
VkCommandBuffer begin_commands(const struct device *device);
void run_commands(const struct device *device, VkCommandBuffer commands);

/** Makes a resource of the words at `at`; the place behind them. */
const uint32_t *make_resource(const struct device *device, const uint32_t *at, struct resource *own);

/** Copies an image to its buffer, where it is one. */
void fetch_resource(const struct device *device, const struct resource *own);

/** Writes a resource into its descriptor set. */
void write_descriptor(const struct device *device, VkDescriptorSet set, const struct resource *own);

#endif
