// SPDX-License-Identifier: Apache-2.0
// Calls most of OpenCL and believes nothing: what the server says may be wrong, and neither crashes nor hangs anybody.
//   answers                                      once, with the server that the environment names
//   answers FIRST COUNT HOSTILE FILE             so many times, each in a child, with `HOSTILE replay FILE SEED` for
//   its server
// Memory that commands may write to is never given back: a server that says "complete" too early lies, which nobody can
// check.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 1 << 20, SECONDS = 60, AT_ONCE = 8 };
static char memory[8][LARGE];
static char text[1 << 16];
static atomic_int called;

static const char *SOURCE =
    "kernel void a(global int *data, int value, local int *scratch) { scratch[0] = value; data[get_global_id(0) & 15] "
    "+= scratch[0]; printf(\"%d\\n\", value); }\n"
    "kernel void b(read_only image2d_t from, write_only image2d_t to, sampler_t s) { int2 at = "
    "(int2)(get_global_id(0), get_global_id(1)); write_imageui(to, at, read_imageui(from, s, at)); }\n";

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *user) {
  (void)event, (void)status, (void)user, atomic_fetch_add(&called, 1);
}
static void CL_CALLBACK on_program(cl_program program, void *user) {
  (void)program, (void)user, atomic_fetch_add(&called, 1);
}
static void CL_CALLBACK on_memory(cl_mem object, void *user) { (void)object, (void)user, atomic_fetch_add(&called, 1); }
static void CL_CALLBACK on_error(const char *sentence, const void *data, size_t bytes, void *user) {
  (void)data, (void)bytes, (void)user, atomic_fetch_add(&called, (int)strlen(sentence) & 1);
}

static void wait_called(int wanted) {
  for (int i = 0; i < 50 && atomic_load(&called) < wanted; i++) usleep(1000);
}

static void buffers(cl_context context, cl_command_queue queue, cl_program program) {
  cl_int code;
  cl_event events[3] = {NULL, NULL, NULL};
  cl_mem small = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4096, memory[0], &code),
         large = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, LARGE, memory[1], &code);
  cl_buffer_region region = {0, 1024};
  cl_mem part = small == NULL ? NULL : clCreateSubBuffer(small, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  const size_t origin[] = {0, 0, 0}, box[] = {64, 8, 2};
  clEnqueueWriteBuffer(queue, large, CL_TRUE, 0, LARGE, memory[2], 0, NULL, NULL);
  clEnqueueReadBuffer(queue, large, CL_TRUE, 0, LARGE, memory[3], 0, NULL, &events[0]);
  clEnqueueWriteBuffer(queue, small, CL_FALSE, 0, 4096, memory[2], 0, NULL, NULL);
  clEnqueueReadBuffer(queue, small, CL_FALSE, 0, 4096, memory[3], 0, NULL, &events[1]);
  if (events[1] != NULL) clWaitForEvents(1, &events[1]);
  clEnqueueReadBufferRect(queue, large, CL_TRUE, origin, origin, box, 1024, 65536, 128, 0, memory[4], 0, NULL, NULL);
  clEnqueueWriteBufferRect(queue, large, CL_TRUE, origin, origin, box, 1024, 65536, 128, 0, memory[4], 0, NULL, NULL);
  clEnqueueCopyBuffer(queue, small, large, 0, 0, 1024, 0, NULL, NULL);
  clEnqueueCopyBufferRect(queue, small, large, origin, (const size_t[]){0, 64, 0}, (const size_t[]){16, 8, 2}, 64, 0,
      1024, 0, 0, NULL, NULL);
  int pattern = 5;
  clEnqueueFillBuffer(queue, part, &pattern, sizeof pattern, 0, 512, 0, NULL, NULL);
  for (int i = 0; i < 3; i++) {
    cl_mem mapped_of = i == 0 ? small : large;
    char *mapped = clEnqueueMapBuffer(queue, mapped_of, CL_TRUE,
        i == 2 ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ | CL_MAP_WRITE, 0, i == 0 ? 4096 : LARGE / 2, 0, NULL,
        NULL, &code);
    if (mapped == NULL) continue;
    mapped[0] = 3, mapped[i == 0 ? 4095 : LARGE / 2 - 1] = 4;
    clEnqueueUnmapMemObject(queue, mapped_of, mapped, 0, NULL, NULL);
  }
  cl_kernel kernel = clCreateKernel(program, "a", &code), clone = kernel == NULL ? NULL : clCloneKernel(kernel, &code);
  size_t global = 64, local = 16, sizes[8];
  clSetKernelArg(kernel, 0, sizeof small, &small);
  clSetKernelArg(kernel, 1, sizeof pattern, &pattern);
  clSetKernelArg(kernel, 2, 64, NULL);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, &events[2]);
  clFinish(queue);
  for (cl_uint token = CL_KERNEL_FUNCTION_NAME; token <= CL_KERNEL_ATTRIBUTES; token++)
    clGetKernelInfo(kernel, token, sizeof text, text, NULL);
  for (cl_uint token = CL_KERNEL_ARG_ADDRESS_QUALIFIER; token <= CL_KERNEL_ARG_NAME; token++)
    clGetKernelArgInfo(kernel, 0, token, sizeof text, text, NULL);
  for (cl_uint token = CL_KERNEL_WORK_GROUP_SIZE; token <= CL_KERNEL_PRIVATE_MEM_SIZE; token++)
    clGetKernelWorkGroupInfo(kernel, NULL, token, sizeof sizes, sizes, NULL);
  clGetKernelSubGroupInfo(
      kernel, NULL, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local, &local, sizeof sizes, sizes, NULL);
  for (int i = 0; i < 3; i++) {
    if (events[i] == NULL) continue;
    clSetEventCallback(events[i], CL_COMPLETE, on_event, NULL);
    for (cl_uint token = CL_EVENT_COMMAND_QUEUE; token <= CL_EVENT_CONTEXT; token++)
      clGetEventInfo(events[i], token, 8, text, NULL);
    for (cl_uint token = CL_PROFILING_COMMAND_QUEUED; token <= CL_PROFILING_COMMAND_COMPLETE; token++)
      clGetEventProfilingInfo(events[i], token, 8, text, NULL);
  }
  wait_called(3);
  if (small != NULL) clSetMemObjectDestructorCallback(small, on_memory, NULL);
  clGetMemObjectInfo(large, CL_MEM_USES_SVM_POINTER, sizeof text, text, NULL);
  for (int i = 0; i < 3; i++) clReleaseEvent(events[i]);
  clReleaseKernel(clone), clReleaseKernel(kernel), clReleaseMemObject(part), clReleaseMemObject(small),
      clReleaseMemObject(large);
}

static void images(cl_context context, cl_command_queue queue, cl_program program) {
  cl_int code;
  cl_uint count = 0;
  cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8}, formats[64];
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 200, .image_height = 150},
                volume = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 8, .image_height = 4, .image_depth = 2};
  clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 64, formats, &count);
  // Exactly as many bytes as the pixels have: reading more is found out.
  char *pixels = malloc(200 * 150 * 4), *few = malloc(8 * 4 * 2 * 4);
  memset(pixels, 1, 200 * 150 * 4), memset(few, 1, 8 * 4 * 2 * 4);
  cl_mem from = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, pixels, &code),
         to = clCreateImage(context, CL_MEM_USE_HOST_PTR, &format, &volume, few, &code);
  cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
  const size_t origin[] = {0, 0, 0}, region[] = {200, 150, 1}, box[] = {8, 4, 2}, corner[] = {4, 4, 1};
  clEnqueueWriteImage(queue, from, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL, NULL);
  clEnqueueReadImage(queue, from, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL, NULL);
  clEnqueueReadImage(queue, to, CL_TRUE, origin, box, 0, 0, few, 0, NULL, NULL);
  size_t row, slice;
  unsigned color[4] = {1, 2, 3, 4};
  char *mapped = clEnqueueMapImage(
      queue, from, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row, &slice, 0, NULL, NULL, &code);
  if (mapped != NULL)
    mapped[0] = mapped[149 * row + 799] = 1, clEnqueueUnmapMemObject(queue, from, mapped, 0, NULL, NULL);
  mapped = clEnqueueMapImage(
      queue, to, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, box, &row, &slice, 0, NULL, NULL, &code);
  if (mapped != NULL)
    mapped[0] = mapped[slice + 3 * row + 31] = 1, clEnqueueUnmapMemObject(queue, to, mapped, 0, NULL, NULL);
  clEnqueueFillImage(queue, from, color, origin, corner, 0, NULL, NULL);
  clEnqueueCopyImage(queue, from, from, origin, (const size_t[]){8, 8, 0}, corner, 0, NULL, NULL);
  for (cl_uint token = CL_IMAGE_FORMAT; token <= CL_IMAGE_NUM_SAMPLES; token++)
    clGetImageInfo(from, token, sizeof text, text, NULL);
  cl_kernel kernel = clCreateKernel(program, "b", &code);
  clSetKernelArg(kernel, 0, sizeof from, &from), clSetKernelArg(kernel, 1, sizeof to, &to),
      clSetKernelArg(kernel, 2, sizeof sampler, &sampler);
  clFinish(queue);
  clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof text, text, NULL);
  clReleaseKernel(kernel), clReleaseSampler(sampler), clReleaseMemObject(from), clReleaseMemObject(to);
}

static cl_program programs(cl_context context, cl_device_id device) {
  cl_int code, status;
  const char *bad = "kernel void k() { unknown }";
  cl_program wrong = clCreateProgramWithSource(context, 1, &bad, NULL, &code),
             program = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &code);
  clBuildProgram(wrong, 0, NULL, NULL, NULL, NULL);
  clGetProgramBuildInfo(wrong, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL);
  clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
  cl_uint before = (cl_uint)atomic_load(&called);
  cl_program objects = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &code);
  clCompileProgram(objects, 0, NULL, NULL, 0, NULL, NULL, on_program, NULL);
  wait_called((int)before + 1);
  cl_program linked = objects == NULL ? NULL : clLinkProgram(context, 0, NULL, NULL, 1, &objects, NULL, NULL, &code);
  size_t size = 0;
  unsigned char *binary = NULL;
  if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) == CL_SUCCESS && size > 0 &&
      size < 1u << 26 && (binary = malloc(size)) != NULL) {
    // What is not written is read after this.
    memset(binary, 0, size);
    clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
    cl_program loaded =
        clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, &status, &code);
    clBuildProgram(loaded, 0, NULL, NULL, NULL, NULL);
    clReleaseProgram(loaded);
    free(binary);
  }
  cl_kernel kernels[4];
  cl_uint count = 0;
  if (clCreateKernelsInProgram(program, 4, kernels, &count) == CL_SUCCESS)
    for (cl_uint i = 0; i < count && i < 4; i++) clReleaseKernel(kernels[i]);
  for (cl_uint token = CL_PROGRAM_NUM_DEVICES; token <= CL_PROGRAM_KERNEL_NAMES; token++)
    if (token != CL_PROGRAM_BINARIES) clGetProgramInfo(program, token, sizeof text, text, NULL);
  clReleaseProgram(linked), clReleaseProgram(objects), clReleaseProgram(wrong);
  return program;
}

static int once(void) {
  cl_platform_id platform;
  cl_device_id devices[4], parts[8];
  cl_uint device_count = 0, part_count = 0;
  cl_int code = clGetPlatformIDs(1, &platform, NULL);
  if (code != CL_SUCCESS || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 4, devices, &device_count) != CL_SUCCESS ||
      device_count == 0)
    return 0;
  for (cl_uint token = CL_PLATFORM_PROFILE; token <= CL_PLATFORM_EXTENSIONS; token++)
    clGetPlatformInfo(platform, token, sizeof text, text, NULL);
  for (cl_uint token = CL_DEVICE_TYPE; token <= CL_DEVICE_TYPE + 0x78; token++)
    clGetDeviceInfo(devices[0], token, sizeof text, text, NULL);
  const cl_device_partition_property by[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  if (clCreateSubDevices(devices[0], by, 8, parts, &part_count) == CL_SUCCESS)
    for (cl_uint i = 0; i < part_count && i < 8; i++) clReleaseDevice(parts[i]);
  cl_context context = clCreateContext(NULL, 1, devices, on_error, NULL, &code);
  cl_ulong device_time, host_time;
  clGetDeviceAndHostTimer(devices[0], &device_time, &host_time);
  if (context == NULL) return 0;
  cl_command_queue queue = clCreateCommandQueue(context, devices[0], CL_QUEUE_PROFILING_ENABLE, &code);
  if (queue == NULL) return 0;
  cl_program program = programs(context, devices[0]);
  buffers(context, queue, program);
  images(context, queue, program);
  cl_event gate = clCreateUserEvent(context, &code), marker = NULL;
  if (gate != NULL && clEnqueueMarkerWithWaitList(queue, 1, &gate, &marker) == CL_SUCCESS) {
    clSetEventCallback(marker, CL_COMPLETE, on_event, NULL);
    clSetUserEventStatus(gate, CL_COMPLETE);
    clWaitForEvents(1, &marker);
  }
  clReleaseEvent(gate), clReleaseEvent(marker), clReleaseProgram(program), clReleaseCommandQueue(queue),
      clReleaseContext(context);
  return 0;
}

static pid_t session(const char *hostile, const char *file, unsigned seed) {
  pid_t child = fork();
  if (child != 0) return child;
  char server[8192];
  snprintf(server, sizeof server, "%s\nreplay\n%s\n%u", hostile, file, seed);
  setenv("MUXKIT_ICD_SERVER", server, 1);
  if (freopen("/dev/null", "w", stdout) == NULL) _exit(99);
  alarm(SECONDS);
  _exit(once());
}

int main(int argc, char **argv) {
  if (argc < 5) return once();
  unsigned first = (unsigned)atoi(argv[1]), count = (unsigned)atoi(argv[2]), wrong = 0;
  // Most of the time they wait for a server that says nothing: several at once.
  struct {
    pid_t child;
    unsigned seed;
  } running[AT_ONCE] = {{0, 0}};
  for (unsigned next = first, left = 0; next < first + count || left > 0;) {
    if (next < first + count && left < AT_ONCE) {
      int free_place = 0;
      while (running[free_place].child != 0) free_place++;
      running[free_place].seed = next;
      running[free_place].child = session(argv[3], argv[4], next++);
      left++;
      continue;
    }
    int status = 0, place = 0;
    pid_t ended = waitpid(-1, &status, 0);
    while (place < AT_ONCE && running[place].child != ended) place++;
    if (place == AT_ONCE) continue;
    running[place].child = 0;
    left--;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    wrong++;
    if (WIFSIGNALED(status)) printf("not ok seed %u ends by signal %d\n", running[place].seed, WTERMSIG(status));
    else printf("not ok seed %u ends with %d\n", running[place].seed, WEXITSTATUS(status));
    fflush(stdout);
  }
  printf("%s %u sessions with wrong answers\n", wrong == 0 ? "ok" : "not ok", count);
  return wrong != 0;
}
