// SPDX-License-Identifier: Apache-2.0
// Answers that do not change any more, kept with their object: a program asks for the same ones again and again.
#ifndef MUXKIT_ICD_ANSWERS_H
#define MUXKIT_ICD_ANSWERS_H

#include "objects.h"

// The key of a query: the call's operation, and what it names besides the object.
struct question {
  uint16_t operation;
  uint64_t second;
  uint32_t token;
};

// A copy of the answer, to be freed, and its length; NULL: it is not known. `age` is that of the object's answers now.
void *answer_find(void *object, const struct question *question, size_t *length, uint32_t *age);
// Keeps an answer that was requested when the object's answers had this age; it is not kept when they were forgotten
// since.
void answer_keep(void *object, const struct question *question, const void *bytes, size_t length, uint32_t age);
// Forgets all of an object's answers: they change, or it is gone.
void answers_forget(void *object);

// Around a fork (forks.h).
void answers_hold(void);
void answers_let_go(bool in_child);

#endif
