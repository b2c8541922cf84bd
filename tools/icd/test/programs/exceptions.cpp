// Khronos' C++ bindings: programs that are built, compiled and linked, and errors as exceptions.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#define CL_HPP_TARGET_OPENCL_VERSION 300
#include <CL/opencl.hpp>
#include <iostream>
#include <vector>

static int failures = 0;
static void check(const char *name, bool holds) {
  std::cout << (holds ? "ok " : "not ok ") << name << std::endl;
  failures += !holds;
}

int main() {
  cl::Platform platform = cl::Platform::getDefault();
  std::vector<cl::Device> devices;
  platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
  cl::Context context(devices[0]);
  cl::CommandQueue queue(context, devices[0]);
  cl::Program program(context, "kernel void scale(global float *data, float factor) { data[get_global_id(0)] *= factor; }", true);
  std::vector<float> data(5000, 1.5f);
  cl::Buffer buffer(context, data.begin(), data.end(), false);
  cl::KernelFunctor<cl::Buffer, float> scale(program, "scale");
  scale(cl::EnqueueArgs(queue, cl::NDRange(data.size())), buffer, 4.0f).wait();
  cl::copy(queue, buffer, data.begin(), data.end());
  check("a functor runs a kernel", data.front() == 6 && data.back() == 6);
  try {
    cl::Program(context, "kernel void broken( { }").build(devices[0]);
    check("a wrong program throws", false);
  } catch (const cl::BuildError &error) {
    check("a wrong program throws, with its log", error.err() == CL_BUILD_PROGRAM_FAILURE && error.getBuildLog()[0].second.find("error") != std::string::npos);
  }
  cl::Program part(context, "float twice(float x) { return 2 * x; }"), rest(context, "float twice(float); kernel void k(global float *p) { *p = twice(*p); }");
  part.compile();
  rest.compile();
  cl::Program linked = cl::linkProgram(std::vector<cl::Program>{part, rest});
  cl::Kernel kernel(linked, "k");
  float value = 21;
  cl::Buffer one(context, CL_MEM_COPY_HOST_PTR, sizeof value, &value);
  kernel.setArg(0, one);
  queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1));
  queue.enqueueReadBuffer(one, true, 0, sizeof value, &value);
  check("programs are compiled and linked", value == 42);
  try {
    kernel.setArg(7, one);
    check("a wrong argument throws", false);
  } catch (const cl::Error &error) {
    check("a wrong argument throws CL_INVALID_ARG_INDEX", error.err() == CL_INVALID_ARG_INDEX);
  }
  return failures;
}
