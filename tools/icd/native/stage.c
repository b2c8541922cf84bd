// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "stage.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "stream.h"

// MOST_WAIT: for room, in ns.
enum { PIECES = STAGE_BYTES / STAGE_PIECE, MOST_WAIT = 5000000 };

static struct {
  pthread_mutex_t lock;
  uint8_t *memory; // NULL: there is none
  uint8_t taken[PIECES];
  atomic_bool is_full; // somebody has waited for room in vain
} stage = {.lock = PTHREAD_MUTEX_INITIALIZER};

void stage_open(uint8_t *memory) { stage.memory = memory; }

static uint32_t pieces_of(size_t bytes) { return (uint32_t)((bytes + STAGE_PIECE - 1) / STAGE_PIECE); }

// The first of so many free pieces, so that they are in the processor's cache; PIECES: there are none.
static uint32_t find(uint32_t count) {
  uint32_t from = 0;
  for (uint32_t at = 0; at < PIECES; at++) {
    if (stage.taken[at]) from = at + 1;
    else if (at + 1 - from == count) return from;
  }
  return PIECES;
}

static int64_t take(uint32_t count) {
  pthread_mutex_lock(&stage.lock);
  uint32_t at = find(count);
  if (at != PIECES) memset(stage.taken + at, 1, count);
  pthread_mutex_unlock(&stage.lock);
  return at == PIECES ? -1 : (int64_t)at * STAGE_PIECE;
}

int64_t stage_take(size_t bytes, void (*read_more)(void)) {
  if (stage.memory == NULL || bytes == 0 || bytes > STAGE_MOST) return -1;
  int64_t place = take(pieces_of(bytes)), begin = place < 0 ? stream_clock() : 0;
  // What is on the stage may wait for what this thread has yet to do, so this is no wait for it.
  while (place < 0 && !atomic_load(&stage.is_full)) {
    read_more();
    place = take(pieces_of(bytes));
    if (place < 0 && stream_clock() - begin > MOST_WAIT) atomic_store(&stage.is_full, true);
    if (place < 0) sched_yield();
  }
  return place;
}

void stage_give_back(int64_t place, size_t bytes) {
  pthread_mutex_lock(&stage.lock);
  memset(stage.taken + place / STAGE_PIECE, 0, pieces_of(bytes));
  atomic_store(&stage.is_full, false);
  pthread_mutex_unlock(&stage.lock);
}

uint8_t *stage_at(int64_t place) { return stage.memory + place; }

void stage_hold(void) { pthread_mutex_lock(&stage.lock); }

void stage_let_go(bool in_child) {
  // What is there belongs to the parent, which takes and gives back room that a child never hears of.
  if (in_child) stage.memory = NULL;
  pthread_mutex_unlock(&stage.lock);
}
