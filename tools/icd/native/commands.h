// SPDX-License-Identifier: Apache-2.0
// What all commands of queues have in common: wait lists, events, blocking.
#ifndef MUXKIT_ICD_COMMANDS_H
#define MUXKIT_ICD_COMMANDS_H

#include "refuse.h"

// A command that is being written.
struct command {
  struct wire_writer writer;
  const char *call;
  cl_command_queue queue;
  cl_event event; // NULL: nobody asked for one
  uint64_t number; // in its queue, once it is sent
};

// Parameters of every enqueue, by their names in OpenCL.
#define WAITS num_events_in_wait_list, event_wait_list, event

// Checks queue and wait list and begins the frame: queue, event, blocking, wait list.
cl_int command_begin(struct command *command, uint16_t operation, const char *call, cl_command_queue queue,
    cl_command_type type, bool blocking, cl_uint wait_count, const cl_event *waits, const cl_event *event);
// Sends it; waits when it blocks. Gives the event out.
cl_int command_end(struct command *command, bool blocking, cl_event *event);
// A command that this process does itself, since everything before it in the queue and all that it waits for is known
// to be complete (completion.h): nobody else enqueues in the queue until its end. False: nothing has happened, and the
// command goes the usual way, which finds what is wrong with queue and wait list. Afterwards there are only
// command_end_here, which is given what the work came to, and gives a complete event out.
bool command_begin_here(struct command *command, const char *call, cl_command_queue queue, cl_command_type type,
    cl_uint wait_count, const cl_event *waits, const cl_event *event);
cl_int command_end_here(struct command *command, cl_event *event);
// Takes everything back: it was never sent.
cl_int command_cancel(struct command *command, cl_int code, const char *why);
// Whether this is a list of events of the queue's context that are all known to be complete; so is an empty one.
bool waits_are_complete(cl_command_queue queue, cl_uint wait_count, const cl_event *waits);
cl_int check_waits(const char *call, cl_context context, cl_uint wait_count, const cl_event *waits);

// Returns the error in the command's head.
#define BEGIN(command, operation, queue, type, blocking) \
  do { \
    cl_int begin_code = command_begin(&(command), operation, __func__, queue, type, blocking, WAITS); \
    if (begin_code != CL_SUCCESS) return begin_code; \
  } while (0)

#endif
