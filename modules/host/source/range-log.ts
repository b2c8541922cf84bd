// SPDX-License-Identifier: Apache-2.0
// Which work-groups each thread ran, and when: a ring for each thread in memory that all share, written only while a
// trace is made (MUXKIT_TRACE).

/**
 * Doubles of an entry: begin and end in ns of the device's clock, the node, the first group, the end of the groups, the
 * id of the code and the index of its function.
 */
export const FIELDS: number = 7;
/** Entries of a thread; later ones overwrite the first. */
export const ENTRIES: number = 8192;
/** Doubles of a thread: how many entries it has written, then the ring. */
export const STRIDE: number = 1 + FIELDS * ENTRIES;

/** Notes that a thread ran groups `first` to `end` of a node with a function of some code. */
export function noteRange(
  ranges: Float64Array,
  thread: number,
  begin: number,
  done: number,
  node: number,
  first: number,
  end: number,
  code: number,
  functionIndex: number,
): void {
  const base = thread * STRIDE;
  const written = ranges[base] as number;
  const at = base + 1 + (written % ENTRIES) * FIELDS;
  ranges[at] = begin;
  ranges[at + 1] = done;
  ranges[at + 2] = node;
  ranges[at + 3] = first;
  ranges[at + 4] = end;
  ranges[at + 5] = code;
  ranges[at + 6] = functionIndex;
  ranges[base] = written + 1;
}
