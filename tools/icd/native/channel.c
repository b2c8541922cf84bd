// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "channel.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "stream.h"

static struct {
  struct stream to_server, to_library;
  int socket;
  atomic_bool is_open;
  struct stream_patience patience; // of the reader
} channel;

void channel_open(uint8_t *memory, int socket) {
  channel.to_server = stream_of(memory, STREAM_TO_SERVER);
  channel.to_library = stream_of(memory, STREAM_TO_LIBRARY);
  channel.socket = socket;
  channel.patience = stream_patience();
  atomic_store(&channel.is_open, true);
}

bool channel_is_open(void) { return atomic_load_explicit(&channel.is_open, memory_order_acquire); }

// A byte without meaning. One that finds no room is not needed: there are others, which nobody has read.
static bool ring(void) {
  for (;;) {
    if (send(channel.socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1) return true;
    if (errno != EINTR) return errno == EAGAIN || errno == EWOULDBLOCK;
  }
}

bool channel_write(const void *bytes, size_t length, size_t *written) {
  int64_t put = stream_put(&channel.to_server, bytes, length);
  *written = put < 0 ? 0 : (size_t)put;
  return put >= 0 && (!stream_must_ring(&channel.to_server) || ring());
}

bool channel_has_more(void) { return stream_has_more(&channel.to_library); }

// Takes rings off the socket; false: the server is gone.
static bool take_rings(void) {
  uint8_t rings[64];
  for (;;) {
    ssize_t got = recv(channel.socket, rings, sizeof rings, MSG_DONTWAIT);
    if (got == 0) return false;
    if (got < 0 && errno != EINTR) return errno == EAGAIN || errno == EWOULDBLOCK;
  }
}

size_t channel_read(void *bytes, size_t most) {
  struct stream *stream = &channel.to_library;
  if (!stream_has_more(stream)) {
    int64_t begin = stream_clock();
    stream_show_running(stream);
    stream_look(stream, &channel.to_server, &channel.patience, NULL);
    while (!stream_has_more(stream)) {
      stream_begin_sleep(stream);
      if (stream_has_more(stream)) break;
      struct pollfd ready = {.fd = channel.socket, .events = POLLIN};
      if (poll(&ready, 1, -1) < 0 && errno != EINTR) return 0;
      if (!take_rings()) return 0;
    }
    stream_end_sleep(stream);
    stream_learn(&channel.patience, stream_clock() - begin);
  }
  int64_t taken = stream_take(stream, bytes, most);
  return taken < 0 ? 0 : (size_t)taken;
}
