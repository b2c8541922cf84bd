// SPDX-License-Identifier: Apache-2.0
#include "../forks.h"

#include <pthread.h>

#include "../connection.h"
#include "objects.h"

static _Thread_local bool is_ours;

static void before(void) {
  if (!is_ours) connection_hold(), objects_hold();
}

static void after_fork(bool in_child) {
  if (!is_ours) objects_let_go(in_child), connection_let_go(in_child);
}

static void in_parent(void) { after_fork(false); }
static void in_child(void) { after_fork(true); }

void forks_watch(void) { pthread_atfork(before, in_parent, in_child); }
void forks_are_ours(bool ours) { is_ours = ours; }
