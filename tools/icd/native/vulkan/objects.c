// SPDX-License-Identifier: Apache-2.0
#include "objects.h"

#include <pthread.h>
#include <stdlib.h>

enum { LOADER_MAGIC = 0x01cdc0de };

struct object {
  uintptr_t loader; // the loader writes its table here
  uint32_t number;
  struct object *next;
};

enum { CHAINS = 256 };
static struct object *chains[CHAINS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *object_of_number(uint32_t number) {
  pthread_mutex_lock(&lock);
  struct object **chain = &chains[number % CHAINS], *found = *chain;
  while (found != NULL && found->number != number) found = found->next;
  if (found == NULL && (found = calloc(1, sizeof *found)) != NULL) {
    *found = (struct object){.loader = LOADER_MAGIC, .number = number, .next = *chain};
    *chain = found;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

uint32_t object_number(const void *object) { return object == NULL ? 0 : ((const struct object *)object)->number; }

void object_free(void *object) {
  if (object == NULL) return;
  pthread_mutex_lock(&lock);
  struct object **link = &chains[object_number(object) % CHAINS];
  while (*link != NULL && *link != object) link = &(*link)->next;
  if (*link != NULL) *link = ((struct object *)object)->next;
  pthread_mutex_unlock(&lock);
  free(object);
}

void objects_hold(void) { pthread_mutex_lock(&lock); }

void objects_let_go(bool in_child) {
  if (in_child) pthread_mutex_init(&lock, NULL);
  else pthread_mutex_unlock(&lock);
}
