// SPDX-License-Identifier: Apache-2.0
#include "slots.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE_BITS = 20, MOST_SLOTS = 1 << PLACE_BITS, FIRST_SLOTS = 64 };

static struct slot *place_of(const struct slots *slots, uint32_t place) {
  return (struct slot *)(slots->all + place * slots->bytes);
}

void *slots_in_place(const struct slots *slots, uint32_t place) {
  if (place == 0 || place >= slots->count) return NULL;
  struct slot *slot = place_of(slots, place);
  return slot->number == 0 ? NULL : slot;
}

void *slots_at(const struct slots *slots, uint32_t number) {
  struct slot *slot = slots_in_place(slots, number % MOST_SLOTS);
  return slot == NULL || slot->number != number ? NULL : slot;
}

uint32_t slots_take(struct slots *slots) {
  uint32_t place = slots->first_free;
  if (place == 0) {
    if (slots->count == 0) slots->count = 1;
    if (slots->count >= MOST_SLOTS) return 0;
    if (slots->count >= slots->capacity) {
      uint32_t capacity = slots->capacity == 0 ? FIRST_SLOTS : slots->capacity * 2;
      uint8_t *moved = realloc(slots->all, capacity * slots->bytes);
      if (moved == NULL) return 0;
      slots->all = moved;
      slots->capacity = capacity;
    }
    place = slots->count++;
    memset(place_of(slots, place), 0, slots->bytes);
  }
  struct slot *slot = place_of(slots, place);
  slots->first_free = slot->next_free;
  slot->next_free = 0;
  return slot->number = place | slot->generation << PLACE_BITS;
}

void slots_give_back(struct slots *slots, uint32_t number) {
  struct slot *slot = slots_at(slots, number);
  if (slot == NULL) return;
  uint32_t generation = slot->generation + 1;
  memset(slot, 0, slots->bytes);
  slot->generation = generation;
  slot->next_free = slots->first_free;
  slots->first_free = number % MOST_SLOTS;
}
