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
  const { cost, total, printf, deadline, watch } = launch;
  if (slot === 0 || total === 0 || total > MAX_GROUPS_PER_CALL || printf !== null || deadline > 0 || watch !== null)
    return false;
  // One group cannot be shared out, however long it runs.
  return total === 1 || (cost.measured && weightOf(launch) < SEQUENCE_WEIGHT);
}

/** Launches that follow each other, with the number of each one's command. */
export interface LaunchRun {
  readonly launches: PreparedLaunch[];
  readonly numbers: number[];
  /** How many commands these are. */
  commands: number;
}

/** Launches in no order that one thread runs best: small, and together too little to wake a worker for. */
function isLight(launches: readonly PreparedLaunch[]): boolean {
  let weight = 0;
  for (let i = 0; i < launches.length; i++) {
    const prepared = launches[i] as PreparedLaunch;
    if (prepared !== launches[i - 1] && !isSmall(prepared)) return false;
    weight += weightOf(prepared.launch);
  }
  return weight < WAKE_WEIGHT;
}

/**
 * The longest run of launches from a command on that one thread runs best, one after the other: prepared, small, and
 * without printf; with them, launches in no order that are light together. None of the commands has a wait list.
 */
export function smallLaunches(commands: readonly Command[], first: number): LaunchRun {
  const run: LaunchRun = { launches: [], numbers: [], commands: 0 };
  const { launches, numbers } = run;
  for (let i = first; i < commands.length; i++) {
    const { body, waits } = commands[i] as Command;
    if (waits !== null) break;
    if (body.kind === "parallel") {
      if (!isLight(body.launches)) break;
      for (const prepared of body.launches) {
        launches.push(prepared);
        numbers.push(i);
      }
    } else if (body.kind === "ndrange" && body.prepared !== null) {
      // Mostly the same launch again and again.
      if (body.prepared !== launches.at(-1) && !isSmall(body.prepared)) break;
      launches.push(body.prepared);
      numbers.push(i);
    } else break;
    run.commands++;
  }
  return run;
}

/** How many of the prepared launches count as small now. */
export function smallCount(commands: readonly Command[]): number {
  let count = 0;
  let last: PreparedLaunch | null = null;
  let isLastSmall = false;
  const look = (prepared: PreparedLaunch): void => {
    if (prepared !== last) isLastSmall = isSmall(prepared);
    last = prepared;
    if (isLastSmall) count++;
  };
  for (let i = 0; i < commands.length; i++) {
    const { body } = commands[i] as Command;
    if (body.kind === "ndrange" && body.prepared !== null) look(body.prepared);
    if (body.kind === "parallel") {
      for (const prepared of body.launches) look(prepared);
      if (isLight(body.launches)) count++;
    }
  }
  return count;
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
export function updateCosts(core: DeviceCore, contents: BatchContents): void {
  const { board, pool, settings } = core;
  for (const lowered of contents.launches) {
    const { node, launch } = lowered;
    const base = L.nodeBase(node);
    const items = launch.itemsPerGroup * launch.total;
    if (board.words[base + L.NODE_ERROR] !== 0 || items === 0) continue;
    const time = double(board, base + L.NODE_END) - double(board, base + L.NODE_START);
    const width =
      pool.running && launch.cost.perItem * items >= WAKE_WEIGHT ? Math.min(settings.threads, launch.total) : 1;
    update(launch.cost, (time * width) / items);
    settings.parts.ways?.end(core, lowered, items);
  }
  for (const { node, costs, weight, isParallel } of contents.sequences) {
    const base = L.nodeBase(node);
    if (board.words[base + L.NODE_ERROR] !== 0) continue;
    // The time of each launch is not known: all of them were as much quicker or slower than expected.
    const width = isParallel && pool.running ? settings.threads : 1;
    const factor = ((double(board, base + L.NODE_END) - double(board, base + L.NODE_START)) * width) / weight;
    for (let i = 0; i < costs.length; i++) update(costs[i] as Cost, (costs[i] as Cost).perItem * factor);
  }
}
