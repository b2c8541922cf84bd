// SPDX-License-Identifier: Apache-2.0
// The library's ends of the streams that frames travel in where the server has its addon (stream.h). One thread writes
// at a time, and one reads.
#ifndef MUXKIT_ICD_CHANNEL_H
#define MUXKIT_ICD_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Begins with the memory of both streams.
void channel_open(uint8_t *memory, int socket);
bool channel_is_open(void);
// Puts in what there is room for and wakes the server; 0: there is no room. False: the server is gone, or the memory
// was written over.
bool channel_write(const void *bytes, size_t length, size_t *written);
// Takes out what is there; waits for the first byte. 0: the server is gone, or the memory was written over. Negative:
// there is nothing, but the caller has to look after the server, or it has answered the request that `answered` is now.
enum { CHANNEL_WAITED = -1, CHANNEL_ANSWERED = -2 };
int64_t channel_read(void *bytes, size_t most, uint32_t *answered);
// Tells the server what this side waits for: `request`, or 0. `writes`: no other thread writes. False: the memory was
// written over, or the server is gone.
bool channel_look_after(uint32_t request, bool writes);
// Prints, once, that the memory was written over.
void channel_complain(const char *what);
// True when there is something to read.
bool channel_has_more(void);
// Wakes the server, where it sleeps until there is something to read.
void channel_ring(void);

#endif
