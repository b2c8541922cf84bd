// SPDX-License-Identifier: Apache-2.0
// A libcuda of two GPUs whose memory is that of the process and whose work is done when it is started. Kernels add 1 to
// the first word of where their first argument points. stub_fail makes the next calls of a name fail.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

typedef uint64_t u64;
typedef unsigned int u32;

static char failing[64];
static int failing_code;
static u32 called;
static u64 current;

void stub_fail(const char *name, int code) {
  strncpy(failing, name, sizeof failing - 1);
  failing_code = code;
}
u32 stub_called(void) { return called; }

static int answer(const char *name) {
  called++;
  return strcmp(name, failing) == 0 ? failing_code : 0;
}
#define ANSWER            \
  int code = answer(__func__); \
  if (code != 0) return code

static int give(u64 *out, u64 value) {
  *out = value;
  return 0;
}

int cuInit(u32 flags) { ANSWER; return 0; }
int cuDriverGetVersion(int *out) { ANSWER; *out = 12345; return 0; }
int cuDeviceGetCount(int *out) { ANSWER; *out = 2; return 0; }
int cuDeviceGet(int *out, int ordinal) { ANSWER; *out = ordinal; return 0; }
int cuDeviceGetName(char *name, int bytes, int device) { ANSWER; snprintf(name, bytes, "Stub %d", device); return 0; }
int cuDeviceGetAttribute(int *out, int attribute, int device) {
  ANSWER;
  *out = attribute == 75 ? 9 : attribute == 97 ? 232448 : 0;
  return 0;
}
int cuDeviceTotalMem_v2(u64 *out, int device) { ANSWER; return give(out, (u64)80 << 30); }
int cuDevicePrimaryCtxRetain(u64 *out, int device) { ANSWER; return give(out, 0x1000 + device); }
int cuCtxSetCurrent(u64 context) { ANSWER; current = context; return 0; }
u64 stub_current(void) { return current; }
int cuDeviceCanAccessPeer(int *out, int device, int peer) { ANSWER; *out = device != peer; return 0; }
int cuCtxEnablePeerAccess(u64 context, u32 flags) { ANSWER; return 0; }
int cuDeviceGetDefaultMemPool(u64 *out, int device) { ANSWER; return give(out, 0x2000); }
int cuMemPoolSetAttribute(u64 pool, int attribute, u64 *value) { ANSWER; return *value == ~(u64)0 ? 0 : 1; }
static u64 admitted;
int cuMemPoolSetAccess(u64 pool, const u32 *access, size_t count) {
  ANSWER;
  if (pool != 0x2000 || count != 1 || access[0] != 1 || access[2] != 3) return 1;
  admitted = current << 8 | access[1];
  return 0;
}
u64 stub_admitted(void) { return admitted; }
int cuMemAllocAsync(u64 *out, size_t bytes, u64 stream) { ANSWER; return give(out, (u64)malloc(bytes)); }
int cuMemFreeAsync(u64 address, u64 stream) { ANSWER; free((void *)address); return 0; }
int cuMemHostAlloc(u64 *out, size_t bytes, u32 flags) { ANSWER; return give(out, (u64)calloc(1, bytes)); }
int cuMemFreeHost(u64 address) { ANSWER; free((void *)address); return 0; }
int cuMemHostRegister_v2(void *memory, size_t bytes, u32 flags) { ANSWER; return 0; }
int cuMemHostUnregister(void *memory) { ANSWER; return 0; }
int cuStreamCreateWithPriority(u64 *out, u32 flags, int priority) { ANSWER; return give(out, 0x3000); }
int cuStreamDestroy_v2(u64 stream) { ANSWER; return 0; }
int cuStreamSynchronize(u64 stream) { ANSWER; return 0; }
int cuStreamWaitEvent(u64 stream, u64 event, u32 flags) { ANSWER; return 0; }
int cuEventCreate(u64 *out, u32 flags) { ANSWER; return give(out, 0x4000 + flags); }
int cuEventDestroy_v2(u64 event) { ANSWER; return 0; }
int cuEventRecord(u64 event, u64 stream) { ANSWER; return 0; }
int cuEventQuery(u64 event) { ANSWER; return 0; }
int cuEventSynchronize(u64 event) { ANSWER; return 0; }
int cuEventElapsedTime(float *out, u64 from, u64 to) { ANSWER; *out = 1.5f; return 0; }
int cuMemcpyDtoHAsync_v2(void *to, u64 from, size_t bytes, u64 stream) {
  ANSWER;
  memcpy(to, (void *)from, bytes);
  return 0;
}
int cuMemcpyHtoDAsync_v2(u64 to, void *from, size_t bytes, u64 stream) {
  ANSWER;
  memcpy((void *)to, from, bytes);
  return 0;
}
int cuMemcpyAsync(u64 to, u64 from, size_t bytes, u64 stream) {
  ANSWER;
  memcpy((void *)to, (void *)from, bytes);
  return 0;
}

// CUDA_MEMCPY3D_v2 of cuda.h.
struct side {
  size_t x, y, z, lod;
  u32 type;
  void *host;
  u64 device;
  void *array, *reserved;
  size_t pitch, height;
};
struct box {
  struct side from, to;
  size_t width, height, depth;
};
static int copy_box(const struct box *b, u32 type) {
  if (b->from.type != type || b->to.type != type) return 1;
  for (size_t z = 0; z < b->depth; z++)
    for (size_t y = 0; y < b->height; y++)
      memcpy((char *)b->to.device + (z * b->to.height + y) * b->to.pitch,
             (char *)b->from.device + (z * b->from.height + y) * b->from.pitch, b->width);
  return 0;
}
int cuMemcpy3DAsync_v2(const struct box *b, u64 stream) { ANSWER; return copy_box(b, 4); }

static int set(u64 to, size_t pitch, u32 value, u32 unit, size_t width, size_t rows) {
  for (size_t y = 0; y < rows; y++)
    for (size_t x = 0; x < width; x++) memcpy((char *)to + y * pitch + x * unit, &value, unit);
  return 0;
}
int cuMemsetD8Async(u64 to, unsigned char v, size_t n, u64 s) { ANSWER; return set(to, 0, v, 1, n, 1); }
int cuMemsetD16Async(u64 to, unsigned short v, size_t n, u64 s) { ANSWER; return set(to, 0, v, 2, n, 1); }
int cuMemsetD32Async(u64 to, u32 v, size_t n, u64 s) { ANSWER; return set(to, 0, v, 4, n, 1); }
int cuMemsetD2D8Async(u64 to, size_t p, unsigned char v, size_t w, size_t h, u64 s) {
  ANSWER;
  return set(to, p, v, 1, w, h);
}
int cuMemsetD2D16Async(u64 to, size_t p, unsigned short v, size_t w, size_t h, u64 s) {
  ANSWER;
  return set(to, p, v, 2, w, h);
}
int cuMemsetD2D32Async(u64 to, size_t p, u32 v, size_t w, size_t h, u64 s) {
  ANSWER;
  return set(to, p, v, 4, w, h);
}

static void log_to(u32 count, const int *options, void **values) {
  char *buffer = NULL;
  size_t bytes = 0;
  for (u32 i = 0; i < count; i++) {
    if (options[i] == 5) buffer = values[i];
    if (options[i] == 6) bytes = (size_t)values[i];
  }
  if (buffer != NULL) snprintf(buffer, bytes, "line 1: no such instruction");
}
int cuModuleLoadDataEx(u64 *out, const char *image, u32 count, const int *options, void **values) {
  int code = answer(__func__);
  if (code != 0 || strncmp(image, "bad", 3) == 0) {
    log_to(count, options, values);
    return code != 0 ? code : 218;
  }
  return give(out, 0x5000);
}
int cuModuleUnload(u64 module) { ANSWER; return 0; }
int cuModuleGetFunction(u64 *out, u64 module, const char *name) { ANSWER; return give(out, 0x6000); }
int cuFuncGetAttribute(int *out, int attribute, u64 f) { ANSWER; *out = attribute == 0 ? 384 : -1; return 0; }
int cuFuncSetAttribute(u64 entry, int attribute, int value) { ANSWER; return 0; }
static u32 link_count;
static const int *link_options;
static void **link_values;
static char cubin[64];
int cuLinkCreate_v2(u32 count, const int *options, void **values, u64 *out) {
  ANSWER;
  link_count = count;
  link_options = options;
  link_values = values;
  return give(out, 0x7000);
}
int cuLinkAddData_v2(u64 link, int type, const char *data, size_t bytes, const char *name, u32 n, u64 o, u64 v) {
  int code = answer(__func__);
  if (code != 0 || strncmp(data, "bad", 3) == 0) {
    log_to(link_count, link_options, link_values);
    return code != 0 ? code : 218;
  }
  snprintf(cubin, sizeof cubin, "compiled %s", data);
  return 0;
}
int cuLinkComplete(u64 link, u64 *out, size_t *bytes) {
  ANSWER;
  *out = (u64)cubin;
  *bytes = strlen(cubin);
  return 0;
}
int cuLinkDestroy(u64 link) { ANSWER; memset(cubin, 0, sizeof cubin); return 0; }

// The list of parameters has one: bytes that begin with the first argument, a pointer.
static u32 *first_argument(void **parameters) { return *(u32 **)parameters[0]; }

// CUlaunchConfig of cuda.h.
struct configuration {
  u32 grid[3], block[3], shared;
  u64 stream;
  void *attributes;
  u32 count;
};
static u64 launched_to;
u64 stub_launched_to(void) { return launched_to; }
int cuLaunchKernelEx(const struct configuration *c, u64 f, void **p, void *e) {
  ANSWER;
  if (e != NULL || c->attributes != NULL || c->count != 0) return 1;
  if (c->grid[0] * c->grid[1] * c->grid[2] * c->block[0] * c->block[1] * c->block[2] == 0) return 1;
  launched_to = c->stream;
  (*first_argument(p))++;
  return 0;
}

// Graphs: what to do, in order; CUDA_KERNEL_NODE_PARAMS and CUDA_MEMSET_NODE_PARAMS of cuda.h.
struct kernel {
  u64 f;
  u32 grid[3], block[3], shared;
  void **parameters, *extra;
};
struct memset_node {
  u64 to;
  size_t pitch;
  u32 value, unit;
  size_t width, rows;
};
struct node {
  int kind;
  u32 *word;
  struct box box;
  struct memset_node set;
};
struct graph {
  int count;
  struct node nodes[8];
};
int cuGraphCreate(u64 *out, u32 flags) { ANSWER; return give(out, (u64)calloc(1, sizeof(struct graph))); }
int cuGraphDestroy(struct graph *g) { ANSWER; free(g); return 0; }
static int add(u64 *out, struct graph *g, const u64 *after, size_t count, struct node node) {
  if (g->count == 8 || (count == 1 && after[0] != (u64)(&g->nodes[g->count - 1])) || (count == 0) != (g->count == 0))
    return 1;
  g->nodes[g->count] = node;
  return give(out, (u64)(&g->nodes[g->count++]));
}
int cuGraphAddKernelNode(u64 *out, struct graph *g, const u64 *after, size_t n, const struct kernel *k) {
  ANSWER;
  struct node node = {.kind = 0, .word = first_argument(k->parameters)};
  return add(out, g, after, n, node);
}
int cuGraphAddMemcpyNode(u64 *out, struct graph *g, const u64 *after, size_t n, const struct box *b, u64 context) {
  ANSWER;
  struct node node = {.kind = 1, .box = *b};
  return add(out, g, after, n, node);
}
int cuGraphAddMemsetNode(u64 *out, struct graph *g, const u64 *after, size_t n, const struct memset_node *m, u64 c) {
  ANSWER;
  struct node node = {.kind = 2, .set = *m};
  return add(out, g, after, n, node);
}
int cuGraphInstantiateWithFlags(u64 *out, struct graph *g, u64 flags) { ANSWER; return give(out, (u64)g); }
int cuGraphExecDestroy(struct graph *g) { ANSWER; return 0; }
int cuGraphExecKernelNodeSetParams(struct graph *g, struct node *node, const struct kernel *k) {
  ANSWER;
  node->word = first_argument(k->parameters);
  return 0;
}
int cuGraphLaunch(struct graph *g, u64 stream) {
  ANSWER;
  for (int i = 0; i < g->count; i++) {
    struct node *n = &g->nodes[i];
    if (n->kind == 0) (*n->word)++;
    else if (n->kind == 1 && copy_box(&n->box, 2) != 0) return 1;
    else if (n->kind == 2) set(n->set.to, n->set.pitch, n->set.value, n->set.unit, n->set.width, n->set.rows);
  }
  return 0;
}
int cuGetErrorName(int error, const char **name) {
  *name = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
  return 0;
}
int cuGetErrorString(int error, const char **text) { *text = error == 2 ? "out of memory" : "a failure"; return 0; }
