// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "channel.h"
#include "forks.h"
#include "server_command.h"
#include "stage.h"
#include "stream.h"
#include "trace.h"

// Descriptors of the server: above what a program is started with.
enum { SERVER_SOCKET = 3, SERVER_MEMORY = 4, SERVER_LIFE = 5, SERVER_DEVICE = 6 };

// Short answers come while a thread that sleeps would be woken: it looks so many times for them first, and lets others
// run between.
enum { MOST_LOOKS = 40 };

// The ring of bulk data: a page with two counters of bytes, and the data. Both sides count all transfers, one after the
// other; during one, each writes one of the counters. Behind it are the stage (stage.h) and the streams of the channel.
enum {
  RING_HEAD = 4096,
  RING_BYTES = 8 << 20,
  RING_PIECE = 1 << 20,
  STAGE_PLACE = RING_HEAD + RING_BYTES,
  STREAMS_PLACE = STAGE_PLACE + STAGE_BYTES,
  MEMORY_BYTES = STREAMS_PLACE + STREAMS_BYTES
};
static const char RING_COUNTERS[] = "the counters of a transfer";
struct ring_head {
  _Atomic uint64_t produced;
  uint8_t space[56];
  _Atomic uint64_t consumed;
  uint8_t more_space[56];
  _Atomic uint64_t moves; // transfers that this process has moved itself, in the order in which it was told to
};
_Static_assert(offsetof(struct ring_head, moves) == STREAM_MOVES, "both sides know the place");

static struct {
  struct frame_handlers handlers;
  int socket, memory;
  int device; // the file of device memory, whose size the server sets
  int life; // closes with this process, whatever the server is doing: it dies then
  uint8_t *ring;
  _Atomic uint64_t moved; // bytes of all transfers that are over
  _Atomic uint64_t moves; // as in the ring's head
  _Atomic(_Atomic uint64_t *) counted; // the counter that this side wrote last, with `moved`
  atomic_bool lost;
  struct reply greeting;
  pthread_mutex_t sending;
  // Guards all that follows.
  pthread_mutex_t lock;
  bool reading; // somebody has the role of the reader
  struct waiter *waiters;
  uint32_t request;
  int expected;
  bool watched; // the library's own thread runs
  pthread_cond_t watch;
} server = {.socket = -1,
    .memory = -1,
    .device = -1,
    .life = -1,
    .sending = PTHREAD_MUTEX_INITIALIZER,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .watch = PTHREAD_COND_INITIALIZER};

static pthread_once_t opened = PTHREAD_ONCE_INIT;

bool connection_lost(void) { return atomic_load_explicit(&server.lost, memory_order_acquire); }

// The server has ended: wakes all waiting threads. The lock is held.
static void lose(void) {
  if (atomic_exchange(&server.lost, true)) return;
  shutdown(server.socket, SHUT_RDWR);
  for (struct waiter *waiter = server.waiters; waiter != NULL; waiter = waiter->next)
    pthread_cond_signal(&waiter->changed);
  pthread_cond_signal(&server.watch);
  if (server.handlers.lost != NULL) server.handlers.lost();
}

// Bytes that came and are not read yet. They belong to the thread that has the role of the reader.
static struct {
  uint8_t bytes[128 << 10];
  size_t at, end;
} incoming;

// Whether a thread still waits for a reply; for any, with 0.
static bool is_awaited(uint32_t request) {
  pthread_mutex_lock(&server.lock);
  const struct waiter *waiter = server.waiters;
  while (waiter != NULL && (waiter->done || !waiter->sent || (request != 0 && waiter->request != request)))
    waiter = waiter->next;
  pthread_mutex_unlock(&server.lock);
  return waiter != NULL;
}

// Asks the server after each request that a thread waits for. False: it is gone.
static bool look_after_requests(void) {
  enum { MOST_ASKED = 64 };
  uint32_t asked[MOST_ASKED] = {0}, count = 0;
  bool writes = pthread_mutex_trylock(&server.sending) == 0;
  pthread_mutex_lock(&server.lock);
  for (const struct waiter *waiter = server.waiters; waiter != NULL && count < MOST_ASKED; waiter = waiter->next)
    if (waiter->sent && !waiter->done) asked[count++] = waiter->request;
  pthread_mutex_unlock(&server.lock);
  bool is_there = true;
  for (uint32_t i = 0; is_there && i < (count == 0 ? 1 : count); i++) is_there = channel_look_after(asked[i], writes);
  if (writes) pthread_mutex_unlock(&server.sending);
  return is_there;
}

static struct ring_head *ring_head(void) { return (struct ring_head *)server.ring; }

// Whether the counters that this side wrote last are what the server must find, or what it has written there since.
static bool ring_is_kept(void) {
  const _Atomic uint64_t *counter = atomic_load(&server.counted);
  bool is_kept = counter == NULL || atomic_load(counter) >= atomic_load(&server.moved);
  // Another thread may just be counting: then both are read again, a second later.
  uint64_t moves = atomic_load(&server.moves);
  is_kept = is_kept && (atomic_load(&ring_head()->moves) == moves || atomic_load(&server.moves) != moves);
  if (!is_kept) channel_complain(RING_COUNTERS);
  return is_kept;
}

// Takes the available bytes from the channel or the socket; waits for the first byte. 0: the server is gone.
static size_t receive(void *bytes, size_t most) {
  while (channel_is_open()) {
    uint32_t answered;
    int64_t got = channel_read(bytes, most, &answered);
    if (got >= 0) return (size_t)got;
    if (got == CHANNEL_WAITED && !(ring_is_kept() && look_after_requests())) return 0;
    if (got == CHANNEL_ANSWERED && is_awaited(answered)) {
      channel_complain("a frame");
      return 0;
    }
  }
  for (int look = 0;; look++) {
    ssize_t got = recv(server.socket, bytes, most, MSG_DONTWAIT);
    if (got > 0) return (size_t)got;
    if (got == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)) return 0;
    if (look < MOST_LOOKS) {
      sched_yield();
      continue;
    }
    struct pollfd ready = {.fd = server.socket, .events = POLLIN};
    if (poll(&ready, 1, STREAM_LOOK_AFTER) == 0 && !ring_is_kept()) return 0;
  }
}

static bool read_all(void *bytes, size_t length) {
  for (uint8_t *at = bytes; length > 0;) {
    size_t got = incoming.end - incoming.at;
    if (got == 0 && length >= sizeof incoming.bytes) {
      got = receive(at, length);
      if (got == 0) return false;
    } else {
      if (got == 0) {
        incoming.at = 0;
        incoming.end = got = receive(incoming.bytes, sizeof incoming.bytes);
        if (got == 0) return false;
      }
      if (got > length) got = length;
      memcpy(at, incoming.bytes + incoming.at, got);
      incoming.at += got;
    }
    at += got;
    length -= got;
  }
  return true;
}

// Whether some of a frame is here. The role of the reader is free, and the lock is held.
static bool has_input(void) {
  if (incoming.at < incoming.end) return true;
  if (channel_is_open()) return channel_has_more();
  struct pollfd ready = {.fd = server.socket, .events = POLLIN};
  return poll(&ready, 1, 0) > 0;
}

static void read_one(void);
static void pass_role(void);

// Waits until the server takes more. It may itself wait until its output is read: then this thread reads it.
static void wait_to_write(void) {
  if (channel_is_open()) {
    struct pollfd hung = {.fd = server.socket, .events = POLLRDHUP};
    // The last bytes may hold what it waits for.
    if (!channel_has_more()) {
      if (poll(&hung, 1, 0) > 0 && (hung.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) {
        pthread_mutex_lock(&server.lock);
        lose();
        pthread_mutex_unlock(&server.lock);
      } else nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
      return;
    }
  } else {
    struct pollfd ready = {.fd = server.socket, .events = POLLIN | POLLOUT};
    if (poll(&ready, 1, 100) <= 0 || (ready.revents & POLLOUT) != 0) return;
  }
  pthread_mutex_lock(&server.lock);
  if (server.reading || connection_lost())
    pthread_mutex_unlock(&server.lock), sched_yield(), pthread_mutex_lock(&server.lock);
  // Another thread may have read it by now. The server need not send anything more before it has this frame.
  else if (has_input()) read_one(), pass_role();
  pthread_mutex_unlock(&server.lock);
}

static bool write_all(const void *bytes, size_t length) {
  if (channel_is_open()) {
    for (const uint8_t *at = bytes; length > 0;) {
      size_t written;
      if (connection_lost() || !channel_write(at, length, &written)) return false;
      at += written;
      length -= written;
      if (written == 0) wait_to_write();
    }
    return true;
  }
  for (const uint8_t *at = bytes; length > 0;) {
    ssize_t sent = send(server.socket, at, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && !connection_lost()) {
      wait_to_write();
      continue;
    }
    if (sent <= 0) return false;
    at += sent;
    length -= (size_t)sent;
  }
  return true;
}

// A whole frame; NULL when the server has ended or sends an invalid one.
static uint8_t *read_frame(void) {
  struct wire_header header;
  if (!read_all(&header, sizeof header)) return NULL;
  if (header.bytes < sizeof header || header.bytes > WIRE_MOST_BYTES + sizeof header) {
    channel_complain("a frame's length");
    return NULL;
  }
  uint8_t *frame = malloc(header.bytes);
  if (frame == NULL) return NULL;
  memcpy(frame, &header, sizeof header);
  if (read_all(frame + sizeof header, header.bytes - sizeof header)) return frame;
  free(frame);
  return NULL;
}

// What is done with a frame that came. The lock is held, and let go while handlers run.
static void deliver(uint8_t *frame) {
  struct wire_header header;
  memcpy(&header, frame, sizeof header);
  struct wire_reader body = {.bytes = frame + sizeof header, .length = header.bytes - (uint32_t)sizeof header};
  if (header.kind == WIRE_REPLY) {
    for (struct waiter *waiter = server.waiters; waiter != NULL; waiter = waiter->next) {
      if (waiter->request != header.request || waiter->done) continue;
      *waiter->reply = (struct reply){.error = header.error, .reader = body, .frame = frame};
      waiter->done = true;
      pthread_cond_signal(&waiter->changed);
      return;
    }
  } else {
    pthread_mutex_unlock(&server.lock);
    if (header.kind == WIRE_CALLBACK) server.handlers.callback(header.request, header.error, &body);
    else if (header.kind == WIRE_TRANSFER) server.handlers.transfer(header.request, header.error, &body);
    else if (header.kind == WIRE_MOVE) server.handlers.move(header.request);
    else if (header.kind == WIRE_PLACE) server.handlers.place(header.request, &body);
    else if (header.kind == WIRE_PRINT) server.handlers.print(body.bytes, body.length);
    else if (header.kind == WIRE_LOG) server.handlers.log(body.bytes, body.length);
    pthread_mutex_lock(&server.lock);
  }
  free(frame);
}

// Reads one frame as the reader. The lock is held, and let go while it reads.
static void read_one(void) {
  server.reading = true;
  pthread_mutex_unlock(&server.lock);
  uint8_t *frame = read_frame();
  pthread_mutex_lock(&server.lock);
  if (frame == NULL) lose();
  else deliver(frame);
  server.reading = false;
}

// A thread that waits for a reply, or is about to; NULL: none. The lock is held.
static struct waiter *first_waiter(void) {
  struct waiter *waiter = server.waiters;
  while (waiter != NULL && waiter->done) waiter = waiter->next;
  return waiter;
}

// The role is free: a thread that needs it takes it. The lock is held.
static void pass_role(void) {
  struct waiter *waiter = first_waiter();
  if (waiter != NULL) pthread_cond_signal(&waiter->changed);
  else if (server.expected > 0) pthread_cond_signal(&server.watch);
}

static void *watch(void *unused) {
  (void)unused;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  pthread_mutex_lock(&server.lock);
  while (!connection_lost()) {
    // Who waits reads for itself, and is awake sooner.
    if (server.expected > 0 && !server.reading && first_waiter() == NULL) read_one(), pass_role();
    else pthread_cond_wait(&server.watch, &server.lock);
  }
  pthread_mutex_unlock(&server.lock);
  return NULL;
}

void connection_expect(int difference) {
  pthread_mutex_lock(&server.lock);
  server.expected += difference;
  if (server.expected > 0 && !server.watched && !connection_lost()) {
    pthread_t thread;
    server.watched = pthread_create(&thread, NULL, watch, NULL) == 0;
    if (server.watched) pthread_detach(thread);
  }
  if (difference > 0) pthread_cond_signal(&server.watch);
  pthread_mutex_unlock(&server.lock);
}

// Whether more than one thread has called so far: the server may then not let one wait for another.
static bool has_threads(void) {
  static _Thread_local char here;
  static _Atomic(char *) first;
  char *none = NULL;
  return !atomic_compare_exchange_strong(&first, &none, &here) && none != &here;
}

// Sends the frame under `sending`, so that frames of threads do not mix.
static bool transmit(struct wire_writer *writer, uint32_t request) {
  static atomic_bool threaded;
  if (writer->failed || connection_lost()) return false;
  if (!atomic_load(&threaded) && has_threads()) atomic_store(&threaded, true);
  uint16_t flags = atomic_load(&threaded) ? WIRE_THREADED : 0;
  memcpy(writer->bytes + offsetof(struct wire_header, flags), &flags, sizeof flags);
  memcpy(writer->bytes + offsetof(struct wire_header, bytes), &writer->length, sizeof writer->length);
  memcpy(writer->bytes + offsetof(struct wire_header, request), &request, sizeof request);
  pthread_mutex_lock(&server.sending);
  bool sent = write_all(writer->bytes, writer->length);
  pthread_mutex_unlock(&server.sending);
  if (!sent) {
    pthread_mutex_lock(&server.lock);
    lose();
    pthread_mutex_unlock(&server.lock);
  }
  return sent;
}

bool connection_send(struct wire_writer *writer) {
  trace_counts.frames++;
  bool sent = transmit(writer, 0);
  wire_end(writer);
  return sent;
}

void connection_post(struct wire_writer *writer, struct waiter *waiter, struct reply *reply) {
  trace_counts.frames++, trace_counts.waits++;
  *waiter = (struct waiter){.reply = reply, .changed = PTHREAD_COND_INITIALIZER};
  pthread_mutex_lock(&server.lock);
  if (++server.request == 0) server.request = 1;
  waiter->request = server.request;
  waiter->next = server.waiters;
  server.waiters = waiter;
  pthread_mutex_unlock(&server.lock);
  waiter->sent = transmit(writer, waiter->request);
  wire_end(writer);
}

bool connection_await(struct waiter *waiter) {
  pthread_mutex_lock(&server.lock);
  while (waiter->sent && !waiter->done && !connection_lost()) {
    if (server.reading) pthread_cond_wait(&waiter->changed, &server.lock);
    else read_one();
  }
  struct waiter **link = &server.waiters;
  while (*link != waiter) link = &(*link)->next;
  *link = waiter->next;
  if (!server.reading) pass_role();
  pthread_mutex_unlock(&server.lock);
  pthread_cond_destroy(&waiter->changed);
  return waiter->done;
}

void connection_read_more(void) {
  pthread_mutex_lock(&server.lock);
  if (!server.reading && !connection_lost()) {
    while (!server.reading && !connection_lost() && (incoming.at < incoming.end || channel_has_more())) read_one();
    if (!server.reading) pass_role();
  }
  pthread_mutex_unlock(&server.lock);
}

bool connection_call(struct wire_writer *writer, struct reply *reply) {
  struct waiter waiter;
  connection_post(writer, &waiter, reply);
  return connection_await(&waiter);
}

void connection_free_reply(struct reply *reply) {
  free(reply->frame);
  reply->frame = NULL;
}

int connection_device_file(void) { return server.device; }

const struct reply *connection_greeting(void) { return &server.greeting; }

// ---- the ring

// Waits until the other side has got further than `than`; this one has `counted` in the counter `own`. False: the other
// side is gone, or somebody else has written the counter.
static bool wait_beyond(
    _Atomic uint64_t *counter, uint64_t than, uint64_t *now, const _Atomic uint64_t *own, uint64_t counted) {
  for (unsigned round = 0;; round++) {
    *now = atomic_load_explicit(counter, memory_order_acquire);
    if (*now > than) return true;
    if (round < 200) continue;
    if (atomic_load_explicit(own, memory_order_relaxed) != counted) {
      channel_complain(RING_COUNTERS);
      return false;
    }
    if (round < 400) sched_yield();
    else {
      struct pollfd hung = {.fd = server.socket, .events = POLLRDHUP};
      if (connection_lost() || (poll(&hung, 1, 0) > 0 && (hung.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0))
        return false;
      nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
  }
}

// A transfer is over, in which this side wrote the counter. False: it broke off, and nobody knows where.
static bool end_transfer(_Atomic uint64_t *own, uint64_t counted, uint64_t all) {
  if (counted == all) {
    atomic_store(&server.moved, all);
    atomic_store(&server.counted, own);
    return true;
  }
  pthread_mutex_lock(&server.lock);
  lose();
  pthread_mutex_unlock(&server.lock);
  return false;
}

bool connection_ring_write(
    uint64_t total, void (*give)(void *context, uint64_t offset, uint8_t *to, size_t bytes), void *context) {
  struct ring_head *head = ring_head();
  const uint64_t begin = atomic_load(&server.moved), all = begin + total;
  uint64_t produced = begin, consumed = begin;
  while (produced < all) {
    if (produced - consumed == RING_BYTES &&
        !wait_beyond(&head->consumed, consumed, &consumed, &head->produced, produced))
      break;
    if (consumed > produced) {
      channel_complain(RING_COUNTERS);
      break;
    }
    uint64_t at = produced % RING_BYTES, bytes = RING_BYTES - (produced - consumed);
    if (bytes > RING_PIECE) bytes = RING_PIECE;
    if (bytes > RING_BYTES - at) bytes = RING_BYTES - at;
    if (bytes > all - produced) bytes = all - produced;
    give(context, produced - begin, server.ring + RING_HEAD + at, bytes);
    produced += bytes;
    atomic_store_explicit(&head->produced, produced, memory_order_release);
  }
  return end_transfer(&head->produced, produced, all);
}

bool connection_ring_read(
    uint64_t total, void (*take)(void *context, uint64_t offset, const uint8_t *from, size_t bytes), void *context) {
  struct ring_head *head = ring_head();
  const uint64_t begin = atomic_load(&server.moved), all = begin + total;
  uint64_t produced = begin, consumed = begin;
  while (consumed < all) {
    if (produced == consumed && !wait_beyond(&head->produced, produced, &produced, &head->consumed, consumed)) break;
    if (produced > all) {
      channel_complain(RING_COUNTERS);
      break;
    }
    uint64_t at = consumed % RING_BYTES, bytes = produced - consumed;
    if (bytes > RING_PIECE) bytes = RING_PIECE;
    if (bytes > RING_BYTES - at) bytes = RING_BYTES - at;
    take(context, consumed - begin, server.ring + RING_HEAD + at, bytes);
    consumed += bytes;
    atomic_store_explicit(&head->consumed, consumed, memory_order_release);
  }
  return end_transfer(&head->consumed, consumed, all);
}

void connection_moved(void) {
  // One thread at a time reads, and it alone counts.
  uint64_t moves = atomic_load(&server.moves) + 1;
  atomic_store(&server.moves, moves);
  atomic_store(&ring_head()->moves, moves);
  channel_ring();
}

// ---- the process

void connection_hold(void) { pthread_mutex_lock(&server.lock); }

// A forked child has the descriptors, but neither the server nor the threads: nobody there waits or reads.
void connection_let_go(bool in_child) {
  if (!in_child) {
    pthread_mutex_unlock(&server.lock);
    return;
  }
  atomic_store(&server.lost, true);
  if (server.socket >= 0) close(server.socket);
  if (server.memory >= 0) close(server.memory);
  if (server.device >= 0) close(server.device);
  if (server.life >= 0) close(server.life);
  server.socket = server.memory = server.device = server.life = -1;
  server.waiters = NULL;
  server.reading = server.watched = false;
  server.expected = 0;
  pthread_mutex_init(&server.sending, NULL);
  pthread_mutex_init(&server.lock, NULL);
  pthread_cond_init(&server.watch, NULL);
}

// Moves a descriptor out of the way of those that the server gets.
static int above(int descriptor) {
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
  close(descriptor);
  return moved;
}

// Starts the server as nobody's child: a program that waits for its own children never meets it.
static bool start(char *const command[], int socket, int memory, int life) {
  char **environment = server_environment();
  if (environment == NULL) return false;
  forks_are_ours(true);
  pid_t child = fork();
  if (child != 0) forks_are_ours(false), free(environment);
  if (child < 0) return false;
  if (child == 0) {
    if (fork() != 0) _exit(0);
    setsid();
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0) _exit(127);
    if (dup2(socket, SERVER_SOCKET) < 0 || dup2(memory, SERVER_MEMORY) < 0 || dup2(life, SERVER_LIFE) < 0 ||
        dup2(server.device, SERVER_DEVICE) < 0)
      _exit(127);
    long most = sysconf(_SC_OPEN_MAX);
    for (int other = SERVER_DEVICE + 1; other < (most > 0 && most < 1024 ? most : 1024); other++) close(other);
    execvpe(command[0], command, environment);
    _exit(127);
  }
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
  return true;
}

static bool greet(void) {
  struct wire_writer writer;
  wire_begin(&writer, 0);
  wire_u32(&writer, WIRE_MAGIC);
  wire_u32(&writer, WIRE_VERSION);
  wire_u32(&writer, (uint32_t)getpid());
  wire_u64(&writer, RING_BYTES);
  if (!connection_call(&writer, &server.greeting)) return false;
  const struct wire_header *header = (const struct wire_header *)server.greeting.frame;
  if ((header->flags & WIRE_CHANNEL) != 0) {
    channel_open(server.ring + STREAMS_PLACE, server.socket);
    stage_open(server.ring + STAGE_PLACE);
  }
  return true;
}

static void open_once(void) {
  char **command = server_command();
  if (command == NULL) {
    fprintf(stderr, "muxkit: no server: MUXKIT_ICD_SERVER is not set and `muxkit icd install` wrote no path; there is "
                    "no platform\n");
    atomic_store(&server.lost, true);
    return;
  }
  // A child of another thread must not inherit the descriptors opened here.
  forks_watch();
  int pair[2] = {-1, -1}, life[2] = {-1, -1};
  int memory = memfd_create("muxkit-icd", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  server.device = memfd_create("muxkit-icd-device", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  bool ready = memory >= 0 && server.device >= 0 && ftruncate(memory, MEMORY_BYTES) == 0 &&
               socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0 && pipe2(life, O_CLOEXEC) == 0;
  if (ready) {
    // The server may rely on its size.
    fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    server.memory = memory = above(memory);
    server.device = above(server.device);
    server.socket = pair[0];
    pair[1] = above(pair[1]);
    life[0] = above(life[0]);
    server.life = life[1];
    server.ring = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    ready = server.ring != MAP_FAILED && start(command, pair[1], memory, life[0]);
    close(pair[1]);
    close(life[0]);
  }
  if (!ready || !greet()) {
    fprintf(stderr, "muxkit: the server did not come up (%s %s ...); there is no platform\n", command[0],
        command[1] == NULL ? "" : command[1]);
    atomic_store(&server.lost, true);
    return;
  }
  if (server.greeting.error != 0) {
    uint32_t length;
    const uint8_t *why = wire_read_bytes(&server.greeting.reader, &length);
    fprintf(stderr, "muxkit: the server refused: %.*s\n", (int)length, (const char *)why);
    atomic_store(&server.lost, true);
  }
}

bool connection_open(const struct frame_handlers *handlers) {
  server.handlers = *handlers;
  pthread_once(&opened, open_once);
  return !connection_lost();
}
