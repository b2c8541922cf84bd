// SPDX-License-Identifier: Apache-2.0
// Vectors or single work-items: code whose compiler could not tell which is faster offers both, and the first launches
// tell. They take turns, as whole launches, so that work-groups that differ do not matter. What counts is the least
// time that the threads spent on a launch of each way, since whatever else a processor does only adds to it. Both ways
// leave the same bytes.
import { DISPATCH } from "@muxkit/kernel-abi";

import type { LoweredLaunch } from "./batch-contents.ts";
import * as L from "./control-layout.ts";
import type { DeviceCore } from "./device-core.ts";
import { WAKE_WEIGHT, weightOf } from "./launch-cost.ts";
import type { Cost } from "./launch.ts";

/** The flag of a dispatch block that asks for single work-items. */
const ONE_BY_ONE = 1;
/** Launches before the first one that is measured: the engine's optimising compiler is at work meanwhile. */
const WARMING = 4;
/** Launches that are measured at most, both ways together. */
const MOST_MEASURED = 16;
/** Measured launches of each way before one that is so many times as fast is taken: vectors, single work-items. */
const LEAST_MEASURED = [2, 4] as const;
const MUCH_FASTER = 1.5;
/** Single work-items are taken where they are so many times as fast. */
const FASTER = 1.1;

/** What launches of some code took in both ways, vectors first. */
export interface TriedWays {
  /** Id of the code. */
  readonly code: number;
  /** The way of later launches; null: not known yet. */
  chosen: number | null;
  /** Launches that were begun in order to measure them, and those before. */
  begun: number;
  /** The way of each launch that is measured now, by its node. */
  readonly running: Map<number, number>;
  readonly measured: [vectors: number, oneByOne: number];
  /** Least time of a work-item. */
  readonly least: [vectors: number, oneByOne: number];
}

/** What code has been tried so far. */
function waysOf(cost: Cost, code: number): TriedWays {
  if (cost.ways?.code !== code)
    cost.ways = { code, chosen: null, begun: 0, running: new Map(), measured: [0, 0], least: [Infinity, Infinity] };
  return cost.ways;
}

/** Chooses how a launch runs that is about to begin, and whether the threads measure it. */
export function beginWay({ board, memory }: DeviceCore, { node, launch, block }: LoweredLaunch): void {
  const { cost, kernel } = launch;
  const spent = L.nodeBase(node) + L.NDRANGE_SPENT;
  board.words[spent] = 0;
  if (kernel.variant.offersOneByOne !== true) return;
  const ways = waysOf(cost, kernel.code.id);
  let way = ways.chosen ?? 0;
  const isWorthwhile = ways.begun > 0 || (cost.measured && weightOf(launch) >= WAKE_WEIGHT);
  if (ways.chosen === null && ways.begun < WARMING + MOST_MEASURED && isWorthwhile && ways.begun++ >= WARMING) {
    way = (ways.begun - WARMING - 1) & ONE_BY_ONE;
    ways.running.set(node, way);
    board.words[spent] = 1;
  }
  memory.views.words[(block.address + DISPATCH.flags) >>> 2] = way;
}

/** Notes what a work-item of a launch took that is complete. */
export function endWay({ board }: DeviceCore, { node, launch }: LoweredLaunch, items: number): void {
  const { ways } = launch.cost;
  const way = ways?.running.get(node);
  if (ways === undefined || way === undefined) return;
  ways.running.delete(node);
  const spent = board.words[L.nodeBase(node) + L.NDRANGE_SPENT] as number;
  // A launch that other code took over was not measured.
  if (spent > 1) noteWay(ways, way, spent / items);
}

/** Notes the time of a work-item in one way: once it is clear which is faster, later launches run that. */
export function noteWay(ways: TriedWays, way: number, time: number): void {
  const { least, measured } = ways;
  const own = way as 0 | 1;
  measured[own]++;
  least[own] = Math.min(least[own], time);
  const fewest = Math.min(...measured);
  const gain = least[0] / least[1];
  const isClear =
    (gain > MUCH_FASTER && fewest >= LEAST_MEASURED[1]) || (gain < 1 / MUCH_FASTER && fewest >= LEAST_MEASURED[0]);
  if (isClear || fewest * 2 >= MOST_MEASURED) ways.chosen = gain > FASTER ? ONE_BY_ONE : 0;
}
