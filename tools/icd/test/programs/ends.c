// SPDX-License-Identifier: Apache-2.0
// Ends in the middle of things: ends MODE. Prints `ready` when the middle is reached, and `ok WHAT` or `not ok WHAT`.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 24 << 20, THREADS = 10, SECONDS = 30 };

static int failures;
static void check(const char *name, bool holds) {
  printf("%s %s\n", holds ? "ok" : "not ok", name);
  fflush(stdout);
  failures += !holds;
}
static void say(const char *word) {
  printf("%s\n", word);
  fflush(stdout);
}

static cl_context context;
static cl_device_id device;
static cl_program program;
static cl_mem buffer;
static cl_event gate; // a user event that nobody sets
static atomic_int begun, called, registered;
static const char *SOURCE = "kernel void slow(global int *data, int rounds) { int x = get_global_id(0); for (int i = "
                            "0; i < rounds; i++) x = x * 1664525 + 1013904223; data[get_global_id(0)] = x; }";

static bool set_up(void) {
  cl_platform_id platform;
  cl_int code = clGetPlatformIDs(1, &platform, NULL);
  if (code != CL_SUCCESS) return false;
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  program = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &code);
  clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
  buffer = clCreateBuffer(context, 0, LARGE, NULL, &code);
  gate = clCreateUserEvent(context, &code);
  return code == CL_SUCCESS;
}

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *user) {
  (void)event, (void)status;
  // In the middle of a callback: it waits for commands of its own.
  if (user != NULL) clFinish(user);
  atomic_fetch_add(&called, 1);
}

static cl_event launch(cl_command_queue queue, int rounds) {
  cl_int code;
  cl_event event = NULL;
  cl_kernel kernel = clCreateKernel(program, "slow", &code);
  size_t size = 4096;
  if (kernel == NULL) return NULL;
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  clSetKernelArg(kernel, 1, sizeof rounds, &rounds);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event);
  clReleaseKernel(kernel);
  return event;
}

// What a thread does until it is told that the server is gone.
static bool commands(cl_command_queue queue, void *bytes) {
  (void)bytes;
  cl_event event = launch(queue, 20000);
  bool goes_on = event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS;
  if (event != NULL) clReleaseEvent(event);
  return goes_on;
}
static bool reads(cl_command_queue queue, void *bytes) {
  return clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, LARGE, bytes, 0, NULL, NULL) == CL_SUCCESS;
}
static bool writes(cl_command_queue queue, void *bytes) {
  return clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, LARGE, bytes, 0, NULL, NULL) == CL_SUCCESS &&
         clFinish(queue) == CL_SUCCESS;
}
static bool maps(cl_command_queue queue, void *bytes) {
  (void)bytes;
  cl_int code;
  int *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, LARGE, 0, NULL, NULL, &code);
  return mapped != NULL && clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL) == CL_SUCCESS &&
         clFinish(queue) == CL_SUCCESS;
}
static bool callbacks(cl_command_queue queue, void *bytes) {
  (void)bytes;
  cl_event event = launch(queue, 2000);
  if (event == NULL) return false;
  atomic_fetch_add(&registered, 1);
  if (clSetEventCallback(event, CL_COMPLETE, on_event, queue) != CL_SUCCESS) atomic_fetch_sub(&registered, 1);
  bool goes_on = clFinish(queue) == CL_SUCCESS;
  clReleaseEvent(event);
  return goes_on;
}
// Waits for what never comes, with a callback that never comes either.
static bool waits(cl_command_queue queue, void *bytes) {
  (void)bytes;
  cl_event marker;
  if (clEnqueueMarkerWithWaitList(queue, 1, &gate, &marker) != CL_SUCCESS) return false;
  atomic_fetch_add(&registered, 1);
  if (clSetEventCallback(marker, CL_COMPLETE, on_event, NULL) != CL_SUCCESS) atomic_fetch_sub(&registered, 1);
  atomic_fetch_add(&begun, 1);
  bool goes_on = clWaitForEvents(1, &marker) == CL_SUCCESS;
  clReleaseEvent(marker);
  return goes_on;
}
static bool builds(cl_command_queue queue, void *bytes) {
  (void)queue, (void)bytes;
  cl_int code;
  cl_program made = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &code);
  bool goes_on = made != NULL && clBuildProgram(made, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS;
  if (made != NULL) clReleaseProgram(made);
  return goes_on;
}

typedef bool (*action)(cl_command_queue, void *);
static const action ACTIONS[] = {commands, reads, writes, maps, callbacks, waits, builds};
enum { ACTION_COUNT = sizeof ACTIONS / sizeof *ACTIONS };
static atomic_bool stop;

static void *work(void *argument) {
  action act = ACTIONS[(size_t)argument % ACTION_COUNT];
  cl_int code;
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  void *bytes = calloc(1, LARGE);
  while (!atomic_load(&stop) && act(queue, bytes))
    if (act != waits) atomic_fetch_add(&begun, 1);
  free(bytes);
  clReleaseCommandQueue(queue);
  return NULL;
}

static pthread_t all[THREADS];
static void start_threads(void) {
  for (size_t i = 0; i < THREADS; i++) pthread_create(&all[i], NULL, work, (void *)i);
  for (int i = 0; i < SECONDS * 100 && atomic_load(&begun) < 2 * THREADS; i++) usleep(10000);
}
static bool join_threads(void) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += SECONDS;
  for (int i = 0; i < THREADS; i++)
    if (pthread_timedjoin_np(all[i], NULL, &limit) != 0) return false;
  return true;
}

// The server is killed by whoever started this.
static void server(void) {
  start_threads();
  say("ready");
  check("every thread that waited came back when the server was gone", join_threads());
  for (int i = 0; i < SECONDS * 100 && atomic_load(&called) < atomic_load(&registered); i++) usleep(10000);
  check("every callback of an event was called", atomic_load(&called) == atomic_load(&registered));
  cl_int code;
  check("later calls answer errors", clCreateBuffer(context, 0, 64, NULL, &code) == NULL &&
                                         code == CL_OUT_OF_RESOURCES &&
                                         clSetUserEventStatus(gate, CL_COMPLETE) == CL_OUT_OF_RESOURCES);
  clReleaseEvent(gate);
  clReleaseMemObject(buffer);
  clReleaseProgram(program);
  check("releases work", clReleaseContext(context) == CL_SUCCESS && clReleaseContext(context) == CL_INVALID_CONTEXT);
}

static bool ends_with(pid_t child, int wanted) {
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) && WEXITSTATUS(status) == wanted;
}

static int uses_opencl(void) {
  cl_int code, wrong = 0;
  int bytes[4];
  cl_uint references = 0;
  wrong += clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references, NULL) != CL_SUCCESS;
  cl_event event = clCreateUserEvent(context, &code);
  wrong += event != NULL;
  wrong +=
      clEnqueueMapBuffer((cl_command_queue)gate, buffer, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &code) != NULL;
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  wrong += queue != NULL || code != CL_OUT_OF_RESOURCES;
  wrong += clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes, &code) != NULL;
  wrong += clSetEventCallback(gate, CL_COMPLETE, on_event, NULL) == CL_SUCCESS;
  wrong += clReleaseMemObject(buffer) != CL_SUCCESS;
  return wrong;
}

// How many descriptors another program is started with, as an exit code.
static int descriptors_of_others(void) {
  pid_t child = fork();
  int status = -1;
  if (child == 0) execlp("sh", "sh", "-c", "exit $(ls /proc/self/fd | wc -l)", (char *)NULL), _exit(255);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
static int descriptors_before;

// Children of a program whose threads are busy: one that uses OpenCL, one that does not, one that becomes another
// program, one with a child of its own.
static void forks(void) {
  start_threads();
  say("ready");
  bool right[4] = {true, true, true, true};
  for (int round = 0; round < 12; round++) {
    pid_t child = fork();
    if (child == 0) alarm(SECONDS), _exit(uses_opencl());
    right[0] = right[0] && ends_with(child, 0);
    if ((child = fork()) == 0) alarm(SECONDS), exit(7);
    right[1] = right[1] && ends_with(child, 7);
    right[2] = right[2] && descriptors_before > 0 && descriptors_of_others() == descriptors_before;
    if ((child = fork()) == 0) {
      pid_t grandchild = fork();
      if (grandchild == 0) _exit(uses_opencl());
      alarm(SECONDS);
      _exit(ends_with(grandchild, 0) ? 9 : 1);
    }
    right[3] = right[3] && ends_with(child, 9);
  }
  check("a forked child that uses OpenCL gets errors", right[0]);
  check("a forked child that does not ends as it wants", right[1]);
  check("a program that a forked child becomes has none of the library's descriptors", right[2]);
  check("a grandchild gets errors", right[3]);
  atomic_store(&stop, true);
  clSetUserEventStatus(gate, CL_COMPLETE);
  check("the parent's threads went on", join_threads());
  cl_int code;
  int seven = 7, back = 0;
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof seven, &seven, 0, NULL, NULL);
  check("and so does the parent",
      clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof back, &back, 0, NULL, NULL) == CL_SUCCESS && back == 7);
}

static atomic_int signals;
static void on_signal(int number) { atomic_fetch_add(&signals, number == SIGALRM || number == SIGINT); }

// Signals whose handlers interrupt system calls, and one for the whole group of processes.
static void interrupts(void) {
  struct sigaction handle = {.sa_handler = on_signal};
  sigaction(SIGALRM, &handle, NULL);
  sigaction(SIGINT, &handle, NULL);
  struct itimerval often = {{0, 700}, {0, 700}};
  setitimer(ITIMER_REAL, &often, NULL);
  cl_int code;
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  int *from = malloc(LARGE), *to = malloc(LARGE);
  bool is_right = true;
  for (int round = 0; round < 30; round++) {
    for (int i = 0; i < LARGE / 4; i++) from[i] = i * round;
    is_right = is_right && clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, LARGE, from, 0, NULL, NULL) == CL_SUCCESS &&
               clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, LARGE, to, 0, NULL, NULL) == CL_SUCCESS &&
               memcmp(from, to, LARGE) == 0;
    if (round == 10) kill(0, SIGINT);
  }
  check("commands are right while signals interrupt", is_right && atomic_load(&signals) > 30);
  free(from), free(to);
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "early") == 0) {
    // A fork before the first call: both have servers of their own.
    pid_t child = fork();
    if (child == 0) _exit(set_up() && launch(clCreateCommandQueue(context, device, 0, NULL), 10) != NULL ? 3 : 1);
    check("a child that was forked before has OpenCL of its own", set_up() && ends_with(child, 3));
    return failures;
  }
  descriptors_before = descriptors_of_others();
  if (!set_up()) return check("there is a platform", false), 1;
  if (strcmp(mode, "server") == 0) server();
  if (strcmp(mode, "fork") == 0) forks();
  if (strcmp(mode, "interrupt") == 0) interrupts();
  if (strcmp(mode, "exit") == 0) start_threads(), say("ready"), exit(11);
  if (strcmp(mode, "return") == 0) start_threads(), say("ready");
  if (strcmp(mode, "busy") == 0) start_threads(), say("ready"), join_threads();
  return failures;
}
