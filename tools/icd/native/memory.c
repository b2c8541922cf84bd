// SPDX-License-Identifier: Apache-2.0
// Memory objects and samplers: made, kept, given back.
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "callbacks.h"
#include "device_memory.h"
#include "facts.h"
#include "generated/operations.h"
#include "host_copy.h"
#include "moves.h"
#include "transfers.h"

enum {
  KERNEL_ACCESS = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
  HOST_ACCESS = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
  HOST_POINTER = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR
};

static bool at_most_one(cl_ulong bits) { return (bits & (bits - 1)) == 0; }

static cl_int check_flags(const char *call, cl_context context, cl_mem_flags flags, cl_mem_flags more) {
  bool known = (flags & ~(cl_mem_flags)(KERNEL_ACCESS | HOST_POINTER | HOST_ACCESS | more)) == 0;
  if (!known || !at_most_one(flags & KERNEL_ACCESS) || !at_most_one(flags & HOST_ACCESS))
    return refuse(context, CL_INVALID_VALUE, call, "the flags cannot be combined");
  if ((flags & CL_MEM_USE_HOST_PTR) != 0 && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0)
    return refuse(context, CL_INVALID_VALUE, call,
        "CL_MEM_USE_HOST_PTR cannot be combined with CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR");
  return CL_SUCCESS;
}

static cl_mem new_memory(cl_context context, cl_mem_object_type type, cl_mem_flags flags) {
  cl_mem memory = object_new(KIND_MEMORY, sizeof *memory);
  if (memory == NULL) return NULL;
  object_use(memory->context = context);
  memory->type = type;
  memory->flags = (flags & KERNEL_ACCESS) == 0 ? flags | CL_MEM_READ_WRITE : flags;
  memory->stamp = device_stamp();
  pthread_mutex_init(&memory->lock, NULL);
  return memory;
}

// Small buffers are not waited for: what the server has no memory for fails its commands. Every so many one is, so that
// a program which takes all memory there is receives an error.
enum { SMALL_BUFFER = 1 << 20, BUFFERS_PER_WAIT = 32 };
// In a frame: there are no first bytes.
enum { NO_CONTENTS = 2 };

static bool waits_for_buffer(size_t size, const void *contents) {
  static atomic_uint made;
  return size > SMALL_BUFFER || (contents != NULL && size > TRANSFER_INLINE) ||
         atomic_fetch_add(&made, 1) % BUFFERS_PER_WAIT == BUFFERS_PER_WAIT - 1;
}

// Sends what makes an object, and waits.
static cl_mem made(struct wire_writer *writer, const char *call, cl_mem memory, struct reply *reply,
                   cl_int *errcode_ret) {
  cl_int code = CL_OUT_OF_HOST_MEMORY;
  if (writer->failed) wire_end(writer), refuse(memory->context, code, call, "there is no memory for the frame");
  else code = ask_server(memory->context, call, writer, reply);
  if (errcode_ret != NULL) *errcode_ret = code;
  if (code == CL_SUCCESS) return memory;
  object_forget(memory);
  return NULL;
}

// Gives a new object its first bytes, in a box that fills it: where they are known to be here, or by a second frame.
static cl_mem filled(uint16_t operation, const char *call, cl_mem memory, uint8_t *contents,
    const struct layout *layout, const struct layout *all, cl_int *errcode_ret) {
  uint8_t *device = device_bytes(memory);
  if (device != NULL) {
    layout_move(layout, contents, all, device, true);
    return memory;
  }
  struct wire_writer writer;
  struct reply reply;
  wire_begin(&writer, operation);
  wire_u32(&writer, id_of(memory));
  wire_u32(&writer, 0);
  uint32_t transfer = 0;
  bool is_ready = transfer_put(&writer, contents, layout, TRANSFER_AWAITED, &transfer);
  if (!is_ready) wire_end(&writer);
  cl_int code = is_ready ? ask_server(memory->context, call, &writer, &reply)
                         : refuse(memory->context, CL_OUT_OF_HOST_MEMORY, call, "there is no memory for the transfer");
  transfer_forget(transfer);
  if (code == CL_SUCCESS) {
    connection_free_reply(&reply);
    return memory;
  }
  object_release(memory);
  if (errcode_ret != NULL) *errcode_ret = code;
  return NULL;
}

static cl_mem make_buffer(
    const char *call, cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret) {
  cl_mem memory = new_memory(context, CL_MEM_OBJECT_BUFFER, flags);
  if (memory == NULL) {
    if (errcode_ret != NULL)
      *errcode_ret = refuse(context, CL_OUT_OF_HOST_MEMORY, call, "there is no memory for the buffer");
    return NULL;
  }
  memory->size = size;
  memory->host = (flags & CL_MEM_USE_HOST_PTR) != 0 ? host_ptr : NULL;
  if (memory->host != NULL) host_copy_begin(memory);
  struct layout layout = layout_plain(size);
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clCreateBuffer);
  wire_u32(&writer, id_of(memory));
  wire_u32(&writer, id_of(context));
  wire_u32(&writer, memory->stamp);
  wire_u32(&writer, (uint32_t)(flags & KERNEL_ACCESS));
  wire_u64(&writer, size);
  if (waits_for_buffer(size, host_ptr)) {
    struct reply reply;
    wire_u32(&writer, NO_CONTENTS);
    memory = made(&writer, call, memory, &reply, errcode_ret);
    if (memory == NULL) return NULL;
    connection_free_reply(&reply);
    struct layout all = device_range(0, size);
    return host_ptr == NULL
               ? memory
               : filled(OPERATION_clCreateBuffer, call, memory, host_ptr, &layout, &all, errcode_ret);
  }
  uint32_t none;
  if (host_ptr == NULL) wire_u32(&writer, NO_CONTENTS);
  else transfer_put(&writer, host_ptr, &layout, false, &none);
  cl_int code = tell_server(context, call, &writer);
  if (code != CL_SUCCESS) object_forget(memory);
  if (errcode_ret != NULL) *errcode_ret = code;
  return code == CL_SUCCESS ? memory : NULL;
}

// Keeps the list that an object was made with, for which only {0} is possible, and its queries.
static cl_mem keep_list(const char *call, cl_mem memory, const void *list, cl_int *errcode_ret) {
  if (memory == NULL || object_keep_properties(memory, list, 1)) return memory;
  cl_int code = refuse(memory->context, CL_OUT_OF_HOST_MEMORY, call, "there is no memory for the properties");
  if (errcode_ret != NULL) *errcode_ret = code;
  object_release(memory);
  return NULL;
}

static size_t most_bytes(cl_context context) {
  size_t most = 0;
  for (cl_uint i = 0; i < context->device_count; i++)
    if (context->devices[i]->most_allocated > most) most = context->devices[i]->most_allocated;
  return most;
}

#define CHECK_BUFFER(context, flags, size, host_ptr) \
  do { \
    REQUIRE_OBJECT(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given"); \
    cl_int flags_code = check_flags(__func__, context, flags, 0); \
    REQUIRE_OBJECT(context, flags_code == CL_SUCCESS, flags_code, "the flags cannot be combined"); \
    REQUIRE_OBJECT(context, size > 0 && size <= most_bytes(context), CL_INVALID_BUFFER_SIZE, \
        "a buffer has at least one byte and at most CL_DEVICE_MAX_MEM_ALLOC_SIZE"); \
    bool needs_host = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0; \
    REQUIRE_OBJECT(context, needs_host == (host_ptr != NULL), CL_INVALID_HOST_PTR, \
        "host_ptr goes with CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR, and they with it"); \
  } while (0)

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret) {
  CHECK_BUFFER(context, flags, size, host_ptr);
  return make_buffer(__func__, context, flags, size, host_ptr, errcode_ret);
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
    size_t size, void *host_ptr, cl_int *errcode_ret) {
  CHECK_BUFFER(context, flags, size, host_ptr);
  REQUIRE_OBJECT(
      context, properties == NULL || properties[0] == 0, CL_INVALID_PROPERTY, "there are no properties of buffers");
  return keep_list(
      __func__, make_buffer(__func__, context, flags, size, host_ptr, errcode_ret), properties, errcode_ret);
}

// Flags of what shows the bytes of `parent`: those that are not given come from it.
static cl_mem_flags inherited_flags(cl_mem parent, cl_mem_flags flags) {
  cl_mem_flags access = (flags & KERNEL_ACCESS) == 0 ? parent->flags & KERNEL_ACCESS : flags & KERNEL_ACCESS;
  cl_mem_flags host = (flags & HOST_ACCESS) == 0 ? parent->flags & HOST_ACCESS : flags & HOST_ACCESS;
  return access | host | (parent->flags & HOST_POINTER);
}

static cl_int check_inherited(const char *call, cl_mem parent, cl_mem_flags flags) {
  cl_context context = parent->context;
  if ((flags & HOST_POINTER) != 0)
    return refuse(context, CL_INVALID_VALUE, call, "the flags say where bytes come from that the parent has");
  cl_int code = check_flags(call, context, flags, 0);
  if (code != CL_SUCCESS) return code;
  cl_mem_flags kernels = parent->flags & KERNEL_ACCESS, host = parent->flags & HOST_ACCESS,
               inherited = inherited_flags(parent, flags);
  if (kernels != CL_MEM_READ_WRITE && (inherited & KERNEL_ACCESS) != kernels)
    return refuse(context, CL_INVALID_VALUE, call, "the sub-buffer allows kernels more access than its parent");
  bool widens = host != 0 && (inherited & HOST_ACCESS) != host && (inherited & HOST_ACCESS) != CL_MEM_HOST_NO_ACCESS;
  if (widens)
    return refuse(context, CL_INVALID_VALUE, call, "the sub-buffer allows the host more access than its parent");
  return CL_SUCCESS;
}

cl_mem clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type buffer_create_type,
    const void *buffer_create_info, cl_int *errcode_ret) {
  REQUIRE_OBJECT(NULL, object_is(buffer, KIND_MEMORY) && buffer->type == CL_MEM_OBJECT_BUFFER && buffer->parent == NULL,
      CL_INVALID_MEM_OBJECT, "no buffer is given, or a part of one");
  cl_context context = buffer->context;
  REQUIRE_OBJECT(context, buffer_create_type == CL_BUFFER_CREATE_TYPE_REGION && buffer_create_info != NULL,
      CL_INVALID_VALUE, "a region is needed");
  const cl_buffer_region *region = buffer_create_info;
  cl_int code = check_inherited(__func__, buffer, flags);
  if (code != CL_SUCCESS && errcode_ret != NULL) *errcode_ret = code;
  if (code != CL_SUCCESS) return NULL;
  cl_mem_flags inherited = inherited_flags(buffer, flags);
  REQUIRE_OBJECT(context, region->size > 0, CL_INVALID_BUFFER_SIZE, "a sub-buffer has at least one byte");
  REQUIRE_OBJECT(context, region->origin <= buffer->size && region->size <= buffer->size - region->origin,
      CL_INVALID_VALUE, "the part is not inside of the buffer");
  for (cl_uint i = 0; i < context->device_count; i++)
    REQUIRE_OBJECT(context, region->origin % context->devices[i]->base_alignment == 0, CL_MISALIGNED_SUB_BUFFER_OFFSET,
        "a sub-buffer starts at a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN");
  cl_mem part = new_memory(context, CL_MEM_OBJECT_BUFFER, inherited);
  REQUIRE_OBJECT(context, part != NULL, CL_OUT_OF_HOST_MEMORY, "there is no memory for the part");
  object_use(part->parent = buffer);
  part->offset = region->origin;
  part->size = region->size;
  part->host = buffer->host == NULL ? NULL : (uint8_t *)buffer->host + region->origin;
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clCreateSubBuffer);
  wire_u32(&writer, id_of(part));
  wire_u32(&writer, id_of(buffer));
  wire_u32(&writer, (uint32_t)(inherited & KERNEL_ACCESS));
  wire_u64(&writer, region->origin);
  wire_u64(&writer, region->size);
  if (!connection_send(&writer)) {
    object_forget(part);
    REQUIRE_OBJECT(context, false, CL_OUT_OF_RESOURCES, "the server is gone");
  }
  if (errcode_ret != NULL) *errcode_ret = CL_SUCCESS;
  return part;
}

// ---- images

// Whether pitches of the application's bytes are 0 or go with the image's sizes.
static bool fits_pitches(cl_mem image, const cl_image_desc *desc) {
  size_t row = image->width * image->element_size, row_pitch = desc->image_row_pitch,
         slice_pitch = desc->image_slice_pitch;
  if (row_pitch != 0 && (row_pitch < row || row_pitch % image->element_size != 0)) return false;
  if (row_pitch == 0) row_pitch = row;
  bool has_slices = image->type == CL_MEM_OBJECT_IMAGE3D || image->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                    image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  size_t rows = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : image->height;
  return !has_slices || slice_pitch == 0 || (slice_pitch >= row_pitch * rows && slice_pitch % row_pitch == 0);
}

// What decides how an image lies in device memory, and what the server has told of such a one.
enum { IMAGE_FACTS = 8, MOST_SHAPES = 64 };
struct image_shape {
  uint64_t flags, sizes[6];
  uint32_t operation, order, data_type, type;
};
struct known_shape {
  struct image_shape shape;
  uint64_t facts[IMAGE_FACTS];
};

static struct question question_of(const struct image_shape *shape) {
  uint64_t sum = 0;
  const uint8_t *bytes = (const uint8_t *)shape;
  for (size_t i = 0; i < sizeof *shape; i++) sum = (sum ^ bytes[i]) * 0x100000001b3;
  return (struct question){.operation = (uint16_t)shape->operation, .second = sum};
}

// False: no image of this shape has been made in the context, or the answer is another shape's.
static bool find_shape(
    cl_context context, const struct image_shape *shape, uint64_t facts[IMAGE_FACTS], uint32_t *age) {
  struct question question = question_of(shape);
  size_t length = 0;
  struct known_shape *known = answer_find(context, &question, &length, age);
  bool is_it = known != NULL && memcmp(&known->shape, shape, sizeof *shape) == 0;
  if (is_it) memcpy(facts, known->facts, sizeof known->facts);
  free(known);
  return is_it;
}

static void keep_shape(cl_context context, const struct image_shape *shape, const uint64_t *facts, uint32_t age) {
  struct question question = question_of(shape);
  struct known_shape known = {.shape = *shape};
  memcpy(known.facts, facts, sizeof known.facts);
  if (atomic_fetch_add(&context->shapes, 1) < MOST_SHAPES)
    answer_keep(context, &question, &known, sizeof known, age);
}

static cl_mem make_image(const char *call, uint16_t operation, cl_context context, cl_mem_flags flags,
    const cl_image_format *format, const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret) {
  cl_mem image = new_memory(
      context, desc->image_type, desc->mem_object == NULL ? flags : inherited_flags(desc->mem_object, flags));
  if (image == NULL) {
    if (errcode_ret != NULL)
      *errcode_ret = refuse(context, CL_OUT_OF_HOST_MEMORY, call, "there is no memory for the image");
    return NULL;
  }
  if (desc->mem_object != NULL) object_use(image->parent = desc->mem_object);
  image->host = (flags & CL_MEM_USE_HOST_PTR) != 0 ? host_ptr : NULL;
  image->format = *format;
  // The server computes the size of pixels, which the application's bytes need: it is queried first, and gets the bytes
  // then.
  struct wire_writer writer;
  struct reply reply;
  wire_begin(&writer, operation);
  wire_u32(&writer, id_of(image));
  wire_u32(&writer, id_of(context));
  wire_u32(&writer, image->stamp);
  wire_u32(&writer, (uint32_t)flags);
  wire_u32(&writer, format->image_channel_order);
  wire_u32(&writer, format->image_channel_data_type);
  wire_u32(&writer, desc->image_type);
  const size_t sizes[] = {desc->image_width, desc->image_height, desc->image_depth, desc->image_array_size,
      desc->image_row_pitch, desc->image_slice_pitch};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) wire_u64(&writer, sizes[i]);
  wire_u32(&writer, desc->num_mip_levels);
  wire_u32(&writer, desc->num_samples);
  wire_u32(&writer, id_of(desc->mem_object));
  wire_u32(&writer, host_ptr != NULL);
  // Another image of the same shape has the same facts: then nobody waits, as for small buffers.
  struct image_shape shape = {.flags = flags, .operation = operation, .order = format->image_channel_order,
      .data_type = format->image_channel_data_type, .type = desc->image_type};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) shape.sizes[i] = sizes[i];
  uint64_t facts[IMAGE_FACTS];
  uint32_t age = 0;
  bool has_own_bytes = desc->mem_object == NULL && host_ptr == NULL;
  bool is_known = has_own_bytes && find_shape(context, &shape, facts, &age) &&
                  !waits_for_buffer((size_t)facts[IMAGE_FACTS - 1], NULL);
  if (is_known) {
    cl_int code = tell_server(context, call, &writer);
    if (errcode_ret != NULL) *errcode_ret = code;
    if (code != CL_SUCCESS) object_forget(image);
    if (code != CL_SUCCESS) return NULL;
  } else {
    image = made(&writer, call, image, &reply, errcode_ret);
    if (image == NULL) return NULL;
    for (int i = 0; i < IMAGE_FACTS; i++) facts[i] = wire_read_u64(&reply.reader);
    connection_free_reply(&reply);
  }
  size_t *const places[IMAGE_FACTS] = {&image->element_size, &image->width, &image->height, &image->depth,
      &image->layers, &image->row_pitch, &image->slice_pitch, &image->size};
  for (int i = 0; i < IMAGE_FACTS; i++) *places[i] = (size_t)facts[i];
  image->device_row_pitch = image->row_pitch;
  image->device_slice_pitch = image->slice_pitch;
  // Only what lies within the image is moved here.
  if (!image_fits(image)) image->stamp = 0;
  if (!image_holds(image, desc)) {
    object_release(image);
    REQUIRE_OBJECT(context, false, CL_OUT_OF_RESOURCES, "the server made another image");
  }
  if (has_own_bytes && !is_known) keep_shape(context, &shape, facts, age);
  if (host_ptr == NULL) return image;
  if (!fits_pitches(image, desc)) {
    object_release(image);
    REQUIRE_OBJECT(context, false,
        operation == OPERATION_clCreateImage ? CL_INVALID_IMAGE_DESCRIPTOR : CL_INVALID_IMAGE_SIZE,
        "a pitch is less than what it leads over, or no number of pixels or rows");
  }
  size_t rows = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? image->layers : image->height > 0 ? image->height : 1;
  size_t slices = image->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? image->layers : image->depth > 0 ? image->depth : 1;
  size_t row_bytes = image->width * image->element_size;
  // The rows of 1-D arrays are a slice pitch apart.
  size_t row_pitch = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY && desc->image_slice_pitch > 0 ? desc->image_slice_pitch
                     : desc->image_row_pitch > 0                                               ? desc->image_row_pitch
                                                                                               : row_bytes;
  struct layout layout = {.region = {row_bytes, rows, slices},
      .row_pitch = row_pitch,
      .slice_pitch = desc->image_slice_pitch > 0 && slices > 1 ? desc->image_slice_pitch : row_pitch * rows};
  // Maps of memory of the application's go by its pitches.
  image->row_pitch = row_pitch;
  image->slice_pitch = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? row_pitch : layout.slice_pitch;
  const size_t start[3] = {0}, pixels[3] = {image->width, rows, slices};
  struct layout all = device_box(image, start, pixels);
  if (image->host != NULL) host_copy_begin(image);
  return filled(operation, call, image, host_ptr, &layout, &all, errcode_ret);
}

static cl_int check_image(const char *call, cl_context context, cl_mem_flags flags, const cl_image_format *format,
    const cl_image_desc *desc, const void *host_ptr) {
  cl_int code = check_flags(call, context, flags, CL_MEM_KERNEL_READ_AND_WRITE);
  if (code != CL_SUCCESS) return code;
  if (format == NULL) return refuse(context, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, call, "image_format is NULL");
  if (desc == NULL) return refuse(context, CL_INVALID_IMAGE_DESCRIPTOR, call, "image_desc is NULL");
  if (desc->num_mip_levels != 0 || desc->num_samples != 0)
    return refuse(
        context, CL_INVALID_IMAGE_DESCRIPTOR, call, "images have one level and one sample, for which 0 is written");
  if (desc->mem_object != NULL && !object_is(desc->mem_object, KIND_MEMORY))
    return refuse(context, CL_INVALID_IMAGE_DESCRIPTOR, call, "mem_object is no memory object");
  if (desc->mem_object != NULL)
    code = check_inherited(call, desc->mem_object, flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE);
  if (code != CL_SUCCESS) return code;
  bool needs_host = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
  if (needs_host != (host_ptr != NULL))
    return refuse(context, CL_INVALID_HOST_PTR, call,
        "host_ptr goes with CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR, and they with it");
  return CL_SUCCESS;
}

#define CHECK_IMAGE(context, flags, format, desc, host_ptr) \
  do { \
    REQUIRE_OBJECT(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given"); \
    cl_int image_code = check_image(__func__, context, flags, format, desc, host_ptr); \
    if (image_code != CL_SUCCESS && errcode_ret != NULL) *errcode_ret = image_code; \
    if (image_code != CL_SUCCESS) return NULL; \
  } while (0)

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
    const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret) {
  CHECK_IMAGE(context, flags, image_format, image_desc, host_ptr);
  return make_image(__func__, OPERATION_clCreateImage, context, flags, image_format, image_desc, host_ptr, errcode_ret);
}

cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
    const cl_image_format *image_format, const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret) {
  CHECK_IMAGE(context, flags, image_format, image_desc, host_ptr);
  REQUIRE_OBJECT(
      context, properties == NULL || properties[0] == 0, CL_INVALID_PROPERTY, "there are no properties of images");
  cl_mem image =
      make_image(__func__, OPERATION_clCreateImage, context, flags, image_format, image_desc, host_ptr, errcode_ret);
  return keep_list(__func__, image, properties, errcode_ret);
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format, size_t image_width,
    size_t image_height, size_t image_row_pitch, void *host_ptr, cl_int *errcode_ret) {
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
      .image_width = image_width,
      .image_height = image_height,
      .image_row_pitch = image_row_pitch};
  CHECK_IMAGE(context, flags, image_format, &desc, host_ptr);
  return make_image(__func__, OPERATION_clCreateImage2D, context, flags, image_format, &desc, host_ptr, errcode_ret);
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format, size_t image_width,
    size_t image_height, size_t image_depth, size_t image_row_pitch, size_t image_slice_pitch, void *host_ptr,
    cl_int *errcode_ret) {
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
      .image_width = image_width,
      .image_height = image_height,
      .image_depth = image_depth,
      .image_row_pitch = image_row_pitch,
      .image_slice_pitch = image_slice_pitch};
  CHECK_IMAGE(context, flags, image_format, &desc, host_ptr);
  return make_image(__func__, OPERATION_clCreateImage3D, context, flags, image_format, &desc, host_ptr, errcode_ret);
}

cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
    cl_uint num_entries, cl_image_format *image_formats, cl_uint *num_image_formats) {
  REQUIRE(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  cl_int code = check_flags(__func__, context, flags, CL_MEM_KERNEL_READ_AND_WRITE);
  if (code != CL_SUCCESS) return code;
  REQUIRE(context, image_formats == NULL || num_entries > 0, CL_INVALID_VALUE, "there is no room for an answer");
  const struct question asked = {OPERATION_clGetSupportedImageFormats, flags, image_type};
  size_t length = 0;
  uint32_t age;
  uint8_t *known = answer_find(context, &asked, &length, &age);
  struct reply reply = {.frame = NULL};
  if (known == NULL) {
    struct wire_writer writer;
    wire_begin(&writer, OPERATION_clGetSupportedImageFormats);
    wire_u32(&writer, id_of(context));
    wire_u32(&writer, (uint32_t)flags);
    wire_u32(&writer, image_type);
    code = ask_server(context, __func__, &writer, &reply);
    if (code != CL_SUCCESS) return code;
    answer_keep(context, &asked, reply.reader.bytes, reply.reader.length, age);
  }
  struct wire_reader reader =
      known == NULL ? reply.reader : (struct wire_reader){.bytes = known, .length = (uint32_t)length};
  cl_uint count = wire_read_u32(&reader);
  for (cl_uint i = 0; i < count; i++) {
    cl_image_format format = {
        .image_channel_order = wire_read_u32(&reader), .image_channel_data_type = wire_read_u32(&reader)};
    if (image_formats != NULL && i < num_entries) image_formats[i] = format;
  }
  connection_free_reply(&reply);
  free(known);
  if (num_image_formats != NULL) *num_image_formats = count;
  return CL_SUCCESS;
}

cl_mem clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size, cl_uint pipe_max_packets,
    const cl_pipe_properties *properties, cl_int *errcode_ret) {
  REQUIRE_OBJECT(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  REQUIRE_OBJECT(
      context, properties == NULL || properties[0] == 0, CL_INVALID_VALUE, "there are no properties of pipes");
  cl_mem pipe = new_memory(context, CL_MEM_OBJECT_PIPE, flags);
  REQUIRE_OBJECT(context, pipe != NULL, CL_OUT_OF_HOST_MEMORY, "there is no memory for the pipe");
  struct wire_writer writer;
  struct reply reply;
  wire_begin(&writer, OPERATION_clCreatePipe);
  wire_u32(&writer, id_of(pipe));
  wire_u32(&writer, id_of(context));
  wire_u32(&writer, (uint32_t)flags);
  wire_u32(&writer, pipe_packet_size);
  wire_u32(&writer, pipe_max_packets);
  pipe = made(&writer, __func__, pipe, &reply, errcode_ret);
  if (pipe == NULL) return NULL;
  pipe->size = wire_read_u64(&reply.reader);
  pipe->packet_size = pipe_packet_size;
  pipe->most_packets = pipe_max_packets;
  connection_free_reply(&reply);
  return keep_list(__func__, pipe, properties, errcode_ret);
}

// ---- counts and callbacks

cl_int clRetainMemObject(cl_mem memory) {
  REQUIRE(NULL, object_is(memory, KIND_MEMORY), CL_INVALID_MEM_OBJECT, "no memory object is given");
  object_retain(memory);
  return CL_SUCCESS;
}

cl_int clReleaseMemObject(cl_mem memory) {
  REQUIRE(NULL, object_is(memory, KIND_MEMORY) && atomic_load(&memory->object.references) > 0, CL_INVALID_MEM_OBJECT,
      "no memory object is given");
  object_release(memory);
  return CL_SUCCESS;
}

cl_int clSetMemObjectDestructorCallback(cl_mem memory, void(CL_CALLBACK *pfn_notify)(cl_mem, void *), void *user_data) {
  REQUIRE(NULL, object_is(memory, KIND_MEMORY), CL_INVALID_MEM_OBJECT, "no memory object is given");
  REQUIRE(memory->context, pfn_notify != NULL, CL_INVALID_VALUE, "pfn_notify is NULL");
  uint32_t callback = callback_new(CALLBACK_DESTRUCTOR, (void (*)(void))pfn_notify, memory, user_data, 0);
  REQUIRE(memory->context, callback != 0, CL_OUT_OF_HOST_MEMORY, "there is no memory for the callback");
  struct wire_writer writer;
  wire_begin(&writer, OPERATION_clSetMemObjectDestructorCallback);
  wire_u32(&writer, id_of(memory));
  wire_u32(&writer, callback);
  cl_int code = tell_server(memory->context, __func__, &writer);
  if (code != CL_SUCCESS) callback_forget(callback);
  return code;
}

// ---- samplers

// How a sampler reads. `list` are the properties that it was made with, as words; NULL: it was made without a list.
struct sampling {
  cl_ulong normalized, addressing, filter;
};

static cl_sampler make_sampler(uint16_t operation, const char *call, cl_context context, const struct sampling *how,
    const cl_sampler_properties *list, size_t count, cl_int *errcode_ret) {
  bool is_mode = how->addressing >= CL_ADDRESS_NONE && how->addressing <= CL_ADDRESS_MIRRORED_REPEAT,
       is_filter = how->filter == CL_FILTER_NEAREST || how->filter == CL_FILTER_LINEAR;
  bool repeats = how->addressing == CL_ADDRESS_REPEAT || how->addressing == CL_ADDRESS_MIRRORED_REPEAT;
  const char *wrong = !is_mode                          ? "this is no addressing mode"
                      : !is_filter                      ? "this is no filter"
                      : repeats && how->normalized == 0 ? "repetition requires normalised coordinates"
                      : how->normalized > 1             ? "coordinates are normalised (CL_TRUE) or not (CL_FALSE)"
                                                        : NULL;
  cl_int code = wrong == NULL ? CL_SUCCESS : refuse(context, CL_INVALID_VALUE, call, wrong);
  cl_sampler sampler = code == CL_SUCCESS ? object_new(KIND_SAMPLER, sizeof *sampler) : NULL;
  if (code == CL_SUCCESS && sampler == NULL)
    code = refuse(context, CL_OUT_OF_HOST_MEMORY, call, "there is no memory for the sampler");
  if (sampler != NULL) {
    object_use(sampler->context = context);
    object_keep_properties(sampler, list, count + 1);
    sampler->normalized = (cl_bool)how->normalized;
    sampler->addressing = (cl_addressing_mode)how->addressing;
    sampler->filter = (cl_filter_mode)how->filter;
    struct wire_writer writer;
    wire_begin(&writer, operation);
    wire_u32(&writer, id_of(sampler));
    wire_u32(&writer, id_of(context));
    wire_u32(&writer, (uint32_t)how->normalized);
    wire_u32(&writer, (uint32_t)how->addressing);
    wire_u32(&writer, (uint32_t)how->filter);
    wire_u32(&writer, (uint32_t)count);
    for (size_t i = 0; i < count; i++) wire_u64(&writer, list[i]);
    code = tell_server(context, call, &writer);
    if (code != CL_SUCCESS) object_forget(sampler);
  }
  if (errcode_ret != NULL) *errcode_ret = code;
  return code == CL_SUCCESS ? sampler : NULL;
}

cl_sampler clCreateSampler(cl_context context, cl_bool normalized_coords, cl_addressing_mode addressing_mode,
    cl_filter_mode filter_mode, cl_int *errcode_ret) {
  REQUIRE_OBJECT(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  const struct sampling how = {normalized_coords, addressing_mode, filter_mode};
  return make_sampler(OPERATION_clCreateSampler, __func__, context, &how, NULL, 0, errcode_ret);
}

cl_sampler clCreateSamplerWithProperties(
    cl_context context, const cl_sampler_properties *sampler_properties, cl_int *errcode_ret) {
  REQUIRE_OBJECT(NULL, object_is(context, KIND_CONTEXT), CL_INVALID_CONTEXT, "no context is given");
  struct sampling how = {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST};
  static const cl_sampler_properties names[] = {
      CL_SAMPLER_NORMALIZED_COORDS, CL_SAMPLER_ADDRESSING_MODE, CL_SAMPLER_FILTER_MODE};
  cl_ulong *const values[] = {&how.normalized, &how.addressing, &how.filter};
  bool given[3] = {false};
  size_t count = 0;
  for (; sampler_properties != NULL && sampler_properties[count] != 0; count += 2) {
    size_t i = 0;
    while (i < 3 && names[i] != sampler_properties[count]) i++;
    REQUIRE_OBJECT(context, i < 3 && !given[i], CL_INVALID_VALUE, "a property is none of samplers, or is given twice");
    given[i] = true;
    *values[i] = sampler_properties[count + 1];
  }
  return make_sampler(
      OPERATION_clCreateSamplerWithProperties, __func__, context, &how, sampler_properties, count, errcode_ret);
}

cl_int clRetainSampler(cl_sampler sampler) {
  REQUIRE(NULL, object_is(sampler, KIND_SAMPLER), CL_INVALID_SAMPLER, "no sampler is given");
  object_retain(sampler);
  return CL_SUCCESS;
}

cl_int clReleaseSampler(cl_sampler sampler) {
  REQUIRE(NULL, object_is(sampler, KIND_SAMPLER) && atomic_load(&sampler->object.references) > 0, CL_INVALID_SAMPLER,
      "no sampler is given");
  object_release(sampler);
  return CL_SUCCESS;
}
