// SPDX-License-Identifier: Apache-2.0
// Commands that move bytes between the application's memory and an object's, where both are in this process
// (device_memory.h). The server has only to say when it is time, and not even that where this process knows.
#ifndef MUXKIT_ICD_MOVES_H
#define MUXKIT_ICD_MOVES_H

#include "commands.h"

// Parameters of an enqueue.
struct enqueue {
  const char *call;
  cl_command_queue queue;
  cl_command_type type;
  bool blocking;
  cl_uint wait_count;
  const cl_event *waits;
  cl_event *event;
};
// The parameters of the call that this is in.
#define ENQUEUE(call_type, is_blocking) \
  (struct enqueue) { \
    .call = __func__, .queue = command_queue, .type = call_type, .blocking = is_blocking, \
    .wait_count = num_events_in_wait_list, .waits = event_wait_list, .event = event \
  }

// A box of bytes: where it is in the application's memory, and counted from the object's first byte.
struct move {
  cl_mem memory;
  uint8_t *bytes;
  struct layout host, device;
  bool to_device;
  bool owned; // `bytes` are ours, and freed when they are moved
};

// Moves bytes without sending them, in the calling thread or when the server says that it is time. False: nothing has
// happened, and they must be sent.
bool move_here(const struct enqueue *asked, const struct move *move, cl_int *code);
// Returns what move_here came to.
#define MOVE_HERE(type, blocking, move) \
  do { \
    const struct enqueue asked = ENQUEUE(type, blocking); \
    cl_int move_code; \
    if (move_here(&asked, move, &move_code)) return move_code; \
  } while (0)

// A command that moves nothing: it is done when all that it waits for is.
cl_int move_nothing(const struct enqueue *asked, cl_mem memory);

// Boxes of an object in device memory, counted from its first byte.
struct layout device_range(size_t offset, size_t size);
struct layout device_box(cl_mem image, const size_t *origin, const size_t *region);
// Bytes from one row of an image in device memory to the next: the rows of 1-D arrays are a slice pitch apart.
size_t device_row_step(const struct _cl_mem *image);

// Sends a command of the server with bytes of the application, which it reads into or writes from.
cl_int read_into(
    struct command *command, uint8_t *memory, const struct layout *layout, bool blocking, cl_event *event);
cl_int write_from(struct command *command, const void *memory, const struct layout *layout, bool owned, bool blocking,
    cl_event *event);

#endif
