// SPDX-License-Identifier: Apache-2.0
// Objects with memory of the application's (CL_MEM_USE_HOST_PTR): when their maps copy, which is seen by a byte that is
// changed without a map; and every map shows what a model has, under random commands in three queues. Arguments: seed,
// rounds.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 96 << 10, PART_FIRST = 32 << 10, PART_BYTES = 16 << 10, ODD = 0xa5 };

static cl_context context;
static cl_command_queue queues[3];
static cl_kernel add;
static int failures;

static void check(const char *name, bool holds) {
  printf("%s %s\n", holds ? "ok" : "not ok", name);
  fflush(stdout);
  failures += !holds;
}
static void must(const char *what, cl_int code) {
  if (code == CL_SUCCESS) return;
  printf("not ok %s: %d\n", what, code);
  exit(1);
}

static uint32_t state;
static uint32_t number(uint32_t below) {
  state ^= state << 13, state ^= state >> 17, state ^= state << 5;
  return state % below;
}

static cl_mem with_memory(cl_mem_flags flags, uint8_t *memory) {
  cl_int code;
  cl_mem made = clCreateBuffer(context, flags | CL_MEM_USE_HOST_PTR, BYTES, memory, &code);
  must("clCreateBuffer", code);
  return made;
}
static cl_mem part_of(cl_mem whole) {
  cl_int code;
  cl_buffer_region region = {PART_FIRST, PART_BYTES};
  cl_mem made = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  must("clCreateSubBuffer", code);
  return made;
}
static void launch(cl_command_queue queue, cl_mem buffer, size_t items, cl_uint waits, const cl_event *wait,
    cl_event *event) {
  must("clSetKernelArg", clSetKernelArg(add, 0, sizeof buffer, &buffer));
  must("launch", clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, NULL, waits, wait, event));
}
// Maps and unmaps, and waits for both.
static void look(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, size_t first, size_t bytes) {
  cl_int code;
  void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, first, bytes, 0, NULL, NULL, &code);
  must("clEnqueueMapBuffer", code);
  must("clEnqueueUnmapMemObject", clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
  must("clFinish", clFinish(queue));
}

// Whether a map copies: a byte that was changed without one is what it was.
static bool copies(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, size_t first, size_t bytes,
    uint8_t *memory, size_t at) {
  uint8_t before = memory[at];
  memory[at] = before ^ ODD;
  look(queue, buffer, flags, first, bytes);
  bool copied = memory[at] == before;
  memory[at] = before;
  return copied;
}

// Whether a map in another queue sees a launch that was sent before it, and runs after that queue has mapped before.
static bool sees_late_launch(cl_mem buffer, const uint8_t *memory, bool has_another) {
  cl_int code;
  cl_event open = clCreateUserEvent(context, &code);
  must("clCreateUserEvent", code);
  launch(queues[0], buffer, BYTES, 1, &open, NULL);
  if (has_another) launch(queues[1], buffer, BYTES, 0, NULL, NULL);
  look(queues[1], buffer, CL_MAP_READ, 0, BYTES);
  uint8_t before = memory[3];
  must("clSetUserEventStatus", clSetUserEventStatus(open, CL_COMPLETE));
  must("clFinish", clFinish(queues[0]));
  look(queues[1], buffer, CL_MAP_READ, 0, BYTES);
  clReleaseEvent(open);
  return memory[3] == (uint8_t)(before + 1);
}

static void contracts(void) {
  uint8_t *memory = calloc(BYTES, 1), *other = calloc(BYTES, 1);
  cl_mem buffer = with_memory(0, memory), source = with_memory(CL_MEM_READ_ONLY, other), part = part_of(buffer);
  cl_command_queue queue = queues[0];
  check("a new buffer's map copies nothing", !copies(queue, buffer, CL_MAP_READ, 0, BYTES, memory, 5));
  launch(queue, buffer, BYTES, 0, NULL, NULL);
  look(queue, buffer, CL_MAP_READ, 0, BYTES);
  check("a map behind a launch copies", memory[5] == 1 && memory[BYTES - 1] == 1);
  check("the next one does not", !copies(queue, buffer, CL_MAP_READ, 0, BYTES, memory, 5));
  check("nor one that may write", !copies(queue, buffer, CL_MAP_READ | CL_MAP_WRITE, 100, 50, memory, 5));
  check("nor one of a part", !copies(queue, part, CL_MAP_READ, 0, PART_BYTES, memory, PART_FIRST + 7));
  launch(queue, part, PART_BYTES, 0, NULL, NULL);
  look(queue, buffer, CL_MAP_READ, 0, BYTES);
  check("a launch that writes a part is seen in the whole", memory[PART_FIRST] == 2 && memory[0] == 1);
  uint8_t seven = 7;
  must("fill", clEnqueueFillBuffer(queue, buffer, &seven, 1, 0, BYTES, 0, NULL, NULL));
  memory[9] = ODD;
  look(queue, buffer, CL_MAP_WRITE_INVALIDATE_REGION, 9, 1);
  check("a map that invalidates copies nothing", memory[9] == ODD && memory[8] == 1);
  look(queue, buffer, CL_MAP_READ, 0, BYTES / 2);
  check("what it gives back is written", memory[9] == ODD && memory[8] == 7 && memory[BYTES - 1] == 1);
  check("half of a buffer is known", !copies(queue, buffer, CL_MAP_READ, 0, BYTES / 2, memory, 30));
  check("the other half is not", copies(queue, buffer, CL_MAP_READ, BYTES / 2 - 1, 2, memory, BYTES / 2 - 1));
  must("copy", clEnqueueCopyBuffer(queue, buffer, source, 0, 0, BYTES, 0, NULL, NULL));
  look(queue, source, CL_MAP_READ, 0, BYTES);
  check("a copy is seen in its target", other[1] == 7);
  launch(queue, source, 0, 0, NULL, NULL);
  check("a launch leaves a buffer that kernels only read", !copies(queue, source, CL_MAP_READ, 0, BYTES, other, 1));
  cl_int code;
  cl_event open = clCreateUserEvent(context, &code);
  must("clCreateUserEvent", code);
  launch(queue, buffer, BYTES, 0, NULL, NULL);
  memory[3] = ODD;
  void *mapped = clEnqueueMapBuffer(queues[2], buffer, CL_FALSE, CL_MAP_READ, 0, BYTES, 1, &open, NULL, &code);
  must("clEnqueueMapBuffer", code);
  must("clSetUserEventStatus", clSetUserEventStatus(open, -1));
  clFinish(queues[2]);
  must("clEnqueueUnmapMemObject", clEnqueueUnmapMemObject(queues[2], buffer, mapped, 0, NULL, NULL));
  clFinish(queues[2]);
  must("clFinish", clFinish(queue));
  look(queue, buffer, CL_MAP_READ, 0, BYTES);
  check("a map that failed has told nothing", memory[3] == 8);
  launch(queues[0], buffer, BYTES, 0, NULL, NULL);
  must("clFinish", clFinish(queues[0]));
  launch(queues[1], buffer, BYTES, 0, NULL, NULL);
  look(queues[1], buffer, CL_MAP_READ, 0, BYTES);
  check("writers of two queues are both seen", memory[3] == 10);
  clReleaseEvent(open);
  clReleaseMemObject(part), clReleaseMemObject(buffer), clReleaseMemObject(source);
  for (int i = 0; i < 2; i++) {
    buffer = with_memory(0, memory);
    bool sees = sees_late_launch(buffer, memory, i == 1);
    check(i == 0 ? "a launch that runs late is seen" : "so is one among those of two queues", sees);
    clReleaseMemObject(buffer);
  }
  free(memory), free(other);
}

static void images(void) {
  enum { WIDTH = 33, HEIGHT = 17, PITCH = 160 };
  uint8_t *memory = calloc(PITCH, HEIGHT);
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT, .image_row_pitch = PITCH};
  const size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, 1}, corner[3] = {2, 2, 1};
  cl_int code;
  cl_mem image = clCreateImage(context, CL_MEM_USE_HOST_PTR, &format, &desc, memory, &code);
  must("clCreateImage", code);
  for (int turn = 0; turn < 3; turn++) {
    uint32_t color[4] = {9, 9, 9, 9};
    if (turn == 1) must("fill", clEnqueueFillImage(queues[0], image, color, origin, region, 0, NULL, NULL));
    if (turn == 1) memory[1] = 0;
    else memory[1] ^= ODD;
    size_t pitch;
    // A corner that is known is no whole image.
    for (int i = 0; i < 1 + (turn == 1); i++) {
      const size_t *size = i == 0 && turn == 1 ? corner : region;
      void *mapped = clEnqueueMapImage(
          queues[0], image, CL_TRUE, CL_MAP_READ, origin, size, &pitch, NULL, 0, NULL, NULL, &code);
      must("clEnqueueMapImage", code);
      must("unmap", clEnqueueUnmapMemObject(queues[0], image, mapped, 0, NULL, NULL));
      must("clFinish", clFinish(queues[0]));
    }
    if (turn == 0) check("a new image's map copies nothing", memory[1] == ODD && pitch == PITCH);
    if (turn == 1) check("a map behind a fill copies all of it", memory[1] == 9 && memory[5 * PITCH + 100] == 9);
    if (turn == 2) check("the next map of an image does not", memory[1] == (9 ^ ODD));
  }
  clReleaseMemObject(image);
  free(memory);
}

// Each command waits for the one before it, in whichever queue that is: by an event, or by the order of its queue.
static void model(uint32_t seed, int rounds) {
  state = seed * 2654435761u + 1;
  uint8_t *memory = malloc(BYTES), *wanted = malloc(BYTES), *data = malloc(BYTES);
  for (int i = 0; i < BYTES; i++) memory[i] = wanted[i] = (uint8_t)number(256);
  cl_mem whole = with_memory(0, memory), part = part_of(whole);
  cl_event last = NULL;
  int wrong = 0, maps = 0, before = -1;
  for (int round = 0; round < rounds; round++) {
    int which = (int)number(3);
    cl_command_queue queue = queues[which];
    // Mostly some commands in a row in one queue.
    if (before >= 0 && number(3) != 0) queue = queues[which = before];
    bool is_part = number(3) == 0, has_order = which != 2, waits = last != NULL && (which != before || !has_order);
    cl_mem buffer = is_part ? part : whole;
    size_t most = is_part ? PART_BYTES : BYTES, base = is_part ? PART_FIRST : 0, first = number((uint32_t)most),
           bytes = 1 + number((uint32_t)(most - first));
    cl_event event = NULL;
    cl_uint count = waits;
    const cl_event *list = waits ? &last : NULL;
    uint8_t value = (uint8_t)number(256);
    cl_int code;
    switch (number(7)) {
    case 0:
      launch(queue, buffer, most, count, list, &event);
      for (size_t i = 0; i < most; i++) wanted[base + i]++;
      break;
    case 1:
      must("fill", clEnqueueFillBuffer(queue, buffer, &value, 1, first, bytes, count, list, &event));
      memset(wanted + base + first, value, bytes);
      break;
    case 2:
      memset(data, value, bytes);
      must("write", clEnqueueWriteBuffer(queue, buffer, CL_TRUE, first, bytes, data, count, list, &event));
      memset(wanted + base + first, value, bytes);
      break;
    case 3:
      if (last != NULL && number(2) == 0) must("clFinish", clFinish(queues[before]));
      continue;
    default: {
      static const cl_map_flags FLAGS[] = {CL_MAP_READ, CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
          CL_MAP_WRITE_INVALIDATE_REGION};
      cl_map_flags flags = FLAGS[number(5)];
      bool blocks = number(2) != 0;
      uint8_t *mapped =
          clEnqueueMapBuffer(queue, buffer, blocks, flags, first, bytes, count, list, &event, &code);
      must("clEnqueueMapBuffer", code);
      if (!blocks) must("clWaitForEvents", clWaitForEvents(1, &event));
      maps++;
      bool is_right = mapped == memory + base + first &&
                      (flags == CL_MAP_WRITE_INVALIDATE_REGION || memcmp(mapped, wanted + base + first, bytes) == 0);
      if (!is_right && wrong++ < 3) printf("not ok round %d: a map of %zu bytes at %zu\n", round, bytes, first);
      if ((flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0) {
        size_t from = flags == CL_MAP_WRITE_INVALIDATE_REGION ? 0 : bytes / 3;
        memset(mapped + from, value, bytes - from);
        memset(wanted + base + first + from, value, bytes - from);
      }
      clReleaseEvent(event);
      must("clEnqueueUnmapMemObject", clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, &event));
    }
    }
    if (last != NULL) clReleaseEvent(last);
    last = event;
    before = which;
  }
  for (int i = 0; i < 3; i++) must("clFinish", clFinish(queues[i]));
  must("read", clEnqueueReadBuffer(queues[0], whole, CL_TRUE, 0, BYTES, data, 0, NULL, NULL));
  check("every map, and device memory at the end, has what a model has",
      wrong == 0 && maps > rounds / 4 && memcmp(data, wanted, BYTES) == 0);
  if (last != NULL) clReleaseEvent(last);
  clReleaseMemObject(part), clReleaseMemObject(whole);
  free(memory), free(wanted), free(data);
}

int main(int argc, char **argv) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int code;
  must("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
  must("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  must("clCreateContext", code);
  for (int i = 0; i < 3; i++) {
    queues[i] = clCreateCommandQueue(context, device, i == 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
    must("clCreateCommandQueue", code);
  }
  const char *source = "kernel void add(global uchar *bytes) { bytes[get_global_id(0)]++; }";
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  must("clCreateProgramWithSource", code);
  must("clBuildProgram", clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
  add = clCreateKernel(program, "add", &code);
  must("clCreateKernel", code);
  contracts();
  images();
  model(argc > 1 ? (uint32_t)atoi(argv[1]) : 1, argc > 2 ? atoi(argv[2]) : 400);
  return failures > 0;
}
