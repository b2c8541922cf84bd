// SPDX-License-Identifier: Apache-2.0
// Five ways, the shortest first:
//
// 1. All that the command waits for is known to be complete: this thread moves the bytes, and the server hears nothing.
// 2. The call blocks: the server answers when it is time, then this thread moves the bytes.
// 3. It does not block, and the last command of its queue is a transfer that has not begun: it is added to that, and
//    the server hears nothing.
// 4. It does not block, and the bytes are many: they are a transfer (transfers.h), moved by whichever thread reads what
//    the server sends. The server does other things meanwhile. So is a command that blocks and whose times somebody may
//    ask for: they contain the move.
// 5. Fewer bytes go over the stage (stage.h): the second copy of them takes less than telling and counting would.
//
// Very few bytes of calls that do not block travel in frames when they cannot be moved at once.
#include "moves.h"

#include <stdlib.h>
#include <string.h>

#include "completion.h"
#include "connection.h"
#include "device_memory.h"
#include "generated/operations.h"
#include "stage.h"
#include "transfers.h"

// Most bytes that a call which does not block moves itself.
enum { MOST_AT_ONCE = 1 << 20 };

// Who moves the bytes of a command.
enum { MOVE_BY_LIBRARY, MOVE_TO_STAGE, MOVE_FROM_STAGE };

struct layout device_range(size_t offset, size_t size) {
  struct layout layout = layout_plain(size);
  layout.origin[0] = offset;
  return layout;
}

size_t device_row_step(const struct _cl_mem *image) {
  return image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? image->device_slice_pitch : image->device_row_pitch;
}

struct layout device_box(cl_mem image, const size_t *origin, const size_t *region) {
  struct layout layout = {.row_pitch = device_row_step(image), .slice_pitch = image->device_slice_pitch};
  memcpy(layout.origin, origin, sizeof layout.origin);
  memcpy(layout.region, region, sizeof layout.region);
  layout.origin[0] *= image->element_size;
  layout.region[0] *= image->element_size;
  return layout;
}

static void move_now(const struct move *move, uint8_t *device) {
  layout_move(&move->host, move->bytes, &move->device, device, move->to_device);
  if (move->owned) free(move->bytes);
}

static bool begins_here(struct command *command, const struct enqueue *asked) {
  return command_begin_here(
      command, asked->call, asked->queue, asked->type, asked->wait_count, asked->waits, asked->event);
}

// Begins a command of the server which waits for what the application's command waits for. `transfer`: what then moves;
// 0: nothing.
static cl_int begin(struct command *command, const struct enqueue *asked, cl_mem memory) {
  cl_int code = command_begin(command, OPERATION_MOVE, asked->call, asked->queue, asked->type, asked->blocking,
      asked->wait_count, asked->waits, asked->event);
  if (code == CL_SUCCESS) wire_u32(&command->writer, id_of(memory));
  return code;
}

cl_int move_nothing(const struct enqueue *asked, cl_mem memory) {
  struct command command;
  // The server's answer tells also where the bytes are.
  if (device_bytes(memory) != NULL && begins_here(&command, asked)) return command_end_here(&command, asked->event);
  cl_int code = begin(&command, asked, memory);
  if (code != CL_SUCCESS) return code;
  wire_u32(&command.writer, 0);
  return command_end(&command, asked->blocking, asked->event);
}

static cl_int move_after(const struct enqueue *asked, const struct move *move) {
  struct command command;
  cl_int code = begin(&command, asked, move->memory);
  if (code != CL_SUCCESS) return code;
  wire_u32(&command.writer, 0);
  code = command_end(&command, true, asked->event);
  if (code != CL_SUCCESS) return code;
  uint8_t *device = device_bytes(move->memory);
  if (device == NULL)
    return refuse(asked->queue->context, CL_OUT_OF_RESOURCES, asked->call,
                  "the server does not say where the bytes are");
  move_now(move, device);
  return CL_SUCCESS;
}

static cl_int move_by_transfer(const struct enqueue *asked, const struct move *move, uint8_t *device) {
  struct command command;
  cl_int code = begin(&command, asked, move->memory);
  if (code != CL_SUCCESS) {
    if (move->owned) free(move->bytes);
    return code;
  }
  unsigned flags = (move->to_device ? TRANSFER_TO_DEVICE : 0) | (move->owned ? TRANSFER_OWNED : 0) |
                   (asked->blocking ? TRANSFER_AWAITED : 0);
  uint32_t transfer = transfer_here(move->bytes, &move->host, device, &move->device, flags);
  if (transfer == 0) {
    if (move->owned) free(move->bytes);
    return command_cancel(&command, CL_OUT_OF_HOST_MEMORY, "there is no memory for the transfer");
  }
  wire_u32(&command.writer, transfer);
  wire_u32(&command.writer, MOVE_BY_LIBRARY);
  code = command_end(&command, asked->blocking, asked->event);
  if (code != CL_SUCCESS || asked->blocking) transfer_forget(transfer);
  else {
    pthread_mutex_lock(&asked->queue->lock);
    asked->queue->moving = transfer;
    asked->queue->moving_number = command.number;
    pthread_mutex_unlock(&asked->queue->lock);
  }
  return code;
}

// False: the queue's last command is no transfer, or has begun, or the new one has something to wait for besides.
static bool move_with_last(const struct enqueue *asked, const struct move *move, uint8_t *device) {
  cl_command_queue queue = asked->queue;
  if (asked->event != NULL || !object_is(queue, KIND_QUEUE) || !queue_has_order(queue) ||
      !waits_are_complete(queue, asked->wait_count, asked->waits))
    return false;
  unsigned flags = (move->to_device ? TRANSFER_TO_DEVICE : 0) | (move->owned ? TRANSFER_OWNED : 0);
  pthread_mutex_lock(&queue->lock);
  bool added = queue->moving != 0 && queue->moving_number == queue->sent &&
               transfer_add(queue->moving, move->memory, move->bytes, &move->host, device, &move->device, flags);
  pthread_mutex_unlock(&queue->lock);
  return added;
}

// False: there is no room on the stage, or the bytes lie apart in device memory.
static bool move_over_stage(const struct enqueue *asked, const struct move *move, cl_int *code) {
  size_t first = 0;
  uint64_t bytes = layout_together(&move->device, &first);
  if (bytes < STAGE_LEAST || bytes > STAGE_MOST) return false;
  int64_t place = stage_take(bytes, connection_read_more);
  if (place < 0) return false;
  struct command command;
  *code = begin(&command, asked, move->memory);
  uint32_t transfer = 0;
  if (*code == CL_SUCCESS) {
    transfer = transfer_staged(move->bytes, &move->host, place, move->to_device ? TRANSFER_TO_DEVICE : 0);
    if (transfer == 0) *code = command_cancel(&command, CL_OUT_OF_HOST_MEMORY, "there is no memory for the transfer");
  }
  if (transfer == 0) stage_give_back(place, bytes);
  else {
    if (move->to_device) layout_gather(&move->host, move->bytes, 0, stage_at(place), bytes);
    wire_u32(&command.writer, transfer);
    wire_u32(&command.writer, move->to_device ? MOVE_FROM_STAGE : MOVE_TO_STAGE);
    wire_u32(&command.writer, (uint32_t)place);
    wire_u64(&command.writer, first);
    wire_u64(&command.writer, bytes);
    *code = command_end(&command, false, asked->event);
    if (*code != CL_SUCCESS) transfer_forget(transfer);
  }
  if (move->owned) free(move->bytes);
  return true;
}

bool move_here(const struct enqueue *asked, const struct move *move, cl_int *code) {
  transfers_let_objects_go();
  uint8_t *device = device_bytes(move->memory);
  if (device == NULL && !(asked->blocking && device_is_shared())) return false;
  uint64_t bytes = layout_bytes(&move->host);
  struct command command;
  if (device != NULL && (asked->blocking || bytes <= MOST_AT_ONCE) && begins_here(&command, asked)) {
    move_now(move, device);
    *code = command_end_here(&command, asked->event);
    return true;
  }
  bool is_timed = asked->event != NULL && (asked->queue->properties & CL_QUEUE_PROFILING_ENABLE) != 0;
  if (asked->blocking && !is_timed) *code = move_after(asked, move);
  else if (!asked->blocking && device != NULL && move_with_last(asked, move, device)) *code = CL_SUCCESS;
  else if (!asked->blocking && move_over_stage(asked, move, code)) return true;
  else if (device != NULL && bytes > TRANSFER_INLINE) *code = move_by_transfer(asked, move, device);
  else return false;
  return true;
}

// What a command came to, whose transfer is over when it failed or was waited for: the application may take its memory
// back.
static cl_int with_transfer(uint32_t transfer, bool blocking, cl_int code) {
  if (code != CL_SUCCESS || blocking) transfer_forget(transfer);
  return code;
}

// Adds a transfer to the application's memory, and sends the command.
cl_int read_into(
    struct command *command, uint8_t *memory, const struct layout *layout, bool blocking, cl_event *event) {
  uint32_t transfer = transfer_new(memory, layout, blocking ? TRANSFER_AWAITED : 0);
  if (transfer == 0) return command_cancel(command, CL_OUT_OF_HOST_MEMORY, "there is no memory for the transfer");
  wire_u32(&command->writer, transfer);
  return with_transfer(transfer, blocking, command_end(command, blocking, event));
}

cl_int write_from(struct command *command, const void *memory, const struct layout *layout, bool owned,
    bool blocking, cl_event *event) {
  unsigned flags = (owned ? TRANSFER_OWNED : 0) | (blocking ? TRANSFER_AWAITED : 0);
  uint32_t transfer;
  if (!transfer_put(&command->writer, (uint8_t *)memory, layout, flags, &transfer))
    return command_cancel(command, CL_OUT_OF_HOST_MEMORY, "there is no memory for the transfer");
  return with_transfer(transfer, blocking, command_end(command, blocking, event));
}
