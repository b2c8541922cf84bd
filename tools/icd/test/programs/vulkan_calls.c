// SPDX-License-Identifier: Apache-2.0
// Calls of Vulkan of each group, through the loader. vulkan_calls SHADER [PIDS]: the shader adds one to each word of
// binding 0; PIDS is a file that holds the process of the server, which is killed last.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

enum { WORDS = 4096, BYTES = WORDS * 4, GROUP = 64 };

static int failures;
#define WANT(what)                                                              \
  do {                                                                          \
    if (!(what)) failures++, fprintf(stderr, "line %d: %s\n", __LINE__, #what); \
  } while (0)
#define OK(call) WANT((call) == VK_SUCCESS)

static void *read_file(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) exit(3);
  char *text = calloc(1, 1 << 20);
  *bytes = fread(text, 1, 1 << 20, file);
  fclose(file);
  return text;
}

static VkDevice device;


static VkResult awaited = VK_NOT_READY;
static void *wait_behind(void *fence) {
  awaited = vkWaitForFences(device, 1, (VkFence *)fence, VK_TRUE, UINT64_MAX);
  return NULL;
}

int main(int count, char **words) {
  VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  VkInstanceCreateInfo instance_info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
  VkInstance instance;
  if (vkCreateInstance(&instance_info, NULL, &instance) != VK_SUCCESS) return 2;
  // ---- physical devices: calls that are made twice, structures in chains
  uint32_t devices = 0;
  OK(vkEnumeratePhysicalDevices(instance, &devices, NULL));
  WANT(devices == 1);
  VkPhysicalDevice physical;
  OK(vkEnumeratePhysicalDevices(instance, &devices, &physical));
  VkPhysicalDeviceVulkan12Properties twelve = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
  VkPhysicalDeviceVulkan11Properties eleven = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, &twelve};
  VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &eleven};
  vkGetPhysicalDeviceProperties2(physical, &properties);
  WANT(strstr(properties.properties.deviceName, "muxkit") != NULL);
  WANT(properties.properties.limits.maxComputeWorkGroupSize[0] >= 128);
  WANT(eleven.subgroupSize > 0 && eleven.maxMemoryAllocationSize > 0 && eleven.pNext == &twelve);
  WANT(twelve.maxTimelineSemaphoreValueDifference > 0);
  uint32_t families = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &families, NULL);
  WANT(families == 1);
  VkQueueFamilyProperties family;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &families, &family);
  WANT((family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0 && (family.queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0);
  VkPhysicalDeviceMemoryProperties memory_types;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory_types);
  WANT(memory_types.memoryTypeCount == 1 && memory_types.memoryHeaps[0].size > 0);
  VkFormatProperties format;
  vkGetPhysicalDeviceFormatProperties(physical, VK_FORMAT_R32_SFLOAT, &format);
  WANT((format.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) != 0);
  uint32_t extensions = 0, few = 1;
  OK(vkEnumerateDeviceExtensionProperties(physical, NULL, &extensions, NULL));
  VkExtensionProperties first;
  if (extensions > 1) WANT(vkEnumerateDeviceExtensionProperties(physical, NULL, &few, &first) == VK_INCOMPLETE);
  // ---- devices: errors are results
  float priority = 1;
  VkDeviceQueueCreateInfo queue_info = {
      VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  VkPhysicalDeviceVulkan12Features addresses = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .bufferDeviceAddress = VK_TRUE};
  VkPhysicalDeviceVulkan13Features features = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &addresses,
      .synchronization2 = VK_TRUE, .privateData = VK_TRUE};
  VkDeviceCreateInfo device_info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &features,
      .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
  VkPhysicalDeviceFeatures lacking = {.geometryShader = VK_FALSE, .sparseBinding = VK_FALSE};
  device_info.pEnabledFeatures = &lacking;
  const char *unknown = "VK_MUXKIT_none";
  device_info.enabledExtensionCount = 1;
  device_info.ppEnabledExtensionNames = &unknown;
  WANT(vkCreateDevice(physical, &device_info, NULL, &device) == VK_ERROR_EXTENSION_NOT_PRESENT);
  device_info.enabledExtensionCount = 0;
  OK(vkCreateDevice(physical, &device_info, NULL, &device));
  WANT(vkGetDeviceProcAddr(device, "vkCmdDispatch") != NULL && vkGetDeviceProcAddr(device, "vkCmdDraw") == NULL);
  VkPhysicalDeviceDriverProperties driver = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceProperties2 properties2 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver};
  vkGetPhysicalDeviceProperties2(physical, &properties2);
  WANT(strcmp(driver.driverName, "Muxkit") == 0);
  // ---- private data, of objects that are pointers and of others
  VkPrivateDataSlotCreateInfo private_info = {VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
  VkPrivateDataSlot slot;
  uint64_t kept = 5;
  OK(vkCreatePrivateDataSlot(device, &private_info, NULL, &slot));
  vkGetPrivateData(device, VK_OBJECT_TYPE_DEVICE, (uint64_t)(uintptr_t)device, slot, &kept);
  WANT(kept == 0);
  OK(vkSetPrivateData(device, VK_OBJECT_TYPE_DEVICE, (uint64_t)(uintptr_t)device, slot, UINT64_MAX));
  OK(vkSetPrivateData(device, VK_OBJECT_TYPE_PRIVATE_DATA_SLOT, (uint64_t)slot, slot, 7));
  vkGetPrivateData(device, VK_OBJECT_TYPE_DEVICE, (uint64_t)(uintptr_t)device, slot, &kept);
  WANT(kept == UINT64_MAX);
  vkGetPrivateData(device, VK_OBJECT_TYPE_PRIVATE_DATA_SLOT, (uint64_t)slot, slot, &kept);
  WANT(kept == 7);
  vkDestroyPrivateDataSlot(device, slot, NULL);
  VkQueue queue, again;
  vkGetDeviceQueue(device, 0, 0, &queue);
  vkGetDeviceQueue(device, 0, 0, &again);
  WANT(queue != NULL && queue == again);
  // ---- memory and buffers: mapped memory is the device's own
  VkMemoryAllocateInfo huge = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 1ull << 60};
  VkDeviceMemory memory;
  WANT(vkAllocateMemory(device, &huge, NULL, &memory) == VK_ERROR_OUT_OF_DEVICE_MEMORY);
  VkBufferCreateInfo buffer_info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = BYTES,
      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
  VkBuffer buffers[2];
  VkMemoryRequirements needs;
  for (int i = 0; i < 2; i++) OK(vkCreateBuffer(device, &buffer_info, NULL, &buffers[i]));
  vkGetBufferMemoryRequirements(device, buffers[0], &needs);
  WANT(needs.size >= BYTES && needs.alignment > 0);
  VkDeviceSize step = (needs.size + needs.alignment - 1) / needs.alignment * needs.alignment;
  VkMemoryAllocateInfo memory_info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 2 * step};
  OK(vkAllocateMemory(device, &memory_info, NULL, &memory));
  for (int i = 0; i < 2; i++) OK(vkBindBufferMemory(device, buffers[i], memory, i * step));
  VkBufferDeviceAddressInfo place = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffers[0]};
  VkDeviceAddress zeroth = vkGetBufferDeviceAddress(device, &place);
  place.buffer = buffers[1];
  WANT(zeroth != 0 && vkGetBufferDeviceAddress(device, &place) == zeroth + step);
  uint32_t *data = NULL;
  OK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&data));
  if (data == NULL) return 4;
  for (uint32_t i = 0; i < WORDS; i++) data[i] = i;
  // ---- pipelines
  size_t code_bytes;
  const uint32_t *code = read_file(words[1], &code_bytes);
  VkShaderModuleCreateInfo module_info = {
      VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code_bytes, .pCode = code};
  VkShaderModule module;
  OK(vkCreateShaderModule(device, &module_info, NULL, &module));
  VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
  VkDescriptorSetLayoutCreateInfo set_info = {
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
  VkDescriptorSetLayout set_layout;
  OK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
  VkPipelineLayoutCreateInfo layout_info = {
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout};
  VkPipelineLayout layout;
  OK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
  VkPipelineCacheCreateInfo cache_info = {VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache cache;
  OK(vkCreatePipelineCache(device, &cache_info, NULL, &cache));
  VkComputePipelineCreateInfo pipeline_info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout,
      .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
          .module = module, .pName = "none"}};
  VkPipeline pipeline = (VkPipeline)1;
  WANT(vkCreateComputePipelines(device, cache, 1, &pipeline_info, NULL, &pipeline) < 0 && pipeline == VK_NULL_HANDLE);
  pipeline_info.stage.pName = "main";
  // How it was made is not told.
  VkPipelineCreationFeedback told = {.flags = 7, .duration = 7}, only_stage = {.flags = 7};
  VkPipelineCreationFeedbackCreateInfo feedback = {VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
      .pPipelineCreationFeedback = &told, .pipelineStageCreationFeedbackCount = 1,
      .pPipelineStageCreationFeedbacks = &only_stage};
  pipeline_info.pNext = &feedback;
  OK(vkCreateComputePipelines(device, cache, 1, &pipeline_info, NULL, &pipeline));
  WANT(told.flags == 0 && told.duration == 0 && only_stage.flags == 0);
  size_t cache_bytes = 0;
  OK(vkGetPipelineCacheData(device, cache, &cache_bytes, NULL));
  WANT(cache_bytes >= 32);
  // ---- descriptors
  VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  VkDescriptorPoolCreateInfo pool_info = {
      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
  VkDescriptorPool pool;
  OK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
  VkDescriptorSetAllocateInfo allocate = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool,
      .descriptorSetCount = 1, .pSetLayouts = &set_layout};
  VkDescriptorSet set, second = (VkDescriptorSet)1;
  OK(vkAllocateDescriptorSets(device, &allocate, &set));
  WANT(vkAllocateDescriptorSets(device, &allocate, &second) == VK_ERROR_OUT_OF_POOL_MEMORY && second == VK_NULL_HANDLE);
  VkDescriptorBufferInfo whole = {buffers[0], 0, VK_WHOLE_SIZE}, part = {buffers[0], 0, 256};
  // Members that the type does not use may be anything.
  VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &part, .pImageInfo = (void *)8};
  vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
  // A template replaces the part by all of it.
  struct {
    int before;
    VkDescriptorBufferInfo info;
  } block = {1, whole};
  VkDescriptorUpdateTemplateEntry entry = {.descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      .offset = (char *)&block.info - (char *)&block, .stride = sizeof block};
  VkDescriptorUpdateTemplateCreateInfo template_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
      .descriptorUpdateEntryCount = 1, .pDescriptorUpdateEntries = &entry,
      .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET, .descriptorSetLayout = set_layout};
  VkDescriptorUpdateTemplate template;
  OK(vkCreateDescriptorUpdateTemplate(device, &template_info, NULL, &template));
  vkUpdateDescriptorSetWithTemplate(device, set, template, &block);
  vkDestroyDescriptorUpdateTemplate(device, template, NULL);
  // ---- commands, fences, semaphores
  VkCommandPoolCreateInfo commands_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  VkCommandPool commands;
  OK(vkCreateCommandPool(device, &commands_info, NULL, &commands));
  VkCommandBufferAllocateInfo buffer_of = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = commands,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
  VkCommandBuffer recorded;
  OK(vkAllocateCommandBuffers(device, &buffer_of, &recorded));
  VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  OK(vkBeginCommandBuffer(recorded, &begin));
  vkCmdBindPipeline(recorded, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(recorded, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
  vkCmdDispatch(recorded, WORDS / GROUP, 1, 1);
  VkMemoryBarrier2 barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, NULL, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
      VK_ACCESS_2_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT};
  VkDependencyInfo dependency = {
      VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &barrier};
  vkCmdPipelineBarrier2(recorded, &dependency);
  VkBufferCopy region = {0, 0, BYTES};
  vkCmdCopyBuffer(recorded, buffers[0], buffers[1], 1, &region);
  OK(vkEndCommandBuffer(recorded));
  VkFenceCreateInfo fence_info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence;
  OK(vkCreateFence(device, &fence_info, NULL, &fence));
  WANT(vkGetFenceStatus(device, fence) == VK_NOT_READY);
  WANT(vkWaitForFences(device, 1, &fence, VK_TRUE, 2000000) == VK_TIMEOUT);
  // Another thread waits for what has not been submitted.
  pthread_t other;
  pthread_create(&other, NULL, wait_behind, &fence);
  usleep(20000);
  VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &recorded};
  OK(vkQueueSubmit(queue, 1, &submit, fence));
  pthread_join(other, NULL);
  WANT(awaited == VK_SUCCESS);
  OK(vkGetFenceStatus(device, fence));
  OK(vkQueueWaitIdle(queue));
  int wrong = 0;
  for (uint32_t i = 0; i < WORDS; i++) wrong += data[i] != i + 1 || data[step / 4 + i] != i + 1;
  WANT(wrong == 0);
  // A program that does nothing but poll.
  OK(vkResetFences(device, 1, &fence));
  OK(vkQueueSubmit(queue, 1, &submit, fence));
  VkResult polled = VK_NOT_READY;
  for (int i = 0; i < 1000000 && polled == VK_NOT_READY; i++) polled = vkGetFenceStatus(device, fence);
  OK(polled);
  OK(vkResetFences(device, 1, &fence));
  OK(vkQueueSubmit(queue, 1, &submit, fence));
  polled = VK_TIMEOUT;
  for (int i = 0; i < 1000000 && polled == VK_TIMEOUT; i++) polled = vkWaitForFences(device, 1, &fence, VK_TRUE, 0);
  OK(polled);
  WANT(data[7] == 10);
  VkSemaphoreTypeCreateInfo timeline = {
      VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE, .initialValue = 5};
  VkSemaphoreCreateInfo semaphore_info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &timeline};
  VkSemaphore semaphore;
  uint64_t reached = 0, next = 6;
  OK(vkCreateSemaphore(device, &semaphore_info, NULL, &semaphore));
  OK(vkGetSemaphoreCounterValue(device, semaphore, &reached));
  WANT(reached == 5);
  VkSemaphoreSignalInfo signal_info = {VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = semaphore, .value = next};
  OK(vkSignalSemaphore(device, &signal_info));
  VkSemaphoreWaitInfo wait_info = {
      VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &semaphore, .pValues = &next};
  OK(vkWaitSemaphores(device, &wait_info, UINT64_MAX));
  next = 9;
  VkTimelineSemaphoreSubmitInfo values = {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .signalSemaphoreValueCount = 1, .pSignalSemaphoreValues = &next};
  VkSubmitInfo signalling = {
      VK_STRUCTURE_TYPE_SUBMIT_INFO, .pNext = &values, .signalSemaphoreCount = 1, .pSignalSemaphores = &semaphore};
  OK(vkQueueSubmit(queue, 1, &signalling, VK_NULL_HANDLE));
  for (int i = 0; i < 1000000 && reached != next; i++) OK(vkGetSemaphoreCounterValue(device, semaphore, &reached));
  WANT(reached == next);
  // ---- images
  VkImageCreateInfo image_info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D,
      .format = VK_FORMAT_R8G8B8A8_UNORM, .extent = {16, 16, 1}, .mipLevels = 1, .arrayLayers = 1,
      .samples = VK_SAMPLE_COUNT_1_BIT, .usage = VK_IMAGE_USAGE_STORAGE_BIT};
  VkImage image;
  OK(vkCreateImage(device, &image_info, NULL, &image));
  vkGetImageMemoryRequirements(device, image, &needs);
  WANT(needs.size >= 16 * 16 * 4);
  vkDestroyImage(device, image, NULL);
  // ---- a forked child has no server; the parent goes on
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) _exit(vkQueueWaitIdle(queue) == VK_ERROR_DEVICE_LOST ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  WANT(status == 0);
  OK(vkResetFences(device, 1, &fence));
  OK(vkQueueSubmit(queue, 1, &submit, fence));
  OK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
  WANT(data[7] == 11);
  if (count > 2) {
    size_t length;
    const char *pid = read_file(words[2], &length);
    kill((pid_t)atoi(pid), SIGKILL);
    VkResult end = VK_SUCCESS;
    for (int i = 0; i < 1000 && end == VK_SUCCESS; i++) end = vkQueueWaitIdle(queue);
    WANT(end == VK_ERROR_DEVICE_LOST);
    WANT(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE) == VK_ERROR_DEVICE_LOST);
    WANT(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_ERROR_DEVICE_LOST);
    // What is mapped stays mapped.
    WANT(data[7] == 11);
  }
  vkDestroySemaphore(device, semaphore, NULL);
  vkDestroyFence(device, fence, NULL);
  vkFreeCommandBuffers(device, commands, 1, &recorded);
  vkDestroyCommandPool(device, commands, NULL);
  vkDestroyDescriptorPool(device, pool, NULL);
  vkDestroyPipeline(device, pipeline, NULL);
  vkDestroyPipelineCache(device, cache, NULL);
  vkDestroyPipelineLayout(device, layout, NULL);
  vkDestroyDescriptorSetLayout(device, set_layout, NULL);
  vkDestroyShaderModule(device, module, NULL);
  vkUnmapMemory(device, memory);
  for (int i = 0; i < 2; i++) vkDestroyBuffer(device, buffers[i], NULL);
  vkFreeMemory(device, memory, NULL);
  vkDestroyDevice(device, NULL);
  vkDestroyInstance(instance, NULL);
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
