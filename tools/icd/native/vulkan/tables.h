// SPDX-License-Identifier: Apache-2.0
// How structures and calls of Vulkan lie in memory, and how they cross to the server: generated/tables.c. A call's
// parameters are words of 8 bytes, so they are described as a structure's members are.
#ifndef MUXKIT_VULKAN_TABLES_H
#define MUXKIT_VULKAN_TABLES_H

#include <stdint.h>

enum vulkan_kind {
  KIND_U32,
  KIND_U64,
  KIND_HANDLE, // 64 bits: the number
  KIND_OBJECT, // a pointer to what holds the number
  KIND_STRUCT,
  KIND_TEXT,
  KIND_CHARS, // text in the structure itself
  KIND_BYTES,
  KIND_UUID
};

enum vulkan_form { FORM_VALUE, FORM_POINTER, FORM_LIST, FORM_ARRAY };

enum vulkan_answer {
  ANSWER_NOTHING,
  ANSWER_RESULT,
  ANSWER_HANDLE,
  ANSWER_HANDLE_LIST, // as many as were asked for
  ANSWER_HANDLE_COUNTED, // called twice: how many, then which
  ANSWER_OBJECT,
  ANSWER_OBJECT_LIST,
  ANSWER_OBJECT_COUNTED,
  ANSWER_STRUCT,
  ANSWER_STRUCT_LIST,
  ANSWER_STRUCT_COUNTED,
  ANSWER_BYTES,
  ANSWER_U32,
  ANSWER_U64,
  ANSWER_U32_DIRECT, // what the function returns
  ANSWER_U64_DIRECT
};

struct vulkan_field {
  uint8_t kind, form, count_bytes;
  uint16_t place, count; // count: where the number of elements is
  uint16_t type;         // the structure
  uint16_t most;         // elements of an array in the structure itself
};

struct vulkan_struct {
  int32_t type; // sType; -1: none
  uint16_t bytes, first, fields;
};

struct vulkan_call {
  const char *name;
  uint8_t answer, slot, count, chain; // slot, count: words of the parameters that the answer goes to
  uint8_t sent;                       // nobody waits for it
  uint16_t type, first, fields;
};

extern const struct vulkan_field vulkan_fields[];
extern const struct vulkan_struct vulkan_structs[];
extern const uint32_t vulkan_struct_count;
extern const struct vulkan_call vulkan_calls[];
extern const uint32_t vulkan_call_count;

#endif
