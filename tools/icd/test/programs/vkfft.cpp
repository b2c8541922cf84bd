// Fourier transforms of VkFFT, against sums.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define VKFFT_BACKEND 3
#include <vkFFT.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

int main() {
  cl_platform_id platform;
  cl_device_id device;
  cl_int code;
  clGetPlatformIDs(1, &platform, nullptr);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  int failures = 0;
  for (uint64_t length : {8, 64, 105, 256, 1000, 1024, 1331, 2048, 4096, 8192, 101}) {
    std::vector<std::complex<float>> given(length), got(length);
    for (uint64_t i = 0; i < length; i++) given[i] = {std::sin(0.37f * i * i), std::cos(1.3f * i)};
    uint64_t bytes = length * sizeof given[0];
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, given.data(), &code);
    VkFFTConfiguration configuration = {};
    configuration.FFTdim = 1;
    configuration.size[0] = length;
    configuration.platform = &platform;
    configuration.device = &device;
    configuration.context = &context;
    configuration.buffer = &buffer;
    configuration.bufferSize = &bytes;
    VkFFTApplication application = {};
    VkFFTResult made = initializeVkFFT(&application, configuration);
    VkFFTLaunchParams launch = {};
    launch.buffer = &buffer;
    launch.commandQueue = &queue;
    if (made == VKFFT_SUCCESS) made = VkFFTAppend(&application, -1, &launch);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, got.data(), 0, nullptr, nullptr);
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
    clReleaseMemObject(buffer);
  }
  return failures != 0;
}
