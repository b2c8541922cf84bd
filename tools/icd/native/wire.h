// SPDX-License-Identifier: Apache-2.0
// What crosses the socket between library and server: frames of little-endian fields (tools/icd/README.md, "How it
// works").
#ifndef MUXKIT_ICD_WIRE_H
#define MUXKIT_ICD_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_VERSION = 5, WIRE_MAGIC = 0x4349584d /* "MXIC" */, WIRE_MOST_BYTES = 1 << 26 };

// Flags. From the library: the application calls from several threads, and none may wait because another one does. From
// the server, in the reply to the greeting: all other frames travel in the channel (channel.h).
enum { WIRE_THREADED = 1, WIRE_CHANNEL = 2 };

// Kinds of frames that the server sends; what the library sends carries the number of an operation (operations.h)
// there.
enum wire_kind { WIRE_REPLY = 1, WIRE_CALLBACK, WIRE_PRINT, WIRE_TRANSFER, WIRE_LOG, WIRE_PLACE, WIRE_MOVE };

struct wire_header {
  uint32_t bytes;    // of the whole frame, this header included
  uint16_t kind;
  uint16_t flags;
  uint32_t request;  // what a reply belongs to; 0: nobody waits
  int32_t error;     // an OpenCL error in replies and callbacks, else 0
};

// A frame that is being written.
struct wire_writer {
  uint8_t *bytes;
  uint32_t length, capacity;
  bool failed; // no memory, or longer than a frame may be
  uint8_t few[480];
};

void wire_begin(struct wire_writer *writer, uint16_t operation);
void wire_u32(struct wire_writer *writer, uint32_t value);
void wire_u64(struct wire_writer *writer, uint64_t value);
// A length in bytes and the bytes, filled up to four.
void wire_bytes(struct wire_writer *writer, const void *bytes, size_t length);
void wire_text(struct wire_writer *writer, const char *text);
void wire_end(struct wire_writer *writer);

// A frame that is being read. Reading beyond its end yields zeros and sets `failed`.
struct wire_reader {
  const uint8_t *bytes;
  uint32_t length, at;
  bool failed;
};

uint32_t wire_read_u32(struct wire_reader *reader);
uint64_t wire_read_u64(struct wire_reader *reader);
const uint8_t *wire_read_bytes(struct wire_reader *reader, uint32_t *length);

#endif
