// SPDX-License-Identifier: Apache-2.0
// Streams of bytes between two processes in memory that both map: a ring with two counters, each of which one side
// writes. The library (channel.c) and the server's addon (addon/channel.c) use the same functions.
//
// Whoever waits looks at the counters for a moment, where the other side runs on another processor: a short answer
// comes sooner than a thread that sleeps is woken. On the same processor it would keep the other from running. Then it
// says that it sleeps, looks once more, and sleeps on the socket, where the other side rings. A side that does not
// sleep is never rung, so a conversation without pauses has no system calls.
//
// The other side may write anything to the memory at any time, and so may a program by mistake. What this side has
// counted is kept in memory of its own, and a counter that cannot be ends the stream. What was written over need not be
// seen so soon: a side may sleep whom nobody rings any more, or wait for the rest of a frame that has no rest. So the
// library, when it has waited for a second, tells the server by the socket what it has counted and what it waits for
// (struct signal). That wakes the server in any case; it compares, and says whether it still has this to answer.
#ifndef MUXKIT_ICD_STREAM_H
#define MUXKIT_ICD_STREAM_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { STREAM_BYTES = 1 << 18, STREAM_HEAD = 4096 };

// Each counter in a cache line of its own.
struct stream_head {
  _Atomic uint32_t produced;
  uint8_t space[60];
  _Atomic uint32_t consumed;
  uint8_t more_space[60];
  _Atomic uint32_t asleep;  // the reader sleeps, and has not been rung
  _Atomic uint32_t running; // the reader's processor and 1; 0: it sleeps
};

// Both streams: heads, and data behind the first page.
enum { STREAM_TO_SERVER = 0, STREAM_TO_LIBRARY = 1, STREAM_HEADS_APART = 2048 };
enum { STREAMS_BYTES = STREAM_HEAD + 2 * STREAM_BYTES };

// An end of a stream.
struct stream {
  struct stream_head *head;
  uint8_t *data;
  _Atomic uint32_t done; // bytes that this side has put in, or taken out; its other threads may look
};

inline static struct stream stream_of(uint8_t *memory, int which) {
  return (struct stream){.head = (struct stream_head *)(memory + which * STREAM_HEADS_APART),
      .data = memory + STREAM_HEAD + which * STREAM_BYTES};
}

// What travels by the socket. It is never split: the system takes so few bytes at once, or not at all.
//   RING      there is something to read
//   WAITING   from the library: it has read all, and has put in whole frames; `request` is what it waits for, or 0
//   READING   the same while another thread puts in a frame: `produced` tells nothing
//   STUCK     from the library: it has found no room for a second
//   ANSWERED  from the server: it has put in an answer to `request`, or never had it
enum signal_kind { SIGNAL_RING, SIGNAL_WAITING, SIGNAL_READING, SIGNAL_STUCK, SIGNAL_ANSWERED };
struct signal {
  uint32_t kind;
  uint32_t produced, consumed; // by the side that sends it
  uint32_t request;
};
// Where the library counts the transfers that it has moved itself, in the page of counters (connection.c).
enum { STREAM_MOVES = 128 };
// A side that waits looks after the other one each so many ms.
enum { STREAM_LOOK_AFTER = 1000 };

// Whether the counters that this side alone writes are what it has written. No other thread may use the streams.
inline static bool stream_put_is_kept(const struct stream *stream) {
  return atomic_load(&stream->head->produced) == stream->done;
}
inline static bool stream_take_is_kept(const struct stream *stream) {
  return atomic_load(&stream->head->consumed) == stream->done;
}

// Puts in what there is room for; its length, or -1: the other side's counter cannot be.
inline static int64_t stream_put(struct stream *stream, const uint8_t *bytes, uint64_t length) {
  uint32_t used = stream->done - atomic_load_explicit(&stream->head->consumed, memory_order_acquire);
  if (used > STREAM_BYTES) return -1;
  if (length > STREAM_BYTES - used) length = STREAM_BYTES - used;
  uint64_t at = stream->done % STREAM_BYTES, first = STREAM_BYTES - at < length ? STREAM_BYTES - at : length;
  memcpy(stream->data + at, bytes, first);
  memcpy(stream->data, bytes + first, length - first);
  uint32_t done = stream->done + (uint32_t)length;
  atomic_store_explicit(&stream->done, done, memory_order_relaxed);
  atomic_store(&stream->head->produced, done);
  return (int64_t)length;
}

// True when the reader must be rung: it sleeps, and nobody has rung yet.
inline static bool stream_must_ring(struct stream *stream) {
  return atomic_load(&stream->head->asleep) != 0 && atomic_exchange(&stream->head->asleep, 0) != 0;
}

inline static bool stream_has_more(struct stream *stream) {
  return atomic_load(&stream->head->produced) != stream->done;
}

// Takes out what is there; its length, or -1: the other side's counter cannot be.
inline static int64_t stream_take(struct stream *stream, uint8_t *bytes, uint64_t length) {
  uint32_t there = atomic_load_explicit(&stream->head->produced, memory_order_acquire) - stream->done;
  if (there > STREAM_BYTES) return -1;
  if (length > there) length = there;
  uint64_t at = stream->done % STREAM_BYTES, first = STREAM_BYTES - at < length ? STREAM_BYTES - at : length;
  memcpy(bytes, stream->data + at, first);
  memcpy(bytes + first, stream->data, length - first);
  uint32_t done = stream->done + (uint32_t)length;
  atomic_store_explicit(&stream->done, done, memory_order_relaxed);
  atomic_store_explicit(&stream->head->consumed, done, memory_order_release);
  return (int64_t)length;
}

inline static int64_t stream_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * (int64_t)1000000000 + now.tv_nsec;
}

inline static void stream_pause(void) {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#elif defined __aarch64__
  __asm__ volatile("yield");
#endif
}

// How long to look before sleeping, in ns: a little longer than waits have been, and not at all where they are long. A
// side that has been rung is given time to show that it runs elsewhere: more where it did, less where it did not, with
// a longer trial now and then.
enum { STREAM_MOST_LOOKS = 60000, STREAM_MOST_TO_SHOW = 40000, STREAM_LEAST_TO_SHOW = 2000, STREAM_TRIAL = 64 };
struct stream_patience {
  int32_t looks, to_show;
  uint32_t waits;
};
inline static struct stream_patience stream_patience(void) {
  return (struct stream_patience){.looks = STREAM_MOST_LOOKS / 2, .to_show = STREAM_MOST_TO_SHOW};
}

// A wait is over that has taken so long.
inline static void stream_learn(struct stream_patience *patience, int64_t waited) {
  int64_t wanted = waited > 2 * STREAM_MOST_LOOKS ? 0 : waited * 2 + 4000;
  if (wanted > STREAM_MOST_LOOKS) wanted = STREAM_MOST_LOOKS;
  patience->looks += (int32_t)(wanted - patience->looks) / 4;
}

inline static void stream_show_running(struct stream *stream) {
  atomic_store_explicit(&stream->head->running, (uint32_t)sched_getcpu() + 1, memory_order_relaxed);
}

// Looks for bytes; the other side reads the stream `other`. It ends early when `has_else` finds something else to do.
inline static void stream_look(
    struct stream *stream, struct stream *other, struct stream_patience *patience, bool (*has_else)(void)) {
  int64_t begin = stream_clock(), time = 0;
  int32_t to_show = ++patience->waits % STREAM_TRIAL == 0 ? STREAM_MOST_TO_SHOW : patience->to_show;
  bool was_asleep = false;
  while (time < patience->looks && !stream_has_more(stream)) {
    uint32_t runs = atomic_load_explicit(&other->head->running, memory_order_relaxed);
    if (runs == (uint32_t)sched_getcpu() + 1) return;
    if (runs == 0 && time >= to_show) {
      if (patience->to_show > STREAM_LEAST_TO_SHOW) patience->to_show /= 2;
      return;
    }
    if (runs != 0 && was_asleep) patience->to_show = STREAM_MOST_TO_SHOW;
    was_asleep = runs == 0;
    for (int i = 0; i < 16 && !stream_has_more(stream); i++) stream_pause();
    if (has_else != NULL && has_else()) return;
    time = stream_clock() - begin;
  }
}

inline static void stream_begin_sleep(struct stream *stream) {
  atomic_store_explicit(&stream->head->running, 0, memory_order_relaxed);
  atomic_store(&stream->head->asleep, 1);
}

inline static void stream_end_sleep(struct stream *stream) {
  if (atomic_load_explicit(&stream->head->asleep, memory_order_relaxed) != 0) atomic_store(&stream->head->asleep, 0);
  stream_show_running(stream);
}

#endif
