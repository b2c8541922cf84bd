// SPDX-License-Identifier: Apache-2.0
#include "marshal.h"

#include <string.h>

#include "generated/names.h"
#include "objects.h"

// The head of every structure that has an sType.
struct head {
  int32_t type;
  struct head *next;
};

static uint64_t read_number(const uint8_t *at, uint8_t bytes) {
  uint64_t value = 0;
  memcpy(&value, at, bytes);
  return value;
}

static const struct vulkan_struct *struct_of(int32_t type) {
  for (uint32_t i = 0; i < vulkan_struct_count; i++)
    if (vulkan_structs[i].type == type && type >= 0) return &vulkan_structs[i];
  return NULL;
}

// Whether a program must have set a list: Vulkan says which members of these are looked at.
static bool is_set(int32_t type, const struct vulkan_field *field, const uint8_t *base) {
  enum { COMBINED = 1, STORAGE_IMAGE = 3, UNIFORM_TEXEL = 4, STORAGE_TEXEL = 5, CONCURRENT = 1 };
  const struct vulkan_field *own = &vulkan_fields[vulkan_structs[type].first];
  const uint32_t fields = vulkan_structs[type].fields;
  switch (type) {
    case STRUCT_VkWriteDescriptorSet: {
      // Last are the type of descriptors, and the three lists.
      uint64_t kind = read_number(base + own[fields - 4].place, 4), list = (uint64_t)(field - own) - (fields - 3);
      bool is_texel = kind == UNIFORM_TEXEL || kind == STORAGE_TEXEL;
      uint64_t wanted = kind <= STORAGE_IMAGE ? 0 : is_texel ? 2 : 1;
      return list == wanted;
    }
    case STRUCT_VkDescriptorSetLayoutBinding:
      return read_number(base + own[1].place, 4) <= COMBINED;
    case STRUCT_VkBufferCreateInfo:
    case STRUCT_VkImageCreateInfo: {
      // The sharing mode is the word before the count of families.
      return read_number(base + field->count - 4, 4) == CONCURRENT;
    }
    default:
      return true;
  }
}

static void write_struct(struct wire_writer *writer, uint16_t number, const uint8_t *base);

static void write_one(struct wire_writer *writer, const struct vulkan_field *field, const uint8_t *at) {
  switch (field->kind) {
    case KIND_U32:
      wire_u32(writer, (uint32_t)read_number(at, 4));
      return;
    case KIND_U64:
      wire_u64(writer, read_number(at, 8));
      return;
    case KIND_HANDLE:
      wire_u32(writer, (uint32_t)read_number(at, 8));
      return;
    case KIND_OBJECT:
      wire_u32(writer, object_number((void *)(uintptr_t)read_number(at, 8)));
      return;
    case KIND_STRUCT:
      write_struct(writer, field->type, at);
      return;
    case KIND_TEXT: {
      const char *text = (const char *)(uintptr_t)read_number(at, 8);
      if (text == NULL) wire_u32(writer, WIRE_ABSENT);
      else wire_text(writer, text);
      return;
    }
    default:
      // Programs pass no other kinds.
      writer->failed = true;
  }
}

static uint32_t bytes_of(const struct vulkan_field *field) {
  return field->kind == KIND_U32 ? 4 : field->kind == KIND_STRUCT ? vulkan_structs[field->type].bytes : 8;
}

static void write_field(
    struct wire_writer *writer, const struct vulkan_field *field, int32_t type, const uint8_t *base) {
  const uint8_t *at = base + field->place;
  const uint8_t *to = field->form == FORM_LIST || field->form == FORM_POINTER || field->kind == KIND_BYTES
                          ? (const uint8_t *)(uintptr_t)read_number(at, 8)
                          : at;
  uint64_t count = field->count_bytes == 0 ? field->most : read_number(base + field->count, field->count_bytes);
  if (field->kind == KIND_BYTES) {
    if (to == NULL) wire_u32(writer, WIRE_ABSENT);
    else wire_bytes(writer, to, count);
  } else if (field->form == FORM_VALUE) write_one(writer, field, at);
  else if (to == NULL || (type >= 0 && field->form == FORM_LIST && !is_set(type, field, base)))
    wire_u32(writer, WIRE_ABSENT);
  else if (field->form == FORM_POINTER) wire_u32(writer, 1), write_one(writer, field, to);
  else {
    if (count > WIRE_MOST_BYTES) {
      writer->failed = true;
      return;
    }
    wire_u32(writer, (uint32_t)count);
    for (uint64_t i = 0; i < count && !writer->failed; i++) write_one(writer, field, to + i * bytes_of(field));
  }
}

void marshal_fields(struct wire_writer *writer, const struct vulkan_field *fields, uint32_t count, int32_t type,
    const uint8_t *base) {
  for (uint32_t i = 0; i < count; i++) write_field(writer, &fields[i], type, base);
}

static void write_struct(struct wire_writer *writer, uint16_t number, const uint8_t *base) {
  const struct vulkan_struct *own = &vulkan_structs[number];
  marshal_fields(writer, &vulkan_fields[own->first], own->fields, number, base);
  if (own->type < 0) return;
  for (const struct head *next = ((const struct head *)base)->next; next != NULL; next = next->next) {
    const struct vulkan_struct *one = struct_of(next->type);
    // Loaders and layers put in structures of their own, which a driver leaves alone.
    if (one == NULL) continue;
    wire_u32(writer, (uint32_t)next->type);
    marshal_fields(
        writer, &vulkan_fields[one->first], one->fields, (int32_t)(one - vulkan_structs), (const uint8_t *)next);
  }
  wire_u32(writer, WIRE_ABSENT);
}

void marshal_chain(struct wire_writer *writer, const uint8_t *base) {
  for (const struct head *next = ((const struct head *)base)->next; next != NULL; next = next->next)
    if (struct_of(next->type) != NULL) wire_u32(writer, (uint32_t)next->type);
  wire_u32(writer, WIRE_ABSENT);
}

// ---- answers

static void put(uint8_t *to, const void *from, size_t bytes) {
  if (to != NULL) memcpy(to, from, bytes);
}

static void read_fields(struct wire_reader *reader, const struct vulkan_struct *own, uint8_t *base);

// Reads a value; with NULL it is passed over.
static void read_one(struct wire_reader *reader, const struct vulkan_field *field, uint8_t *at) {
  switch (field->kind) {
    case KIND_U32: {
      uint32_t value = wire_read_u32(reader);
      put(at, &value, sizeof value);
      return;
    }
    case KIND_U64: {
      uint64_t value = wire_read_u64(reader);
      put(at, &value, sizeof value);
      return;
    }
    case KIND_STRUCT:
      marshal_read(reader, field->type, at);
      return;
    case KIND_CHARS:
    case KIND_UUID: {
      uint32_t length;
      const uint8_t *bytes = wire_read_bytes(reader, &length);
      // A text keeps its zero.
      uint32_t most = field->kind == KIND_UUID ? 16 : field->most - 1u;
      put(at, bytes, length < most ? length : most);
      return;
    }
    default:
      reader->failed = true;
  }
}

static void read_fields(struct wire_reader *reader, const struct vulkan_struct *own, uint8_t *base) {
  for (uint32_t i = 0; i < own->fields; i++) {
    const struct vulkan_field *field = &vulkan_fields[own->first + i];
    uint8_t *at = base == NULL ? NULL : base + field->place;
    if (field->form != FORM_ARRAY) {
      read_one(reader, field, at);
      continue;
    }
    uint32_t count = wire_read_u32(reader);
    if (field->count_bytes != 0 && base != NULL) memcpy(base + field->count, &count, sizeof count);
    for (uint32_t element = 0; element < count && !reader->failed; element++)
      read_one(reader, field, at == NULL || element >= field->most ? NULL : at + element * bytes_of(field));
  }
}

void marshal_read(struct wire_reader *reader, uint16_t type, uint8_t *base) {
  const struct vulkan_struct *own = &vulkan_structs[type];
  const size_t head = own->type < 0 ? 0 : sizeof(struct head);
  // What Vulkan has and we have not is zero: there is none of it.
  if (base != NULL) memset(base + head, 0, own->bytes - head);
  read_fields(reader, own, base);
  if (own->type < 0) return;
  for (;;) {
    uint32_t chained = wire_read_u32(reader);
    const struct vulkan_struct *one = reader->failed || chained == WIRE_ABSENT ? NULL : struct_of((int32_t)chained);
    if (one == NULL) {
      if (chained != WIRE_ABSENT) reader->failed = true;
      return;
    }
    struct head *next = base == NULL ? NULL : ((struct head *)base)->next;
    while (next != NULL && next->type != (int32_t)chained) next = next->next;
    if (next != NULL) memset((uint8_t *)next + sizeof *next, 0, one->bytes - sizeof *next);
    read_fields(reader, one, (uint8_t *)next);
  }
}
