// SPDX-License-Identifier: Apache-2.0
// What a fork must not tear: locks are held meanwhile, so that the child finds complete tables and free locks.
#ifndef MUXKIT_ICD_FORKS_H
#define MUXKIT_ICD_FORKS_H

#include <stdbool.h>

// Cares for forks from now on.
void forks_watch(void);
// Whether this thread forks for the library itself: then nothing is held or forgotten.
void forks_are_ours(bool ours);

#endif
