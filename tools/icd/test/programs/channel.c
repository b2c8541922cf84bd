// SPDX-License-Identifier: Apache-2.0
// The channel between library and server: channel MODE. Prints `ok WHAT` or `not ok WHAT`.
//   idle      nothing is asked for eight seconds: prints the ms of processor time that the program itself took
//   large     frames that are longer than the channel, and more of them than it holds, from several threads
//   scribble  other bytes and counters in the memory that both processes share, while commands run
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static cl_context context;
static cl_device_id device;
static int failures;
static void check(const char *name, bool holds) {
  printf("%s %s\n", holds ? "ok" : "not ok", name);
  fflush(stdout);
  failures += !holds;
}

static double processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void idle(void) {
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, NULL);
  int zero = 0;
  for (int i = 0; i < 500; i++) {
    clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, 64, 0, NULL, NULL);
    clFinish(queue);
  }
  printf("idle\n");
  fflush(stdout);
  double before = processor_time();
  sleep(8);
  printf("took %.1f ms\n", processor_time() - before);
}

// Frames with much text, and many small ones before anybody waits.
enum { THREADS = 4, LONG = 3 << 20, MANY = 20000 };
static void *talk(void *place) {
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_mem buffer = clCreateBuffer(context, 0, 1 << 16, NULL, NULL);
  char *text = malloc(LONG + 1);
  memset(text, 'a' + (int)(size_t)place, LONG);
  text[LONG] = 0;
  bool good = true;
  for (int round = 0; round < 3 && good; round++) {
    const char *sources[] = {"//", text};
    cl_program program = clCreateProgramWithSource(context, 2, sources, NULL, NULL);
    good = program != NULL;
    size_t length = 0;
    clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &length);
    good = good && length == LONG + 3;
    clReleaseProgram(program);
    for (int i = 0; i < MANY / THREADS; i++)
      clEnqueueFillBuffer(queue, buffer, &i, 4, 0, 64, 0, NULL, NULL);
    static const char some[4096] = {7};
    for (int i = 0; i < 200; i++)
      clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 64, sizeof some, some, 0, NULL, NULL);
    int last = -1;
    good = good && clEnqueueReadBuffer(queue, buffer, CL_TRUE, 60, 4, &last, 0, NULL, NULL) == CL_SUCCESS &&
           last == MANY / THREADS - 1;
  }
  free(text);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  return good ? place : NULL;
}
static void large(void) {
  pthread_t all[THREADS];
  bool good = true;
  for (size_t i = 0; i < THREADS; i++) pthread_create(&all[i], NULL, talk, (void *)(i + 1));
  for (size_t i = 0; i < THREADS; i++) {
    void *end;
    pthread_join(all[i], &end);
    good = good && end != NULL;
  }
  check("long frames and many frames arrive whole", good);
}

// The memory that the library shares with its server, found by its name.
static uint8_t *shared_memory(size_t *length) {
  DIR *folder = opendir("/proc/self/fd");
  uint8_t *memory = NULL;
  for (struct dirent *entry; memory == NULL && (entry = readdir(folder)) != NULL;) {
    char name[64] = "";
    if (readlinkat(dirfd(folder), entry->d_name, name, sizeof name - 1) < 0) continue;
    if (strcmp(name, "/memfd:muxkit-icd (deleted)") != 0) continue;
    int file = atoi(entry->d_name);
    struct stat facts;
    check("the memory cannot shrink", ftruncate(file, 4096) != 0 && fstat(file, &facts) == 0);
    *length = (size_t)facts.st_size;
    memory = mmap(NULL, *length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  closedir(folder);
  return memory;
}

static atomic_bool stops;
static void *scribble_on(void *seed) {
  size_t length;
  uint8_t *memory = shared_memory(&length);
  uint32_t state = (uint32_t)(size_t)seed;
  // The streams are at the end: counters in the first page, then bytes.
  size_t streams = length - 4096 - (2u << 18);
  while (!stops) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    size_t at = state % 3 == 0 ? (state >> 8) % 256 : (state >> 8) % (length - streams);
    memory[streams + at] = (uint8_t)state;
    if (state % 64 == 0) usleep(200);
  }
  return NULL;
}
static void scribble(size_t seed) {
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_mem buffer = clCreateBuffer(context, 0, 1 << 16, NULL, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, scribble_on, (void *)seed);
  int zero = 0;
  // What is answered is of no interest: it ends, one way or another.
  for (int i = 0; i < 300; i++) {
    clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, 1 << 16, 0, NULL, NULL);
    if (clFinish(queue) != CL_SUCCESS) break;
  }
  stops = true;
  pthread_join(thread, NULL);
  check("it goes on, or ends in an error", true);
  _exit(0);
}

int main(int count, char **words) {
  cl_platform_id platform;
  if (count < 2 || clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 1;
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  if (strcmp(words[1], "idle") == 0) idle();
  if (strcmp(words[1], "large") == 0) large();
  if (strcmp(words[1], "scribble") == 0) scribble(count < 3 ? 1 : strtoul(words[2], NULL, 10));
  return failures > 0;
}
