// SPDX-License-Identifier: Apache-2.0
// Random graphs of commands that do not block, on several queues, against a model that executes them one after the
// other. Whatever two commands of one buffer have to keep in order is said by the order of a queue, by an event, by a
// marker or by a wait; nothing else is. Arguments: first seed, last seed.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUES = 4, BUFFERS = 6, COMMANDS = 120, MOST_BYTES = 600 << 10, MOST_READS = COMMANDS };

static cl_device_id device;
static cl_context context;
static cl_kernel blend;
static cl_command_queue queues[QUEUES]; // the last one has no order
static cl_event gate;                   // of the user, not set yet; NULL: there is none
static unsigned wrong;

static uint32_t state;
static uint32_t number(uint32_t below) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % below;
}

static void must(const char *what, cl_int code) {
  if (code == CL_SUCCESS) return;
  printf("not ok %s: %d\n", what, code);
  exit(1);
}

static struct buffer {
  cl_mem memory;
  size_t size;
  uint8_t *model;
  int queue;      // of its last command; -1: that is complete
  cl_event event; // of its last command; NULL: nobody asked for one
} buffers[BUFFERS];

// What must stay as it is until all is complete: sources of writes, and targets of reads with what they will be.
static struct {
  uint8_t *bytes, *expected;
  size_t size;
} kept[2 * COMMANDS];
static int kept_count;

static void keep(uint8_t *bytes, uint8_t *expected, size_t size) {
  kept[kept_count].bytes = bytes;
  kept[kept_count].expected = expected;
  kept[kept_count++].size = size;
}

// Commands of a buffer before this one have to be complete: adds an event to the list, unless the queue sees to it.
static cl_uint wait_for(const struct buffer *buffer, int queue, cl_event *waits, cl_uint count) {
  if (buffer->queue < 0 || (buffer->queue == queue && queue != QUEUES - 1)) return count;
  cl_event event = buffer->event;
  if (event != NULL) clRetainEvent(event);
  else must("clEnqueueMarkerWithWaitList", clEnqueueMarkerWithWaitList(queues[buffer->queue], 0, NULL, &event));
  waits[count] = event;
  return count + 1;
}

static void note(struct buffer *buffer, int queue, cl_event event) {
  if (buffer->event != NULL) clReleaseEvent(buffer->event);
  if (event != NULL) clRetainEvent(event);
  buffer->event = event;
  buffer->queue = queue;
}

static uint8_t *fresh(size_t size) {
  uint8_t *bytes = malloc(size + 8);
  for (size_t i = 0; i < size; i += 4) {
    uint32_t word = number(0xffffffff);
    memcpy(bytes + i, &word, size - i < 4 ? size - i : 4);
  }
  return bytes;
}

// A part of a buffer: all of it, a few bytes, or anything between.
static void part(size_t size, size_t *offset, size_t *length) {
  uint32_t kind = number(4);
  *offset = kind == 0 ? 0 : number((uint32_t)size);
  *length = kind == 0 ? size : 1 + number(kind == 1 && size - *offset > 4096 ? 4096 : (uint32_t)(size - *offset));
}

// The commands. Each takes its buffers, the queue and the wait list, and changes the model.
typedef cl_int command(struct buffer *one, struct buffer *other, int queue, cl_uint count, const cl_event *waits,
    cl_event *event);

static cl_int write_part(
    struct buffer *one, struct buffer *other, int queue, cl_uint count, const cl_event *waits, cl_event *event) {
  (void)other;
  size_t offset, length;
  part(one->size, &offset, &length);
  uint8_t *bytes = fresh(length);
  memcpy(one->model + offset, bytes, length);
  keep(bytes, NULL, length);
  return clEnqueueWriteBuffer(queues[queue], one->memory, CL_FALSE, offset, length, bytes, count, waits, event);
}

static cl_int read_part(
    struct buffer *one, struct buffer *other, int queue, cl_uint count, const cl_event *waits, cl_event *event) {
  (void)other;
  size_t offset, length;
  part(one->size, &offset, &length);
  uint8_t *bytes = malloc(length), *expected = malloc(length);
  memset(bytes, 0x5a, length);
  memcpy(expected, one->model + offset, length);
  keep(bytes, expected, length);
  // One that blocks waits for what the user has to set.
  bool blocks = gate == NULL && number(8) == 0;
  cl_int code = clEnqueueReadBuffer(queues[queue], one->memory, blocks, offset, length, bytes, count, waits, event);
  if (blocks && memcmp(bytes, expected, length) != 0 && wrong++ < 5) printf("not ok a read that blocks\n");
  return code;
}

static cl_int write_rows(
    struct buffer *one, struct buffer *other, int queue, cl_uint count, const cl_event *waits, cl_event *event) {
  (void)other;
  size_t pitch = 64 + number(400), rows = one->size / pitch, width = 1 + number((uint32_t)pitch);
  const size_t origin[] = {number((uint32_t)(pitch - width + 1)), 0, 0}, none[] = {0, 0, 0},
               region[] = {width, rows, 1};
  uint8_t *bytes = fresh(rows * width);
  for (size_t row = 0; row < rows; row++) memcpy(one->model + row * pitch + origin[0], bytes + row * width, width);
  keep(bytes, NULL, rows * width);
  return clEnqueueWriteBufferRect(queues[queue], one->memory, CL_FALSE, origin, none, region, pitch, 0, width, 0, bytes,
      count, waits, event);
}

static cl_int copy_part(
    struct buffer *one, struct buffer *other, int queue, cl_uint count, const cl_event *waits, cl_event *event) {
  size_t most = one->size < other->size ? one->size : other->size, length = 1 + number((uint32_t)most);
  size_t from = number((uint32_t)(other->size - length + 1)), to = number((uint32_t)(one->size - length + 1));
  if (one == other) return write_part(one, other, queue, count, waits, event);
  memcpy(one->model + to, other->model + from, length);
  return clEnqueueCopyBuffer(queues[queue], other->memory, one->memory, from, to, length, count, waits, event);
}

static cl_int fill_part(
    struct buffer *one, struct buffer *other, int queue, cl_uint count, const cl_event *waits, cl_event *event) {
  (void)other;
  uint32_t pattern = number(0xffffffff);
  size_t words = one->size / 4, first = number((uint32_t)words), length = 1 + number((uint32_t)(words - first));
  for (size_t i = 0; i < length; i++) memcpy(one->model + (first + i) * 4, &pattern, 4);
  return clEnqueueFillBuffer(
      queues[queue], one->memory, &pattern, sizeof pattern, first * 4, length * 4, count, waits, event);
}

static const char SOURCE[] = "kernel void blend(global uint *to, global const uint *from, uint odd) {"
                             "  size_t i = get_global_id(0);"
                             "  to[i] = to[i] * 1664525u + from[i] * odd + odd;"
                             "}";

static cl_int launch(
    struct buffer *one, struct buffer *other, int queue, cl_uint count, const cl_event *waits, cl_event *event) {
  size_t words = (one->size < other->size ? one->size : other->size) / 4;
  cl_uint odd = number(0xffffffff) | 1;
  for (size_t i = 0; i < words; i++) {
    uint32_t to, from;
    memcpy(&to, one->model + i * 4, 4);
    memcpy(&from, other->model + i * 4, 4);
    to = to * 1664525u + from * odd + odd;
    memcpy(one->model + i * 4, &to, 4);
  }
  must("clSetKernelArg", clSetKernelArg(blend, 0, sizeof(cl_mem), &one->memory));
  must("clSetKernelArg", clSetKernelArg(blend, 1, sizeof(cl_mem), &other->memory));
  must("clSetKernelArg", clSetKernelArg(blend, 2, sizeof odd, &odd));
  return clEnqueueNDRangeKernel(queues[queue], blend, 1, NULL, &words, NULL, count, waits, event);
}

// Transfers are most: they are what this is about.
static command *const COMMANDS_OF[] = {write_part, write_part, read_part, read_part, read_part, write_rows, copy_part,
    fill_part, launch, launch};

// A buffer whose commands are still to come goes, and another one comes in its place, perhaps in the same memory.
static void replace(struct buffer *buffer) {
  cl_int code;
  if (buffer->memory != NULL) clReleaseMemObject(buffer->memory);
  note(buffer, -1, NULL);
  free(buffer->model);
  buffer->size = 4096 + number(MOST_BYTES);
  buffer->model = fresh(buffer->size);
  buffer->memory = clCreateBuffer(
      context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, buffer->size, buffer->model, &code);
  must("clCreateBuffer", code);
}

static void open_gate(void) {
  if (gate == NULL) return;
  must("clSetUserEventStatus", clSetUserEventStatus(gate, CL_COMPLETE));
  clReleaseEvent(gate);
  gate = NULL;
}

static void settle(void) {
  open_gate();
  uint32_t first = number(QUEUES);
  for (uint32_t i = 0; i < QUEUES; i++) must("clFinish", clFinish(queues[(first + i) % QUEUES]));
  for (int i = 0; i < BUFFERS; i++) note(&buffers[i], -1, NULL);
  for (int i = 0; i < kept_count; i++) {
    if (kept[i].expected != NULL && memcmp(kept[i].bytes, kept[i].expected, kept[i].size) != 0 && wrong++ < 5)
      printf("not ok a read of %zu bytes\n", kept[i].size);
    free(kept[i].bytes);
    free(kept[i].expected);
  }
  kept_count = 0;
}

static void step(void) {
  struct buffer *one = &buffers[number(BUFFERS)], *other = &buffers[number(BUFFERS)];
  // Mostly the queue of the buffer's last command, so that commands of one queue come together.
  int queue = one->queue >= 0 && number(3) != 0 ? one->queue : (int)number(QUEUES);
  cl_event waits[4], event = NULL;
  cl_uint count = wait_for(one, queue, waits, 0);
  if (other != one) count = wait_for(other, queue, waits, count);
  if (gate != NULL && number(6) == 0) {
    clRetainEvent(gate);
    waits[count++] = gate;
  }
  // Without order only an event tells of its end.
  bool is_named = queue == QUEUES - 1 || number(4) == 0;
  command *run = COMMANDS_OF[number(sizeof COMMANDS_OF / sizeof *COMMANDS_OF)];
  must("a command", run(one, other, queue, count, count == 0 ? NULL : waits, is_named ? &event : NULL));
  for (cl_uint i = 0; i < count; i++) clReleaseEvent(waits[i]);
  note(one, queue, event);
  note(other, queue, event);
  if (event != NULL) {
    // Nobody but the buffers may wait for it, or the program does.
    if (gate == NULL && number(10) == 0) must("clWaitForEvents", clWaitForEvents(1, &event));
    clReleaseEvent(event);
  }
  uint32_t kind = number(24);
  if (kind < 4) must("clFlush", clFlush(queues[queue]));
  if (kind == 4) open_gate();
  if (kind == 5 && gate == NULL) {
    cl_int code;
    gate = clCreateUserEvent(context, &code);
    must("clCreateUserEvent", code);
  }
  if (kind == 6) replace(&buffers[number(BUFFERS)]);
  if (kind == 7 && gate == NULL) must("clFinish", clFinish(queues[queue]));
}

int main(int argc, char **argv) {
  uint32_t first = argc > 1 ? (uint32_t)atoi(argv[1]) : 1, last = argc > 2 ? (uint32_t)atoi(argv[2]) : first;
  const char *source = SOURCE;
  cl_platform_id platform;
  cl_int code;
  must("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
  must("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  must("clCreateContext", code);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  must("clCreateProgramWithSource", code);
  must("clBuildProgram", clBuildProgram(program, 1, &device, "", NULL, NULL));
  blend = clCreateKernel(program, "blend", &code);
  must("clCreateKernel", code);
  for (int i = 0; i < QUEUES; i++) {
    // One measures times.
    cl_command_queue_properties properties = i == QUEUES - 1   ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
                                             : i == QUEUES - 2 ? CL_QUEUE_PROFILING_ENABLE
                                                               : 0;
    queues[i] = clCreateCommandQueue(context, device, properties, &code);
    must("clCreateCommandQueue", code);
  }
  for (uint32_t seed = first; seed <= last; seed++) {
    state = seed * 2654435761u + 1;
    unsigned before = wrong;
    for (int i = 0; i < BUFFERS; i++) replace(&buffers[i]);
    for (int i = 0; i < COMMANDS; i++) step();
    settle();
    for (int i = 0; i < BUFFERS; i++) {
      uint8_t *bytes = malloc(buffers[i].size);
      must("clEnqueueReadBuffer",
          clEnqueueReadBuffer(queues[0], buffers[i].memory, CL_TRUE, 0, buffers[i].size, bytes, 0, NULL, NULL));
      if (memcmp(bytes, buffers[i].model, buffers[i].size) != 0 && wrong++ < 5) printf("not ok buffer %d\n", i);
      free(bytes);
    }
    printf("%s graph %u\n", wrong == before ? "ok" : "not ok", seed);
    fflush(stdout);
  }
  return wrong == 0 ? 0 : 1;
}
