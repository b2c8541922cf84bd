// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdbool.h>

#include "answers.h"
#include "callbacks.h"
#include "connection.h"
#include "forks.h"
#include "objects.h"
#include "transfers.h"

static _Thread_local bool is_ours;

// In the order in which locks are taken elsewhere.
static void (*const HOLDS[])(void) = {connection_hold, callbacks_hold, transfers_hold, objects_hold, answers_hold};
static void (*const RELEASES[])(bool in_child) = {
    answers_let_go, objects_let_go, transfers_let_go, callbacks_let_go, connection_let_go};
enum { PARTS = sizeof HOLDS / sizeof *HOLDS };

static void before(void) {
  for (int i = 0; !is_ours && i < PARTS; i++) HOLDS[i]();
}

static void after_fork(bool in_child) {
  for (int i = 0; !is_ours && i < PARTS; i++) RELEASES[i](in_child);
}

static void in_parent(void) { after_fork(false); }
static void in_child(void) { after_fork(true); }

void forks_watch(void) { pthread_atfork(before, in_parent, in_child); }
void forks_are_ours(bool ours) { is_ours = ours; }
