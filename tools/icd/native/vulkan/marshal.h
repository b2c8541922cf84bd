// SPDX-License-Identifier: Apache-2.0
// Structures to frames and back, by the tables.
#ifndef MUXKIT_VULKAN_MARSHAL_H
#define MUXKIT_VULKAN_MARSHAL_H

#include "../wire.h"
#include "tables.h"

// What stands in place of a list or a structure that is not there, and behind the last structure of a chain.
#define WIRE_ABSENT 0xffffffffu

// Writes fields of what begins at `base`; `type`: the structure, or -1 for a call's parameters.
void marshal_fields(struct wire_writer *writer, const struct vulkan_field *fields, uint32_t count, int32_t type,
    const uint8_t *base);
// Writes the types of the structures behind one that is to be filled, those that are known.
void marshal_chain(struct wire_writer *writer, const uint8_t *base);
// Fills a structure, and those behind it, with what the server answered.
void marshal_read(struct wire_reader *reader, uint16_t type, uint8_t *base);

#endif
