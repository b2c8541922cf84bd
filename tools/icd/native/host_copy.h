// SPDX-License-Identifier: Apache-2.0
// What is known of the application's memory that an object was made with (CL_MEM_USE_HOST_PTR). Its bytes are copied
// from device memory when a map begins, and back when one ends that writes: the first of these only where something may
// have been written since both were equal.
//
// An object and its parts share one account: a range of bytes that are equal in both memories once a command of a queue
// is complete, and the queue of the commands that may have written the object. A command that may write it empties the
// range. A copy fills it, where all such commands come before that copy: they were sent to the same queue, which has
// order, or are known to be complete. Of several queues nothing is concluded. All of it is counted when a command has
// been sent, so that a command of another thread is never taken for an earlier one. Cost: a lock for each command that
// may write such an object, and nothing while there are none.
#ifndef MUXKIT_ICD_HOST_COPY_H
#define MUXKIT_ICD_HOST_COPY_H

#include "objects.h"

// A new object has been made with the application's memory, whose bytes it has.
void host_copy_begin(cl_mem memory);

// Whether the application's memory has the bytes of a region, for a command of this queue.
bool host_copy_is_current(cl_mem memory, const struct mapping *mapped, cl_command_queue queue);

// How many commands that may write the object have been sent.
uint64_t host_copy_age(cl_mem memory);
// A command of the queue has been sent, and has succeeded where `is_complete`, that copies a region one way or the
// other; since before it was sent the object has this age.
void host_copy_made(
    cl_mem memory, const struct mapping *mapped, cl_command_queue queue, bool is_complete, uint64_t age);

struct writing {
  cl_command_queue queue;
  cl_mem memory;
};
void host_copy_written(const struct writing *writing);
// What the rest of the block sends to the queue may write the object.
#define WRITES(command_queue, memory) \
  __attribute__((cleanup(host_copy_written))) const struct writing writing = {command_queue, memory}

// A launch has been sent to the queue: it may write what its arguments name.
void host_copy_launched(cl_command_queue queue, cl_kernel kernel);

#endif
