// SPDX-License-Identifier: Apache-2.0
// Maps. The application gets the object's own bytes where they are in this process (device_memory.h); else, or where it
// brought memory of its own, a copy that is read when the map begins and written when it ends.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "device_memory.h"
#include "generated/operations.h"
#include "host_copy.h"
#include "moves.h"
#include "transfer_checks.h"
#include "transfers.h"

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

static void forget_map(cl_mem memory, const struct mapping *made) {
  pthread_mutex_lock(&memory->lock);
  struct mapping **link = &memory->mappings;
  while (*link != made) link = &(*link)->next;
  *link = made->next;
  pthread_mutex_unlock(&memory->lock);
}

// Takes a map out again; NULL: there is none at these bytes.
static struct mapping *take_map(cl_mem memory, const void *bytes) {
  pthread_mutex_lock(&memory->lock);
  struct mapping **link = &memory->mappings;
  // The bytes of one that waits are not known yet.
  while (*link != NULL && ((*link)->bytes == NULL || (*link)->bytes + (*link)->host.origin[0] != bytes))
    link = &(*link)->next;
  struct mapping *found = *link;
  if (found != NULL) *link = found->next;
  pthread_mutex_unlock(&memory->lock);
  return found;
}

static void write_region(struct command *command, cl_mem memory, uint32_t word, const struct mapping *mapped) {
  wire_u32(&command->writer, id_of(memory));
  wire_u32(&command->writer, word);
  write_three(&command->writer, mapped->memory_origin);
  write_three(&command->writer, mapped->memory_region);
}

// The region in device memory.
static struct layout device_region(cl_mem memory, const struct mapping *mapped) {
  return memory->element_size > 0 ? device_box(memory, mapped->memory_origin, mapped->memory_region)
                                  : device_range(mapped->memory_origin[0], mapped->memory_region[0]);
}

static uint8_t *first_byte(const struct layout *layout, uint8_t *bytes) {
  return bytes + layout->origin[2] * layout->slice_pitch + layout->origin[1] * layout->row_pitch + layout->origin[0];
}

// A map of the object's own bytes. Where they are may be known only behind the wait.
static cl_int map_device(const struct enqueue *asked, cl_mem memory, struct mapping *made) {
  cl_int code = move_nothing(asked, memory);
  uint8_t *device = device_bytes(memory);
  if (code != CL_SUCCESS || device == NULL)
    return code != CL_SUCCESS ? code
                              : refuse(memory->context, CL_OUT_OF_RESOURCES, asked->call,
                                    "the server does not say where the bytes are");
  struct layout region = device_region(memory, made);
  pthread_mutex_lock(&memory->lock);
  made->bytes = first_byte(&region, device);
  pthread_mutex_unlock(&memory->lock);
  return CL_SUCCESS;
}

// Reads the bytes of a map, or, where they are overwritten, none.
static cl_int copy_out(uint16_t operation, const struct enqueue *asked, cl_mem memory, struct mapping *made) {
  bool reads = (made->flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0;
  const struct move move = {memory, made->bytes, made->host, device_region(memory, made), false, false};
  cl_int code;
  if (reads && move_here(asked, &move, &code)) return code;
  struct command command;
  code = command_begin(&command, operation, asked->call, asked->queue, asked->type, asked->blocking, asked->wait_count,
      asked->waits, asked->event);
  if (code != CL_SUCCESS) return code;
  write_region(&command, memory, (uint32_t)made->flags, made);
  if (reads) return read_into(&command, made->bytes, &made->host, asked->blocking, asked->event);
  wire_u32(&command.writer, 0);
  return command_end(&command, asked->blocking, asked->event);
}

// A copy of the application's has been made by a command, or will be unless that fails. One that waits for events fails
// with them.
static void note_copy(const struct enqueue *asked, cl_mem memory, const struct mapping *copied, uint64_t age) {
  if (asked->blocking || asked->wait_count == 0) host_copy_made(memory, copied, asked->queue, asked->blocking, age);
}

// A map of a copy, which is ours or the application's.
static cl_int map_copy(uint16_t operation, const struct enqueue *asked, cl_mem memory, struct mapping *made) {
  bool reads = (made->flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0;
  if (reads && host_copy_is_current(memory, made, asked->queue)) return move_nothing(asked, memory);
  uint64_t age = host_copy_age(memory);
  cl_int code = copy_out(operation, asked, memory, made);
  if (code == CL_SUCCESS && reads) note_copy(asked, memory, made, age);
  return code;
}

// Maps a region; `wanted` gets the pitches of what the application is given.
static void *map(uint16_t operation, const struct enqueue *asked, cl_mem memory, struct mapping *wanted,
    cl_int *errcode_ret) {
  struct mapping *made = malloc(sizeof *made);
  cl_int code = made == NULL ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
  if (made != NULL) {
    wanted->is_device =
        wanted->bytes == NULL && (device_bytes(memory) != NULL || (asked->blocking && device_is_shared()));
    wanted->owned = wanted->bytes == NULL && !wanted->is_device;
    if (wanted->is_device && memory->element_size > 0)
      wanted->host.row_pitch = device_row_step(memory), wanted->host.slice_pitch = memory->device_slice_pitch;
    *made = *wanted;
    if (made->owned && posix_memalign((void **)&made->bytes, MAP_ALIGNMENT, layout_bytes(&made->host)) != 0)
      code = CL_OUT_OF_HOST_MEMORY, made->bytes = NULL;
  }
  if (code != CL_SUCCESS) refuse(memory->context, code, asked->call, "there is no memory for the map");
  else code = keep(memory, made, asked->call);
  bool is_kept = code == CL_SUCCESS;
  if (is_kept) code = made->is_device ? map_device(asked, memory, made) : map_copy(operation, asked, memory, made);
  if (errcode_ret != NULL) *errcode_ret = code;
  if (code == CL_SUCCESS) return made->bytes + made->host.origin[0];
  if (is_kept) forget_map(memory, made);
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
  const struct enqueue enqueue = ENQUEUE(CL_COMMAND_MAP_BUFFER, blocking_map);
  return map(OPERATION_clEnqueueMapBuffer, &enqueue, buffer, &asked, errcode_ret);
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
  const struct enqueue enqueue = ENQUEUE(CL_COMMAND_MAP_IMAGE, blocking_map);
  void *bytes = map(OPERATION_clEnqueueMapImage, &enqueue, image, &asked, errcode_ret);
  if (bytes == NULL) return NULL;
  *image_row_pitch = asked.host.row_pitch;
  if (image_slice_pitch != NULL)
    *image_slice_pitch = !has_slices ? 0 : rows_are_slices ? asked.host.row_pitch : asked.host.slice_pitch;
  return bytes;
}

static cl_int end_map(const struct enqueue *asked, cl_mem memory, const struct mapping *ended) {
  // Nobody could tell when a command ends that does nothing, waits for nothing and has no event.
  if (ended->is_device && asked->wait_count == 0 && asked->event == NULL) return CL_SUCCESS;
  if (ended->is_device) return move_nothing(asked, memory);
  bool writes = writes_map(ended->flags);
  const struct move move = {memory, ended->bytes, ended->host, device_region(memory, ended), true, ended->owned};
  cl_int code;
  if (writes && move_here(asked, &move, &code)) return code;
  struct command command;
  code = command_begin(&command, OPERATION_clEnqueueUnmapMemObject, asked->call, asked->queue, asked->type, false,
      asked->wait_count, asked->waits, asked->event);
  if (code == CL_SUCCESS) write_region(&command, memory, writes, ended);
  if (code == CL_SUCCESS && writes)
    return write_from(&command, ended->bytes, &ended->host, ended->owned, false, asked->event);
  if (code == CL_SUCCESS) code = command_end(&command, false, asked->event);
  if (ended->owned) free(ended->bytes);
  return code;
}

static cl_int unmap(const struct enqueue *asked, cl_mem memory, const struct mapping *ended) {
  if (!writes_map(ended->flags)) return end_map(asked, memory, ended);
  // It writes an object of which other bytes may be the application's.
  if (memory->host == NULL) {
    WRITES(asked->queue, memory);
    return end_map(asked, memory, ended);
  }
  uint64_t age = host_copy_age(memory);
  cl_int code = end_map(asked, memory, ended);
  if (code == CL_SUCCESS) note_copy(asked, memory, ended, age);
  return code;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event) {
  REQUIRE(NULL, object_is(command_queue, KIND_QUEUE), CL_INVALID_COMMAND_QUEUE, "no command queue is given");
  REQUIRE(command_queue->context, object_is(memobj, KIND_MEMORY), CL_INVALID_MEM_OBJECT, "no memory object is given");
  REQUIRE(command_queue->context, memobj->context == command_queue->context, CL_INVALID_CONTEXT,
      "the object and the queue belong to different contexts");
  CHECK(check_waits(__func__, command_queue->context, num_events_in_wait_list, event_wait_list));
  if (connection_lost()) return refuse_lost(command_queue->context, __func__);
  struct mapping *ended = take_map(memobj, mapped_ptr);
  REQUIRE(command_queue->context, ended != NULL, CL_INVALID_VALUE,
      "mapped_ptr is no map of the object, or was unmapped before");
  const struct enqueue asked = ENQUEUE(CL_COMMAND_UNMAP_MEM_OBJECT, false);
  cl_int code = unmap(&asked, memobj, ended);
  free(ended);
  return code;
}
