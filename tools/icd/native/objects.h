// SPDX-License-Identifier: Apache-2.0
// OpenCL's objects as the library keeps them: what validation needs to know, a number that the server knows them by,
// and counts.
//
// An object lives as long as the application has references to it or other objects use it; then the server is told
// once. Memory of objects is never given back to the system, so that a handle which was released can be told from a
// living one.
#ifndef MUXKIT_ICD_OBJECTS_H
#define MUXKIT_ICD_OBJECTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "generated/opencl.h"

enum object_kind {
  KIND_NONE,
  KIND_PLATFORM,
  KIND_DEVICE,
  KIND_CONTEXT,
  KIND_QUEUE,
  KIND_MEMORY,
  KIND_SAMPLER,
  KIND_PROGRAM,
  KIND_KERNEL,
  KIND_EVENT,
  KIND_COUNT
};

// What all objects begin with: loaders of OpenCL want the dispatch table first.
struct object {
  const void *dispatch;
  _Atomic uint32_t kind; // KIND_NONE: gone
  uint32_t id;
  atomic_int references; // of the application
  atomic_int uses;       // references, and objects that need this one
  struct answer *answers; // answers.h
  uint32_t answers_age;
  // Properties that it was made with, as they were given and with the 0 at their end; NULL: none were.
  cl_ulong *properties;
  size_t property_words;
};

struct _cl_platform_id {
  struct object object;
};

struct _cl_device_id {
  struct object object;
  cl_device_id parent;
  cl_ulong type;
  size_t most_work_items, most_in_dimension[3];
  cl_ulong most_allocated, local_bytes; // local_bytes: of a work-group
  size_t base_alignment;                 // of parts of buffers
  atomic_bool has_clock;                 // `clock` is known: its time of moment 0 of CLOCK_MONOTONIC, in ns
  _Atomic int64_t clock;
};

typedef void (CL_CALLBACK *notify_function)(const char *, const void *, size_t, void *);

struct _cl_context {
  struct object object;
  cl_uint device_count;
  cl_device_id *devices;
  notify_function notify;
  void *notify_data;
  uint32_t notify_callback; // what the server knows it by; 0: there is none
  atomic_uint shapes;       // of its images, that are kept
};

struct _cl_command_queue {
  struct object object;
  cl_context context;
  cl_device_id device;
  cl_ulong properties;
  // Held while a command is sent, or done here: guards the numbers of the last commands that were sent, that the server
  // was told to begin, and up to which all are known to be complete (completion.h).
  pthread_mutex_t lock;
  uint64_t sent, flushed, complete;
  // The transfer of command `moving_number`, to which others may be added while no command is sent behind it; 0: none.
  uint32_t moving;
  uint64_t moving_number;
  uint64_t serial; // no other queue has had it
};

// A command, by its queue's serial number and its number there; 0: one that is complete, or none.
struct sent_command {
  uint64_t queue, number;
};

// What is known of the application's memory that an object was made with (host_copy.h).
struct host_copy {
  size_t first, end;           // bytes that are equal in both memories
  struct sent_command made;    // once this one is complete
  struct sent_command written; // the last one that may have written the object
  bool has_writers;            // in several queues
  uint64_t age;                // commands that may have written it
};

// A region that is mapped. `bytes` is what the application was given.
struct mapping {
  uint8_t *bytes;
  cl_map_flags flags;
  struct layout {
    size_t origin[3], region[3]; // bytes, rows, slices
    size_t row_pitch, slice_pitch;
  } host;
  size_t memory_origin[3], memory_region[3]; // bytes and 1, 1 for buffers, pixels for images
  bool owned;                                // bytes are ours
  bool is_device;                            // bytes are the object's own
  struct mapping *next;
};

struct _cl_mem {
  struct object object;
  cl_context context;
  cl_mem parent;
  cl_mem_object_type type;
  cl_mem_flags flags;
  size_t size, offset;
  size_t packet_size, most_packets; // of pipes
  void *host;
  // Of images; 0 for what the type does not have.
  cl_image_format format;
  size_t element_size, width, height, depth, layers, row_pitch, slice_pitch;
  size_t device_row_pitch, device_slice_pitch; // `row_pitch` and `slice_pitch` are those of `host`, where that is
  pthread_mutex_t lock;
  struct mapping *mappings;
  struct host_copy host_copy; // of objects with `host` that are no parts
  uint32_t stamp;          // device_memory.h
  _Atomic uint64_t place;  // the stamp and the address in device memory
};

struct _cl_sampler {
  struct object object;
  cl_context context;
  cl_bool normalized;
  cl_addressing_mode addressing;
  cl_filter_mode filter;
};

enum { MOST_BINARIES = 16 };
struct _cl_program {
  struct object object;
  cl_context context;
  atomic_int kernels; // that exist of it
  _Atomic size_t binary_bytes[MOST_BINARIES]; // as the application was told; 0: it never asked
};

enum argument_kind {
  ARGUMENT_VALUE,
  ARGUMENT_BUFFER,
  ARGUMENT_LOCAL,
  ARGUMENT_IMAGE,
  ARGUMENT_SAMPLER,
  ARGUMENT_PIPE,
  ARGUMENT_POINTER
};
struct argument {
  enum argument_kind kind;
  uint32_t size; // bytes of a value, or of a pipe's packets; 0: not known
  uint32_t access; // of images: 1 read, 2 write, 3 both
  _Atomic bool set;
  _Atomic size_t local;    // bytes of local memory that were asked for
  _Atomic uint32_t memory; // the memory object's number; 0: there is none
};

struct _cl_kernel {
  struct object object;
  cl_context context;
  cl_program program;
  cl_uint argument_count;
  struct argument *arguments;
  size_t required[3], most_work_items, local_bytes; // local_bytes: of its own variables
  bool uniform; // global sizes must be multiples of local ones
  uint64_t lacking; // devices of the context, by place, that have no executable with the kernel
};

struct _cl_event {
  struct object object;
  cl_context context;
  cl_command_queue queue;
  cl_command_type type;
  atomic_int user_status; // of user events
  // Of commands (completion.h).
  uint64_t number;         // in its queue
  atomic_bool is_complete; // without an error, as far as is known
  atomic_bool is_here;     // the server has not heard of it
  atomic_bool is_timed;    // `times` are known: enqueued, submitted, begun, ended
  cl_ulong times[4];
};

// The table of entry points, for the first field of every object: that of generated/dispatch.c, or the one that tells
// of each call.
extern const void *const dispatch_table[], *const traced_table[];
extern const void *object_dispatch;

// A new object with one reference; NULL: no memory. Its number is free until the server receives it.
void *object_new(enum object_kind kind, size_t bytes);
// An object that the server made up its number for (platform, devices).
void *object_known(enum object_kind kind, size_t bytes, uint32_t id);
// The object with a number; NULL: there is none.
void *object_of(uint32_t id);
// True for a living object of the kind.
bool object_is(const void *handle, enum object_kind kind);
// Keeps what an object was made with for its queries; NULL: nothing. False: there is no memory.
bool object_keep_properties(void *handle, const void *list, size_t words);
void object_use(void *handle);
// One use more of an object that others may let go at any time; false: it is gone, or no such object.
bool object_hold(void *handle, enum object_kind kind);
// One use less. The last one notifies the server and frees the resources of the kind.
void object_drop(void *handle);
// Takes an object back that the server never heard of.
void object_forget(void *handle);
void object_retain(void *handle);
void object_release(void *handle);

// Around a fork (forks.h).
void objects_hold(void);
void objects_let_go(bool in_child);

// True for a living device of the context.
bool context_has(cl_context context, cl_device_id device);

inline static uint32_t id_of(const void *handle) { return handle == NULL ? 0 : ((const struct object *)handle)->id; }

#endif
