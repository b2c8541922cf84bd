#include "transfers.h"

#include <stdlib.h>
#include <string.h>

#include "connection.h"

enum { MOST_TRANSFERS = 1 << 20 };

struct transfer {
  uint8_t *memory; // NULL: free
  struct layout layout;
  bool to_device, owned, running;
  uint32_t next_free;
};

static struct {
  pthread_mutex_t lock;
  struct transfer *all; // by number; 0 is not used
  uint32_t count, capacity, first_free;
} transfers = {.lock = PTHREAD_MUTEX_INITIALIZER, .count = 1};

struct layout layout_plain(size_t bytes) { return (struct layout){.region = {bytes, 1, 1}, .row_pitch = bytes, .slice_pitch = bytes}; }

uint64_t layout_bytes(const struct layout *layout) { return (uint64_t)layout->region[0] * layout->region[1] * layout->region[2]; }

// Where in memory byte `offset` of the box is, and how many bytes lie together from there on.
static size_t place(const struct layout *layout, uint64_t offset, size_t bytes, size_t *together) {
  size_t width = layout->region[0];
  bool rows_touch = layout->row_pitch == width || layout->region[1] == 1;
  bool slices_touch = layout->region[2] == 1 || layout->slice_pitch == layout->row_pitch * layout->region[1];
  uint64_t row = offset / width, column = offset % width;
  uint64_t slice = row / layout->region[1];
  row %= layout->region[1];
  uint64_t left = width - column;
  if (rows_touch) left = (uint64_t)width * layout->region[1] - row * width - column;
  if (rows_touch && slices_touch) left = layout_bytes(layout) - offset;
  *together = left < bytes ? (size_t)left : bytes;
  return (layout->origin[2] + slice) * layout->slice_pitch + (layout->origin[1] + row) * layout->row_pitch + layout->origin[0] + column;
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

uint32_t transfer_new(uint8_t *memory, const struct layout *layout, bool to_device) {
  pthread_mutex_lock(&transfers.lock);
  uint32_t number = transfers.first_free;
  if (number != 0) {
    transfers.first_free = transfers.all[number].next_free;
  } else if (transfers.count < MOST_TRANSFERS) {
    if (transfers.count >= transfers.capacity) {
      uint32_t capacity = transfers.capacity == 0 ? 64 : transfers.capacity * 2;
      struct transfer *moved = realloc(transfers.all, capacity * sizeof *moved);
      if (moved != NULL) {
        transfers.all = moved;
        transfers.capacity = capacity;
      }
    }
    if (transfers.count < transfers.capacity) number = transfers.count++;
  }
  if (number != 0) transfers.all[number] = (struct transfer){.memory = memory, .layout = *layout, .to_device = to_device};
  pthread_mutex_unlock(&transfers.lock);
  if (number != 0) connection_expect(1);
  return number;
}

// A transfer that the server asks for; false: there is none.
static bool begin(uint32_t number, struct transfer *transfer) {
  pthread_mutex_lock(&transfers.lock);
  bool found = number != 0 && number < transfers.count && transfers.all[number].memory != NULL && !transfers.all[number].running;
  if (found) {
    transfers.all[number].running = true;
    *transfer = transfers.all[number];
  }
  pthread_mutex_unlock(&transfers.lock);
  return found;
}

// A transfer is over.
static void end(uint32_t number) {
  pthread_mutex_lock(&transfers.lock);
  uint8_t *owned = transfers.all[number].owned ? transfers.all[number].memory : NULL;
  transfers.all[number] = (struct transfer){.next_free = transfers.first_free};
  transfers.first_free = number;
  pthread_mutex_unlock(&transfers.lock);
  free(owned);
  connection_expect(-1);
}

void transfer_forget(uint32_t number) {
  struct transfer transfer;
  if (begin(number, &transfer)) end(number);
}

void transfer_own(uint8_t *memory) {
  bool is_found = false;
  pthread_mutex_lock(&transfers.lock);
  for (uint32_t number = 1; number < transfers.count && !is_found; number++) {
    if (transfers.all[number].memory == memory && transfers.all[number].to_device && !transfers.all[number].owned) transfers.all[number].owned = is_found = true;
  }
  pthread_mutex_unlock(&transfers.lock);
  if (!is_found) free(memory);
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
  if (!begin(number, &transfer)) return;
  uint64_t total = layout_bytes(&transfer.layout);
  if (error == CL_SUCCESS && body->length > 0) {
    uint32_t length;
    const uint8_t *bytes = wire_read_bytes(body, &length);
    if (!transfer.to_device && !body->failed && length == total) layout_scatter(&transfer.layout, transfer.memory, 0, bytes, length);
  } else if (error == CL_SUCCESS) {
    if (transfer.to_device) connection_ring_write(total, give, &transfer);
    else connection_ring_read(total, receive, &transfer);
  }
  end(number);
}

bool transfer_put(struct wire_writer *writer, const uint8_t *memory, const struct layout *layout) {
  uint64_t total = layout_bytes(layout);
  if (total > TRANSFER_INLINE) {
    uint32_t number = transfer_new((uint8_t *)memory, layout, true);
    wire_u32(writer, 0);
    wire_u32(writer, number);
    return number != 0;
  }
  uint8_t bytes[TRANSFER_INLINE];
  layout_gather(layout, memory, 0, bytes, (size_t)total);
  wire_u32(writer, 1);
  wire_bytes(writer, bytes, (size_t)total);
  return true;
}
