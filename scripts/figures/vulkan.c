// SPDX-License-Identifier: Apache-2.0
// What Vulkan's calls cost with the installed driver, as JSON on one line: the same steps as `vulkan-run.ts`, in the
// same order. The argument is the shader as SPIR-V.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <vulkan/vulkan.h>

enum { GROUP = 64, DISPATCHES = 1000, SMALL = GROUP, MEDIUM = GROUP * 64, SUBMISSIONS = 3000, REPLAYS = 40 };

static VkDevice device;
static VkQueue queue;
static VkPipelineLayout layout;
static VkPipeline pipeline;
static VkDescriptorSet set;
static VkCommandPool pool;
static VkFence fence;

static void must(VkResult result, const char *what) {
  if (result == VK_SUCCESS) return;
  fprintf(stderr, "%s failed: %d\n", what, result);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int less(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(double *list, int count) {
  qsort(list, (size_t)count, sizeof *list, less);
  return list[count / 2];
}

static VkPhysicalDevice physical_device(void) {
  VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
  VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
  VkInstance instance;
  must(vkCreateInstance(&info, NULL, &instance), "vkCreateInstance");
  uint32_t count = 8;
  VkPhysicalDevice list[8];
  vkEnumeratePhysicalDevices(instance, &count, list);
  for (uint32_t i = 0; i < count; i++) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(list[i], &properties);
    if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) return list[i];
  }
  fprintf(stderr, "there is no Vulkan device that is a CPU\n");
  exit(1);
}

static VkShaderModule shader(const char *path) {
  FILE *file = fopen(path, "rb");
  static uint32_t words[1 << 16];
  if (file == NULL) must(VK_ERROR_UNKNOWN, path);
  size_t bytes = fread(words, 1, sizeof words, file);
  fclose(file);
  VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = words};
  VkShaderModule module;
  must(vkCreateShaderModule(device, &info, NULL, &module), "vkCreateShaderModule");
  return module;
}

static VkBuffer new_buffer(VkPhysicalDevice physical, VkDeviceSize size) {
  VkBufferCreateInfo info = {
      VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  VkBuffer buffer;
  must(vkCreateBuffer(device, &info, NULL, &buffer), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, buffer, &needs);
  VkPhysicalDeviceMemoryProperties types;
  vkGetPhysicalDeviceMemoryProperties(physical, &types);
  uint32_t type = 0;
  while (!(needs.memoryTypeBits >> type & 1)) type++;
  VkMemoryAllocateInfo allocate = {
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
  VkDeviceMemory memory;
  must(vkAllocateMemory(device, &allocate, NULL, &memory), "vkAllocateMemory");
  must(vkBindBufferMemory(device, buffer, memory, 0), "vkBindBufferMemory");
  return buffer;
}

static void start(const char *path) {
  VkPhysicalDevice physical = physical_device();
  float priority = 1;
  VkDeviceQueueCreateInfo queues = {
      VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  VkDeviceCreateInfo info = {
      VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queues};
  must(vkCreateDevice(physical, &info, NULL, &device), "vkCreateDevice");
  vkGetDeviceQueue(device, 0, 0, &queue);
  VkDescriptorSetLayoutBinding binding = {
      0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
  VkDescriptorSetLayoutCreateInfo set_info = {
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
  VkDescriptorSetLayout set_layout;
  must(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout), "vkCreateDescriptorSetLayout");
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 4};
  VkPipelineLayoutCreateInfo layout_info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1,
      .pSetLayouts = &set_layout, .pushConstantRangeCount = 1, .pPushConstantRanges = &range};
  must(vkCreatePipelineLayout(device, &layout_info, NULL, &layout), "vkCreatePipelineLayout");
  VkComputePipelineCreateInfo pipeline_info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
          .module = shader(path), .pName = "main"},
      .layout = layout};
  must(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline_info, NULL, &pipeline), "the pipeline");
  VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  VkDescriptorPoolCreateInfo pool_info = {
      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
  VkDescriptorPool sets;
  must(vkCreateDescriptorPool(device, &pool_info, NULL, &sets), "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo allocate = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = sets,
      .descriptorSetCount = 1, .pSetLayouts = &set_layout};
  must(vkAllocateDescriptorSets(device, &allocate, &set), "vkAllocateDescriptorSets");
  VkDescriptorBufferInfo whole = {new_buffer(physical, (VkDeviceSize)DISPATCHES * MEDIUM * 4), 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &whole};
  vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
  VkCommandPoolCreateInfo commands = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  must(vkCreateCommandPool(device, &commands, NULL, &pool), "vkCreateCommandPool");
  VkFenceCreateInfo fence_info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  must(vkCreateFence(device, &fence_info, NULL, &fence), "vkCreateFence");
}

/** So many dispatches of so many work-items; apart: each has words of its own, and no barrier is between them. */
static VkCommandBuffer record(uint32_t dispatches, uint32_t items, int is_apart) {
  VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
  VkCommandBuffer commands;
  must(vkAllocateCommandBuffers(device, &allocate, &commands), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  must(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
  for (uint32_t i = 0; i < dispatches; i++) {
    uint32_t first = is_apart ? i * items : 0;
    if (is_apart || i == 0) vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &first);
    VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    if (!is_apart && i > 0) vkCmdPipelineBarrier(commands, compute, compute, 0, 1, &barrier, 0, NULL, 0, NULL);
    vkCmdDispatch(commands, items / GROUP, 1, 1);
  }
  must(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  return commands;
}

/** Submits with a fence, waits and resets it; returns the time of the submission. */
static double submit(VkCommandBuffer commands) {
  VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  double begin = now();
  must(vkQueueSubmit(queue, 1, &info, fence), "vkQueueSubmit");
  double submitted = now() - begin;
  must(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  return submitted;
}

static void submissions(void) {
  static double submits[SUBMISSIONS], trips[SUBMISSIONS];
  VkCommandBuffer commands = record(1, SMALL, 0);
  for (int i = -SUBMISSIONS; i < SUBMISSIONS; i++) {
    double begin = now();
    double time = submit(commands);
    double end = now();
    vkResetFences(device, 1, &fence);
    if (i < 0) continue;
    submits[i] = time;
    trips[i] = end - begin;
  }
  printf("{\"submit\":%f,\"roundTrip\":%f", median(submits, SUBMISSIONS), median(trips, SUBMISSIONS));
}

static void replay(const char *name, uint32_t items, int is_apart) {
  static double times[REPLAYS];
  VkCommandBuffer commands = record(DISPATCHES, items, is_apart);
  for (int i = 0; i < REPLAYS; i++) {
    double begin = now();
    submit(commands);
    vkResetFences(device, 1, &fence);
    times[i] = now() - begin;
  }
  int warm_up = REPLAYS / 4;
  printf(",\"%s%s\":%f", name, is_apart ? "Apart" : "Chain", median(times + warm_up, REPLAYS - warm_up));
}

int main(int argc, char **argv) {
  if (argc != 2) must(VK_ERROR_UNKNOWN, "a call without the shader");
  start(argv[1]);
  submissions();
  for (int is_apart = 0; is_apart < 2; is_apart++) replay("small", SMALL, is_apart);
  for (int is_apart = 0; is_apart < 2; is_apart++) replay("medium", MEDIUM, is_apart);
  printf("}\n");
  fflush(stdout);
  _Exit(0);
}
