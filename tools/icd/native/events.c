// SPDX-License-Identifier: Apache-2.0
// Events: made by commands (commands.c) and by users.
#include <stdlib.h>

#include "callbacks.h"
#include "commands.h"
#include "completion.h"
#include "generated/operations.h"

cl_event clCreateUserEvent(cl_context context, cl_int *errcode_ret) {
  REQUIRE_OBJECT(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  cl_event event = object_new(KIND_EVENT, sizeof *event);
  REQUIRE_OBJECT(context, event != NULL, CL_OUT_OF_HOST_MEMORY, "there is no memory for the event");
  object_use(event->context = context);
  event->type = CL_COMMAND_USER;
  atomic_store(&event->user_status, CL_SUBMITTED);
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clCreateUserEvent);
  wire_u32(&writer, id_of(event));
  wire_u32(&writer, id_of(context));
  if (!connection_send(&writer)) {
    object_forget(event);
    REQUIRE_OBJECT(context, false, CL_OUT_OF_RESOURCES, "the server is gone");
  }
  if (errcode_ret != NULL) *errcode_ret = CL_SUCCESS;
  return event;
}

cl_int clSetUserEventStatus(cl_event event, cl_int execution_status) {
  REQUIRE(
      NULL, object_is(event, KIND_EVENT) && event->type == CL_COMMAND_USER, CL_INVALID_EVENT, "no user event is given");
  REQUIRE(event->context, execution_status <= CL_COMPLETE, CL_INVALID_VALUE,
      "the status is CL_COMPLETE or a negative error");
  int submitted = CL_SUBMITTED;
  REQUIRE(event->context, atomic_compare_exchange_strong(&event->user_status, &submitted, execution_status),
      CL_INVALID_OPERATION, "the status of the event is set already");
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clSetUserEventStatus);
  wire_u32(&writer, id_of(event));
  wire_u32(&writer, (uint32_t)execution_status);
  return tell_server(event->context, __func__, &writer);
}

cl_int clWaitForEvents(cl_uint num_events, const cl_event *event_list) {
  REQUIRE(NULL, num_events > 0 && event_list != NULL, CL_INVALID_VALUE, "the list of events is empty");
  for (cl_uint i = 0; i < num_events; i++)
    REQUIRE(NULL, object_is(event_list[i], KIND_EVENT), CL_INVALID_EVENT, "the list holds something that is no event");
  cl_context context = event_list[0]->context;
  for (cl_uint i = 0; i < num_events; i++)
    REQUIRE(context, event_list[i]->context == context, CL_INVALID_CONTEXT, "the events belong to several contexts");
  // The server is asked for those that are not known to be complete, all in one frame.
  cl_event *open = malloc(num_events * sizeof *open);
  REQUIRE(context, open != NULL, CL_OUT_OF_HOST_MEMORY, "there is no memory for the list");
  cl_uint count = 0;
  for (cl_uint i = 0; i < num_events; i++)
    if (!event_is_complete(event_list[i])) open[count++] = event_list[i];
  cl_int code = CL_SUCCESS;
  if (count > 0) {
    struct wire_writer writer;
    wire_begin(&writer, OPERATION_clWaitForEvents);
    wire_u32(&writer, count);
    for (cl_uint i = 0; i < count; i++) wire_u32(&writer, id_of(open[i]));
    struct reply reply;
    code = ask_server(context, __func__, &writer, &reply);
    if (code == CL_SUCCESS) {
      completions_of_events(count, open, &reply.reader);
      connection_free_reply(&reply);
      for (cl_uint i = 0; i < count; i++) event_completed(open[i]);
    }
  }
  free(open);
  return code;
}

cl_int clSetEventCallback(cl_event event, cl_int command_exec_callback_type,
    void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *), void *user_data) {
  REQUIRE(NULL, object_is(event, KIND_EVENT), CL_INVALID_EVENT, "no event is given");
  bool is_status = command_exec_callback_type == CL_SUBMITTED || command_exec_callback_type == CL_RUNNING ||
                   command_exec_callback_type == CL_COMPLETE;
  REQUIRE(event->context, pfn_notify != NULL && is_status, CL_INVALID_VALUE,
      "a function and one of CL_SUBMITTED, CL_RUNNING and CL_COMPLETE are needed");
  if (!event_make_known(event)) return refuse_lost(event->context, __func__);
  uint32_t callback =
      callback_new(CALLBACK_EVENT, (void (*)(void))pfn_notify, event, user_data, command_exec_callback_type);
  REQUIRE(event->context, callback != 0, CL_OUT_OF_HOST_MEMORY, "there is no memory for the callback");
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clSetEventCallback);
  wire_u32(&writer, id_of(event));
  wire_u32(&writer, (uint32_t)command_exec_callback_type);
  wire_u32(&writer, callback);
  cl_int code = tell_server(event->context, __func__, &writer);
  if (code != CL_SUCCESS) callback_forget(callback);
  return code;
}

cl_int clRetainEvent(cl_event event) {
  REQUIRE(NULL, object_is(event, KIND_EVENT), CL_INVALID_EVENT, "no event is given");
  object_retain(event);
  return CL_SUCCESS;
}

cl_int clReleaseEvent(cl_event event) {
  REQUIRE(NULL, object_is(event, KIND_EVENT) && atomic_load(&event->object.references) > 0, CL_INVALID_EVENT,
      "no event is given");
  object_release(event);
  return CL_SUCCESS;
}
