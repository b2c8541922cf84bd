// SPDX-License-Identifier: Apache-2.0
// What calls cost on the way to the server: MUXKIT_ICD_TRACE=1 prints it for each one, on standard error. Without it
// nothing is in the way but two counters.
#ifndef MUXKIT_ICD_TRACE_H
#define MUXKIT_ICD_TRACE_H

#include <stdbool.h>

// Of this thread: frames that were sent, and how many of them were waited for.
struct trace_counts {
  unsigned frames, waits;
};
extern _Thread_local struct trace_counts trace_counts;

// Whether the environment requests it.
bool trace_wanted(void);
// Prints the cost of a call, from the counts before it, and the schema's entry for it.
void trace_tell(const char *call, const char *reply, struct trace_counts before);

#endif
