// SPDX-License-Identifier: Apache-2.0
// Constructs of structured control flow (section 2.11 of the specification): which block is in which, and where edges
// may lead. One walk over the tree of structural dominators (the graph with an edge from each header to its merge block
// and its continue target) gives each block its innermost construct: that of its dominator, or what a merge block, a
// continue target, a case or a header begins. Each construct knows the loop and the switch around it, so that an edge
// costs a few comparisons. O(edges · log blocks), no recursion.
import { opcodeOf } from "../grammar/tables.ts";
import type { Structure } from "./flow.ts";
import { type Edges, type FlowGraph, dominanceOf, edgesOf } from "./flow-graph.ts";
import type { Validation } from "./validation.ts";

const SWITCH = opcodeOf("OpSwitch");
const ENDS: ReadonlySet<number> = new Set(
  (["OpReturn", "OpReturnValue", "OpKill", "OpTerminateInvocation"] as const).map((name) => opcodeOf(name)),
);
const NOBODY = -1;

const SELECTION = 0;
const SWITCH_CONSTRUCT = 1;
const LOOP = 2;
const CONTINUE = 3;
const CASE = 4;

/** The constructs of a function, as columns. A construct is its number; -1: none. */
class Constructs {
  /** The construct that a branch to a block leads into. */
  readonly inside: Int32Array;
  /** The construct in which a block's own branches are. */
  readonly from: Int32Array;
  /** The header of the switch whose case a block begins; -1: none. */
  readonly caseOf: Int32Array;
  readonly kind: Uint8Array;
  readonly header: Int32Array;
  /** The merge block of its header; of a case: that of its switch. */
  readonly merge: Int32Array;
  readonly outer: Int32Array;
  /** The innermost loop or continue construct, itself or around it. */
  readonly loop: Int32Array;
  /** The innermost switch around it inside of that loop. */
  readonly switch: Int32Array;
  #count = 0;

  /** Room for `most` constructs of so many blocks. */
  constructor(blocks: number, most: number) {
    this.inside = new Int32Array(blocks).fill(NOBODY);
    this.from = new Int32Array(blocks).fill(NOBODY);
    this.caseOf = new Int32Array(blocks).fill(NOBODY);
    this.kind = new Uint8Array(most);
    this.header = new Int32Array(most);
    this.merge = new Int32Array(most);
    this.outer = new Int32Array(most);
    this.loop = new Int32Array(most);
    this.switch = new Int32Array(most);
  }

  add(kind: number, header: number, merge: number, outer: number): number {
    const made = this.#count++;
    const isLoop = kind === LOOP || kind === CONTINUE;
    this.kind[made] = kind;
    this.header[made] = header;
    this.merge[made] = merge;
    this.outer[made] = outer;
    this.loop[made] = isLoop ? made : (this.loop[outer] ?? NOBODY);
    this.switch[made] = kind === SWITCH_CONSTRUCT ? made : isLoop ? NOBODY : (this.switch[outer] ?? NOBODY);
    return made;
  }
}

/** Headers by the blocks that they name. */
interface Names {
  readonly mergeOf: Int32Array;
  readonly continueOf: Int32Array;
  readonly caseOf: Int32Array;
}

/** The construct into which a branch to a block leads; `around`: that of its dominator. */
function entered(
  all: Constructs,
  block: number,
  around: number,
  own: Int32Array,
  { mergeOf, continueOf, caseOf }: Names,
): number {
  const merged = mergeOf[block] ?? NOBODY;
  const continued = continueOf[block] ?? NOBODY;
  if (merged >= 0 && merged !== block) return all.outer[own[merged] ?? NOBODY] ?? NOBODY;
  if (continued >= 0 && continued !== block) {
    const loop = own[continued] ?? NOBODY;
    return loop < 0 ? around : all.add(CONTINUE, continued, all.merge[loop] ?? NOBODY, all.outer[loop] ?? NOBODY);
  }
  const chosen = own[caseOf[block] ?? NOBODY] ?? NOBODY;
  return chosen < 0 ? around : all.add(CASE, block, all.merge[chosen] ?? NOBODY, chosen);
}

/** At most so many constructs begin: one at each header, one at each block that a loop or a switch names. */
function mostConstructs({ isLoop, merge }: Structure, { successors, count }: FlowGraph): number {
  let headers = 0;
  let loops = 0;
  for (let block = 0; block < count; block++) {
    if ((merge[block] ?? NOBODY) >= 0) headers++;
    if (isLoop[block] === 1) loops++;
  }
  return headers + loops + Math.min(count, successors.length);
}

function findConstructs(
  validation: Validation,
  graph: FlowGraph,
  structure: Structure,
  order: Int32Array,
  dominator: Int32Array,
): Constructs {
  const { count, successorsBegin, successors } = graph;
  const { merge, continues, isLoop } = structure;
  const all = new Constructs(count, mostConstructs(structure, graph));
  const { inside, from, caseOf } = all;
  const own = new Int32Array(count).fill(NOBODY);
  const mergeOf = new Int32Array(count).fill(NOBODY);
  const continueOf = new Int32Array(count).fill(NOBODY);
  for (let block = 0; block < count; block++) {
    if ((merge[block] ?? NOBODY) >= 0) mergeOf[merge[block] ?? 0] = block;
    if ((continues[block] ?? NOBODY) >= 0) continueOf[continues[block] ?? 0] = block;
  }
  for (const block of order) {
    const around = from[dominator[block] ?? NOBODY] ?? NOBODY;
    const here = entered(all, block, around, own, { mergeOf, continueOf, caseOf });
    inside[block] = here;
    const to = merge[block] ?? NOBODY;
    from[block] = here;
    if (to < 0) continue;
    const isSwitch = validation.module.opcodes[graph.terminators[block] ?? 0] === SWITCH;
    const kind = isLoop[block] === 1 ? LOOP : isSwitch ? SWITCH_CONSTRUCT : SELECTION;
    const begun = all.add(kind, block, to, here);
    own[block] = begun;
    from[block] = begun;
    if (kind !== SWITCH_CONSTRUCT) continue;
    for (let edge = successorsBegin[block] ?? 0; edge < (successorsBegin[block + 1] ?? 0); edge++) {
      const target = successors[edge] ?? 0;
      if (target !== to) caseOf[target] = block;
    }
  }
  return all;
}

/** True if a branch from a block in the construct `at` may leave constructs for `to`. */
function isExit(all: Constructs, at: number, to: number, structure: Structure): boolean {
  if (to === all.merge[at]) return true;
  const loop = all.loop[at] ?? NOBODY;
  if (loop >= 0) {
    if (to === all.merge[loop]) return true;
    const header = all.header[loop] ?? 0;
    const isContinue = all.kind[loop] === CONTINUE;
    if (!isContinue && to === structure.continues[header]) return true;
    if (to === header && (isContinue || structure.continues[header] === to)) return true;
  }
  const chosen = all.switch[at] ?? NOBODY;
  return chosen >= 0 && to === all.merge[chosen];
}

/** Falls from a case to another: at most one from each and to each, to the case that follows in the switch. */
class Falls {
  readonly #to: Int32Array;
  readonly #from: Int32Array;

  constructor(blocks: number) {
    this.#to = new Int32Array(blocks).fill(NOBODY);
    this.#from = new Int32Array(blocks).fill(NOBODY);
  }

  /** `begin`: the block that begins the case; `header`: that of its switch. */
  check(
    validation: Validation,
    graph: FlowGraph,
    terminator: number,
    { begin, header, to }: { readonly begin: number; readonly header: number; readonly to: number },
  ): void {
    const known = this.#to[begin] ?? NOBODY;
    const other = this.#from[to] ?? NOBODY;
    if (known >= 0 && known !== to)
      validation.fail(terminator, "switch-fall-through", "a case falls through to two other cases");
    else if (other >= 0 && other !== begin)
      validation.fail(terminator, "switch-fall-in", "two cases fall through to the same case");
    else {
      this.#to[begin] = to;
      this.#from[to] = begin;
      const targets = graph.successors.subarray(graph.successorsBegin[header], graph.successorsBegin[header + 1]);
      // The first target is the default, which may stand for any place.
      const isDefault = targets[0] === begin || targets[0] === to;
      let follows = isDefault || known >= 0;
      for (let at = 1; at + 1 < targets.length && !follows; at++)
        follows = targets[at] === begin && targets[at + 1] === to;
      if (!follows)
        validation.fail(
          terminator,
          "switch-order",
          "a case falls through to one that does not follow it in the switch",
        );
    }
  }
}

/** The graph with an edge from each header to its merge block and its continue target. */
function structuralEdges({ count, successorsBegin, successors }: FlowGraph, structure: Structure): Edges {
  const named = [structure.merge, structure.continues];
  let total = successors.length;
  for (const column of named) for (const target of column) if (target >= 0) total++;
  const from = new Int32Array(total);
  const to = new Int32Array(total);
  let next = 0;
  const add = (block: number, target: number): void => {
    from[next] = block;
    to[next++] = target;
  };
  for (let block = 0; block < count; block++) {
    for (let edge = successorsBegin[block] ?? 0; edge < (successorsBegin[block + 1] ?? 0); edge++)
      add(block, successors[edge] ?? 0);
    for (const column of named) if ((column[block] ?? NOBODY) >= 0) add(block, column[block] ?? 0);
  }
  return edgesOf(count, from, to);
}

/** The constructs of a function whose headers, merge blocks and edges back are in order. */
export function checkConstructs(validation: Validation, graph: FlowGraph, structure: Structure): void {
  const { count, successorsBegin, successors, terminators } = graph;
  const { order, dominator, isReachable, dominates } = dominanceOf(structuralEdges(graph, structure));
  const all = findConstructs(validation, graph, structure, order, dominator);
  const { inside, from, caseOf } = all;
  const falls = new Falls(count);
  for (let block = 0; block < count && !validation.isFull; block++) {
    if (!isReachable(block)) continue;
    const terminator = terminators[block] ?? 0;
    const at = from[block] ?? NOBODY;
    const targets = successors.subarray(successorsBegin[block], successorsBegin[block + 1]);
    const loop = all.loop[at] ?? NOBODY;
    if (loop >= 0 && all.kind[loop] === CONTINUE) {
      const isBefore = !targets.includes(all.header[loop] ?? NOBODY);
      const isEnd = ENDS.has(validation.module.opcodes[terminator] ?? 0);
      if (isEnd || (isBefore && targets.includes(all.merge[loop] ?? NOBODY)))
        validation.fail(
          terminator,
          "continue-post-dominance",
          "a block of a continue construct does not come to its edge back",
        );
    }
    for (const target of targets) {
      const header = caseOf[target] ?? NOBODY;
      const into = inside[target] ?? NOBODY;
      const isFall = header >= 0 && all.kind[at] === CASE && into !== at && all.header[all.outer[at] ?? 0] === header;
      if (header === block) {
        if (!dominates(block, target))
          validation.fail(terminator, "construct-entry", "the header of a switch does not dominate its case");
      } else if (isFall) falls.check(validation, graph, terminator, { begin: all.header[at] ?? 0, header, to: target });
      else if (at !== into) checkExit(validation, terminator, all, at, target, structure);
    }
  }
}

/** A branch between constructs. */
function checkExit(
  validation: Validation,
  terminator: number,
  all: Constructs,
  at: number,
  to: number,
  structure: Structure,
): void {
  if (at < 0) validation.fail(terminator, "construct-entry", "a branch leads into a construct past its header");
  else if (!isExit(all, at, to, structure))
    validation.fail(
      terminator,
      "construct-exit",
      "a branch leaves its construct for a block that is no merge block or continue target of it",
    );
}
