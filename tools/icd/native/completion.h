// SPDX-License-Identifier: Apache-2.0
// What this process knows of the commands of its queues without asking.
//
// Commands have numbers in their queue, in the order in which they were sent. When a wait succeeds, all up to a number
// are complete: all of a queue with clFinish, and in a queue with order all before the one that was waited for. While
// all that were sent are complete, the queue is settled. Nothing need be asked of it then, and a command that only
// moves bytes between memory that this process reaches may be done here, by the calling thread.
//
// The events of such commands are known here alone, until the server needs them: then they are told to it as user
// events that are complete.
#ifndef MUXKIT_ICD_COMPLETION_H
#define MUXKIT_ICD_COMPLETION_H

#include "objects.h"
#include "wire.h"

// True for an event whose command is known to be complete, without an error.
bool event_is_complete(cl_event event);
// A wait for the event has succeeded.
void event_completed(cl_event event);
// A wait for the command with this number has succeeded; in a queue with order, those before it are complete as well.
void queue_completed(cl_command_queue queue, uint64_t number);
// Tells the server of an event that it does not know. False: the server is gone.
bool event_make_known(cl_event event);
// Takes the completions that a reply tells of: of events of this queue, or of those in a list, in its order.
void completions_of_queue(cl_command_queue queue, struct wire_reader *reader);
void completions_of_events(cl_uint count, const cl_event *events, struct wire_reader *reader);

// Whether each command of the queue waits for the one before it.
bool queue_has_order(cl_command_queue queue);
// Holds the queue if it is settled.
bool queue_hold_settled(cl_command_queue queue);
// Now on the device's clock in ns; 0: the server is gone.
cl_ulong device_now(cl_device_id device);

#endif
