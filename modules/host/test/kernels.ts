// SPDX-License-Identifier: Apache-2.0
// Kernels in WebAssembly for the tests.
import { DISPATCH } from "@muxkit/kernel-abi";

import * as W from "./wasm-assembler.ts";

/** The address of element x of the first argument, where x is the group. */
const ELEMENT = [W.get(W.ARGS), W.load(0), W.get(W.LOCAL + 1), W.constant(4), W.MUL, W.ADD];

/** Counts the third local down to 0. */
const COUNT_DOWN = W.loop([
  W.get(W.LOCAL + 2),
  W.constant(1),
  W.SUB,
  W.set(W.LOCAL + 2),
  W.get(W.LOCAL + 2),
  W.branchIf(0),
]);

/** Writes `value + x` to `out[x]` for each group x. Arguments: out, value. */
const fill = W.forEachGroup([...ELEMENT, W.get(W.ARGS), W.load(4), W.get(W.LOCAL + 1), W.ADD, W.store(0)]);

/** y[x] = a * x[x] + y[x]. Arguments: x, y, a (f32). */
const saxpy = W.forEachGroup([
  W.get(W.LOCAL + 1),
  W.constant(4),
  W.MUL,
  W.set(W.LOCAL + 2),
  W.get(W.ARGS),
  W.load(4),
  W.get(W.LOCAL + 2),
  W.ADD,
  W.get(W.ARGS),
  W.loadFloat(8),
  W.get(W.ARGS),
  W.load(0),
  W.get(W.LOCAL + 2),
  W.ADD,
  W.loadFloat(0),
  W.FLOAT_MUL,
  W.get(W.ARGS),
  W.load(4),
  W.get(W.LOCAL + 2),
  W.ADD,
  W.loadFloat(0),
  W.FLOAT_ADD,
  W.storeFloat(0),
]);

/** Divides by x - 5, so group 5 traps. */
const trap = W.forEachGroup([W.constant(1), W.get(W.LOCAL + 1), W.constant(5), W.SUB, W.DIV_S, W.set(W.LOCAL + 2)]);

/** Never ends, but checks the cancel word. */
const endless = [...W.loop([W.CANCEL_CHECK, W.branch(0)]), ...W.constant(0)];

/** Never ends and never checks the cancel word. */
const stubborn = [...W.loop([W.branch(0)]), ...W.constant(0)];

/** Writes `value` to `out` for ever, and never checks the cancel word. Arguments: out, value. */
const scribbling = [
  ...W.loop([W.get(W.ARGS), W.load(0), W.get(W.ARGS), W.load(4), W.store(0), W.branch(0)].flat()),
  ...W.constant(0),
];

/** Counts `n` down in each group and then adds 1 to out[x]. Arguments: out, n. */
const slow = W.forEachGroup([
  W.get(W.ARGS),
  W.load(4),
  W.set(W.LOCAL + 2),
  ...COUNT_DOWN,
  ...ELEMENT,
  W.set(W.LOCAL + 3),
  W.get(W.LOCAL + 3),
  W.get(W.LOCAL + 3),
  W.load(0),
  W.constant(1),
  W.ADD,
  W.store(0),
]);

/** Does nothing. */
const empty = [...W.constant(0)];

/** Writes to address `where`. Arguments: where. */
const stray = W.forEachGroup([W.get(W.ARGS), W.load(0), W.constant(1), W.store(0)]);

/**
 * Writes the flags of the dispatch block to out[x] and counts `n` down; with those flags, twenty times `n`. Arguments:
 * out, n, flags.
 */
const twoWays = W.forEachGroup([
  W.get(W.DISPATCH_BLOCK),
  W.load(DISPATCH.flags),
  W.set(W.LOCAL + 3),
  W.get(W.ARGS),
  W.load(4),
  W.get(W.LOCAL + 3),
  W.get(W.ARGS),
  W.load(8),
  W.EQ,
  W.constant(19),
  W.MUL,
  W.constant(1),
  W.ADD,
  W.MUL,
  W.set(W.LOCAL + 2),
  ...COUNT_DOWN,
  ...ELEMENT,
  W.get(W.LOCAL + 3),
  W.store(0),
]);

/** All of them in one module. */
export const KERNELS: ReturnType<typeof W.assemble> = W.assemble({
  fill,
  saxpy,
  trap,
  endless,
  stubborn,
  slow,
  empty,
  stray,
  scribbling,
  twoWays,
});

/** Index among the exports. */
export const KERNEL_INDEX = {
  fill: 0,
  saxpy: 1,
  trap: 2,
  endless: 3,
  stubborn: 4,
  slow: 5,
  empty: 6,
  stray: 7,
  scribbling: 8,
  twoWays: 9,
} as const;
