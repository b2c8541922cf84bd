// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "objects.h"

#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "callbacks.h"
#include "connection.h"
#include "generated/operations.h"

// All objects by number. Objects are never freed, only taken again for one of their kind: a stale handle is then not a
// crash but an error. So many objects of a kind are let go before the first of them is taken again: a handle that was
// released is known as such meanwhile.
enum { FRESHLY_IDLE = 32 };
static struct {
  pthread_mutex_t lock;
  struct object **by_id;
  uint32_t count, capacity;
  struct object **idle[KIND_COUNT];
  struct object *fresh[KIND_COUNT][FRESHLY_IDLE]; // a ring: what was let go last is taken last
  uint32_t fresh_at[KIND_COUNT];
  uint32_t idle_count[KIND_COUNT], idle_capacity[KIND_COUNT];
} table = {.lock = PTHREAD_MUTEX_INITIALIZER, .count = 1};

const void *object_dispatch = dispatch_table;

static bool grow(struct object ***list, uint32_t *capacity, uint32_t needed) {
  if (needed <= *capacity) return true;
  uint32_t larger = *capacity == 0 ? 64 : *capacity * 2;
  while (larger < needed) larger *= 2;
  struct object **moved = realloc(*list, larger * sizeof *moved);
  if (moved == NULL) return false;
  memset(moved + *capacity, 0, (larger - *capacity) * sizeof *moved);
  *list = moved;
  *capacity = larger;
  return true;
}

static void begin(struct object *object, enum object_kind kind, uint32_t id, size_t bytes) {
  memset((uint8_t *)object + sizeof *object, 0, bytes - sizeof *object);
  object->dispatch = object_dispatch;
  object->id = id;
  atomic_store(&object->references, 1);
  atomic_store(&object->uses, 1);
  atomic_store_explicit(&object->kind, kind, memory_order_release);
}

void *object_new(enum object_kind kind, size_t bytes) {
  pthread_mutex_lock(&table.lock);
  struct object *object = NULL;
  if (table.idle_count[kind] > 0) {
    object = table.idle[kind][--table.idle_count[kind]];
  } else if (grow(&table.by_id, &table.capacity, table.count + 1)) {
    object = calloc(1, bytes);
    if (object != NULL) {
      object->id = table.count++;
      table.by_id[object->id] = object;
    }
  }
  if (object != NULL) begin(object, kind, object->id, bytes);
  pthread_mutex_unlock(&table.lock);
  return object;
}

void *object_known(enum object_kind kind, size_t bytes, uint32_t id) {
  pthread_mutex_lock(&table.lock);
  struct object *object =
      id > 0 && id < (1u << 20) && grow(&table.by_id, &table.capacity, id + 1) && table.by_id[id] == NULL
          ? calloc(1, bytes)
          : NULL;
  if (object != NULL) {
    table.by_id[id] = object;
    if (id >= table.count) table.count = id + 1;
    begin(object, kind, id, bytes);
  }
  pthread_mutex_unlock(&table.lock);
  return object;
}

void *object_of(uint32_t id) {
  pthread_mutex_lock(&table.lock);
  struct object *object = id < table.count ? table.by_id[id] : NULL;
  pthread_mutex_unlock(&table.lock);
  return object != NULL && atomic_load(&object->kind) != KIND_NONE ? object : NULL;
}

bool object_is(const void *handle, enum object_kind kind) {
  if (handle == NULL || ((uintptr_t)handle & (_Alignof(struct object) - 1)) != 0) return false;
  const struct object *object = handle;
  return object->dispatch == object_dispatch &&
         atomic_load_explicit(&object->kind, memory_order_acquire) == (uint32_t)kind;
}

bool context_has(cl_context context, cl_device_id device) {
  if (!object_is(device, KIND_DEVICE)) return false;
  for (cl_uint i = 0; i < context->device_count; i++)
    if (context->devices[i] == device) return true;
  return false;
}

bool object_keep_properties(void *handle, const void *list, size_t words) {
  struct object *object = handle;
  if (list == NULL) return true;
  object->properties = malloc(words * sizeof *object->properties);
  if (object->properties == NULL) return false;
  memcpy(object->properties, list, words * sizeof *object->properties);
  object->property_words = words;
  return true;
}

void object_use(void *handle) { atomic_fetch_add(&((struct object *)handle)->uses, 1); }

bool object_hold(void *handle, enum object_kind kind) {
  struct object *object = handle;
  int uses = atomic_load(&object->uses);
  do {
    if (uses <= 0) return false;
  } while (!atomic_compare_exchange_weak(&object->uses, &uses, uses + 1));
  if (object_is(object, kind)) return true;
  object_drop(object);
  return false;
}

static void idle(struct object *object, enum object_kind kind) {
  answers_forget(object);
  free(object->properties);
  object->properties = NULL;
  object->property_words = 0;
  pthread_mutex_lock(&table.lock);
  atomic_store_explicit(&object->kind, KIND_NONE, memory_order_release);
  struct object **place = &table.fresh[kind][table.fresh_at[kind]++ % FRESHLY_IDLE], *oldest = *place;
  *place = object;
  if (oldest != NULL && grow(&table.idle[kind], &table.idle_capacity[kind], table.idle_count[kind] + 1))
    table.idle[kind][table.idle_count[kind]++] = oldest;
  pthread_mutex_unlock(&table.lock);
}

// Gives back what the object holds besides itself.
static void empty(struct object *object, enum object_kind kind) {
  switch (kind) {
  case KIND_DEVICE: {
    cl_device_id device = (cl_device_id)object;
    if (device->parent != NULL) object_drop(device->parent);
    break;
  }
  case KIND_CONTEXT: {
    cl_context context = (cl_context)object;
    for (cl_uint i = 0; i < context->device_count; i++) object_drop(context->devices[i]);
    free(context->devices);
    callback_forget(context->notify_callback);
    break;
  }
  case KIND_QUEUE: {
    cl_command_queue queue = (cl_command_queue)object;
    pthread_mutex_destroy(&queue->lock);
    object_drop(queue->device);
    object_drop(queue->context);
    break;
  }
  case KIND_MEMORY: {
    cl_mem memory = (cl_mem)object;
    while (memory->mappings != NULL) {
      struct mapping *next = memory->mappings->next;
      if (memory->mappings->owned) free(memory->mappings->bytes);
      free(memory->mappings);
      memory->mappings = next;
    }
    pthread_mutex_destroy(&memory->lock);
    if (memory->parent != NULL) object_drop(memory->parent);
    object_drop(memory->context);
    break;
  }
  case KIND_SAMPLER: object_drop(((cl_sampler)object)->context); break;
  case KIND_PROGRAM: object_drop(((cl_program)object)->context); break;
  case KIND_KERNEL: {
    cl_kernel kernel = (cl_kernel)object;
    free(kernel->arguments);
    atomic_fetch_sub(&kernel->program->kernels, 1);
    object_drop(kernel->program);
    object_drop(kernel->context);
    break;
  }
  case KIND_EVENT: {
    cl_event event = (cl_event)object;
    if (event->queue != NULL) object_drop(event->queue);
    object_drop(event->context);
    break;
  }
  default: break;
  }
}

void object_drop(void *handle) {
  struct object *object = handle;
  if (atomic_fetch_sub(&object->uses, 1) != 1) return;
  enum object_kind kind = atomic_load(&object->kind);
  if (kind != KIND_EVENT || !atomic_load(&((cl_event)object)->is_here)) {
    struct wire_writer writer;
    wire_begin(&writer, OPERATION_RELEASE);
    wire_u32(&writer, object->id);
    connection_send(&writer);
  }
  empty(object, kind);
  idle(object, kind);
}

void object_forget(void *handle) {
  struct object *object = handle;
  enum object_kind kind = atomic_load(&object->kind);
  empty(object, kind);
  idle(object, kind);
}

void object_retain(void *handle) {
  object_use(handle);
  atomic_fetch_add(&((struct object *)handle)->references, 1);
}

void object_release(void *handle) {
  atomic_fetch_sub(&((struct object *)handle)->references, 1);
  object_drop(handle);
}

void objects_hold(void) { pthread_mutex_lock(&table.lock); }

void objects_let_go(bool in_child) {
  // Another thread may have had the lock of a memory object or a queue; what it guards is whole at any time.
  for (uint32_t id = 0; in_child && id < table.count; id++) {
    struct object *object = table.by_id[id];
    enum object_kind kind = object == NULL ? KIND_NONE : atomic_load(&object->kind);
    if (kind == KIND_MEMORY) pthread_mutex_init(&((cl_mem)object)->lock, NULL);
    if (kind == KIND_QUEUE) pthread_mutex_init(&((cl_command_queue)object)->lock, NULL);
  }
  pthread_mutex_unlock(&table.lock);
}
