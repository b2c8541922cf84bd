// SPDX-License-Identifier: Apache-2.0
// What the library knows of commands without asking. With MUXKIT_ICD_TRACE=1, standard error has a line `step NAME`
// before each step, whose cost known.test.ts compares. Prints `ok WHAT` or `not ok WHAT`.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_context context;
static cl_device_id device;
static cl_mem buffer, other;
static char bytes[4096];
static int failures;

static void check(const char *name, bool holds) {
  printf("%s %s\n", holds ? "ok" : "not ok", name);
  failures += !holds;
}
static void step(const char *name) {
  fflush(stdout);
  fprintf(stderr, "step %s\n", name);
}
static cl_command_queue new_queue(cl_command_queue_properties bits) {
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, bits, 0};
  cl_int code;
  return clCreateCommandQueueWithProperties(context, device, list, &code);
}
static cl_int status_of(cl_event event) {
  cl_int status = 77;
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
  return status;
}
// Enqueued, submitted, begun, ended, complete: in this order, with times after `since`.
static bool times_follow(cl_event event, cl_ulong since) {
  cl_ulong before = since;
  for (cl_profiling_info token = CL_PROFILING_COMMAND_QUEUED; token <= CL_PROFILING_COMMAND_COMPLETE; token++) {
    cl_ulong time = 0;
    if (clGetEventProfilingInfo(event, token, sizeof time, &time, NULL) != CL_SUCCESS || time < before) return false;
    before = time;
  }
  return before > 0;
}
static cl_int write_some(cl_command_queue queue, cl_bool blocking, cl_event *event) {
  return clEnqueueWriteBuffer(queue, buffer, blocking, 0, sizeof bytes, bytes, 0, NULL, event);
}
static cl_int copy_some(cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event) {
  return clEnqueueCopyBuffer(queue, buffer, other, 0, 0, sizeof bytes, count, waits, event);
}

// A queue with order: a wait for one command is a wait for all before it.
static void in_order(void) {
  cl_command_queue queue = new_queue(CL_QUEUE_PROFILING_ENABLE);
  cl_event events[3];
  step("finish of a queue without commands");
  check("a queue without commands is finished", clFinish(queue) == CL_SUCCESS && clFlush(queue) == CL_SUCCESS);
  write_some(queue, CL_TRUE, &events[0]);
  step("behind a blocking write");
  check("the queue is finished", clFinish(queue) == CL_SUCCESS && clFlush(queue) == CL_SUCCESS);
  check("its event is complete", clWaitForEvents(1, events) == CL_SUCCESS && status_of(events[0]) == CL_COMPLETE);
  check("its times follow one another", times_follow(events[0], 1));
  cl_ulong end;
  clGetEventProfilingInfo(events[0], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
  for (int i = 1; i < 3; i++) copy_some(queue, 0, NULL, &events[i]);
  clFinish(queue);
  step("behind clFinish");
  check("events are complete", clWaitForEvents(3, events) == CL_SUCCESS && status_of(events[1]) == CL_COMPLETE &&
                                   status_of(events[2]) == CL_COMPLETE);
  check("their times follow", times_follow(events[1], end) && times_follow(events[2], end));
  for (int i = 0; i < 3; i++) clReleaseEvent(events[i]);
  for (int i = 0; i < 2; i++) copy_some(queue, 0, NULL, &events[i]);
  clWaitForEvents(1, &events[1]);
  step("behind a wait for the last event");
  check("the queue is finished then", clFinish(queue) == CL_SUCCESS);
  step("an event before the one that was waited for");
  check("it is complete", status_of(events[0]) == CL_COMPLETE);
  for (int i = 0; i < 2; i++) clReleaseEvent(events[i]);
  for (int i = 0; i < 2; i++) copy_some(queue, 0, NULL, &events[i]);
  clWaitForEvents(1, &events[0]);
  step("behind a wait for an event that is not the last");
  check("the queue must be asked", clFinish(queue) == CL_SUCCESS);
  for (int i = 0; i < 2; i++) clReleaseEvent(events[i]);
  clReleaseCommandQueue(queue);
}

// A queue without order: only clFinish tells of all commands.
static void out_of_order(void) {
  cl_command_queue queue = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_event gate = clCreateUserEvent(context, NULL), waiting, free_one;
  copy_some(queue, 1, &gate, &waiting);
  write_some(queue, CL_TRUE, &free_one);
  check("a command that waits for an event is not complete", status_of(waiting) > CL_COMPLETE);
  step("the blocking one of a queue without order");
  check("it is complete", status_of(free_one) == CL_COMPLETE && clWaitForEvents(1, &free_one) == CL_SUCCESS);
  clSetUserEventStatus(gate, CL_COMPLETE);
  step("clFinish behind a blocking command of a queue without order");
  check("it waits for the other", clFinish(queue) == CL_SUCCESS && status_of(waiting) == CL_COMPLETE);
  step("clFinish once more");
  check("it is finished", clFinish(queue) == CL_SUCCESS);
  clReleaseEvent(gate), clReleaseEvent(waiting), clReleaseEvent(free_one);
  clReleaseCommandQueue(queue);
}

// What is complete needs no place in wait lists, but a marker without a list waits for everything.
static void wait_lists(void) {
  cl_command_queue queue = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_event gate = clCreateUserEvent(context, NULL), done, waiting, marker, copy;
  write_some(queue, CL_TRUE, &done);
  copy_some(queue, 1, &gate, &waiting);
  clEnqueueMarkerWithWaitList(queue, 1, &done, &marker);
  check("a marker waits for its list alone, complete as it is", clWaitForEvents(1, &marker) == CL_SUCCESS);
  const cl_event both[] = {done, gate};
  copy_some(queue, 2, both, &copy);
  clFlush(queue);
  check("a command waits for what is not complete of its list", status_of(copy) > CL_COMPLETE);
  clSetUserEventStatus(gate, -5);
  check("a failure behind a complete event is seen",
      clWaitForEvents(1, &copy) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && status_of(copy) < 0);
  check("and is none of another command's", status_of(done) == CL_COMPLETE && status_of(marker) == CL_COMPLETE);
  const cl_event failed[] = {done, copy};
  check("a list with both fails", clWaitForEvents(2, failed) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  clFinish(queue);
  check("clFinish makes no failed command a complete one", status_of(copy) < 0 && status_of(waiting) < 0);
  clReleaseEvent(gate), clReleaseEvent(done), clReleaseEvent(waiting), clReleaseEvent(marker), clReleaseEvent(copy);
  clReleaseCommandQueue(queue);
}

// Threads that share a queue: what each has waited for is complete, whatever the others send meanwhile.
enum { ROUNDS = 400, THREADS = 4 };
static cl_command_queue shared;
static void *share(void *place) {
  bool good = true;
  cl_mem own = clCreateBuffer(context, 0, 4096, NULL, NULL);
  for (cl_int i = 0; i < ROUNDS && good; i++) {
    cl_event event;
    cl_int read = -1, value = i * THREADS + (cl_int)(size_t)place;
    clEnqueueFillBuffer(shared, own, &value, sizeof value, 0, 4096, 0, NULL, &event);
    if (i % 3 == 0) clFinish(shared);
    else if (i % 3 == 1) clWaitForEvents(1, &event);
    good = (i % 3 == 2 || status_of(event) == CL_COMPLETE) &&
           clEnqueueReadBuffer(shared, own, CL_TRUE, 4092, 4, &read, 0, NULL, NULL) == CL_SUCCESS && read == value &&
           status_of(event) == CL_COMPLETE && times_follow(event, 1);
    clReleaseEvent(event);
  }
  clReleaseMemObject(own);
  return good ? place : NULL;
}
static void threads(void) {
  shared = new_queue(CL_QUEUE_PROFILING_ENABLE);
  pthread_t all[THREADS];
  bool good = true;
  for (size_t i = 0; i < THREADS; i++) pthread_create(&all[i], NULL, share, (void *)(i + 1));
  for (size_t i = 0; i < THREADS; i++) {
    void *end;
    pthread_join(all[i], &end);
    good = good && end != NULL;
  }
  check("threads that share a queue read what they wrote", good);
  clReleaseCommandQueue(shared);
}

int main(void) {
  cl_platform_id platform;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 1;
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_int code;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  buffer = clCreateBuffer(context, 0, sizeof bytes, NULL, &code);
  other = clCreateBuffer(context, 0, sizeof bytes, NULL, &code);
  check("the context is made", code == CL_SUCCESS);
  in_order();
  out_of_order();
  wait_lists();
  step("threads");
  threads();
  return failures > 0;
}
