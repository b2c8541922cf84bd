// SPDX-License-Identifier: Apache-2.0
// Runs one compute shader once by Vulkan: run-shader MODULE JOB RESULT.
//
// JOB and RESULT are words of 32 bits in this machine's order. JOB: number of bytes of the entry point's name, the name
// padded to words; groups in x, y, z; number of specialization constants, each its number and its value; bytes of push
// constants, then these; number of buffers, each its binding, its bytes and its contents. Sizes in bytes are multiples
// of 4. RESULT has the buffers' contents one after the other. Exit code 3: there is no device.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define MOST_BUFFERS 32
#define MOST_CONSTANTS 64

static void check(VkResult result, const char *what) {
  if (result == VK_SUCCESS) return;
  fprintf(stderr, "run-shader: %s failed: %d\n", what, result);
  exit(1);
}

static uint32_t *read_words(const char *path, size_t *count) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fprintf(stderr, "run-shader: %s cannot be read\n", path);
    exit(1);
  }
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  uint32_t *words = malloc((size_t)size + 4);
  if (words == NULL || fread(words, 1, (size_t)size, file) != (size_t)size) exit(1);
  fclose(file);
  *count = (size_t)size / 4;
  return words;
}

/** A buffer of the job, with its place in the device's memory. */
struct buffer {
  uint32_t binding;
  uint32_t size;
  VkBuffer handle;
  VkDeviceMemory memory;
  void *mapped;
};

static uint32_t memory_type(VkPhysicalDevice physical, uint32_t types) {
  const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties properties;
  vkGetPhysicalDeviceMemoryProperties(physical, &properties);
  for (uint32_t i = 0; i < properties.memoryTypeCount; i++)
    if ((types & (1u << i)) != 0 && (properties.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  fprintf(stderr, "run-shader: the device has no memory that the host sees\n");
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "run-shader MODULE JOB RESULT\n");
    return 2;
  }
  size_t code_words, job_words;
  uint32_t *code = read_words(argv[1], &code_words);
  uint32_t *job = read_words(argv[2], &job_words);
  uint32_t *at = job;

  char name[256] = {0};
  uint32_t length = *at++;
  if (length >= sizeof name) return 2;
  memcpy(name, at, length);
  at += (length + 3) / 4;
  uint32_t groups[3] = {at[0], at[1], at[2]};
  at += 3;
  uint32_t constants = *at++;
  if (constants > MOST_CONSTANTS) return 2;
  VkSpecializationMapEntry entries[MOST_CONSTANTS];
  uint32_t values[MOST_CONSTANTS];
  for (uint32_t i = 0; i < constants; i++) {
    entries[i] = (VkSpecializationMapEntry){at[0], i * 4, 4};
    values[i] = at[1];
    at += 2;
  }
  uint32_t pushed = *at++;
  const uint32_t *push = at;
  at += pushed / 4;
  uint32_t count = *at++;
  if (count > MOST_BUFFERS) return 2;

  VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
  VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                        .pApplicationInfo = &application};
  VkInstance instance;
  if (vkCreateInstance(&instance_info, NULL, &instance) != VK_SUCCESS) return 3;
  uint32_t devices = 1;
  VkPhysicalDevice physical;
  VkResult found = vkEnumeratePhysicalDevices(instance, &devices, &physical);
  if ((found != VK_SUCCESS && found != VK_INCOMPLETE) || devices == 0) return 3;

  VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan11Features features11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                 .pNext = &features12};
  VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features11};
  vkGetPhysicalDeviceFeatures2(physical, &features);

  float priority = 1;
  VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                        .queueCount = 1,
                                        .pQueuePriorities = &priority};
  VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                    .pNext = &features,
                                    .queueCreateInfoCount = 1,
                                    .pQueueCreateInfos = &queue_info};
  VkDevice device;
  check(vkCreateDevice(physical, &device_info, NULL, &device), "vkCreateDevice");
  VkQueue queue;
  vkGetDeviceQueue(device, 0, 0, &queue);

  struct buffer buffers[MOST_BUFFERS];
  VkDescriptorSetLayoutBinding bindings[MOST_BUFFERS];
  for (uint32_t i = 0; i < count; i++) {
    struct buffer *own = &buffers[i];
    own->binding = *at++;
    own->size = *at++;
    bindings[i] = (VkDescriptorSetLayoutBinding){.binding = own->binding,
                                                 .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                 .descriptorCount = 1,
                                                 .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = own->size == 0 ? 4 : own->size,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    check(vkCreateBuffer(device, &info, NULL, &own->handle), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, own->handle, &needs);
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                   .allocationSize = needs.size,
                                   .memoryTypeIndex = memory_type(physical, needs.memoryTypeBits)};
    check(vkAllocateMemory(device, &memory, NULL, &own->memory), "vkAllocateMemory");
    check(vkBindBufferMemory(device, own->handle, own->memory, 0), "vkBindBufferMemory");
    check(vkMapMemory(device, own->memory, 0, VK_WHOLE_SIZE, 0, &own->mapped), "vkMapMemory");
    memcpy(own->mapped, at, own->size);
    at += own->size / 4;
  }

  VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                          .codeSize = code_words * 4,
                                          .pCode = code};
  VkShaderModule module;
  check(vkCreateShaderModule(device, &module_info, NULL, &module), "vkCreateShaderModule");
  VkDescriptorSetLayoutCreateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                              .bindingCount = count,
                                              .pBindings = bindings};
  VkDescriptorSetLayout set_layout;
  check(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout), "vkCreateDescriptorSetLayout");
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, pushed};
  VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = 1,
                                            .pSetLayouts = &set_layout,
                                            .pushConstantRangeCount = pushed == 0 ? 0 : 1,
                                            .pPushConstantRanges = &range};
  VkPipelineLayout layout;
  check(vkCreatePipelineLayout(device, &layout_info, NULL, &layout), "vkCreatePipelineLayout");
  VkSpecializationInfo special = {constants, entries, constants * 4, values};
  VkComputePipelineCreateInfo pipeline_info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = name,
                .pSpecializationInfo = &special},
      .layout = layout};
  VkPipeline pipeline;
  check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline_info, NULL, &pipeline),
        "vkCreateComputePipelines");

  VkDescriptorSet set = VK_NULL_HANDLE;
  if (count > 0) {
    VkDescriptorPoolSize pool_size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count};
    VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                            .maxSets = 1,
                                            .poolSizeCount = 1,
                                            .pPoolSizes = &pool_size};
    VkDescriptorPool pool;
    check(vkCreateDescriptorPool(device, &pool_info, NULL, &pool), "vkCreateDescriptorPool");
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &set_layout};
    check(vkAllocateDescriptorSets(device, &allocate, &set), "vkAllocateDescriptorSets");
    for (uint32_t i = 0; i < count; i++) {
      VkDescriptorBufferInfo info = {buffers[i].handle, 0, VK_WHOLE_SIZE};
      VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                    .dstSet = set,
                                    .dstBinding = buffers[i].binding,
                                    .descriptorCount = 1,
                                    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                    .pBufferInfo = &info};
      vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    }
  }

  VkCommandPoolCreateInfo command_pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  VkCommandPool command_pool;
  check(vkCreateCommandPool(device, &command_pool_info, NULL, &command_pool), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo command_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = command_pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 1};
  VkCommandBuffer commands;
  check(vkAllocateCommandBuffers(device, &command_info, &commands), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  if (count > 0)
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
  if (pushed > 0) vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, pushed, push);
  vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");

  FILE *result = fopen(argv[3], "wb");
  if (result == NULL) return 1;
  for (uint32_t i = 0; i < count; i++) fwrite(buffers[i].mapped, 1, buffers[i].size, result);
  return fclose(result) == 0 ? 0 : 1;
}
