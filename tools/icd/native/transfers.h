// SPDX-License-Identifier: Apache-2.0
// Bytes between the application's memory and the server's: small ones travel in frames, others through the ring when
// the server is ready for them.
#ifndef MUXKIT_ICD_TRANSFERS_H
#define MUXKIT_ICD_TRANSFERS_H

#include "objects.h"
#include "wire.h"

enum { TRANSFER_INLINE = 64 << 10 }; // bytes that travel in the frame itself

// What is known of a transfer: which way it goes; that its memory is ours, and freed when the bytes are not needed any
// more; that the caller waits for the command, and so reads what the server sends; that the bytes are on the stage;
// that it was added to another one.
enum transfer_flags { TRANSFER_TO_DEVICE = 1, TRANSFER_OWNED = 2, TRANSFER_AWAITED = 4, TRANSFER_STAGED = 8,
  TRANSFER_ADDED = 16 };

// A box without gaps that begins at `bytes`.
struct layout layout_plain(size_t bytes);
// Bytes of the box.
uint64_t layout_bytes(const struct layout *layout);
// The bytes of the box, where they lie together from `first` on; 0: they do not.
uint64_t layout_together(const struct layout *layout, size_t *first);
// Copies piece `offset` to `offset + bytes` of a box, taken row after row, out of or into the application's memory.
void layout_gather(const struct layout *layout, const uint8_t *memory, uint64_t offset, uint8_t *to, size_t bytes);
void layout_scatter(const struct layout *layout, uint8_t *memory, uint64_t offset, const uint8_t *from, size_t bytes);

// Moves a box between the application's memory and device memory of this process (device_memory.h).
void layout_move(const struct layout *host, uint8_t *memory, const struct layout *at, uint8_t *device, bool to_device);

// Registers a transfer that the server will ask for; its number, or 0: no memory.
uint32_t transfer_new(uint8_t *memory, const struct layout *layout, unsigned flags);
// The same for one whose other side is device memory of this process: it is moved when the server says that it is time.
uint32_t transfer_here(
    uint8_t *memory, const struct layout *layout, uint8_t *device, const struct layout *device_layout, unsigned flags);
// Adds one to another of that kind, behind which it is moved; `held` is kept so long. False: that one has begun, or
// there is no memory.
bool transfer_add(uint32_t first, cl_mem held, uint8_t *memory, const struct layout *layout, uint8_t *device,
    const struct layout *device_layout, unsigned flags);
// The same for one whose bytes go over the stage, at this place.
uint32_t transfer_staged(uint8_t *memory, const struct layout *layout, int64_t place, unsigned flags);
// Ends one whose command is over or was never sent, if it is not over itself: its memory is not touched any more.
void transfer_forget(uint32_t transfer);
// After the server has gone: waits until no bytes of the application are touched any more. Its commands are over then.
void transfers_stop(void);
// The server is ready (connection.h).
void transfer_arrived(uint32_t transfer, int32_t error, struct wire_reader *body);

// It is time to move one, and those that were added to it.
void transfer_move(uint32_t transfer);
// Lets go what such transfers have held. For calls of the application.
void transfers_let_objects_go(void);

// Around a fork (forks.h).
void transfers_hold(void);
void transfers_let_go(bool in_child);

// Writes where the bytes are: 1 and the bytes themselves, or 0 and the number of a transfer. False: no memory.
// `transfer`: what must be forgotten when the frame is never sent; 0: nothing.
bool transfer_put(
    struct wire_writer *writer, uint8_t *memory, const struct layout *layout, unsigned flags, uint32_t *transfer);

#endif
