// SPDX-License-Identifier: Apache-2.0
// The part of C headers that is the same for all programs: structures of the kernel ABI, memory with addresses of 32
// bits, and launches. It is C11 and C++11, and needs nothing but the C library.
import {
  type AbiStruct,
  ARENA_MARGIN_BYTES,
  CANCEL_COUNTDOWN,
  DISPATCH_BYTES,
  DISPATCH_STRUCT,
  IMAGE_DESCRIPTOR_STRUCT,
  KERNEL_DONE,
  LARGEST_ALIGNMENT,
  LIVE_ITEM_MULTIPLE,
  MAX_GROUPS_PER_CALL,
  OVERREAD_BYTES,
  WORKER_BYTES,
  WORKER_STRUCT,
} from "@muxkit/kernel-abi";

const C_TYPES = { u32: "uint32_t", u64: "uint64_t", address: "uint32_t" } as const;

function structure(name: string, { fields }: AbiStruct): string {
  const lines = fields.map(({ name: field, type, count, text }) => {
    const plain = field.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
    return `  ${`${C_TYPES[type]} ${plain}${count === 1 ? "" : `[${count}]`};`.padEnd(28)} /* ${text} */`;
  });
  return `typedef struct ${name} {\n${lines.join("\n")}\n} ${name};`;
}

/** Most work-items of a group. */
const MOST_ITEMS = 1024;

/** The text. */
export const C_RUNTIME: string = `#ifndef MUXKIT_C
#define MUXKIT_C 1

#include <cpuid.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#if !defined(__x86_64__) || !defined(__linux__)
#error "these kernels are machine code for x86-64 and Linux"
#endif
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS 0x20
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0x4000
#endif
#ifdef __cplusplus
#define MUXKIT_ASSERT(condition, text) static_assert(condition, text)
#else
#define MUXKIT_ASSERT(condition, text) _Static_assert(condition, text)
#endif
#define MUXKIT_ALIGNED(bytes) __attribute__((aligned(bytes)))

/* What functions return. */
enum {
  MUXKIT_DONE = ${KERNEL_DONE},
  MUXKIT_NO_PROCESSOR = 2,
  MUXKIT_NO_MEMORY = 3,
  MUXKIT_BAD_SIZE = 4,
  MUXKIT_NOT_UNIFORM = 5 /* kernels of OpenCL C before 2.0, or of -cl-uniform-work-group-size */
};

/* A result as a sentence. */
static inline const char *muxkit_message(int result) {
  switch (result) {
    case MUXKIT_DONE: return "done";
    case MUXKIT_NO_PROCESSOR:
      return "kernels need AVX2, FMA, F16C, BMI1, BMI2, LZCNT, POPCNT, and Linux 5.9 or later";
    case MUXKIT_NO_MEMORY: return "there is no room in the memory of the kernels";
    case MUXKIT_BAD_SIZE: return "the kernel cannot run work-groups of this size";
    case MUXKIT_NOT_UNIFORM: return "the global size must be a multiple of the size of the work-groups";
    default: return "unknown result";
  }
}

${structure("muxkit_dispatch", DISPATCH_STRUCT)}

${structure("muxkit_worker", WORKER_STRUCT)}

/* An image as an argument. pixels is an address of the kernels; channel_order and channel_type are OpenCL's numbers. */
${structure("muxkit_image", IMAGE_DESCRIPTOR_STRUCT)}

MUXKIT_ASSERT(sizeof(muxkit_dispatch) == ${DISPATCH_BYTES}, "size of muxkit_dispatch");
MUXKIT_ASSERT(sizeof(muxkit_worker) == ${WORKER_BYTES}, "size of muxkit_worker");

/* A kernel's entry: runs the work-groups first to end - 1. The middle three are addresses of the kernels. */
typedef int muxkit_entry(void *base, uint32_t args, uint32_t dispatch, uint32_t worker, uint32_t first, uint32_t end);

/*
 * The memory of kernels. They know addresses of 32 bits, which count from base: 0 is a null pointer. Nothing that they
 * use lies below 4096 or in the last ${OVERREAD_BYTES} bytes, where they may read what they drop.
 *
 * muxkit_reserve reserves all 4 GiB that they can name, so that a stray access outside of it, or a write by a null
 * pointer, is a SIGSEGV and never touches other data of the program. Memory of another kind works too, by filling in
 * the fields (top at least 4096): then nothing stops stray accesses.
 */
typedef struct muxkit_memory {
  unsigned char *base;
  uint32_t bytes; /* of it, from base on */
  uint32_t top;   /* what lies above is free */
} muxkit_memory;

/* Nonzero where processor and system run the kernels. */
static inline int muxkit_runs_here(void) {
  const unsigned basic = 1u << 12 | 1u << 23 | 1u << 27 | 1u << 28 | 1u << 29; /* FMA POPCNT OSXSAVE AVX F16C */
  const unsigned more = 1u << 0 | 1u << 3 | 1u << 5 | 1u << 8; /* FSGSBASE BMI1 AVX2 BMI2 */
  unsigned a, b, c, d, low, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & basic) != basic) return 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & more) != more) return 0;
  if (!__get_cpuid(0x80000001u, &a, &b, &c, &d) || !(c & 1u << 5)) return 0; /* LZCNT */
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 6u) != 6u) return 0; /* the system keeps vector registers */
  return (getauxval(26 /* AT_HWCAP2 */) & 2u) != 0; /* and lets programs set GS */
}

/* Nonzero where they run those with vectors of 64 bytes, too. */
static inline int muxkit_runs_wide(void) {
  const unsigned wide = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31; /* AVX-512 F DQ CD BW VL */
  unsigned a, b, c, d, low, high;
  if (!muxkit_runs_here() || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & wide) != wide) return 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & 0xe6u) == 0xe6u;
}

static inline int muxkit_reserve(muxkit_memory *memory, uint32_t bytes) {
  const size_t whole = ((size_t)1 << 32) + 65536;
  void *base = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  memory->base = NULL;
  memory->bytes = 0;
  memory->top = 4096;
  if (base == MAP_FAILED) return MUXKIT_NO_MEMORY;
  bytes = bytes > UINT32_MAX - 4095 ? UINT32_MAX - 4095 : (bytes + 4095) & ~UINT32_C(4095);
  /* Kernels read the page of the null pointer where no lane is wanted. */
  if (bytes < 4096) bytes = 4096;
  if (mprotect(base, bytes, PROT_READ | PROT_WRITE) != 0 || mprotect(base, 4096, PROT_READ) != 0) {
    munmap(base, whole);
    return MUXKIT_NO_MEMORY;
  }
  memory->base = (unsigned char *)base;
  memory->bytes = bytes;
  return MUXKIT_DONE;
}

/* Gives memory of muxkit_reserve back. */
static inline void muxkit_release(muxkit_memory *memory) {
  if (memory->base != NULL) munmap(memory->base, ((size_t)1 << 32) + 65536);
  memory->base = NULL;
  memory->bytes = 0;
}

/* The address of a new block, a multiple of ${LARGEST_ALIGNMENT}; 0 where there is no room. To free: set top back. */
static inline uint32_t muxkit_allocate(muxkit_memory *memory, uint64_t bytes) {
  const uint64_t at = ((uint64_t)memory->top + ${LARGEST_ALIGNMENT - 1}) & ~UINT64_C(${LARGEST_ALIGNMENT - 1});
  if (memory->base == NULL || bytes > UINT32_MAX || at + bytes + ${OVERREAD_BYTES} > memory->bytes) return 0;
  memory->top = (uint32_t)(at + bytes);
  return (uint32_t)at;
}

/* Where an address of the kernels is for the program. */
static inline void *muxkit_pointer(const muxkit_memory *memory, uint32_t address) {
  return memory->base + address;
}

/* A program in a memory; its header has a function that loads it. */
typedef struct muxkit_program {
  muxkit_memory *memory;
  uint32_t data; /* address of the variables of the program; 0: there are none */
} muxkit_program;

typedef struct muxkit_size {
  uint32_t x, y, z;
} muxkit_size;

static inline muxkit_size muxkit_make_size(uint32_t x, uint32_t y, uint32_t z) {
  muxkit_size size;
  size.x = x;
  size.y = y;
  size.z = z;
  return size;
}

/* What is known of a kernel. */
typedef struct muxkit_kernel {
  muxkit_entry *entry;
  uint32_t packed_bytes;
  uint32_t local_bytes;   /* of its own local memory */
  uint32_t live_bytes;    /* a work-item */
  uint32_t private_bytes; /* a thread */
  uint32_t required[3];   /* the only size of its work-groups; 0: any */
  int is_uniform;         /* the global size must be a multiple of the local one */
  const uint32_t *locals; /* offsets of arguments that are local memory */
  uint32_t local_count;
} muxkit_kernel;

/* One launch: what it has taken of the memory, and its groups. */
typedef struct muxkit_launch {
  const muxkit_kernel *kernel;
  muxkit_memory *memory;
  uint32_t mark;     /* where free memory began before */
  uint32_t args;     /* addresses */
  uint32_t dispatch;
  uint32_t workers;  /* one block behind the other */
  uint32_t threads;
  uint32_t groups;   /* of the whole launch */
} muxkit_launch;

static inline uint64_t muxkit_align(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

static inline int muxkit_refuse(muxkit_launch *launch, int result) {
  launch->memory->top = launch->mark;
  return result;
}

/* Ends a launch, the latest first: its memory is free again. */
static inline void muxkit_end(muxkit_launch *launch) {
  launch->memory->top = launch->mark;
}

/* Writes all that the entry needs, for a number of threads. args has bytes of the local arguments in their places. */
static inline int muxkit_begin(muxkit_launch *launch, const muxkit_kernel *kernel, const muxkit_program *program,
                               const void *args, size_t args_bytes, muxkit_size offset, muxkit_size global,
                               muxkit_size local, uint32_t threads) {
  const uint32_t globals[3] = {global.x, global.y, global.z};
  const uint32_t locals[3] = {local.x, local.y, local.z};
  muxkit_memory *memory = program->memory;
  muxkit_dispatch *dispatch;
  uint64_t groups = 1, items = 1, at = muxkit_align(kernel->local_bytes, ${LARGEST_ALIGNMENT}), arena;
  uint32_t i;
  launch->kernel = kernel;
  launch->memory = memory;
  launch->mark = memory->top;
  launch->threads = threads;
  for (i = 0; i < 3; i++) {
    if (globals[i] == 0 || locals[i] == 0 || locals[i] > ${MOST_ITEMS}) return MUXKIT_BAD_SIZE;
    if (kernel->required[0] != 0 && locals[i] != kernel->required[i]) return MUXKIT_BAD_SIZE;
    if (kernel->is_uniform && globals[i] % locals[i] != 0) return MUXKIT_NOT_UNIFORM;
    groups *= ((uint64_t)globals[i] + locals[i] - 1) / locals[i];
    items *= locals[i];
    if (groups > ${MAX_GROUPS_PER_CALL}u || items > ${MOST_ITEMS}) return MUXKIT_BAD_SIZE;
  }
  launch->groups = (uint32_t)groups;
  launch->args = muxkit_allocate(memory, kernel->packed_bytes);
  if (launch->args == 0) return muxkit_refuse(launch, MUXKIT_NO_MEMORY);
  memset(muxkit_pointer(memory, launch->args), 0, kernel->packed_bytes);
  memcpy(muxkit_pointer(memory, launch->args), args, args_bytes);
  for (i = 0; i < kernel->local_count; i++) {
    unsigned char *place = memory->base + launch->args + kernel->locals[i];
    uint32_t bytes, own = (uint32_t)at;
    memcpy(&bytes, place, 4);
    memcpy(place, &own, 4);
    at = muxkit_align(at + bytes, ${LARGEST_ALIGNMENT});
    if (at > UINT32_MAX) return muxkit_refuse(launch, MUXKIT_NO_MEMORY);
  }
  launch->dispatch = muxkit_allocate(memory, sizeof(muxkit_dispatch));
  launch->workers = muxkit_allocate(memory, sizeof(muxkit_worker) * (uint64_t)threads);
  if (launch->dispatch == 0 || launch->workers == 0) return muxkit_refuse(launch, MUXKIT_NO_MEMORY);
  dispatch = (muxkit_dispatch *)muxkit_pointer(memory, launch->dispatch);
  memset(dispatch, 0, sizeof(*dispatch));
  dispatch->size = sizeof(*dispatch);
  dispatch->dimensions = global.z > 1 ? 3 : global.y > 1 ? 2 : 1;
  dispatch->global_offset[0] = offset.x;
  dispatch->global_offset[1] = offset.y;
  dispatch->global_offset[2] = offset.z;
  for (i = 0; i < 3; i++) {
    dispatch->global_size[i] = globals[i];
    dispatch->local_size[i] = locals[i];
    dispatch->group_count[i] = dispatch->range_count[i] = (globals[i] - 1) / locals[i] + 1;
  }
  dispatch->range_total = groups;
  dispatch->live_offset = (uint32_t)at;
  at += kernel->live_bytes * muxkit_align(items, ${LIVE_ITEM_MULTIPLE});
  dispatch->private_offset = (uint32_t)at;
  dispatch->program_data = program->data;
  arena = at + kernel->private_bytes;
  for (i = 0; i < threads; i++) {
    muxkit_worker *worker = (muxkit_worker *)muxkit_pointer(memory, launch->workers) + i;
    const uint32_t own = muxkit_allocate(memory, arena + 2 * ${ARENA_MARGIN_BYTES});
    if (own == 0) return muxkit_refuse(launch, MUXKIT_NO_MEMORY);
    memset(worker, 0, sizeof(*worker));
    worker->size = sizeof(*worker);
    worker->thread = i;
    worker->arena_base = own + ${ARENA_MARGIN_BYTES};
    worker->arena_size = (uint32_t)arena;
    worker->countdown = ${CANCEL_COUNTDOWN};
  }
  return MUXKIT_DONE;
}

/*
 * Runs the groups first to end - 1 of a launch on one of its threads; several threads may do so at once. Nothing stops
 * them in between: a program that wants to stop a launch runs it in parts.
 */
static inline int muxkit_groups(const muxkit_launch *launch, uint32_t thread, uint32_t first, uint32_t end) {
  const uint32_t worker = launch->workers + thread * (uint32_t)sizeof(muxkit_worker);
  return launch->kernel->entry(launch->memory->base, launch->args, launch->dispatch, worker, first, end);
}

#endif
`;
