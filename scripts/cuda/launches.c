// SPDX-License-Identifier: Apache-2.0
// What launches cost from C, for comparison: launches PTX KERNEL BYTES starts an empty kernel whose one parameter has
// so many bytes, and prints µs: of a launch among many, of a node of a graph, of a launch that is waited for.
// cc -O2 -o launches launches.c -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef uint64_t u64;
enum { LAUNCHES = 1000, ROUNDS = 21 };

static void *library;
static void check(int code, const char *what) {
  if (code == 0) return;
  fprintf(stderr, "%s: %d\n", what, code);
  exit(1);
}
#define CALL(name, parameters, ...)                                              \
  do {                                                                           \
    static int(*function) parameters;                                            \
    if (function == NULL) function = (int(*) parameters)dlsym(library, #name);   \
    if (function == NULL) check(-1, #name);                                      \
    check(function(__VA_ARGS__), #name);                                         \
  } while (0)

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}
static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static double median(double *times) {
  qsort(times, ROUNDS, sizeof(double), compare);
  return times[ROUNDS / 2];
}

int main(int count, char **words) {
  if (count != 4) return 2;
  static char text[1 << 20];
  FILE *file = fopen(words[1], "r");
  if (file == NULL || fread(text, 1, sizeof text - 1, file) == 0) return 2;
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == NULL) return 2;
  int device;
  void *context, *module, *kernel, *stream, *graph, *executable, *before = NULL;
  CALL(cuInit, (unsigned), 0);
  CALL(cuDeviceGet, (int *, int), &device, 0);
  CALL(cuDevicePrimaryCtxRetain, (void **, int), &context, device);
  CALL(cuCtxSetCurrent, (void *), context);
  CALL(cuModuleLoadData, (void **, const void *), &module, text);
  CALL(cuModuleGetFunction, (void **, void *, const char *), &kernel, module, words[2]);
  CALL(cuStreamCreate, (void **, unsigned), &stream, 1);
  void *parameters[] = {calloc(1, atoi(words[3]))};
  double times[3][ROUNDS];
#define LAUNCH                                                                                                       \
  CALL(cuLaunchKernel,                                                                                               \
       (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **),     \
       kernel, 1, 1, 1, 64, 1, 1, 0, stream, parameters, NULL)
#define FINISH CALL(cuStreamSynchronize, (void *), stream)
  // CUDA_KERNEL_NODE_PARAMS of cuda.h.
  struct {
    void *kernel;
    unsigned sizes[7];
    void **parameters, **extra;
  } node = {kernel, {1, 1, 1, 64, 1, 1, 0}, parameters, NULL};
  CALL(cuGraphCreate, (void **, unsigned), &graph, 0);
  for (int i = 0; i < LAUNCHES; i++) {
    void *made;
    CALL(cuGraphAddKernelNode, (void **, void *, void **, size_t, void *),
         &made, graph, &before, before != NULL, &node);
    before = made;
  }
  CALL(cuGraphInstantiateWithFlags, (void **, void *, u64), &executable, graph, 0);
  for (int round = 0; round < ROUNDS; round++) {
    double start = now();
    for (int i = 0; i < LAUNCHES; i++) LAUNCH;
    FINISH;
    times[0][round] = (now() - start) / LAUNCHES;
    start = now();
    CALL(cuGraphLaunch, (void *, void *), executable, stream);
    FINISH;
    times[1][round] = (now() - start) / LAUNCHES;
    start = now();
    for (int i = 0; i < 100; i++) {
      LAUNCH;
      FINISH;
    }
    times[2][round] = (now() - start) / 100;
  }
  printf("{\"launch\":%.3f,\"node\":%.3f,\"wait\":%.3f}\n", median(times[0]), median(times[1]), median(times[2]));
  return 0;
}
