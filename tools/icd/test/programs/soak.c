// SPDX-License-Identifier: Apache-2.0
// Many threads, for some time, with objects of their own and shared ones, in an order that a seed decides: soak THREADS
// SECONDS SEED. Every result is compared. Prints `not ok WHAT` for each difference, a line for each ten seconds, and at
// the end how often everything was done.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 512 << 10, QUEUES = 4, SIDE = 24 };

static cl_context context;
static cl_device_id device;
static cl_command_queue shared_queues[QUEUES];
static cl_program shared_program;
static cl_mem shared_numbers; // i holds 3 * i
static cl_kernel shared_kernel;
static pthread_mutex_t kernel_lock = PTHREAD_MUTEX_INITIALIZER; // OpenCL wants one thread at a time for arguments
static atomic_long failures, callbacks_due, callbacks_done, commands;
static atomic_bool stop;

static const char *SOURCE =
    "kernel void scale(global int *data, int factor, local int *scratch) { int l = get_local_id(0); scratch[l] = "
    "data[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); data[get_global_id(0)] = scratch[l] * factor; }\n"
    "kernel void gather(global const int *from, global int *to) { to[get_global_id(0)] = from[get_global_id(0)] + 1; "
    "}\n";

struct thread {
  pthread_t thread;
  unsigned number, seed;
  cl_command_queue queue;
  cl_kernel scale, gather;
  cl_mem buffer, image;
  int *now, *seen; // what the buffer should hold, and what it does
  size_t count;
};

static unsigned draw(struct thread *self, unsigned below) {
  self->seed ^= self->seed << 13, self->seed ^= self->seed >> 17, self->seed ^= self->seed << 5;
  return self->seed % below;
}

static void want(struct thread *self, const char *what, bool holds) {
  if (holds) return;
  atomic_fetch_add(&failures, 1);
  printf("not ok thread %u: %s\n", self->number, what);
  fflush(stdout);
}

// A queue that commands in order can go to: this thread's own, or a shared one that executes in order.
static cl_command_queue in_order(struct thread *self) {
  return draw(self, 2) == 0 ? self->queue : shared_queues[draw(self, QUEUES / 2)];
}
static cl_command_queue any_queue(struct thread *self) {
  return draw(self, 3) == 0 ? self->queue : shared_queues[draw(self, QUEUES)];
}

static void fill(struct thread *self) {
  unsigned base = draw(self, 1 << 20);
  for (size_t i = 0; i < self->count; i++) self->now[i] = (int)(base + i * 7);
}

static void compare(struct thread *self, const char *what) {
  want(self, what,
      clEnqueueReadBuffer(any_queue(self), self->buffer, CL_TRUE, 0, self->count * 4, self->seen, 0, NULL, NULL) ==
              CL_SUCCESS &&
          memcmp(self->seen, self->now, self->count * 4) == 0);
}

static void write_and_read(struct thread *self) {
  fill(self);
  want(self, "a write",
      clEnqueueWriteBuffer(any_queue(self), self->buffer, CL_TRUE, 0, self->count * 4, self->now, 0, NULL, NULL) ==
          CL_SUCCESS);
  compare(self, "what was written");
}

static void launch(struct thread *self) {
  size_t size = self->count, local = 32;
  int factor = (int)draw(self, 9) - 4;
  bool own = draw(self, 3) != 0;
  cl_kernel kernel = own ? self->scale : shared_kernel;
  cl_event event;
  if (!own) pthread_mutex_lock(&kernel_lock);
  clSetKernelArg(kernel, 0, sizeof self->buffer, &self->buffer);
  clSetKernelArg(kernel, 1, sizeof factor, &factor);
  clSetKernelArg(kernel, 2, local * 4, NULL);
  cl_int code = clEnqueueNDRangeKernel(any_queue(self), kernel, 1, NULL, &size, &local, 0, NULL, &event);
  if (!own) pthread_mutex_unlock(&kernel_lock);
  want(self, "a launch", code == CL_SUCCESS);
  if (code != CL_SUCCESS) return;
  if (draw(self, 2) == 0) clFlush(self->queue);
  want(self, "the wait for a launch", clWaitForEvents(1, &event) == CL_SUCCESS);
  cl_int status = 1;
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
  want(self, "the status of what was waited for", status == CL_COMPLETE);
  clReleaseEvent(event);
  for (size_t i = 0; i < self->count; i++) self->now[i] *= factor;
  compare(self, "what a kernel made");
}

static void map(struct thread *self) {
  cl_command_queue queue = in_order(self);
  cl_int code;
  size_t from = draw(self, (unsigned)self->count), length = 1 + draw(self, (unsigned)(self->count - from));
  bool invalidates = draw(self, 3) == 0, writes = invalidates || draw(self, 2) == 0;
  cl_map_flags flags = invalidates ? CL_MAP_WRITE_INVALIDATE_REGION : writes ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ;
  int *bytes = clEnqueueMapBuffer(queue, self->buffer, CL_TRUE, flags, from * 4, length * 4, 0, NULL, NULL, &code);
  want(self, "a map", bytes != NULL && code == CL_SUCCESS);
  if (bytes == NULL) return;
  want(self, "what a map shows", invalidates || memcmp(bytes, self->now + from, length * 4) == 0);
  for (size_t i = 0; writes && i < length; i++) bytes[i] = self->now[from + i] = (int)(i * 3 + from);
  cl_event event;
  want(self, "the end of a map", clEnqueueUnmapMemObject(queue, self->buffer, bytes, 0, NULL, &event) == CL_SUCCESS);
  clWaitForEvents(1, &event);
  clReleaseEvent(event);
  compare(self, "what a map wrote");
}

static void parts(struct thread *self) {
  cl_int code;
  cl_buffer_region region = {4096, 4096};
  cl_mem part = clCreateSubBuffer(self->buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  want(self, "a part", part != NULL);
  int pattern = (int)draw(self, 1000);
  cl_command_queue queue = in_order(self);
  clEnqueueFillBuffer(queue, part, &pattern, sizeof pattern, 0, 2048, 0, NULL, NULL);
  clEnqueueCopyBuffer(queue, part, self->buffer, 0, 0, 1024, 0, NULL, NULL);
  clReleaseMemObject(part);
  want(self, "a finish", clFinish(queue) == CL_SUCCESS);
  for (int i = 0; i < 512; i++) self->now[1024 + i] = pattern;
  for (int i = 0; i < 256; i++) self->now[i] = pattern;
  const size_t origin[] = {64, 2, 0}, host[] = {0, 0, 0}, box[] = {64, 4, 1};
  want(self, "a box",
      clEnqueueReadBufferRect(
          queue, self->buffer, CL_TRUE, origin, host, box, 256, 0, 64, 0, self->seen, 0, NULL, NULL) == CL_SUCCESS);
  for (int row = 0; row < 4; row++)
    want(self, "what a box shows", memcmp(self->seen + row * 16, self->now + (row + 2) * 64 + 16, 64) == 0);
  compare(self, "what a part and a copy made");
}

static void pictures(struct thread *self) {
  const size_t origin[] = {0, 0, 0}, region[] = {SIDE, SIDE, 1};
  unsigned char pixels[SIDE * SIDE * 4], back[SIDE * SIDE * 4];
  for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (unsigned char)draw(self, 256);
  cl_command_queue queue = in_order(self);
  want(self, "pixels written",
      clEnqueueWriteImage(queue, self->image, CL_FALSE, origin, region, 0, 0, pixels, 0, NULL, NULL) == CL_SUCCESS);
  want(self, "pixels",
      clEnqueueReadImage(queue, self->image, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL) == CL_SUCCESS &&
          memcmp(pixels, back, sizeof pixels) == 0);
}

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *user) {
  cl_uint references = 0;
  clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL);
  if (status != CL_COMPLETE && user == NULL)
    atomic_fetch_add(&failures, 1), printf("not ok a callback's status is %d\n", status);
  atomic_fetch_add(&callbacks_done, 1);
}

static void CL_CALLBACK on_destroyed(cl_mem memory, void *user) {
  (void)memory, (void)user;
  atomic_fetch_add(&callbacks_done, 1);
}

// A write waits for an event that this thread sets; reads after it see the write, or its failure.
static void user_events(struct thread *self) {
  cl_int code;
  bool fails = draw(self, 8) == 0;
  cl_event gate = clCreateUserEvent(context, &code), written, marker;
  fill(self);
  want(self, "a write after a user event",
      clEnqueueWriteBuffer(self->queue, self->buffer, CL_FALSE, 0, self->count * 4, self->now, 1, &gate, &written) ==
          CL_SUCCESS);
  clEnqueueMarkerWithWaitList(shared_queues[QUEUES - 1], 1, &written, &marker);
  atomic_fetch_add(&callbacks_due, 1);
  clSetEventCallback(marker, CL_COMPLETE, on_event, fails ? self : NULL);
  cl_int status = CL_COMPLETE;
  clGetEventInfo(written, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
  want(self, "a command that waits for a user event", status > CL_COMPLETE);
  clFlush(self->queue);
  want(self, "a user event that is set", clSetUserEventStatus(gate, fails ? -5 : CL_COMPLETE) == CL_SUCCESS);
  clReleaseEvent(gate);
  code = clWaitForEvents(1, &marker);
  want(self, "the end of what waited for a user event",
      fails ? code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : code == CL_SUCCESS);
  clReleaseEvent(marker);
  clReleaseEvent(written);
  if (fails) write_and_read(self);
  else compare(self, "what waited for a user event");
}

// Reads that do not block, of what all threads share.
static void shared_reads(struct thread *self) {
  size_t size = self->count;
  cl_event events[3];
  int *seen[3];
  clSetKernelArg(self->gather, 0, sizeof shared_numbers, &shared_numbers);
  clSetKernelArg(self->gather, 1, sizeof self->buffer, &self->buffer);
  clRetainMemObject(shared_numbers);
  want(self, "a launch on shared memory",
      clEnqueueNDRangeKernel(self->queue, self->gather, 1, NULL, &size, NULL, 0, NULL, NULL) == CL_SUCCESS);
  for (int i = 0; i < 3; i++) {
    seen[i] = malloc(size * 4);
    want(self, "a read that does not block",
        clEnqueueReadBuffer(self->queue, i == 2 ? self->buffer : shared_numbers, CL_FALSE, 0, size * 4, seen[i], 0,
            NULL, &events[i]) == CL_SUCCESS);
  }
  want(self, "the wait for three reads", clWaitForEvents(3, events) == CL_SUCCESS);
  clReleaseMemObject(shared_numbers);
  bool is_right = true;
  for (size_t i = 0; i < size; i++)
    is_right = is_right && seen[0][i] == (int)(3 * i) && seen[1][i] == (int)(3 * i) && seen[2][i] == (int)(3 * i + 1);
  want(self, "what reads that do not block saw", is_right);
  for (size_t i = 0; i < size; i++) self->now[i] = (int)(3 * i + 1);
  for (int i = 0; i < 3; i++) free(seen[i]), clReleaseEvent(events[i]);
}

static void renew(struct thread *self) {
  cl_int code;
  clReleaseMemObject(self->buffer);
  self->count = (size_t)2048 << draw(self, 7);
  fill(self);
  self->buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, self->count * 4, self->now, &code);
  want(self, "a buffer", self->buffer != NULL && code == CL_SUCCESS);
  atomic_fetch_add(&callbacks_due, 1);
  clSetMemObjectDestructorCallback(self->buffer, on_destroyed, NULL);
  clReleaseKernel(self->scale);
  self->scale =
      draw(self, 2) == 0 ? clCreateKernel(shared_program, "scale", &code) : clCloneKernel(self->gather, &code);
  cl_uint arguments = 0;
  clGetKernelInfo(self->scale, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL);
  want(self, "a kernel's arguments", arguments == 3 || arguments == 2);
  if (arguments == 2) clReleaseKernel(self->scale), self->scale = clCreateKernel(shared_program, "scale", &code);
  compare(self, "a buffer's first bytes");
}

static void mistakes(struct thread *self) {
  cl_int code;
  want(self, "a range outside of a buffer",
      clEnqueueReadBuffer(any_queue(self), self->buffer, CL_TRUE, self->count * 4, 4, self->seen, 0, NULL, NULL) ==
          CL_INVALID_VALUE);
  want(self, "a kernel that there is not",
      clCreateKernel(shared_program, "nobody", &code) == NULL && code == CL_INVALID_KERNEL_NAME);
  want(self, "a buffer without bytes",
      clCreateBuffer(context, 0, 0, NULL, &code) == NULL && code == CL_INVALID_BUFFER_SIZE);
  char name[200];
  want(self, "a name",
      clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL) == CL_SUCCESS &&
          clGetDeviceInfo(device, CL_DEVICE_NAME, 1, name, NULL) == CL_INVALID_VALUE);
}

static atomic_long built;
static void CL_CALLBACK on_built(cl_program program, void *user) {
  (void)program;
  atomic_store((atomic_bool *)user, true);
  atomic_fetch_add(&callbacks_done, 1);
}

// A context with everything in it, and its end.
static void world(struct thread *self) {
  cl_int code;
  cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  cl_command_queue queue = clCreateCommandQueue(own, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  cl_program program = clCreateProgramWithSource(own, 1, &SOURCE, NULL, &code);
  atomic_bool done = false;
  atomic_fetch_add(&callbacks_due, 1);
  want(self, "a build", clBuildProgram(program, 0, NULL, NULL, on_built, &done) == CL_SUCCESS);
  while (!atomic_load(&done)) usleep(500);
  cl_kernel kernel = clCreateKernel(program, "gather", &code);
  cl_mem from = clCreateBuffer(own, CL_MEM_COPY_HOST_PTR, 4096, self->now, &code),
         to = clCreateBuffer(own, 0, 4096, NULL, &code);
  clSetKernelArg(kernel, 0, sizeof from, &from);
  clSetKernelArg(kernel, 1, sizeof to, &to);
  size_t size = 1024;
  cl_event event;
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event);
  want(self, "a read in a context of its own",
      clEnqueueReadBuffer(queue, to, CL_TRUE, 0, 4096, self->seen, 1, &event, NULL) == CL_SUCCESS &&
          self->seen[5] == self->now[5] + 1);
  want(self, "objects of two contexts",
      clEnqueueReadBuffer(queue, self->buffer, CL_TRUE, 0, 4, self->seen, 0, NULL, NULL) == CL_INVALID_CONTEXT);
  clReleaseContext(own);
  clReleaseEvent(event);
  clReleaseMemObject(to);
  clReleaseKernel(kernel);
  clReleaseMemObject(from);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  atomic_fetch_add(&built, 1);
}

static void (*const ACTIONS[])(struct thread *) = {write_and_read, launch, map, parts, pictures, user_events,
    shared_reads, renew, mistakes, launch, map, user_events, shared_reads, write_and_read};

static void *work(void *argument) {
  struct thread *self = argument;
  cl_int code;
  self->queue = clCreateCommandQueue(context, device, 0, &code);
  self->scale = clCreateKernel(shared_program, "scale", &code);
  self->gather = clCreateKernel(shared_program, "gather", &code);
  self->now = malloc(MOST), self->seen = malloc(MOST), self->count = 4096;
  self->buffer = clCreateBuffer(context, 0, self->count * 4, NULL, &code);
  cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
  self->image = clCreateImage(context, 0, &format, &desc, NULL, &code);
  for (write_and_read(self); !atomic_load(&stop); atomic_fetch_add(&commands, 1)) {
    if (draw(self, 400) == 0) world(self);
    else ACTIONS[draw(self, sizeof ACTIONS / sizeof *ACTIONS)](self);
  }
  clReleaseMemObject(self->image);
  clReleaseMemObject(self->buffer);
  clReleaseKernel(self->gather);
  clReleaseKernel(self->scale);
  clReleaseCommandQueue(self->queue);
  free(self->now), free(self->seen);
  return NULL;
}

// Large launches that come again: with them, the server starts its threads, the one that compiles among them. How long
// that takes is no part of the time.
static void warm_up(int *numbers) {
  cl_int code;
  const size_t items = MOST / 4, local = 32;
  const int factor = 1;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, MOST, numbers, &code);
  clSetKernelArg(shared_kernel, 0, sizeof buffer, &buffer);
  clSetKernelArg(shared_kernel, 1, sizeof factor, &factor);
  clSetKernelArg(shared_kernel, 2, local * 4, NULL);
  for (int i = 0; i < 8; i++)
    clEnqueueNDRangeKernel(shared_queues[0], shared_kernel, 1, NULL, &items, &local, 0, NULL, NULL);
  clFinish(shared_queues[0]);
  clReleaseMemObject(buffer);
  sleep(1);
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 32, seconds = argc > 2 ? atoi(argv[2]) : 10;
  unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
  cl_platform_id platform;
  cl_int code = clGetPlatformIDs(1, &platform, NULL);
  if (code != CL_SUCCESS || count < 1) return printf("not ok there is no platform\n"), 1;
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  for (int i = 0; i < QUEUES; i++)
    shared_queues[i] =
        clCreateCommandQueue(context, device, i < QUEUES / 2 ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  shared_program = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &code);
  clBuildProgram(shared_program, 0, NULL, NULL, NULL, NULL);
  shared_kernel = clCreateKernel(shared_program, "scale", &code);
  int *numbers = malloc(MOST);
  for (int i = 0; i < MOST / 4; i++) numbers[i] = 3 * i;
  shared_numbers = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, MOST, numbers, &code);
  warm_up(numbers);
  struct thread *all = calloc((size_t)count, sizeof *all);
  for (int i = 0; i < count; i++)
    all[i].number = (unsigned)i, all[i].seed = (seed * 7919 + (unsigned)i * 104729) | 1,
    pthread_create(&all[i].thread, NULL, work, &all[i]);
  for (int second = 1; second <= seconds; second++) {
    sleep(1);
    if (second % 10 == 0) printf("at %d: %ld\n", second, atomic_load(&commands)), fflush(stdout);
  }
  atomic_store(&stop, true);
  for (int i = 0; i < count; i++) pthread_join(all[i].thread, NULL);
  clReleaseMemObject(shared_numbers);
  clReleaseKernel(shared_kernel);
  clReleaseProgram(shared_program);
  for (int i = 0; i < QUEUES; i++) clReleaseCommandQueue(shared_queues[i]);
  clReleaseContext(context);
  for (int i = 0; i < 5000 && atomic_load(&callbacks_done) < atomic_load(&callbacks_due); i++) usleep(2000);
  if (atomic_load(&callbacks_done) != atomic_load(&callbacks_due))
    atomic_fetch_add(&failures, 1),
        printf("not ok %ld of %ld callbacks came\n", atomic_load(&callbacks_done), atomic_load(&callbacks_due));
  printf("%s %ld actions of %d threads, %ld callbacks, %ld contexts, %ld differences\n",
      atomic_load(&failures) == 0 ? "ok" : "not ok", atomic_load(&commands), count, atomic_load(&callbacks_done),
      atomic_load(&built), atomic_load(&failures));
  free(all), free(numbers);
  return atomic_load(&failures) != 0;
}
