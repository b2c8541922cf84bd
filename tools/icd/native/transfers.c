// SPDX-License-Identifier: Apache-2.0
#include "transfers.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "device_memory.h"
#include "slots.h"
#include "stage.h"

struct transfer {
  struct slot slot;
  uint8_t *memory; // NULL: free
  struct layout layout;
  uint8_t *device; // its bytes are moved here; NULL: through the ring
  struct layout device_layout;
  int64_t stage; // its place there, of one that is staged
  unsigned flags;
  bool running;
  cl_mem held;         // kept as long as the transfer is; NULL: the server's command keeps its object
  uint32_t next, last; // transfers that were added to it: the next of its list; the first one also knows the last
};

// Nobody need read what the server sends for these alone: the caller does; or they come before all that tells of their
// end.
enum { UNEXPECTED = TRANSFER_AWAITED | TRANSFER_STAGED | TRANSFER_ADDED };

static struct {
  pthread_mutex_t lock;
  struct slots slots;
  int running;
  // Objects that transfers have held. They are let go by calls of the application: that sends frames, for which there
  // may be no room before the thread that reads has read more.
  cl_mem *let_go;
  size_t let_go_count, let_go_capacity;
} transfers = {.lock = PTHREAD_MUTEX_INITIALIZER, .slots = {.bytes = sizeof(struct transfer)}};

struct layout layout_plain(size_t bytes) {
  return (struct layout){.region = {bytes, 1, 1}, .row_pitch = bytes, .slice_pitch = bytes};
}

uint64_t layout_bytes(const struct layout *layout) {
  return (uint64_t)layout->region[0] * layout->region[1] * layout->region[2];
}

// Where in memory byte `offset` of the box is, and how many bytes lie together from there on.
static size_t place(const struct layout *layout, uint64_t offset, size_t bytes, size_t *together) {
  size_t width = layout->region[0];
  bool rows_touch = layout->row_pitch == width || layout->region[1] == 1;
  bool slices_touch = layout->region[2] == 1 || layout->slice_pitch == width * layout->region[1];
  uint64_t row = offset / width, column = offset % width;
  uint64_t slice = row / layout->region[1];
  row %= layout->region[1];
  uint64_t left = width - column;
  if (rows_touch) left = (uint64_t)width * layout->region[1] - row * width - column;
  if (rows_touch && slices_touch) left = layout_bytes(layout) - offset;
  *together = left < bytes ? (size_t)left : bytes;
  return (layout->origin[2] + slice) * layout->slice_pitch + (layout->origin[1] + row) * layout->row_pitch +
         layout->origin[0] + column;
}

void layout_gather(const struct layout *layout, const uint8_t *memory, uint64_t offset, uint8_t *to, size_t bytes) {
  for (size_t together; bytes > 0; offset += together, to += together, bytes -= together) {
    size_t at = place(layout, offset, bytes, &together);
    memcpy(to, memory + at, together);
  }
}

void layout_scatter(const struct layout *layout, uint8_t *memory, uint64_t offset, const uint8_t *from, size_t bytes) {
  for (size_t together; bytes > 0; offset += together, from += together, bytes -= together) {
    size_t at = place(layout, offset, bytes, &together);
    memcpy(memory + at, from, together);
  }
}

static void copy(const struct layout *target, uint8_t *to, const struct layout *source, const uint8_t *from) {
  uint64_t total = layout_bytes(target);
  for (uint64_t offset = 0; offset < total;) {
    size_t together, both;
    size_t at = place(source, offset, total - offset, &together), there = place(target, offset, together, &both);
    memcpy(to + there, from + at, both);
    offset += both;
  }
}

void layout_move(const struct layout *host, uint8_t *memory, const struct layout *at, uint8_t *device, bool to_device) {
  size_t together;
  size_t first = place(at, 0, layout_bytes(at), &together);
  device_prepare(device + first, together);
  if (to_device) copy(at, device, host, memory);
  else copy(host, memory, at, device);
}

uint64_t layout_together(const struct layout *layout, size_t *first) {
  uint64_t total = layout_bytes(layout);
  size_t together = 0;
  if (total == 0) return 0;
  *first = place(layout, 0, total, &together);
  return together == total ? total : 0;
}

// Takes a number for a transfer. The lock is held.
static uint32_t put(const struct transfer *wanted) {
  uint32_t number = slots_take(&transfers.slots);
  struct transfer *made = slots_at(&transfers.slots, number);
  if (made != NULL) {
    struct slot slot = made->slot;
    *made = *wanted;
    made->slot = slot;
  }
  return number;
}

static uint32_t keep(const struct transfer *wanted) {
  pthread_mutex_lock(&transfers.lock);
  uint32_t number = put(wanted);
  pthread_mutex_unlock(&transfers.lock);
  if (number != 0 && (wanted->flags & UNEXPECTED) == 0) connection_expect(1);
  return number;
}

uint32_t transfer_new(uint8_t *memory, const struct layout *layout, unsigned flags) {
  return keep(&(struct transfer){.memory = memory, .layout = *layout, .flags = flags});
}

uint32_t transfer_here(
    uint8_t *memory, const struct layout *layout, uint8_t *device, const struct layout *device_layout, unsigned flags) {
  return keep(&(struct transfer){
      .memory = memory, .layout = *layout, .device = device, .device_layout = *device_layout, .flags = flags});
}

bool transfer_add(uint32_t first, cl_mem held, uint8_t *memory, const struct layout *layout, uint8_t *device,
    const struct layout *device_layout, unsigned flags) {
  const struct transfer added = {.memory = memory, .layout = *layout, .device = device,
      .device_layout = *device_layout, .flags = flags | TRANSFER_ADDED, .held = held};
  pthread_mutex_lock(&transfers.lock);
  struct transfer *known = slots_at(&transfers.slots, first);
  bool is_open = known != NULL && known->memory != NULL && !known->running && !connection_lost();
  uint32_t number = is_open ? put(&added) : 0;
  if (number != 0) {
    // Both may have moved.
    known = slots_at(&transfers.slots, first);
    struct transfer *last = slots_at(&transfers.slots, known->last == 0 ? first : known->last);
    last->next = known->last = number;
    object_use(held);
  }
  pthread_mutex_unlock(&transfers.lock);
  return number != 0;
}

uint32_t transfer_staged(uint8_t *memory, const struct layout *layout, int64_t place, unsigned flags) {
  return keep(&(struct transfer){
      .memory = memory, .layout = *layout, .stage = place, .flags = flags | TRANSFER_STAGED});
}

// Why a transfer begins: it is forgotten; its bytes travel to or from the server; or they are moved here, at the
// server's word or behind the one to which it was added.
enum cause { FORGOTTEN, ARRIVED, TOLD_TO_MOVE, BEHIND_ANOTHER };

// The server's word is not taken for what a transfer is. One without a place in device memory cannot be moved there;
// and the server knows of none that was added, whose end alone would leave a list that names it.
static bool may_begin(const struct transfer *known, enum cause cause) {
  if (cause == FORGOTTEN) return true;
  // What a lost server has sent may still be read.
  bool is_added = (known->flags & TRANSFER_ADDED) != 0;
  return !connection_lost() && is_added == (cause == BEHIND_ANOTHER) && (cause == ARRIVED || known->device != NULL);
}

// False: there is no such transfer.
static bool begin(uint32_t number, enum cause cause, struct transfer *transfer) {
  pthread_mutex_lock(&transfers.lock);
  struct transfer *known = slots_at(&transfers.slots, number);
  bool found = known != NULL && known->memory != NULL && !known->running && may_begin(known, cause);
  if (found) {
    transfers.running++;
    known->running = true;
    *transfer = *known;
  }
  pthread_mutex_unlock(&transfers.lock);
  return found;
}

// Lets an object go at one of the next calls of the application. The lock is held. Without memory it stays for ever.
static void let_go_later(cl_mem held) {
  if (transfers.let_go_count == transfers.let_go_capacity) {
    size_t capacity = transfers.let_go_capacity * 2 + 16;
    cl_mem *more = realloc(transfers.let_go, capacity * sizeof *more);
    if (more == NULL) return;
    transfers.let_go = more;
    transfers.let_go_capacity = capacity;
  }
  transfers.let_go[transfers.let_go_count++] = held;
}

void transfers_let_objects_go(void) {
  for (;;) {
    pthread_mutex_lock(&transfers.lock);
    cl_mem held = transfers.let_go_count == 0 ? NULL : transfers.let_go[--transfers.let_go_count];
    pthread_mutex_unlock(&transfers.lock);
    if (held == NULL) return;
    object_drop(held);
  }
}

// A transfer is over.
static void end(uint32_t number, const struct transfer *transfer) {
  pthread_mutex_lock(&transfers.lock);
  transfers.running--;
  slots_give_back(&transfers.slots, number);
  if (transfer->held != NULL) let_go_later(transfer->held);
  pthread_mutex_unlock(&transfers.lock);
  if ((transfer->flags & TRANSFER_OWNED) != 0) free(transfer->memory);
  if ((transfer->flags & TRANSFER_STAGED) != 0) stage_give_back(transfer->stage, layout_bytes(&transfer->layout));
  if ((transfer->flags & UNEXPECTED) == 0) connection_expect(-1);
}

static bool is_running(uint32_t number) {
  pthread_mutex_lock(&transfers.lock);
  const struct transfer *known = slots_at(&transfers.slots, number);
  bool running = known != NULL && known->running;
  pthread_mutex_unlock(&transfers.lock);
  return running;
}

void transfer_forget(uint32_t number) {
  struct transfer transfer;
  while (is_running(number)) sched_yield();
  for (; begin(number, FORGOTTEN, &transfer); number = transfer.next) end(number, &transfer);
}

void transfers_stop(void) {
  for (bool stopped = false; !stopped;) {
    pthread_mutex_lock(&transfers.lock);
    stopped = transfers.running == 0;
    pthread_mutex_unlock(&transfers.lock);
    if (!stopped) sched_yield();
  }
}

static void give(void *context, uint64_t offset, uint8_t *to, size_t bytes) {
  const struct transfer *transfer = context;
  layout_gather(&transfer->layout, transfer->memory, offset, to, bytes);
}

static void receive(void *context, uint64_t offset, const uint8_t *from, size_t bytes) {
  const struct transfer *transfer = context;
  layout_scatter(&transfer->layout, transfer->memory, offset, from, bytes);
}

void transfer_arrived(uint32_t number, int32_t error, struct wire_reader *body) {
  struct transfer transfer;
  if (!begin(number, ARRIVED, &transfer)) return;
  uint64_t total = layout_bytes(&transfer.layout);
  bool to_device = (transfer.flags & TRANSFER_TO_DEVICE) != 0;
  if ((transfer.flags & TRANSFER_STAGED) != 0) {
    if (error == CL_SUCCESS && !to_device)
      layout_scatter(&transfer.layout, transfer.memory, 0, stage_at(transfer.stage), total);
  } else if (error == CL_SUCCESS && body->length > 0) {
    if (!to_device && body->length == total)
      layout_scatter(&transfer.layout, transfer.memory, 0, body->bytes, body->length);
  } else if (error == CL_SUCCESS) {
    if (to_device) connection_ring_write(total, give, &transfer);
    else connection_ring_read(total, receive, &transfer);
  }
  end(number, &transfer);
  // It failed, so what was added to it does.
  if (transfer.next != 0) transfer_forget(transfer.next);
}

void transfer_move(uint32_t number) {
  struct transfer transfer;
  // Nothing is added to a list that has begun.
  for (enum cause cause = TOLD_TO_MOVE; begin(number, cause, &transfer); number = transfer.next) {
    cause = BEHIND_ANOTHER;
    layout_move(&transfer.layout, transfer.memory, &transfer.device_layout, transfer.device,
        (transfer.flags & TRANSFER_TO_DEVICE) != 0);
    end(number, &transfer);
  }
  // Also when it has been forgotten meanwhile: the server waits for it.
  connection_moved();
}

bool transfer_put(
    struct wire_writer *writer, uint8_t *memory, const struct layout *layout, unsigned flags, uint32_t *transfer) {
  bool owned = (flags & TRANSFER_OWNED) != 0;
  uint64_t total = layout_bytes(layout);
  *transfer = 0;
  if (total > TRANSFER_INLINE) {
    *transfer = transfer_new(memory, layout, flags | TRANSFER_TO_DEVICE);
    wire_u32(writer, 0);
    wire_u32(writer, *transfer);
    if (*transfer == 0 && owned) free(memory);
    return *transfer != 0;
  }
  uint8_t bytes[TRANSFER_INLINE];
  layout_gather(layout, memory, 0, bytes, (size_t)total);
  if (owned) free(memory);
  wire_u32(writer, 1);
  wire_bytes(writer, bytes, (size_t)total);
  return true;
}

void transfers_hold(void) {
  pthread_mutex_lock(&transfers.lock);
  stage_hold();
}

void transfers_let_go(bool in_child) {
  stage_let_go(in_child);
  if (in_child) transfers.running = 0;
  pthread_mutex_unlock(&transfers.lock);
}
