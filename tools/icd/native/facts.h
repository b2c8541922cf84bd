// SPDX-License-Identifier: Apache-2.0
// Plausibility of the server's replies: a wrong one must not cause accesses beyond the application's
// memory.
#ifndef MUXKIT_ICD_FACTS_H
#define MUXKIT_ICD_FACTS_H

#include "objects.h"

// What a query answers for a token (generated/answer_types.c).
struct answer_type {
  uint16_t operation;
  uint16_t unit; // bytes of an element
  uint32_t token;
  uint8_t kind;  // of the objects that are the answer, else KIND_NONE
  uint8_t count; // of elements; 0: any number
  bool is_text;
};
extern const struct answer_type answer_types[];
extern const size_t answer_type_count;

// Whether an answer of so many bytes, or the objects that it names, are what the token wants. `handles`: NULL for
// bytes.
bool answer_holds(uint32_t operation, cl_uint token, void *const *handles, const uint8_t *bytes, size_t length);
// Whether an image created with this description can have these sizes.
bool image_holds(const struct _cl_mem *image, const cl_image_desc *desc);

// Whether all pixels of an image are within its bytes in device memory.
bool image_fits(const struct _cl_mem *image);

#endif
