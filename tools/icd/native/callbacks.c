// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "callbacks.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "slots.h"
#include "transfers.h"

struct callback {
  struct slot slot;
  enum callback_kind kind;
  void (*function)(void);
  void *object, *user_data;
  cl_int status;
};

// A call that is due.
struct due {
  struct callback callback;
  cl_int status;
  char *text;
  struct due *next;
};

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool runs;
  struct slots slots;
  struct due *first, **last;
} callbacks = {.lock = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
    .slots = {.bytes = sizeof(struct callback)},
    .last = &callbacks.first};

static bool holds_object(enum callback_kind kind) { return kind == CALLBACK_PROGRAM || kind == CALLBACK_EVENT; }

static void call(const struct due *due) {
  const struct callback *callback = &due->callback;
  switch (callback->kind) {
  case CALLBACK_PROGRAM:
    ((void(CL_CALLBACK *)(cl_program, void *))callback->function)(callback->object, callback->user_data);
    break;
  case CALLBACK_EVENT:
    ((void(CL_CALLBACK *)(cl_event, cl_int, void *))callback->function)(
        callback->object, due->status, callback->user_data);
    break;
  case CALLBACK_DESTRUCTOR:
    ((void(CL_CALLBACK *)(void *, void *))callback->function)(callback->object, callback->user_data);
    break;
  case CALLBACK_NOTIFY:
    ((notify_function)callback->function)(due->text == NULL ? "" : due->text, NULL, 0, callback->user_data);
    break;
  case CALLBACK_NONE: break;
  }
}

// Held while a call keeps what its callback may ask for.
static pthread_mutex_t delay = PTHREAD_MUTEX_INITIALIZER;

void callbacks_delay(void) { pthread_mutex_lock(&delay); }

void callbacks_go_on(void) { pthread_mutex_unlock(&delay); }

static void *run(void *unused) {
  (void)unused;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  pthread_mutex_lock(&callbacks.lock);
  for (;;) {
    struct due *due = callbacks.first;
    if (due == NULL) {
      pthread_cond_wait(&callbacks.changed, &callbacks.lock);
      continue;
    }
    callbacks.first = due->next;
    if (callbacks.first == NULL) callbacks.last = &callbacks.first;
    pthread_mutex_unlock(&callbacks.lock);
    callbacks_delay();
    callbacks_go_on();
    if (connection_lost()) transfers_stop();
    call(due);
    if (holds_object(due->callback.kind)) object_drop(due->callback.object);
    free(due->text);
    free(due);
    pthread_mutex_lock(&callbacks.lock);
  }
  return NULL;
}

// Queues a call; the lock is held. What cannot be queued for want of memory is not called.
static void post(const struct callback *callback, cl_int status, const char *text, size_t length) {
  struct due *due = calloc(1, sizeof *due);
  if (due == NULL) return;
  due->callback = *callback;
  due->status = status;
  if (text != NULL) due->text = strndup(text, length);
  if (!callbacks.runs) {
    pthread_t thread;
    callbacks.runs = pthread_create(&thread, NULL, run, NULL) == 0;
    if (callbacks.runs) pthread_detach(thread);
  }
  *callbacks.last = due;
  callbacks.last = &due->next;
  pthread_cond_signal(&callbacks.changed);
}

uint32_t callback_new(enum callback_kind kind, void (*function)(void), void *object, void *user_data, cl_int status) {
  pthread_mutex_lock(&callbacks.lock);
  uint32_t number = slots_take(&callbacks.slots);
  struct callback *made = slots_at(&callbacks.slots, number);
  if (made != NULL)
    *made = (struct callback){.slot = made->slot,
        .kind = kind,
        .function = function,
        .object = object,
        .user_data = user_data,
        .status = status};
  pthread_mutex_unlock(&callbacks.lock);
  if (number != 0 && holds_object(kind)) object_use(object);
  if (number != 0 && kind != CALLBACK_NOTIFY) connection_expect(1);
  return number;
}

// Takes a callback out of the table; its kind is CALLBACK_NONE when it was not there. The lock is held.
static struct callback take(uint32_t number, bool keep_notify) {
  const struct callback *known = slots_at(&callbacks.slots, number);
  if (known == NULL) return (struct callback){.kind = CALLBACK_NONE};
  struct callback callback = *known;
  if (callback.kind == CALLBACK_NONE || (keep_notify && callback.kind == CALLBACK_NOTIFY)) return callback;
  slots_give_back(&callbacks.slots, number);
  return callback;
}

void callback_forget(uint32_t number) {
  pthread_mutex_lock(&callbacks.lock);
  struct callback callback = take(number, false);
  pthread_mutex_unlock(&callbacks.lock);
  if (holds_object(callback.kind)) object_drop(callback.object);
  if (callback.kind != CALLBACK_NONE && callback.kind != CALLBACK_NOTIFY) connection_expect(-1);
}

void callback_arrived(uint32_t number, int32_t error, struct wire_reader *body) {
  uint32_t length = 0;
  const uint8_t *text = body->length == 0 ? NULL : wire_read_bytes(body, &length);
  pthread_mutex_lock(&callbacks.lock);
  struct callback callback = take(number, true);
  if (callback.kind != CALLBACK_NONE) post(&callback, error < 0 ? error : callback.status, (const char *)text, length);
  pthread_mutex_unlock(&callbacks.lock);
  if (callback.kind != CALLBACK_NONE && callback.kind != CALLBACK_NOTIFY) connection_expect(-1);
}

void callback_server_lost(void) {
  pthread_mutex_lock(&callbacks.lock);
  for (uint32_t place = 1; place < callbacks.slots.count; place++) {
    const struct callback *known = slots_in_place(&callbacks.slots, place);
    if (known == NULL || !holds_object(known->kind)) continue;
    struct callback callback = take(known->slot.number, true);
    post(&callback, CL_OUT_OF_RESOURCES, NULL, 0);
  }
  pthread_mutex_unlock(&callbacks.lock);
}

void callback_notify(cl_context context, const char *sentence) {
  if (context->notify == NULL) return;
  struct callback callback = {
      .kind = CALLBACK_NOTIFY, .function = (void (*)(void))context->notify, .user_data = context->notify_data};
  pthread_mutex_lock(&callbacks.lock);
  post(&callback, 0, sentence, strlen(sentence));
  pthread_mutex_unlock(&callbacks.lock);
}

void callbacks_hold(void) { pthread_mutex_lock(&callbacks.lock); }

void callbacks_let_go(bool in_child) {
  if (in_child) {
    pthread_mutex_init(&delay, NULL);
    // The thread that would call them is the parent's.
    callbacks.runs = false;
    callbacks.first = NULL;
    callbacks.last = &callbacks.first;
    pthread_cond_init(&callbacks.changed, NULL);
  }
  pthread_mutex_unlock(&callbacks.lock);
}
