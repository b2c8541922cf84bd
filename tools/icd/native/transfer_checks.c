// SPDX-License-Identifier: Apache-2.0
#include "transfer_checks.h"

#include <string.h>

cl_int check_object(const char *call, cl_command_queue queue, cl_mem memory, bool is_image) {
  if (!object_is(queue, KIND_QUEUE)) return refuse(NULL, CL_INVALID_COMMAND_QUEUE, call, "no command queue is given");
  bool is_right =
      object_is(memory, KIND_MEMORY) && (is_image ? memory->element_size > 0 : memory->type == CL_MEM_OBJECT_BUFFER);
  if (!is_right)
    return refuse(queue->context, CL_INVALID_MEM_OBJECT, call, is_image ? "no image is given" : "no buffer is given");
  if (memory->context != queue->context)
    return refuse(queue->context, CL_INVALID_CONTEXT, call, "the object and the queue belong to different contexts");
  return CL_SUCCESS;
}

cl_int check_range(const char *call, cl_mem buffer, size_t offset, size_t size) {
  if (size == 0 || offset > buffer->size || size > buffer->size - offset)
    return refuse(buffer->context, CL_INVALID_VALUE, call, "the region is empty or not inside of the buffer");
  return CL_SUCCESS;
}

cl_int check_access(const char *call, cl_mem memory, bool writes) {
  cl_mem_flags forbids = CL_MEM_HOST_NO_ACCESS | (writes ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY);
  return (memory->flags & forbids) != 0 ? refuse(memory->context, CL_INVALID_OPERATION, call,
                                              writes ? "the flags of the object do not allow the host to write it"
                                                     : "the flags of the object do not allow the host to read it")
                                        : CL_SUCCESS;
}

cl_int check_box(const char *call, cl_mem image, const size_t *origin, const size_t *region) {
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
cl_int check_pitches(const char *call, cl_context context, const size_t *region, size_t *row, size_t *slice) {
  if (*row == 0) *row = region[0];
  if (*row < region[0]) return refuse(context, CL_INVALID_VALUE, call, "a row pitch is less than a row of the region");
  if (*slice == 0) *slice = *row * region[1];
  if (*slice < *row * region[1] || (*slice % *row) != 0)
    return refuse(context, CL_INVALID_VALUE, call,
        "a slice pitch is no multiple of the row pitch, or less than a slice of the region");
  return CL_SUCCESS;
}

// The application's side of a box of pixels.
cl_int pixel_layout(
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
