// SPDX-License-Identifier: Apache-2.0
// Functions of the application that the driver calls: when, in which order, with what, and what they may call
// themselves.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int failures;

static void check(const char *what, bool holds) {
  printf("%s %s\n", holds ? "ok" : "not ok", what);
  if (!holds) failures++;
}

// Waits until a counter is at least so high, at most ten seconds.
static bool reaches(atomic_int *counter, int least) {
  for (int i = 0; i < 10000 && atomic_load(counter) < least; i++)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  return atomic_load(counter) >= least;
}

static cl_platform_id platform;
static cl_device_id device;
static const char *const SOURCE = "kernel void k(global int *data) { data[0] += 1; }";

// ---- the context's

static struct {
  pthread_mutex_t lock;
  char last[2048];
  void *user_data;
  size_t bytes;
  const void *private_info;
  pthread_t thread;
  atomic_int count;
} told = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void CL_CALLBACK on_error(const char *errinfo, const void *private_info, size_t cb, void *user_data) {
  pthread_mutex_lock(&told.lock);
  snprintf(told.last, sizeof told.last, "%s", errinfo);
  told.user_data = user_data;
  told.private_info = private_info;
  told.bytes = cb;
  told.thread = pthread_self();
  pthread_mutex_unlock(&told.lock);
  atomic_fetch_add(&told.count, 1);
}

// Says whether the context was told a sentence that begins so, since it had been told `before` times.
static bool was_told(int before, const char *beginning) {
  if (!reaches(&told.count, before + 1)) return false;
  pthread_mutex_lock(&told.lock);
  bool is_right = strncmp(told.last, beginning, strlen(beginning)) == 0;
  if (!is_right) printf("told: %s\n", told.last);
  pthread_mutex_unlock(&told.lock);
  return is_right;
}

static void notifications(void) {
  int data = 0;
  cl_context context = clCreateContext(NULL, 1, &device, on_error, &data, NULL);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
  check("a context is not told of what is right", atomic_load(&told.count) == 0);
  int before = atomic_load(&told.count);
  clCreateBuffer(context, CL_MEM_READ_WRITE, 0, NULL, NULL);
  check("it is told of what the library refuses, with call, code and reason",
      was_told(before, "clCreateBuffer: CL_INVALID_BUFFER_SIZE: a buffer has at least one byte"));
  check("with its own data, and nothing private",
      told.user_data == &data && told.private_info == NULL && told.bytes == 0);
  check("on a thread of the library", !pthread_equal(told.thread, pthread_self()));
  before = atomic_load(&told.count);
  clEnqueueCopyBuffer(queue, buffer, buffer, 0, 4, 16, 0, NULL, NULL);
  check("of commands that are refused",
      was_told(
          before, "clEnqueueCopyBuffer: CL_MEM_COPY_OVERLAP: source and target overlap; copy through another buffer"));
  const char *wrong = "kernel void k(void) { x = 1; }";
  cl_program program = clCreateProgramWithSource(context, 1, &wrong, NULL, NULL);
  before = atomic_load(&told.count);
  clBuildProgram(program, 0, NULL, "", NULL, NULL);
  check("of what the server refuses, with its sentence",
      was_told(before, "clBuildProgram: CL_BUILD_PROGRAM_FAILURE: clBuildProgram: ") &&
          strstr(told.last, "is not declared") != NULL);
  before = atomic_load(&told.count);
  clCreateKernel(program, "k", NULL);
  check("of kernels that there are not", was_told(before, "clCreateKernel: CL_INVALID_PROGRAM_EXECUTABLE: "));
  cl_event failed = clCreateUserEvent(context, NULL);
  clSetUserEventStatus(failed, -7);
  before = atomic_load(&told.count);
  cl_int word;
  cl_int code = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &word, 1, &failed, NULL);
  check("of blocking commands that fail",
      code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST &&
          was_told(before, "clEnqueueReadBuffer: CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: "));
  clReleaseEvent(failed);
  clReleaseProgram(program);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}

// ---- builds

static struct {
  atomic_int count;
  cl_program program;
  cl_build_status status;
  char log[512];
  void *user_data;
} built;

// A callback may ask what has become of the build, which waits for the server.
static void CL_CALLBACK on_built(cl_program program, void *user_data) {
  built.program = program;
  built.user_data = user_data;
  built.status = 1;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof built.status, &built.status, NULL);
  size_t bytes = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
  if (bytes <= sizeof built.log)
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof built.log, built.log, NULL);
  atomic_fetch_add(&built.count, 1);
}

static void builds(cl_context context) {
  int data = 0, before = 0;
  cl_program right = clCreateProgramWithSource(context, 1, (const char *[]){SOURCE}, NULL, NULL);
  cl_program wrong =
      clCreateProgramWithSource(context, 1, (const char *[]){"kernel void k(void) { x = 1; }"}, NULL, NULL);
  cl_int code = clBuildProgram(right, 0, NULL, "", on_built, &data);
  check("a build tells of its end", code == CL_SUCCESS && reaches(&built.count, before + 1) && built.program == right &&
                                        built.user_data == &data && built.status == CL_BUILD_SUCCESS);
  before = atomic_load(&built.count);
  code = clBuildProgram(wrong, 0, NULL, "", on_built, NULL);
  check("so does one that fails, which is no error of the call",
      code == CL_SUCCESS && reaches(&built.count, before + 1) && built.status == CL_BUILD_ERROR &&
          strstr(built.log, "is not declared") != NULL);
  before = atomic_load(&built.count);
  code = clCompileProgram(wrong, 0, NULL, "", 0, NULL, NULL, on_built, NULL);
  check("a compilation tells of its end", code == CL_SUCCESS && reaches(&built.count, before + 1) &&
                                              built.program == wrong && built.status == CL_BUILD_ERROR);
  before = atomic_load(&built.count);
  code = clBuildProgram(right, 0, NULL, "-cl-make-it-fast", on_built, NULL);
  check("what cannot begin is an error of the call", code == CL_INVALID_BUILD_OPTIONS);
  cl_program compiled = clCreateProgramWithSource(context, 1, (const char *[]){SOURCE}, NULL, NULL);
  cl_program calls = clCreateProgramWithSource(
      context, 1, (const char *[]){"int f(int); kernel void k(global int *p) { *p = f(*p); }"}, NULL, NULL);
  clCompileProgram(compiled, 0, NULL, "", 0, NULL, NULL, NULL, NULL);
  clCompileProgram(calls, 0, NULL, "", 0, NULL, NULL, NULL, NULL);
  cl_program linked = clLinkProgram(context, 0, NULL, "", 1, &compiled, on_built, NULL, &code);
  check("a linking tells of its end", code == CL_SUCCESS && reaches(&built.count, before + 1) &&
                                          built.program == linked && built.status == CL_BUILD_SUCCESS);
  before = atomic_load(&built.count);
  cl_program failed = clLinkProgram(context, 0, NULL, "", 1, &calls, on_built, NULL, &code);
  check("a program whose linking fails is there, and says why",
      failed != NULL && code == CL_LINK_PROGRAM_FAILURE && reaches(&built.count, before + 1) &&
          built.program == failed && built.status == CL_BUILD_ERROR && strstr(built.log, "f") != NULL);
  cl_kernel none = clCreateKernel(failed, "k", &code);
  check("and has no kernels", none == NULL && code != CL_SUCCESS);
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  check("each end is told once", atomic_load(&built.count) == before + 1);
  cl_program all[] = {right, wrong, compiled, calls, linked, failed};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) clReleaseProgram(all[i]);
}

// ---- events

static struct {
  pthread_mutex_t lock;
  int order[64];
  atomic_int count;
} heard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void hear(int number) {
  pthread_mutex_lock(&heard.lock);
  int at = atomic_load(&heard.count);
  if (at < 64) heard.order[at] = number;
  atomic_fetch_add(&heard.count, 1);
  pthread_mutex_unlock(&heard.lock);
}

static void CL_CALLBACK on_status(cl_event event, cl_int status, void *user_data) {
  (void)event;
  hear(user_data == NULL ? status : status * 10 + (int)(size_t)user_data);
}

static void statuses(cl_context context, cl_command_queue queue) {
  atomic_store(&heard.count, 0);
  cl_event gate = clCreateUserEvent(context, NULL), marker;
  clEnqueueMarkerWithWaitList(queue, 1, &gate, &marker);
  check("an event takes a callback for each status",
      clSetEventCallback(marker, CL_SUBMITTED, on_status, NULL) == CL_SUCCESS &&
          clSetEventCallback(marker, CL_RUNNING, on_status, NULL) == CL_SUCCESS &&
          clSetEventCallback(marker, CL_COMPLETE, on_status, NULL) == CL_SUCCESS);
  clFlush(queue);
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  bool early = false;
  for (int i = 0; i < atomic_load(&heard.count); i++) early = early || heard.order[i] <= CL_RUNNING;
  check("none of a command that waits says that it runs", !early);
  clSetUserEventStatus(gate, CL_COMPLETE);
  bool all = reaches(&heard.count, 3);
  check("each is called once, in the order of the statuses",
      all && heard.order[0] == CL_SUBMITTED && heard.order[1] == CL_RUNNING && heard.order[2] == CL_COMPLETE);
  clSetEventCallback(marker, CL_COMPLETE, on_status, NULL);
  check("one that comes late is called all the same", reaches(&heard.count, 4) && heard.order[3] == CL_COMPLETE);
  atomic_store(&heard.count, 0);
  cl_event second = clCreateUserEvent(context, NULL), failing;
  clEnqueueMarkerWithWaitList(queue, 1, &second, &failing);
  clSetEventCallback(failing, CL_COMPLETE, on_status, NULL);
  clSetEventCallback(second, CL_COMPLETE, on_status, (void *)5);
  clSetUserEventStatus(second, -42);
  all = reaches(&heard.count, 2);
  bool user = heard.order[0] == -415 || heard.order[1] == -415, other = heard.order[0] < 0 && heard.order[1] < 0;
  check("what fails is told by its error", all && user && other);
  cl_event events[] = {gate, marker, second, failing};
  for (size_t i = 0; i < 4; i++) clReleaseEvent(events[i]);
}

// ---- the end of objects

static void CL_CALLBACK on_destroyed(cl_mem memory, void *user_data) {
  (void)memory;
  hear((int)(size_t)user_data);
}

static void CL_CALLBACK on_context(cl_context context, void *user_data) {
  (void)context;
  hear((int)(size_t)user_data);
}

static void destructors(cl_context context, cl_command_queue queue) {
  atomic_store(&heard.count, 0);
  cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, NULL, NULL);
  for (size_t i = 1; i <= 3; i++) clSetMemObjectDestructorCallback(memory, on_destroyed, (void *)i);
  cl_event gate = clCreateUserEvent(context, NULL);
  clEnqueueFillBuffer(queue, memory, &(cl_int){7}, 4, 0, 64, 1, &gate, NULL);
  cl_buffer_region region = {0, 128};
  cl_mem part = clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
  clSetMemObjectDestructorCallback(part, on_destroyed, (void *)9);
  clReleaseMemObject(memory);
  clFlush(queue);
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  check("a buffer lives while a command or a part needs it", atomic_load(&heard.count) == 0);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clFinish(queue);
  clReleaseMemObject(part);
  bool all = reaches(&heard.count, 4);
  check("then its callbacks come, the last one first, after those of its part",
      all && heard.order[0] == 9 && heard.order[1] == 3 && heard.order[2] == 2 && heard.order[3] == 1);
  clReleaseEvent(gate);
  atomic_store(&heard.count, 0);
  cl_context ending = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  for (size_t i = 1; i <= 3; i++) clSetContextDestructorCallback(ending, on_context, (void *)i);
  cl_mem last = clCreateBuffer(ending, CL_MEM_READ_WRITE, 16, NULL, NULL);
  clReleaseContext(ending);
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  check("a context lives while a buffer of it does", atomic_load(&heard.count) == 0);
  clReleaseMemObject(last);
  check("then its callbacks come, the last one first",
      reaches(&heard.count, 3) && heard.order[0] == 3 && heard.order[1] == 2 && heard.order[2] == 1);
}

// ---- callbacks that call

static struct {
  cl_context context;
  cl_command_queue queue;
  cl_kernel kernel;
  cl_mem buffer, spare;
  cl_event second;
  atomic_int count;
  cl_int codes[8];
} inner;

static void CL_CALLBACK on_first(cl_event event, cl_int status, void *user_data) {
  (void)status, (void)user_data;
  size_t one = 1;
  inner.codes[0] = clEnqueueNDRangeKernel(inner.queue, inner.kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
  inner.codes[1] = clFlush(inner.queue);
  inner.codes[2] = clSetUserEventStatus(inner.second, CL_COMPLETE);
  inner.codes[3] = clReleaseMemObject(inner.spare);
  inner.codes[4] = clReleaseEvent(event);
  cl_int word = 0;
  inner.codes[5] = clEnqueueReadBuffer(inner.queue, inner.buffer, CL_TRUE, 0, 4, &word, 0, NULL, NULL);
  inner.codes[6] = clFinish(inner.queue);
  inner.codes[7] = word == 1 ? CL_SUCCESS : CL_INVALID_VALUE;
  atomic_fetch_add(&inner.count, 1);
}

static void CL_CALLBACK count_one(cl_event event, cl_int status, void *user_data) {
  (void)event;
  if (status == CL_COMPLETE) atomic_fetch_add((atomic_int *)user_data, 1);
}

static void calls_within(cl_context context) {
  inner.context = context;
  inner.queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
  cl_program program = clCreateProgramWithSource(context, 1, (const char *[]){SOURCE}, NULL, NULL);
  clBuildProgram(program, 0, NULL, "", NULL, NULL);
  inner.kernel = clCreateKernel(program, "k", NULL);
  inner.buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 4, &(cl_int){0}, NULL);
  inner.spare = clCreateBuffer(context, CL_MEM_READ_WRITE, 4, NULL, NULL);
  clSetKernelArg(inner.kernel, 0, sizeof inner.buffer, &inner.buffer);
  cl_event first = clCreateUserEvent(context, NULL), later;
  inner.second = clCreateUserEvent(context, NULL);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
  clEnqueueMarkerWithWaitList(queue, 1, &inner.second, &later);
  clRetainEvent(first);
  clSetEventCallback(first, CL_COMPLETE, on_first, NULL);
  clSetUserEventStatus(first, CL_COMPLETE);
  // This thread waits for what the callback lets go.
  check("a thread waits for what a callback sets", clFinish(queue) == CL_SUCCESS);
  bool all = reaches(&inner.count, 1);
  for (int i = 0; i < 8; i++) all = all && inner.codes[i] == CL_SUCCESS;
  check("a callback launches, flushes, sets, releases, reads and finishes", all);
  atomic_int count = 0;
  for (int i = 0; i < 2000; i++) {
    cl_event event;
    clEnqueueMarkerWithWaitList(queue, 0, NULL, &event);
    clSetEventCallback(event, CL_COMPLETE, count_one, &count);
    clReleaseEvent(event);
  }
  clFlush(queue);
  check("two thousand callbacks come, each once",
      reaches(&count, 2000) && clFinish(queue) == CL_SUCCESS && atomic_load(&count) == 2000);
  clReleaseEvent(first);
  clReleaseEvent(inner.second);
  clReleaseEvent(later);
  clReleaseMemObject(inner.buffer);
  clReleaseKernel(inner.kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseCommandQueue(inner.queue);
}

int main(void) {
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
    return 1;
  notifications();
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
  builds(context);
  statuses(context, queue);
  destructors(context, queue);
  calls_within(context);
  clReleaseCommandQueue(queue);
  check("everything is let go", clReleaseContext(context) == CL_SUCCESS);
  return failures == 0 ? 0 : 1;
}
