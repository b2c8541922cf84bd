// SPDX-License-Identifier: Apache-2.0
#include "facts.h"

bool answer_holds(uint32_t operation, cl_uint token, void *const *handles, const uint8_t *bytes, size_t length) {
  size_t first = 0, after = answer_type_count;
  while (first < after) {
    size_t middle = first + (after - first) / 2;
    const struct answer_type *type = &answer_types[middle];
    if (type->operation < operation || (type->operation == operation && type->token < token)) first = middle + 1;
    else after = middle;
  }
  const struct answer_type *type = &answer_types[first];
  if (first == answer_type_count || type->operation != operation || type->token != token) return false;
  size_t unit = type->kind == KIND_NONE ? type->unit : sizeof(void *);
  if ((handles == NULL) != (type->kind == KIND_NONE) || length % unit != 0 ||
      (type->count > 0 && length != unit * type->count))
    return false;
  for (size_t i = 0; handles != NULL && i < length / unit; i++)
    if (handles[i] != NULL && !object_is(handles[i], type->kind)) return false;
  return !type->is_text || (length > 0 && bytes[length - 1] == 0);
}

// Channels of an order; 0: not known.
static size_t channels(cl_uint order) {
  switch (order) {
  case CL_R: case CL_A: case CL_Rx: case CL_LUMINANCE: case CL_INTENSITY: case CL_DEPTH: return 1;
  case CL_RG: case CL_RA: case CL_RGx: return 2;
  case CL_RGB: case CL_RGBx: case CL_sRGB: return 3;
  default: return 4;
  }
}

// Bytes of a pixel.
static size_t pixel_bytes(const cl_image_format *format) {
  switch (format->image_channel_data_type) {
  case CL_UNORM_SHORT_565: case CL_UNORM_SHORT_555: return 2;
  case CL_UNORM_INT_101010: case CL_UNORM_INT_101010_2: return 4;
  case CL_SNORM_INT8:
  case CL_UNORM_INT8:
  case CL_SIGNED_INT8:
  case CL_UNSIGNED_INT8: return channels(format->image_channel_order);
  case CL_SIGNED_INT32: case CL_UNSIGNED_INT32: case CL_FLOAT: return 4 * channels(format->image_channel_order);
  default: return 2 * channels(format->image_channel_order);
  }
}

bool image_holds(const struct _cl_mem *image, const cl_image_desc *desc) {
  cl_mem_object_type type = image->type;
  bool has_rows = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D;
  bool has_layers = type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  return image->element_size == pixel_bytes(&image->format) && image->width == desc->image_width &&
         image->height == (has_rows ? desc->image_height : 0) &&
         image->depth == (type == CL_MEM_OBJECT_IMAGE3D ? desc->image_depth : 0) &&
         image->layers == (has_layers ? desc->image_array_size : 0);
}

bool image_fits(const struct _cl_mem *image) {
  bool is_row_array = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  uint64_t rows = is_row_array ? image->layers : image->height;
  uint64_t slices = is_row_array ? 1 : image->depth + image->layers;
  uint64_t step = is_row_array ? image->device_slice_pitch : image->device_row_pitch;
  uint64_t row = image->width * image->element_size, most = 1ull << 32;
  if (rows == 0) rows = 1;
  if (slices == 0) slices = 1;
  bool is_small = image->width < most && rows < most && slices < most && image->size <= most &&
                  step <= most && image->device_slice_pitch <= most;
  return is_small && (slices - 1) * image->device_slice_pitch <= image->size &&
         (slices - 1) * image->device_slice_pitch + (rows - 1) * step <= image->size &&
         (slices - 1) * image->device_slice_pitch + (rows - 1) * step + row <= image->size;
}
