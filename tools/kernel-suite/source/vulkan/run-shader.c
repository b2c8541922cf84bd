// SPDX-License-Identifier: Apache-2.0
// Runs one compute shader once by Vulkan: run-shader MODULE JOB RESULT.
//
// JOB and RESULT are words of 32 bits in this machine's order. JOB: number of bytes of the entry point's name, the name
// padded to words; groups in x, y, z; number of specialization constants, each its number, its bytes and two words of
// its value; bytes of push constants, then these; number of resources, then each of them (resources.c). Sizes in bytes
// are multiples of 4. RESULT has the contents of buffers and images one after the other. Exit code 3: there is no
// device.
#include <stdlib.h>
#include <string.h>

#include "resources.h"

#define MOST_RESOURCES 64
#define MOST_CONSTANTS 64
#define MOST_SETS 4

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

/** Extensions that shaders of tests use, of those that the device has. */
static uint32_t extensions_of(VkPhysicalDevice physical, const char **names) {
  static const char *const wanted[] = {"VK_EXT_shader_atomic_float", "VK_EXT_shader_atomic_float2",
                                       "VK_EXT_shader_subgroup_ballot", "VK_EXT_shader_subgroup_vote",
                                       "VK_EXT_robustness2"};
  static VkExtensionProperties list[512];
  uint32_t count = 512, found = 0;
  vkEnumerateDeviceExtensionProperties(physical, NULL, &count, list);
  for (size_t n = 0; n < sizeof wanted / sizeof *wanted; n++)
    for (uint32_t i = 0; i < count; i++)
      if (strcmp(list[i].extensionName, wanted[n]) == 0) names[found++] = wanted[n];
  return found;
}

/** The first device, with all of its features. */
static struct device open_device(void) {
  struct device device;
  VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                        .pApplicationInfo = &application};
  VkInstance instance;
  if (vkCreateInstance(&instance_info, NULL, &instance) != VK_SUCCESS) exit(3);
  uint32_t devices = 1;
  VkResult found = vkEnumeratePhysicalDevices(instance, &devices, &device.physical);
  if ((found != VK_SUCCESS && found != VK_INCOMPLETE) || devices == 0) exit(3);

  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT floats2 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT floats = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, .pNext = &floats2};
  VkPhysicalDeviceVulkan13Features features13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                 .pNext = &floats};
  VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                 .pNext = &features13};
  VkPhysicalDeviceVulkan11Features features11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                 .pNext = &features12};
  VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features11};
  vkGetPhysicalDeviceFeatures2(device.physical, &features);
  const char *names[8];
  float priority = 1;
  VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                        .queueCount = 1,
                                        .pQueuePriorities = &priority};
  VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                    .pNext = &features,
                                    .queueCreateInfoCount = 1,
                                    .pQueueCreateInfos = &queue_info,
                                    .enabledExtensionCount = extensions_of(device.physical, names),
                                    .ppEnabledExtensionNames = names};
  check(vkCreateDevice(device.physical, &device_info, NULL, &device.handle), "vkCreateDevice");
  vkGetDeviceQueue(device.handle, 0, 0, &device.queue);
  VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  check(vkCreateCommandPool(device.handle, &pool_info, NULL, &device.pool), "vkCreateCommandPool");
  return device;
}

/** Layouts of the sets that the resources are in, each with a binding for all elements of one. */
static void make_layouts(const struct device *device, const struct resource *list, uint32_t count,
                         VkDescriptorSetLayout layouts[MOST_SETS]) {
  for (uint32_t set = 0; set < MOST_SETS; set++) {
    VkDescriptorSetLayoutBinding bindings[MOST_RESOURCES];
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
      if (list[i].set != set) continue;
      if (list[i].element > 0) bindings[used - 1].descriptorCount++;
      else
        bindings[used++] = (VkDescriptorSetLayoutBinding){.binding = list[i].binding,
                                                          .descriptorType = descriptor_types[list[i].kind],
                                                          .descriptorCount = 1,
                                                          .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    }
    VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .bindingCount = used,
                                            .pBindings = bindings};
    check(vkCreateDescriptorSetLayout(device->handle, &info, NULL, &layouts[set]), "vkCreateDescriptorSetLayout");
  }
}

static void make_sets(const struct device *device, const VkDescriptorSetLayout layouts[MOST_SETS],
                      VkDescriptorSet sets[MOST_SETS]) {
  VkDescriptorPoolSize sizes[KINDS];
  for (uint32_t kind = 0; kind < KINDS; kind++)
    sizes[kind] = (VkDescriptorPoolSize){descriptor_types[kind], MOST_RESOURCES};
  VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                          .maxSets = MOST_SETS,
                                          .poolSizeCount = KINDS,
                                          .pPoolSizes = sizes};
  VkDescriptorPool pool;
  check(vkCreateDescriptorPool(device->handle, &pool_info, NULL, &pool), "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                      .descriptorPool = pool,
                                      .descriptorSetCount = MOST_SETS,
                                      .pSetLayouts = layouts};
  check(vkAllocateDescriptorSets(device->handle, &info, sets), "vkAllocateDescriptorSets");
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "run-shader MODULE JOB RESULT\n");
    return 2;
  }
  size_t code_words, job_words;
  uint32_t *code = read_words(argv[1], &code_words);
  const uint32_t *at = read_words(argv[2], &job_words);

  char name[256] = {0};
  uint32_t length = *at++;
  if (length >= sizeof name) return 2;
  memcpy(name, at, length);
  at += (length + 3) / 4;
  const uint32_t *groups = at;
  at += 3;
  uint32_t constants = *at++;
  if (constants > MOST_CONSTANTS) return 2;
  VkSpecializationMapEntry entries[MOST_CONSTANTS];
  uint32_t values[MOST_CONSTANTS * 2];
  for (uint32_t i = 0; i < constants; i++, at += 4) {
    entries[i] = (VkSpecializationMapEntry){at[0], i * 8, at[1]};
    memcpy(values + i * 2, at + 2, 8);
  }
  uint32_t pushed = *at++;
  const uint32_t *push = at;
  at += pushed / 4;
  uint32_t count = *at++;
  if (count > MOST_RESOURCES) return 2;

  struct device device = open_device();
  struct resource list[MOST_RESOURCES];
  for (uint32_t i = 0; i < count; i++) {
    at = make_resource(&device, at, &list[i]);
    if (list[i].set >= MOST_SETS) return 2;
  }
  VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                          .codeSize = code_words * 4,
                                          .pCode = code};
  VkShaderModule module;
  check(vkCreateShaderModule(device.handle, &module_info, NULL, &module), "vkCreateShaderModule");
  VkDescriptorSetLayout layouts[MOST_SETS];
  make_layouts(&device, list, count, layouts);
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, pushed};
  VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = MOST_SETS,
                                            .pSetLayouts = layouts,
                                            .pushConstantRangeCount = pushed == 0 ? 0 : 1,
                                            .pPushConstantRanges = &range};
  VkPipelineLayout layout;
  check(vkCreatePipelineLayout(device.handle, &layout_info, NULL, &layout), "vkCreatePipelineLayout");
  VkSpecializationInfo special = {constants, entries, constants * 8, values};
  VkComputePipelineCreateInfo pipeline_info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                               .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                         .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                         .module = module,
                                                         .pName = name,
                                                         .pSpecializationInfo = &special},
                                               .layout = layout};
  VkPipeline pipeline;
  check(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &pipeline_info, NULL, &pipeline),
        "vkCreateComputePipelines");
  VkDescriptorSet sets[MOST_SETS];
  make_sets(&device, layouts, sets);
  for (uint32_t i = 0; i < count; i++) write_descriptor(&device, sets[list[i].set], &list[i]);

  VkCommandBuffer commands = begin_commands(&device);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, MOST_SETS, sets, 0, NULL);
  if (pushed > 0) vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, pushed, push);
  vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
  run_commands(&device, commands);

  FILE *result = fopen(argv[3], "wb");
  if (result == NULL) return 1;
  for (uint32_t i = 0; i < count; i++) {
    if (list[i].buffer == VK_NULL_HANDLE) continue;
    fetch_resource(&device, &list[i]);
    fwrite(list[i].mapped, 1, list[i].size, result);
  }
  return fclose(result) == 0 ? 0 : 1;
}
