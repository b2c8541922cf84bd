// SPDX-License-Identifier: Apache-2.0
// The server process and the two ways to it: a socket for frames, a ring in a memfd for bulk data.
//
// Whoever waits for a reply reads the socket for all: the first one takes the role of the reader, the others sleep
// until their reply is there or the role is free. A thread of the library reads while nobody waits and something may
// come by itself (callbacks, transfers that do not block).
#ifndef MUXKIT_ICD_CONNECTION_H
#define MUXKIT_ICD_CONNECTION_H

#include <pthread.h>
#include <stdatomic.h>

#include "wire.h"

// A reply: the frame's body is after `reader`, and is freed by connection_free_reply.
struct reply {
  int32_t error;
  struct wire_reader reader;
  uint8_t *frame;
};

// A thread that waits for a reply.
struct waiter {
  uint32_t request;
  atomic_bool sent;
  bool done;
  struct reply *reply;
  pthread_cond_t changed;
  struct waiter *next;
};

// What happens with frames that nobody waits for. They run in the thread that reads, without locks.
struct frame_handlers {
  void (*callback)(uint32_t callback, int32_t error, struct wire_reader *body);
  void (*transfer)(uint32_t transfer, int32_t error, struct wire_reader *body);
  void (*move)(uint32_t transfer);
  void (*place)(uint32_t memory, struct wire_reader *body);
  void (*print)(const uint8_t *text, uint32_t length);
  void (*log)(const uint8_t *text, uint32_t length);
  void (*lost)(void);
};

// Starts the server and greets it; false with one line on stderr when there is none. Later calls answer what the first
// one did.
bool connection_open(const struct frame_handlers *handlers);
// True once the server is gone, or this is a forked child of the process that opened it.
bool connection_lost(void);
// Sends a frame that nobody waits for. False: the server is gone, or the frame is too long.
bool connection_send(struct wire_writer *writer);
// Sends a frame and waits for its reply. False: the server is gone.
bool connection_call(struct wire_writer *writer, struct reply *reply);
// The two halves of it, for callers that hold a lock while they send.
void connection_post(struct wire_writer *writer, struct waiter *waiter, struct reply *reply);
bool connection_await(struct waiter *waiter);
// Takes the frames that are there, without waiting; another thread may be reading them.
void connection_read_more(void);
void connection_free_reply(struct reply *reply);
// One more, or one less, message that the server will send without a request.
void connection_expect(int difference);

// Around a fork (forks.h). The server belongs to the parent: the child has lost it.
void connection_hold(void);
void connection_let_go(bool in_child);

// The file of device memory (device_memory.h); -1: there is none.
int connection_device_file(void);

// The body of the server's greeting: kept for the objects that are known from the start.
const struct reply *connection_greeting(void);

// Tells the server that this process has moved the bytes of a transfer itself. For the thread that reads.
void connection_moved(void);

// Bulk data, called by handlers of transfers: `take` and `give` copy between the ring and the application's memory,
// piece by piece. The server works on the other end at the same time. False: the server is gone.
bool connection_ring_write(
    uint64_t total, void (*give)(void *context, uint64_t offset, uint8_t *to, size_t bytes), void *context);
bool connection_ring_read(
    uint64_t total, void (*take)(void *context, uint64_t offset, const uint8_t *from, size_t bytes), void *context);

#endif
