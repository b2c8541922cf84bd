// SPDX-License-Identifier: Apache-2.0
// The layout of the control block: the shared memory that threads coordinate through and that no kernel can address.
//
// The block is one array of 32-bit words. A *command node* is one command as threads see it; a *batch* is one
// dispatched command buffer: a head node, the nodes of its commands, a tail node. Words that different threads write
// often are on cache lines of their own. A constant's prefix names the table that it is an offset in: THREAD_, CODE_,
// NODE_ and so on; NDRANGE_, SEQUENCE_, TRANSFER_, QUERY_ and TAIL_ are the words of a node that depend on its kind.
// Everything except the claim counters and the words read in the middle of a node's run is only touched under the lock.

/** Number of threads that a control block has room for; thread 0 is the host thread. */
export const MAX_THREADS = 130;
/** The host thread's index. */
export const HOST_THREAD = 0;

// ---- header words
/** The lock of the lists: 0 free, 1 taken, 2 taken and a thread sleeps. */
export const LOCK = 0;
/** Counts calls for workers; they park on it. */
export const WAKE = 16;
/** Counts calls for the host thread; it parks on it. */
export const HOST_WORD = 32;
/** 1 while the host thread sleeps on {@link HOST_WORD}. */
export const HOST_SLEEPS = 33;
/** The descriptor of the bridge's file, and one; 0: machine code was not opened. It outlives the file's name. */
export const NATIVE_FILE = 40;
/** Permits left: a thread holds one while it runs groups (docs/decisions/020-permits.md). */
export const PERMITS = 48;
/** Workers that are parked. */
export const PARKED = 49;
/** 1: workers end. */
export const SHUTDOWN = 50;
/** First and last node that wants threads. */
export const READY_HEAD = 51;
export const READY_TAIL = 52;
/** First and last node that wants the host thread. */
export const HOST_HEAD = 53;
export const HOST_TAIL = 54;
/** First and last tail node that is complete and that the host thread has not seen. */
export const DONE_HEAD = 55;
export const DONE_TAIL = 56;
/** Earliest deadline of a running node in ms since the device was opened; {@link NEVER} when there is none. */
export const EARLIEST = 57;
/** Counts evictions of code; a worker that sees a new value checks its instances. */
export const EVICTIONS = 58;
/** Counts cancelled nodes that still have threads in them. */
export const OVERDUE = 59;
/** Nodes that threads are running. */
export const RUNNING = 60;
/** Workers that are parked for a short time only and will check for work by themselves. */
export const LINGERING = 62;
/** Workers that spin on {@link WAKE}: they need no wake-up. */
export const SPINNING = 63;
/** Where a doomed worker waits for its end. */
export const DOOM = 61;
/**
 * A thread that was cancelled and has not left its call after this many ms is ended
 * (docs/decisions/001-stopping-threads.md).
 */
export const ANSWER_MS = 100;
/** Interval of polling a thread that is about to leave or to end, in ms. */
export const LOOK_MS = 1;
/** Time that never comes. */
export const NEVER = 0x7fffffff;

// ---- thread table
export const THREADS = 64;
export const THREAD_WORDS = 16;
/** What the thread does, one of the `THREAD_…` values. */
export const THREAD_STATE = 0;
/** The node that it runs, 0 for none. */
export const THREAD_CURRENT = 1;
/** Address of its worker block in device memory. */
export const THREAD_BLOCK = 2;
/** Groups or units that it ran, a statistic. */
export const THREAD_UNITS = 4;
/** Nodes that it joined, a statistic. */
export const THREAD_JOINED = 5;
/** 1 while it holds a permit. */
export const THREAD_PERMIT = 6;

/** In native code: the system's number of the thread, and the number of its call: what a signal to it has to name. */
export const THREAD_ID = 7;
export const THREAD_SERIAL = 8;

export const THREAD_ABSENT = 0;
export const THREAD_STARTING = 1;
export const THREAD_IDLE = 2;
/** Inside generated code: it touches nothing of the control block, so it can be terminated. */
export const THREAD_IN_CALL = 3;
/** Works on a node, outside generated code. */
export const THREAD_BUSY = 4;
/** Given up: if it ever returns from its call it must touch nothing. */
export const THREAD_DOOMED = 5;
/** Inside native code: it cannot be terminated, but a signal makes it leave. */
export const THREAD_IN_NATIVE = 6;

// ---- code slots
export const CODES: number = THREADS + MAX_THREADS * THREAD_WORDS;
export const CODE_WORDS = 4;
export const MAX_CODES = 4096;
/** Id of the module in the slot, 0 for none. Ids are never used twice. */
export const CODE_ID = 0;
/** Offset of its bytes in the code memory: a module, or the record of native code. */
export const CODE_OFFSET = 1;
export const CODE_LENGTH = 2;
/** 1: workers drop their instance. */
export const CODE_EVICTED = 3;

// ---- semaphores, fences, waiters
export const SEMAPHORES: number = CODES + MAX_CODES * CODE_WORDS;
export const SEMAPHORE_WORDS = 2;
export const MAX_SEMAPHORES = 16384;
/** 0 not signalled, 1 signalled, 2 failed. */
export const SEMAPHORE_STATE = 0;
/** First waiter, 0 for none. */
export const SEMAPHORE_WAITERS = 1;

export const FENCES: number = SEMAPHORES + MAX_SEMAPHORES * SEMAPHORE_WORDS;
export const MAX_FENCES = 16384;
/** A fence is one word: its state. */
export const FENCE_IDLE = 0;
export const FENCE_PENDING = 1;
export const FENCE_DONE = 2;
export const FENCE_FAILED = 3;

export const WAITERS: number = FENCES + MAX_FENCES;
export const WAITER_WORDS = 2;
export const MAX_WAITERS = 32768;
export const WAITER_NEXT = 0;
/** The head node that waits. */
export const WAITER_NODE = 1;

// ---- query slots: start and end, doubles: ns, or the values of a counter
export const QUERIES: number = (WAITERS + MAX_WAITERS * WAITER_WORDS + 1) & ~1;
export const QUERY_WORDS = 6;
/** What is measured: 0 for times, else the number of a counter and one. */
export const QUERY_COUNTER = 4;
export const MAX_QUERIES = 32768;

// ---- edges: lists of nodes that do not fit in a node
export const EDGES: number = QUERIES + MAX_QUERIES * QUERY_WORDS;
export const MAX_EDGES = 65536;

// ---- prepared launches: words in the order of an NDRange's, so that a launch runs from its row as from a node; the
// arenas are the node's, but for a row that succeeds other code of a node
export const LAUNCHES: number = (EDGES + MAX_EDGES + 15) & ~15;
export const LAUNCH_WORDS = 16;
export const MAX_LAUNCHES = 8192;
/**
 * Code, id of the code, function, arguments, dispatch block: as the words of an NDRange from {@link NDRANGE_CODE} on.
 */
export const LAUNCH_CODE = 0;
export const LAUNCH_WORDS_BEFORE_ARENA = 5;
/** Groups of the part and its first group: as the words from {@link NDRANGE_COUNT} on. */
export const LAUNCH_COUNT = 7;
/** Number of groups, a double. */
export const LAUNCH_TOTAL = 14;

// ---- nodes
export const NODES: number = (LAUNCHES + MAX_LAUNCHES * LAUNCH_WORDS + 15) & ~15;
export const NODE_WORDS = 80;
/** Node 0 is no node. */
export const MAX_NODES = 16384;

// ---- parts of the device: a word each, the threads that may still join nodes of it
export const PARTS: number = NODES + MAX_NODES * NODE_WORDS;
/** Part 0 is the whole device, whose threads are counted by permits. */
export const MAX_PARTS = 256;
export const CONTROL_WORDS: number = PARTS + MAX_PARTS;

/** One of the `KIND_…` values. */
export const NODE_KIND = 0;
/** One of the `STATE_…` values. */
export const NODE_STATE = 1;
/** Nodes and semaphores that this one still waits for. */
export const NODE_PENDING = 2;
/** What {@link NODE_PENDING} starts with at each dispatch. */
export const NODE_PENDING_AT_START = 3;
/** Neighbours in the list that it is in. */
export const NODE_NEXT = 4;
export const NODE_PREVIOUS = 5;
/** 1 while it is in the ready list. */
export const NODE_LISTED = 6;
/** One of the `ERROR_…` values. */
export const NODE_ERROR = 7;
/** The node that failed first. */
export const NODE_ORIGIN = 8;
/** 1: threads leave it. Read without the lock. */
export const NODE_CANCELLED = 9;
/** Threads that work on it. */
export const NODE_CLAIMERS = 10;
/** 1 when a thread has joined it. */
export const NODE_STARTED = 11;
/** Next unit to claim, 64 bits; units are groups for an NDRange and blocks of bytes for a transfer. */
export const NODE_CLAIM = 12;
/** Number of units, a double. */
export const NODE_TOTAL = 14;
/** Longest run time in ms, 0 for no limit. */
export const NODE_LIMIT = 16;
/** Its deadline in ms since the device was opened. */
export const NODE_DEADLINE = 17;
/** When it was cancelled, in ms. */
export const NODE_CANCEL_TIME = 18;
/** Number of successors: up to 4 in the words from {@link NODE_SUCCESSORS} on, more in edges from the word there on. */
export const NODE_SUCCESSOR_COUNT = 19;
export const NODE_SUCCESSORS = 20;
/** Start and end in ns, doubles. */
export const NODE_START = 24;
export const NODE_END = 26;
/** 1: claim 64 bits wide. */
export const NODE_WIDE = 28;
/** Fewest units of a claim. */
export const NODE_MIN_CLAIM = 29;
/**
 * What went wrong: a trap's kind; first and end unit of the call; the group that the fault record names, and whether it
 * names one.
 */
export const NODE_FAULT = 30;
export const NODE_FAULT_FIRST = 31;
export const NODE_FAULT_END = 32;
export const NODE_FAULT_GROUP = 33;
export const NODE_FAULT_HAS_GROUP = 36;
/** The part of the device that it runs on: its threads are counted there; 0: the whole device. */
export const NODE_PART = 37;
/**
 * Other code for the units that have not begun: the row of a prepared launch; 0: there is none, or
 * {@link SUCCESSOR_AWAITED}. Read without the lock.
 */
export const NODE_SUCCESSOR = 38;
/** Other code may come while the node runs: claims are short until then. */
export const SUCCESSOR_AWAITED = -1;

export const INLINE_SUCCESSORS = 4;

/** First of the words that depend on the kind. */
export const NODE_BODY = 40;

// NDRange
export const NDRANGE_CODE = 40;
export const NDRANGE_CODE_ID = 41;
export const NDRANGE_FUNCTION = 42;
export const NDRANGE_ARGS = 43;
export const NDRANGE_DISPATCH = 44;
export const NDRANGE_ARENA = 45;
export const NDRANGE_ARENA_STRIDE = 46;
/** Groups of the part, x, y, z. */
export const NDRANGE_COUNT = 47;
/** First group of the part, x, y, z. */
export const NDRANGE_FIRST = 50;
/** 0: not measured; else the time that threads have spent on it, in units of {@link SPENT_NS} ns, and one. */
export const NDRANGE_SPENT = 58;
export const SPENT_NS = 64;

// Sequence: small launches that one thread runs one after the other. The words of an NDRange are those of the launch
// that runs.
// A parallel node has the same words; its units are launches, which threads claim.
/** First edge of the list of prepared launches, and their number. */
export const SEQUENCE_LAUNCHES = 54;
export const SEQUENCE_COUNT = 55;
/** Index in the list of the launch that runs or is next; of a parallel node, of the one that failed first. */
export const SEQUENCE_NEXT = 56;
/** 1: its launches have turned out large, so that each is shared out like any NDRange. */
export const SEQUENCE_SHARED = 57;

// Copy, fill, rectangle
export const TRANSFER_SOURCE = 40;
export const TRANSFER_TARGET = 41;
/** Bytes, a double. */
export const TRANSFER_SIZE = 42;
export const TRANSFER_PATTERN_SIZE = 44;
/** The pattern, up to 128 bytes. */
export const TRANSFER_PATTERN = 45;
/** Rectangle: bytes a row, rows, slices; then pitches. */
export const TRANSFER_ROW = 44;
export const TRANSFER_ROWS = 45;
export const TRANSFER_SLICES = 46;
export const TRANSFER_SOURCE_ROW = 47;
export const TRANSFER_SOURCE_SLICE = 48;
export const TRANSFER_TARGET_ROW = 49;
export const TRANSFER_TARGET_SLICE = 50;
/**
 * Shared array on the other side of a transfer, 0 for device memory on both sides; 1 reads device memory, 2 writes it.
 */
export const TRANSFER_ARRAY = 51;
export const TRANSFER_DIRECTION = 52;
/** First byte within the shared array of the transfer. */
export const TRANSFER_ARRAY_OFFSET = 53;

// Query
export const QUERY_FIRST = 40;
export const QUERY_COUNT = 41;

// Tail
export const TAIL_FENCE = 40;
/** 1: the completion callback is the host thread's to run. */
export const TAIL_CALLBACK = 41;
export const TAIL_SEMAPHORES = 42;
/** First edge of the list of semaphores to signal. */
export const TAIL_SEMAPHORE_EDGE = 43;

export const KIND_HEAD = 1;
export const KIND_TAIL = 2;
export const KIND_NDRANGE = 3;
export const KIND_FILL = 4;
export const KIND_COPY = 5;
export const KIND_RECT = 6;
export const KIND_QUERY_BEGIN = 7;
export const KIND_QUERY_END = 8;
export const KIND_QUERY_RESET = 9;
/** Something that only the host thread can do. */
export const KIND_HOST = 10;

/** Launches one after the other. */
export const KIND_SEQUENCE = 11;
/** Launches in no order: threads claim whole launches. */
export const KIND_PARALLEL = 12;

export const STATE_IDLE = 0;
export const STATE_WAITING = 1;
export const STATE_READY = 2;
export const STATE_DONE = 3;

/** Generated code trapped. */
export const ERROR_TRAP = 1;
/** It ran past its deadline. */
export const ERROR_DEADLINE = 2;
/** Something that it waits for failed. */
export const ERROR_DEPENDENCY = 3;
/** Its code could not be instantiated. */
export const ERROR_CODE = 4;
/** A command of the host thread failed. */
export const ERROR_HOST = 5;
/** A worker died in it. */
export const ERROR_WORKER = 6;
/** The device was closed. */
export const ERROR_CLOSED = 7;
/** The code left without a cancellation. */
export const ERROR_LEFT = 8;
/** A kernel wrote to a red zone. */
export const ERROR_STRAY = 9;
/** Whoever watches it stopped it. */
export const ERROR_STOPPED = 10;

/** Bytes that one claim of a copy or fill is made of. */
export const TRANSFER_UNIT = 262144;

/** First word of a node. */
export function nodeBase(node: number): number {
  return NODES + node * NODE_WORDS;
}

/** First word of a prepared launch. */
export function launchBase(slot: number): number {
  return LAUNCHES + slot * LAUNCH_WORDS;
}

/** The base of a node whose words of an NDRange would be those of a prepared launch. */
export function launchAsNode(slot: number): number {
  return launchBase(slot) - NDRANGE_CODE;
}

/** First word of a thread's row. */
export function threadBase(thread: number): number {
  return THREADS + thread * THREAD_WORDS;
}

/** First word of a code slot. */
export function codeBase(slot: number): number {
  return CODES + slot * CODE_WORDS;
}

/** Copies the launch at an index of a sequence's list to the sequence's node: sets {@link SEQUENCE_NEXT}. */
export function loadLaunch(words: Int32Array, base: number, index: number): void {
  const row = launchBase(words[EDGES + (words[base + SEQUENCE_LAUNCHES] as number) + index] as number);
  words[base + SEQUENCE_NEXT] = index;
  for (let i = 0; i < LAUNCH_WORDS_BEFORE_ARENA; i++)
    words[base + NDRANGE_CODE + i] = words[row + LAUNCH_CODE + i] as number;
  for (let i = 0; i < 6; i++) words[base + NDRANGE_COUNT + i] = words[row + LAUNCH_COUNT + i] as number;
}
