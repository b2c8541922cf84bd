// SPDX-License-Identifier: Apache-2.0
// Images: every order and type of channels with every type of image. What clGetSupportedImageFormats lists is made,
// and every query answers what the description says; what it does not list is refused.
#include "harness.h"

#define NAMED(name) {name, #name}
static const struct named {
  cl_uint value;
  const char *name;
} orders[] = {NAMED(CL_R), NAMED(CL_A), NAMED(CL_RG), NAMED(CL_RA), NAMED(CL_RGB), NAMED(CL_RGBA), NAMED(CL_BGRA),
    NAMED(CL_ARGB), NAMED(CL_ABGR), NAMED(CL_INTENSITY), NAMED(CL_LUMINANCE), NAMED(CL_Rx), NAMED(CL_RGx),
    NAMED(CL_RGBx), NAMED(CL_DEPTH), NAMED(CL_sRGB), NAMED(CL_sRGBx), NAMED(CL_sRGBA), NAMED(CL_sBGRA)},
  channel_types[] = {NAMED(CL_SNORM_INT8), NAMED(CL_SNORM_INT16), NAMED(CL_UNORM_INT8), NAMED(CL_UNORM_INT16),
      NAMED(CL_UNORM_SHORT_565), NAMED(CL_UNORM_SHORT_555), NAMED(CL_UNORM_INT_101010), NAMED(CL_UNORM_INT_101010_2),
      NAMED(CL_SIGNED_INT8), NAMED(CL_SIGNED_INT16), NAMED(CL_SIGNED_INT32), NAMED(CL_UNSIGNED_INT8),
      NAMED(CL_UNSIGNED_INT16), NAMED(CL_UNSIGNED_INT32), NAMED(CL_HALF_FLOAT), NAMED(CL_FLOAT)},
  image_types[] = {NAMED(CL_MEM_OBJECT_IMAGE1D), NAMED(CL_MEM_OBJECT_IMAGE1D_BUFFER),
      NAMED(CL_MEM_OBJECT_IMAGE1D_ARRAY), NAMED(CL_MEM_OBJECT_IMAGE2D), NAMED(CL_MEM_OBJECT_IMAGE2D_ARRAY),
      NAMED(CL_MEM_OBJECT_IMAGE3D)};

enum { WIDTH = 12, HEIGHT = 7, DEPTH = 5, LAYERS = 3, MOST_FORMATS = 512 };

static size_t channels(cl_channel_order order) {
  switch (order) {
  case CL_R: case CL_A: case CL_INTENSITY: case CL_LUMINANCE: case CL_DEPTH: case CL_Rx: return 1;
  case CL_RG: case CL_RA: case CL_RGx: return 2;
  case CL_RGB: case CL_RGBx: case CL_sRGB: return 3;
  default: return 4;
  }
}

static size_t pixel_bytes(const cl_image_format *format) {
  switch (format->image_channel_data_type) {
  case CL_UNORM_SHORT_565: case CL_UNORM_SHORT_555: return 2;
  case CL_UNORM_INT_101010: case CL_UNORM_INT_101010_2: return 4;
  case CL_SNORM_INT8: case CL_UNORM_INT8: case CL_SIGNED_INT8: case CL_UNSIGNED_INT8:
    return channels(format->image_channel_order);
  case CL_SIGNED_INT32: case CL_UNSIGNED_INT32: case CL_FLOAT: return 4 * channels(format->image_channel_order);
  default: return 2 * channels(format->image_channel_order);
  }
}

static size_t size_of(cl_mem image, cl_image_info token) {
  size_t value = SIZE_MAX;
  clGetImageInfo(image, token, sizeof value, &value, NULL);
  return value;
}

// The first query that does not answer what the image was made with; NULL: all do.
static const char *wrong_query(
    cl_mem image, cl_mem_object_type type, const cl_image_format *format, cl_mem_flags flags, cl_mem buffer) {
  bool has_rows = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D;
  bool has_layers = type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  bool has_slices = has_layers || type == CL_MEM_OBJECT_IMAGE3D;
  size_t pixel = pixel_bytes(format), row = size_of(image, CL_IMAGE_ROW_PITCH), bytes = 0;
  cl_image_format told = {0};
  cl_uint levels = 1, samples = 1;
  cl_mem_object_type told_type = 0;
  cl_mem_flags told_flags = 0;
  cl_mem of_image = image, of_memory = image;
  clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof told, &told, NULL);
  clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, NULL);
  clGetImageInfo(image, CL_IMAGE_NUM_SAMPLES, sizeof samples, &samples, NULL);
  clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof of_image, &of_image, NULL);
  clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof told_type, &told_type, NULL);
  clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof told_flags, &told_flags, NULL);
  clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
  clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof of_memory, &of_memory, NULL);
  size_t slice = size_of(image, CL_IMAGE_SLICE_PITCH), rows = has_rows ? HEIGHT : 1;
  if (memcmp(&told, format, sizeof told) != 0) return "CL_IMAGE_FORMAT";
  if (size_of(image, CL_IMAGE_ELEMENT_SIZE) != pixel) return "CL_IMAGE_ELEMENT_SIZE";
  if (row < WIDTH * pixel) return "CL_IMAGE_ROW_PITCH";
  if (has_slices ? slice < (type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? WIDTH * pixel : row * rows) : slice != 0)
    return "CL_IMAGE_SLICE_PITCH";
  if (size_of(image, CL_IMAGE_WIDTH) != WIDTH) return "CL_IMAGE_WIDTH";
  if (size_of(image, CL_IMAGE_HEIGHT) != (has_rows ? HEIGHT : 0)) return "CL_IMAGE_HEIGHT";
  if (size_of(image, CL_IMAGE_DEPTH) != (type == CL_MEM_OBJECT_IMAGE3D ? DEPTH : 0)) return "CL_IMAGE_DEPTH";
  if (size_of(image, CL_IMAGE_ARRAY_SIZE) != (has_layers ? LAYERS : 0)) return "CL_IMAGE_ARRAY_SIZE";
  if (levels != 0) return "CL_IMAGE_NUM_MIP_LEVELS";
  if (samples != 0) return "CL_IMAGE_NUM_SAMPLES";
  if (of_image != buffer) return "CL_IMAGE_BUFFER";
  if (told_type != type) return "CL_MEM_TYPE";
  if (told_flags != flags) return "CL_MEM_FLAGS";
  if (of_memory != buffer) return "CL_MEM_ASSOCIATED_MEMOBJECT";
  return bytes >= WIDTH * pixel * rows ? NULL : "CL_MEM_SIZE";
}

static bool is_listed(const cl_image_format *list, cl_uint count, const cl_image_format *format) {
  for (cl_uint i = 0; i < count; i++)
    if (memcmp(&list[i], format, sizeof *format) == 0) return true;
  return false;
}

// Orders that go with few types (OpenCL 3.0, 5.3.1.1); others are CL_INVALID_IMAGE_FORMAT_DESCRIPTOR.
static bool is_format(cl_channel_order order, cl_channel_type type) {
  bool is_norm = type == CL_UNORM_INT8 || type == CL_UNORM_INT16 || type == CL_SNORM_INT8 || type == CL_SNORM_INT16;
  bool is_packed = type == CL_UNORM_SHORT_565 || type == CL_UNORM_SHORT_555 || type == CL_UNORM_INT_101010;
  bool is_byte = type == CL_UNORM_INT8 || type == CL_SNORM_INT8 || type == CL_SIGNED_INT8 || type == CL_UNSIGNED_INT8;
  switch (order) {
  case CL_INTENSITY: case CL_LUMINANCE: return is_norm || type == CL_HALF_FLOAT || type == CL_FLOAT;
  case CL_RGB: case CL_RGBx: return is_packed;
  case CL_DEPTH: return type == CL_UNORM_INT16 || type == CL_FLOAT;
  case CL_ARGB: case CL_BGRA: case CL_ABGR: return is_byte;
  case CL_sRGB: case CL_sRGBx: case CL_sRGBA: case CL_sBGRA: return type == CL_UNORM_INT8;
  case CL_RGBA: return !is_packed;
  default: return !is_packed && type != CL_UNORM_INT_101010_2;
  }
}

static void one(const struct named *type, const struct named *order, const struct named *channel_type,
    const cl_image_format *list, cl_uint count) {
  const cl_image_format format = {order->value, channel_type->value};
  bool is_buffer = type->value == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  cl_mem buffer = is_buffer ? buffer_of(4096, NULL) : NULL;
  cl_image_desc description = {.image_type = type->value, .image_width = WIDTH, .mem_object = buffer};
  if (type->value != CL_MEM_OBJECT_IMAGE1D && !is_buffer && type->value != CL_MEM_OBJECT_IMAGE1D_ARRAY)
    description.image_height = HEIGHT;
  if (type->value == CL_MEM_OBJECT_IMAGE3D) description.image_depth = DEPTH;
  if (type->value == CL_MEM_OBJECT_IMAGE1D_ARRAY || type->value == CL_MEM_OBJECT_IMAGE2D_ARRAY)
    description.image_array_size = LAYERS;
  cl_int code = CL_SUCCESS;
  cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &format, &description, NULL, &code);
  char why[64];
  snprintf(why, sizeof why, "code %d", code);
  if (is_listed(list, count, &format)) {
    const char *wrong = code != CL_SUCCESS ? why : wrong_query(image, type->value, &format, CL_MEM_READ_ONLY, buffer);
    check(wrong == NULL, wrong, "%s, %s, %s: made, or refused by the right code", type->name, order->name,
        channel_type->name);
  } else {
    bool is_known = is_format(order->value, channel_type->value);
    check(image == NULL &&
              (code == CL_IMAGE_FORMAT_NOT_SUPPORTED || (!is_known && code == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)),
        why, "%s, %s, %s: made, or refused by the right code", type->name, order->name, channel_type->name);
  }
  if (image != NULL) clReleaseMemObject(image);
  if (buffer != NULL) clReleaseMemObject(buffer);
}

// Formats that every full profile has (OpenCL 3.0, 5.3.2.1), to read or write.
static void least(const struct named *type, const cl_image_format *list, cl_uint count) {
  static const cl_channel_type of_rgba[] = {CL_UNORM_INT8, CL_UNORM_INT16, CL_SIGNED_INT8, CL_SIGNED_INT16,
      CL_SIGNED_INT32, CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT, CL_FLOAT};
  bool has_all = true;
  for (size_t i = 0; i < LENGTH(of_rgba); i++)
    has_all = has_all && is_listed(list, count, &(cl_image_format){CL_RGBA, of_rgba[i]});
  check(has_all, NULL, "%s has the formats of CL_RGBA that a full profile has at least", type->name);
}

void images(void) {
  if (!device_number(CL_DEVICE_IMAGE_SUPPORT)) return;
  for (size_t t = 0; t < LENGTH(image_types); t++) {
    cl_image_format list[MOST_FORMATS];
    cl_uint count = 0, again = 0;
    cl_int code = clGetSupportedImageFormats(
        context, CL_MEM_READ_ONLY, image_types[t].value, MOST_FORMATS, list, &count);
    check(code == CL_SUCCESS && count > 0 && count <= MOST_FORMATS, NULL, "%s has formats", image_types[t].name);
    clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, image_types[t].value, 0, NULL, &again);
    check(again == count, NULL, "%s has as many formats when only their number is asked", image_types[t].name);
    least(&image_types[t], list, count);
    for (size_t o = 0; o < LENGTH(orders); o++)
      for (size_t c = 0; c < LENGTH(channel_types); c++)
        // A slice has every third combination.
        if (is_whole || (t + o + c) % 3 == 0) one(&image_types[t], &orders[o], &channel_types[c], list, count);
  }
}
