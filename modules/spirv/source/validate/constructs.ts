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

/** A construct. */
interface Construct {
  readonly kind: "selection" | "switch" | "loop" | "continue" | "case";
  readonly header: number;
  /** The merge block of its header; of a case: that of its switch. */
  readonly merge: number;
  readonly outer: Construct | null;
  /** The innermost loop or continue construct, itself or around it. */
  readonly loop: Construct | null;
  /** The innermost switch around it inside of that loop. */
  readonly switch: Construct | null;
}

function construct(kind: Construct["kind"], header: number, merge: number, outer: Construct | null): Construct {
  const isLoop = kind === "loop" || kind === "continue";
  const made: { -readonly [K in keyof Construct]: Construct[K] } = {
    kind,
    header,
    merge,
    outer,
    loop: outer?.loop ?? null,
    switch: isLoop ? null : (outer?.switch ?? null),
  };
  if (isLoop) made.loop = made;
  if (kind === "switch") made.switch = made;
  return made;
}

/** What is known of a function's constructs. */
interface Constructs {
  /** The construct that a branch to a block leads into. */
  readonly inside: (Construct | null)[];
  /** The construct in which a block's own branches are. */
  readonly from: (Construct | null)[];
  /** The header of the switch whose case a block begins; -1: none. */
  readonly caseOf: Int32Array;
}

/** Headers by the blocks that they name. */
interface Names {
  readonly mergeOf: Int32Array;
  readonly continueOf: Int32Array;
  readonly caseOf: Int32Array;
}

/** The construct into which a branch to a block leads; `around`: that of its dominator. */
function entered(
  block: number,
  around: Construct | null,
  own: readonly (Construct | null)[],
  { mergeOf, continueOf, caseOf }: Names,
): Construct | null {
  const merged = mergeOf[block] ?? NOBODY;
  const continued = continueOf[block] ?? NOBODY;
  if (merged >= 0 && merged !== block) return own[merged]?.outer ?? null;
  if (continued >= 0 && continued !== block) {
    const loop = own[continued] ?? null;
    return loop === null ? around : construct("continue", continued, loop.merge, loop.outer);
  }
  const chosen = own[caseOf[block] ?? NOBODY] ?? null;
  return chosen === null ? around : construct("case", block, chosen.merge, chosen);
}

function findConstructs(
  validation: Validation,
  graph: FlowGraph,
  structure: Structure,
  order: Int32Array,
  dominator: Int32Array,
): Constructs {
  const { count } = graph;
  const { merge, continues, isLoop } = structure;
  const inside = Array.from({ length: count }, (): Construct | null => null);
  const from = Array.from({ length: count }, (): Construct | null => null);
  const own = Array.from({ length: count }, (): Construct | null => null);
  const mergeOf = new Int32Array(count).fill(NOBODY);
  const continueOf = new Int32Array(count).fill(NOBODY);
  const caseOf = new Int32Array(count).fill(NOBODY);
  for (let block = 0; block < count; block++) {
    if ((merge[block] ?? NOBODY) >= 0) mergeOf[merge[block] ?? 0] = block;
    if ((continues[block] ?? NOBODY) >= 0) continueOf[continues[block] ?? 0] = block;
  }
  for (const block of order) {
    const here = entered(block, from[dominator[block] ?? NOBODY] ?? null, own, { mergeOf, continueOf, caseOf });
    inside[block] = here;
    const to = merge[block] ?? NOBODY;
    from[block] = here;
    if (to >= 0) {
      const isSwitch = validation.module.opcodes[graph.terminators[block] ?? 0] === SWITCH;
      const begun = construct(isLoop[block] === 1 ? "loop" : isSwitch ? "switch" : "selection", block, to, here);
      own[block] = begun;
      from[block] = begun;
      if (isSwitch && isLoop[block] === 0)
        for (let edge = graph.successorsBegin[block] ?? 0; edge < (graph.successorsBegin[block + 1] ?? 0); edge++) {
          const target = graph.successors[edge] ?? 0;
          if (target !== to) caseOf[target] = block;
        }
    }
  }
  return { inside, from, caseOf };
}

/** True if a branch from a block in `at` may leave constructs for `to`. */
function isExit(at: Construct, to: number, structure: Structure): boolean {
  if (to === at.merge) return true;
  const { loop } = at;
  if (loop !== null) {
    if (to === loop.merge) return true;
    if (loop.kind === "loop" && to === structure.continues[loop.header]) return true;
    if (to === loop.header && (loop.kind === "continue" || structure.continues[loop.header] === to)) return true;
  }
  return at.switch !== null && to === at.switch.merge;
}

/** Falls from a case to another: at most one from each and to each, to the case that follows in the switch. */
class Falls {
  readonly #to = new Map<number, number>();
  readonly #from = new Map<number, number>();

  check(validation: Validation, graph: FlowGraph, terminator: number, from: Construct, to: number): void {
    const header = from.outer?.header ?? 0;
    const known = this.#to.get(from.header);
    const other = this.#from.get(to);
    if (known !== undefined && known !== to)
      validation.fail(terminator, "switch-fall-through", "a case falls through to two other cases");
    else if (other !== undefined && other !== from.header)
      validation.fail(terminator, "switch-fall-in", "two cases fall through to the same case");
    else {
      this.#to.set(from.header, to);
      this.#from.set(to, from.header);
      const targets = graph.successors.subarray(graph.successorsBegin[header], graph.successorsBegin[header + 1]);
      // The first target is the default, which may stand for any place.
      const isDefault = targets[0] === from.header || targets[0] === to;
      let follows = isDefault || known !== undefined;
      for (let at = 1; at + 1 < targets.length && !follows; at++)
        follows = targets[at] === from.header && targets[at + 1] === to;
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
  const from: number[] = [];
  const to: number[] = [];
  for (let block = 0; block < count; block++) {
    for (let edge = successorsBegin[block] ?? 0; edge < (successorsBegin[block + 1] ?? 0); edge++) {
      from.push(block);
      to.push(successors[edge] ?? 0);
    }
    for (const extra of [structure.merge[block] ?? NOBODY, structure.continues[block] ?? NOBODY])
      if (extra >= 0) {
        from.push(block);
        to.push(extra);
      }
  }
  return edgesOf(count, from, to);
}

/** The constructs of a function whose headers, merge blocks and edges back are in order. */
export function checkConstructs(validation: Validation, graph: FlowGraph, structure: Structure): void {
  const { count, successorsBegin, successors, terminators } = graph;
  const { order, dominator, isReachable, dominates } = dominanceOf(structuralEdges(graph, structure));
  const { inside, from: source, caseOf } = findConstructs(validation, graph, structure, order, dominator);
  const falls = new Falls();
  for (let block = 0; block < count && !validation.isFull; block++) {
    if (!isReachable(block)) continue;
    const terminator = terminators[block] ?? 0;
    const at = source[block] ?? null;
    const targets = successors.subarray(successorsBegin[block], successorsBegin[block + 1]);
    const loop = at?.loop ?? null;
    const isBefore = loop?.kind === "continue" && !targets.includes(loop.header);
    if (
      loop?.kind === "continue" &&
      (ENDS.has(validation.module.opcodes[terminator] ?? 0) || (isBefore && targets.includes(loop.merge)))
    )
      validation.fail(
        terminator,
        "continue-post-dominance",
        "a block of a continue construct does not come to its edge back",
      );
    for (const target of targets) {
      const header = caseOf[target] ?? NOBODY;
      const into = inside[target] ?? null;
      const isFall = header >= 0 && at?.kind === "case" && at.outer?.header === header && into !== at;
      if (header === block) {
        if (!dominates(block, target))
          validation.fail(terminator, "construct-entry", "the header of a switch does not dominate its case");
      } else if (isFall) falls.check(validation, graph, terminator, at, target);
      else if (at !== into) checkExit(validation, terminator, at, target, structure);
    }
  }
}

/** A branch between constructs. */
function checkExit(
  validation: Validation,
  terminator: number,
  at: Construct | null,
  to: number,
  structure: Structure,
): void {
  if (at === null) validation.fail(terminator, "construct-entry", "a branch leads into a construct past its header");
  else if (!isExit(at, to, structure))
    validation.fail(
      terminator,
      "construct-exit",
      "a branch leaves its construct for a block that is no merge block or continue target of it",
    );
}
