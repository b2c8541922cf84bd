// SPDX-License-Identifier: Apache-2.0
#include "answers.h"

#include <stdlib.h>
#include <string.h>

struct answer {
  struct answer *next;
  struct question question;
  size_t length;
  uint8_t bytes[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct answer *find(struct object *object, const struct question *question) {
  struct answer *answer = object->answers;
  while (
      answer != NULL && (answer->question.operation != question->operation ||
                            answer->question.second != question->second || answer->question.token != question->token))
    answer = answer->next;
  return answer;
}

void *answer_find(void *handle, const struct question *question, size_t *length, uint32_t *age) {
  struct object *object = handle;
  pthread_mutex_lock(&lock);
  const struct answer *known = find(object, question);
  void *copy = known == NULL ? NULL : malloc(known->length + 1);
  if (copy != NULL) memcpy(copy, known->bytes, *length = known->length);
  *age = object->answers_age;
  pthread_mutex_unlock(&lock);
  return copy;
}

void answer_keep(void *handle, const struct question *question, const void *bytes, size_t length, uint32_t age) {
  struct object *object = handle;
  struct answer *made = malloc(sizeof *made + length);
  if (made == NULL) return;
  made->question = *question;
  made->length = length;
  if (length > 0) memcpy(made->bytes, bytes, length);
  pthread_mutex_lock(&lock);
  bool is_wanted = object->answers_age == age && find(object, question) == NULL;
  if (is_wanted) {
    made->next = object->answers;
    object->answers = made;
  }
  pthread_mutex_unlock(&lock);
  if (!is_wanted) free(made);
}

void answers_forget(void *handle) {
  struct object *object = handle;
  pthread_mutex_lock(&lock);
  struct answer *answer = object->answers;
  object->answers = NULL;
  object->answers_age++;
  pthread_mutex_unlock(&lock);
  while (answer != NULL) {
    struct answer *next = answer->next;
    free(answer);
    answer = next;
  }
}

void answers_hold(void) { pthread_mutex_lock(&lock); }

void answers_let_go(bool in_child) {
  (void)in_child;
  pthread_mutex_unlock(&lock);
}
