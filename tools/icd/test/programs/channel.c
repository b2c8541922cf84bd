// SPDX-License-Identifier: Apache-2.0
// The channel between library and server: channel MODE. Prints `ok WHAT` or `not ok WHAT`.
//   idle   nothing is asked for eight seconds: prints the ms of processor time that the program itself took
//   large  frames that are longer than the channel, and more of them than it holds, from several threads
//   scribble SEED WRITES  while commands run, so many writes into the memory that both processes share
//   mishap WHAT  something in that memory is other than it was written
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
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
static char memory_path[64];
static uint8_t *shared_memory(size_t *length) {
  DIR *folder = opendir("/proc/self/fd");
  uint8_t *memory = NULL;
  for (struct dirent *entry; memory == NULL && (entry = readdir(folder)) != NULL;) {
    char name[64] = "";
    if (readlinkat(dirfd(folder), entry->d_name, name, sizeof name - 1) < 0) continue;
    if (strcmp(name, "/memfd:muxkit-icd (deleted)") != 0) continue;
    int file = atoi(entry->d_name);
    snprintf(memory_path, sizeof memory_path, "/proc/self/fd/%d", file);
    struct stat facts;
    check("the memory cannot shrink", ftruncate(file, 4096) != 0 && fstat(file, &facts) == 0);
    *length = (size_t)facts.st_size;
    memory = mmap(NULL, *length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  closedir(folder);
  return memory;
}

// Parts of the shared memory: the counters of transfers in its first page, and the streams at its end: the counters of
// both, then bytes.
enum { STREAM = 1 << 18, HEADS_APART = 2048 };
static uint8_t *transfers, *streams;
static uint32_t state;
static uint32_t next(void) { return state ^= state << 13, state ^= state >> 17, state ^= state << 5; }

// Writes a byte or a word somewhere: into a counter, or into what has just been put in.
static void scribble_once(void) {
  uint32_t what = next() % 8, stream = next() % 2;
  uint8_t *head = streams + stream * HEADS_APART, *data = streams + 4096 + stream * STREAM;
  uint32_t value = next() % 2 == 0 ? next() % 4 : next(), produced = *(uint32_t *)head;
  if (what == 0) streams[next() % (4096 + 2 * STREAM)] = (uint8_t)value;
  else if (what == 1) transfers[next() % 2 * 64 + next() % 8] = (uint8_t)value;
  else if (what == 2) *(uint32_t *)(head + next() % 2 * 64) += value - 2;
  else if (what == 3) head[next() % 2 * 64 + next() % 4] = (uint8_t)value;
  else if (what == 4) *(uint32_t *)(head + 128 + next() % 2 * 4) = value;
  else
    for (int i = 0; i < 400; i++) data[(produced + i % 4 - next() % 96) % STREAM] = (uint8_t)value;
}
static atomic_bool stops;
static int writes; // then no more
static void *scribble_on(void *unused) {
  (void)unused;
  usleep(next() % 20000);
  for (int i = 0; i < writes && !stops; i++) {
    scribble_once();
    if (next() % 8 == 0) usleep(200);
  }
  return NULL;
}

static void CL_CALLBACK called(cl_event event, cl_int status, void *place) {
  (void)event, (void)status;
  atomic_fetch_add((atomic_int *)place, 1);
}

// Commands of all ways until one fails.
static bool command_all(cl_command_queue queue, cl_mem buffer, int round) {
  enum { BYTES = 1 << 18 };
  static uint8_t bytes[BYTES];
  static atomic_int calls;
  int zero = 0;
  cl_event event = NULL;
  if (clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, BYTES, 0, NULL, &event) != CL_SUCCESS) return false;
  bool good = round % 3 != 0 || clSetEventCallback(event, CL_COMPLETE, called, &calls) == CL_SUCCESS;
  size_t length = round % 2 == 0 ? BYTES : 4096;
  good = good && clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, length, bytes, 1, &event, NULL) == CL_SUCCESS;
  clReleaseEvent(event);
  event = NULL;
  good = good && clEnqueueReadBuffer(queue, buffer, round % 5 == 0, 0, length, bytes, 0, NULL, &event) == CL_SUCCESS;
  if (event != NULL) clReleaseEvent(event);
  return good && clFinish(queue) == CL_SUCCESS;
}
static void scribble(size_t seed, int most) {
  cl_command_queue queue = clCreateCommandQueue(context, device, seed % 2 ? CL_QUEUE_PROFILING_ENABLE : 0, NULL);
  cl_mem buffer = clCreateBuffer(context, 0, 1 << 18, NULL, NULL);
  size_t length;
  transfers = shared_memory(&length);
  streams = transfers + length - 4096 - 2 * STREAM;
  state = (uint32_t)seed * 2654435761u | 1;
  writes = most;
  pthread_t thread;
  pthread_create(&thread, NULL, scribble_on, NULL);
  // What is answered is of no interest: it ends, one way or another.
  for (int i = 0; i < 200 && command_all(queue, buffer, i); i++) continue;
  stops = true;
  pthread_join(thread, NULL);
  check("it goes on, or ends in an error", true);
  _exit(0);
}

// The server's process: it has the same memory.
static int server_process(const char *memory) {
  struct stat own, other;
  int found = 0;
  DIR *folder = stat(memory, &own) == 0 ? opendir("/proc") : NULL;
  if (folder == NULL) return 0;
  for (struct dirent *entry; found == 0 && (entry = readdir(folder)) != NULL;) {
    char path[300];
    int id = atoi(entry->d_name);
    if (id == 0 || id == getpid()) continue;
    snprintf(path, sizeof path, "/proc/%d/fd/4", id);
    if (stat(path, &other) == 0 && other.st_ino == own.st_ino && other.st_dev == own.st_dev) found = id;
  }
  closedir(folder);
  return found;
}

static cl_int finished;
static void *finish(void *queue) {
  finished = clFinish(queue);
  return NULL;
}
// One mishap to a frame that the server has not read yet.
static void mishap(const char *what) {
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, NULL);
  int zero = 0;
  clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, 64, 0, NULL, NULL);
  check("all is well before", clFinish(queue) == CL_SUCCESS);
  size_t length;
  uint8_t *memory = shared_memory(&length);
  uint8_t *head = memory + length - 4096 - 2 * STREAM, *data = head + 4096;
  _Atomic uint32_t *produced = (_Atomic uint32_t *)head, *asleep = (_Atomic uint32_t *)(head + 128);
  int server = server_process(memory_path);
  // It sleeps in its event loop by then, and would not be rung.
  usleep(300000);
  check("the server is found", server != 0 && kill(server, SIGSTOP) == 0);
  if (strcmp(what, "asleep") == 0) *asleep = 0;
  uint32_t at = *produced;
  clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, 64, 0, NULL, NULL);
  uint32_t last = *produced;
  pthread_t thread;
  pthread_create(&thread, NULL, finish, queue);
  while (*produced == last) usleep(1000);
  if (strcmp(what, "request") == 0) memset(data + (last + 8) % STREAM, 0, 4);
  if (strcmp(what, "length") == 0) data[(last + 1) % STREAM] ^= 1;
  if (strcmp(what, "produced") == 0) *produced = at;
  kill(server, SIGCONT);
  pthread_join(thread, NULL);
  check(finished == CL_SUCCESS ? "it goes on" : "it ends in an error", true);
  _exit(failures > 0);
}

int main(int count, char **words) {
  cl_platform_id platform;
  if (count < 2 || clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 1;
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  if (strcmp(words[1], "idle") == 0) idle();
  if (strcmp(words[1], "large") == 0) large();
  if (strcmp(words[1], "mishap") == 0 && count == 3) mishap(words[2]);
  if (strcmp(words[1], "scribble") == 0 && count == 4) scribble(strtoul(words[2], NULL, 10), atoi(words[3]));
  return failures > 0;
}
