// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "harness.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

cl_platform_id platform;
cl_device_id device;
cl_context context;
cl_command_queue queue;
bool is_whole;

static struct {
  const char *area;
  unsigned done, failed;
} progress;

static sigjmp_buf *survivor;
static void crashed(int signal) {
  if (survivor == NULL) _exit(128 + signal);
  siglongjmp(*survivor, signal);
}

bool survives(void (*act)(const void *), const void *with) {
  sigjmp_buf here, *const before = survivor;
  bool is_over = sigsetjmp(here, 1) == 0;
  if (is_over) {
    survivor = &here;
    act(with);
  }
  survivor = before;
  return is_over;
}

void area(const char *name) { progress.area = name; }

static void report(bool holds, const char *why, const char *name, va_list parts) {
  progress.done++;
  progress.failed += !holds;
  printf("%s %u - %s: ", holds ? "ok" : "not ok", progress.done, progress.area);
  vprintf(name, parts);
  putchar('\n');
  if (!holds && why != NULL) printf("# %s\n", why);
  fflush(stdout);
}

void check(bool holds, const char *why, const char *name, ...) {
  va_list parts;
  va_start(parts, name);
  report(holds, why, name, parts);
  va_end(parts);
}

void check_code(cl_int found, cl_int wanted, const char *name, ...) {
  char why[64];
  snprintf(why, sizeof why, "%d, not %d", found, wanted);
  va_list parts;
  va_start(parts, name);
  report(found == wanted, why, name, parts);
  va_end(parts);
}

cl_ulong device_number(cl_device_info token) {
  cl_ulong value = 0;
  size_t length = 0;
  if (clGetDeviceInfo(device, token, 0, NULL, &length) != CL_SUCCESS || length > sizeof value) return 0;
  clGetDeviceInfo(device, token, length, &value, NULL);
  return value;
}

bool device_has(const char *extension) {
  static char names[16384];
  if (names[0] == 0) clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL);
  size_t length = strlen(extension);
  for (const char *at = names; (at = strstr(at, extension)) != NULL; at += length)
    if ((at == names || at[-1] == ' ') && (at[length] == 0 || at[length] == ' ')) return true;
  return false;
}

bool device_has_feature(const char *feature) {
  cl_name_version list[128];
  size_t length = 0;
  if (clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof list, list, &length) != CL_SUCCESS) return false;
  for (size_t i = 0; i < length / sizeof *list; i++)
    if (strncmp(list[i].name, "__opencl_c_", 11) == 0 && strcmp(list[i].name + 11, feature) == 0) return true;
  return false;
}

void text_add(struct text *text, const char *form, ...) {
  for (;;) {
    size_t room = text->capacity - text->length;
    va_list parts;
    va_start(parts, form);
    int needed = vsnprintf(text->bytes == NULL ? NULL : text->bytes + text->length, room, form, parts);
    va_end(parts);
    if ((size_t)needed < room) {
      text->length += (size_t)needed;
      return;
    }
    text->capacity = (text->capacity + (size_t)needed) * 2 + 64;
    text->bytes = realloc(text->bytes, text->capacity);
    if (text->bytes == NULL) abort();
  }
}

void text_free(struct text *text) {
  free(text->bytes);
  *text = (struct text){0};
}

cl_program build(const char *source, const char *options) {
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
  if (clBuildProgram(program, 1, &device, options, NULL, NULL) == CL_SUCCESS) return program;
  size_t length = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length);
  char *log = calloc(length + 1, 1);
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, length, log, NULL);
  fprintf(stderr, "%s\n", log);
  free(log);
  clReleaseProgram(program);
  return NULL;
}

cl_mem buffer_of(size_t bytes, const void *contents) {
  cl_mem_flags flags = CL_MEM_READ_WRITE | (contents == NULL ? 0 : CL_MEM_COPY_HOST_PTR);
  return clCreateBuffer(context, flags, bytes, (void *)contents, NULL);
}

void read_back(cl_mem buffer, size_t bytes, void *to) {
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
}

cl_int launch(cl_kernel kernel, cl_uint buffers, const cl_mem *list, size_t global, size_t local) {
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < buffers && code == CL_SUCCESS; i++)
    code = clSetKernelArg(kernel, i, sizeof list[i], &list[i]);
  if (code == CL_SUCCESS)
    code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local == 0 ? NULL : &local, 0, NULL, NULL);
  return code == CL_SUCCESS ? clFinish(queue) : code;
}

static const struct area {
  const char *name;
  void (*run)(void);
} areas[] = {{"queries", queries}, {"properties", properties}, {"sub-devices", sub_devices}, {"atomics", atomics},
    {"async-copies", async_copies}, {"vector-memory", vector_memory}, {"dimensions", dimensions}, {"images", images}};

static void run_area(const void *place) { ((const struct area *)place)->run(); }

// Words: `whole`, and names of areas; none is all of them.
int main(int count, char **words) {
  int named = 0;
  for (int i = 1; i < count; i++) {
    is_whole = is_whole || strcmp(words[i], "whole") == 0;
    named += strcmp(words[i], "whole") != 0;
  }
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
    fprintf(stderr, "there is no device\n");
    return 2;
  }
  static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  for (size_t i = 0; i < LENGTH(crashes); i++)
    sigaction(crashes[i], &(struct sigaction){.sa_handler = crashed, .sa_flags = SA_NODEFER}, NULL);
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, NULL);
  for (size_t i = 0; i < LENGTH(areas); i++) {
    bool is_asked = named == 0;
    for (int word = 1; word < count; word++) is_asked = is_asked || strcmp(words[word], areas[i].name) == 0;
    if (!is_asked) continue;
    area(areas[i].name);
    if (!survives(run_area, &areas[i])) check(false, "it crashes", "everything is checked");
  }
  printf("1..%u\n# %u failed\n", progress.done, progress.failed);
  return progress.failed > 0 ? 1 : 0;
}
