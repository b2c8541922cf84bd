// SPDX-License-Identifier: Apache-2.0
// Commands that move bytes: reading, writing, copying, filling, of buffers and images.
#include <string.h>

#include "generated/operations.h"
#include "host_copy.h"
#include "moves.h"
#include "transfer_checks.h"
#include "transfers.h"

// ---- buffers

cl_int clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, size_t offset,
    size_t size, void *ptr, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  CHECK(check_object(__func__, command_queue, buffer, false));
  CHECK(check_range(__func__, buffer, offset, size));
  CHECK(check_access(__func__, buffer, false));
  REQUIRE(buffer->context, ptr != NULL, CL_INVALID_VALUE, "ptr is NULL");
  struct move move = {buffer, ptr, layout_plain(size), device_range(offset, size), false, false};
  MOVE_HERE(CL_COMMAND_READ_BUFFER, blocking_read, &move);
  struct command command;
  BEGIN(command, OPERATION_clEnqueueReadBuffer, command_queue, CL_COMMAND_READ_BUFFER, blocking_read);
  wire_u32(&command.writer, id_of(buffer));
  wire_u64(&command.writer, offset);
  wire_u64(&command.writer, size);
  return read_into(&command, ptr, &move.host, blocking_read, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, size_t offset,
    size_t size, const void *ptr, cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  CHECK(check_object(__func__, command_queue, buffer, false));
  CHECK(check_range(__func__, buffer, offset, size));
  CHECK(check_access(__func__, buffer, true));
  WRITES(command_queue, buffer);
  REQUIRE(buffer->context, ptr != NULL, CL_INVALID_VALUE, "ptr is NULL");
  struct move move = {buffer, (uint8_t *)ptr, layout_plain(size), device_range(offset, size), true, false};
  MOVE_HERE(CL_COMMAND_WRITE_BUFFER, blocking_write, &move);
  struct command command;
  BEGIN(command, OPERATION_clEnqueueWriteBuffer, command_queue, CL_COMMAND_WRITE_BUFFER, blocking_write);
  wire_u32(&command.writer, id_of(buffer));
  wire_u64(&command.writer, offset);
  wire_u64(&command.writer, size);
  return write_from(&command, ptr, &move.host, false, blocking_write, event);
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

// The buffer's side.
static struct layout rect_in(const size_t *origin, const size_t *region, const size_t *pitches) {
  struct layout layout = {.row_pitch = pitches[0], .slice_pitch = pitches[1]};
  memcpy(layout.origin, origin, sizeof layout.origin);
  memcpy(layout.region, region, sizeof layout.region);
  return layout;
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
  struct move move = {buffer, (uint8_t *)ptr, layout, rect_in(buffer_origin, region, pitches), false, false};
  MOVE_HERE(CL_COMMAND_READ_BUFFER_RECT, blocking_read, &move);
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
  WRITES(command_queue, buffer);
  struct move move = {buffer, (uint8_t *)ptr, layout, rect_in(buffer_origin, region, pitches), true, false};
  MOVE_HERE(CL_COMMAND_WRITE_BUFFER_RECT, blocking_write, &move);
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
  WRITES(command_queue, dst_buffer);
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
  WRITES(command_queue, dst_buffer);
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
  WRITES(command_queue, buffer);
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
  struct move move = {image, (uint8_t *)ptr, layout, device_box(image, origin, region), false, false};
  MOVE_HERE(CL_COMMAND_READ_IMAGE, blocking_read, &move);
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
  WRITES(command_queue, image);
  REQUIRE(image->context, ptr != NULL, CL_INVALID_VALUE, "ptr is NULL");
  struct move move = {image, (uint8_t *)ptr, layout, device_box(image, origin, region), true, false};
  MOVE_HERE(CL_COMMAND_WRITE_IMAGE, blocking_write, &move);
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
  WRITES(command_queue, image);
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
  WRITES(command_queue, dst_image);
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
  WRITES(queue, type == CL_COMMAND_COPY_IMAGE_TO_BUFFER ? buffer : image);
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
