// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "channel.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

#include "stream.h"

static const int64_t LOOK_AFTER = STREAM_LOOK_AFTER * (int64_t)1000000;

static struct {
  struct stream to_server, to_library;
  int socket;
  atomic_bool is_open;
  struct stream_patience patience; // of the reader
  int64_t stuck;                   // since when the writer has had no room; 0: it has room
} channel;

void channel_open(uint8_t *memory, int socket) {
  channel.to_server = stream_of(memory, STREAM_TO_SERVER);
  channel.to_library = stream_of(memory, STREAM_TO_LIBRARY);
  channel.socket = socket;
  channel.patience = stream_patience();
  atomic_store(&channel.is_open, true);
}

bool channel_is_open(void) { return atomic_load_explicit(&channel.is_open, memory_order_acquire); }

void channel_complain(const char *what) {
  static atomic_bool complained;
  if (atomic_exchange(&complained, true)) return;
  fprintf(stderr, "muxkit icd: something has written over the memory that this process shares with its server (%s); "
                  "every call fails from now on\n", what);
}

// One that finds no room is not needed: there are others, which nobody has read.
static bool tell(enum signal_kind kind, uint32_t request) {
  struct signal signal = {.kind = kind, .request = request, .produced = channel.to_server.done,
      .consumed = channel.to_library.done};
  for (;;) {
    if (send(channel.socket, &signal, sizeof signal, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof signal) return true;
    if (errno != EINTR) return errno == EAGAIN || errno == EWOULDBLOCK;
  }
}

bool channel_look_after(uint32_t request, bool writes) {
  bool is_kept = stream_take_is_kept(&channel.to_library) && (!writes || stream_put_is_kept(&channel.to_server));
  if (!is_kept) channel_complain("its counters");
  return is_kept && tell(writes ? SIGNAL_WAITING : SIGNAL_READING, request);
}

bool channel_write(const void *bytes, size_t length, size_t *written) {
  int64_t put = stream_put(&channel.to_server, bytes, length);
  *written = put < 0 ? 0 : (size_t)put;
  if (put < 0) {
    channel_complain("its counters");
    return false;
  }
  if (put > 0) {
    channel.stuck = 0;
    return !stream_must_ring(&channel.to_server) || tell(SIGNAL_RING, 0);
  }
  int64_t now = stream_clock();
  if (channel.stuck == 0) channel.stuck = now;
  if (now - channel.stuck < LOOK_AFTER) return true;
  channel.stuck = now;
  bool is_kept = stream_put_is_kept(&channel.to_server);
  if (!is_kept) channel_complain("its counters");
  return is_kept && tell(SIGNAL_STUCK, 0);
}

void channel_ring(void) {
  if (channel_is_open() && stream_must_ring(&channel.to_server)) tell(SIGNAL_RING, 0);
}

bool channel_has_more(void) { return stream_has_more(&channel.to_library); }

// Takes signals off the socket, up to one that tells of an answer. False: the server is gone.
static bool take_signals(uint32_t *answered) {
  struct signal signal;
  for (*answered = 0; *answered == 0;) {
    ssize_t got = recv(channel.socket, &signal, sizeof signal, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (got != sizeof signal) return false;
    if (signal.kind == SIGNAL_ANSWERED) *answered = signal.request;
  }
  return true;
}

// Sleeps until there may be something to read.
static int64_t sleep_for_more(struct stream *stream, uint32_t *answered) {
  for (int64_t begin = stream_clock(); !stream_has_more(stream);) {
    stream_begin_sleep(stream);
    if (stream_has_more(stream)) break;
    struct pollfd ready = {.fd = channel.socket, .events = POLLIN};
    if (poll(&ready, 1, STREAM_LOOK_AFTER) < 0 && errno != EINTR) return 0;
    if (!take_signals(answered)) return 0;
    // What it tells of has been put in before.
    if (*answered != 0 && !stream_has_more(stream)) return CHANNEL_ANSWERED;
    if (stream_clock() - begin >= LOOK_AFTER) return CHANNEL_WAITED;
  }
  return 1;
}

int64_t channel_read(void *bytes, size_t most, uint32_t *answered) {
  struct stream *stream = &channel.to_library;
  if (!stream_has_more(stream)) {
    int64_t begin = stream_clock();
    stream_show_running(stream);
    stream_look(stream, &channel.to_server, &channel.patience, NULL);
    int64_t slept = sleep_for_more(stream, answered);
    stream_end_sleep(stream);
    if (slept <= 0) return slept;
    stream_learn(&channel.patience, stream_clock() - begin);
  }
  int64_t taken = stream_take(stream, bytes, most);
  if (taken < 0) channel_complain("its counters");
  return taken < 0 ? 0 : taken;
}
