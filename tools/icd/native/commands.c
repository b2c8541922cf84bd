// SPDX-License-Identifier: Apache-2.0
#include "commands.h"

#include "completion.h"
#include "generated/operations.h"
#include "transfers.h"

cl_int check_waits(const char *call, cl_context context, cl_uint wait_count, const cl_event *waits) {
  if ((waits == NULL) != (wait_count == 0))
    return refuse(context, CL_INVALID_EVENT_WAIT_LIST, call, "the wait list and its length cannot be combined");
  for (cl_uint i = 0; i < wait_count; i++) {
    if (!object_is(waits[i], KIND_EVENT))
      return refuse(
          context, CL_INVALID_EVENT_WAIT_LIST, call, "the wait list holds something that is no event, or was released");
    if (waits[i]->context != context)
      return refuse(context, CL_INVALID_CONTEXT, call, "an event of the wait list belongs to another context");
  }
  return CL_SUCCESS;
}

static cl_event new_event(cl_command_queue queue, cl_command_type type) {
  cl_event made = object_new(KIND_EVENT, sizeof *made);
  if (made == NULL) return NULL;
  object_use(made->context = queue->context);
  object_use(made->queue = queue);
  made->type = type;
  return made;
}

// Writes what the command waits for: of what is complete the server need not hear. Without a list, markers and barriers
// wait for all that is before them, so their lists stay what they are.
static void write_waits(struct wire_writer *writer, cl_command_type type, cl_uint wait_count, const cl_event *waits) {
  bool needs_list = type == CL_COMMAND_MARKER || type == CL_COMMAND_BARRIER;
  cl_uint open = 0;
  for (cl_uint i = 0; i < wait_count; i++) open += needs_list || !event_is_complete(waits[i]);
  wire_u32(writer, open);
  for (cl_uint i = 0; i < wait_count && open > 0; i++) {
    // One that was counted may be complete by now, and one that was not cannot be open again.
    if (!needs_list && event_is_complete(waits[i]) && i + open < wait_count) continue;
    event_make_known(waits[i]);
    wire_u32(writer, id_of(waits[i]));
    open--;
  }
}

cl_int command_begin(struct command *command, uint16_t operation, const char *call, cl_command_queue queue,
    cl_command_type type, bool blocking, cl_uint wait_count, const cl_event *waits, const cl_event *event) {
  if (!object_is(queue, KIND_QUEUE)) return refuse(NULL, CL_INVALID_COMMAND_QUEUE, call, "no command queue is given");
  cl_int code = check_waits(call, queue->context, wait_count, waits);
  if (code != CL_SUCCESS) return code;
  *command = (struct command){.call = call, .queue = queue};
  if (event != NULL) {
    command->event = new_event(queue, type);
    if (command->event == NULL)
      return refuse(queue->context, CL_OUT_OF_HOST_MEMORY, call, "there is no memory for the event");
  }
  wire_begin(&command->writer, operation);
  wire_u32(&command->writer, id_of(queue));
  wire_u32(&command->writer, id_of(command->event));
  wire_u32(&command->writer, blocking);
  write_waits(&command->writer, type, wait_count, waits);
  return CL_SUCCESS;
}

bool waits_are_complete(cl_command_queue queue, cl_uint wait_count, const cl_event *waits) {
  if ((waits == NULL) != (wait_count == 0)) return false;
  for (cl_uint i = 0; i < wait_count; i++)
    if (!object_is(waits[i], KIND_EVENT) || waits[i]->context != queue->context || !event_is_complete(waits[i]))
      return false;
  return true;
}

bool command_begin_here(struct command *command, const char *call, cl_command_queue queue, cl_command_type type,
    cl_uint wait_count, const cl_event *waits, const cl_event *event) {
  if (!object_is(queue, KIND_QUEUE) || !waits_are_complete(queue, wait_count, waits)) return false;
  bool is_timed = event != NULL && (queue->properties & CL_QUEUE_PROFILING_ENABLE) != 0;
  cl_ulong begun = is_timed ? device_now(queue->device) : 0;
  cl_event made = event == NULL ? NULL : new_event(queue, type);
  if ((is_timed && begun == 0) || (event != NULL && made == NULL) || !queue_hold_settled(queue)) {
    if (made != NULL) object_forget(made);
    return false;
  }
  *command = (struct command){.call = call, .queue = queue, .event = made};
  if (made == NULL) return true;
  made->number = queue->sent;
  for (int i = 0; i < 3; i++) made->times[i] = begun;
  atomic_store(&made->is_here, true);
  atomic_store(&made->is_timed, is_timed);
  return true;
}

cl_int command_end_here(struct command *command, cl_event *event) {
  pthread_mutex_unlock(&command->queue->lock);
  if (event == NULL) return CL_SUCCESS;
  if (atomic_load(&command->event->is_timed)) command->event->times[3] = device_now(command->queue->device);
  atomic_store_explicit(&command->event->is_complete, true, memory_order_release);
  *event = command->event;
  return CL_SUCCESS;
}

cl_int command_cancel(struct command *command, cl_int code, const char *why) {
  wire_end(&command->writer);
  if (command->event != NULL) object_forget(command->event);
  return refuse(command->queue->context, code, command->call, why);
}

cl_int command_end(struct command *command, bool blocking, cl_event *event) {
  cl_context context = command->queue->context;
  if (command->writer.failed)
    return command_cancel(command, CL_OUT_OF_HOST_MEMORY, "there is no memory for the command");
  cl_command_queue queue = command->queue;
  struct reply reply;
  struct waiter waiter;
  // Numbers are in the order in which the server receives the commands.
  pthread_mutex_lock(&queue->lock);
  uint64_t number = command->number = ++queue->sent;
  if (command->event != NULL) command->event->number = number;
  bool is_sent = true;
  if (blocking) connection_post(&command->writer, &waiter, &reply);
  else is_sent = connection_send(&command->writer);
  pthread_mutex_unlock(&queue->lock);
  if (blocking) is_sent = connection_await(&waiter);
  if (!is_sent) {
    if (command->event != NULL) object_forget(command->event);
    return refuse_lost(context, command->call);
  }
  if (blocking && reply.error != CL_SUCCESS) {
    if (event != NULL) *event = command->event;
    return refuse_reply(context, command->call, &reply);
  }
  if (blocking) {
    if (command->event != NULL) completions_of_events(1, &command->event, &reply.reader);
    connection_free_reply(&reply);
    if (command->event != NULL) event_completed(command->event);
    else queue_completed(queue, number);
  }
  if (event != NULL) *event = command->event;
  return CL_SUCCESS;
}

cl_int clEnqueueMarkerWithWaitList(
    cl_command_queue command_queue, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  struct command command;
  BEGIN(command, OPERATION_clEnqueueMarkerWithWaitList, command_queue, CL_COMMAND_MARKER, false);
  return command_end(&command, false, event);
}

cl_int clEnqueueBarrierWithWaitList(
    cl_command_queue command_queue, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  struct command command;
  BEGIN(command, OPERATION_clEnqueueBarrierWithWaitList, command_queue, CL_COMMAND_BARRIER, false);
  return command_end(&command, false, event);
}

cl_int clEnqueueMarker(cl_command_queue command_queue, cl_event *event) {
  REQUIRE(NULL, object_is(command_queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
  REQUIRE(command_queue->context, event != NULL, CL_INVALID_VALUE, "event is NULL");
  return clEnqueueMarkerWithWaitList(command_queue, 0, NULL, event);
}

cl_int clEnqueueBarrier(cl_command_queue command_queue) {
  return clEnqueueBarrierWithWaitList(command_queue, 0, NULL, NULL);
}

cl_int clEnqueueWaitForEvents(cl_command_queue command_queue, cl_uint num_events, const cl_event *event_list) {
  REQUIRE(NULL, object_is(command_queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
  REQUIRE(
      command_queue->context, num_events > 0 && event_list != NULL, CL_INVALID_VALUE, "the list of events is empty");
  for (cl_uint i = 0; i < num_events; i++)
    REQUIRE(command_queue->context, object_is(event_list[i], KIND_EVENT), CL_INVALID_EVENT,
        "the list holds something that is no event");
  return clEnqueueBarrierWithWaitList(command_queue, num_events, event_list, NULL);
}

cl_int clEnqueueNativeKernel(cl_command_queue command_queue, void(CL_CALLBACK *user_func)(void *), void *args,
    size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list, const void **args_mem_loc,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  (void)user_func, (void)args, (void)cb_args, (void)num_mem_objects, (void)mem_list, (void)args_mem_loc;
  (void)num_events_in_wait_list, (void)event_wait_list, (void)event;
  REQUIRE(NULL, object_is(command_queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
  return refuse(command_queue->context, CL_INVALID_OPERATION, __func__,
      "the device runs in another process, where functions of this one do not exist");
}

// ---- queues

enum { KNOWN_PROPERTIES = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE };

// `waits`: the server checks the properties. `given`: the application's own list, which queries answer.
static cl_command_queue make_queue(const char *call, cl_context context, cl_device_id device, cl_ulong properties,
    const cl_queue_properties *list, size_t list_count, const cl_queue_properties *given, bool waits,
    cl_int *errcode_ret) {
  static _Atomic uint64_t made;
  cl_command_queue queue = object_new(KIND_QUEUE, sizeof *queue);
  cl_int code = CL_OUT_OF_HOST_MEMORY;
  if (queue != NULL) {
    object_use(queue->context = context);
    object_use(queue->device = device);
    pthread_mutex_init(&queue->lock, NULL);
    queue->properties = properties;
    queue->serial = atomic_fetch_add(&made, 1) + 1;
    object_keep_properties(queue, given, list_count + 1);
    struct wire_writer writer;
    wire_begin(&writer, OPERATION_clCreateCommandQueueWithProperties);
    wire_u32(&writer, id_of(queue));
    wire_u32(&writer, id_of(context));
    wire_u32(&writer, id_of(device));
    wire_u32(&writer, (uint32_t)list_count);
    for (size_t i = 0; i < list_count; i++) wire_u64(&writer, list[i]);
    struct reply reply;
    code = waits ? ask_server(context, call, &writer, &reply) : tell_server(context, call, &writer);
    if (code != CL_SUCCESS) object_forget(queue);
    else if (waits) connection_free_reply(&reply);
  }
  if (errcode_ret != NULL) *errcode_ret = code;
  return code == CL_SUCCESS ? queue : NULL;
}

cl_command_queue clCreateCommandQueueWithProperties(
    cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *errcode_ret) {
  REQUIRE_OBJECT(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  REQUIRE_OBJECT(
      context, context_has(context, device), CL_INVALID_DEVICE, "the device does not belong to this context");
  cl_ulong bits = 0;
  size_t count = 0;
  bool is_known = true;
  for (; properties != NULL && properties[count] != 0 && count < 64; count += 2) {
    if (properties[count] == CL_QUEUE_PROPERTIES) bits = properties[count + 1];
    else is_known = false;
  }
  return make_queue(__func__, context, device, bits, properties, count, properties,
      !is_known || (bits & ~(cl_ulong)KNOWN_PROPERTIES) != 0, errcode_ret);
}

cl_command_queue clCreateCommandQueue(
    cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *errcode_ret) {
  REQUIRE_OBJECT(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  REQUIRE_OBJECT(
      context, context_has(context, device), CL_INVALID_DEVICE, "the device does not belong to this context");
  REQUIRE_OBJECT(
      context, (properties & ~(cl_ulong)KNOWN_PROPERTIES) == 0, CL_INVALID_VALUE, "these properties are not known");
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties};
  return make_queue(__func__, context, device, properties, list, 2, NULL, false, errcode_ret);
}

cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue command_queue) {
  REQUIRE(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  REQUIRE(context, context_has(context, device), CL_INVALID_DEVICE, "the device does not belong to this context");
  (void)command_queue;
  return refuse(context, CL_INVALID_OPERATION, __func__, "the device has no queues of its own");
}

cl_int clSetCommandQueueProperty(cl_command_queue command_queue, cl_command_queue_properties properties, cl_bool enable,
    cl_command_queue_properties *old_properties) {
  (void)enable, (void)old_properties;
  REQUIRE(NULL, object_is(command_queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
  REQUIRE(command_queue->context, (properties & ~(cl_ulong)KNOWN_PROPERTIES) == 0, CL_INVALID_VALUE,
      "these properties are not known");
  return refuse(
      command_queue->context, CL_INVALID_OPERATION, __func__, "properties of a queue do not change; make another one");
}

cl_int clRetainCommandQueue(cl_command_queue queue) {
  REQUIRE(NULL, object_is(queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
  object_retain(queue);
  return CL_SUCCESS;
}

cl_int clReleaseCommandQueue(cl_command_queue queue) {
  REQUIRE(NULL, object_is(queue, KIND_QUEUE) && atomic_load(&queue->object.references) > 0, CL_INVALID_COMMAND_QUEUE,
      "no command queue is given");
  cl_int code = clFlush(queue);
  object_release(queue);
  return code;
}

cl_int clFlush(cl_command_queue queue) {
  REQUIRE(NULL, object_is(queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
  struct wire_writer writer;
  cl_int code = CL_SUCCESS;
  pthread_mutex_lock(&queue->lock);
  if (connection_lost() || (queue->flushed < queue->sent && queue->complete < queue->sent)) {
    wire_begin(&writer, OPERATION_clFlush);
    wire_u32(&writer, id_of(queue));
    if (!connection_send(&writer)) code = CL_OUT_OF_RESOURCES;
    queue->flushed = queue->sent;
  }
  pthread_mutex_unlock(&queue->lock);
  return code == CL_SUCCESS ? code : refuse_lost(queue->context, __func__);
}

cl_int clFinish(cl_command_queue queue) {
  REQUIRE(NULL, object_is(queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
  struct wire_writer writer;
  struct reply reply;
  struct waiter waiter;
  pthread_mutex_lock(&queue->lock);
  uint64_t last = queue->sent;
  bool asks = connection_lost() || queue->complete < last;
  if (asks) {
    wire_begin(&writer, OPERATION_clFinish);
    wire_u32(&writer, id_of(queue));
    connection_post(&writer, &waiter, &reply);
  }
  pthread_mutex_unlock(&queue->lock);
  if (!asks) return CL_SUCCESS;
  if (!connection_await(&waiter)) return refuse_lost(queue->context, __func__);
  if (reply.error != CL_SUCCESS) return refuse_reply(queue->context, __func__, &reply);
  completions_of_queue(queue, &reply.reader);
  connection_free_reply(&reply);
  pthread_mutex_lock(&queue->lock);
  if (queue->complete < last) queue->complete = last;
  pthread_mutex_unlock(&queue->lock);
  transfers_let_objects_go();
  return CL_SUCCESS;
}
