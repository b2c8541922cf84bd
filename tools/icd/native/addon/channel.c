// SPDX-License-Identifier: Apache-2.0
// The server's ends of the streams that frames travel in (../stream.h). The event loop's thread alone uses them.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../stage.h"
#include "../stream.h"
#include "addon.h"

// Of Node's event loop.
int uv_backend_fd(const struct uv_loop_s *loop);
int uv_backend_timeout(const struct uv_loop_s *loop);

static struct {
  struct stream to_server, to_library;
  int socket, events;
  struct uv_loop_s *loop;
  const uint8_t *counters; // of bulk data (connection.c)
  uint8_t *stage;
  struct stream_patience patience;
  uint64_t moves; // of the library, as scripts know them
} channel;

// Looks whether the event loop has something to do each so many ns, and sleeps here so long, in ms, before it sleeps in
// the event loop, which takes longer to wake.
enum { EVENTS_EVERY = 5000, MOST_SLEEP = 2 };
enum { COUNTERS_BYTES = 4096 };

// Whether the library has moved more transfers than scripts know of.
static bool has_moved(void) {
  return atomic_load((const _Atomic uint64_t *)(channel.counters + STREAM_MOVES)) != channel.moves;
}
static bool has_more(void) { return stream_has_more(&channel.to_server) || has_moved(); }

// openChannel(memory, place, socket): maps the stage and the streams at this place of the file `memory`. False: the
// file may shrink, or is too small.
static napi_value open_channel(napi_env env, napi_callback_info info) {
  napi_value arguments[ADDON_MOST_ARGUMENTS];
  addon_arguments(env, info, arguments);
  int memory = (int)addon_number(env, arguments[0]);
  off_t place = (off_t)addon_number(env, arguments[1]);
  const size_t length = STAGE_BYTES + STREAMS_BYTES;
  struct stat facts;
  int seals = fcntl(memory, F_GET_SEALS);
  bool is_fit = seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && fstat(memory, &facts) == 0 &&
                facts.st_size >= place + (off_t)length && napi_get_uv_event_loop(env, &channel.loop) == 0;
  channel.counters = is_fit ? mmap(NULL, COUNTERS_BYTES, PROT_READ, MAP_SHARED, memory, 0) : MAP_FAILED;
  if (channel.counters == MAP_FAILED) return addon_result(env, 0);
  channel.stage = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, memory, place);
  if (channel.stage == MAP_FAILED) return addon_result(env, 0);
  uint8_t *streams = channel.stage + STAGE_BYTES;
  channel.to_server = stream_of(streams, STREAM_TO_SERVER);
  channel.to_library = stream_of(streams, STREAM_TO_LIBRARY);
  channel.socket = (int)addon_number(env, arguments[2]);
  channel.events = uv_backend_fd(channel.loop);
  channel.patience = stream_patience();
  // It sleeps in the event loop until the first frame.
  stream_begin_sleep(&channel.to_server);
  return addon_result(env, 1);
}

static napi_value refuse(napi_env env, const char *what) {
  errno = EPROTO;
  return addon_throw(env, what);
}

static bool tell(enum signal_kind kind, uint32_t request) {
  struct signal signal = {.kind = kind, .request = request, .produced = channel.to_library.done,
      .consumed = channel.to_server.done};
  return send(channel.socket, &signal, sizeof signal, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0 || errno == EAGAIN;
}

static bool events_are_due(int sleep) {
  struct pollfd ready[] = {{.fd = channel.events, .events = POLLIN}, {.fd = channel.socket, .events = POLLIN}};
  return poll(ready, 2, sleep) != 0;
}

static bool events_wait(void) {
  static int64_t looked;
  if (has_moved()) return true;
  int64_t now = stream_clock();
  if (now - looked < EVENTS_EVERY) return false;
  looked = now;
  return events_are_due(0);
}

// Looks for bytes, and sleeps a little, as long as the event loop has nothing to do.
static void await(struct stream *stream) {
  int64_t begin = stream_clock();
  stream_look(stream, &channel.to_library, &channel.patience, events_wait);
  if (!has_more()) {
    stream_begin_sleep(stream);
    int due = uv_backend_timeout(channel.loop);
    if (!has_more()) events_are_due(due >= 0 && due < MOST_SLEEP ? due : MOST_SLEEP);
  }
  stream_learn(&channel.patience, stream_clock() - begin);
}

// readChannel(bytes, waits): the length of what was taken out; 0: there is nothing. With `waits` other than 0 it waits
// for a moment first, and with 0 for an answer, the library rings when there is something.
static napi_value read_channel(napi_env env, napi_callback_info info) {
  napi_value arguments[ADDON_MOST_ARGUMENTS];
  addon_arguments(env, info, arguments);
  size_t most = 0;
  uint8_t *bytes = addon_bytes(env, arguments[0], &most);
  struct stream *stream = &channel.to_server;
  if (!stream_has_more(stream)) {
    if (addon_number(env, arguments[1]) == 0) return addon_result(env, 0);
    await(stream);
    if (!has_more()) {
      stream_begin_sleep(stream);
      if (!has_more()) return addon_result(env, 0);
    }
  }
  stream_end_sleep(stream);
  int64_t taken = stream_take(stream, bytes, most);
  if (taken >= 0) return addon_result(env, (double)taken);
  return refuse(env, "the streams of the library cannot be read");
}

// awaitCounter(place, than, limit): waits until the counter is above a number, at most for so many ms. It looks, then
// it lets others run between looks, then it sleeps between them.
static napi_value await_counter(napi_env env, napi_callback_info info) {
  enum { LOOKS = 400, TURNS = 400 };
  napi_value arguments[ADDON_MOST_ARGUMENTS];
  addon_arguments(env, info, arguments);
  uint64_t place = (uint64_t)addon_number(env, arguments[0]), than = (uint64_t)addon_number(env, arguments[1]);
  int64_t limit = stream_clock() + (int64_t)(addon_number(env, arguments[2]) * 1e6);
  if (place % 8 != 0 || place >= COUNTERS_BYTES) return refuse(env, "there is no such counter");
  const _Atomic uint64_t *counter = (const _Atomic uint64_t *)(channel.counters + place);
  for (unsigned look = 0; atomic_load_explicit(counter, memory_order_acquire) <= than; look++) {
    if (look < LOOKS) stream_pause();
    else if (look < LOOKS + TURNS) sched_yield();
    else if (stream_clock() > limit) return addon_result(env, 0);
    else nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
  }
  return addon_result(env, 1);
}

// countMoves(): how many transfers the library has moved itself.
static napi_value count_moves(napi_env env, napi_callback_info info) {
  (void)info;
  channel.moves = atomic_load((const _Atomic uint64_t *)(channel.counters + STREAM_MOVES));
  return addon_result(env, (double)channel.moves);
}

// copyStage(bytes, place, isToStage): copies all of the bytes to this place of the stage, or from there.
static napi_value copy_stage(napi_env env, napi_callback_info info) {
  napi_value arguments[ADDON_MOST_ARGUMENTS];
  addon_arguments(env, info, arguments);
  size_t length = 0;
  uint8_t *bytes = addon_bytes(env, arguments[0], &length);
  double place = addon_number(env, arguments[1]);
  if (bytes == NULL || !(place >= 0 && place <= STAGE_BYTES && length <= STAGE_BYTES - (size_t)place))
    return refuse(env, "there is no such place on the stage");
  uint8_t *stage = channel.stage + (size_t)place;
  if (addon_number(env, arguments[2]) != 0) memcpy(stage, bytes, length);
  else memcpy(bytes, stage, length);
  return addon_result(env, 1);
}

// readSignals(bytes): the length of the signals that were taken off the socket, without waiting; -1: the library is
// gone.
static napi_value read_signals(napi_env env, napi_callback_info info) {
  napi_value arguments[ADDON_MOST_ARGUMENTS];
  addon_arguments(env, info, arguments);
  size_t most = 0;
  uint8_t *bytes = addon_bytes(env, arguments[0], &most);
  ssize_t got = recv(channel.socket, bytes, most, MSG_DONTWAIT);
  return addon_result(env, got > 0 ? (double)got : got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1);
}

// answerSignal(kind, produced, request, isPending, hasRest): the library looks after this side, all of whose frames
// have been read; `hasRest`: up to a part of one.
static napi_value answer_signal(napi_env env, napi_callback_info info) {
  napi_value arguments[ADDON_MOST_ARGUMENTS];
  addon_arguments(env, info, arguments);
  uint32_t kind = (uint32_t)addon_number(env, arguments[0]), produced = (uint32_t)addon_number(env, arguments[1]),
           request = (uint32_t)addon_number(env, arguments[2]);
  bool is_pending = addon_number(env, arguments[3]) != 0, has_rest = addon_number(env, arguments[4]) != 0;
  if (!stream_take_is_kept(&channel.to_server) || !stream_put_is_kept(&channel.to_library))
    return refuse(env, "the streams of the library have other counters than were written there");
  int32_t further = (int32_t)(channel.to_server.done - produced);
  if (kind != SIGNAL_READING && further < 0)
    return refuse(env, "the streams of the library have fewer bytes than it has put in");
  if (kind == SIGNAL_WAITING && further == 0 && has_rest)
    return refuse(env, "the streams of the library end in a part of a frame");
  if (request != 0 && !is_pending) tell(SIGNAL_ANSWERED, request);
  return addon_result(env, 1);
}

// hasReadAll(consumed): whether the library, which has read so far, has read all that was put in for it.
static napi_value has_read_all(napi_env env, napi_callback_info info) {
  napi_value arguments[ADDON_MOST_ARGUMENTS];
  addon_arguments(env, info, arguments);
  return addon_result(env, (uint32_t)addon_number(env, arguments[0]) == channel.to_library.done);
}

// writeChannel(bytes): false: the library is gone.
static napi_value write_channel(napi_env env, napi_callback_info info) {
  napi_value arguments[ADDON_MOST_ARGUMENTS];
  addon_arguments(env, info, arguments);
  size_t length = 0;
  const uint8_t *bytes = addon_bytes(env, arguments[0], &length);
  while (length > 0) {
    int64_t put = stream_put(&channel.to_library, bytes, length);
    bool rings = put >= 0 && stream_must_ring(&channel.to_library);
    if (put < 0) return refuse(env, "the streams of the library cannot be written");
    if (rings && !tell(SIGNAL_RING, 0)) return addon_result(env, 0);
    bytes += put;
    length -= (size_t)put;
    if (length == 0) break;
    // The library reads, or has ended.
    struct pollfd hung = {.fd = channel.socket, .events = POLLRDHUP};
    if (poll(&hung, 1, 0) > 0 && (hung.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) return addon_result(env, 0);
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
  }
  return addon_result(env, 1);
}

const struct addon_function channel_functions[] = {{"openChannel", open_channel}, {"readChannel", read_channel},
    {"writeChannel", write_channel}, {"awaitCounter", await_counter}, {"countMoves", count_moves},
    {"copyStage", copy_stage},
    {"readSignals", read_signals}, {"answerSignal", answer_signal}, {"hasReadAll", has_read_all}, {NULL, NULL}};
