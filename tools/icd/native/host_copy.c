// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "host_copy.h"

#include "completion.h"

// Objects that were made with memory of the application, since the start.
static atomic_bool are_any;

// The object that has the account; NULL: none of its bytes are the application's.
static cl_mem account_of(cl_mem memory) {
  while (memory->parent != NULL) memory = memory->parent;
  return memory->host == NULL ? NULL : memory;
}

struct range {
  size_t first, end;
};

// The bytes of a region, counted from the whole buffer's first one. Of images only the whole one counts, as one byte.
static struct range range_of(cl_mem memory, const struct mapping *mapped) {
  const size_t *origin = mapped->memory_origin, *region = mapped->memory_region;
  if (memory->element_size == 0) {
    size_t first = memory->offset + origin[0];
    return (struct range){first, first + region[0]};
  }
  size_t rows = memory->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? memory->layers : memory->height > 0 ? memory->height : 1;
  size_t slices = memory->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? memory->layers : memory->depth > 0 ? memory->depth : 1;
  bool is_whole = region[0] == memory->width && region[1] == rows && region[2] == slices;
  return (struct range){0, is_whole};
}

static uint64_t last_sent(cl_command_queue queue) {
  pthread_mutex_lock(&queue->lock);
  uint64_t number = queue->sent;
  pthread_mutex_unlock(&queue->lock);
  return number;
}

// Whether a command comes before all that are sent to the queue from now on.
static bool is_before(struct sent_command command, cl_command_queue queue) {
  if (command.queue == 0) return true;
  if (command.queue != queue->serial) return false;
  if (queue_has_order(queue)) return true;
  pthread_mutex_lock(&queue->lock);
  bool is_complete = queue->complete >= command.number;
  pthread_mutex_unlock(&queue->lock);
  return is_complete;
}

void host_copy_begin(cl_mem memory) {
  memory->host_copy.end = memory->element_size == 0 ? memory->size : 1;
  atomic_store(&are_any, true);
}

bool host_copy_is_current(cl_mem memory, const struct mapping *mapped, cl_command_queue queue) {
  cl_mem whole = account_of(memory);
  struct range range = range_of(memory, mapped);
  if (whole == NULL || memory->host == NULL || range.first == range.end) return false;
  pthread_mutex_lock(&whole->lock);
  const struct host_copy *copy = &whole->host_copy;
  bool is_current = range.first >= copy->first && range.end <= copy->end && is_before(copy->made, queue);
  pthread_mutex_unlock(&whole->lock);
  return is_current;
}

uint64_t host_copy_age(cl_mem memory) {
  cl_mem whole = account_of(memory);
  if (whole == NULL) return 0;
  pthread_mutex_lock(&whole->lock);
  uint64_t age = whole->host_copy.age;
  pthread_mutex_unlock(&whole->lock);
  return age;
}

void host_copy_made(
    cl_mem memory, const struct mapping *mapped, cl_command_queue queue, bool is_complete, uint64_t age) {
  cl_mem whole = account_of(memory);
  struct range range = range_of(memory, mapped);
  if (whole == NULL || memory->host == NULL || range.first == range.end) return;
  struct sent_command made = {0, 0};
  if (!is_complete) made = (struct sent_command){queue->serial, last_sent(queue)};
  pthread_mutex_lock(&whole->lock);
  struct host_copy *copy = &whole->host_copy;
  if (copy->age == age && !copy->has_writers && is_before(copy->written, queue)) {
    bool touch = range.first <= copy->end && copy->first <= range.end && is_before(copy->made, queue);
    if (touch && copy->first < range.first) range.first = copy->first;
    if (touch && copy->end > range.end) range.end = copy->end;
    copy->first = range.first;
    copy->end = range.end;
    // Where a part of the range waits for a command of this queue still, so does all of it.
    if (!is_complete || !touch || copy->made.queue == 0) copy->made = made;
  }
  pthread_mutex_unlock(&whole->lock);
}

void host_copy_written(const struct writing *writing) {
  if (!atomic_load_explicit(&are_any, memory_order_relaxed)) return;
  cl_mem whole = account_of(writing->memory);
  if (whole == NULL) return;
  const struct sent_command last = {writing->queue->serial, last_sent(writing->queue)};
  pthread_mutex_lock(&whole->lock);
  struct host_copy *copy = &whole->host_copy;
  copy->age++;
  copy->first = copy->end = 0;
  copy->has_writers |= !is_before(copy->written, writing->queue);
  copy->written = last;
  pthread_mutex_unlock(&whole->lock);
}

void host_copy_launched(cl_command_queue queue, cl_kernel kernel) {
  if (!atomic_load_explicit(&are_any, memory_order_relaxed)) return;
  for (cl_uint i = 0; i < kernel->argument_count; i++) {
    const struct argument *argument = &kernel->arguments[i];
    uint32_t id = atomic_load_explicit(&argument->memory, memory_order_relaxed);
    bool reads = argument->kind == ARGUMENT_IMAGE && (argument->access & 2) == 0;
    cl_mem memory = id == 0 || reads ? NULL : object_of(id);
    // The application may have let it go since, and the number may be another object's.
    if (memory == NULL || !object_hold(memory, KIND_MEMORY)) continue;
    if ((memory->flags & CL_MEM_READ_ONLY) == 0) host_copy_written(&(struct writing){queue, memory});
    object_drop(memory);
  }
}
