// SPDX-License-Identifier: Apache-2.0
// What the programs in the manner of benchmark suites share: a device with one queue, arguments by a word of kinds,
// the times of steps, and the comparison with a plain loop.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// OpenCL C as it stands between the parentheses; commas and quotes need no care.
#define TEXT(...) #__VA_ARGS__

enum { MOST_STEPS = 1 << 16 };
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static double times[MOST_STEPS], step_began;
static size_t steps;

static void must(const char *what, cl_int code) {
  if (code == CL_SUCCESS) return;
  printf("not ok %s: %d\n", what, code);
  exit(1);
}

static inline cl_command_queue another_queue(void) {
  cl_int code;
  cl_command_queue made = clCreateCommandQueue(context, device, 0, &code);
  must("clCreateCommandQueue", code);
  return made;
}

// Makes the program of a source on the first device.
static void begin(const char *source) {
  cl_platform_id platform;
  cl_int code;
  must("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
  must("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  must("clCreateContext", code);
  queue = another_queue();
  program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  must("clCreateProgramWithSource", code);
  code = clBuildProgram(program, 1, &device, "", NULL, NULL);
  if (code != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    puts(log);
  }
  must("clBuildProgram", code);
}

// A buffer of so many bytes; with the bytes at `from`, or undefined ones.
static cl_mem buffer(size_t bytes, const void *from) {
  cl_int code;
  cl_mem made = clCreateBuffer(
      context, CL_MEM_READ_WRITE | (from == NULL ? 0 : CL_MEM_COPY_HOST_PTR), bytes, (void *)from, &code);
  must("clCreateBuffer", code);
  return made;
}

// Sets arguments from the first on. Kinds: b buffer, i int, f float, l bytes of local memory.
static void set_all(cl_kernel kernel, const char *kinds, va_list values) {
  for (cl_uint at = 0; kinds[at] != 0; at++) {
    cl_int code = CL_INVALID_ARG_VALUE;
    if (kinds[at] == 'b') code = clSetKernelArg(kernel, at, sizeof(cl_mem), &(cl_mem){va_arg(values, cl_mem)});
    if (kinds[at] == 'i') code = clSetKernelArg(kernel, at, sizeof(cl_int), &(cl_int){va_arg(values, int)});
    if (kinds[at] == 'f')
      code = clSetKernelArg(kernel, at, sizeof(cl_float), &(cl_float){(float)va_arg(values, double)});
    if (kinds[at] == 'l') code = clSetKernelArg(kernel, at, va_arg(values, size_t), NULL);
    must("clSetKernelArg", code);
  }
}
static inline void set(cl_kernel kernel, const char *kinds, ...) {
  va_list values;
  va_start(values, kinds);
  set_all(kernel, kinds, values);
  va_end(values);
}

// A kernel with its arguments.
static cl_kernel kernel_of(const char *name, const char *kinds, ...) {
  cl_int code;
  cl_kernel kernel = clCreateKernel(program, name, &code);
  must(name, code);
  va_list values;
  va_start(values, kinds);
  set_all(kernel, kinds, values);
  va_end(values);
  return kernel;
}

// Launches on `columns` times `rows` work-items, 0 rows for one dimension; 0 as a size of groups leaves it open.
static void launch(cl_kernel kernel, size_t columns, size_t rows, size_t group_columns, size_t group_rows) {
  const size_t global[] = {columns, rows}, local[] = {group_columns, group_rows};
  must("clEnqueueNDRangeKernel",
      clEnqueueNDRangeKernel(
          queue, kernel, rows == 0 ? 1 : 2, NULL, global, group_columns == 0 ? NULL : local, 0, NULL, NULL));
}
static inline void read_back(cl_mem from, void *to, size_t bytes) {
  must("clEnqueueReadBuffer", clEnqueueReadBuffer(queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}
static inline void write_to(cl_mem to, const void *from, size_t bytes) {
  must("clEnqueueWriteBuffer", clEnqueueWriteBuffer(queue, to, CL_TRUE, 0, bytes, from, 0, NULL, NULL));
}
static inline void finish(void) { must("clFinish", clFinish(queue)); }

static double microseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}
static void step_begins(void) { step_began = microseconds(); }
static void step_ends(void) {
  if (steps < MOST_STEPS) times[steps++] = microseconds() - step_began;
}

static void *room(size_t bytes) {
  void *memory = calloc(bytes, 1);
  if (memory == NULL) must("calloc", CL_OUT_OF_HOST_MEMORY);
  return memory;
}

static uint32_t state = 2463534242u;
static uint32_t number(void) {
  state ^= state << 13, state ^= state >> 17, state ^= state << 5;
  return state;
}
static float chance(void) { return (float)(number() >> 8) / 16777216.0f; }
static inline float *chances(size_t count) {
  float *made = room(count * sizeof *made);
  for (size_t i = 0; i < count; i++) made[i] = chance();
  return made;
}

// True when each number is within `tolerance` of the wanted one, relative to the larger of it and 1.
static inline bool are_near(const float *own, const float *wanted, size_t count, float tolerance) {
  for (size_t i = 0; i < count; i++)
    if (!(fabsf(own[i] - wanted[i]) <= tolerance * fmaxf(1, fabsf(wanted[i])))) {
      printf("at %zu of %zu: %g, not %g\n", i, count, (double)own[i], (double)wanted[i]);
      return false;
    }
  return true;
}
static inline bool are_same(const int *own, const int *wanted, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (own[i] != wanted[i]) {
      printf("at %zu of %zu: %d, not %d\n", i, count, own[i], wanted[i]);
      return false;
    }
  return true;
}

// A program: what it is called, and the size and the number of steps it has when the command line names none.
struct entry {
  const char *name;
  bool (*is_right)(int size, int count);
  int size, count;
};

static int by_time(const void *left, const void *right) {
  double distance = *(const double *)left - *(const double *)right;
  return (distance > 0) - (distance < 0);
}

static bool run_entry(const struct entry *entry, int size, int count) {
  steps = 0;
  bool is_right = entry->is_right(size, count) && steps > 0;
  printf("%s %s\n", is_right ? "ok" : "not ok", entry->name);
  if (steps == 0) return false;
  qsort(times, steps, sizeof *times, by_time);
  printf("step %.1f us, median of %zu\n", times[steps / 2], steps);
  return is_right;
}

// One NAME, or NAME SIZE COUNT as often as wanted.
static int run_suite(const struct entry *entries, size_t length, int argc, char **argv) {
  bool is_right = true, is_known = argc == 2 || (argc > 3 && argc % 3 == 1);
  for (int at = 1; at < argc && is_known; at += 3) {
    const struct entry *entry = entries;
    while (entry < entries + length && strcmp(entry->name, argv[at]) != 0) entry++;
    is_known = entry < entries + length;
    if (!is_known) break;
    bool has_sizes = argc > 2;
    is_right &= run_entry(
        entry, has_sizes ? atoi(argv[at + 1]) : entry->size, has_sizes ? atoi(argv[at + 2]) : entry->count);
  }
  if (is_known) return is_right ? 0 : 1;
  printf("usage: NAME, or NAME SIZE COUNT as often as wanted, with these names:\n");
  for (size_t i = 0; i < length; i++) printf("  %s %d %d\n", entries[i].name, entries[i].size, entries[i].count);
  return 2;
}
#define SUITE(ENTRIES) \
  int main(int argc, char **argv) { return run_suite(ENTRIES, sizeof ENTRIES / sizeof *ENTRIES, argc, argv); }
