// SPDX-License-Identifier: Apache-2.0
// Bytes of transfers that do not block, on their way: memory that both processes share, apart from device memory.
//
// A write that has to wait for commands before it puts its bytes here when it is enqueued, and the server copies them
// when it is time; a read's bytes come here at its time, and whoever reads the server's frames copies them on, before
// the first frame that tells of its end. So neither process waits for the other one, which costs more than the second
// copy where commands are many and of middle size.
#ifndef MUXKIT_ICD_STAGE_H
#define MUXKIT_ICD_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// LEAST: less travels in the frame itself. MOST: the second copy of more takes longer than to tell and to count
// (moves.c).
enum { STAGE_BYTES = 32 << 20, STAGE_PIECE = 16 << 10, STAGE_LEAST = 4 << 10, STAGE_MOST = 128 << 10 };

// Begins with the memory.
void stage_open(uint8_t *memory);
// Takes room for so many bytes; its place, or -1: there is none now. `read_more` reads what the server has sent, which
// may give room back; it is called for a moment, but not again before that has happened.
int64_t stage_take(size_t bytes, void (*read_more)(void));
void stage_give_back(int64_t place, size_t bytes);
uint8_t *stage_at(int64_t place);

// Around a fork (forks.h).
void stage_hold(void);
void stage_let_go(bool in_child);

#endif
