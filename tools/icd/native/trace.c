// SPDX-License-Identifier: Apache-2.0
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Thread_local struct trace_counts trace_counts;

bool trace_wanted(void) {
  const char *value = getenv("MUXKIT_ICD_TRACE");
  return value != NULL && value[0] != 0 && strcmp(value, "0") != 0;
}

void trace_tell(const char *call, const char *reply, struct trace_counts before) {
  fprintf(stderr, "muxkit: trace: %s (%s): frames %u, waits %u\n", call, reply, trace_counts.frames - before.frames,
      trace_counts.waits - before.waits);
}
