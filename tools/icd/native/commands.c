// SPDX-License-Identifier: Apache-2.0
#include "commands.h"

#include "generated/operations.h"

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

cl_int command_begin(struct command *command, uint16_t operation, const char *call, cl_command_queue queue,
    cl_command_type type, bool blocking, cl_uint wait_count, const cl_event *waits, const cl_event *event) {
  if (!object_is(queue, KIND_QUEUE)) return refuse(NULL, CL_INVALID_COMMAND_QUEUE, call, "no command queue is given");
  cl_int code = check_waits(call, queue->context, wait_count, waits);
  if (code != CL_SUCCESS) return code;
  *command = (struct command){.call = call, .queue = queue};
  if (event != NULL) {
    cl_event made = object_new(KIND_EVENT, sizeof *made);
    if (made == NULL) return refuse(queue->context, CL_OUT_OF_HOST_MEMORY, call, "there is no memory for the event");
    object_use(made->context = queue->context);
    object_use(made->queue = queue);
    made->type = type;
    command->event = made;
  }
  wire_begin(&command->writer, operation);
  wire_u32(&command->writer, id_of(queue));
  wire_u32(&command->writer, id_of(command->event));
  wire_u32(&command->writer, blocking);
  wire_u32(&command->writer, wait_count);
  for (cl_uint i = 0; i < wait_count; i++) wire_u32(&command->writer, id_of(waits[i]));
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
  struct reply reply;
  bool is_sent = blocking ? connection_call(&command->writer, &reply) : connection_send(&command->writer);
  if (!is_sent) {
    if (command->event != NULL) object_forget(command->event);
    return refuse_lost(context, command->call);
  }
  if (blocking && reply.error != CL_SUCCESS) {
    if (event != NULL) *event = command->event;
    return refuse_reply(context, command->call, &reply);
  }
  if (blocking) connection_free_reply(&reply);
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
  (void)args, (void)cb_args, (void)num_mem_objects, (void)mem_list, (void)args_mem_loc, (void)event;
  REQUIRE(NULL, object_is(command_queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
  REQUIRE(command_queue->context, user_func != NULL, CL_INVALID_VALUE, "user_func is NULL");
  cl_int code = check_waits(__func__, command_queue->context, num_events_in_wait_list, event_wait_list);
  return code != CL_SUCCESS ? code
                            : refuse(command_queue->context, CL_INVALID_OPERATION, __func__,
                                  "the device runs in another process, where functions of this one do not exist");
}

// ---- queues

enum { KNOWN_PROPERTIES = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE };

// `waits`: the server checks the properties.
static cl_command_queue make_queue(const char *call, cl_context context, cl_device_id device, cl_ulong properties,
    const cl_queue_properties *list, size_t list_count, bool waits, cl_int *errcode_ret) {
  cl_command_queue queue = object_new(KIND_QUEUE, sizeof *queue);
  cl_int code = CL_OUT_OF_HOST_MEMORY;
  if (queue != NULL) {
    object_use(queue->context = context);
    object_use(queue->device = device);
    queue->properties = properties;
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
  return make_queue(__func__, context, device, bits, properties, count,
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
  return make_queue(__func__, context, device, properties, list, 2, false, errcode_ret);
}

cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue command_queue) {
  REQUIRE(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  REQUIRE(context, context_has(context, device), CL_INVALID_DEVICE, "the device does not belong to this context");
  REQUIRE(context, object_is(command_queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
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

static cl_int tell_queue(uint16_t operation, const char *call, cl_command_queue queue, bool waits) {
  REQUIRE(NULL, object_is(queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
  struct wire_writer writer;
  wire_begin(&writer, operation);
  wire_u32(&writer, id_of(queue));
  if (!waits) return tell_server(queue->context, call, &writer);
  struct reply reply;
  cl_int code = ask_server(queue->context, call, &writer, &reply);
  if (code == CL_SUCCESS) connection_free_reply(&reply);
  return code;
}

cl_int clFlush(cl_command_queue queue) { return tell_queue(OPERATION_clFlush, __func__, queue, false); }
cl_int clFinish(cl_command_queue queue) { return tell_queue(OPERATION_clFinish, __func__, queue, true); }
