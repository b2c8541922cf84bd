// SPDX-License-Identifier: Apache-2.0
// The end of the server: a thread of the system waits for the library's process to end, in place of a thread of the
// engine, whose start takes some thirty milliseconds of a processor.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "addon.h"

// More than a read and a signal take.
enum { STACK_BYTES = 64 << 10 };

static void *wait_for_end(void *file) {
  char byte;
  while (read((int)(intptr_t)file, &byte, 1) < 0 && errno == EINTR) continue;
  // Not an exit: that would wait for what this process is doing.
  kill(getpid(), SIGKILL);
  return NULL;
}

static int start_thread(int file) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return 0;
  sigset_t all, before;
  sigfillset(&all);
  pthread_t thread;
  // Signals are for the engine's threads.
  int is_started = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                   pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
                   pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
  if (is_started) {
    is_started = pthread_create(&thread, &attributes, wait_for_end, (void *)(intptr_t)file) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  pthread_attr_destroy(&attributes);
  return is_started;
}

// endWith(file): ends this process when the other end of the file is closed, whatever it is doing. 0: there is no
// thread for that.
static napi_value end_with(napi_env env, napi_callback_info info) {
  napi_value arguments[ADDON_MOST_ARGUMENTS];
  addon_arguments(env, info, arguments);
  return addon_result(env, start_thread((int)addon_number(env, arguments[0])));
}

const struct addon_function life_functions[] = {{"endWith", end_with}, {NULL, NULL}};
