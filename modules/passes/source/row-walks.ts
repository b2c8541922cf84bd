// SPDX-License-Identifier: Apache-2.0
// Loops in which each work-item reads a row of its own, element by element: `x[id * n + k]` in a loop over k. In
// vectors of work-items each such load is a gather. When the loop goes by several iterations at a time, the elements of
// one work-item that follow each other are read by one access.
//
//   for k < n: s += x[id * n + k]     -->     for k < n by 4: four = x[id * n + k … k + 3]; …
//
// The search goes back over SSA from the addresses of loads: the counter is a term of the index, and something else in
// the address is an id times a number. Work-items have to stay together: where the loop begins and ends must not depend
// on ids. Cost: linear in the instructions of the loop, with a bounded search for each load.
import { type Instruction, type Loop, Op, type Value, VOLATILE } from "@muxkit/ir";

/** Ids that differ within a work-group, in the first dimension, where neighbours make vectors, or in all. */
function isId({ op, operands: [dimension] }: Instruction): boolean {
  if (op === Op.GLOBAL_LINEAR_ID || op === Op.LOCAL_LINEAR_ID) return true;
  return (op === Op.GLOBAL_ID || op === Op.LOCAL_ID) && dimension?.kind === "constant" && dimension.low === 0;
}

/** How far the search goes back from an address. */
const DEEPEST = 8;

/** What an address holds of ids. */
type Ids = "none" | "plain" | "scaled";

function largest(found: readonly Ids[]): Ids {
  return found.includes("scaled") ? "scaled" : found.includes("plain") ? "plain" : "none";
}

/** What a value holds of ids: none, an id as it is, or one times a number. Block parameters count as none. */
function idsIn(value: Value | undefined, depth: number): Ids {
  if (value?.kind !== "instruction" || depth === DEEPEST) return "none";
  const { op, operands } = value;
  if (isId(value)) return "plain";
  const found = largest(operands.map((operand) => idsIn(operand, depth + 1)));
  return found === "plain" && (op === Op.MUL || op === Op.SHL) ? "scaled" : found;
}

/** True when a value is the counter plus something. */
function hasTerm(value: Value | undefined, counter: Value, depth: number): boolean {
  if (value === counter) return true;
  if (value?.kind !== "instruction" || depth === DEEPEST) return false;
  const { op, operands } = value;
  if (op === Op.SEXT || op === Op.ZEXT || op === Op.TRUNC) return hasTerm(operands[0], counter, depth + 1);
  return op === Op.ADD && operands.some((operand) => hasTerm(operand, counter, depth + 1));
}

/** True for a load from a row of the work-item, at the counter's element. */
function readsRow({ op, type, flags, operands: [pointer] }: Instruction, counter: Value): boolean {
  if (op !== Op.LOAD || type.kind === "vector" || (flags & VOLATILE) !== 0) return false;
  if (pointer?.kind !== "instruction" || pointer.op !== Op.ADDRESS) return false;
  const [base, index] = pointer.operands;
  const isNext = pointer.scale * 8 === type.bits && hasTerm(index, counter, 0);
  return isNext && (idsIn(index, 0) === "scaled" || rowsIn(base, 0) === "scaled");
}

/** {@link idsIn} of addresses, where an index is multiplied by the size of its elements. */
function rowsIn(pointer: Value | undefined, depth: number): Ids {
  if (pointer?.kind !== "instruction" || pointer.op !== Op.ADDRESS || depth === DEEPEST) return "none";
  const [base, index] = pointer.operands;
  return largest([rowsIn(base, depth + 1), idsIn(index, depth + 1)]);
}

/** True for a counted loop in which work-items read rows of their own, all of them from `start` to `bound`. */
export function walksRows({ blocks }: Loop, counter: Value, start: Value, bound: Value): boolean {
  if (idsIn(start, 0) !== "none" || idsIn(bound, 0) !== "none") return false;
  return [...blocks].some(({ instructions }) => instructions.some((instruction) => readsRow(instruction, counter)));
}
