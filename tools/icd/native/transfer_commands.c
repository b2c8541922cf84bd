// SPDX-License-Identifier: Apache-2.0
// Commands that move bytes: reading, writing, copying, filling, mapping, of buffers and images.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "generated/operations.h"
#include "transfers.h"

// ---- checks

static cl_int check_object(const char *call, cl_command_queue queue, cl_mem memory, bool is_image) {
  if (!object_is(queue, KIND_QUEUE)) return refuse(NULL, CL_INVALID_COMMAND_QUEUE, call, "no command queue is given");
  bool is_right =
      object_is(memory, KIND_MEMORY) && (is_image ? memory->element_size > 0 : memory->type == CL_MEM_OBJECT_BUFFER);
  if (!is_right)
    return refuse(queue->context, CL_INVALID_MEM_OBJECT, call, is_image ? "no image is given" : "no buffer is given");
  if (memory->context != queue->context)
    return refuse(queue->context, CL_INVALID_CONTEXT, call, "the object and the queue belong to different contexts");
  return CL_SUCCESS;
}

static cl_int check_range(const char *call, cl_mem buffer, size_t offset, size_t size) {
  if (size == 0 || offset > buffer->size || size > buffer->size - offset)
    return refuse(buffer->context, CL_INVALID_VALUE, call, "the region is empty or not inside of the buffer");
  return CL_SUCCESS;
}

static cl_int check_access(const char *call, cl_mem memory, bool writes) {
  cl_mem_flags forbids = CL_MEM_HOST_NO_ACCESS | (writes ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY);
  return (memory->flags & forbids) != 0 ? refuse(memory->context, CL_INVALID_OPERATION, call,
                                              writes ? "the flags of the object do not allow the host to write it"
                                                     : "the flags of the object do not allow the host to read it")
                                        : CL_SUCCESS;
}

static cl_int check_box(const char *call, cl_mem image, const size_t *origin, const size_t *region) {
  if (origin == NULL || region == NULL)
    return refuse(image->context, CL_INVALID_VALUE, call, "origin or region is NULL");
  size_t rows = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? image->layers : image->height > 0 ? image->height : 1;
  size_t slices = image->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? image->layers : image->depth > 0 ? image->depth : 1;
  const size_t most[3] = {image->width, rows, slices};
  for (int axis = 0; axis < 3; axis++)
    if (region[axis] == 0 || origin[axis] > most[axis] || region[axis] > most[axis] - origin[axis])
      return refuse(image->context, CL_INVALID_VALUE, call, "the region is empty or not inside of the image");
  return CL_SUCCESS;
}

// Pitches of a side, tight where they are 0.
static cl_int check_pitches(const char *call, cl_context context, const size_t *region, size_t *row, size_t *slice) {
  if (*row == 0) *row = region[0];
  if (*row < region[0]) return refuse(context, CL_INVALID_VALUE, call, "a row pitch is less than a row of the region");
  if (*slice == 0) *slice = *row * region[1];
  if (*slice < *row * region[1] || (*slice % *row) != 0)
    return refuse(context, CL_INVALID_VALUE, call,
        "a slice pitch is no multiple of the row pitch, or less than a slice of the region");
  return CL_SUCCESS;
}

// Ends the function when a check fails.
#define CHECK(expression) \
  do { \
    cl_int check_code = (expression); \
    if (check_code != CL_SUCCESS) return check_code; \
  } while (0)

static void write_three(struct wire_writer *writer, const size_t *values) {
  for (int axis = 0; axis < 3; axis++) wire_u64(writer, values[axis]);
}

// What a command came to, whose transfer is over when it failed or was waited for: the application may take its memory
// back.
static cl_int with_transfer(uint32_t transfer, bool blocking, cl_int code) {
  if (code != CL_SUCCESS || blocking) transfer_forget(transfer);
  return code;
}

// Adds a transfer to the application's memory, and sends the command.
static cl_int read_into(
    struct command *command, uint8_t *memory, const struct layout *layout, bool blocking, cl_event *event) {
  uint32_t transfer = transfer_new(memory, layout, blocking ? TRANSFER_AWAITED : 0);
  if (transfer == 0) return command_cancel(command, CL_OUT_OF_HOST_MEMORY, "there is no memory for the transfer");
  wire_u32(&command->writer, transfer);
  return with_transfer(transfer, blocking, command_end(command, blocking, event));
}

static cl_int write_from(struct command *command, const void *memory, const struct layout *layout, bool owned,
    bool blocking, cl_event *event) {
  unsigned flags = (owned ? TRANSFER_OWNED : 0) | (blocking ? TRANSFER_AWAITED : 0);
  uint32_t transfer;
  if (!transfer_put(&command->writer, (uint8_t *)memory, layout, flags, &transfer))
    return command_cancel(command, CL_OUT_OF_HOST_MEMORY, "there is no memory for the transfer");
  return with_transfer(transfer, blocking, command_end(command, blocking, event));
}

// ---- buffers

cl_int clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, size_t offset,
    size_t size, void *ptr, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  CHECK(check_object(__func__, command_queue, buffer, false));
  CHECK(check_range(__func__, buffer, offset, size));
  CHECK(check_access(__func__, buffer, false));
  REQUIRE(buffer->context, ptr != NULL, CL_INVALID_VALUE, "ptr is NULL");
  struct command command;
  BEGIN(command, OPERATION_clEnqueueReadBuffer, command_queue, CL_COMMAND_READ_BUFFER, blocking_read);
  wire_u32(&command.writer, id_of(buffer));
  wire_u64(&command.writer, offset);
  wire_u64(&command.writer, size);
  struct layout layout = layout_plain(size);
  return read_into(&command, ptr, &layout, blocking_read, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, size_t offset,
    size_t size, const void *ptr, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  CHECK(check_object(__func__, command_queue, buffer, false));
  CHECK(check_range(__func__, buffer, offset, size));
  CHECK(check_access(__func__, buffer, true));
  REQUIRE(buffer->context, ptr != NULL, CL_INVALID_VALUE, "ptr is NULL");
  struct command command;
  BEGIN(command, OPERATION_clEnqueueWriteBuffer, command_queue, CL_COMMAND_WRITE_BUFFER, blocking_write);
  wire_u32(&command.writer, id_of(buffer));
  wire_u64(&command.writer, offset);
  wire_u64(&command.writer, size);
  struct layout layout = layout_plain(size);
  return write_from(&command, ptr, &layout, false, blocking_write, event);
}

// The application's side of a rectangle, checked; the frame gets the buffer's side.
static cl_int begin_rect(const char *call, cl_mem buffer, const size_t *buffer_origin, const size_t *host_origin,
    const size_t *region, size_t buffer_row, size_t buffer_slice, size_t host_row, size_t host_slice, const void *ptr,
    struct layout *layout, size_t *pitches) {
  REQUIRE(buffer->context, buffer_origin != NULL && host_origin != NULL && region != NULL && ptr != NULL,
      CL_INVALID_VALUE, "an origin, the region or ptr is NULL");
  REQUIRE(buffer->context, region[0] > 0 && region[1] > 0 && region[2] > 0, CL_INVALID_VALUE, "the region is empty");
  CHECK(check_pitches(call, buffer->context, region, &buffer_row, &buffer_slice));
  CHECK(check_pitches(call, buffer->context, region, &host_row, &host_slice));
  // Numbers that are too large are found before products of them fit again.
  const size_t steps[3] = {1, buffer_row, buffer_slice};
  for (int axis = 0; axis < 3; axis++) {
    bool moves = buffer_origin[axis] > 0 || region[axis] > 1;
    REQUIRE(buffer->context,
        buffer_origin[axis] <= buffer->size && region[axis] <= buffer->size && (!moves || steps[axis] <= buffer->size),
        CL_INVALID_VALUE, "the region is not inside of the buffer");
  }
  size_t start = buffer_origin[2] * buffer_slice + buffer_origin[1] * buffer_row + buffer_origin[0];
  CHECK(check_range(call, buffer, start, (region[2] - 1) * buffer_slice + (region[1] - 1) * buffer_row + region[0]));
  *layout = (struct layout){.row_pitch = host_row, .slice_pitch = host_slice};
  memcpy(layout->origin, host_origin, sizeof layout->origin);
  memcpy(layout->region, region, sizeof layout->region);
  pitches[0] = buffer_row;
  pitches[1] = buffer_slice;
  return CL_SUCCESS;
}

static void write_rect(
    struct wire_writer *writer, cl_mem buffer, const size_t *origin, const size_t *region, const size_t *pitches) {
  wire_u32(writer, id_of(buffer));
  write_three(writer, origin);
  write_three(writer, region);
  wire_u64(writer, pitches[0]);
  wire_u64(writer, pitches[1]);
}

cl_int clEnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
    const size_t *buffer_origin, const size_t *host_origin, const size_t *region, size_t buffer_row_pitch,
    size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch, void *ptr,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  struct layout layout;
  size_t pitches[2];
  CHECK(check_object(__func__, command_queue, buffer, false));
  CHECK(begin_rect(__func__, buffer, buffer_origin, host_origin, region, buffer_row_pitch, buffer_slice_pitch,
      host_row_pitch, host_slice_pitch, ptr, &layout, pitches));
  CHECK(check_access(__func__, buffer, false));
  struct command command;
  BEGIN(command, OPERATION_clEnqueueReadBufferRect, command_queue, CL_COMMAND_READ_BUFFER_RECT, blocking_read);
  write_rect(&command.writer, buffer, buffer_origin, region, pitches);
  return read_into(&command, ptr, &layout, blocking_read, event);
}

cl_int clEnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write,
    const size_t *buffer_origin, const size_t *host_origin, const size_t *region, size_t buffer_row_pitch,
    size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch, const void *ptr,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  struct layout layout;
  size_t pitches[2];
  CHECK(check_object(__func__, command_queue, buffer, false));
  CHECK(begin_rect(__func__, buffer, buffer_origin, host_origin, region, buffer_row_pitch, buffer_slice_pitch,
      host_row_pitch, host_slice_pitch, ptr, &layout, pitches));
  CHECK(check_access(__func__, buffer, true));
  struct command command;
  BEGIN(command, OPERATION_clEnqueueWriteBufferRect, command_queue, CL_COMMAND_WRITE_BUFFER_RECT, blocking_write);
  write_rect(&command.writer, buffer, buffer_origin, region, pitches);
  return write_from(&command, ptr, &layout, false, blocking_write, event);
}

static size_t place_in_whole(cl_mem buffer, size_t offset) {
  return buffer->parent == NULL ? offset : buffer->offset + offset;
}
static cl_mem whole_of(cl_mem buffer) { return buffer->parent == NULL ? buffer : buffer->parent; }

cl_int clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset,
    size_t dst_offset, size_t size, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  CHECK(check_object(__func__, command_queue, src_buffer, false));
  CHECK(check_object(__func__, command_queue, dst_buffer, false));
  CHECK(check_range(__func__, src_buffer, src_offset, size));
  CHECK(check_range(__func__, dst_buffer, dst_offset, size));
  size_t from = place_in_whole(src_buffer, src_offset), to = place_in_whole(dst_buffer, dst_offset);
  bool overlaps = whole_of(src_buffer) == whole_of(dst_buffer) && from < to + size && to < from + size;
  REQUIRE(
      src_buffer->context, !overlaps, CL_MEM_COPY_OVERLAP, "source and target overlap; copy through another buffer");
  struct command command;
  BEGIN(command, OPERATION_clEnqueueCopyBuffer, command_queue, CL_COMMAND_COPY_BUFFER, false);
  wire_u32(&command.writer, id_of(src_buffer));
  wire_u32(&command.writer, id_of(dst_buffer));
  wire_u64(&command.writer, src_offset);
  wire_u64(&command.writer, dst_offset);
  wire_u64(&command.writer, size);
  return command_end(&command, false, event);
}

static size_t start_of(const size_t *origin, const size_t *pitches) {
  return origin[2] * pitches[1] + origin[1] * pitches[0] + origin[0];
}
// Bytes from a box's first one to after its last one.
static size_t bytes_from(const size_t *pitches, const size_t *region) {
  return (region[2] - 1) * pitches[1] + (region[1] - 1) * pitches[0] + region[0];
}

// True when one of two stretches of bytes that repeat every `pitch` is in the gap of the other.
static bool fits_in_gap(size_t left, size_t right, size_t bytes, size_t pitch) {
  return (right >= left + bytes && right + bytes <= left + pitch) ||
         (left >= right + bytes && left + bytes <= right + pitch);
}

// Boxes of one size and the same pitches meet, unless one ends before the other begins, or its rows or slices lie
// between those of the other.
static bool boxes_meet(size_t from, size_t to, const size_t *pitches, const size_t *region) {
  size_t total = bytes_from(pitches, region), slice = (region[1] - 1) * pitches[0] + region[0];
  if (from + total <= to || to + total <= from) return false;
  return !fits_in_gap(from % pitches[0], to % pitches[0], region[0], pitches[0]) &&
         !fits_in_gap(from % pitches[1], to % pitches[1], slice, pitches[1]);
}

cl_int clEnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
    const size_t *src_origin, const size_t *dst_origin, const size_t *region, size_t src_row_pitch,
    size_t src_slice_pitch, size_t dst_row_pitch, size_t dst_slice_pitch, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event) {
  struct layout layout;
  size_t from[2], to[2];
  CHECK(check_object(__func__, command_queue, src_buffer, false));
  CHECK(check_object(__func__, command_queue, dst_buffer, false));
  CHECK(begin_rect(__func__, src_buffer, src_origin, dst_origin, region, src_row_pitch, src_slice_pitch, dst_row_pitch,
      dst_slice_pitch, region, &layout, from));
  CHECK(begin_rect(__func__, dst_buffer, dst_origin, src_origin, region, dst_row_pitch, dst_slice_pitch, src_row_pitch,
      src_slice_pitch, region, &layout, to));
  bool is_same = from[0] == to[0] && from[1] == to[1];
  REQUIRE(src_buffer->context, src_buffer != dst_buffer || is_same, CL_INVALID_VALUE,
      "within one buffer both sides have the same pitches");
  size_t first = place_in_whole(src_buffer, start_of(src_origin, from)),
         second = place_in_whole(dst_buffer, start_of(dst_origin, to));
  bool meets = is_same ? boxes_meet(first, second, from, region)
                       : first < second + bytes_from(to, region) && second < first + bytes_from(from, region);
  REQUIRE(src_buffer->context, whole_of(src_buffer) != whole_of(dst_buffer) || !meets, CL_MEM_COPY_OVERLAP,
      "source and target overlap; copy through another buffer");
  struct command command;
  BEGIN(command, OPERATION_clEnqueueCopyBufferRect, command_queue, CL_COMMAND_COPY_BUFFER_RECT, false);
  wire_u32(&command.writer, id_of(src_buffer));
  wire_u32(&command.writer, id_of(dst_buffer));
  write_three(&command.writer, src_origin);
  write_three(&command.writer, dst_origin);
  write_three(&command.writer, region);
  const size_t given[] = {src_row_pitch, src_slice_pitch, dst_row_pitch, dst_slice_pitch};
  for (int i = 0; i < 4; i++) wire_u64(&command.writer, given[i]);
  return command_end(&command, false, event);
}

cl_int clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void *pattern, size_t pattern_size,
    size_t offset, size_t size, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  CHECK(check_object(__func__, command_queue, buffer, false));
  CHECK(check_range(__func__, buffer, offset, size));
  bool is_pattern =
      pattern != NULL && pattern_size > 0 && pattern_size <= 128 && (pattern_size & (pattern_size - 1)) == 0;
  REQUIRE(buffer->context, is_pattern, CL_INVALID_VALUE, "a pattern has 1, 2, 4, 8, 16, 32, 64 or 128 bytes");
  REQUIRE(buffer->context, offset % pattern_size == 0 && size % pattern_size == 0, CL_INVALID_VALUE,
      "offset and size are not both multiples of the pattern's size");
  struct command command;
  BEGIN(command, OPERATION_clEnqueueFillBuffer, command_queue, CL_COMMAND_FILL_BUFFER, false);
  wire_u32(&command.writer, id_of(buffer));
  wire_bytes(&command.writer, pattern, pattern_size);
  wire_u64(&command.writer, offset);
  wire_u64(&command.writer, size);
  return command_end(&command, false, event);
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue command_queue, cl_uint num_mem_objects, const cl_mem *mem_objects,
    cl_mem_migration_flags flags, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  REQUIRE(NULL, object_is(command_queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
  REQUIRE(command_queue->context,
      num_mem_objects > 0 && mem_objects != NULL &&
          (flags & ~(cl_ulong)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)) == 0,
      CL_INVALID_VALUE, "there are no objects, or flags that are not known");
  for (cl_uint i = 0; i < num_mem_objects; i++) {
    REQUIRE(command_queue->context, object_is(mem_objects[i], KIND_MEMORY), CL_INVALID_MEM_OBJECT,
        "the list holds something that is no memory object");
    REQUIRE(command_queue->context, mem_objects[i]->context == command_queue->context, CL_INVALID_CONTEXT,
        "an object belongs to another context");
  }
  struct command command;
  BEGIN(command, OPERATION_clEnqueueMigrateMemObjects, command_queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, false);
  wire_u32(&command.writer, (uint32_t)flags);
  wire_u32(&command.writer, num_mem_objects);
  for (cl_uint i = 0; i < num_mem_objects; i++) wire_u32(&command.writer, id_of(mem_objects[i]));
  return command_end(&command, false, event);
}

// ---- images

// The application's side of a box of pixels.
static cl_int pixel_layout(
    const char *call, cl_mem image, const size_t *region, size_t row_pitch, size_t slice_pitch, struct layout *layout) {
  size_t bytes[3] = {region[0] * image->element_size, region[1], region[2]};
  // Rows of 1-D arrays are a slice pitch apart; callers give it as such.
  if (image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY && slice_pitch > 0) row_pitch = slice_pitch, slice_pitch = 0;
  if (image->type == CL_MEM_OBJECT_IMAGE2D || image->type == CL_MEM_OBJECT_IMAGE1D ||
      image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
    REQUIRE(image->context, slice_pitch == 0, CL_INVALID_VALUE, "the image has no slices, so slice_pitch is 0");
  CHECK(check_pitches(call, image->context, bytes, &row_pitch, &slice_pitch));
  *layout = (struct layout){.row_pitch = row_pitch, .slice_pitch = slice_pitch};
  memcpy(layout->region, bytes, sizeof bytes);
  return CL_SUCCESS;
}

static void write_box(struct wire_writer *writer, cl_mem image, const size_t *origin, const size_t *region) {
  wire_u32(writer, id_of(image));
  write_three(writer, origin);
  write_three(writer, region);
}

cl_int clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read, const size_t *origin,
    const size_t *region, size_t row_pitch, size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event) {
  struct layout layout;
  CHECK(check_object(__func__, command_queue, image, true));
  CHECK(check_box(__func__, image, origin, region));
  CHECK(pixel_layout(__func__, image, region, row_pitch, slice_pitch, &layout));
  CHECK(check_access(__func__, image, false));
  REQUIRE(image->context, ptr != NULL, CL_INVALID_VALUE, "ptr is NULL");
  struct command command;
  BEGIN(command, OPERATION_clEnqueueReadImage, command_queue, CL_COMMAND_READ_IMAGE, blocking_read);
  write_box(&command.writer, image, origin, region);
  return read_into(&command, ptr, &layout, blocking_read, event);
}

cl_int clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write, const size_t *origin,
    const size_t *region, size_t input_row_pitch, size_t input_slice_pitch, const void *ptr,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  struct layout layout;
  CHECK(check_object(__func__, command_queue, image, true));
  CHECK(check_box(__func__, image, origin, region));
  CHECK(pixel_layout(__func__, image, region, input_row_pitch, input_slice_pitch, &layout));
  CHECK(check_access(__func__, image, true));
  REQUIRE(image->context, ptr != NULL, CL_INVALID_VALUE, "ptr is NULL");
  struct command command;
  BEGIN(command, OPERATION_clEnqueueWriteImage, command_queue, CL_COMMAND_WRITE_IMAGE, blocking_write);
  write_box(&command.writer, image, origin, region);
  return write_from(&command, ptr, &layout, false, blocking_write, event);
}

cl_int clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color, const size_t *origin,
    const size_t *region, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  CHECK(check_object(__func__, command_queue, image, true));
  REQUIRE(image->context, fill_color != NULL, CL_INVALID_VALUE, "fill_color is NULL");
  CHECK(check_box(__func__, image, origin, region));
  struct command command;
  BEGIN(command, OPERATION_clEnqueueFillImage, command_queue, CL_COMMAND_FILL_IMAGE, false);
  write_box(&command.writer, image, origin, region);
  wire_bytes(&command.writer, fill_color, image->format.image_channel_order == CL_DEPTH ? 4 : 16);
  return command_end(&command, false, event);
}

// The image whose pixels it shows; itself, where they are its own or a buffer's.
static cl_mem shown_by(cl_mem image) {
  while (image->parent != NULL && image->parent->element_size > 0) image = image->parent;
  return image;
}

cl_int clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image, const size_t *src_origin,
    const size_t *dst_origin, const size_t *region, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
    cl_event *event) {
  CHECK(check_object(__func__, command_queue, src_image, true));
  CHECK(check_object(__func__, command_queue, dst_image, true));
  REQUIRE(src_image->context, memcmp(&src_image->format, &dst_image->format, sizeof src_image->format) == 0,
      CL_IMAGE_FORMAT_MISMATCH, "source and target have different formats");
  CHECK(check_box(__func__, src_image, src_origin, region));
  CHECK(check_box(__func__, dst_image, dst_origin, region));
  bool overlaps = shown_by(src_image) == shown_by(dst_image);
  for (int axis = 0; axis < 3; axis++)
    overlaps = overlaps && src_origin[axis] < dst_origin[axis] + region[axis] &&
               dst_origin[axis] < src_origin[axis] + region[axis];
  REQUIRE(src_image->context, !overlaps, CL_MEM_COPY_OVERLAP, "source and target overlap; copy through another image");
  struct command command;
  BEGIN(command, OPERATION_clEnqueueCopyImage, command_queue, CL_COMMAND_COPY_IMAGE, false);
  wire_u32(&command.writer, id_of(src_image));
  wire_u32(&command.writer, id_of(dst_image));
  write_three(&command.writer, src_origin);
  write_three(&command.writer, dst_origin);
  write_three(&command.writer, region);
  return command_end(&command, false, event);
}

static cl_int copy_between(uint16_t operation, const char *call, cl_command_type type, cl_command_queue queue,
    cl_mem image, cl_mem buffer, const size_t *origin, const size_t *region, size_t offset,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  CHECK(check_object(call, queue, image, true));
  CHECK(check_object(call, queue, buffer, false));
  REQUIRE(image->context, image->type != CL_MEM_OBJECT_IMAGE1D_BUFFER || image->parent != buffer, CL_INVALID_MEM_OBJECT,
      "the image uses the bytes of this buffer; copy within the buffer instead");
  CHECK(check_box(call, image, origin, region));
  CHECK(check_range(call, buffer, offset, region[0] * region[1] * region[2] * image->element_size));
  struct command command;
  CHECK(command_begin(&command, operation, call, queue, type, false, WAITS));
  write_box(&command.writer, image, origin, region);
  wire_u32(&command.writer, id_of(buffer));
  wire_u64(&command.writer, offset);
  return command_end(&command, false, event);
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_buffer,
    const size_t *src_origin, const size_t *region, size_t dst_offset, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event) {
  return copy_between(OPERATION_clEnqueueCopyImageToBuffer, __func__, CL_COMMAND_COPY_IMAGE_TO_BUFFER, command_queue,
      src_image, dst_buffer, src_origin, region, dst_offset, WAITS);
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_image,
    size_t src_offset, const size_t *dst_origin, const size_t *region, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event) {
  return copy_between(OPERATION_clEnqueueCopyBufferToImage, __func__, CL_COMMAND_COPY_BUFFER_TO_IMAGE, command_queue,
      dst_image, src_buffer, dst_origin, region, src_offset, WAITS);
}

// ---- maps

enum { KNOWN_MAP_FLAGS = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, MAP_ALIGNMENT = 128 };

static cl_int check_map(const char *call, cl_mem memory, cl_map_flags flags) {
  bool invalidates = (flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0;
  REQUIRE(memory->context,
      (flags & ~(cl_map_flags)KNOWN_MAP_FLAGS) == 0 && !(invalidates && (flags & (CL_MAP_READ | CL_MAP_WRITE)) != 0),
      CL_INVALID_VALUE, "the flags cannot be combined");
  if ((flags & CL_MAP_READ) != 0) CHECK(check_access(call, memory, false));
  if ((flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0) CHECK(check_access(call, memory, true));
  return CL_SUCCESS;
}

static bool writes_map(cl_map_flags flags) { return (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0; }

static bool meet(const struct mapping *left, const struct mapping *right) {
  for (int axis = 0; axis < 3; axis++)
    if (left->memory_origin[axis] >= right->memory_origin[axis] + right->memory_region[axis] ||
        right->memory_origin[axis] >= left->memory_origin[axis] + left->memory_region[axis])
      return false;
  return true;
}

// Keeps a new map; CL_INVALID_OPERATION when a part of it is mapped to be written, and shall be again.
static cl_int keep(cl_mem memory, struct mapping *made, const char *call) {
  pthread_mutex_lock(&memory->lock);
  bool clashes = false;
  for (const struct mapping *other = memory->mappings; other != NULL; other = other->next)
    clashes = clashes ||
              ((writes_map(made->flags) || writes_map(other->flags)) && writes_map(made->flags) && meet(made, other));
  if (!clashes) {
    made->next = memory->mappings;
    memory->mappings = made;
  }
  pthread_mutex_unlock(&memory->lock);
  return clashes ? refuse(memory->context, CL_INVALID_OPERATION, call,
                       "a part of the region is mapped, and shall be written")
                 : CL_SUCCESS;
}

// Takes a map out again; NULL: there is none at these bytes.
static struct mapping *take_map(cl_mem memory, const void *bytes) {
  pthread_mutex_lock(&memory->lock);
  struct mapping **link = &memory->mappings;
  while (*link != NULL && (*link)->bytes + (*link)->host.origin[0] != bytes) link = &(*link)->next;
  struct mapping *found = *link;
  if (found != NULL) *link = found->next;
  pthread_mutex_unlock(&memory->lock);
  return found;
}

// Writes which region a map is of, and sends the command with the transfer that fills it.
static cl_int send_map(struct command *command, cl_mem memory, struct mapping *made, bool blocking, cl_event *event) {
  wire_u32(&command->writer, id_of(memory));
  wire_u32(&command->writer, (uint32_t)made->flags);
  write_three(&command->writer, made->memory_origin);
  write_three(&command->writer, made->memory_region);
  if ((made->flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0)
    return read_into(command, made->bytes, &made->host, blocking, event);
  wire_u32(&command->writer, 0);
  return command_end(command, blocking, event);
}

static void *map(uint16_t operation, const char *call, cl_command_type type, cl_command_queue queue, cl_mem memory,
    bool blocking, const struct mapping *asked, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
    cl_event *event, cl_int *errcode_ret) {
  struct mapping *made = malloc(sizeof *made);
  cl_int code = made == NULL ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
  if (made != NULL) {
    *made = *asked;
    made->owned = made->bytes == NULL;
    if (made->owned && posix_memalign((void **)&made->bytes, MAP_ALIGNMENT, layout_bytes(&made->host)) != 0)
      code = CL_OUT_OF_HOST_MEMORY, made->bytes = NULL;
  }
  if (code != CL_SUCCESS) refuse(queue->context, code, call, "there is no memory for the map");
  else code = keep(memory, made, call);
  bool is_kept = code == CL_SUCCESS;
  struct command command;
  if (is_kept) code = command_begin(&command, operation, call, queue, type, blocking, WAITS);
  if (code == CL_SUCCESS) code = send_map(&command, memory, made, blocking, event);
  if (errcode_ret != NULL) *errcode_ret = code;
  if (code == CL_SUCCESS) return made->bytes + made->host.origin[0];
  if (is_kept) take_map(memory, made->bytes + made->host.origin[0]);
  if (made != NULL && made->owned) free(made->bytes);
  free(made);
  return NULL;
}

#define CHECK_MAP(expression) \
  do { \
    cl_int check_code = (expression); \
    if (check_code != CL_SUCCESS) { \
      if (errcode_ret != NULL) *errcode_ret = check_code; \
      return NULL; \
    } \
  } while (0)

void *clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map, cl_map_flags map_flags,
    size_t offset, size_t size, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event,
    cl_int *errcode_ret) {
  CHECK_MAP(check_object(__func__, command_queue, buffer, false));
  CHECK_MAP(check_range(__func__, buffer, offset, size));
  CHECK_MAP(check_map(__func__, buffer, map_flags));
  struct mapping asked = {.bytes = buffer->host == NULL ? NULL : (uint8_t *)buffer->host + offset,
      .flags = map_flags,
      .host = layout_plain(size),
      .memory_origin = {offset},
      .memory_region = {size, 1, 1}};
  return map(OPERATION_clEnqueueMapBuffer, __func__, CL_COMMAND_MAP_BUFFER, command_queue, buffer, blocking_map, &asked,
      WAITS, errcode_ret);
}

void *clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map, cl_map_flags map_flags,
    const size_t *origin, const size_t *region, size_t *image_row_pitch, size_t *image_slice_pitch,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event, cl_int *errcode_ret) {
  CHECK_MAP(check_object(__func__, command_queue, image, true));
  CHECK_MAP(check_box(__func__, image, origin, region));
  CHECK_MAP(check_map(__func__, image, map_flags));
  bool has_slices = image->type == CL_MEM_OBJECT_IMAGE3D || image->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                    image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  REQUIRE_OBJECT(image->context, image_row_pitch != NULL && (!has_slices || image_slice_pitch != NULL),
      CL_INVALID_VALUE, "there is no room for the pitches");
  struct mapping asked = {.flags = map_flags};
  CHECK_MAP(pixel_layout(__func__, image, region, 0, 0, &asked.host));
  memcpy(asked.memory_origin, origin, sizeof asked.memory_origin);
  memcpy(asked.memory_region, region, sizeof asked.memory_region);
  bool rows_are_slices = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  if (image->host != NULL) {
    asked.host.row_pitch = rows_are_slices ? image->slice_pitch : image->row_pitch;
    asked.host.slice_pitch = image->slice_pitch > 0 ? image->slice_pitch : asked.host.row_pitch * region[1];
    asked.bytes = (uint8_t *)image->host + origin[2] * asked.host.slice_pitch + origin[1] * asked.host.row_pitch +
                  origin[0] * image->element_size;
  }
  void *bytes = map(OPERATION_clEnqueueMapImage, __func__, CL_COMMAND_MAP_IMAGE, command_queue, image, blocking_map,
      &asked, WAITS, errcode_ret);
  if (bytes == NULL) return NULL;
  *image_row_pitch = asked.host.row_pitch;
  if (image_slice_pitch != NULL)
    *image_slice_pitch = !has_slices ? 0 : rows_are_slices ? asked.host.row_pitch : asked.host.slice_pitch;
  return bytes;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  REQUIRE(NULL, object_is(command_queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
  REQUIRE(command_queue->context, object_is(memobj, KIND_MEMORY), CL_INVALID_MEM_OBJECT, "no memory object is given");
  REQUIRE(command_queue->context, memobj->context == command_queue->context, CL_INVALID_CONTEXT,
      "the object and the queue belong to different contexts");
  struct command command;
  BEGIN(command, OPERATION_clEnqueueUnmapMemObject, command_queue, CL_COMMAND_UNMAP_MEM_OBJECT, false);
  struct mapping *ended = take_map(memobj, mapped_ptr);
  if (ended == NULL)
    return command_cancel(&command, CL_INVALID_VALUE, "mapped_ptr is no map of the object, or was unmapped before");
  wire_u32(&command.writer, id_of(memobj));
  wire_u32(&command.writer, writes_map(ended->flags));
  write_three(&command.writer, ended->memory_origin);
  write_three(&command.writer, ended->memory_region);
  cl_int code;
  if (writes_map(ended->flags)) {
    code = write_from(&command, ended->bytes, &ended->host, ended->owned, false, event);
  } else {
    code = command_end(&command, false, event);
    if (ended->owned) free(ended->bytes);
  }
  free(ended);
  return code;
}

// ---- shared virtual memory: the device is in another process

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  (void)flags, (void)size, (void)alignment;
  if (object_is(context, KIND_CONTEXT))
    refuse(context, CL_INVALID_OPERATION, __func__, "the device shares no memory with this process");
  return NULL;
}

void clSVMFree(cl_context context, void *svm_pointer) { (void)context, (void)svm_pointer; }

#define REFUSE_SVM(queue) \
  do { \
    REQUIRE(NULL, object_is(queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given"); \
    CHECK(check_waits(__func__, (queue)->context, num_events_in_wait_list, event_wait_list)); \
    (void)event; \
    return refuse((queue)->context, CL_INVALID_OPERATION, __func__, "the device shares no memory with this process"); \
  } while (0)

cl_int clEnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers, void *svm_pointers[],
    void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void *[], void *), void *user_data,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  (void)num_svm_pointers, (void)svm_pointers, (void)pfn_free_func, (void)user_data;
  REFUSE_SVM(command_queue);
}

cl_int clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr, const void *src_ptr,
    size_t size, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  (void)blocking_copy, (void)dst_ptr, (void)src_ptr, (void)size;
  REFUSE_SVM(command_queue);
}

cl_int clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern, size_t pattern_size,
    size_t size, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  (void)svm_ptr, (void)pattern, (void)pattern_size, (void)size;
  REFUSE_SVM(command_queue);
}

cl_int clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags, void *svm_ptr,
    size_t size, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  (void)blocking_map, (void)flags, (void)svm_ptr, (void)size;
  REFUSE_SVM(command_queue);
}

cl_int clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event) {
  (void)svm_ptr;
  REFUSE_SVM(command_queue);
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers, const void **svm_pointers,
    const size_t *sizes, cl_mem_migration_flags flags, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
    cl_event *event) {
  (void)num_svm_pointers, (void)svm_pointers, (void)sizes, (void)flags;
  REFUSE_SVM(command_queue);
}
