// SPDX-License-Identifier: Apache-2.0
// What commands that move bytes check of their objects and regions.
#ifndef MUXKIT_ICD_TRANSFER_CHECKS_H
#define MUXKIT_ICD_TRANSFER_CHECKS_H

#include "commands.h"

cl_int check_object(const char *call, cl_command_queue queue, cl_mem memory, bool is_image);
cl_int check_range(const char *call, cl_mem buffer, size_t offset, size_t size);
cl_int check_access(const char *call, cl_mem memory, bool writes);
cl_int check_box(const char *call, cl_mem image, const size_t *origin, const size_t *region);
// Pitches of a side, tight where they are 0.
cl_int check_pitches(const char *call, cl_context context, const size_t *region, size_t *row, size_t *slice);
// The application's side of a box of pixels.
cl_int pixel_layout(
    const char *call, cl_mem image, const size_t *region, size_t row_pitch, size_t slice_pitch, struct layout *layout);

// Ends the function when a check fails.
#define CHECK(expression) \
  do { \
    cl_int check_code = (expression); \
    if (check_code != CL_SUCCESS) return check_code; \
  } while (0)

inline static void write_three(struct wire_writer *writer, const size_t *values) {
  for (int axis = 0; axis < 3; axis++) wire_u64(writer, values[axis]);
}

#endif
