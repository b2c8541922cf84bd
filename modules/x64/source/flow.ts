// SPDX-License-Identifier: Apache-2.0
// The flow graph of a machine function: critical edges split, blocks in reverse post-order, predecessors, loops.
import { at } from "@muxkit/cargo";

import type { MachineFunction } from "./machine-function.ts";

/** What the allocator asks of the graph. */
export interface Flow {
  /** Blocks that are reached, each after at least one of those that lead to it. */
  readonly order: readonly number[];
  /** The place of each block in `order`; -1 for those that are not reached. */
  readonly places: Int32Array;
  /** For each block, those that are reached and lead to it. */
  readonly predecessors: readonly (readonly number[])[];
  /** For each block, the header of the innermost loop that it is in; -1 for none. A header is in its own. */
  readonly loops: Int32Array;
  /** For each header, the header of the loop around its own; -1 for none. */
  readonly outer: Int32Array;
}

/**
 * Puts an empty block on each edge from a block with two successors to one with several predecessors, so that moves on
 * an edge have a place that is on no other path.
 */
export function splitCriticalEdges(machine: MachineFunction): void {
  const count = machine.blockCount;
  const incoming = new Int32Array(count);
  for (let block = 0; block < count; block++) {
    for (const successor of machine.endingOf(block).successors) incoming[successor] = (incoming[successor] ?? 0) + 1;
  }
  for (let block = 0; block < count; block++) {
    const ending = machine.endingOf(block);
    if (ending.kind !== "branch") continue;
    const successors = ending.successors.map((successor, n) => {
      // The entry has a caller too.
      if ((incoming[successor] ?? 0) < 2 && successor !== 0) return successor;
      const between = machine.block();
      machine.begin(between);
      machine.end({ kind: "jump", condition: 0, successors: [successor], arguments: [at(ending.arguments, n)] });
      return between;
    });
    const passed = successors.map((successor, n) =>
      successor === ending.successors[n] ? at(ending.arguments, n) : [],
    );
    machine.redirect(block, { ...ending, successors, arguments: passed });
  }
}

function reversePostOrder(machine: MachineFunction): number[] {
  const seen = new Uint8Array(machine.blockCount);
  const order: number[] = [];
  // Pairs: a block, and how many of its successors were followed.
  const stack: number[] = [0, 0];
  seen[0] = 1;
  while (stack.length > 0) {
    const followed = stack.pop() ?? 0;
    const block = stack.pop() ?? 0;
    const { successors } = machine.endingOf(block);
    const next = successors[followed];
    if (next === undefined) {
      order.push(block);
      continue;
    }
    stack.push(block, followed + 1);
    if (seen[next] === 0) {
      seen[next] = 1;
      stack.push(next, 0);
    }
  }
  return order.toReversed();
}

/**
 * Natural loops, innermost first by going through headers from the last to the first. Where the graph is irreducible,
 * a loop is what reaches its first block again; it is only advice.
 */
function findLoops(order: readonly number[], places: Int32Array, predecessors: readonly (readonly number[])[]) {
  const loops = new Int32Array(places.length).fill(-1);
  const outer = new Int32Array(places.length).fill(-1);
  for (const header of order.toReversed()) {
    const place = places[header] ?? 0;
    const work = at(predecessors, header).filter((block) => (places[block] ?? 0) >= place);
    if (work.length === 0) continue;
    const seen = new Set<number>([header]);
    // The header belongs to the loop, and its own innermost loop is this one.
    loops[header] = header;
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      if (seen.has(block) || (places[block] ?? 0) < place) continue;
      seen.add(block);
      const inner = loops[block] ?? -1;
      if (inner === -1) loops[block] = header;
      else {
        // All of an inner loop is in this one: its outermost known loop is joined.
        let top = inner;
        while ((outer[top] ?? -1) !== -1) top = outer[top] ?? -1;
        if (top !== header) outer[top] = header;
      }
      work.push(...at(predecessors, block));
    }
  }
  return { loops, outer };
}

/** The graph of a function whose critical edges are split. */
export function analyseFlow(machine: MachineFunction): Flow {
  const order = reversePostOrder(machine);
  const places = new Int32Array(machine.blockCount).fill(-1);
  order.forEach((block, place) => {
    places[block] = place;
  });
  const predecessors: number[][] = Array.from({ length: machine.blockCount }, () => []);
  for (const block of order)
    for (const successor of machine.endingOf(block).successors) predecessors[successor]?.push(block);
  return { order, places, predecessors, ...findLoops(order, places, predecessors) };
}

/** How many loops an edge leaves. */
export function loopsLeft(flow: Flow, from: number, to: number): number {
  let left = 0;
  for (let loop = flow.loops[from] ?? -1; loop !== -1; loop = flow.outer[loop] ?? -1) {
    let isAround = false;
    for (let other = flow.loops[to] ?? -1; other !== -1; other = flow.outer[other] ?? -1) isAround ||= other === loop;
    if (isAround) return left;
    left++;
  }
  return left;
}
