// SPDX-License-Identifier: Apache-2.0
#include "wire.h"

#include <stdlib.h>
#include <string.h>

static bool room(struct wire_writer *writer, size_t more) {
  if (writer->failed) return false;
  if (more > WIRE_MOST_BYTES || writer->length + more > WIRE_MOST_BYTES) return !(writer->failed = true);
  if (writer->length + more <= writer->capacity) return true;
  uint32_t capacity = writer->capacity * 2;
  while (capacity < writer->length + more) capacity *= 2;
  uint8_t *bytes = writer->bytes == writer->few ? malloc(capacity) : realloc(writer->bytes, capacity);
  if (bytes == NULL) return !(writer->failed = true);
  if (writer->bytes == writer->few) memcpy(bytes, writer->few, writer->length);
  writer->bytes = bytes;
  writer->capacity = capacity;
  return true;
}

void wire_begin(struct wire_writer *writer, uint16_t operation) {
  struct wire_header header = {.kind = operation};
  writer->bytes = writer->few;
  writer->capacity = sizeof writer->few;
  writer->failed = false;
  memcpy(writer->bytes, &header, sizeof header);
  writer->length = sizeof header;
}

void wire_u32(struct wire_writer *writer, uint32_t value) {
  if (!room(writer, sizeof value)) return;
  memcpy(writer->bytes + writer->length, &value, sizeof value);
  writer->length += sizeof value;
}

void wire_u64(struct wire_writer *writer, uint64_t value) {
  wire_u32(writer, (uint32_t)value);
  wire_u32(writer, (uint32_t)(value >> 32));
}

void wire_bytes(struct wire_writer *writer, const void *bytes, size_t length) {
  if (length > WIRE_MOST_BYTES) {
    writer->failed = true;
    return;
  }
  wire_u32(writer, (uint32_t)length);
  uint32_t padded = ((uint32_t)length + 3) & ~3u;
  if (!room(writer, padded)) return;
  if (length > 0) memcpy(writer->bytes + writer->length, bytes, length);
  memset(writer->bytes + writer->length + length, 0, padded - length);
  writer->length += padded;
}

void wire_text(struct wire_writer *writer, const char *text) {
  wire_bytes(writer, text, text == NULL ? 0 : strlen(text));
}

void wire_end(struct wire_writer *writer) {
  if (writer->bytes != writer->few) free(writer->bytes);
}

uint32_t wire_read_u32(struct wire_reader *reader) {
  uint32_t value = 0;
  if (reader->length - reader->at < sizeof value) {
    reader->failed = true;
    reader->at = reader->length;
    return 0;
  }
  memcpy(&value, reader->bytes + reader->at, sizeof value);
  reader->at += sizeof value;
  return value;
}

uint64_t wire_read_u64(struct wire_reader *reader) {
  uint64_t low = wire_read_u32(reader);
  return low | (uint64_t)wire_read_u32(reader) << 32;
}

const uint8_t *wire_read_bytes(struct wire_reader *reader, uint32_t *length) {
  uint32_t bytes = wire_read_u32(reader);
  uint64_t padded = ((uint64_t)bytes + 3) & ~(uint64_t)3;
  if (reader->failed || padded > reader->length - reader->at) {
    reader->failed = true;
    reader->at = reader->length;
    *length = 0;
    return reader->bytes;
  }
  const uint8_t *start = reader->bytes + reader->at;
  reader->at += (uint32_t)padded;
  *length = bytes;
  return start;
}
