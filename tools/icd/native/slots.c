#include "slots.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SLOTS = 1 << 20, FIRST_SLOTS = 64 };

void *slots_at(const struct slots *slots, uint32_t number) { return number == 0 || number >= slots->count ? NULL : slots->all + number * slots->bytes; }

uint32_t slots_take(struct slots *slots) {
  uint32_t number = slots->first_free;
  if (number != 0) {
    slots->first_free = ((struct slot *)slots_at(slots, number))->next_free;
    memset(slots_at(slots, number), 0, slots->bytes);
    return number;
  }
  if (slots->count == 0) slots->count = 1;
  if (slots->count >= MOST_SLOTS) return 0;
  if (slots->count >= slots->capacity) {
    uint32_t capacity = slots->capacity == 0 ? FIRST_SLOTS : slots->capacity * 2;
    uint8_t *moved = realloc(slots->all, capacity * slots->bytes);
    if (moved == NULL) return 0;
    slots->all = moved;
    slots->capacity = capacity;
  }
  number = slots->count++;
  memset(slots_at(slots, number), 0, slots->bytes);
  return number;
}

void slots_give_back(struct slots *slots, uint32_t number) {
  struct slot *slot = slots_at(slots, number);
  memset(slot, 0, slots->bytes);
  slot->next_free = slots->first_free;
  slots->first_free = number;
}
