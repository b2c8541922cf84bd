// SPDX-License-Identifier: Apache-2.0
// The cost model of launches: expected ns from earlier runs decide whether a launch is worth waking workers, and
// whether one thread runs several launches in a row. The estimate is an exponential moving average per kernel: each
// measured run counts as much as all runs before it.
import { MAX_GROUPS_PER_CALL } from "@muxkit/kernel-abi";

import { double } from "./board.ts";
import type { BatchContents } from "./batch-contents.ts";
import type { Command } from "./command.ts";
import * as L from "./control-layout.ts";
import type { DeviceCore } from "./device-core.ts";
import type { Cost, Launch } from "./launch.ts";
import type { PreparedLaunch } from "./prepared-launch.ts";

/** ns of work from which on workers are started. */
export const START_WEIGHT = 1_000_000;
/** ns of work from which on workers that are running are woken. */
export const WAKE_WEIGHT = 50_000;
/** Least run time of one claim, in ns. */
const CLAIM_WEIGHT = 5_000;
/** ns of work up to which a launch is not worth sharing out: one thread runs it and those that follow. */
const SEQUENCE_WEIGHT = 50_000;
/** A run that took less than this part of the expected time replaces the estimate: the runs before it loaded code. */
const MUCH_LESS = 0.25;
/** ns per work-item at least. */
const LEAST_COST = 1e-4;

/** Expected ns of a launch. */
export function weightOf({ cost, itemsPerGroup, total }: Launch): number {
  return cost.perItem * itemsPerGroup * total;
}

/** True for a prepared launch that one thread runs best, as far as is known. */
export function isSmall({ slot, launch }: PreparedLaunch): boolean {
  const { cost, total, printf, deadline } = launch;
  if (slot === 0 || total === 0 || total > MAX_GROUPS_PER_CALL || printf !== null || deadline > 0) return false;
  // One group cannot be shared out, however long it runs.
  return total === 1 || (cost.measured && weightOf(launch) < SEQUENCE_WEIGHT);
}

const NO_LAUNCHES: readonly PreparedLaunch[] = [];

/** The longest run of launches from a command on that one thread runs best: prepared, small, and without printf. */
export function smallLaunches(commands: readonly Command[], first: number): readonly PreparedLaunch[] {
  let list: PreparedLaunch[] | null = null;
  for (let i = first; i < commands.length; i++) {
    const body = commands[i]?.body;
    if (body?.kind !== "ndrange" || body.prepared === null) break;
    // Mostly the same launch again and again.
    if (body.prepared !== list?.at(-1) && !isSmall(body.prepared)) break;
    (list ??= []).push(body.prepared);
  }
  return list ?? NO_LAUNCHES;
}

/** Fewest groups of a claim: all of a small launch, else as many as are worth a claim. */
export function leastClaim({ cost, itemsPerGroup, total }: Launch): number {
  const perGroup = cost.perItem * itemsPerGroup;
  const small = cost.measured && perGroup * total < WAKE_WEIGHT;
  return Math.min(MAX_GROUPS_PER_CALL, small ? total : Math.max(1, Math.floor(CLAIM_WEIGHT / perGroup)));
}

/** Expected ns of a batch. */
export function batchWeight({ transferWeight, launches, sequences }: BatchContents): number {
  let weight = transferWeight;
  for (const { launch } of launches) weight += weightOf(launch);
  for (const sequence of sequences) weight += sequence.weight;
  return weight;
}

/** Updates an estimate with a measured run. */
function update(cost: Cost, perItem: number): void {
  // Never zero: what the clock did not resolve is too little to matter, and still something.
  const measured = Math.max(perItem, LEAST_COST);
  cost.perItem = cost.measured && measured > cost.perItem * MUCH_LESS ? (cost.perItem + measured) / 2 : measured;
  cost.measured = true;
}

/** Updates the estimates from the times of a batch that is complete. */
export function updateCosts({ board, pool, settings }: DeviceCore, contents: BatchContents): void {
  for (const { node, launch } of contents.launches) {
    const base = L.nodeBase(node);
    const items = launch.itemsPerGroup * launch.total;
    if (board.words[base + L.NODE_ERROR] !== 0 || items === 0) continue;
    const time = double(board, base + L.NODE_END) - double(board, base + L.NODE_START);
    const width =
      pool.running && launch.cost.perItem * items >= WAKE_WEIGHT ? Math.min(settings.threads, launch.total) : 1;
    update(launch.cost, (time * width) / items);
  }
  for (const { node, costs, weight } of contents.sequences) {
    const base = L.nodeBase(node);
    if (board.words[base + L.NODE_ERROR] !== 0) continue;
    // The time of each launch is not known: all of them were as much quicker or slower than expected.
    const factor = (double(board, base + L.NODE_END) - double(board, base + L.NODE_START)) / weight;
    for (let i = 0; i < costs.length; i++) update(costs[i] as Cost, (costs[i] as Cost).perItem * factor);
  }
}
