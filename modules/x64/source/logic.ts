// SPDX-License-Identifier: Apache-2.0
/**
 * Functions of the bits of three vectors as one instruction, where the tier has `vpternlogd`.
 *
 * The root of a tree of `and`, `or` and `xor` whose inner nodes have no other use computes the whole tree when it has
 * at most three different leaves; zeros and all ones are no leaves, so a negation costs nothing.
 * `(a & b) | (c & (a | b))` is one instruction with the table 0xe8. Where a tree has more leaves, the part at its root
 * is taken that has three, and what is below is a root itself: a sum of five by `xor` is two instructions.
 *
 * The table is computed as the tree is, with 0xf0, 0xcc and 0xaa for the leaves, which are a vector's value for each of
 * the eight choices of three bits. Cost: linear in the instructions of a block; trees are looked at to a depth.
 */
import { type Block, type Instruction, Op, type Value, constantZero } from "@muxkit/ir";

import { isAllOnes } from "./complement.ts";
import { vectorForm } from "./machine-builder.ts";
import type { Selector } from "./selector.ts";
import { isMask } from "./shape.ts";

const LEAVES = 3;
const DEEPEST = 3;
/** Values of the leaves for each choice of three bits. */
const TABLES = [0xf0, 0xcc, 0xaa] as const;

function isLogic(value: Value): value is Instruction {
  if (value.kind !== "instruction" || value.type.kind !== "vector" || isMask(value.type)) return false;
  return value.op === Op.AND || value.op === Op.OR || value.op === Op.XOR;
}

/** Whether a value is a part of a function of bits that its user computes. */
export function isDeferredLogic(value: Value, deferred: Uint8Array): boolean {
  return isLogic(value) && deferred[value.mark] === 1;
}

/** 0 or 255 for a constant of zeros or of all ones; -1 for any other value. */
function constantTable(value: Value): number {
  if (value.kind === "constant" && value === constantZero(value.type)) return 0;
  return isAllOnes(value) ? 255 : -1;
}

/** Adds the leaves below a node; `opens` says which nodes are taken apart. */
function addLeaves(node: Instruction, opens: (value: Value) => value is Instruction, leaves: Set<Value>): void {
  for (const operand of node.operands) {
    if (opens(operand)) addLeaves(operand, opens, leaves);
    else if (constantTable(operand) === -1) leaves.add(operand);
  }
}

/** Chooses the nodes of trees that their roots compute, in a block. */
export function chooseLogic(
  { instructions }: Block,
  hasOneUse: (value: Instruction) => boolean,
  deferred: Uint8Array,
): void {
  const open = new Set<Value>();
  const isOpen = (value: Value): value is Instruction => open.has(value);
  const add = (node: Instruction, depth: number): void => {
    for (const operand of node.operands) {
      if (!isLogic(operand) || !hasOneUse(operand)) continue;
      open.add(operand);
      if (depth > 1) add(operand, depth - 1);
    }
  };
  const fits = (root: Instruction): boolean => {
    const leaves = new Set<Value>();
    addLeaves(root, isOpen, leaves);
    return open.size > 0 && leaves.size > 0 && leaves.size <= LEAVES;
  };
  /** Takes all below the root, or all below one operand of it, or this operand alone. */
  const chosen = (root: Instruction): boolean => {
    for (let depth = DEEPEST; depth > 0; depth--) {
      open.clear();
      add(root, depth);
      if (fits(root)) return true;
      for (const operand of root.operands) {
        if (!isLogic(operand) || !hasOneUse(operand)) continue;
        open.clear();
        open.add(operand);
        if (depth > 1) add(operand, depth - 1);
        if (fits(root)) return true;
      }
    }
    return false;
  };
  for (let i = instructions.length - 1; i >= 0; i--) {
    const root = instructions[i] as Instruction;
    if (!isLogic(root) || deferred[root.mark] === 1 || !root.operands.some((operand) => isLogic(operand))) continue;
    if (chosen(root)) for (const node of open) deferred[(node as Instruction).mark] = 1;
  }
}

/** The root of a tree, of which some node is deferred; false: there is none. */
export function emitLogic(s: Selector, root: Instruction): boolean {
  if (!isLogic(root) || !root.operands.some((operand) => isLogic(operand) && s.isDeferred(operand))) return false;
  const isOpen = (value: Value): value is Instruction => isLogic(value) && (value === root || s.isDeferred(value));
  const leaves = new Set<Value>();
  addLeaves(root, isOpen, leaves);
  const list = [...leaves];
  const tableOf = (value: Value): number => {
    if (!isOpen(value)) {
      const constant = constantTable(value);
      return constant === -1 ? (TABLES[list.indexOf(value)] as number) : constant;
    }
    const [a, b] = value.operands.map((operand) => tableOf(operand)) as [number, number];
    const { op } = value;
    return op === Op.AND ? a & b : op === Op.OR ? a | b : a ^ b;
  };
  const table = tableOf(root);
  // Leaves that the table does not look at are any register.
  const first = list[0] as Value;
  const [a, b, c] = [s.parts(first), s.parts(list[1] ?? first), list[2] ?? first] as const;
  s.define(
    root,
    a.map((part, i) => {
      const { given, address } = s.operand(c, i);
      return s.build.emit(
        vectorForm("vpternlogd v, v, v/m, i8", s.fn.width[part] as number),
        [part, b[i] as number, given, table],
        address,
      );
    }),
  );
  return true;
}
