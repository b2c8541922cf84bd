// Fourier transforms of VkFFT by Vulkan, against sums.
#define VKFFT_BACKEND 0
#include <vkFFT.h>
#include <vulkan/vulkan.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define MUST(call) \
  do { \
    VkResult result_ = (call); \
    if (result_ != VK_SUCCESS) { \
      std::printf("not ok %s: %d\n", #call, result_); \
      std::exit(1); \
    } \
  } while (0)

int main() {
  VkApplicationInfo about = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
  about.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo instanceInfo = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  instanceInfo.pApplicationInfo = &about;
  VkInstance instance;
  MUST(vkCreateInstance(&instanceInfo, nullptr, &instance));
  uint32_t one = 1;
  VkPhysicalDevice physicalDevice;
  vkEnumeratePhysicalDevices(instance, &one, &physicalDevice);
  float priority = 1;
  VkDeviceQueueCreateInfo queueInfo = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queueInfo.queueCount = 1;
  queueInfo.pQueuePriorities = &priority;
  VkDeviceCreateInfo deviceInfo = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  deviceInfo.queueCreateInfoCount = 1;
  deviceInfo.pQueueCreateInfos = &queueInfo;
  VkDevice device;
  MUST(vkCreateDevice(physicalDevice, &deviceInfo, nullptr, &device));
  VkQueue queue;
  vkGetDeviceQueue(device, 0, 0, &queue);
  VkCommandPoolCreateInfo poolInfo = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  VkCommandPool pool;
  MUST(vkCreateCommandPool(device, &poolInfo, nullptr, &pool));
  VkFenceCreateInfo fenceInfo = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence;
  MUST(vkCreateFence(device, &fenceInfo, nullptr, &fence));
  int failures = 0;
  for (uint64_t length : {8, 64, 105, 256, 1000, 1024, 1331, 2048, 4096, 8192}) {
    std::vector<std::complex<float>> given(length), got(length);
    for (uint64_t i = 0; i < length; i++) given[i] = {std::sin(0.37f * i * i), std::cos(1.3f * i)};
    uint64_t bytes = length * sizeof given[0];
    VkBufferCreateInfo bufferInfo = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    bufferInfo.size = bytes;
    bufferInfo.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    VkBuffer buffer;
    MUST(vkCreateBuffer(device, &bufferInfo, nullptr, &buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, buffer, &needs);
    VkMemoryAllocateInfo memoryInfo = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    memoryInfo.allocationSize = needs.size;
    VkDeviceMemory memory;
    MUST(vkAllocateMemory(device, &memoryInfo, nullptr, &memory));
    MUST(vkBindBufferMemory(device, buffer, memory, 0));
    void *mapped;
    MUST(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    std::memcpy(mapped, given.data(), bytes);
    VkFFTConfiguration configuration = {};
    configuration.FFTdim = 1;
    configuration.size[0] = length;
    configuration.physicalDevice = &physicalDevice;
    configuration.device = &device;
    configuration.queue = &queue;
    configuration.commandPool = &pool;
    configuration.fence = &fence;
    configuration.buffer = &buffer;
    configuration.bufferSize = &bytes;
    VkFFTApplication application = {};
    VkFFTResult made = initializeVkFFT(&application, configuration);
    VkCommandBufferAllocateInfo commandsInfo = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    commandsInfo.commandPool = pool;
    commandsInfo.commandBufferCount = 1;
    VkCommandBuffer commands;
    MUST(vkAllocateCommandBuffers(device, &commandsInfo, &commands));
    VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    MUST(vkBeginCommandBuffer(commands, &begin));
    VkFFTLaunchParams launch = {};
    launch.buffer = &buffer;
    launch.commandBuffer = &commands;
    if (made == VKFFT_SUCCESS) made = VkFFTAppend(&application, -1, &launch);
    MUST(vkEndCommandBuffer(commands));
    VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    MUST(vkQueueSubmit(queue, 1, &submit, fence));
    MUST(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
    MUST(vkResetFences(device, 1, &fence));
    std::memcpy(got.data(), mapped, bytes);
    double worst = 0, largest = 0;
    for (uint64_t k = 0; k < length; k += length < 512 ? 1 : 37) {
      std::complex<double> sum = 0;
      for (uint64_t i = 0; i < length; i++) sum += std::complex<double>(given[i]) * std::polar(1.0, -2 * M_PI * (double)(k * i % length) / (double)length);
      worst = std::fmax(worst, std::abs(sum - std::complex<double>(got[k])));
      largest = std::fmax(largest, std::abs(sum));
    }
    bool holds = made == VKFFT_SUCCESS && worst < 1e-5 * largest;
    std::printf("%s %d points (%d, %.1e)\n", holds ? "ok" : "not ok", (int)length, (int)made, worst / largest);
    failures += !holds;
    if (made == VKFFT_SUCCESS) deleteVkFFT(&application);
    vkFreeCommandBuffers(device, pool, 1, &commands);
    vkUnmapMemory(device, memory);
    vkDestroyBuffer(device, buffer, nullptr);
    vkFreeMemory(device, memory, nullptr);
  }
  vkDestroyFence(device, fence, nullptr);
  vkDestroyCommandPool(device, pool, nullptr);
  vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance, nullptr);
  return failures != 0;
}
