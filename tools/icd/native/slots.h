// SPDX-License-Identifier: Apache-2.0
// A table of things with numbers. Numbers of places that are given back are given out again, with another generation
// before them: what still has the old number finds nothing. Number 0 is nobody's. Whoever owns the table locks it.
#ifndef MUXKIT_ICD_SLOTS_H
#define MUXKIT_ICD_SLOTS_H

#include <stddef.h>
#include <stdint.h>

// Each thing begins with this, and is all zeros but for it while its number is free.
struct slot {
  uint32_t next_free;
  uint32_t number; // 0: free
  uint32_t generation;
};

struct slots {
  size_t bytes; // of a thing
  uint8_t *all;
  uint32_t count, capacity, first_free;
};

// A number and room for its thing, zeros after the slot; 0: no memory, or a million are in use.
uint32_t slots_take(struct slots *slots);
void slots_give_back(struct slots *slots, uint32_t number);
// The thing with a number; NULL: none has it. It moves when numbers are taken.
void *slots_at(const struct slots *slots, uint32_t number);
// The thing at a place from 1 to count - 1; NULL: it is free.
void *slots_in_place(const struct slots *slots, uint32_t place);

#endif
