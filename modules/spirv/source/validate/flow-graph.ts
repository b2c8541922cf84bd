// SPDX-License-Identifier: Apache-2.0
// The flow graph of one function, and who dominates whom, by Lengauer and Tarjan (1979) in its simple form: number
// blocks depth first, find semidominators from the last block to the first over a forest with compressed paths, derive
// immediate dominators, and number the dominator tree so that a question costs two comparisons. O(edges · log blocks)
// for any graph, on worklists: a module that lies can be neither slow nor deep.
import { opcodeOf } from "../grammar/tables.ts";
import type { Validation } from "./validation.ts";

const LABEL = opcodeOf("OpLabel");
const BRANCH = opcodeOf("OpBranch");
const BRANCH_CONDITIONAL = opcodeOf("OpBranchConditional");
const SWITCH = opcodeOf("OpSwitch");
const NOBODY = -1;

/** Blocks of a function, numbered in their order. */
export interface FlowGraph {
  readonly count: number;
  /** The OpLabel of each block. */
  readonly labels: Int32Array;
  /** The terminator of each block. */
  readonly terminators: Int32Array;
  /** Where successors of a block begin in `successors`; one more at the end. */
  readonly successorsBegin: Int32Array;
  readonly successors: Int32Array;
  readonly predecessorsBegin: Int32Array;
  readonly predecessors: Int32Array;
  /** The immediate dominator of each block; the first block's and that of unreachable ones is -1. */
  readonly dominator: Int32Array;
  readonly isReachable: (block: number) => boolean;
  /** True if every path to the second block leads through the first. False for unreachable blocks. */
  readonly dominates: (first: number, second: number) => boolean;
}

/** Who dominates whom. */
export type Dominance = Pick<FlowGraph, "dominator" | "isReachable" | "dominates"> & {
  /** Reachable blocks, each after its immediate dominator. */
  readonly order: Int32Array;
};

/** Words of the labels that a terminator names. */
export function* targetWords(validation: Validation, terminator: number): Generator<number> {
  const opcode = validation.module.opcodes[terminator];
  const size = validation.size(terminator);
  if (opcode === BRANCH) yield 1;
  else if (opcode === BRANCH_CONDITIONAL) {
    yield 2;
    yield 3;
  } else if (opcode === SWITCH) {
    yield 2;
    const step = caseWords(validation, terminator);
    for (let at = 2 + step; at < size; at += step) yield at;
  }
}

/** How many labels a terminator names. */
function targetCount(validation: Validation, terminator: number): number {
  const opcode = validation.module.opcodes[terminator];
  if (opcode !== SWITCH) return opcode === BRANCH ? 1 : opcode === BRANCH_CONDITIONAL ? 2 : 0;
  return 1 + Math.floor((validation.size(terminator) - 3) / caseWords(validation, terminator));
}

/** Words of a case of a switch: its number and its label. */
function caseWords(validation: Validation, terminator: number): number {
  return 1 + Math.max(1, Math.ceil(validation.width(validation.typeOf(validation.word(terminator, 1))) / 32));
}

/** Offsets and values of lists, from pairs of a list and a value. */
function grouped(count: number, keys: Int32Array, values: Int32Array): [Int32Array, Int32Array] {
  const begin = new Int32Array(count + 1);
  // Ends first: what is filled from the back turns them into begins.
  for (const key of keys) begin[key] = (begin[key] ?? 0) + 1;
  for (let at = 1; at <= count; at++) begin[at] = (begin[at] ?? 0) + (begin[at - 1] ?? 0);
  const all = new Int32Array(keys.length);
  for (let at = keys.length - 1; at >= 0; at--) {
    const key = keys[at] ?? 0;
    const place = (begin[key] ?? 0) - 1;
    all[place] = values[at] ?? 0;
    begin[key] = place;
  }
  return [begin, all];
}

/** Depth-first numbers: the blocks in order, each block's number, its parent. */
function numbered(
  count: number,
  begin: Int32Array,
  successors: Int32Array,
): { readonly order: Int32Array; readonly number: Int32Array; readonly parent: Int32Array; readonly reached: number } {
  const order = new Int32Array(count);
  const number = new Int32Array(count).fill(NOBODY);
  const parent = new Int32Array(count).fill(NOBODY);
  const next = begin.slice(0, count);
  const stack = new Int32Array(count + 1);
  let depth = 0;
  let reached = 0;
  if (count > 0) {
    number[0] = reached;
    order[reached++] = 0;
    depth = 1;
  }
  while (depth > 0) {
    const block = stack[depth - 1] ?? 0;
    const at = next[block] ?? 0;
    if (at >= (begin[block + 1] ?? 0)) {
      depth--;
      continue;
    }
    next[block] = at + 1;
    const to = successors[at] ?? 0;
    if (number[to] !== NOBODY) continue;
    number[to] = reached;
    parent[reached] = number[block] ?? 0;
    order[reached++] = to;
    stack[depth++] = to;
  }
  return { order, number, parent, reached };
}

/** Immediate dominators; all arrays but the result are by depth-first number. */
function dominators(graph: {
  readonly count: number;
  readonly successorsBegin: Int32Array;
  readonly successors: Int32Array;
  readonly predecessorsBegin: Int32Array;
  readonly predecessors: Int32Array;
}): {
  readonly dominator: Int32Array;
  readonly number: Int32Array;
  readonly order: Int32Array;
  readonly reached: number;
} {
  const { count, successorsBegin, successors, predecessorsBegin, predecessors } = graph;
  const { order, number, parent, reached } = numbered(count, successorsBegin, successors);
  const semi = new Int32Array(reached).map((_, at) => at);
  const label = semi.slice();
  const ancestor = new Int32Array(reached).fill(NOBODY);
  const dominator = new Int32Array(reached).fill(NOBODY);
  const bucketHead = new Int32Array(reached).fill(NOBODY);
  const bucketNext = new Int32Array(reached).fill(NOBODY);
  const path = new Int32Array(reached);
  const evaluate = (from: number): number => {
    if (ancestor[from] === NOBODY) return from;
    let length = 0;
    let at = from;
    while ((ancestor[ancestor[at] ?? NOBODY] ?? NOBODY) !== NOBODY) {
      path[length++] = at;
      at = ancestor[at] ?? 0;
    }
    while (length > 0) {
      const one = path[--length] ?? 0;
      const above = ancestor[one] ?? 0;
      if ((semi[label[above] ?? 0] ?? 0) < (semi[label[one] ?? 0] ?? 0)) label[one] = label[above] ?? 0;
      ancestor[one] = ancestor[above] ?? NOBODY;
    }
    return label[from] ?? 0;
  };
  for (let at = reached - 1; at > 0; at--) {
    const block = order[at] ?? 0;
    for (let edge = predecessorsBegin[block] ?? 0; edge < (predecessorsBegin[block + 1] ?? 0); edge++) {
      const from = number[predecessors[edge] ?? 0] ?? NOBODY;
      if (from === NOBODY) continue;
      const best = semi[evaluate(from)] ?? 0;
      if (best < (semi[at] ?? 0)) semi[at] = best;
    }
    const home = semi[at] ?? 0;
    bucketNext[at] = bucketHead[home] ?? NOBODY;
    bucketHead[home] = at;
    const above = parent[at] ?? 0;
    ancestor[at] = above;
    for (let one = bucketHead[above] ?? NOBODY; one !== NOBODY; one = bucketNext[one] ?? NOBODY) {
      const best = evaluate(one);
      dominator[one] = (semi[best] ?? 0) < (semi[one] ?? 0) ? best : above;
    }
    bucketHead[above] = NOBODY;
  }
  for (let at = 1; at < reached; at++)
    if (dominator[at] !== semi[at]) dominator[at] = dominator[dominator[at] ?? 0] ?? 0;
  return { dominator, number, order, reached };
}

/** Intervals of a tree whose parents have smaller numbers: a node's interval holds those of all below it. */
function intervals(parent: Int32Array): { readonly first: Int32Array; readonly last: Int32Array } {
  const count = parent.length;
  const size = new Int32Array(count).fill(1);
  for (let at = count - 1; at > 0; at--) {
    const above = parent[at] ?? 0;
    size[above] = (size[above] ?? 0) + (size[at] ?? 0);
  }
  const first = new Int32Array(count);
  const next = new Int32Array(count).fill(1);
  for (let at = 1; at < count; at++) {
    const above = parent[at] ?? 0;
    first[at] = (first[above] ?? 0) + (next[above] ?? 0);
    next[above] = (next[above] ?? 0) + (size[at] ?? 0);
  }
  for (let at = 0; at < count; at++) size[at] = (size[at] ?? 0) + (first[at] ?? 0);
  return { first, last: size };
}

/**
 * The flow graph of the function whose instructions are `begin` to `end`; null: a branch goes to no block of it, which
 * has been noted. `numberOf` is scratch for the numbers of blocks by their labels.
 */
export function flowGraph(validation: Validation, begin: number, end: number, numberOf: Int32Array): FlowGraph | null {
  const { opcodes } = validation.module;
  let count = 0;
  for (let at = begin; at < end; at++) if (opcodes[at] === LABEL) numberOf[at] = count++;
  const labels = new Int32Array(count);
  const terminators = new Int32Array(count);
  for (let at = begin; at < end; at++) {
    const block = validation.blockOf[at] ?? NOBODY;
    if (block === NOBODY) continue;
    if (block === at) labels[numberOf[at] ?? 0] = at;
    terminators[numberOf[block] ?? 0] = at;
  }
  let edgeCount = 0;
  for (const terminator of terminators) edgeCount += targetCount(validation, terminator);
  const from = new Int32Array(edgeCount);
  const to = new Int32Array(edgeCount);
  let edge = 0;
  for (let block = 0; block < count; block++) {
    const terminator = terminators[block] ?? 0;
    for (const word of targetWords(validation, terminator)) {
      const id = validation.word(terminator, word);
      const target = validation.definition(id);
      if (opcodes[target] !== LABEL || target < begin || target >= end) {
        validation.fail(terminator, "branch-target", `%${id} is no label of this function`, word);
        return null;
      }
      if (numberOf[target] === 0) {
        validation.fail(terminator, "branch-target", `%${id} is the first block of the function`, word);
        return null;
      }
      from[edge] = block;
      to[edge++] = numberOf[target] ?? 0;
    }
  }
  const edges = edgesOf(count, from, to);
  return { ...edges, labels, terminators, ...dominanceOf(edges) };
}

/** The edges of a graph, by their blocks. */
export type Edges = Pick<FlowGraph, "count" | "successorsBegin" | "successors" | "predecessorsBegin" | "predecessors">;

/** Edges from pairs of blocks. */
export function edgesOf(count: number, from: Int32Array, to: Int32Array): Edges {
  const [successorsBegin, successors] = grouped(count, from, to);
  const [predecessorsBegin, predecessors] = grouped(count, to, from);
  return { count, successorsBegin, successors, predecessorsBegin, predecessors };
}

/** Who dominates whom in a graph whose first block is 0. */
export function dominanceOf(edges: Edges): Dominance {
  const { dominator, number, order, reached } = dominators(edges);
  const { first, last } = intervals(dominator.subarray(0, reached));
  const ofBlock = new Int32Array(edges.count).fill(NOBODY);
  for (let at = 1; at < reached; at++) ofBlock[order[at] ?? 0] = order[dominator[at] ?? 0] ?? 0;
  return {
    dominator: ofBlock,
    order: order.subarray(0, reached),
    isReachable: (block) => number[block] !== NOBODY,
    dominates: (one, other) => {
      const a = number[one] ?? NOBODY;
      const b = number[other] ?? NOBODY;
      if (a === NOBODY || b === NOBODY) return false;
      return (first[a] ?? 0) <= (first[b] ?? 0) && (first[b] ?? 0) < (last[a] ?? 0);
    },
  };
}
