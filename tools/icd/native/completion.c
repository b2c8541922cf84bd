// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "completion.h"

#include <time.h>

#include "connection.h"
#include "generated/operations.h"
#include "refuse.h"

bool queue_has_order(cl_command_queue queue) {
  return (queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

bool event_is_complete(cl_event event) {
  return event->type == CL_COMMAND_USER ? atomic_load(&event->user_status) == CL_COMPLETE
                                        : atomic_load_explicit(&event->is_complete, memory_order_acquire);
}

void queue_completed(cl_command_queue queue, uint64_t number) {
  pthread_mutex_lock(&queue->lock);
  if (number > queue->complete && (queue_has_order(queue) || number == queue->complete + 1)) queue->complete = number;
  pthread_mutex_unlock(&queue->lock);
}

void event_completed(cl_event event) {
  if (event->type == CL_COMMAND_USER || event_is_complete(event)) return;
  atomic_store_explicit(&event->is_complete, true, memory_order_release);
  queue_completed(event->queue, event->number);
}

bool event_make_known(cl_event event) {
  if (!atomic_load(&event->is_here)) return true;
  // Nobody may name it to the server before this thread has.
  pthread_mutex_lock(&event->queue->lock);
  bool sent = true;
  if (atomic_load(&event->is_here)) {
    struct wire_writer writer;
    wire_begin(&writer, OPERATION_clCreateUserEvent);
    wire_u32(&writer, id_of(event));
    wire_u32(&writer, id_of(event->context));
    sent = connection_send(&writer);
    wire_begin(&writer, OPERATION_clSetUserEventStatus);
    wire_u32(&writer, id_of(event));
    wire_u32(&writer, CL_COMPLETE);
    sent = connection_send(&writer) && sent;
    atomic_store(&event->is_here, false);
  }
  pthread_mutex_unlock(&event->queue->lock);
  return sent;
}

// The times of an event, as the server writes them; NULL: they are of none that anybody asks for.
static void take_times(cl_event event, struct wire_reader *reader) {
  cl_ulong times[4];
  for (int i = 0; i < 4; i++) times[i] = wire_read_u64(reader);
  if (event == NULL || reader->failed || atomic_load(&event->is_timed)) return;
  for (int i = 0; i < 4; i++) event->times[i] = times[i];
  atomic_store_explicit(&event->is_timed, true, memory_order_release);
}

void completions_of_events(cl_uint count, const cl_event *events, struct wire_reader *reader) {
  if (reader->length == 0) return;
  for (cl_uint i = 0; i < count; i++)
    if (wire_read_u32(reader) != 0) take_times(events[i], reader);
}

void completions_of_queue(cl_command_queue queue, struct wire_reader *reader) {
  if (reader->length == 0) return;
  for (uint32_t count = wire_read_u32(reader); count > 0 && !reader->failed; count--) {
    cl_event event = object_of(wire_read_u32(reader));
    uint64_t number = wire_read_u64(reader);
    bool is_timed = wire_read_u32(reader) != 0;
    // Another thread may have let it go meanwhile, and its place may have been taken again.
    if (event != NULL && object_hold(event, KIND_EVENT)) {
      bool is_it = event->queue == queue && event->number == number;
      if (is_timed) take_times(is_it ? event : NULL, reader);
      if (is_it) atomic_store_explicit(&event->is_complete, true, memory_order_release);
      object_drop(event);
    } else if (is_timed) take_times(NULL, reader);
  }
}

bool queue_hold_settled(cl_command_queue queue) {
  if (connection_lost()) return false;
  pthread_mutex_lock(&queue->lock);
  if (queue->sent == queue->complete) return true;
  pthread_mutex_unlock(&queue->lock);
  return false;
}

static int64_t monotonic_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * (int64_t)1000000000 + now.tv_nsec;
}

cl_ulong device_now(cl_device_id device) {
  if (!atomic_load(&device->has_clock)) {
    struct wire_writer writer;
    struct reply reply;
    wire_begin(&writer, OPERATION_clGetDeviceAndHostTimer);
    wire_u32(&writer, id_of(device));
    if (ask_server(NULL, "clGetDeviceAndHostTimer", &writer, &reply) != CL_SUCCESS) return 0;
    cl_ulong time = wire_read_u64(&reply.reader);
    wire_read_u64(&reply.reader);
    atomic_store(&device->clock, (int64_t)(time - wire_read_u64(&reply.reader)));
    atomic_store(&device->has_clock, true);
    connection_free_reply(&reply);
  }
  return (cl_ulong)(monotonic_now() + atomic_load(&device->clock));
}
