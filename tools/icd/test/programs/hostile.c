// SPDX-License-Identifier: Apache-2.0
// A server that cannot be trusted, between a library and the server that it means:
//   hostile record FILE SERVER...   passes everything on and keeps what is said
//   hostile replay FILE SEED        answers as was kept, with changes that the seed decides; seed 0: says of every
//                                   transfer that the library has to move it, and changes nothing else
// Descriptors 3, 4 and 5 are the socket, the ring's memory and the library's life (connection.c).
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "generated/operations.h"
#include "wire.h"

enum {
  SOCKET = 3,
  MEMORY = 4,
  LIFE = 5,
  RING_HEAD = 4096,
  CONSUMED = 8,
  PATIENCE = 100,
  MOST_KEPT = 1 << 14,
  MOST_OPERATIONS = 256
};

// A frame as it was kept. `ring`: bytes that went through the ring after it.
struct kept {
  uint32_t from_library, bytes;
  uint64_t ring;
  uint8_t *frame;
};

static bool read_all(int file, void *bytes, size_t length) {
  for (uint8_t *at = bytes; length > 0;) {
    ssize_t got = read(file, at, length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got, length -= (size_t)got;
  }
  return true;
}

static bool write_all(int file, const void *bytes, size_t length) {
  for (const uint8_t *at = bytes; length > 0;) {
    ssize_t put = send(file, at, length, MSG_NOSIGNAL);
    if (put < 0 && errno == ENOTSOCK) put = write(file, at, length);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put, length -= (size_t)put;
  }
  return true;
}

static uint8_t *read_frame(int file, uint32_t *bytes) {
  struct wire_header header;
  if (!read_all(file, &header, sizeof header) || header.bytes < sizeof header || header.bytes > 1u << 28) return NULL;
  uint8_t *frame = malloc(*bytes = header.bytes);
  memcpy(frame, &header, sizeof header);
  return read_all(file, frame + sizeof header, header.bytes - sizeof header) ? frame : NULL;
}

static struct wire_header *header_of(struct kept *kept) { return (struct wire_header *)kept->frame; }

static _Atomic uint64_t *counters(void) {
  void *ring = mmap(NULL, RING_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, MEMORY, 0);
  return ring == MAP_FAILED ? NULL : ring;
}

// ---- keeping

static void put(FILE *file, const struct kept *kept) {
  fwrite(kept, offsetof(struct kept, frame), 1, file);
  fwrite(kept->frame, kept->bytes, 1, file);
  fflush(file);
}

static int record(const char *name, char **server) {
  FILE *file = fopen(name, "wb");
  int pair[2];
  if (file == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  if (fork() == 0) {
    dup2(pair[1], SOCKET);
    close(pair[0]), close(pair[1]), close(fileno(file));
    execvp(server[0], server);
    _exit(127);
  }
  close(pair[1]);
  _Atomic uint64_t *ring = counters();
  struct kept transfer = {0};
  for (;;) {
    struct pollfd ready[] = {{.fd = SOCKET, .events = POLLIN}, {.fd = pair[0], .events = POLLIN}};
    if (poll(ready, 2, -1) < 0) continue;
    int from = ready[1].revents != 0 ? pair[0] : SOCKET;
    struct kept kept = {.from_library = from == SOCKET};
    kept.frame = read_frame(from, &kept.bytes);
    // Transfers of the program that is kept block: nothing is said until their bytes have gone through.
    if (transfer.frame != NULL) transfer.ring = ring[0], put(file, &transfer), transfer.frame = NULL;
    if (kept.frame == NULL) return 0;
    bool through_ring = !kept.from_library && header_of(&kept)->kind == WIRE_TRANSFER &&
                        kept.bytes == sizeof(struct wire_header) && header_of(&kept)->error == 0;
    if (through_ring) transfer = kept;
    else put(file, &kept);
    if (!write_all(from == SOCKET ? pair[0] : SOCKET, kept.frame, kept.bytes)) return 0;
  }
}

// ---- answering

static struct kept all[MOST_KEPT];
static uint32_t count, next_of[MOST_OPERATIONS];
static uint32_t state, answers,
    first_change; // answers so far; all before the first change are right, few after it are wrong

static bool says_move;

static uint32_t draw(uint32_t below) {
  state ^= state << 13, state ^= state >> 17, state ^= state << 5;
  return state % below;
}

static const uint32_t EXTREMES[] = {
    0, 1, 2, 3, 0x7f, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x40000000};
static uint32_t extreme(void) { return EXTREMES[draw(sizeof EXTREMES / sizeof *EXTREMES)]; }

// Changes a frame that is about to be sent, at one place. False: it is not sent.
static bool change(struct kept *sent) {
  struct wire_header *header = header_of(sent);
  uint32_t body = sent->bytes - (uint32_t)sizeof *header;
  uint32_t word = (uint32_t)sizeof *header + 4 * (body < 4 ? 0 : draw(body / 4));
  switch (draw(12)) {
  case 0: return false;
  case 1: header->request = draw(2) == 0 ? draw(40) : extreme(); break;
  case 2: header->kind = (uint16_t)draw(8); break;
  case 3: header->error = draw(2) == 0 ? -(int32_t)draw(80) : (int32_t)extreme(); break;
  case 4: header->bytes = draw(2) == 0 ? extreme() : header->bytes + 4 * draw(8) - 16; break;
  case 5: sent->bytes = header->bytes = (uint32_t)sizeof *header + (body == 0 ? 0 : draw(body)); break;
  case 6: sent->frame[draw(sent->bytes)] ^= (uint8_t)(1 << draw(8)); break;
  case 7: if (body > 0) sent->frame[sizeof *header + draw(body)] = (uint8_t)draw(256); break;
  default: if (body >= 4) memcpy(sent->frame + word, &(uint32_t){draw(3) == 0 ? draw(64) : extreme()}, 4);
  }
  return true;
}

static bool goes_to_device(uint32_t operation) {
  static const uint32_t OPERATIONS[] = {OPERATION_clCreateBuffer, OPERATION_clCreateImage,
      OPERATION_clEnqueueWriteBuffer, OPERATION_clEnqueueWriteBufferRect, OPERATION_clEnqueueWriteImage,
      OPERATION_clEnqueueUnmapMemObject};
  for (size_t i = 0; i < sizeof OPERATIONS / sizeof *OPERATIONS; i++)
    if (OPERATIONS[i] == operation) return true;
  return false;
}

// The other end of a transfer, which may count wrongly.
static void pump(_Atomic uint64_t *ring, bool to_device, uint64_t total, bool wrongly) {
  _Atomic uint64_t *produced = ring, *consumed = ring + CONSUMED;
  uint64_t done = 0;
  for (int idle = 0; done < total && idle < PATIENCE * 10; idle++) {
    uint64_t now = to_device ? *produced : *consumed + (8u << 20);
    if (now > total) now = total;
    if (now > done) done = now, idle = 0;
    uint64_t told = wrongly && draw(4) == 0 ? (uint64_t)extreme() << draw(33) : done;
    if (to_device) *consumed = told;
    else *produced = told;
    if (done < total) usleep(100);
  }
}

static bool answer(struct kept kept, const struct wire_header *asked, _Atomic uint64_t *ring) {
  struct kept sent = kept;
  sent.frame = malloc(kept.bytes);
  memcpy(sent.frame, kept.frame, kept.bytes);
  if (header_of(&sent)->kind == WIRE_REPLY) header_of(&sent)->request = asked->request;
  if (says_move && header_of(&sent)->kind == WIRE_TRANSFER) header_of(&sent)->kind = WIRE_MOVE, kept.ring = 0;
  bool is_changed = answers == first_change || (answers > first_change && draw(40) == 0);
  answers++;
  bool goes_out = !is_changed || change(&sent);
  if (kept.ring > 0) ring[0] = ring[CONSUMED] = 0;
  bool goes_on = true;
  for (uint32_t times = goes_out ? 1 + (draw(60) == 0) : 0; goes_on && times > 0; times--)
    goes_on = write_all(SOCKET, sent.frame, sent.bytes);
  if (goes_on && goes_out && kept.ring > 0) pump(ring, goes_to_device(asked->kind), kept.ring, is_changed);
  free(sent.frame);
  return goes_on;
}

static int replay(const char *name, uint32_t seed) {
  FILE *file = fopen(name, "rb");
  if (file == NULL) return 1;
  for (; count < MOST_KEPT && fread(&all[count], offsetof(struct kept, frame), 1, file) == 1; count++) {
    all[count].frame = malloc(all[count].bytes);
    if (fread(all[count].frame, all[count].bytes, 1, file) != 1) return 1;
  }
  state = seed * 2654435761u | 1;
  for (int i = 0; i < 8; i++) draw(2);
  says_move = seed == 0;
  first_change = says_move ? UINT32_MAX : draw(count);
  _Atomic uint64_t *ring = counters();
  for (;;) {
    // A library that waits for what was left out hears that its server is gone.
    struct pollfd ready = {.fd = SOCKET, .events = POLLIN};
    if (poll(&ready, 1, PATIENCE) <= 0) return 0;
    struct wire_header asked;
    uint32_t bytes;
    uint8_t *frame = read_frame(SOCKET, &bytes);
    if (frame == NULL) return 0;
    memcpy(&asked, frame, sizeof asked);
    free(frame);
    uint32_t operation = asked.kind % MOST_OPERATIONS, at = next_of[operation];
    // What was kept after the next frame of this operation, round and round.
    for (uint32_t tried = 0;
        tried < count && !(all[at % count].from_library && header_of(&all[at % count])->kind == asked.kind); tried++)
      at++;
    next_of[operation] = at + 1;
    for (uint32_t i = at + 1; i < at + count && !all[i % count].from_library; i++)
      if (!answer(all[i % count], &asked, ring)) return 0;
  }
}

int main(int argc, char **argv) {
  if (argc > 3 && strcmp(argv[1], "record") == 0) return record(argv[2], argv + 3);
  return argc > 3 && strcmp(argv[1], "replay") == 0 ? replay(argv[2], (uint32_t)strtoul(argv[3], NULL, 10)) : 2;
}
