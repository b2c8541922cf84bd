// SPDX-License-Identifier: Apache-2.0
// The layer of control flow, function by function: branches, phis, dominance of values, and the structure that shaders
// must declare: headers, merge blocks, continue targets, edges back. constructs.ts follows constructs block by block.
import { opcodeOf } from "../grammar/tables.ts";
import { checkConstructs } from "./constructs.ts";
import { type FlowGraph, flowGraph } from "./flow-graph.ts";
import { checkDominance } from "./ids.ts";
import type { Validation } from "./validation.ts";

const FUNCTION_END = opcodeOf("OpFunctionEnd");
const PHI = opcodeOf("OpPhi");
const LOOP_MERGE = opcodeOf("OpLoopMerge");
const SELECTION_MERGE = opcodeOf("OpSelectionMerge");
const BRANCH_CONDITIONAL = opcodeOf("OpBranchConditional");
const SWITCH = opcodeOf("OpSwitch");
const NOBODY = -1;

/**
 * The blocks that come before the one whose phis are looked at: columns by block, with the number of who wrote last.
 */
interface Before {
  /** The phi's block where a block comes before it. */
  readonly of: Int32Array;
  /** The phi that has a value for a block. */
  readonly seen: Int32Array;
  /** How many blocks come before. */
  count: number;
}

/** Phis of a block: one value for each block that comes before, of the phi's type. */
function checkPhi(validation: Validation, at: number, before: Before, numberOf: Int32Array): void {
  const type = validation.module.types[at] ?? 0;
  const size = validation.size(at);
  const label = validation.blockOf[at] ?? NOBODY;
  let seen = 0;
  for (let word = 3; word + 1 < size; word += 2) {
    const value = validation.word(at, word);
    const source = validation.definition(validation.word(at, word + 1));
    const isHere = source > NOBODY && validation.functionOf[source] === validation.functionOf[at];
    const from = isHere ? (numberOf[source] ?? NOBODY) : NOBODY;
    if (!isHere || before.of[from] !== label)
      validation.fail(at, "phi-parents", `%${validation.word(at, word + 1)} does not branch to this block`, word + 1);
    else if (before.seen[from] === at)
      validation.fail(at, "phi-parents", `there are two values for %${validation.word(at, word + 1)}`, word + 1);
    else {
      before.seen[from] = at;
      seen++;
    }
    if (validation.typeOf(value) !== type)
      validation.fail(at, "phi-type", `%${value} has another type than the phi`, word);
  }
  if (seen < before.count) validation.fail(at, "phi-parents", "a block that comes before has no value");
}

function checkPhis(validation: Validation, graph: FlowGraph, begin: number, end: number, numberOf: Int32Array): void {
  const { predecessorsBegin, predecessors } = graph;
  let label = NOBODY;
  let before: Before | null = null;
  for (let at = begin; at < end && !validation.isFull; at++) {
    if (validation.module.opcodes[at] !== PHI) continue;
    // All phis of a block share the blocks before it: collecting them for each would take time in the square.
    if (label !== validation.blockOf[at]) {
      label = validation.blockOf[at] ?? NOBODY;
      const block = numberOf[label] ?? 0;
      before ??= { of: new Int32Array(graph.count), seen: new Int32Array(graph.count), count: 0 };
      before.count = 0;
      for (let edge = predecessorsBegin[block] ?? 0; edge < (predecessorsBegin[block + 1] ?? 0); edge++) {
        const from = predecessors[edge] ?? 0;
        if (before.of[from] !== label) before.count++;
        before.of[from] = label;
      }
    }
    if (before !== null) checkPhi(validation, at, before, numberOf);
  }
}

/** What the merge instructions of a function say, by block. */
export interface Structure {
  readonly merge: Int32Array;
  readonly continues: Int32Array;
  readonly isLoop: Uint8Array;
}

function readStructure(validation: Validation, graph: FlowGraph, numberOf: Int32Array): Structure | null {
  const { count, terminators } = graph;
  const merge = new Int32Array(count).fill(NOBODY);
  const continues = new Int32Array(count).fill(NOBODY);
  const isLoop = new Uint8Array(count);
  const owner = new Int32Array(count).fill(NOBODY);
  for (let block = 0; block < count; block++) {
    const at = (terminators[block] ?? 0) - 1;
    const opcode = validation.module.opcodes[at];
    if ((opcode !== LOOP_MERGE && opcode !== SELECTION_MERGE) || validation.blockOf[at] !== graph.labels[block])
      continue;
    const names = opcode === LOOP_MERGE ? 2 : 1;
    for (let word = 1; word <= names; word++) {
      const label = validation.definition(validation.word(at, word));
      if (validation.functionOf[label] !== validation.functionOf[at]) {
        validation.fail(at, "branch-target", `%${validation.word(at, word)} is no label of this function`, word);
        return null;
      }
    }
    const target = numberOf[validation.definition(validation.word(at, 1))] ?? 0;
    merge[block] = target;
    if ((owner[target] ?? NOBODY) !== NOBODY)
      validation.fail(at, "merge-unique", `%${validation.word(at, 1)} is the merge block of another construct too`, 1);
    owner[target] = block;
    if (opcode !== LOOP_MERGE) continue;
    isLoop[block] = 1;
    continues[block] = numberOf[validation.definition(validation.word(at, 2))] ?? 0;
    if (target === continues[block])
      validation.fail(at, "merge-unique", "the merge block of a loop is its continue target", 1);
    if (target === block) validation.fail(at, "merge-unique", "the merge block of a loop is its header", 1);
  }
  return { merge, continues, isLoop };
}

/** Edges back: to the header of a loop, one for each, from what its continue target dominates. */
function checkLoops(validation: Validation, graph: FlowGraph, structure: Structure): void {
  const { count, successorsBegin, successors, terminators } = graph;
  const edges = new Int32Array(count);
  for (let block = 0; block < count; block++) {
    if (!graph.isReachable(block)) continue;
    for (let edge = successorsBegin[block] ?? 0; edge < (successorsBegin[block + 1] ?? 0); edge++) {
      const to = successors[edge] ?? 0;
      if (!graph.dominates(to, block)) continue;
      const at = terminators[block] ?? 0;
      edges[to] = (edges[to] ?? 0) + 1;
      if (structure.isLoop[to] === 0)
        validation.fail(at, "loop-header", "an edge back goes to a block without OpLoopMerge");
      else if (!graph.dominates(structure.continues[to] ?? 0, block))
        validation.fail(at, "loop-header", "an edge back does not come from the continue construct of its loop");
    }
  }
  for (let block = 0; block < count; block++) {
    if (structure.isLoop[block] === 0 || !graph.isReachable(block)) continue;
    const continues = structure.continues[block] ?? 0;
    if (edges[block] !== 1 && (graph.isReachable(continues) || (edges[block] ?? 0) > 1))
      validation.fail(
        (terminators[block] ?? 0) - 1,
        "loop-header",
        `a loop has ${edges[block] ?? 0} edges back, it must have one`,
      );
  }
}

/** Blocks to which a branch may leave a construct around it: merge blocks, continue targets, cases. */
function exitsOf(validation: Validation, graph: FlowGraph, structure: Structure): Uint8Array {
  const { count, terminators, successorsBegin, successors } = graph;
  const isExit = new Uint8Array(count);
  for (let block = 0; block < count; block++) {
    if ((structure.merge[block] ?? NOBODY) >= 0) isExit[structure.merge[block] ?? 0] = 1;
    if ((structure.continues[block] ?? NOBODY) >= 0) isExit[structure.continues[block] ?? 0] = 1;
    if (validation.module.opcodes[terminators[block] ?? 0] === SWITCH)
      for (let edge = successorsBegin[block] ?? 0; edge < (successorsBegin[block + 1] ?? 0); edge++)
        isExit[successors[edge] ?? 0] = 1;
  }
  return isExit;
}

/** Selections: with a merge instruction, unless all but one branch leaves a construct around. */
function checkSelections(validation: Validation, graph: FlowGraph, structure: Structure): void {
  const { count, terminators, successorsBegin, successors } = graph;
  const isExit = exitsOf(validation, graph, structure);
  for (let block = 0; block < count; block++) {
    const merge = structure.merge[block] ?? NOBODY;
    const at = terminators[block] ?? 0;
    const opcode = validation.module.opcodes[at];
    if (!graph.isReachable(block)) continue;
    if (merge >= 0) {
      if (graph.isReachable(merge) && !graph.dominates(block, merge))
        validation.fail(at - 1, "merge-dominance", "the header does not dominate its merge block", 1);
      const continues = structure.continues[block] ?? NOBODY;
      if (continues >= 0 && graph.isReachable(continues) && !graph.dominates(block, continues))
        validation.fail(at - 1, "merge-dominance", "the header does not dominate its continue target", 2);
    } else if (opcode === SWITCH) {
      validation.fail(at, "selection-merge", "OpSwitch has no OpSelectionMerge before it");
    } else if (opcode === BRANCH_CONDITIONAL) {
      const begin = successorsBegin[block] ?? 0;
      const yes = successors[begin] ?? 0;
      const no = successors[begin + 1] ?? 0;
      // The edge back of a loop is an exit as well.
      const leaves = (to: number): boolean =>
        isExit[to] === 1 || (structure.isLoop[to] === 1 && graph.dominates(to, block));
      if (yes !== no && !leaves(yes) && !leaves(no))
        validation.fail(at, "selection-merge", "OpBranchConditional has no merge instruction before it");
    }
  }
}

/** The flow of every function. */
export function checkFlow(validation: Validation): void {
  const { module } = validation;
  const { opcodes, count } = module;
  const numberOf = new Int32Array(count);
  for (const begin of validation.functions) {
    if (validation.isFull) return;
    let end = begin;
    while (end < count && opcodes[end] !== FUNCTION_END) end++;
    const graph = flowGraph(validation, begin, end, numberOf);
    if (graph === null || graph.count === 0) continue;
    checkDominance(validation, graph, begin, end, numberOf);
    checkPhis(validation, graph, begin, end, numberOf);
    const structure = readStructure(validation, graph, numberOf);
    if (structure === null || !validation.isStructured) continue;
    checkLoops(validation, graph, structure);
    checkSelections(validation, graph, structure);
    if (validation.errors.length === 0) checkConstructs(validation, graph, structure);
  }
}
