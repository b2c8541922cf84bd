// Pipes (OpenCL C 6.13.16) over the structure that docs/kernel-abi.md writes down: counts of packets that writers and
// readers have reserved since the pipe was made, and for each place of a packet a cell that says in which round it was
// filled or emptied last. Nobody waits: a place is free, full, or in somebody's hands.
#define O __attribute__((overloadable))
#define WRITTEN 8
#define READ 16
#define CELLS 64
#define EMPTY 0u
#define FULL 1u

static uint __muxkit_pipe_capacity(global uint* pipe) { return pipe[1]; }

static global ulong* __muxkit_pipe_count(global uint* pipe, uint offset) {
  return (global ulong*)((global char*)pipe + offset);
}

// The state of the place of a packet, and how many packets the reservation that begins there has.
static global uint* __muxkit_pipe_cell(global uint* pipe, ulong position) {
  return (global uint*)((global char*)pipe + CELLS + (size_t)(position % __muxkit_pipe_capacity(pipe)) * 8u);
}

// The state that a place has in the round of a position, before writers (EMPTY) or readers (FULL) have it.
static uint __muxkit_pipe_state(global uint* pipe, ulong position, uint state) {
  return (uint)(position / __muxkit_pipe_capacity(pipe)) * 2u + state;
}

static int __muxkit_pipe_all(global uint* pipe, ulong position, uint count, uint state) {
  for (uint i = 0u; i < count; ++i) {
    if (atomic_or(__muxkit_pipe_cell(pipe, position + i), 0u) != __muxkit_pipe_state(pipe, position + i, state))
      return 0;
  }
  return 1;
}

// Reserves `count` places one after the other that are in a state; gives the number of the first plus 1, or 0 where
// there are not as many.
static ulong __muxkit_pipe_reserve(global uint* pipe, uint count, uint offset, uint state) {
  global ulong* next = __muxkit_pipe_count(pipe, offset);
  if (count == 0u || count > __muxkit_pipe_capacity(pipe)) return 0ul;
  for (;;) {
    ulong position = atom_or(next, 0ul);
    if (__muxkit_pipe_all(pipe, position, count, state)) {
      if (atom_cmpxchg(next, position, position + count) == position) {
        __muxkit_pipe_cell(pipe, position)[1] = count;
        return position + 1ul;
      }
    } else if (atom_or(next, 0ul) == position) return 0ul;
  }
}

static void __muxkit_pipe_commit(global uint* pipe, ulong reservation, uint state) {
  if (reservation == 0ul) return;
  uint count = __muxkit_pipe_cell(pipe, reservation - 1ul)[1];
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  for (uint i = 0u; i < count; ++i) {
    ulong position = reservation - 1ul + i;
    atomic_xchg(__muxkit_pipe_cell(pipe, position), __muxkit_pipe_state(pipe, position, state));
  }
}

O ulong __muxkit_reserve_write_pipe(global uint* pipe, uint count) {
  return __muxkit_pipe_reserve(pipe, count, WRITTEN, EMPTY);
}
O ulong __muxkit_reserve_read_pipe(global uint* pipe, uint count) {
  return __muxkit_pipe_reserve(pipe, count, READ, FULL);
}
O void __muxkit_commit_write_pipe(global uint* pipe, ulong reservation) {
  __muxkit_pipe_commit(pipe, reservation, FULL);
}
// A place that was read is empty in the next round.
O void __muxkit_commit_read_pipe(global uint* pipe, ulong reservation) {
  __muxkit_pipe_commit(pipe, reservation, 2u);
}

// Byte offset of a packet of a reservation; 0: there is none.
O size_t __muxkit_pipe_packet(global uint* pipe, ulong reservation, uint index) {
  if (reservation == 0ul || index >= __muxkit_pipe_cell(pipe, reservation - 1ul)[1]) return 0;
  uint capacity = __muxkit_pipe_capacity(pipe);
  size_t packets = (CELLS + (size_t)capacity * 8u + 127u) & ~(size_t)127u;
  return packets + (size_t)((reservation - 1ul + index) % capacity) * pipe[0];
}

O uint __muxkit_pipe_num_packets(global uint* pipe) {
  ulong end = atom_or(__muxkit_pipe_count(pipe, WRITTEN), 0ul);
  uint count = 0u;
  for (ulong position = atom_or(__muxkit_pipe_count(pipe, READ), 0ul); position < end; ++position) {
    if (atomic_or(__muxkit_pipe_cell(pipe, position), 0u) == __muxkit_pipe_state(pipe, position, FULL)) ++count;
  }
  return count;
}
