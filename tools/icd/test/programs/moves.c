// SPDX-License-Identifier: Apache-2.0
// Bytes on all ways between a program and its objects, compared with a model: reads, writes, maps of buffers, parts of
// buffers and images of each type, that block or not, behind commands that may still run. Arguments: seed, rounds.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
static void check(const char *name, bool holds) {
  printf("%s %s\n", holds ? "ok" : "not ok", name);
  fflush(stdout);
  failures += !holds;
}

static cl_device_id device;
static cl_context context;
static cl_kernel add;
static cl_command_queue queue;
static bool chains; // the queue has no order: each command waits for the one before it
static cl_event last;
static unsigned long moves, wrong;

static uint32_t state;
static uint32_t number(uint32_t below) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % below;
}

static void fail(const char *what, cl_int code) {
  if (wrong++ < 10) printf("not ok %s: %d\n", what, code);
}

// What a command waits for, and its event.
#define IN_TURN chains && last != NULL, chains && last != NULL ? &last : NULL
static void next(cl_event event) {
  if (last != NULL) clReleaseEvent(last);
  last = event;
}

// A box in memory with pitches.
struct box {
  size_t origin[3], region[3], row, slice;
};

// What is under way: sources of writes, and targets of reads with what they will be.
static struct {
  uint8_t *bytes, *expected;
  size_t size;
} pending[64];
static int pending_count;

static void settle(void) {
  if (clFinish(queue) != CL_SUCCESS) fail("clFinish", 0);
  for (int i = 0; i < pending_count; i++) {
    if (pending[i].expected != NULL && memcmp(pending[i].bytes, pending[i].expected, pending[i].size) != 0)
      fail("a read that does not block", 0);
    free(pending[i].bytes);
    free(pending[i].expected);
  }
  pending_count = 0;
}

static void keep(uint8_t *bytes, uint8_t *expected, size_t size) {
  if (pending_count == 64) settle();
  pending[pending_count].bytes = bytes;
  pending[pending_count].expected = expected;
  pending[pending_count++].size = size;
}

struct thing {
  cl_mem memory;
  cl_mem_object_type type; // 0: a buffer
  size_t size;             // of a buffer
  size_t pixel, width, rows, slices;
  uint8_t *model; // without gaps
  uint8_t *host;  // of CL_MEM_USE_HOST_PTR
};

static uint8_t *fresh(size_t size) {
  uint8_t *bytes = malloc(size + 8);
  for (size_t i = 0; i < size; i += 4) {
    uint32_t word = number(0xffffffff);
    memcpy(bytes + i, &word, size - i < 4 ? size - i : 4);
  }
  return bytes;
}

// Copies a box of the model out of or into bytes with pitches.
static void copy_box(uint8_t *model, size_t row, size_t slice, const size_t *at, const size_t *region, uint8_t *bytes,
    size_t bytes_row, size_t bytes_slice, bool into_model) {
  for (size_t z = 0; z < region[2]; z++)
    for (size_t y = 0; y < region[1]; y++) {
      uint8_t *inside = model + (at[2] + z) * slice + (at[1] + y) * row + at[0];
      uint8_t *outside = bytes + z * bytes_slice + y * bytes_row;
      memcpy(into_model ? inside : outside, into_model ? outside : inside, region[0]);
    }
}
static bool same_box(uint8_t *model, size_t row, size_t slice, const size_t *at, const size_t *region,
    const uint8_t *bytes, size_t bytes_row, size_t bytes_slice) {
  for (size_t z = 0; z < region[2]; z++)
    for (size_t y = 0; y < region[1]; y++)
      if (memcmp(model + (at[2] + z) * slice + (at[1] + y) * row + at[0], bytes + z * bytes_slice + y * bytes_row,
              region[0]) != 0)
        return false;
  return true;
}

// ---- buffers

static void move_range(struct thing *thing, bool writes, bool blocks) {
  size_t offset = number((uint32_t)thing->size), size = 1 + number((uint32_t)(thing->size - offset));
  uint8_t *bytes = fresh(size);
  cl_event event;
  cl_int code = writes ? clEnqueueWriteBuffer(queue, thing->memory, blocks, offset, size, bytes, IN_TURN, &event)
                       : clEnqueueReadBuffer(queue, thing->memory, blocks, offset, size, bytes, IN_TURN, &event);
  if (code != CL_SUCCESS) fail(writes ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer", code);
  next(event);
  if (writes) memcpy(thing->model + offset, bytes, size);
  if (!writes && blocks && memcmp(thing->model + offset, bytes, size) != 0) fail("a read that blocks", (cl_int)size);
  if (blocks) {
    free(bytes);
    return;
  }
  uint8_t *expected = writes ? NULL : malloc(size);
  if (!writes) memcpy(expected, thing->model + offset, size);
  keep(bytes, expected, size);
}

static void move_rect(struct thing *thing, bool writes, bool blocks) {
  size_t row = 16 + number(100), rows = thing->size / row;
  if (rows < 2) return;
  size_t region[3] = {1 + number((uint32_t)row), 1 + number((uint32_t)(rows < 200 ? rows : 200)), 1};
  size_t at[3] = {number((uint32_t)(row - region[0] + 1)), number((uint32_t)(rows - region[1] + 1)), 0};
  size_t gap = number(9), pitch = region[0] + gap, size = pitch * region[1];
  uint8_t *bytes = fresh(size);
  const size_t start[3] = {0};
  cl_event event;
  cl_int code = writes ? clEnqueueWriteBufferRect(queue, thing->memory, blocks, at, start, region, row, 0, pitch, 0,
                             bytes, IN_TURN, &event)
                       : clEnqueueReadBufferRect(queue, thing->memory, blocks, at, start, region, row, 0, pitch, 0,
                             bytes, IN_TURN, &event);
  if (code != CL_SUCCESS) fail(writes ? "clEnqueueWriteBufferRect" : "clEnqueueReadBufferRect", code);
  next(event);
  if (!blocks) settle();
  if (writes) copy_box(thing->model, row, 0, at, region, bytes, pitch, size, true);
  else if (!same_box(thing->model, row, 0, at, region, bytes, pitch, size)) fail("a rectangle that is read", code);
  free(bytes);
}

static void map_range(struct thing *thing, cl_map_flags flags, bool blocks) {
  size_t offset = number((uint32_t)thing->size), size = 1 + number((uint32_t)(thing->size - offset));
  cl_int code;
  cl_event event;
  uint8_t *bytes = clEnqueueMapBuffer(queue, thing->memory, blocks, flags, offset, size, IN_TURN, &event, &code);
  if (code != CL_SUCCESS) {
    fail("clEnqueueMapBuffer", code);
    return;
  }
  next(event);
  if (!blocks) clWaitForEvents(1, &event);
  if (thing->host != NULL && bytes != thing->host + offset) fail("a map of the program's own memory is that memory", 0);
  if (offset == 0 && thing->host == NULL && (uintptr_t)bytes % 128 != 0) fail("a map is aligned", 0);
  if (flags != CL_MAP_WRITE_INVALIDATE_REGION && memcmp(thing->model + offset, bytes, size) != 0)
    fail("the bytes of a map", (cl_int)size);
  if (flags != CL_MAP_READ) {
    if (flags == CL_MAP_WRITE_INVALIDATE_REGION) memset(bytes, (int)number(256), size);
    for (size_t i = 0; i < size; i += 1 + number(5000)) bytes[i] = (uint8_t)number(256);
    memcpy(thing->model + offset, bytes, size);
  }
  code = clEnqueueUnmapMemObject(queue, thing->memory, bytes, IN_TURN, &event);
  if (code != CL_SUCCESS) fail("clEnqueueUnmapMemObject", code);
  else next(event);
}

static void launch(struct thing *thing) {
  size_t size = thing->size;
  cl_event event;
  clSetKernelArg(add, 0, sizeof thing->memory, &thing->memory);
  cl_int code = clEnqueueNDRangeKernel(queue, add, 1, NULL, &size, NULL, IN_TURN, &event);
  if (code != CL_SUCCESS) fail("clEnqueueNDRangeKernel", code);
  else next(event);
  for (size_t i = 0; i < size; i++) thing->model[i]++;
}

static void fill(struct thing *thing) {
  uint8_t value = (uint8_t)number(256);
  size_t offset = number((uint32_t)thing->size), size = 1 + number((uint32_t)(thing->size - offset));
  cl_event event;
  cl_int code = clEnqueueFillBuffer(queue, thing->memory, &value, 1, offset, size, IN_TURN, &event);
  if (code != CL_SUCCESS) fail("clEnqueueFillBuffer", code);
  else next(event);
  memset(thing->model + offset, value, size);
}

static struct thing make_buffer(void) {
  static const size_t SIZES[] = {40, 3000, 65536, 65537, 70000, 1 << 20, (1 << 20) + 4099, 3 << 20};
  struct thing thing = {.size = SIZES[number(8)] + number(3)};
  thing.model = fresh(thing.size);
  cl_int code;
  uint32_t kind = number(4);
  cl_mem_flags flags = kind == 0   ? CL_MEM_COPY_HOST_PTR
                       : kind == 1 ? CL_MEM_USE_HOST_PTR
                       : kind == 2 ? CL_MEM_ALLOC_HOST_PTR
                                   : 0;
  if (kind == 1) {
    thing.host = malloc(thing.size);
    memcpy(thing.host, thing.model, thing.size);
  }
  thing.memory = clCreateBuffer(context, CL_MEM_READ_WRITE | flags, thing.size,
      kind == 0   ? thing.model
      : kind == 1 ? thing.host
                  : NULL,
      &code);
  if (code != CL_SUCCESS) fail("clCreateBuffer", code);
  if (kind >= 2) {
    cl_event event;
    clEnqueueWriteBuffer(queue, thing.memory, kind == 2, 0, thing.size, thing.model, IN_TURN, &event);
    next(event);
    if (kind == 3) settle();
  }
  return thing;
}

static void drop(struct thing *thing) {
  settle();
  clReleaseMemObject(thing->memory);
  free(thing->host);
  free(thing->model);
}

static void use_buffer(struct thing *thing) {
  static const cl_map_flags FLAGS[] = {
      CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION};
  uint32_t what = number(12);
  bool blocks = number(2) == 0;
  moves++;
  if (what < 2) move_range(thing, true, blocks);
  else if (what < 4) move_range(thing, false, blocks);
  else if (what < 8) map_range(thing, FLAGS[number(4)], blocks);
  else if (what == 8) move_rect(thing, true, blocks);
  else if (what == 9) move_rect(thing, false, blocks);
  else if (what == 10) launch(thing);
  else fill(thing);
}

static void buffers(int rounds) {
  for (int round = 0; round < rounds; round++) {
    struct thing thing = make_buffer();
    for (int i = 0; i < 24; i++) use_buffer(&thing);
    if (thing.size > 4096) {
      // A part, whose bytes are the whole's.
      size_t origin = 1024 * number((uint32_t)(thing.size / 1024 - 1));
      cl_buffer_region region = {origin, thing.size - origin};
      cl_int code;
      struct thing part = {.size = region.size, .model = thing.model + origin,
          .host = thing.host == NULL ? NULL : thing.host + origin};
      part.memory =
          clCreateSubBuffer(thing.memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
      if (code != CL_SUCCESS) fail("clCreateSubBuffer", code);
      for (int i = 0; i < 8; i++) use_buffer(i % 3 == 2 ? &thing : &part);
      settle();
      clReleaseMemObject(part.memory);
    }
    drop(&thing);
  }
}

// ---- images

static void use_image(struct thing *thing) {
  size_t most[3] = {thing->width, thing->rows, thing->slices}, at[3], region[3];
  for (int axis = 0; axis < 3; axis++) {
    at[axis] = number((uint32_t)most[axis]);
    region[axis] = 1 + number((uint32_t)(most[axis] - at[axis]));
  }
  size_t row = thing->width * thing->pixel, slice = row * thing->rows;
  size_t inside[3] = {at[0] * thing->pixel, at[1], at[2]}, box[3] = {region[0] * thing->pixel, region[1], region[2]};
  bool has_slices = thing->type == CL_MEM_OBJECT_IMAGE3D || thing->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  size_t pitch = box[0] + thing->pixel * number(4);
  size_t gap = has_slices ? pitch * (region[1] + number(3)) : pitch * region[1];
  size_t size = gap * region[2];
  bool blocks = number(2) == 0;
  uint32_t what = number(4);
  cl_event event;
  cl_int code;
  moves++;
  if (what < 2) {
    uint8_t *bytes = fresh(size);
    size_t given_slice = has_slices ? gap : 0;
    code = what == 0 ? clEnqueueWriteImage(
                           queue, thing->memory, blocks, at, region, pitch, given_slice, bytes, IN_TURN, &event)
                     : clEnqueueReadImage(
                           queue, thing->memory, blocks, at, region, pitch, given_slice, bytes, IN_TURN, &event);
    if (code != CL_SUCCESS) fail("an image that is read or written", code);
    else next(event);
    if (!blocks) settle();
    if (what == 0) copy_box(thing->model, row, slice, inside, box, bytes, pitch, gap, true);
    else if (!same_box(thing->model, row, slice, inside, box, bytes, pitch, gap)) fail("pixels that are read", code);
    free(bytes);
    return;
  }
  cl_map_flags flags = what == 2 ? CL_MAP_READ : CL_MAP_WRITE;
  size_t mapped_row = 0, mapped_slice = 0;
  uint8_t *bytes = clEnqueueMapImage(
      queue, thing->memory, blocks, flags, at, region, &mapped_row, &mapped_slice, IN_TURN, &event, &code);
  if (code != CL_SUCCESS) {
    fail("clEnqueueMapImage", code);
    return;
  }
  next(event);
  if (!blocks) clWaitForEvents(1, &event);
  // The rows of 1-D arrays are a slice pitch apart.
  if (thing->type == CL_MEM_OBJECT_IMAGE1D_ARRAY) mapped_row = mapped_slice;
  if (!same_box(thing->model, row, slice, inside, box, bytes, mapped_row, mapped_slice))
    fail("the pixels of a map", (cl_int)thing->type);
  if (flags == CL_MAP_WRITE) {
    for (size_t z = 0; z < box[2]; z++)
      for (size_t y = 0; y < box[1]; y++) bytes[z * mapped_slice + y * mapped_row + number((uint32_t)box[0])] = 77;
    copy_box(thing->model, row, slice, inside, box, bytes, mapped_row, mapped_slice, true);
  }
  code = clEnqueueUnmapMemObject(queue, thing->memory, bytes, IN_TURN, &event);
  if (code != CL_SUCCESS) fail("clEnqueueUnmapMemObject", code);
  else next(event);
}

static void images(int rounds) {
  static const cl_mem_object_type TYPES[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D,
      CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY};
  for (int round = 0; round < rounds; round++) {
    struct thing thing = {.type = TYPES[round % 5], .pixel = number(2) == 0 ? 4 : 16};
    bool is_flat = thing.type == CL_MEM_OBJECT_IMAGE1D || thing.type == CL_MEM_OBJECT_IMAGE2D;
    thing.width = 1 + number(200);
    thing.rows = thing.type == CL_MEM_OBJECT_IMAGE1D ? 1 : 1 + number(150);
    thing.slices = is_flat || thing.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : 2 + number(9);
    size_t row = thing.width * thing.pixel, size = row * thing.rows * thing.slices;
    thing.model = fresh(size);
    cl_image_desc desc = {.image_type = thing.type, .image_width = thing.width};
    if (thing.type == CL_MEM_OBJECT_IMAGE1D_ARRAY) desc.image_array_size = thing.rows;
    else desc.image_height = thing.rows;
    if (thing.type == CL_MEM_OBJECT_IMAGE3D) desc.image_depth = thing.slices;
    if (thing.type == CL_MEM_OBJECT_IMAGE2D_ARRAY) desc.image_array_size = thing.slices;
    bool uses = number(3) == 0;
    if (uses) {
      thing.host = malloc(size);
      memcpy(thing.host, thing.model, size);
    }
    cl_int code;
    thing.memory = clCreateImage(context, CL_MEM_READ_WRITE | (uses ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR),
        &(cl_image_format){CL_RGBA, thing.pixel == 4 ? CL_UNSIGNED_INT8 : CL_UNSIGNED_INT32}, &desc,
        uses ? thing.host : thing.model, &code);
    if (code != CL_SUCCESS) {
      fail("clCreateImage", code);
      return;
    }
    for (int i = 0; i < 12; i++) use_image(&thing);
    drop(&thing);
  }
}

// ---- ends

// What is mapped stays there when its object goes, and in children.
static void lives(void) {
  enum { SIZE = 5 << 20 };
  cl_mem buffer = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, SIZE, NULL, NULL);
  uint8_t *bytes = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, SIZE, 0, NULL, NULL, NULL);
  memset(bytes, 9, SIZE);
  pid_t child = fork();
  if (child == 0) _exit(bytes[SIZE - 1] == 9 ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  check("a child reads what is mapped", status == 0);
  clEnqueueUnmapMemObject(queue, buffer, bytes, 0, NULL, NULL);
  bytes = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, NULL);
  uint8_t *again = clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, NULL);
  check("two maps are read", bytes[7] == 9 && (clFinish(queue), again[7]) == 9);
  cl_uint count = 0;
  clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof count, &count, NULL);
  check("maps are counted", count == 2);
  check("each map ends once", clEnqueueUnmapMemObject(queue, buffer, again, 0, NULL, NULL) == CL_SUCCESS &&
                                  clEnqueueUnmapMemObject(queue, buffer, bytes, 0, NULL, NULL) == CL_SUCCESS &&
                                  clEnqueueUnmapMemObject(queue, buffer, bytes, 0, NULL, NULL) == CL_INVALID_VALUE);
  cl_mem small = clCreateBuffer(context, 0, 4096, NULL, NULL);
  cl_event gate = clCreateUserEvent(context, NULL), mapped;
  int *words = clEnqueueMapBuffer(queue, small, CL_FALSE, CL_MAP_WRITE, 0, 4096, 1, &gate, &mapped, NULL);
  cl_int running;
  clGetEventInfo(mapped, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof running, &running, NULL);
  check("a map that waits is not complete", words != NULL && running != CL_COMPLETE);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clWaitForEvents(1, &mapped);
  words[0] = 5;
  clEnqueueUnmapMemObject(queue, small, words, 0, NULL, NULL);
  int back = 0;
  clEnqueueReadBuffer(queue, small, CL_TRUE, 0, 4, &back, 0, NULL, NULL);
  check("it is written when it ends", back == 5);
  clReleaseEvent(gate);
  clReleaseEvent(mapped);
  clReleaseMemObject(small);
  clReleaseMemObject(buffer);
}

// Times of a move contain it.
static void times(void) {
  enum { SIZE = 32 << 20 };
  cl_command_queue timed = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, NULL);
  cl_mem buffer = clCreateBuffer(context, 0, SIZE, NULL, NULL);
  uint8_t *bytes = calloc(1, SIZE);
  bool holds = true;
  for (int way = 0; way < 4; way++) {
    cl_event event;
    size_t size = SIZE;
    if (way >= 2) {
      clSetKernelArg(add, 0, sizeof buffer, &buffer);
      clEnqueueNDRangeKernel(timed, add, 1, NULL, &size, NULL, 0, NULL, NULL);
    } else clFinish(timed);
    clEnqueueWriteBuffer(timed, buffer, way % 2 == 0, 0, SIZE, bytes, 0, NULL, &event);
    clWaitForEvents(1, &event);
    cl_ulong at[4];
    for (cl_uint i = 0; i < 4; i++)
      clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof at[i], &at[i], NULL);
    // 100 GB/s is more than any memory has.
    holds = holds && at[0] <= at[1] && at[1] <= at[2] && at[2] < at[3] && at[3] - at[2] > SIZE / 100;
    clReleaseEvent(event);
  }
  check("the times of a move contain it", holds);
  free(bytes);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(timed);
}

// Reads and writes that do not block go over a stage of 32 MiB, or the library moves them when it is time. It must not
// tell of them before they are done. Both sizes have as many as the stage does not hold.
static const struct { size_t staged, many; } WAYS[] = {{128 << 10, 150}, {512 << 10, 48}};
static size_t staged, many;
static bool is_all(const uint8_t *bytes, uint8_t value) {
  for (size_t i = 0; i < staged; i++)
    if (bytes[i] != value) return false;
  return true;
}
static const uint8_t *called_with;
static uint8_t called_for;
static _Atomic int called;
static void CL_CALLBACK look(cl_event event, cl_int status, void *unused) {
  (void)event, (void)unused;
  called = status == CL_COMPLETE && is_all(called_with, called_for) ? 1 : -1;
}
static bool is_complete(cl_event event) {
  cl_int status = CL_QUEUED;
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
  return status == CL_COMPLETE;
}

// Fills and reads without blocking; `knows` learns of the read's end in a way of its own.
static void ends(const char *name, uint8_t value, bool (*knows)(cl_event)) {
  cl_mem buffer = clCreateBuffer(context, 0, staged, NULL, NULL);
  uint8_t *back = calloc(staged, 1);
  cl_event event;
  called_with = back, called_for = value, called = 0;
  clEnqueueFillBuffer(queue, buffer, &value, 1, 0, staged, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, staged, back, 0, NULL, &event);
  // Of another value before it is looked at.
  value++;
  clEnqueueFillBuffer(queue, buffer, &value, 1, 0, staged, 0, NULL, NULL);
  check(name, knows(event) && is_all(back, called_for));
  clReleaseEvent(event);
  clFinish(queue);
  clReleaseMemObject(buffer);
  free(back);
}
static bool by_status(cl_event event) {
  clFlush(queue);
  while (!is_complete(event)) usleep(100);
  return true;
}
static bool by_wait(cl_event event) { return clWaitForEvents(1, &event) == CL_SUCCESS; }
static bool by_callback(cl_event event) {
  clSetEventCallback(event, CL_COMPLETE, look, NULL);
  clFlush(queue);
  while (called == 0) usleep(100);
  return called == 1;
}
static bool by_other_queue(cl_event event) {
  cl_command_queue other = clCreateCommandQueue(context, device, 0, NULL);
  clFlush(queue);
  clEnqueueMarkerWithWaitList(other, 1, &event, NULL);
  bool good = clFinish(other) == CL_SUCCESS;
  clReleaseCommandQueue(other);
  return good;
}

static void stage(void) {
  queue = clCreateCommandQueue(context, device, 0, NULL);
  ends("a status tells of a read", 1, by_status);
  ends("a wait tells of a read", 3, by_wait);
  ends("a callback tells of a read", 5, by_callback);
  ends("another queue tells of a read", 7, by_other_queue);
  cl_event gate = clCreateUserEvent(context, NULL);
  cl_mem buffer = clCreateBuffer(context, 0, staged, NULL, NULL);
  uint8_t *bytes = malloc(staged), *back = calloc(many, staged);
  clEnqueueMarkerWithWaitList(queue, 1, &gate, NULL);
  clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL);
  bool good = true;
  for (size_t i = 0; i < many; i++) {
    cl_uchar value = (cl_uchar)(i + 1);
    good = good && clEnqueueFillBuffer(queue, buffer, &value, 1, 0, staged, 0, NULL, NULL) == CL_SUCCESS &&
           clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, staged, back + i * staged, 0, NULL, NULL) ==
               CL_SUCCESS;
  }
  memset(bytes, 200, staged);
  for (size_t i = 0; i < many; i++)
    good = good && clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, staged, bytes, 0, NULL, NULL) == CL_SUCCESS;
  check("none of them is done before the user's event", good && is_all(back, 0));
  clSetUserEventStatus(gate, CL_COMPLETE);
  good = clFinish(queue) == CL_SUCCESS;
  for (size_t i = 0; i < many; i++) good = good && is_all(back + i * staged, (uint8_t)(i + 1));
  memset(bytes, 0, staged);
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, staged, bytes, 0, NULL, NULL);
  check("more moves than the stage holds are right", good && is_all(bytes, 200));
  // A read whose command fails brings nothing, and gives its room back.
  for (size_t i = 0; i < 2 * many; i++) {
    cl_event other = clCreateUserEvent(context, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, staged, back, 1, &other, NULL);
    clSetUserEventStatus(other, -1);
    clReleaseEvent(other);
  }
  clFinish(queue);
  check("reads that fail bring nothing", is_all(back, 1));
  clReleaseEvent(gate);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  free(bytes);
  free(back);
}

// A child has the memory that both processes share, and its own list of what is free on the stage.
static void children(void) {
  queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_event gate = clCreateUserEvent(context, NULL);
  cl_mem buffer = clCreateBuffer(context, 0, staged, NULL, NULL);
  uint8_t *bytes = malloc(staged), byte = 0;
  int told[2], status = 1;
  // Where its bytes are is known behind a first command.
  memset(bytes, 1, staged);
  clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, staged, bytes, 0, NULL, NULL);
  bool good = pipe(told) == 0;
  pid_t child = fork();
  if (child == 0) {
    bool is_refused = read(told[0], &byte, 1) == 1;
    memset(bytes, 99, staged);
    for (int i = 0; i < 4; i++)
      is_refused = clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, staged, bytes, 0, NULL, NULL) != CL_SUCCESS &&
                   is_refused;
    _exit(is_refused ? 0 : 1);
  }
  memset(bytes, 77, staged);
  clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, staged, bytes, 1, &gate, NULL);
  good = good && write(told[1], &byte, 1) == 1;
  waitpid(child, &status, 0);
  check("a child's moves are refused", good && status == 0);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, staged, bytes, 0, NULL, NULL);
  check("a child's moves touch nothing that its parent has on the way", is_all(bytes, 77));
  close(told[0]);
  close(told[1]);
  clReleaseEvent(gate);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  free(bytes);
}

static size_t image_fact(cl_mem image, cl_image_info what) {
  size_t value = 0;
  clGetImageInfo(image, what, sizeof value, &value, NULL);
  return value;
}

// The library knows images of a shape that it has made before without asking.
static void shapes(void) {
  static const cl_image_format FORMATS[] = {{CL_RGBA, CL_UNORM_INT8}, {CL_R, CL_FLOAT}, {CL_RGBA, CL_FLOAT}};
  static const size_t PIXELS[] = {4, 4, 16};
  queue = clCreateCommandQueue(context, device, 0, NULL);
  bool good = true, is_refused = true;
  for (int i = 0; i < 120; i++) {
    int shape = i % 3, size = 16 + i % 5;
    cl_image_desc desc = {.image_type = i % 2 ? CL_MEM_OBJECT_IMAGE2D : CL_MEM_OBJECT_IMAGE2D_ARRAY,
        .image_width = (size_t)size, .image_height = 8, .image_array_size = i % 2 ? 0 : 3};
    cl_int code;
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &FORMATS[shape], &desc, NULL, &code);
    size_t row = (size_t)size * PIXELS[shape], origin[3] = {0, 0, i % 2 ? 0 : 2}, region[3] = {(size_t)size, 8, 1};
    uint8_t bytes[24 * 16 * 8], back[24 * 16 * 8];
    memset(bytes, i, sizeof bytes);
    good = good && code == CL_SUCCESS && image_fact(image, CL_IMAGE_WIDTH) == (size_t)size &&
           image_fact(image, CL_IMAGE_ELEMENT_SIZE) == PIXELS[shape] && image_fact(image, CL_IMAGE_ROW_PITCH) >= row &&
           image_fact(image, CL_IMAGE_ARRAY_SIZE) == desc.image_array_size &&
           clEnqueueWriteImage(queue, image, CL_FALSE, origin, region, 0, 0, bytes, 0, NULL, NULL) == CL_SUCCESS &&
           clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL) == CL_SUCCESS &&
           memcmp(bytes, back, row * 8) == 0;
    clReleaseMemObject(image);
    desc.image_width = 1 << 30;
    is_refused = is_refused && clCreateImage(context, 0, &FORMATS[shape], &desc, NULL, &code) == NULL &&
                 code != CL_SUCCESS;
  }
  clReleaseCommandQueue(queue);
  check("images of shapes that are known are what they should be", good);
  check("images that cannot be are refused each time", is_refused);
}

int main(int count, char **words) {
  state = count > 1 ? (uint32_t)strtoul(words[1], NULL, 10) * 2 + 1 : 4711;
  int rounds = count > 2 ? atoi(words[2]) : 12;
  cl_platform_id platform;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 1;
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  const char *source = "kernel void add(global uchar *data) { data[get_global_id(0)]++; }";
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
  clBuildProgram(program, 1, &device, "", NULL, NULL);
  add = clCreateKernel(program, "add", NULL);
  static const char *const NAMES[] = {"in order", "in order, with times", "without order"};
  static const cl_command_queue_properties PROPERTIES[] = {
      0, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
  for (int kind = 0; kind < 3; kind++) {
    char name[100];
    queue = clCreateCommandQueue(context, device, PROPERTIES[kind], NULL);
    chains = kind == 2;
    moves = wrong = 0;
    buffers(rounds);
    snprintf(name, sizeof name, "buffers in a queue %s: %lu moves", NAMES[kind], moves);
    check(name, wrong == 0);
    moves = wrong = 0;
    images(rounds);
    snprintf(name, sizeof name, "images in a queue %s: %lu moves", NAMES[kind], moves);
    check(name, wrong == 0);
    next(NULL);
    if (kind == 0) lives();
    clReleaseCommandQueue(queue);
  }
  times();
  for (size_t way = 0; way < sizeof WAYS / sizeof *WAYS; way++) {
    staged = WAYS[way].staged;
    many = WAYS[way].many;
    stage();
    children();
  }
  shapes();
  return failures == 0 ? 0 : 1;
}
