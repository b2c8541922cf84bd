// Pipes (OpenCL C 6.13.16): a lock-free ring over the structure of docs/kernel-abi.md. It counts the packets that
// writers and readers have reserved since the pipe was made, and has a cell for each slot with the lap of the ring in
// which the slot was filled or emptied last. Nothing waits: a slot is empty, full, or reserved by one work-item.
#define O __attribute__((overloadable))
// Offsets in the structure: modules/kernel-abi defines them, tools/bake passes them.
#define WRITTEN MUXKIT_PIPE_WRITTEN
#define READ MUXKIT_PIPE_READ
#define CELLS MUXKIT_PIPE_CELLS
#define EMPTY 0u
#define FULL 1u

static uint __muxkit_pipe_capacity(global uint* pipe) { return pipe[1]; }

static global ulong* __muxkit_pipe_count(global uint* pipe, uint offset) {
  return (global ulong*)((global char*)pipe + offset);
}

// The cell of a slot: its state, and how many packets the reservation that begins there has.
static global uint* __muxkit_pipe_cell(global uint* pipe, ulong position) {
  return (global uint*)((global char*)pipe + CELLS + (size_t)(position % __muxkit_pipe_capacity(pipe)) * 8u);
}

// The state of a slot in the lap of a position, before a writer (EMPTY) or a reader (FULL) reserves it.
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

// Reserves `count` consecutive slots in a state: the number of the first plus 1, or 0 where there are not as many.
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
// A slot that was read is empty in the next lap.
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
